"""Sentences that are no cause or no fix, whatever they sound like; and the first sentence of an answer, which is its cause."""

import pytest

from kb.article import read_article
from kb.article.blocks import Block, BlockKind
from kb.article.quotes.barred import is_no_cause
from kb.article.quotes.statements import Statements
from kb.article.sections import Section
from kb.article.vocabulary import SectionRole

ERROR = "`com.acme.LedgerException: the ledger is closed`"

ROWS = {
    "an instruction to look": (
        "# The ledger fails to open\n\n## Diagnosis\n\nCheck the events of the ledger in the console first.\n\n## Solution\n\nRaise its memory to 4 GB.",
        None,
        "Raise its memory to 4 GB.",
    ),
    "an instruction to look, zh": (
        "# 账本打不开\n\n## 排查\n\n检查账本进程是否还在运行。\n\n## 解决方法\n\n把内存调到 4 GB。",
        None,
        "把内存调到 4 GB。",
    ),
    "what is seen when one looks": (
        "# 账本打不开\n\n## 排查\n\n查看日志发现是由于磁盘写满，导致账本无法写入。\n\n## 解决方法\n\n清理磁盘。",
        "查看日志发现是由于磁盘写满，导致账本无法写入。",
        "清理磁盘。",
    ),
    "a checkpoint is no check": (
        "# 作业失败\n\n## 原因\n\n检查点的目录写不下全部状态。\n",
        "检查点的目录写不下全部状态。",
        None,
    ),
    "the error itself": (
        f"# The ledger fails\n\n## Error Message\n\n{ERROR}\n\n## Solution\n\nOpen the ledger before the batch starts.",
        None,
        "Open the ledger before the batch starts.",
    ),
    "that there are reasons": (
        "# The ledger fails\n\n## Cause\n\nThis error can happen for a few reasons.\n\nTwo jobs write to the same ledger at once.\n",
        "Two jobs write to the same ledger at once.",
        None,
    ),
    "that it is solved": (
        "# 账本打不开\n\n由于磁盘写满，账本无法写入。\n\n清理磁盘后重启账本服务即可。\n\n至此，这个小问题解决。",
        "由于磁盘写满，账本无法写入。",
        "清理磁盘后重启账本服务即可。",
    ),
    "items of causes are no fix": (
        "# How to fix the error below when the ledger starts?\n\nThe possible causes are:\n\n- The library of the ledger is not installed on this host.\n- The port is taken.\n",
        "- The library of the ledger is not installed on this host.\n- The port is taken.",
        None,
    ),
    "causes behind a lead-in, zh": (
        "# 账本打不开\n\n## 原因\n\n账本打不开有以下几种原因：\n\n- 账本目录没有写权限。\n- 端口已被占用。\n\n## 解决办法\n\n修改目录权限或换一个端口。",
        "- 账本目录没有写权限。\n- 端口已被占用。",
        "修改目录权限或换一个端口。",
    ),
    "a lead-in is no fix": (
        "# How do I open the ledger?\n\nA: This message means that no ledger was found.\n\nThe possible causes are:\n\n- The folder is empty on this host.\n- The disk was not mounted.\n",
        "- The folder is empty on this host.\n- The disk was not mounted.",
        None,
    ),
    "what an error means is no fix of an answer": (
        "# What should I do if `LedgerError 40` is reported?\n\nA: When `LedgerError 40` appears, it indicates that the ledger is locked.\n\nRestart the ledger.\n",
        "When `LedgerError 40` appears, it indicates that the ledger is locked.",
        "Restart the ledger.",
    ),
    "what the message goes on with": (
        "# The ledger does not match\n\n## Error Message\n\n`com.acme.LedgerException: cannot open the ledger. The page of the ledger does not match its index. (Code 4)`\n\n## Solution\n\nRebuild the index.",
        None,
        "Rebuild the index.",
    ),
    "what is printed, and where to look": (
        "# 账本打不开\n\n## 原因分析\n\n1. 在控制台打印异常如下：\n\n   ```\n   ledger: connection refused\n   ```\n\n2. 在管理页面查看账本进程此时是否功能正常。\n\n## 解决办法\n\n重启账本进程。",
        None,
        "重启账本进程。",
    ),
    "of which kind an exception is": (
        "# 账本抛出 LedgerStoreException\n\n## 分析\n\nLedgerStoreException 是一个存储类的异常，它没有错误码。\n\n后来真相大白，是账本目录被别的程序占用。\n\n## 解决办法\n\n关闭占用目录的程序。",
        "后来真相大白，是账本目录被别的程序占用。",
        "关闭占用目录的程序。",
    ),
    "causes and fixes of the same numbered problem": (
        "# 账本的日志打不开\n\n## 原因分析\n\n- 问题1：可能是账本服务异常退出。\n- 问题2：日志目录没有权限。\n\n## 处理步骤\n\n- 问题1：重启账本服务。\n- 问题2：修改日志目录的权限。\n",
        "可能是账本服务异常退出。",
        "重启账本服务。",
    ),
    "why, before what to do": (
        '# How do I handle the error "pulse differs" of the ledger?\n\nThe `pulse` feature is disabled by default in Ledger 2.0 and later versions. If you enable the feature in the task file, it interferes with the election. To solve this issue, you can disable the `pulse` feature by setting `pulse` to `false` in the task file, and then reload it.\n',
        "The `pulse` feature is disabled by default in Ledger 2.0 and later versions. If you enable the feature in the task file, it interferes with the election.",
        "To solve this issue, you can disable the `pulse` feature by setting `pulse` to `false` in the task file, and then reload it.",
    ),
    "a cause that begins in mid-thought": (
        "# The ledger fails\n\n## Cause\n\nThe ledger keeps its index in memory. However, the index of a year does not fit into 4 GB.\n\n## Solution\n\nRaise its memory.",
        "The ledger keeps its index in memory. However, the index of a year does not fit into 4 GB.",
        "Raise its memory.",
    ),
    "a cause that begins in mid-thought, zh": (
        "# 账本打不开\n\n## 原因\n\n账本的索引从去年起按年存放。\n\n因此旧的索引文件无法读取，导致账本打不开。\n\n## 解决办法\n\n重建索引。",
        "账本的索引从去年起按年存放。\n因此旧的索引文件无法读取，导致账本打不开。",
        "重建索引。",
    ),
    "all possible causes of a short list": (
        "# The ledger fails\n\n## Possible causes\n\n- The port is taken.\n- The disk is full.\n\n## Solution\n\nFree the port or the disk.",
        "- The port is taken.\n- The disk is full.",
        "Free the port or the disk.",
    ),
    "still the same error": (
        "# The ledger fails\n\n## Solution\n\nI upgraded the ledger, and got the same error again.\n\nSet `ledger.lock=false` in ledger.conf.",
        None,
        "Set `ledger.lock=false` in ledger.conf.",
    ),
    "what an answer to why begins with": (
        "# Why can I not open the ledger in the browser?\n\nThe ledger shows pages in WebAssembly, which this browser has not got.\n",
        "The ledger shows pages in WebAssembly, which this browser has not got.",
        None,
    ),
    "what an answer to why begins with, zh": (
        "# 为什么在海外打不开账本？\n\n账本页面只对本国的地址开放。\n",
        "账本页面只对本国的地址开放。",
        None,
    ),
    "an answer that bids": (
        "# 为什么看不到账本？\n\n请在控制台右上角切换到账本所在的地域。\n",
        None,
        None,
    ),
    "a list of links": (
        "# 账本打不开\n\n## 解决方案\n\n一、[讨论贴](http://bbs.acme.example/1)\n\n二、把账本的锁文件删除。",
        None,
        "二、把账本的锁文件删除。",
    ),
    "cause and fix of one case": (
        "# 账本打不开\n\n## 情况一\n\n锁文件没有删除。\n\n解决方法：删除锁文件。\n\n## 情况二\n\n由于内存配置太小，导致账本无法启动。\n\n解决方法：把内存调到 4 GB。",
        "锁文件没有删除。",
        "删除锁文件。",
    ),
}


@pytest.mark.parametrize(("text", "cause", "fix"), ROWS.values(), ids=ROWS)
def test_what_is_no_cause_or_no_fix(text: str, cause: str | None, fix: str | None) -> None:
    """Each row is one incident."""
    (incident,) = read_article(text.encode(), "ledger.md").incidents
    assert (incident.root_cause, incident.fix) == (cause, fix)


STEPS = (
    "启动时加参数 -x",
    "安装时关闭防火墙",
    "设置超时时间",
    "设置时区",
    "升级后重启账本",
    "设置不缓存",
    "调整过大的值",
)
STATES = ("升级后无法读取索引", "配置未生效", "设置的超时过短", "运行超时")


@pytest.mark.parametrize(
    ("words", "is_step"), [*((one, True) for one in STEPS), *((one, False) for one in STATES)], ids=(*STEPS, *STATES)
)
def test_a_verb_begins_a_step_and_not_what_is_wrong(words: str, *, is_step: bool) -> None:
    """In a section about the cause a step beside the cause is left out; a sentence that begins with the same verb and says what is wrong is of it."""
    why = "由于端口被占用，导致账本无法启动。"
    page = f"# 账本启动失败\n\n## 原因分析\n\n{words}。{why}\n\n## 解决办法\n\n更换端口。\n"
    cause = read_article(page.encode(), "ledger.md").incidents[0].root_cause or ""
    assert cause.endswith(why)
    assert (words in cause) is not is_step


def test_the_fix_of_another_failure_below_is_left_to_it() -> None:
    """A page that stays whole: what stands below the heading of another error mends that one."""
    trace = "```\njava.lang.IllegalStateException: ledger closed\n\tat com.acme.A.b(A.java:1)\n\tat com.acme.A.c(A.java:2)\n```"
    text = f"""# Notes on the ledger

{trace}

## Solution

Open the ledger before the batch.

## LedgerLockedException is thrown by the night job

## How we solved it

To fix the problem, delete the lock file before each night job, which solved the problem.
"""
    first = read_article(text.encode(), "notes.md").incidents[0]
    assert first.fix == "Open the ledger before the batch."


@pytest.mark.parametrize(
    ("text", "role", "is_none"),
    [
        ("Delete the ledger and create a new one.", SectionRole.FIX, True),
        ("删除账本，新建一个再导入数据。", SectionRole.FIX, True),
        ("Delete the ledger and create a new one.", SectionRole.ROOT_CAUSE, False),
        ("Delete was denied because the ledger is locked.", SectionRole.FIX, False),
        ("The ledger keeps its lock on the old disk.", SectionRole.FIX, False),
    ],
)
def test_a_step_chosen_for_want_of_a_cause_is_none(text: str, role: SectionRole, *, is_none: bool) -> None:
    """But what a section about the cause says, or a sentence with words of a cause, stays."""
    section = Section("", (role,), (Block(BlockKind.PARAGRAPH, text, 0, len(text)),), labelled=True)
    document = Statements((section,), lambda _: False, lambda _: False)
    assert is_no_cause(document, document.sentences_of(0)[0]) is is_none
