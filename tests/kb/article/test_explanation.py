"""What stands in the cause's place where no sentence is quoted as the cause, and beside the one that is."""

import pytest

from kb.article import read_article
from kb.incident import Incident

ERROR = "```\nledger.PageError: page 7 is locked\n    at ledger.Store.write(Store.java:12)\n    at ledger.Main.main(Main.java:3)\n```\n"
NUMBERED = "# 账本启动失败\n\n## 可能原因1\n\n账本的索引没有初始化。\n\n## 处理步骤1\n\n执行 `ledger init` 命令即可解决。\n\n## 可能原因2\n\n账本的端口被占用，导致无法启动。\n\n## 处理步骤2\n\n修改端口即可解决。\n"
HEADED = (
    "# Ledger answers 409\n\n## Why does it happen\n\n### Cancelled imports\n\nA cancelled import leaves its locks behind, which causes a conflict.\n\n#### Resolution\n\nWait a minute before the next import.\n\n"
    "### Parallel imports\n\nTwo imports at the same time write the same page, which causes a conflict.\n\n#### Resolution\n\nRun one import at a time.\n"
)
POSTMORTEM = (
    f"# Ledger outage\n\n{ERROR}\n## Root cause\n\nThe disk of the ledger was full because old pages were never removed.\n\n## Fix\n\nRemove the old pages.\n\n"
    "## Reason for the late alert\n\nThe alert was muted because of a test in May.\n\n## Solution\n\nUnmute the alert.\n"
)
EXPLAINED = {
    "a clause of the fix": (
        f"# Ledger stops at page 7\n\nError log:\n\n{ERROR}\nSolution:\n\nUpgrade to Ledger 2.1, which renews its locks by itself to prevent errors caused by stale pages.\n",
        "caused by stale pages",
    ),
    "a reason beside what the fix says to do": (
        f"# Ledger stops at page 7\n\n{ERROR}\n## Solution\n\nRestart the ledger, because the cached pages are stale.\n",
        "cached pages are stale",
    ),
    "checks below a heading about the cause": (
        "# 提交账本失败\n\n## 现象\n\n提交失败。\n\n## 原因分析\n\n1. 查看账本服务是否正常，如果状态为故障，说明服务异常。\n2. 查看客户端是否为最新的客户端。\n\n## 解决办法\n\n如果服务异常，请重启服务。\n",
        "客户端是否为最新",
    ),
    "a title that is the reason": (
        "# 不支持压缩页\n\n示例代码：\n\n```python\nledger.write(page, zip=True)\n```\n\n报错信息如下：\n\n```\nTraceback (most recent call last):\n  File \"a.py\", line 3, in <module>\n    ledger.write(page, zip=True)\nTypeError: unexpected keyword argument 'zip'\n```\n",
        "不支持压缩页",
    ),
}


def only(text: str, name: str = "a.md") -> Incident:
    return read_article(text.encode(), name).incidents[0]


@pytest.mark.parametrize(("text", "told"), EXPLAINED.values(), ids=EXPLAINED)
def test_what_explains_a_failure_stands_in_the_place_of_the_cause(text: str, told: str):
    found = only(text)
    assert found.root_cause is None
    assert told in found.sections["root_cause"]


NO_REASON_IN_THE_FIX = (
    "## Solution\n\nSend the complete log to our support team so that they can answer you faster.",
    "## Solution\n\nRestart the ledger service, otherwise call our support team on weekdays before noon.",
    "## Solution\n\nOpen a ticket and add your number so that we can call you back.",
    "## 解决办法\n\n请先备份数据再重启账本服务，否则数据可能会丢失。",
    "## Solution\n\nUpdate to 2.1, whose release was moved to May due to a holiday of the team.",
    "## Solution\n\n账本的页没有释放，导致后续的写入一直等待。",
    "## Solution\n\nTake a backup first because the upgrade cannot be rolled back. Then run `upgrade --force`.",
    "## 解决办法\n\n请先备份，因为升级后无法回滚。",
    "## Solution\n\nSet maxmemory-policy to allkeys-lru because it is the best policy for caches.",
)
NO_REASON_IN_THE_TITLE = (
    "Incorrect balance shown",
    "Expired sessions page cannot be opened",
    "Known limitations of the ledger client",
    "Duplicate rows after a retry of the import",
    "Duplicated rows after a retry of the import",
    "Unsupported major.minor version 52.0",
    "error: release version 5 is not supported",
    "账本启动时间过长",
    "两个节点数据不一致",
    "合并代码冲突后账本无法启动",
)
REASON_IN_THE_TITLE = (
    "账本不支持压缩页",
    "账本仅支持英文路径",
    "账本与新版插件不兼容",
    "Ledger only supports ASCII paths",
    "Compressed pages are not yet supported",
    "Ledger 2.1 incompatible with plugin 3",
)
SILENT = {
    "a title that only says what fails": f"# 账本无法启动\n\n{ERROR}\n## 解决办法\n\n重启账本服务。\n",
    "an instruction": "# How to handle the error `page is locked`?\n\nSet the parameters below to a larger value.\n\n- `ledger.pages`\n- `ledger.locks`\n",
    "a pointer": f"# Ledger page error\n\n{ERROR}\n## Solution\n\nFor more information on the cause, refer to [the guide](https://example.com/guide).\n",
    "the announcement of the error": f"# Ledger page error\n\nWhen running an import, for example\n\n{ERROR}\nRun `ledger repair` to fix this.\n",
    "the announcement of a sample": f"# Ledger page error\n\nWhen running a `LOAD PAGES` statement on a ledger of your own, for example\n\nthe log of the ledger will include a stack trace similar to\n\n{ERROR}\nRun `ledger repair` to fix this.\n",
    "what is done when it fails": f"# 账本页错误\n\n我们想要使用账本的流式接口从这个页面读取全部的数据时：\n\n{ERROR}\n执行 `ledger repair` 即可解决。\n",
    "code that nothing marks": f"# 账本页错误\n\nimport ledger.pages.user.domain.Page; import ledger.pages.user.service.impl.PageService;\npublic class PageServiceTest extends Page implements Closeable without context {{\n\n{ERROR}\n执行 `ledger repair` 即可解决。\n",
    "the error again": f"# Ledger page error\n\nWhen working with the ledger, I get an error that the page is locked.\n\n{ERROR}\nRun `ledger repair` to fix this.\n",
}


@pytest.mark.parametrize("text", SILENT.values(), ids=SILENT)
def test_what_explains_nothing_does_not_stand_there(text: str):
    found = only(text)
    assert found.root_cause is None
    assert "root_cause" not in found.sections


@pytest.mark.parametrize("told", NO_REASON_IN_THE_FIX)
def test_an_instruction_that_says_what_for_is_no_explanation(told: str):
    found = only(f"# Ledger stops at page 7\n\n{ERROR}\n{told}\n")
    assert found.root_cause is None
    assert "root_cause" not in found.sections


@pytest.mark.parametrize("title", NO_REASON_IN_THE_TITLE)
def test_a_title_that_names_a_symptom_or_a_topic_is_no_explanation(title: str):
    found = only(f"# {title}\n\n{ERROR}\n## Solution\n\nRestart the ledger service.\n")
    assert found.root_cause is None
    assert "root_cause" not in found.sections


@pytest.mark.parametrize("title", REASON_IN_THE_TITLE)
def test_a_title_that_says_what_is_not_supported_explains(title: str):
    found = only(f"# {title}\n\n{ERROR}\n## Solution\n\nRestart the ledger service.\n")
    assert title in found.sections["root_cause"]


def test_what_the_fix_says_of_why_stands_beside_a_cause_of_another_section():
    text = (
        f"# Ledger script stops\n\n{ERROR}\n## Cause\n\nSuch an error can occur if the ledger is shared.\n\n## Solution\n\n"
        "The page link was introduced in Ledger 2.0. It can catch calls to shared pages, resulting in a script that stops.\n\nTo solve this, switch off the page link in the settings.\n"
    )
    found = only(text)
    assert "shared" in (found.root_cause or "")
    assert "It can catch calls" in found.sections["root_cause"]


def test_the_second_of_two_numbered_reasons_stands_beside_the_first():
    """Reasons are numbered within a paragraph; what is to be done is known by its words, not by a number."""
    text = (
        f"# 账本报错怎么办\n\n{ERROR}\n## 回答\n\n账本给某一页配置了切分方案，但是这一页的行数无法整除。可能原因：1、这一页是某个导入的输入，"
        "脚本给它设置了错误的方案；2、账本会自动给输入设置方案，如果输入的行数恰好无法整除，也会报该错误。需要对脚本进行调整。\n"
    )
    found = only(text)
    assert (found.root_cause or "").endswith("错误的方案；")
    assert found.sections["root_cause"].endswith("也会报该错误。")


CHAPTER = "The ledger keeps its pages in a store, and each page has a number, a size and a name. " * 4
CHAPTERS = ("Overview", "Prerequisites", "Installation", "Architecture", "Configuration", "Parameters")


def manual(told: str) -> bytes:
    chapters = "".join(f"## {name}\n\n{CHAPTER}\n\n" for name in CHAPTERS)
    usage = f"## Usage\n\nLog in with the user of the host. The console may show this:\n\n{ERROR}\n{told}\n\n```ini\nledger.proxy=*\n```\n\n"
    return f"# Ledger installation guide\n\n{chapters}{usage}## Summary\n\n{CHAPTER}\n".encode()


def test_an_error_with_cause_and_fix_inside_a_manual_is_an_incident():
    told = "This is because the user has no permission on the pages. Add the following to `ledger.ini` to fix this:"
    article = read_article(manual(told), "a.md")
    whole, found = article.incidents
    assert list(article.stating_none) == [whole.id]
    assert "no permission" in (found.root_cause or "")
    assert "ledger.ini" in (found.fix or "")
    assert found.title.endswith(" — Ledger installation guide")


@pytest.mark.parametrize(
    "told", ["The next chapter has the parameters.", "Further information can be found in the guide."]
)
def test_an_error_without_cause_and_fix_inside_a_manual_is_none(told: str):
    article = read_article(manual(told), "a.md")
    assert len(article.incidents) == len(article.stating_none) == 1


def test_what_goes_on_explaining_belongs_to_the_cause_and_not_to_the_fix():
    found = only(
        "# Why is `Permission denied` thrown when the ledger starts?\n\nThe ledger makes its temporary pages below /tmp. If NOEXEC is set to /tmp then the start will fail with `Permission denied`. "
        "So `ledger.tmp` must be set to a different path.\n"
    )
    assert (found.root_cause or "").endswith("the start will fail with `Permission denied`.")
    assert found.fix == "So `ledger.tmp` must be set to a different path."


def test_a_condition_that_says_what_to_set_stays_with_the_fix():
    found = only(
        "# 账本清空失败，报错 page timeout\n\n目前账本会先创建对应的空页再交换，如果存在大量创建任务，积压就会超时。如果导入比较多，设置 `ledger.conf` 中参数 `shard=512`，可以降低锁冲突。修改参数后需重启账本。\n"
    )
    assert "shard=512" in (found.fix or "")
    assert "shard=512" not in (found.root_cause or "")


@pytest.mark.parametrize(
    ("text", "causes", "fixes"),
    [
        (NUMBERED, ("索引没有初始化", "端口被占用"), ("ledger init", "修改端口")),
        (
            NUMBERED.replace("因1", "因一").replace("因2", "因二"),
            ("索引没有初始化", "端口被占用"),
            ("ledger init", "修改端口"),
        ),
        (HEADED, ("leaves its locks behind", "write the same page"), ("Wait a minute", "one import at a time")),
    ],
)
def test_several_causes_with_a_fix_each_stand_side_by_side(text: str, causes: tuple[str, str], fixes: tuple[str, str]):
    found = only(text)
    assert [one for one in causes if one not in found.sections["root_cause"]] == []
    assert [one for one in fixes if one not in found.sections["fix"]] == []


TAINTED = "# Pod stays pending\n\n```\nWarning  FailedScheduling  0/3 nodes are available\n```\n\n## Cause 1\n\n{}\n\n{} Fix{}\n\n{}\n\n## Cause 2\n\n{}\n\n{} Fix{}\n\n{}\n"
PAIRS = {"The disk is full.": "Clean the disk.", "No node has enough memory.": "Add a node.", "The node is tainted.": "Remove the taint."}  # fmt: skip


@pytest.mark.parametrize(("mark", "numbers"), [("##", (" 1", " 2")), ("###", ("", "")), ("##", ("", ""))])
@pytest.mark.parametrize("first", ["The disk is full.", "No node has enough memory."])
def test_the_cause_and_the_fix_are_of_the_same_number(first: str, mark: str, numbers: tuple[str, str]):
    second = "The node is tainted."
    found = only(TAINTED.format(first, mark, numbers[0], PAIRS[first], second, mark, numbers[1], PAIRS[second]))
    assert PAIRS.get(found.root_cause or "") == found.fix
    assert [one for one in (first, second) if one not in found.sections["root_cause"]] == []
    assert [one for one in (PAIRS[first], PAIRS[second]) if one not in found.sections["fix"]] == []


def test_the_reason_of_something_else_does_not_stand_beside_the_root_cause():
    found = only(POSTMORTEM)
    assert "disk of the ledger was full" in (found.root_cause or "")
    assert "muted" not in found.sections.get("root_cause", "")


def test_causes_of_several_questions_do_not_stand_side_by_side():
    text = "# 账本常见问题\n\n导出的页为空怎么办？\n\n## 原因\n\n导出的页没有写入。\n\n## 解决办法\n\n先写入再导出。\n\n## 原因\n\n导出的端口被占用。\n\n## 解决办法\n\n更换端口。\n"
    for one in read_article(text.encode(), "a.md").incidents:
        assert "写入" not in one.sections.get("root_cause", "") or "端口" not in one.sections.get("root_cause", "")
