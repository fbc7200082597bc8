"""Python tracebacks as others than the interpreter print them: notebooks, rich, pytest, pools, pages, faulthandler."""

import pytest

from kb.trace import ExceptionChain, Level, Relation, fingerprints, parse
from tests.kb.trace.reading import only


def shape(chain: ExceptionChain) -> list[tuple[str | None, str | None, list[str | None], list[int | None]]]:
    return [
        (e.type, e.message, [f.function for f in e.stack.frames], [f.lineno for f in e.stack.frames])
        for e in chain.exceptions
    ]


PLAIN = 'Traceback (most recent call last):\n  File "/srv/pay.py", line 9, in main\n    f(x)\n  File "/srv/pay.py", line 3, in f\n    g(x)\nKeyError: 7\n'
RULE = "-" * 75 + "\n"
IPYTHON_8 = f"{RULE}KeyError                                  Traceback (most recent call last)\nCell In[2], line 2\n      1 try:\n----> 2     f(x)\n\nFile /srv/pay.py:3, in Cart.f(self, x)\n      1 def f(x):\n----> 3     g(x)\n\nKeyError: 7\n"
IPYTHON_7 = f"{RULE}KeyError                                  Traceback (most recent call last)\n<ipython-input-2-0a1b2c> in <module>\n----> 2 f(x)\n\n/srv/pay.py in f(x)\n      2 def f(x):\n----> 3     g(x)\n\nKeyError: 7\n"
RICH = "╭────── Traceback (most recent call last) ───────╮\n│ /srv/pay.py:9 in main                          │\n│                                                │\n│ ❱ 9 │   f(x)                                   │\n│                                                │\n│ ╭─ locals ─╮                                   │\n│ │ x = 7    │                                   │\n│ ╰──────────╯                                   │\n│ /srv/pay.py:3 in f                             │\n│                                                │\n│ ❱ 3 │   g(x)                                   │\n╰────────────────────────────────────────────────╯\nKeyError: 7\n"
LOGURU = 'Traceback (most recent call last):\n\n> File "/srv/pay.py", line 9, in main\n    f(x)\n    └ <function f at 0x7f>\n\n  File "/srv/pay.py", line 3, in f\n    g(x)\n    │ └ 7\n    └ <function g at 0x7f>\n\nKeyError: 7\n'
DJANGO = PLAIN.replace("KeyError: 7\n", "\nException Type: KeyError at /pay/\nException Value: 7\n")
LEFT = "\n".join(line.lstrip() for line in PLAIN.splitlines())
QUOTED = PLAIN.replace('"', "“")
FULL_WIDTH = PLAIN.replace("KeyError: ", "KeyError：")


@pytest.mark.parametrize(
    ("text", "functions", "lines"),
    [
        (PLAIN, ["f", "main"], [3, 9]),
        (IPYTHON_8, ["f", "<module>"], [3, 2]),
        (IPYTHON_7, ["f", "<module>"], [3, 2]),
        (RICH, ["f", "main"], [3, 9]),
        (LOGURU, ["f", "main"], [3, 9]),
        (DJANGO, ["f", "main"], [3, 9]),
        (LEFT, ["f", "main"], [3, 9]),
        (QUOTED, ["f", "main"], [3, 9]),
        (FULL_WIDTH, ["f", "main"], [3, 9]),
    ],
    ids=["plain", "ipython-8", "ipython-7", "rich", "loguru", "django", "left-aligned", "curly-quotes", "full-width"],
)
def test_printers(text: str, functions: list[str], lines: list[int]) -> None:
    assert shape(only(text)) == [("KeyError", "7", functions, lines)]


@pytest.mark.parametrize("text", [IPYTHON_8, RICH, PLAIN], ids=["ipython", "rich", "plain"])
@pytest.mark.parametrize("margin", ["    ", "> ", "\t"], ids=["blanks", "quote", "tab"])
def test_a_margin(text: str, margin: str) -> None:
    chain = only("\n".join(margin + line for line in text.splitlines()))
    assert (chain.exceptions[0].type, len(chain.exceptions[0].stack.frames)) == ("KeyError", 2)


def test_two_tracebacks_that_nothing_links_are_two() -> None:
    chains = parse(PLAIN + "\n" + PLAIN.replace("KeyError: 7", "ValueError: x"))
    assert [[e.type for e in c.exceptions] for c in chains] == [["KeyError"], ["ValueError"]]


def test_the_worker_s_error_is_the_cause_of_the_pool_s() -> None:
    chain = only(
        f'multiprocessing.pool.RemoteTraceback: \n"""\n{PLAIN}"""\n\nThe above exception was the direct cause of the following exception:\n\n'
        'Traceback (most recent call last):\n  File "/srv/job.py", line 1, in <module>\nKeyError: 7\n'
    )
    assert shape(chain) == [("KeyError", "7", ["<module>"], [1]), ("KeyError", "7", ["f", "main"], [3, 9])]
    assert chain.exceptions[1].relation is Relation.CAUSE


def test_the_thread_is_named() -> None:
    chain = only("Exception in thread worker-3 (run):\n" + PLAIN)
    assert chain.thread == "worker-3 (run)"
    assert chain.span[0] == 0


def test_an_ignored_exception_is_noted() -> None:
    chain = only("Exception ignored in: <function Ledger.__del__ at 0x7f>\n" + PLAIN)
    assert chain.notes == (
        "it was raised where nobody could catch it: Exception ignored in: <function Ledger.__del__ at 0x7f>",
    )


def test_the_callers_of_a_logger_are_no_error() -> None:
    chain = only(
        PLAIN + 'Stack (most recent call last):\n  File "/srv/pay.py", line 1, in <module>\n    log.error("x")\n'
    )
    assert chain.exceptions[0].type == "KeyError"


SEGFAULT = 'Fatal Python error: Segmentation fault\n\nThread 0x00007f01 (most recent call first):\n  File "/srv/wait.py", line 1 in wait\n\nCurrent thread 0x00007f02 (most recent call first):\n  File "/srv/pay.py", line 3 in f\n  File "/srv/pay.py", line 9 in main\n'


def test_a_fatal_error_has_the_stack_of_its_thread() -> None:
    chain = only(SEGFAULT)
    assert shape(chain) == [("Fatal Python error", "Segmentation fault", ["f", "main"], [3, 9])]
    assert chain.thread == "0x00007f02"
    assert chain.notes == ("stacks of other threads that were passed over: 1",)


def test_a_fatal_error_before_any_frame_has_its_cause() -> None:
    chain = only(
        "Fatal Python error: init_fs_encoding: failed to get the Python codec\nPython runtime state: core initialized\n"
        "ModuleNotFoundError: No module named 'encodings'\n\nCurrent thread 0x00007f02 (most recent call first):\n  <no Python frame>\n"
    )
    assert [(e.type, e.relation) for e in chain.exceptions] == [
        ("Fatal Python error", None),
        ("ModuleNotFoundError", Relation.CAUSE),
    ]


def test_a_watchdog_s_stack_is_a_time_out() -> None:
    chain = only('Timeout (0:00:10)!\nThread 0x00007f01 (most recent call first):\n  File "/srv/pay.py", line 3 in f\n')
    assert shape(chain) == [("Timeout", "0:00:10", ["f"], [3])]


LONG = "=== FAILURES ===\n______________ TestPay.test_price[7] ______________\n\n    def test_price(self, key):\n>       f(key)\n\ntest_pay.py:9: \n_ _ _ _ _ _\n\n    def f(x):\n>       g(x)\nE       KeyError: 7\n\npay.py:3: KeyError\n"
SHORT = "______________ TestPay.test_price[7] ______________\ntest_pay.py:9: in test_price\n    f(key)\npay.py:3: in f\n    g(x)\nE   KeyError: 7\n"
ERROR_ONLY = "    def f(x):\n>       g(x)\nE       KeyError: 7\n\npay.py:3: KeyError\n"


@pytest.mark.parametrize("text", [LONG, SHORT], ids=["long", "short"])
def test_pytest(text: str) -> None:
    assert shape(only(text)) == [("KeyError", "7", ["f", "test_price"], [3, 9])]


def test_pytest_s_assertions_have_no_name() -> None:
    chain = only(
        "____ test_total ____\n\n    def test_total():\n>       assert f(1) == 2\nE       assert 3 == 2\nE        +  where 3 = f(1)\n\ntest_pay.py:3: AssertionError\n"
    )
    assert shape(chain) == [("AssertionError", "assert 3 == 2\n+  where 3 = f(1)", ["test_total"], [3])]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("AttributeError: 'A' object has no attribute 'x'", "AttributeError: 'A' object has no attribute 'x'. Did you mean: 'y'?"),
        ("NameError: name 'sys' is not defined", "NameError: name 'sys' is not defined. Did you forget to import 'sys'?"),
        ("TypeError: f() missing 1 required positional argument: 'x'", "TypeError: A.f() missing 1 required positional argument: 'x'"),
    ],
    ids=["suggestion", "import", "qualified"],
)  # fmt: skip
def test_what_newer_interpreters_add_is_not_part_of_the_message(one: str, other: str) -> None:
    head = 'Traceback (most recent call last):\n  File "/srv/pay.py", line 3, in f\n'
    assert fingerprints(only(head + one))[Level.EXACT] == fingerprints(only(head + other))[Level.EXACT]


def test_cython_s_functions_are_those_of_python() -> None:
    compiled = 'Traceback (most recent call last):\n  File "pay.pyx", line 3, in shop.pay.Cart.f\nKeyError: 7\n'
    plain = 'Traceback (most recent call last):\n  File "pay.py", line 3, in f\nKeyError: 7\n'
    assert fingerprints(only(compiled))[Level.EXACT] == fingerprints(only(plain))[Level.EXACT]


def test_the_jvm_keeps_its_exception_that_quotes_a_traceback() -> None:
    java, python = parse(
        "org.apache.spark.api.python.PythonException: [X] An exception was thrown: Traceback (most recent call last):\n"
        + "".join(f'  File "/srv/pay.py", line {n}, in f{n}\n' for n in range(9))
        + "KeyError: 7\n SQLSTATE: 38000\n\tat org.apache.spark.A.run(A.scala:1)\n"
    )
    assert (java.runtime, java.exceptions[0].type) == ("jvm", "org.apache.spark.api.python.PythonException")
    assert (python.runtime, python.exceptions[0].type, python.exceptions[0].message) == ("python", "KeyError", "7")
