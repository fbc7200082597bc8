"""Messages before the SDK sees them."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.mcp.json_rpc import refusal, without_lone_surrogates

ANY_TEXT = st.text(st.characters(exclude_categories=()))  # halves of characters among them
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**6), 10**6) | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=12,
)


def mended(value: Any) -> Any:
    """A value with U+FFFD for every lone surrogate, said in another way than by `whole`."""
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, list):
        return [mended(one) for one in value]
    if isinstance(value, dict):
        return {mended(key): mended(one) for key, one in value.items()}
    return value


@given(VALUES, st.booleans())
def test_halves_become_marks_and_nothing_else_changes(value: Any, ascii_only: bool) -> None:  # noqa: FBT001
    text = json.dumps(value, ensure_ascii=ascii_only)
    data = text.encode("utf-8", "backslashreplace")
    assert json.loads(without_lone_surrogates(data)) == mended(value)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (rb'"\ud83d"', "\ufffd"),
        (rb'"\uDE00 x"', "\ufffd x"),
        (rb'"\ud83d\ude00"', "\U0001f600"),
        (rb'"\uD83D\uDE00"', "\U0001f600"),
        (rb'"\ud83d\ud83d\ude00"', "\ufffd\U0001f600"),
        (rb'"\\ud83d"', r"\ud83d"),
        (rb'"\\\ud83d"', "\\\ufffd"),
        (rb'"\ud83d\n\ude00"', "\ufffd\n\ufffd"),
        (rb'"\"\ud83d\""', '"\ufffd"'),
    ],
)
def test_halves(written: bytes, read: str) -> None:
    assert json.loads(without_lone_surrogates(written)) == read


def test_what_has_no_half_is_not_copied() -> None:
    data = b'{"a": "\\u4e2d"}'
    assert without_lone_surrogates(data) is data


@pytest.mark.parametrize(
    "said",
    [
        {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": {"name": "x"}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "x"}},
    ],
)
def test_a_message_passes(said: dict[str, Any]) -> None:
    assert refusal(json.dumps(said).encode()) is None


@pytest.mark.parametrize(
    ("data", "number", "code"),
    [
        (b"", None, -32700),
        (b"secret-word", None, -32700),
        (b"\xff", None, -32700),
        (b"[" * 1_000_000, None, -32700),
        (b'{"id": 5, "a":' + b"[" * 400 + b"]" * 400 + b"}", 5, -32700),
        (b'{"id": 5, "a": 1' + b"0" * 10_000 + b"}", None, -32700),
        (b"[]", None, -32600),
        (b'"secret-word"', None, -32600),
        (b'{"jsonrpc": "1.0", "id": 6, "method": "ping"}', 6, -32600),
        (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', None, -32600),
        (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', None, -32600),
        (b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', None, -32600),
        (b'{"jsonrpc": "2.0", "id": "' + b"x" * 300 + b'", "method": 1}', None, -32600),
        (b'{"jsonrpc": "2.0", "id": "b", "method": ["secret-word"]}', "b", -32600),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": "secret-word"}', 7, -32600),
        (b'{"jsonrpc": "2.0", "id": 8}', 8, -32600),
        (b'{"jsonrpc": "2.0", "result": {}}', None, -32600),
    ],
)
def test_an_invalid_message_is_refused_without_quoting_it(data: bytes, number: int | str | None, code: int) -> None:
    answer = refusal(data)
    assert answer is not None
    assert (answer["jsonrpc"], answer["id"], answer["error"]["code"]) == ("2.0", number, code)
    assert "secret-word" not in json.dumps(answer)
