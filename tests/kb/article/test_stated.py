"""What is quoted as the cause and the fix, and which traces are kept."""

import pytest

from kb.article import read_article
from kb.article.quotes.wording import bundled

TRACE = "a.b.OuterException: o\n\tat a.b.C.d(C.java:1)\n\tat a.b.C.e(C.java:2)\nCaused by: a.b.InnerException: i\n\tat a.b.D.f(D.java:3)\n\t... 1 more\n"
INNER = "Caused by: a.b.InnerException: i\n\tat a.b.D.f(D.java:3)\n"
OTHER = "Caused by: a.b.InnerException: i\n\tat a.b.X.other(X.java:9)\n"


def fence(*traces: str) -> str:
    return "\n\n".join(f"```\n{trace}```" for trace in traces)


TRACE_BLOCK = fence(TRACE)

STATED = {
    "the sentence that says why": (
        "## 原因\n\n查看了当天的日志。日志没有滚动，导致磁盘写满，服务停止。之后我们都回家了。",
        "日志没有滚动，导致磁盘写满，服务停止。",
        None,
    ),
    "a later sentence that says so": (
        "## Cause\n\nThe ledger failed at noon. The disk is full because nobody rotates its log.",
        "The disk is full because nobody rotates its log.",
        None,
    ),
    "the first of several steps": ("## Fix\n\n1. Free the disk.\n2. Restart it.", None, "Free the disk."),
    "short code that is announced": ("## Fix\n\nSet this:\n\n```\na.b=c\n```\n", None, "Set this:\n\n```\na.b=c\n```"),
    "code alone": ("## 解决\n\n```\nrm -rf logs\n```\n", None, "```\nrm -rf logs\n```"),
    "labels in a row, each a section": ("起因：磁盘满了\n主要原因：日志没有滚动", "磁盘满了", None),
    "workaround for want of a fix": ("## Workaround\n\nRestart it.", None, "Restart it."),
    "a fix before a workaround": ("## Workaround\n\nRestart it.\n\n## Fix\n\nUpgrade it.", None, "Upgrade it."),
    "actual before possible": (
        "## 可能原因\n\n- 网络断了。\n- 磁盘满了。\n\n## 原因分析\n\n由于没有人清理日志，导致磁盘写满。",
        "由于没有人清理日志，导致磁盘写满。",
        None,
    ),
    "in the middle of a story": (
        (
            "Last night the shop stood still and all of us came in. We looked at the queue, which was empty.\n\n"
            f"{TRACE_BLOCK}\n\nThe graphs were flat.\n\nIt turned out that the pool was exhausted because a job held every "
            "connection. We had some tea.\n\nTo fix this, we set a timeout of five seconds on the job. Then we went home."
        ),
        "It turned out that the pool was exhausted because a job held every connection.",
        "To fix this, we set a timeout of five seconds on the job.",
    ),
    "in the middle of a story, zh": (
        (
            f"昨天晚上服务停了，大家都来了。\n\n{TRACE_BLOCK}\n\n监控看起来很平。后来发现是因为导出任务占用了所有的连接，导致连接池耗尽。"
            "我们喝了茶。\n\n最后把导出任务的超时时间设置为 5 秒，问题解决。然后回家了。"
        ),
        "后来发现是因为导出任务占用了所有的连接，导致连接池耗尽。",
        "最后把导出任务的超时时间设置为 5 秒，问题解决。",
    ),
    "in passing": (
        "Some words.\n\nThe problem was the full disk.\n\nTo fix this, free it.",
        "The problem was the full disk.",
        "To fix this, free it.",
    ),
    "headings in other words": (
        "## Why it broke\n\nThe disk is full.\n\n## What we did about it\n\nFree it.",
        "The disk is full.",
        "Free it.",
    ),
    "nothing": ("Some words about a disk.", None, None),
    "to be added": ("## 解决方案\n\n待补充。", None, None),
    "a question": ("为什么磁盘满了？原因是什么？", None, None),
    "a link": ("## Fix\n\n[patch](https://x/y.zip)", None, None),
    "what did not help": ("We raised the heap to 8 GB, to no avail. Any idea would be welcome.", None, None),
    "what did not help, zh": ("把堆内存调到 8G，问题依旧。", None, None),
    "a step that did not help": (
        "To fix this, we raised the heap to 8 GB. It made no difference.",
        None,
        None,
    ),
    "code that did not help, zh": (
        "## 解决方法\n\n需要修改配置，把堆内存设置为 8G：\n\n```\nheap=8g\n```\n\n还是报错。\n\n后来关闭了会话。",
        None,
        "后来关闭了会话。",
    ),
    "nothing under its heading helped": ("## Fix\n\nRestarting it did not help.", None, None),
    "the version that has the fix is no cause": (
        "## Analysis\n\nThe parser was mended by its makers, fixed in 5.2.1.",
        None,
        "The parser was mended by its makers, fixed in 5.2.1.",
    ),
    "a known bug is one": (
        "## Analysis\n\nThis is a known bug of the parser, fixed in 5.2.1.",
        "This is a known bug of the parser",
        "fixed in 5.2.1.",
    ),
    "steps to reproduce": ("## Steps to reproduce\n\n1. Set `heap=8g`.\n2. Restart the server.", None, None),
    "steps to reproduce, zh": ("## 复现步骤\n\n1. 将堆内存设置为 8G。\n2. 重启服务。", None, None),
    "what went wrong besides": (
        "## Lessons learned\n\n### What went wrong\n\nThe phone was off because it was flat.\n\n## Root cause\n\nThe disk is full.",
        "The disk is full.",
        None,
    ),
    "improvements are no fix": ("## 改进措施\n\n增加压测。", None, None),
    "markup is the author's": (
        "## Cause\n\nThe **disk** of `node1` is full.",
        "The **disk** of `node1` is full.",
        None,
    ),
}


@pytest.mark.parametrize(("text", "cause", "fix"), STATED.values(), ids=STATED)
def test_stated(text: str, cause: str | None, fix: str | None):
    (one,) = read_article(f"# T\n\nIt stops.\n\n{text}\n".encode(), "x.md").incidents

    assert (cause, fix) == (one.root_cause, one.fix)


def test_what_else_was_in_vain_leaves_the_fix_before_it():
    text = "# Pods restart\n\nSet the heap to 4 GB to fix this. Before that we had raised the number of threads to 64, to no avail.\n"
    (incident,) = read_article(text.encode(), "x.md").incidents

    assert incident.fix == "Set the heap to 4 GB to fix this."


def test_names_count_among_the_words():
    """A name is one sign, ``#``, which also begins the remarks of the file of weights."""
    assert sum(gram.startswith("#") for gram in bundled()) > 20


KEPT = {
    "twice": (fence(TRACE, TRACE), [TRACE]),
    "other lines": (fence(TRACE, TRACE.replace(":1)", ":7)")), [TRACE]),
    "a cut that adds nothing": (fence(INNER, TRACE), [TRACE]),
    "a cut with frames of its own": (fence(TRACE, OTHER), [TRACE, OTHER]),
    "its head alone": (fence(TRACE, "a.b.OuterException: o\n"), [TRACE]),
    "named in a sentence": (f"We saw java.io.IOException: gone today.\n\n{fence(TRACE)}", [TRACE]),
    "quoted": ("\n".join("> " + line for line in TRACE.splitlines()), [TRACE]),
    "outside code": (f"It said:\n\n{TRACE}\nThen it stopped.", [TRACE]),
    "none": ("Nothing to see.", []),
}


@pytest.mark.parametrize(("text", "traces"), KEPT.values(), ids=KEPT)
def test_traces_are_kept_once(text: str, traces: list[str]):
    (one,) = read_article(f"# T\n\nIt stops.\n\n{text}\n".encode(), "x.md").incidents

    assert [[line.strip() for line in trace.splitlines()] for trace in traces] == [
        [line.strip() for line in trace.splitlines()] for trace in one.traces
    ]


def test_a_named_exception_counts_when_there_is_no_trace():
    (one,) = read_article(b"# T\n\nThe log says:\n\njava.io.IOException: disk gone\n", "x.md").incidents

    assert [chain.exceptions[0].type for chain in one.chains] == ["java.io.IOException"]


PLACED = {
    "a sentence": ("## 原因\n\n因为磁盘满了，服务停止。", "因为磁盘满了，服务停止。", "原因"),
    "after a label": ("Cause: the disk is full because nobody rotates it.", "the disk is full because nobody rotates it.", "Cause"),
    "behind quote marks": ("## Cause\n\n> The disk is full because nobody\n> rotates it.", "> The disk is full because nobody\n> rotates it.", "Cause"),
    "in passing": ("Some words.\n\nThe problem was the full disk.", "The problem was the full disk.", "T"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "quoted", "heading"), PLACED.values(), ids=PLACED)
def test_a_quotation_has_its_place(text: str, quoted: str, heading: str | None):
    document = f"# T\n\nIt stops.\n\n{text}\n"
    (one,) = read_article(document.encode(), "x.md").incidents
    (place,) = one.quotes["root_cause"]

    assert quoted == document[place.start : place.end]
    assert document[: place.start].count("\n") + 1 == place.line
    assert heading == place.heading
    assert "fix" not in one.quotes


def test_sentences_apart_are_two_places():
    document = "# T\n\n## Fix\n\nSet this:\n\n```\na.b=c\n```\n"
    (one,) = read_article(document.encode(), "x.md").incidents

    assert [document[place.start : place.end] for place in one.quotes["fix"]] == ["Set this:", "a.b=c"]
    assert [place.line for place in one.quotes["fix"]] == [5, 8]


def test_a_word_before_the_trace_is_no_symptom():
    text = f"# T\n\nLook here.\n\n{fence(TRACE)}\n\nSince noon the nightly export stops after an hour.\n"
    (one,) = read_article(text.encode(), "x.md").incidents

    assert one.symptom == "Look here.\nSince noon the nightly export stops after an hour."


APART = {
    "two clauses of one sentence": (
        "## 解决\n\n磁盘写满导致服务停止，只需要清理七天以前的日志即可。",
        "磁盘写满导致服务停止",
        "只需要清理七天以前的日志即可。",
    ),
    "a fix is no cause": (
        "It stops at night.\n\nTo fix this, upgrade the broker to 2.4.",
        None,
        "To fix this, upgrade the broker to 2.4.",
    ),
    "a wrong lead": (
        "## Cause\n\nAt first I thought the disk was full because the log was long. The lease expires because nobody renews it.",
        "The lease expires because nobody renews it.",
        None,
    ),
    "a wrong lead, zh": (
        "## 原因\n\n日志很长，导致我认为磁盘写满了。租约没有续期，导致节点下线。",
        "租约没有续期，导致节点下线。",
        None,
    ),
    "a wrong lead that turns": (
        "## Cause\n\nI thought the disk was full, but the lease expires because nobody renews it.",
        "I thought the disk was full, but the lease expires because nobody renews it.",
        None,
    ),
    "about messages in general": (
        "## Fix\n\nThis is a cryptic error message that you can get. Renew the lease every night.",
        None,
        "Renew the lease every night.",
    ),
    "what needs no change": (
        "## 解决\n\n日志使用默认配置即可，不需要修改。租约改为每晚续期。",
        None,
        "租约改为每晚续期。",
    ),
    "a fix and what needs no change": (
        "## Fix\n\nUpgrade to 2.4, no changes are needed.",
        None,
        "Upgrade to 2.4, no changes are needed.",
    ),
    "an announcement of nothing": (
        "## Fix\n\nRenew the lease every night. Run the following command:",
        None,
        "Renew the lease every night.",
    ),
}


@pytest.mark.parametrize(("text", "cause", "fix"), APART.values(), ids=APART.keys())
def test_what_is_neither_and_never_both(text: str, cause: str | None, fix: str | None) -> None:
    (one,) = read_article(f"# The broker stops\n\n{text}\n".encode(), "x.md").incidents
    assert (one.root_cause, one.fix) == (cause, fix)


@pytest.mark.parametrize(("title", "left"), [("Ledger FAQ", False), ("Ledger operations", True)])
def test_what_is_left_of_a_collection_is_no_incident(title: str, *, left: bool) -> None:
    told = "".join(f"## Start {n} fails\n\n**Cause:** the disk.\n\n**Solution:** swap it.\n\n" for n in "ab")
    more = "## Why does the ledger grow?\n\n" + "The ledger grows because every order adds a line to it. " * 6
    titles = [one.title for one in read_article(f"# {title}\n\n{told}{more}\n".encode(), "x.md").incidents]
    assert (title in titles, len(titles)) == (left, 2 + left)
