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
    "the list that its section announces, with what it says before": (
        (
            "# Ledger fails with `E-300`\n\n## Cause\n\nThe ledger answers with this code where no other code says more about the operation. Common underlying causes include:\n\n"
            "- The disk is full.\n- Another ledger holds the lock.\n- The page is damaged.\n\n## Solution\n\nExtend the disk.\n"
        ),
        "The ledger answers with this code where no other code says more about the operation. Common underlying causes include:\n- The disk is full.\n- Another ledger holds the lock.\n- The page is damaged.",
    ),
    "the list alone where its announcement says nothing more": (
        (
            "# The ledger cannot be installed\n\n## Cause\n\nThe possible reasons for this issue may be the following:\n\n"
            "- The installation file was damaged during the download.\n- The installation file was downloaded to a compressed folder.\n\n"
            "## Solution\n\nTo solve this issue, install the ledger from another folder.\n"
        ),
        "- The installation file was damaged during the download.\n- The installation file was downloaded to a compressed folder.",
    ),
    "the list without a long introduction": (
        (
            "# 账本日志为空\n\n## 原因分析\n\n账本启动失败，触发调度器重新分配页，在其他节点上启动。之后账本会继续重启。节点在一直变化，且日志内容为空。账本启动失败的可能原因有两个：\n\n"
            "- 由于提交的包中包含两个配置文件，导致账本启动异常。\n- 账本初始化时间超过了启动超时时间，导致账本被终止。\n\n## 解决办法\n\n重新打包，只保留一个配置文件。\n"
        ),
        "- 由于提交的包中包含两个配置文件，导致账本启动异常。\n- 账本初始化时间超过了启动超时时间，导致账本被终止。",
    ),
    "not for which other reasons it should not be done": (
        (
            "# Ledger reports `E-400`\n\n## Why does this happen?\n\nThe reason this is happening is that the ledger runs on its development server. This is not recommended, for other reasons such as:\n\n"
            "- Poor performance.\n- A long time to start.\n\n## Solution\n\nBuild the ledger for production.\n"
        ),
        "The reason this is happening is that the ledger runs on its development server.",
    ),
    "not what the cause causes": (
        (
            "# Ledger stops with `E-310`\n\n## Cause\n\nThe driver is too old, and this causes the following problems:\n\n"
            "- Lamps blink.\n- Pages are torn.\n- The queue stops.\n\n## Solution\n\nUpdate the driver.\n"
        ),
        "The driver is too old, and this causes the following problems:\n- Lamps blink.\n- Pages are torn.\n- The queue stops.",
    ),
    "not what is seen for this reason": (
        (
            "# Ledger stops with `E-320`\n\n## Cause\n\nThe driver is too old. You may see the following for this reason:\n\n"
            "- The lamp blinks.\n- The queue is paused.\n- A page is torn.\n\n## Solution\n\nUpdate the driver.\n"
        ),
        "The driver is too old.",
    ),
    "without what it fails": (
        "# E-500: 密码不能为空\n\n错误原因：在修改账本密码时需要提供原始密码用于确认。如果没有提供原始密码则报错。\n\n解决办法：修改账本密码时给出原始密码。\n",
        "在修改账本密码时需要提供原始密码用于确认。如果没有提供原始密码则报错。",
    ),
    "when it comes about, though its words lean to the fix": (
        "# 账本部署失败\n\n## 原因\n\n此页表中包含账本中不再存在的用户的配置。当您从另一个环境导入了账本备份，并且这些配置保留在账本中时会发生这种情况，尽管用户已被删除。\n\n## 解决方案\n\n删除这些配置。\n",
        "此页表中包含账本中不再存在的用户的配置。当您从另一个环境导入了账本备份，并且这些配置保留在账本中时会发生这种情况，尽管用户已被删除。",
    ),
    "not that the reader is to mend it when it happens": (
        (
            "# Ledger stuck while it opens a damaged page\n\n## Reason\n\nThe ledger cannot open a page that has a damaged head. The client then fails to start as a result of this.\n\n"
            "The ledger cannot fix this automatically. You will need to resolve this manually when this happens.\n\n## Solution\n\nRepair the page.\n"
        ),
        (
            "The ledger cannot open a page that has a damaged head. The client then fails to start as a result of this.\n"
            "The ledger cannot fix this automatically."
        ),
    ),
    "the list with an announcement that says more": (
        (
            "# Ledger reports `Unknown page`\n\n## Cause\n\nThe project holds no reference to the pages of the ledger, or the reference is broken, and the possible causes for the errors are these:\n\n"
            "- The pages have been updated, and the old ones were deleted. As a result, the pages do not exist.\n- The folder of the pages was removed because of old rights.\n\n## Solution\n\nUpdate the reference.\n"
        ),
        (
            "The project holds no reference to the pages of the ledger, or the reference is broken, and the possible causes for the errors are these:\n"
            "- The pages have been updated, and the old ones were deleted. As a result, the pages do not exist.\n- The folder of the pages was removed because of old rights."
        ),
    ),
    "each item of a list, though one begins like a step": (
        (
            "# 账本启动失败\n\n## 原因分析\n\n- 参数不合理，账本因系统资源不足，启动失败。\n- 由于部分节点状态不正常，导致账本启动失败。\n- 配置的端口已经被占用。\n- 页文件损坏。\n\n"
            "## 处理步骤\n\n修改参数，再启动账本。\n"
        ),
        "- 参数不合理，账本因系统资源不足，启动失败。\n- 由于部分节点状态不正常，导致账本启动失败。\n- 配置的端口已经被占用。\n- 页文件损坏。",
    ),
    "the last item of a list, though its words lean to the fix": (
        (
            "# Ledger does not start\n\n## Cause\n\nThe ledger is not installed correctly.\n\nThe reasons may be:\n\n- There is a typing error in the settings.\n"
            "- The version in the settings does not match the one that is installed.\n- The version that is set and installed is not one that the clients support.\n\n"
            "## Solution\n\nTo set the ledger up, read the manual.\n"
        ),
        (
            "The ledger is not installed correctly.\nThe reasons may be:\n- There is a typing error in the settings.\n- The version in the settings does not match the one that is installed.\n"
            "- The version that is set and installed is not one that the clients support."
        ),
    ),
    "no list with a step among its items": (
        "# 账本启动失败\n\n## 原因分析\n\n- 由于页已损坏，导致账本启动失败。\n- 删除失败的页，新建一个页。\n- 磁盘已满。\n\n## 处理步骤\n\n重建账本，再启动账本。\n",
        "由于页已损坏，导致账本启动失败。",
    ),
    "what is wrong of each item of a list with logs between": (
        (
            "# 账本客户端无法写入\n\n## 问题现象\n\n账本客户端启动后，无法写入页。\n\n## 原因分析\n\n1. 账本服务未启动或故障。查看账本日志：\n\n   ```\n   ledger: refused\n   ```\n\n"
            "2. 账本页未创建。查看账本日志，发现其中并没有创建页的信息：\n\n   ```\n   ledger: no page\n   ```\n\n## 解决办法\n\n启动账本服务，再创建账本页。\n"
        ),
        "1. 账本服务未启动或故障。\n2. 账本页未创建。",
    ),
    "a clear cause in an item, though it names a step": (
        (
            "# 账本切换超时\n\n## 问题根因\n\n1. 备份账本在写页时切换为主；业务线程迟迟无法退出导致第一次切换失败，账本会决策下一轮切换。\n"
            "2. 第一轮切换因为业务线程无法退出，造成 30 秒的耗时；第二轮重启切换，因为重启造成额外耗时；\n\n## 解决方案\n\n增加超时标志位，超过时间则退出线程。\n"
        ),
        (
            "1. 备份账本在写页时切换为主；业务线程迟迟无法退出导致第一次切换失败，账本会决策下一轮切换。\n"
            "2. 第一轮切换因为业务线程无法退出，造成 30 秒的耗时；第二轮重启切换，因为重启造成额外耗时；"
        ),
    ),
    "all that a heading of two names for it has": (
        (
            "# Ledger cannot get its pages\n\n## Description\n\nThe ledger shows no page.\n\n## Cause\\Possible Cause(s)\n\n1. The page cannot be found on the given path.\n"
            "1. The ledger has no permission for the folder of the pages.\n1. The ledger runs on a system without its engine. This is because the engine is not available there.\n\n"
            "## Solution\n\nMake sure that the path is correct and that the folder is accessible.\n"
        ),
        (
            "1. The page cannot be found on the given path.\n1. The ledger has no permission for the folder of the pages.\n"
            "1. The ledger runs on a system without its engine. This is because the engine is not available there."
        ),
    ),
    "with the sentence that it goes on from": (
        (
            '# Explanation of "Failed to update the table of pages"\n\nThe client may report the error while it opens the ledger.\n\n'
            "When the name resolves to a node of the core, everything will work fine. However, when the name resolves to a replica, the client will fail to connect "
            "as it cannot get the table of pages from that node.\n\nChange the entries of the names so that they include only nodes of the core.\n"
        ),
        (
            "When the name resolves to a node of the core, everything will work fine. However, when the name resolves to a replica, the client will fail to connect "
            "as it cannot get the table of pages from that node."
        ),
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
