"""What stands around an error's words and is none of them: emphasis of Markdown, what Tomcat closes, the fields of ``kubectl describe``, a code that stands for lost words. Each row was written before its rule."""

import time

import pytest

from kb.trace import parse
from kb.trace.lines import clean
from tests.kb.trace.reading import only

RAISED = 'Traceback (most recent call last):\n  File "/srv/till.py", line 3, in pay\n    run()\n'
EMPHASISED = [
    ("_TypeError: till is not a function_", "TypeError", "till is not a function"),
    ("__TypeError: till is not a function__", "TypeError", "till is not a function"),
    ("it says\n_TypeError: till is not a function_\nsince 3.1", "TypeError", "till is not a function"),
    ("since the update _TypeError: till is not a function_ is all it says", "TypeError", "till is not a function"),
    ("> _Uncaught ReferenceError: till is not defined_", "ReferenceError", "till is not defined"),
    ("_java.lang.IllegalStateException: no till_", "java.lang.IllegalStateException", "no till"),
    ("_ModuleNotFoundError: No module named 'till_sdk'_", "ModuleNotFoundError", "No module named 'till_sdk'"),
    ("报错 _OperationalError: no such table: till_", "OperationalError", "no such table: till"),
    ("_pickle.PicklingError: Can't pickle <class 'till.Drawer'>", "_pickle.PicklingError", "Can't pickle <class 'till.Drawer'>"),
    ("_TillError: no drawer", "_TillError", "no drawer"),
    ("_TypeError: drawer_ is not a function_", "TypeError", "drawer_ is not a function"),
    (RAISED + "__main__.ConfigError: class Till has no method __init__", "__main__.ConfigError", "class Till has no method __init__"),
    (RAISED + "__main__.ConfigError: no method __open__ in class Till", "__main__.ConfigError", "no method __open__ in class Till"),
    (RAISED + "_pickle.PicklingError: Can't pickle <function lock_ at 0x7f>: it is local", "_pickle.PicklingError", "Can't pickle <function lock_ at 0x7f>: it is local"),
    ("_mysql_exceptions.OperationalError: (1054, \"Unknown column 'id_' in 'field list'\")", "MySQL 1054", "Unknown column 'id_' in 'field list'"),
    ("_mysql_exceptions.OperationalError: (2006, 'MySQL server has gone away')", "MySQL 2006", "MySQL server has gone away"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "kind", "message"), EMPHASISED)
def test_the_marks_of_emphasis_are_no_words(text: str, kind: str, message: str) -> None:
    root = only(text).root
    assert (root.type, root.message) == (kind, message)
    assert len(clean(text)) == len(text)


@pytest.mark.parametrize("part", ["_", "_a ", " _aError: b ", "__aError: ", " _a.b.c", " _TillError: x_ "])
def test_emphasis_is_looked_for_in_linear_time(part: str) -> None:
    def seconds(size: int) -> float:
        begin = time.process_time()
        clean(part * (size // len(part)))
        return time.process_time() - begin

    half = min(seconds(60_000) for _ in range(3))
    assert any(seconds(120_000) < 3 * half + 0.03 for _ in range(3))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Request processing failed; nested exception is java.lang.IllegalStateException: no till] with root cause", "no till"),
        ("Handler dispatch failed: java.lang.IllegalStateException: till [7]] with root cause", "till [7]"),
        ("异常：java.lang.IllegalStateException: 库存不足] with root cause", "库存不足"),
        ("java.lang.IllegalStateException: [till] with root cause", "[till] with root cause"),
    ],
)  # fmt: skip
def test_what_tomcat_prints_behind_an_exception_is_no_word_of_it(text: str, message: str) -> None:
    assert only(text).root.message == message


LAST = "    Last State:     Terminated\n      Reason:       {}\n{}      Started:      Mon, 06 May 2024 09:00:00 +0000\n"


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        (LAST.format("OOMKilled", "      Exit Code:    137\n"), "OOMKilled", "Exit Code:    137"),
        ("    State:          Waiting\n      Reason:       CrashLoopBackOff\n" + LAST.format("OOMKilled", "      Exit Code:    137\n"), "OOMKilled", "Exit Code:    137"),
        ("    State:          Running\n" + LAST.format("OOMKilled", ""), "OOMKilled", None),
        ("    State:          Waiting\n      Reason:       CrashLoopBackOff\n" + LAST.format("Error", "      Exit Code:    1\n"), "CrashLoopBackOff", "Exit Code:    1"),
        (LAST.format("ContainerCannotRun", '      Message:      exec: "till": not found\n      Exit Code:    127\n'), "ContainerCannotRun", 'exec: "till": not found'),
        ("  lastState:\n    terminated:\n      exitCode: 137\n      reason: OOMKilled\n", "OOMKilled", None),
    ],
    ids=["last", "waiting", "no-code", "other-reason", "message", "yaml"],
)  # fmt: skip
def test_why_a_container_ended(text: str, kind: str, message: str | None) -> None:
    root = only(text).root
    assert (root.type, root.message and root.message.partition("\n")[0]) == (kind, message)


def test_that_a_container_ended_says_little_by_itself() -> None:
    text = "    Last State:     Terminated\nError: no till is open\n"
    assert [chain.root.message for chain in parse(text)] == ["no till is open"]


WSL = "WslRegisterDistribution failed with error: 0x80070005"


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        (f"Installing, this may take a few minutes...\n{WSL}\nError: 0x80070005 ?????\n\nPress any key to continue...", "0x80070005", WSL),
        (f"{WSL}\nError: 0x80070005 WSL 2 ???????????? https://aka.ms/wsl2kernel", "0x80070005", WSL),
        (f"{WSL}\nError: 0x80070005 Access is denied.", "0x80070005", "Access is denied."),
        (f"{WSL}\nError: 0x800701bc WSL 2 需要更新其内核组件。", "0x80070005", "WSL 2 需要更新其内核组件。"),
        (WSL, "0x80070005", WSL),
        ("CoCreateInstance failed with HRESULT: 0x80040154\nError: 0x80040154", "0x80040154", "CoCreateInstance failed with HRESULT: 0x80040154"),
        ("Could not open the till: drawer is locked\nError: ???????? (0x80070005)", None, "Could not open the till: drawer is locked"),
        ("Error: 0x80070005 ?????", None, "0x80070005 ?????"),
    ],
    ids=["lost", "partly-lost", "english", "chinese", "alone", "hresult", "sentence", "code-alone"],
)  # fmt: skip
def test_a_code_without_words_is_not_the_telling_line(text: str, kind: str | None, message: str) -> None:
    root = only(text).root
    assert (root.type, root.message) == (kind, message)
