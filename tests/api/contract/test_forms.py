"""Forms are read as Starlette and urllib read them, however they arrive; of a long text only emoji and the like are lost."""

import asyncio
from collections.abc import Iterator
from urllib.parse import parse_qsl, quote_from_bytes

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import Message

from api.contract.bodies import LONG
from api.contract.forms import form_of

FORM = "application/x-www-form-urlencoded"
PARTS = "multipart/form-data; boundary=b"
VALUES = st.text(max_size=40).map(lambda text: text.encode("utf-8", "surrogatepass")) | st.binary(max_size=40)
NAMES = st.text("abcé连", min_size=1, max_size=5)


def request(kind: str, body: bytes, piece: int) -> Request:
    """A request whose body arrives in pieces of that many bytes."""
    pieces = [body[at : at + piece] for at in range(0, len(body), piece)] or [b""]
    messages: Iterator[Message] = iter(
        {"type": "http.request", "body": one, "more_body": number + 1 < len(pieces)}
        for number, one in enumerate(pieces)
    )

    async def receive() -> Message:
        return next(messages)

    return Request({"type": "http", "method": "POST", "headers": [(b"content-type", kind.encode())]}, receive)


async def contents(form: FormData) -> list[tuple[str, object]]:
    """Names and values; of a file its bytes."""
    made = [(name, await one.read() if isinstance(one, UploadFile) else one) for name, one in form.multi_items()]
    await form.close()
    return made


def fields(kind: str, body: bytes, piece: int = 1 << 20) -> list[tuple[str, object]]:
    """What our form holds."""

    async def read() -> list[tuple[str, object]]:
        return await contents(await form_of(request(kind, body, piece), 64, 1 << 30))

    return asyncio.run(read())


def starlettes(kind: str, body: bytes) -> list[tuple[str, object]]:
    """What Starlette's holds."""

    async def read() -> list[tuple[str, object]]:
        return await contents(await request(kind, body, 1 << 20).form(max_part_size=1 << 30))

    return asyncio.run(read())


def part(name: str, value: bytes, file: str = "") -> bytes:
    """A part of a form that is sent in parts."""
    return b'--b\r\nContent-Disposition: form-data; name="%b"%b\r\n\r\n%b\r\n' % (name.encode(), file.encode(), value)


@given(st.lists(st.tuples(NAMES, VALUES), min_size=1, max_size=6), st.integers(1, 50))
def test_parts_are_read_as_starlette_reads_them(given_fields: list[tuple[str, bytes]], piece: int) -> None:
    body = b"".join(part(name, value.replace(b"--b", b"")) for name, value in given_fields) + b"--b--\r\n"
    assert fields(PARTS, body, piece) == starlettes(PARTS, body)


@pytest.mark.parametrize("charset", ["gb18030", "latin-1", "nonsense", "utf-16-le"])
def test_parts_in_another_encoding_too(charset: str) -> None:
    kind = f"{PARTS}; charset={charset}"
    body = part("text", "连接 🔥".encode("gb18030")) + part("file", b"\xff\n", '; filename="a.log"') + b"--b--\r\n"
    assert fields(kind, body) == starlettes(kind, body)


@given(st.lists(st.tuples(NAMES, VALUES), max_size=6), st.integers(1, 50))
def test_a_urlencoded_form_is_read_as_urllib_reads_it(given_fields: list[tuple[str, bytes]], piece: int) -> None:
    body = "&".join(f"{quote_from_bytes(name.encode())}={quote_from_bytes(value)}" for name, value in given_fields)
    read = parse_qsl(body, keep_blank_values=True, errors="replace")
    assert fields(FORM, body.encode(), piece) == read


@pytest.mark.parametrize("body", ["a", "=b", "a=b=c", "&&a=1&", "a=%", "a=%F", "a+b=c+d", "a=%zz&b=%f0%9f", "🔥=🔥"])
def test_an_odd_form_is_read_as_urllib_reads_it(body: str) -> None:
    assert fields(FORM, body.encode()) == parse_qsl(body, keep_blank_values=True, errors="replace")


@pytest.mark.parametrize("kind", [FORM, PARTS])
def test_of_a_long_text_only_what_lies_beyond_u_ffff_is_lost(kind: str) -> None:
    unit = "🔥 lines\n"
    for count, after in ((LONG // 8, unit), (LONG // 8 + 1, "\ufffd lines\n")):
        text = (unit * count).encode()
        body = b"a=1&text=" + text if kind == FORM else part("a", b"1") + part("text", text) + b"--b--\r\n"
        assert fields(kind, body) == [("a", "1"), ("text", after * count)]


def test_what_is_no_form_of_parts_is_refused() -> None:
    with pytest.raises(HTTPException) as refused:
        fields(PARTS, b"nonsense")
    assert refused.value.status_code == 400
