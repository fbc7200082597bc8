"""Python tracebacks in the shapes in which they are pasted."""

import pytest

from kb.trace import Relation, parse
from tests.kb.trace.reading import only

PLAIN = 'Traceback (most recent call last):\n  File "/app/m.py", line 9, in main\n    f(x)\n  File "/app/m.py", line 3, in f\n    g(x)\n    ^^^^\nTypeError: t 7\n'


def test_the_raise_point_comes_first() -> None:
    chain = only(PLAIN)
    assert [(f.module, f.function, f.filename, f.lineno) for f in chain.exceptions[0].stack.frames] == [
        ("m", "f", "/app/m.py", 3),
        ("m", "main", "/app/m.py", 9),
    ]
    assert (chain.runtime, chain.exceptions[0].type, chain.exceptions[0].message) == ("python", "TypeError", "t 7")
    assert PLAIN[slice(*chain.span)] == PLAIN.rstrip()


@pytest.mark.parametrize(
    ("words", "relation", "root"),
    [
        ("The above exception was the direct cause of the following exception:", Relation.CAUSE, "KeyError"),
        ("During handling of the above exception, another exception occurred:", Relation.CONTEXT, "OSError"),
    ],
    ids=["cause", "context"],
)
def test_chaining(words: str, relation: Relation, root: str) -> None:
    chain = only(
        'Traceback (most recent call last):\n  File "/a.py", line 1, in f\nKeyError: 1\n\n'
        f'{words}\n\nTraceback (most recent call last):\n  File "/a.py", line 4, in g\nOSError: x\n'
    )
    assert [(e.type, e.relation, e.parent) for e in chain.exceptions] == [
        ("OSError", None, None),
        ("KeyError", relation, 0),
    ]
    assert chain.root.type == root


def test_exception_group_members_and_their_causes() -> None:
    chain = only(
        "  + Exception Group Traceback (most recent call last):\n"
        '  |   File "/a.py", line 10, in <module>\n'
        "  | ExceptionGroup: eg (2 sub-exceptions)\n"
        "  +-+---------------- 1 ----------------\n"
        "    | Traceback (most recent call last):\n"
        '    |   File "/a.py", line 3, in f\n'
        "    | KeyError: 'k'\n"
        "    | \n"
        "    | The above exception was the direct cause of the following exception:\n"
        "    | \n"
        "    | Traceback (most recent call last):\n"
        '    |   File "/a.py", line 5, in g\n'
        "    | ValueError: 1\n"
        "    +---------------- 2 ----------------\n"
        "    | TypeError: t\n"
        "    +------------------------------------\n"
    )
    assert [(e.type, e.relation, e.parent, len(e.stack.frames)) for e in chain.exceptions] == [
        ("ExceptionGroup", None, None, 1),
        ("ValueError", Relation.GROUPED, 0, 1),
        ("KeyError", Relation.CAUSE, 1, 1),
        ("TypeError", Relation.GROUPED, 0, 0),
    ]


def test_syntax_error_has_a_place_without_function() -> None:
    chain = only('  File "/app/bad.py", line 7\n    def f(:\n          ^\nSyntaxError: invalid syntax\n')
    frame = chain.exceptions[0].stack.frames[0]
    assert (chain.exceptions[0].type, frame.filename, frame.lineno, frame.function) == (
        "SyntaxError",
        "/app/bad.py",
        7,
        None,
    )
    assert not chain.head_truncated


def test_a_cut_off_head() -> None:
    chain = only('  File "/app/m.py", line 3, in f\n    g(x)\nTypeError: t\n')
    assert chain.head_truncated
    assert chain.exceptions[0].type == "TypeError"


def test_a_traceback_without_its_end_keeps_its_frames() -> None:
    chain = only('Traceback (most recent call last):\n  File "/app/m.py", line 3, in f\n    g(x)\n')
    assert chain.exceptions[0].type is None
    assert [f.function for f in chain.exceptions[0].stack.frames] == ["f"]


def test_repeated_lines_are_no_frames() -> None:
    chain = only(
        'Traceback (most recent call last):\n  File "/a.py", line 3, in f\n    f()\n  [Previous line repeated 996 more times]\nRecursionError: x\n'
    )
    assert [f.function for f in chain.exceptions[0].stack.frames] == ["f"]


def test_notes_are_kept_apart_from_the_message() -> None:
    chain = only(PLAIN + "while handling order 42\n联系值班\n")
    assert chain.exceptions[0].message == "t 7"
    assert chain.notes == ("TypeError is noted: while handling order 42", "TypeError is noted: 联系值班")


@pytest.mark.parametrize(
    ("end", "message"),
    [
        ("E: (psycopg2.OperationalError) gone\n[SQL: select 1]\n(Background: https://x)\n", "(psycopg2.OperationalError) gone\n[SQL: select 1]\n(Background: https://x)"),
        ("E: 2 errors\n  field a\n  field b\n", "2 errors\n  field a\n  field b"),
        ("E: \nNot equal\n", "Not equal"),
        ("E: x\n2024-05-01 10:00:00 INFO next\n", "x"),
        ("E: x\nERROR next\n", "x"),
        ("E: x\n\nnext\n", "x"),
    ],
    ids=["bracketed", "indented", "begins-below", "log-record", "log-level", "blank"],
)  # fmt: skip
def test_multi_line_message(end: str, message: str) -> None:
    chain = only(f'Traceback (most recent call last):\n  File "/a.py", line 3, in f\n{end}')
    assert chain.exceptions[0].message == message


@pytest.mark.parametrize(
    "prefix",
    ["", "> ", "web-1  | ", "    ", "[2024-05-01 10:00:00,123] ERROR - "],
    ids=["none", "quote", "container", "code", "logger"],
)
def test_a_prefix_on_every_line(prefix: str) -> None:
    chain = only("\n".join(prefix + line for line in PLAIN.splitlines()))
    assert (chain.exceptions[0].type, len(chain.exceptions[0].stack.frames)) == ("TypeError", 2)


def test_a_log_text_before_the_head_only() -> None:
    chain = only("2024-05-01 ERROR shop: " + PLAIN)
    assert (chain.exceptions[0].type, len(chain.exceptions[0].stack.frames)) == ("TypeError", 2)


def test_escaped_markup() -> None:
    chain = only(
        "Traceback (most recent call last):\n  File &quot;/a.py&quot;, line 3, in &lt;module&gt;\nKeyError: 1\n"
    )
    assert chain.exceptions[0].stack.frames[0].function == "<module>"


def test_py4j_carries_a_java_trace() -> None:
    python, java = parse(
        PLAIN.replace(
            "TypeError: t 7",
            "py4j.protocol.Py4JJavaError: An error occurred while calling o1.x.\n: java.io.IOException: y\n\tat a.B.y(B.java:3)",
        )
    )
    assert (python.runtime, python.root.type, python.root.message) == (
        "python",
        "py4j.protocol.Py4JJavaError",
        "An error occurred while calling o1.x.",
    )
    assert (java.runtime, java.root.type, len(java.root.stack.frames)) == ("jvm", "java.io.IOException", 1)


def test_a_java_exception_carries_a_python_traceback() -> None:
    java, python = parse(f"org.a.PythonException: {PLAIN}\n\tat org.a.Runner.run(Runner.scala:3)\n")
    assert (java.runtime, java.root.type, [f.function for f in java.root.stack.frames]) == (
        "jvm",
        "org.a.PythonException",
        ["run"],
    )
    assert (python.runtime, python.root.type, len(python.root.stack.frames)) == ("python", "TypeError", 2)


def test_ipython() -> None:
    chain = only(
        "ValueError                                Traceback (most recent call last)\n<ipython-input-3-abc> in <module>\n----> 1 load(1)\n\n"
        "~/job.py in load(path)\n      3     y\n----> 4     x\n\nValueError: bad 7\n"
    )
    assert (chain.exceptions[0].type, chain.exceptions[0].message) == ("ValueError", "bad 7")
    assert [f.function for f in chain.exceptions[0].stack.frames] == ["load", "<module>"]


NO_TRACE = [
    ("mention", "In Python a ValueError: is raised when things fail.\nNothing more."),
    ("javascript", "TypeError: t\n    at checkout (https://s/a.js:1:2)\n"),
    ("marker-alone", "Traceback (most recent call last):\n"),
    ("ruby", "a line\nTraceback (most recent call last):\n\t1: from /app/a.rb:9:in `<main>'\n"),
]


@pytest.mark.parametrize("text", [n[1] for n in NO_TRACE], ids=[n[0] for n in NO_TRACE])
def test_no_trace(text: str) -> None:
    assert [c for c in parse(text) if c.runtime == "python"] == []


# (id, file, lasting module, whether it is the application's)
PLACES = [
    ("app", "/app/pay.py", "pay", True),
    ("app-init", "/srv/shop/rates/__init__.py", "rates", True),
    ("app-common-name", "/srv/shop/rates/utils.py", "rates.utils", True),
    ("site-packages", "/usr/lib/python3.9/site-packages/django/core/base.py", "django.core.base", False),
    ("venv", "/home/u/.venv/lib/python3.12/site-packages/django/core/base.py", "django.core.base", False),
    ("windows", "C:\\py\\Lib\\site-packages\\django\\core\\base.py", "django.core.base", False),
    ("debian", "/usr/lib/python3/dist-packages/yaml/__init__.py", "yaml", False),
    ("zip", "/opt/spark/python/lib/pyspark.zip/pyspark/worker.py", "pyspark.worker", False),
    ("standard", "/usr/lib/python3.11/json/decoder.py", "json.decoder", False),
    ("frozen", "<frozen importlib._bootstrap>", "importlib._bootstrap", False),
    ("notebook", "<ipython-input-3-abc>", "<cell>", True),
]


@pytest.mark.parametrize(("filename", "module", "in_app"), [p[1:] for p in PLACES], ids=[p[0] for p in PLACES])
def test_module_of_a_file(filename: str, module: str, *, in_app: bool) -> None:
    chain = only(f'Traceback (most recent call last):\n  File "{filename}", line 3, in f\nE: x\n')
    frame = chain.exceptions[0].stack.frames[0]
    assert (frame.module, frame.in_app) == (module, in_app)


@pytest.mark.parametrize(
    ("source", "type_", "message"),
    [
        ('raise LockedError("the drawer is locked")', "LockedError", "the drawer is locked"),
        ("raise shop.errors.LockedError('locked')", "shop.errors.LockedError", "locked"),
        ("raise KeyError('till')", "KeyError", "'till'"),
        ('raise LockedError(f"drawer {number} is locked")', "LockedError", None),
        ('raise LockedError("drawer %d is locked" % number)', "LockedError", None),
        ("raise LockedError from error", "LockedError", None),
        ("raise LockedError", "LockedError", None),
        ("raise LockedError(", "LockedError", None),
        ("raise error", None, None),
        ("raise", None, None),
        ("lock.release()", None, None),
    ],
)
@pytest.mark.parametrize("behind", ["", "\n\nThat is all.", "\n这是什么原因呢"])
def test_a_traceback_that_is_cut_off_at_its_source(
    source: str, type_: str | None, message: str | None, behind: str
) -> None:
    text = f'Traceback (most recent call last):\n  File "/srv/till.py", line 3, in open\n    {source}{behind}'
    (chain,) = parse(text)
    assert (chain.root.type, chain.root.message, len(chain.root.stack.frames)) == (type_, message, 1)
