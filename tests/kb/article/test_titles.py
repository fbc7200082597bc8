"""What a document is called that no heading names: copied text, mails, posts of boards, documents of paragraphs alone."""

import pytest

from kb.article import read_article
from kb.article.formats import take_apart
from kb.article.naming import part_title
from kb.article.split.parts import DocumentPart

TRACE = "java.io.IOException: disk full\n\tat a.B.c(B.java:1)\n\tat a.B.d(B.java:2)\n"
TOLD = f"Since this morning no upload works:\n\n{TRACE}\nThe cause was a full disk.\n\nWe deleted the old logs, which solved it.\n"

COPIED = {
    "mail": ("From: ops@example.com\nSubject: Uploads fail with disk full\nDate: 2021-02-03\n\n", "Uploads fail with disk full"),
    "folded": ("Received: from mx1\n\tby mx2\nSubject: Uploads fail\n\n", "Uploads fail"),
    "forwarded": ("发件人: ops@example.com\n收件人: all@example.com\n主题：上传全部失败\n\n", "上传全部失败"),
    "board": ("作者: kevin0922 (凱文)\n看板: java\n標題: [問題] 上傳失敗 disk full\n時間: Tue Mar  5 21:14:02 2013\n\n", "[問題] 上傳失敗 disk full"),
    "one field": ("\nTitle: Uploads fail\n\n", "Uploads fail"),
    "blog": ('Skip to content\nHome\nBlog\nAbout\nSearch\nHow I fixed "disk full" on Alpine\nBy Jane Doe\nPosted on March 4, 2021\n5 min read\n\n', 'How I fixed "disk full" on Alpine'),
    "short title": ("Home\nDocs\n\nDisk full\nMarch 4, 2021\nFiled under operations and storage\n\n", "Disk full"),
    "words of a menu": ("Home\nBlog\nTags\n\nSearch indexing stopped, docs were gone\nPublished by the operations team of ACME\n\n", "Search indexing stopped, docs were gone"),
    "not by anybody": ("Home\nBlog\nBypassing the quota fails\n\n", "Bypassing the quota fails"),
    "one line": ("首页 博客 下载 学习 社区 GitCode InsCode\n搜索\n登录\n\n上传文件报 disk full 怎么解决？\n原创 码农小王 于 2021-03-08 14:22:17 发布 阅读量1.8w 收藏 23 点赞数 11\n\n", "上传文件报 disk full 怎么解决？"),
    "traditional": ("登錄\n註冊\n首頁\n記一次上傳全部失敗的問題\nIT小哥\n2022.03.14 10:21:35\n字數 512\n\n", "記一次上傳全部失敗的問題"),
}  # fmt: skip


@pytest.mark.parametrize(("top", "title"), COPIED.values(), ids=COPIED)
def test_what_stands_above_a_copied_article_is_no_title(top: str, title: str):
    article = read_article(f"{top}{TOLD}".encode(), "a.txt")

    assert article.title == title
    (one,) = article.incidents
    assert one.root_cause == "The cause was a full disk."


def test_an_article_begins_below_the_navigation():
    """What a reader of the page clicks on is neither a label nor a symptom; places still count in the whole text."""
    text = f"{COPIED['blog'][0]}{TOLD}"
    first, *_ = take_apart(text, "a.txt").blocks

    assert first.text.startswith("How I fixed")
    assert text[first.start :].startswith("How I fixed")


ARTICLES = {
    "an article": "Uploads fail with disk full\n\n",
    "one entry": "Login fails on every node\nHome of the users: /srv/home\n\n",
    "an entry as title": "Search\nacross all shops\n\n",
    "fields without a title": "Server: SRV-APP-02\nReported by: Helpdesk\n\n",
    "a field below words": "Uploads fail\nTitle: Mister\n\n",
    "a navigation below words": "Fails\nHome\nBlog\nUploads of the whole shop\n\n",
    "nothing but a navigation": "Home\nBlog\nSearch\n\n",
}


@pytest.mark.parametrize("top", ARTICLES.values(), ids=ARTICLES)
def test_the_first_line_is_the_title_of_any_other_text(top: str):
    assert read_article(f"{top}{TOLD}".encode(), "a.txt").title == top.split("\n", maxsplit=1)[0]


UNMARKED = {
    "a line": ("<p>Uploads stop when the disk is full</p>", "Uploads stop when the disk is full"),
    "chinese": ("<p>磁盘写满后上传全部失败</p>", "磁盘写满后上传全部失败"),
    "bold": ("<p><b>Uploads stop</b></p>", "Uploads stop"),
    "a sentence": ("<p>Uploads stop when the disk is full.</p>", "java.io.IOException: disk full"),
    "an announcement": ("<p>上传时报如下异常：</p>", "java.io.IOException: disk full"),
    "two lines": ("<p>Uploads stop<br>all day</p>", "java.io.IOException: disk full"),
    "a log": ("<p>2024-05-03 10:00:00 WARN Upload - slow</p>", "java.io.IOException: disk full"),
    "an item": ("<ul><li>Uploads stop</li></ul>", "java.io.IOException: disk full"),
    "tags": ("<p>#incident #upload</p>", "java.io.IOException: disk full"),
    "an address": ("<p>https://wiki.example.com/uploads</p>", "java.io.IOException: disk full"),
    "long": (f"<p>{'disk ' * 40}</p>", "java.io.IOException: disk full"),
}


@pytest.mark.parametrize(("first", "title"), UNMARKED.values(), ids=UNMARKED)
def test_a_page_without_a_heading(first: str, title: str):
    """As word processors write it: its first paragraph is a title when it looks like one, else the trace gives it."""
    page = f"<html><body>{first}<p>It says:</p><pre>{TRACE}</pre></body></html>"

    assert read_article(page.encode(), "a.html").title == title


def test_a_picture_is_no_title():
    text = f"![a screen](a.png)\n\n```\n{TRACE}```\n"

    assert read_article(text.encode(), "a.md").title == "java.io.IOException: disk full"


def test_no_frame_is_a_title():
    page = f"<html><body><p>Uploads stop.</p><pre>{TRACE.split(chr(10), 1)[1]}</pre></body></html>"

    assert read_article(page.encode(), "a.html").title == "Uploads stop."


ERROR = "```\n2021-02-03 10:00:00,123 ERROR [main] Access denied for user alice\n```\n"
LOGGED = "Access denied for user alice"
POINTING = {
    "某一节点上出现如下问题": f"某一节点上出现如下问题: {LOGGED} — Uploads",
    "查询执行失败，报错信息如下。": f"查询执行失败，报错信息如下: {LOGGED} — Uploads",
    "查询时出现以下报错，如何处理？": f"查询时出现以下报错，如何处理？: {LOGGED} — Uploads",
    "The log of the upload is as follows:": f"The log of the upload is as follows: {LOGGED} — Uploads",
    "Problem description": f"{LOGGED} — Uploads",
    "Question 3": f"{LOGGED} — Uploads",
    "Step 2": f"{LOGGED} — Uploads",
    "Scenario 1:": f"{LOGGED} — Uploads",
    "场景二": f"{LOGGED} — Uploads",
    "Error 8133": "Error 8133 — Uploads",
    "Step 2 fails with code 7": "Step 2 fails with code 7 — Uploads",
}


@pytest.mark.parametrize(("words", "title"), POINTING.items(), ids=POINTING)
def test_a_heading_that_points_at_nothing_gets_the_error(words: str, title: str):
    part = DocumentPart(words, words, tuple(take_apart(ERROR, "a.md").blocks), (0, 0))

    assert part_title(part, (), "Uploads") == title


def test_a_title_that_points_at_nothing_is_the_innermost_message():
    """The page's own name stands where there is one."""
    trace = f"{TRACE}Caused by: java.nio.file.FileSystemException: no space left\n\tat a.B.c(B.java:1)\n"
    text = f"# Problem description\n\n```\n{trace}```\n\n## Solution\n\nDelete old logs.\n"

    (incident,) = read_article(text.encode(), "a.md").incidents

    assert incident.title == "FileSystemException: no space left"
    assert read_article(b"# Question 3\n\nUploads fail, nobody knows why.\n", "a.md").title == "Question 3"


LOGGED = {
    "a line of a log": (
        "2024-05-01 10:00:00,123 ERROR [main] c.a.Ledger - cannot open the ledger",
        "cannot open the ledger",
    ),
    "words and a line of a log": (
        "账本报错: 2024-05-01 10:00:00,123 ERROR [main] - cannot open the ledger",
        "账本报错: cannot open the ledger",
    ),
    "a cause of a trace": ("Caused by: java.io.IOException: disk full", "java.io.IOException: disk full"),
    "an announcement of the error": ("The ledger shows the following words:", "The ledger shows the following words:"),
    "the date of a post": ("2024-05-01, the ledger cannot be opened", "2024-05-01, the ledger cannot be opened"),
}


@pytest.mark.parametrize(("stated", "title"), LOGGED.values(), ids=LOGGED)
def test_a_title_is_no_line_of_a_log(stated: str, title: str) -> None:
    """What a logger writes before its message goes; a trace of the document would say it better."""
    (one,) = read_article(f"# {stated}\n\nThe disk was full.\n\nSolution: add one.\n".encode(), "x.md").incidents
    assert one.title == title


def test_a_problem_without_words_is_called_by_its_error() -> None:
    """Not by the name of the section that comes next."""
    problems = "".join(
        f"## 错误{n}\n\n```\nledger {n} failed to open its file\n```\n\n### 解决方案\n\n重启账本。\n\n" for n in (1, 2)
    )
    titles = [one.title for one in read_article(f"# 解决账本错误\n\n{problems}".encode(), "x.md").incidents]
    assert titles == [f"ledger {n} failed to open its file — 解决账本错误" for n in (1, 2)]


def test_a_long_error_is_cut_between_words() -> None:
    """The first line of a trace stands for a title that the document does not have."""
    error = f"java.io.IOException: {'disk full of ledgers, ' * 12}"
    trace = f"{error}\n\tat a.b.Ledger.open(Ledger.java:1)\n\tat a.b.Ledger.main(Ledger.java:2)"
    (one,) = read_article(
        f"It stops.\n\n```\n{trace}\n```\n\nThe disk was full, so add one.\n".encode(), "x.md"
    ).incidents
    assert one.title.endswith("…")
    assert error.startswith(f"{one.title.removesuffix('…')} ")


NAMELESS = """# Install the ledger

## 报错1

```
$ ledger start
ledger: cannot open its file
```

原因：

磁盘已满，所以账本打不开文件。

解决：

增加磁盘。

## 报错 2

```
ledger: connection refused
```

原因：端口没有打开。

解决：打开端口。
"""


def test_a_numbered_error_is_called_by_what_its_code_says() -> None:
    """Not by the label below it, nor by its cause."""
    titles = [one.title for one in read_article(NAMELESS.encode(), "x.md").incidents]
    assert titles == [f"ledger: {said} — Install the ledger" for said in ("cannot open its file", "connection refused")]


CODED = {
    "a message": ("OS-TILL-0013", "## Error message\n\n`Cannot open the drawer of till 7.`\n\n", "OS-TILL-0013: Cannot open the drawer of till 7."),
    "a trace": ("ORA-01017", f"## Error\n\n```\n{TRACE}```\n\n", "ORA-01017: IOException: disk full"),
    "nothing": ("OS-TILL-0013", "## Error message\n\nIt is on the printer.\n\n", "OS-TILL-0013"),
    "words": ("OS-TILL-0013 till stops", f"## Error\n\n```\n{TRACE}```\n\n", "OS-TILL-0013 till stops"),
}  # fmt: skip


@pytest.mark.parametrize(("stated", "shown", "title"), CODED.values(), ids=CODED)
def test_a_code_alone_comes_with_its_error(stated: str, shown: str, title: str) -> None:
    text = f"# {stated}\n\n{shown}## Cause\n\nThe drawer is blocked.\n\n## Fix\n\nClear it.\n"
    (one,) = read_article(text.encode(), "x.md").incidents
    assert one.title == title


def test_an_error_says_more_than_words_below_a_heading_that_says_nothing() -> None:
    part = DocumentPart(
        "编译报错 2",
        "",
        tuple(take_apart("升级以后总是这样。\n\n```\nledger: cannot open its file\n```\n", "a.md").blocks),
        (0, 0),
    )
    assert part_title(part, (), "Ledger") == "编译报错 2: ledger: cannot open its file — Ledger"
