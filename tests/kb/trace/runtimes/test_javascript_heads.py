"""JavaScript: which lines are heads, and one wording for the messages of all engines."""

import pytest

from kb.trace.model import RaisedException
from kb.trace.runtimes.javascript.heads import head_of, weak_head_of
from kb.trace.runtimes.javascript.names import normal_message

HEADS = {
    "plain": ("TypeError: x", "TypeError", "x", None, False),
    "bare": ("Error", "Error", None, None, False),
    "code": ("MyError [ERR_X]: msg", "MyError", "msg", "ERR_X", False),
    "dump": ("Error: x {", "Error", "x", None, True),
    "brackets": (
        "[AggregateError: All promises were rejected] {",
        "AggregateError",
        "All promises were rejected",
        None,
        True,
    ),
    "brackets-alone": ("[Error: x]", "Error", "x", None, False),
    "circular": ("<ref *1> Error: x", "Error", "x", None, False),
    "uncaught": ("Uncaught TypeError: x", "TypeError", "x", None, False),
    "promise": ("Uncaught (in promise) TypeError: x", "TypeError", "x", None, False),
    "warning": ("(node:12) UnhandledPromiseRejectionWarning: Error: x", "Error", "x", None, False),
    "deprecation": (
        "(node:12) [DEP0005] DeprecationWarning: Buffer() is deprecated",
        "DeprecationWarning",
        "Buffer() is deprecated",
        None,
        False,
    ),
    "rejection": ("Unhandled rejection SequelizeDatabaseError: x", "SequelizeDatabaseError", "x", None, False),
    "rejected": ("Unhandled Rejection at: Promise Promise { <rejected> Error: x", "Error", "x", None, False),
    "console": ("app.js:12 Uncaught TypeError: x", "TypeError", "x", None, False),
    "log": ("2024-01-02 10:00:00,123 ERROR [main] shop - TypeError: x", "TypeError", "x", None, False),
    "logger-like": ("read: TypeError: null has no properties", "TypeError", "null has no properties", None, False),
    "deno": ("error: Uncaught (in promise) Error: x", "Error", "x", None, False),
    "bun": ("error: TypeError: x", "TypeError", "x", None, False),
    "next": (" ⨯ Error: x", "Error", "x", None, False),
    "gjs": (
        "(gjs:1): Gjs-CRITICAL **: 07:08:09.123: JS ERROR: TypeError: n is undefined",
        "TypeError",
        "n is undefined",
        None,
        False,
    ),
    "jsc": ("Exception: TypeError: x", "TypeError", "x", None, False),
    "gyp": ("gyp ERR! stack Error: `make` failed", "Error", "`make` failed", None, False),
    "dom": (
        "DOMException [DataCloneError]: f could not be cloned",
        "DOMException",
        "f could not be cloned",
        "DataCloneError",
        False,
    ),
    "full-width": ("Error：订单不存在", "Error", "订单不存在", None, False),
    "braces-in-message": ("Error: got { a: 1 }", "Error", "got { a: 1 }", None, False),
    "trace": ("Trace: here", "Trace", "here", None, False),
}


@pytest.mark.parametrize(("line", "type_", "message", "code", "opens"), HEADS.values(), ids=HEADS.keys())
def test_heads(line: str, type_: str, message: str | None, code: str | None, opens: bool) -> None:  # noqa: FBT001
    head = head_of(line)
    assert head is not None
    assert (head.type, head.message, head.code, head.opens) == (type_, message, code, opens)


@pytest.mark.parametrize(
    "line",
    [
        "Caused by: x",
        "Expected: 1",
        "error: something is bad",
        "at Error: x",
        "the Error was handled",
        "",
        "    ",
        "Errors: 0, warnings: 2",
    ],
)
def test_what_is_no_head(line: str) -> None:
    assert head_of(line) is None


def test_a_class_without_a_telling_name_is_a_head_right_above_frames_only() -> None:
    assert head_of("NotFound: no order 7") is None
    found = weak_head_of("NotFound: no order 7")
    assert found is not None
    assert (found.type, found.message) == ("NotFound", "no order 7")
    assert weak_head_of("Expected: 1") is None


MESSAGES = {
    "v8": ("Cannot read properties of undefined (reading 'id')", "Cannot read properties of undefined (reading 'id')"),
    "v8-old": ("Cannot read property 'id' of undefined", "Cannot read properties of undefined (reading 'id')"),
    "jsc": ("undefined is not an object (evaluating 'u.id')", "Cannot read properties of undefined (reading 'id')"),
    "jsc-index": ("null is not an object (evaluating 'a.b[0].c')", "Cannot read properties of null (reading 'c')"),
    "jsc-call": (
        "undefined is not an object (evaluating 'u.id()')",
        "Cannot read properties of undefined (reading 'id')",
    ),
    "gecko": ('can\'t access property "id", u is undefined', "Cannot read properties of undefined (reading 'id')"),
    "gecko-old": ("u is undefined", "Cannot read properties of undefined"),
    "gecko-null": ("null has no properties", "Cannot read properties of null"),
    "edge": (
        "Unable to get property 'id' of undefined or null reference",
        "Cannot read properties of undefined (reading 'id')",
    ),
    "set": ("Cannot set properties of null (setting 'id')", "Cannot set properties of null (setting 'id')"),
    "set-old": ("Cannot set property 'id' of null", "Cannot set properties of null (setting 'id')"),
    "undefined": ("x is not defined", "x is not defined"),
    "undefined-jsc": ("Can't find variable: x", "x is not defined"),
    "undefined-hermes": ("Property 'x' doesn't exist", "x is not defined"),
    "function": ("a.b is not a function", "a.b is not a function"),
    "function-jsc": ("a.b is not a function. (In 'a.b()', 'a.b' is undefined)", "a.b is not a function"),
    "deep": ("too much recursion", "Maximum call stack size exceeded"),
    "json": ("Unexpected token < in JSON at position <int>", "Unexpected token in JSON"),
    "json-new": ('Unexpected token <quoted>, "<!DOCTYPE "... is not valid JSON', "Unexpected token in JSON"),
    "json-gecko": (
        "JSON.parse: unexpected character at line <int> column <int> of the JSON data",
        "Unexpected token in JSON",
    ),
    "json-end": ("JSON Parse error: Unexpected EOF", "Unexpected end of JSON input"),
    "fetch": ("NetworkError when attempting to fetch resource.", "Failed to fetch"),
    "own": ("order 7 is gone", "order 7 is gone"),
}


@pytest.mark.parametrize(("message", "expected"), MESSAGES.values(), ids=MESSAGES.keys())
def test_one_wording_for_all_engines(message: str, expected: str) -> None:
    reworded = normal_message(RaisedException("TypeError", message))
    assert reworded == expected
    assert normal_message(RaisedException("TypeError", reworded)) == expected
