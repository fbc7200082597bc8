"""What belongs to a cause beside the sentence that states it: its reasons, the list it is of, the other causes that a page numbers."""

import re

import pytest

from kb.article import read_article

_BULLETS = re.compile(r"^(?:- |\d\. )", re.MULTILINE)

ROWS = {
    "what the paragraph goes on to explain": (
        (
            "# Ledger fails with `E-100`\n\n## Cause\n\nThe ledger changed its default mode. Previously, the mode was `safe`, while now it is `fast`.\n\n"
            "## Solution\n\nSet the mode to `safe`.\n"
        ),
        "The ledger changed its default mode. Previously, the mode was `safe`, while now it is `fast`.",
    ),
    "what its section says first": (
        "# 账本写入失败\n\n## 原因分析\n\n账本限制了单页条目的个数，最多 1000 条。\n\n当条目超出 1000 条时，写入会失败。\n\n## 解决办法\n\n减少条目。\n",
        "账本限制了单页条目的个数，最多 1000 条。\n当条目超出 1000 条时，写入会失败。",
    ),
    "what leads to it, not what comes of it": (
        (
            "# Ledger loses pages\n\n## Cause\n\nThe ledger renews its pages from a source. The default source is on the Internet. "
            "Because the host has no public address, the ledger cannot reach it. Figure 3 shows the source.\n\n## Solution\n\nSet an internal source.\n"
        ),
        "The ledger renews its pages from a source. The default source is on the Internet. Because the host has no public address, the ledger cannot reach it.",
    ),
    "the causes that a sentence names": (
        (
            "# Ledger reports `E-200`\n\n## Cause\n\nThe remote ledger returned an error. Common causes include expired keys, missing pages, or a full disk.\n\n"
            "## Solution\n\nReview the code.\n"
        ),
        "The remote ledger returned an error. Common causes include expired keys, missing pages, or a full disk.",
    ),
    "the items of a numbered list": (
        (
            "# Ledger fails with `E-100`\n\n## Possible causes\n\n1. The disk is full.\n2. The port is taken by another ledger.\n\n"
            "## Solution\n\nExtend the disk, or change the port.\n"
        ),
        "1. The disk is full.\n2. The port is taken by another ledger.",
    ),
    "one item without its number": (
        "# Ledger fails with `E-100`\n\n## Cause\n\n1. The disk is full because of old pages.\n\n## Solution\n\nExtend the disk.\n",
        "The disk is full because of old pages.",
    ),
    "not what points at the cause": (
        (
            "# 账本报错 E-100\n\n网上说账本页重复会报错。我对照了自己的账本，没有重复的页，但是原因肯定是这个。\n\n账本的两个索引都定义了 page 字段。所以引发了上述错误。\n\n"
            "删除其中一个索引即可。\n"
        ),
        "账本的两个索引都定义了 page 字段。所以引发了上述错误。",
    ),
    "not what tells the reader to look": (
        "# Ledger fails with `E-100`\n\n## Cause\n\nThe error occurs because the disk is full. Figure 2 shows the disk.\n\n## Solution\n\nExtend the disk.\n",
        "The error occurs because the disk is full.",
    ),
    "not where to click": (
        "# Ledger fails with `E-100`\n\n## Cause\n\nThe error occurs because the disk is full. Click **Disks** to see it.\n\n## Solution\n\nExtend the disk.\n",
        "The error occurs because the disk is full.",
    ),
    "what it concludes from": (
        "# 账本启动失败\n\n账本启动时要读取索引文件，但是索引文件不在数据目录中。所以导致账本启动失败。\n\n## 解决办法\n\n重建索引文件。\n",
        "账本启动时要读取索引文件，但是索引文件不在数据目录中。所以导致账本启动失败。",
    ),
    "each of the causes that a page numbers": (
        "# 账本启动失败\n\n## 可能原因1\n\n账本的索引没有初始化。\n\n## 可能原因2\n\n账本的端口被占用，导致无法启动。\n\n## 解决办法\n\n初始化索引，更换端口。\n",
        "1. 账本的索引没有初始化。\n2. 账本的端口被占用，导致无法启动。",
    ),
    "the cause of the same number as the fix": (
        (
            "# 账本启动失败\n\n## 可能原因1\n\n账本的索引没有初始化。\n\n## 处理步骤1\n\n看看日志。\n\n## 可能原因2\n\n账本的端口被占用，导致无法启动。\n\n"
            "## 处理步骤2\n\n修改端口即可解决。\n"
        ),
        "账本的端口被占用，导致无法启动。",
    ),
    "the list that is announced": (
        "# 账本下单失败如何处理？\n\n以下情况都会造成下单失败：\n\n- 账本已过期。\n- 账本没有余额。\n\n如果出现以上错误提示，请根据提示调整账本。\n",
        "- 账本已过期。\n- 账本没有余额。",
    ),
    "what an answer says before what to do": (
        (
            '# FAQ\n\n## How to solve the error "ledger not initialized"?\n\nThe ledger relies on file descriptors. It is required that there are four for each core. '
            'You can increase the limit through `ulimit`.\n\n## How to solve the error "ledger is locked"?\n\nThe ledger keeps one lock for each user. '
            "You can remove the lock file.\n"
        ),
        "The ledger relies on file descriptors. It is required that there are four for each core.",
    ),
    "what an answer says before it": (
        (
            "# `E-300` in the log of the ledger\n\nThe ledger keeps the paths of a new host for 30 seconds. "
            "This error occurs because the host does not respond in that time.\n\n## Solution\n\nRestart the host.\n"
        ),
        "The ledger keeps the paths of a new host for 30 seconds. This error occurs because the host does not respond in that time.",
    ),
    "not the failure that an answer tells again": (
        (
            "# `E-300` in the log of the ledger\n\nThe ledger fails and reports that it cannot start. "
            "This error occurs because the disk is full.\n\n## Solution\n\nExtend the disk.\n"
        ),
        "This error occurs because the disk is full.",
    ),
    "what stands between the cause and the fix": (
        (
            "# What do I do if the ledger fails to start?\n\nThe possible cause is that the runtime is incompatible with the ledger. The runtime must be 1.8. "
            "You are advised to install the runtime again.\n"
        ),
        "The possible cause is that the runtime is incompatible with the ledger. The runtime must be 1.8.",
    ),
    "what an answer says to a title that only names the failure": (
        (
            "# Running the ledger on two cards, got `LedgerInitFailed` error message\n\nA: Each card keeps 300M of memory for each ledger. "
            "You can set `ledger_memory_max_size` to reduce it.\n"
        ),
        "Each card keeps 300M of memory for each ledger.",
    ),
    "nothing where an answer begins with a check": (
        (
            "# What do I do if the ledger reports that a rule is missing?\n\nFirst compare whether the tables have the same form. "
            "You can add the index that is missing.\n"
        ),
        None,
    ),
    "nothing where nothing fails": (
        "# How do I rename a ledger?\n\nA ledger has a name and a number. You can rename it in its settings.\n",
        None,
    ),
    "nothing where yes or no is asked": (
        "# 账本常见问题\n\n## 账本是否支持扩容和迁移失败后的恢复？\n\n不支持扩容。由于账本有备份，支持恢复。\n\n## 账本丢失后可以找回吗？\n\n无法找回，因为账本没有备份。\n",
        None,
    ),
    "what a question whether something fails asks, where it asks why, too": (
        "# 账本为什么会报错 E-100，是否支持恢复？\n\n因为账本的端口被占用，所以会报错。\n\n## 解决办法\n\n更换端口。\n",
        "因为账本的端口被占用，所以会报错。",
    ),
    "not where it does not happen": (
        (
            "# Downloads of the ledger fail\n\nA download stops in the middle with `E-100`.\n\nIt is closely associated with the memory map of the ledger, because the map is too large.\n\n"
            "This problem does not seem to occur when using another server.\n"
        ),
        "It is closely associated with the memory map of the ledger, because the map is too large.",
    ),
    "every item of a list in its section": (
        (
            "# Ledger does not start\n\n## Cause\n\n- The disk is slow.\n- The port is taken by another ledger because nobody stopped it.\n- The index is torn.\n\n"
            "## Solution\n\nStart it with another port.\n"
        ),
        "- The disk is slow.\n- The port is taken by another ledger because nobody stopped it.\n- The index is torn.",
    ),
    "every item of a list in its section, zh": (
        "# 账本无法启动\n\n## 产生原因\n\n- 索引文件损坏。\n- 端口被占用，导致账本无法启动。\n- 磁盘写满。\n\n## 解决办法\n\n更换端口。\n",
        "- 索引文件损坏。\n- 端口被占用，导致账本无法启动。\n- 磁盘写满。",
    ),
    "not the steps of an analysis": (
        (
            "# 账本无法启动\n\n## 原因分析\n\n1. 登录主机，查看账本的日志，发现如下信息：\n\n2. 由于端口被占用，导致账本无法启动。\n\n## 解决办法\n\n更换端口。\n"
        ),
        "由于端口被占用，导致账本无法启动。",
    ),
    "what its section goes on to say in another paragraph": (
        (
            "# Ledger is closed\n\n## Cause\n\nThe ledger hides its pages from the index. Pages that are hidden are not counted when the book is closed.\n\n"
            "The book then closes with fewer pages than it was opened with.\n\nSet `hide=off` and open the book again.\n\n## Solution\n\nSet `hide=off`.\n"
        ),
        (
            "The ledger hides its pages from the index. Pages that are hidden are not counted when the book is closed.\n"
            "The book then closes with fewer pages than it was opened with."
        ),
    ),
    "what cannot be done is no step": (
        "# Ledger refuses a page\n\n## Cause\n\nThe ledger has all of its 20 pages. You can't add more pages.\n\n## Solution\n\nOpen a second ledger.\n",
        "The ledger has all of its 20 pages. You can't add more pages.",
    ),
    "when it happens": (
        (
            "# Ledger fails with `E-100`\n\n## Cause\n\nThis error occurs because the page is wrong. It may occur when you use the `page` command alone.\n\n"
            "## Solution\n\nUse it with `open`.\n"
        ),
        "This error occurs because the page is wrong. It may occur when you use the `page` command alone.",
    ),
    "what comes of it": (
        (
            "# Ledger is not shown\n\nThe ledger and its page are in two networks, because the page was moved. As a result, the ledger fails to be shown.\n\n"
            "To solve this problem, move the page back.\n"
        ),
        "The ledger and its page are in two networks, because the page was moved. As a result, the ledger fails to be shown.",
    ),
    "under which condition": (
        (
            "# 账本同步常见问题\n\n## 同步时为什么会报编码不一致？\n\n从 2.0 版本开始，由于编码的默认值改为 `new`。若两边账本的编码不一致，同步会报错。\n\n将两边的编码设置为 `new` 即可解决。\n\n"
            "## 同步时为什么会很慢？\n\n因为账本太大。\n\n拆分账本即可解决。\n"
        ),
        "从 2.0 版本开始，由于编码的默认值改为 `new`。若两边账本的编码不一致，同步会报错。",
    ),
    "a list behind what a state indicates": (
        (
            "# Why is my ledger stuck in `Opening`?\n\n**A**: Ledgers in this state typically indicate:\n\n- **Index**: a new index is being written\n- **Lock**: another ledger holds the lock\n\n"
            "Look at the events of the ledger and remove the lock.\n"
        ),
        "- **Index**: a new index is being written\n- **Lock**: another ledger holds the lock",
    ),
    "the clause before what to do, where the title asks why": (
        "# 删除账本时，为什么提示被占用？\n\n您的账本创建过副本，需要先删除副本才可以删除账本。\n",
        "您的账本创建过副本",
    ),
    "what an answer says first": (
        (
            "# FAQ\n\n## What should I do if the ledger cannot find its library?\n\nA: It's probably due to a missing library of the ledger. Writing pages needs that library, hence you may need to install `ledger-lib`.\n\n"
            "## What should I do if the ledger is slow?\n\nA: It is caused by its index. You can drop the index.\n"
        ),
        "It's probably due to a missing library of the ledger.",
    ),
    "nothing that a page says of itself": (
        "# 账本安装时报错 E-100\n\n本文修复了安装账本时出现的错误。\n\n```\nE-100 in ledger\n```\n\n## 解决方案\n\n重新安装账本。\n",
        None,
    ),
    "nothing with which a story begins": (
        "# 账本停止写入\n\n最近线上遇到一个问题：账本写入一天之后就会停止。\n\n## 解决方案\n\n增加一个定时任务，每天重启账本。\n",
        None,
    ),
    "nothing that points back": (
        "# 页面无法访问\n\n## 问题定位\n\n如果只有样式文件报错，一般就是引入的路径错误。\n\n我就是这个错误。\n\n## 解决方案\n\n把路径改为 `./`。\n",
        "如果只有样式文件报错，一般就是引入的路径错误。",
    ),
    "what is wrong when the error comes": (
        (
            "# `E-100`: page too large\n\nWhen a page exceeds the limit of the ledger, an `E-100` error is reported, as shown below:\n\n```\nE-100 in page 7\n```\n\n"
            "When you meet it, split the page.\n"
        ),
        "When a page exceeds the limit of the ledger, an `E-100` error is reported, as shown below:",
    ),
    "why, where nothing says what to do": (
        "# What should I do if an error message `libledger.so` not found is displayed?\n\nA: The reason is that we didn't set `--with-ledger` when installing the index.\n",
        "The reason is that we didn't set `--with-ledger` when installing the index.",
    ),
    "nothing that the author does not know": (
        "# 账本签名失败\n\n不知道是否是两台机器同时操作，会导致一方失效。\n\n```\nledger: signing failed: no terminal\n```\n\n## 解决办法\n\n设置终端变量。\n",
        None,
    ),
}


@pytest.mark.parametrize(("text", "cause"), ROWS.values(), ids=ROWS)
def test_the_whole_cause(text: str, cause: str | None) -> None:
    """Each row's first incident, and its places, which show the cause letter by letter, but for the bullets and numbers of lists."""
    first = read_article(text.encode(), "ledger.md").incidents[0]
    assert first.root_cause == cause
    places = first.quotes.get("root_cause", ())
    bare = _BULLETS.sub("", cause or "")
    shown = (_BULLETS.sub("", text[one.start : one.end]) for one in places)
    assert "".join("".join(one.split()) for one in shown) == "".join(bare.split())
