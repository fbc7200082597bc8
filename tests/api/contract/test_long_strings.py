"""A long string of JSON is read in pieces: as the parser would read it whole, and beyond that only emoji and the like are lost."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.contract.bodies import narrowed_utf8, parsed_json

UNITS = (
    *("a", " ", "é", "连", "🔥", "{", "}", r"\n", r"\"", r"\\", r"\/", r"\u8fde", r"\u00e9", r"\u000a"),
    *(r"\ud83d\ude00", r"\ud83d", r"\ude00", r"\\ud83d", r"\\\\", r"\\\""),
)
"""What a string of JSON is made of."""
WRONG = ('"', '","k":"', r"\x", "\x01", r"\u12", "\\")
"""What ends a string, or is none of JSON."""
BEYOND = re.compile("[\ud800-\udfff\U00010000-\U0010ffff]")
WHOLE = 1 << 30


def narrow(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: narrow(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [narrow(inner) for inner in value]
    return BEYOND.sub("\ufffd", value) if isinstance(value, str) else value


def read(body: bytes, long: int, piece: int) -> Any:
    try:
        return parsed_json(body, long, piece)
    except ValueError as error:
        return str(error)


@given(st.lists(st.sampled_from(UNITS + WRONG), max_size=60), st.lists(st.sampled_from(UNITS)), st.integers(13, 40))
def test_pieces_make_what_the_whole_makes(units: list[str], others: list[str], piece: int) -> None:
    body = f'{{"text":"{"".join(units)}","more":["{"".join(others)}",1]}}'.encode()
    whole = read(body, WHOLE, piece)
    assert narrow(read(body, 30, piece)) == narrow(whole)
    assert read(body, 4 * len(body), piece) == whole


@given(st.lists(st.sampled_from(UNITS), min_size=20), st.integers(13, 40))
def test_what_is_not_long_keeps_every_character(units: list[str], piece: int) -> None:
    """Long in bytes, and not in characters: an escaped emoji has twelve of the former."""
    body = f'{{"text":"{"".join(units)}"}}'.encode()
    whole = parsed_json(body, WHOLE, piece)
    assert parsed_json(body, len(whole["text"]) + 1, piece) == whole


@pytest.mark.parametrize("long", [10, WHOLE])
def test_a_long_key_is_refused(long: int) -> None:
    with pytest.raises(Exception, match=r"1,000 characters"):
        parsed_json(json.dumps({"k" * 1_001: 1}).encode(), long, 64)


@pytest.mark.parametrize(
    ("unit", "after"),
    [
        ("🔥 lines\n", "\ufffd lines\n"),
        ("连接被拒绝\n", "连接被拒绝\n"),
        ("plain\n", "plain\n"),
    ],
)
def test_a_long_text_loses_what_lies_beyond_u_ffff(unit: str, after: str) -> None:
    count = (4 << 20) // len(unit)
    assert narrowed_utf8((unit * (count + 1)).encode()).decode() == after * (count + 1)
    assert narrowed_utf8((unit * count).encode()).decode() == unit * count


@pytest.mark.parametrize("data", ["连接🔥".encode("gb18030"), "🔥 x".encode("utf-16-le"), b"\xf0\x9f", b"\x80"])
def test_a_long_text_in_another_encoding_is_left_alone(data: bytes) -> None:
    many = data * 1_500_000
    assert narrowed_utf8(many) == many


@pytest.mark.parametrize(("before", "behind"), [(b"\xff", b""), (b"", b"\xff"), (b"\xf0\x9f", b"\xed\xa0\x80")])
def test_bad_bytes_in_a_long_text_are_replaced_as_they_would_be(before: bytes, behind: bytes) -> None:
    data = before + "🔥 连 lines\n".encode() * 500_000 + behind
    assert narrowed_utf8(data).decode() == BEYOND.sub("\ufffd", data.decode("utf-8", "replace"))
