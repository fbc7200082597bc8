"""Traces that nothing marks as code are read as in a fenced block: head, message and frames belong together."""

import html

import pytest

from kb.article import read_article
from kb.article.formats import take_apart
from kb.article.traces import all_traces
from kb.incident import Incident
from kb.tracker import Tracker, incidents_of_record

JVM = "\n\tat com.acme.shop.Cart.total(Cart.java:41)\n\tat com.acme.shop.Main.main(Main.java:12)"
PY = 'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n    '

TRACES = {
    "thread": (f'Exception in thread "main" java.lang.UnsatisfiedLinkError: no net in java.library.path{JVM}', ["java.lang.UnsatisfiedLinkError"]),
    "no message": (f'Exception in thread "main" java.lang.StackOverflowError{JVM}', ["java.lang.StackOverflowError"]),
    "words before": (f"Error running job: java.io.IOException: disk full{JVM}", ["java.io.IOException"]),
    "chinese": (f"java.sql.SQLException: 无法连接到数据库{JVM}", ["java.sql.SQLException"]),
    "chinese cause": (f"java.lang.RuntimeException: 处理失败{JVM}\nCaused by: java.io.IOException: 磁盘空间不足{JVM}", ["java.lang.RuntimeException", "java.io.IOException"]),
    "two lines": (f"org.hibernate.exception.SQLGrammarException: could not extract ResultSet\nPosition: 15{JVM}", ["org.hibernate.exception.SQLGrammarException"]),
    "python": (f"{PY}main()\nFileNotFoundError: No such file or directory: 'x'", ["FileNotFoundError"]),
    "node": ("Error: Cannot find module 'express'\nRequire stack:\n- /app/index.js\n    at Function.Module._load (internal/modules/cjs/loader.js:725:27)", ["Error"]),
    "browser": ("Uncaught TypeError: Cannot read properties of undefined (reading 'map')\n    at List (list.js:12:20)", ["TypeError"]),
    "dotnet": ("Unhandled exception. System.NullReferenceException: Object reference not set.\n   at Acme.Shop.Cart.Total() in C:\\src\\Cart.cs:line 41", ["System.NullReferenceException"]),
    "dotnet framework": ("Unhandled Exception: System.IO.FileNotFoundException: Could not find file.\n   at Acme.Program.Main(String[] args)", ["System.IO.FileNotFoundException"]),
}  # fmt: skip
INDENTED = {
    "python, chinese": (f'{PY}读取("x")\nValueError: 文件不存在：请检查路径', ["ValueError"]),
    "python, chained": (f"{PY}main()\nKeyError: 'a'\n\nDuring handling of the above exception, another exception occurred:\n\n{PY}fail()\nRuntimeError: no a", ["RuntimeError", "KeyError"]),
}  # fmt: skip
"""Whose indentation says what belongs to what: a page that sets each line in a paragraph has lost it."""


def types(incidents: tuple[Incident, ...]) -> list[list[str | None]]:
    return [[raised.type for raised in chain.exceptions] for one in incidents for chain in one.chains]


def read(text: str, name: str) -> tuple[Incident, ...]:
    return read_article(text.encode(), name).incidents


def mailed(text: str) -> tuple[Incident, ...]:
    mail = {"subject": "The shop is down", "from": "a@example.com", "date": "2024-05-03", "text": text}
    return incidents_of_record({"messages": [mail]}, Tracker.MBOX, "a.mbox")


TEXTS = {
    "apart": "The shop is down\n\nThe job failed at night:\n\n{}\n\nThe cause was an old library.\n",
    "together": "The shop is down\nThe job failed at night:\n{}\nThe cause was an old library.\n",
    "chinese": "商城挂了\n\n今天凌晨任务失败，日志如下：\n\n{}\n\n原因是库的版本太旧，升级后解决。\n",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize(("trace", "expected"), (TRACES | INDENTED).values(), ids=TRACES | INDENTED)
def test_a_trace_in_plain_text(trace: str, expected: list[str], text: str):
    assert types(read(text.format(trace), "a.txt")) == [expected]


@pytest.mark.parametrize(("trace", "expected"), (TRACES | INDENTED).values(), ids=TRACES | INDENTED)
def test_a_trace_in_a_mail(trace: str, expected: list[str]):
    assert types(mailed(f"The job failed at night:\n\n{trace}\n\nAny idea?\n")) == [expected]


@pytest.mark.parametrize(("trace", "expected"), TRACES.values(), ids=TRACES)
def test_a_trace_with_each_line_in_a_paragraph(trace: str, expected: list[str]):
    lines = "".join(f"<p>{html.escape(line)}</p>" for line in ("The job failed:", *trace.split("\n"), "It is old."))

    assert types(read(f"<html><body><h1>The shop is down</h1>{lines}</body></html>", "a.html")) == [expected]


@pytest.mark.parametrize(
    ("announced", "cause"),
    [("Root cause", "The pool is too small."), ("二、产生原因", "连接池太小，导致请求排队。")],
    ids=["en", "zh"],
)
def test_a_trace_ends_at_a_heading_about_something_else(announced: str, cause: str):
    """Else the words between an exception that is named and frames below would be its message, and no cause."""
    text = f"The shop is down\n\nIt logs this:\n\njava.io.IOException: disk full\n\n{announced}\n\n{cause}\n\nThe log:{JVM}\n"
    (one,) = read(text, "a.txt")

    assert types((one,)) == [["java.io.IOException"], [None]]
    assert len(all_traces(take_apart(text, "a.txt"))) == 2
    assert one.root_cause == cause


def test_a_trace_goes_on_below_any_other_short_line():
    text = f"The shop is down\n\nIt logs this:\n\njava.io.IOException: disk full\n\nServer stack trace{JVM}\n"

    assert types(read(text, "a.txt")) == [["java.io.IOException"]]


def found(text: str, name: str) -> list[tuple[str | None, bool]]:
    """The type of each trace, and whether it is a mention."""
    return [(one.chain.exceptions[0].type, one.is_mention) for one in all_traces(take_apart(text, name))]


def test_a_line_that_is_a_message_alone():
    """No trace begins there, but alone it names its exception; it is shown, not mentioned."""
    lines = ("The shop is down", "[ERROR] x.y.FooException: bar", f"And later:\n\njava.io.IOException: full{JVM}")

    assert found("\n\n".join(lines), "a.txt") == [("x.y.FooException", False), ("java.io.IOException", False)]


def test_an_error_in_words_is_a_mention_beside_code():
    lines = ("The shop is down", "ORA-00600: internal error, it said.", "2024-05-03 10:00:00 INFO up")

    assert found("\n\n".join(lines), "a.txt") == [("ORA-00600", True)]
    assert found("\n\n".join(reversed(lines)), "a.txt") == [("ORA-00600", True)]


def test_marked_code_between_guesses():
    """Each once, in order, and none of them reaches into another."""
    lines = "<p>java.lang.{}: bar</p><p>at a.B.c(B.java:1)</p><p>It says:</p>"
    trace = f"<pre>java.io.IOException: full{JVM}</pre>"
    page = f"<html><body>{lines.format('AException')}{trace}{lines.format('BException')}</body></html>"

    assert [name for name, _ in found(page, "a.html")] == [
        "java.lang.AException",
        "java.io.IOException",
        "java.lang.BException",
    ]


def test_traces_stand_where_they_say():
    """Before, between and behind quotations, whose marks are no part of a trace."""
    quoted = "> > Is it this?\n> java.lang.IllegalStateException: closed\n> \tat a.b.C.d(C.java:1)\n"
    text = f"The shop is down\n\n{quoted}\nNo:\n\njava.io.IOException: disk full{JVM}\n\n{quoted.replace('State', 'Access')}"
    places = [one.place for one in all_traces(take_apart(text, "a.txt"))]

    assert [text[place:].split(":", 1)[0] for place in places] == [
        "java.lang.IllegalStateException",
        "java.io.IOException",
        "java.lang.IllegalAccessException",
    ]
