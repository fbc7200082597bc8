"""What is quoted as the cause and the fix, and which traces are kept."""

import pytest

from kb.article import read_article

TRACE = "a.b.OuterException: o\n\tat a.b.C.d(C.java:1)\n\tat a.b.C.e(C.java:2)\nCaused by: a.b.InnerException: i\n\tat a.b.D.f(D.java:3)\n\t... 1 more\n"
INNER = "Caused by: a.b.InnerException: i\n\tat a.b.D.f(D.java:3)\n"
OTHER = "Caused by: a.b.InnerException: i\n\tat a.b.X.other(X.java:9)\n"


def fence(*traces: str) -> str:
    return "\n\n".join(f"```\n{trace}```" for trace in traces)


STATED = {
    "first sentence of the section": (
        "## 原因\n\n磁盘满了。今天天气很好，我们去了公园，看见许多花，还看见许多树，回来的时候已经很晚了，大家都很累。",
        "磁盘满了。",
        None,
    ),
    "a later sentence that says so": (
        "## Cause\n\nThe log was long. The disk is full because nobody rotates it.",
        "The disk is full because nobody rotates it.",
        None,
    ),
    "items belong together": ("## Fix\n\n1. Free the disk.\n2. Restart it.", None, "Free the disk.\nRestart it."),
    "short code that is announced": ("## Fix\n\nSet this:\n\n```\na.b=c\n```\n", None, "Set this:\na.b=c"),
    "code alone": ("## 解决\n\n```\nrm -rf logs\n```\n", None, "rm -rf logs"),
    "labels in a row": ("起因：磁盘满了\n主要原因：日志没有滚动", "磁盘满了\n日志没有滚动", None),
    "workaround for want of a fix": ("## Workaround\n\nRestart it.", None, "Restart it."),
    "a fix before a workaround": ("## Workaround\n\nRestart it.\n\n## Fix\n\nUpgrade it.", None, "Upgrade it."),
    "actual before possible": ("## 可能原因\n\n网络断了。\n\n## 原因分析\n\n磁盘满了。", "磁盘满了。", None),
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
