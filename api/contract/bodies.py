"""Bodies, read away from the event loop: nobody else waits while a large one is parsed.

A parser in C keeps Python's lock until it is done, in a thread too. So the number of parts of a JSON body is bounded while it arrives,
piece by piece. One long string is all that can then be large, and it is read in pieces, between which others run.
"""

import codecs
import json
import re
from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextlib import suppress
from io import BytesIO
from itertools import islice
from secrets import token_hex
from typing import Any

from anyio import to_thread
from fastapi import Request
from fastapi.routing import APIRoute
from pydantic_core import from_json
from starlette.responses import Response

from api.contract.problems import HttpProblem, body_too_large
from kb.article.decode import broken_encoding, wide

MOST_PARTS = 10_000
"""Objects, lists and commas of one body: a batch of 1,000 pastes has 3,000. pydantic makes an error of each unknown key, 10 µs each."""
_BLANK = b" \t\r\n"
_MARK = b"\xef\xbb\xbf"
_OTHER_MARKS = (b"\xff\xfe", b"\xfe\xff")
PIECE = 64 * 1024
_PIECES_OF_A_BLOCK = 32
"""The memory of as many pieces together goes back to the system when it is freed (`api.server.lifespan.LARGE_BLOCK`); that of one does not."""
_LONGEST_KEY = 1_000
_SURROGATE = re.compile("[\ud800-\udfff]")
LONG = 4 << 20
"""A string of JSON with more bytes is read in pieces. A text of more characters than this is longer than any incident may be, so it may lose its emoji."""
_HIGH = re.compile(rb"\\u[dD][89abAB]..$", re.DOTALL)
_FOUR_BYTES = re.compile(rb"[\xf0-\xf4][\x80-\xbf]{3}")
_CONTINUATIONS = bytes(range(0x80, 0xC0))
"""Bytes of UTF-8 that begin no character."""
_BEYOND = re.compile("[\ud800-\udfff\U00010000-\U0010ffff]+")


class PartCounter:
    """Counts the parts of a JSON body as it arrives. Constant memory, and as much time as a copy of the piece takes."""

    def __init__(self) -> None:
        self.count = 0
        self._head = b""
        self._is_json: bool | None = None
        self._is_inside = False
        self._rest = b""

    def take(self, piece: bytes) -> None:
        """The next piece. Problem 413 when the body has too many parts, 400 when it is JSON in another encoding than UTF-8."""
        if self._is_json is None:
            piece = self._begin(piece)
        if self._is_json:
            self._count(piece)

    def _begin(self, piece: bytes) -> bytes:
        """Find out whether it is JSON: no other body begins with a bracket and has as many commas."""
        self._head += piece
        if len(self._head) < len(_MARK):
            return b""
        if (
            self._head.startswith(_OTHER_MARKS) or b"\0" in self._head[:4]
        ):  # where Python's reader looks for UTF-16 and -32
            self._is_json = False
            raise HttpProblem(400, "unreadable-body", "The body cannot be read: send it in UTF-8.")
        if begun := self._head.removeprefix(_MARK).lstrip(_BLANK):
            self._is_json = begun[:1] in {b"{", b"["}
        piece, self._head = self._head, self._head[:0] if begun else self._head[: len(_MARK)]
        return piece

    def _count(self, piece: bytes) -> None:
        plain = (self._rest + piece).replace(b"\\\\", b"")
        self._rest = b"\\" if plain.endswith(b"\\") else b""
        texts = plain.removesuffix(b"\\").replace(b'\\"', b"").split(b'"')
        outside = b"".join(texts[self._is_inside :: 2])
        self._is_inside ^= len(texts) % 2 == 0
        self.count += sum(map(outside.count, (b",", b"{", b"[")))
        if self.count > MOST_PARTS:
            detail = f"The JSON has more than {MOST_PARTS:,} parts (objects, lists, commas). Send fewer at once."
            raise HttpProblem(413, "too-many-parts", detail, headers={"Connection": "close"})


class _Unhurried(Request):
    async def body(self) -> bytes:
        """The body, in memory once. Of JSON no more than its beginning: FastAPI looks whether there is any, and keeps what it gets until the answer is sent."""
        if not hasattr(self, "held"):
            self.held = [await read_body(self)]
            self._body = self.held[0][:_LONGEST_KEY] if _is_json(self) else self.held[0]
        return self._body

    async def json(self) -> Any:
        """The body as JSON. The bytes are let go on the way: a long text would be in memory once more."""
        if not hasattr(self, "_json"):
            await self.body()
            self._json = await to_thread.run_sync(_parsed, self.held, LONG, PIECE)
        return self._json


def parsed_json(body: bytes, long: int = LONG, piece: int = PIECE) -> Any:
    """The JSON, with U+FFFD in the place of lone surrogates. ValueError when it is none; Problem 422 for a key that is none of a request's.

    A string of more than ``long`` bytes is read in pieces of ``piece`` bytes; of more than ``long`` characters, it loses what lies beyond U+FFFF.
    """
    return _parsed([body], long, piece)


def _parsed(held: list[bytes], long: int, piece: int) -> Any:
    """The same of the bytes that are held, which are taken out as soon as they are no longer needed."""
    parsed, texts = _decoded(held, long, piece)
    holder = [parsed]
    open_ones: list[Any] = [holder]
    while open_ones:
        inner = open_ones.pop()
        for place, value in list(inner.items() if isinstance(inner, dict) else enumerate(inner)):
            if isinstance(place, str) and (len(place) > _LONGEST_KEY or place in texts):
                raise HttpProblem(422, "invalid-request", f"A key has more than {_LONGEST_KEY:,} characters.")
            if isinstance(value, str):
                inner[place] = texts.get(value) or mended(value)
            elif isinstance(value, dict | list):
                open_ones.append(value)
    return holder[0]


def _decoded(held: list[bytes], long: int, piece: int) -> tuple[Any, dict[str, str]]:
    """The JSON, and its long strings by what stands for them in it."""
    if len(held[0]) > long:
        with suppress(ValueError):  # the parser of the whole says what is wrong
            short, texts = _without_long(held[0], long, piece)
            parsed = _loads(short)
            held.clear()
            return parsed, {word: "".join(texts.pop(word)) for word in list(texts)}
    return _loads(held.pop()), {}


def _loads(data: bytes) -> Any:
    try:
        return from_json(data)  # twice as fast over escapes, and stricter
    except ValueError:
        return json.loads(data)


def _without_long(body: bytes, long: int, piece: int) -> tuple[bytes, dict[str, list[str]]]:
    """The JSON with a word that nobody can guess in the place of each long string, and these strings in pieces. ValueError where one is no string.

    The parser would take up to six times such a string: it keeps a copy without escapes, and one as wide as its first character beyond ASCII needs.
    """
    mark, texts, kept, after = token_hex(), dict[str, list[str]](), list[bytes](), 0
    quotes = _quotes(body, 16 * piece)
    for opening, end in zip(quotes, quotes, strict=False):
        if end - opening > long:
            word = f"{mark}{len(texts)}"
            texts[word] = _long_text(body, opening + 1, end, long, piece)
            kept += [body[after : opening + 1], word.encode()]
            after = end
    return b"".join([*kept, body[after:]]), texts


def _quotes(body: bytes, size: int) -> Iterator[int]:
    """Where strings of JSON begin and end, in turns."""
    is_escaped = False
    for start in range(0, len(body), size):
        piece = body[start : start + size]
        piece = b"." + piece[1:] if is_escaped else piece
        plain = piece.replace(b"\\\\", b"..").replace(b'\\"', b"..")
        is_escaped = plain.endswith(b"\\")
        at = plain.find(b'"')
        while at >= 0:
            yield start + at
            at = plain.find(b'"', at + 1)


def _long_text(body: bytes, start: int, end: int, long: int, size: int) -> list[str]:
    """A long string, in blocks."""
    return text_blocks(_pieces(body, start, end, size), long)


def _pieces(body: bytes, start: int, end: int, size: int) -> Iterator[str]:
    while start < end:
        stop = min(start + size, end)
        if stop < end and (stop := _whole(body, start, stop)) == start:
            raise ValueError
        yield _loads(b'"%b"' % body[start:stop])
        start = stop


def text_blocks(pieces: Iterator[str], long: int = LONG) -> list[str]:
    """The blocks of a text that comes in pieces. Once it is longer than anything kept, U+FFFD stands for what lies beyond U+FFFF, emoji mostly: with one of them Python takes four bytes for each character."""
    blocks, length, narrow = list[str](), 0, mended
    while block := "".join(islice(pieces, _PIECES_OF_A_BLOCK)):
        blocks.append(narrow(block))
        length += len(block)
        if length > long and narrow is mended:
            narrow, blocks = _narrowed, list(map(_narrowed, blocks))
    return blocks


def _narrowed(text: str) -> str:
    pieces = (text[at : at + PIECE] for at in range(0, 0 if text.isascii() else len(text), PIECE))
    if all(len(piece.encode("utf-16-le", "surrogatepass")) == 2 * len(piece) for piece in pieces):
        return mended(text)  # 20 times as fast as to look for them
    return _BEYOND.sub(lambda found: "\ufffd" * len(found[0]), text)


def _whole(body: bytes, start: int, stop: int) -> int:
    """The end at ``stop`` or before it of what is cut through no character, no escape and no pair of escaped surrogates."""
    stop = _whole_character(body, start, stop)
    if (escape := body.rfind(b"\\", max(start, stop - 5), stop)) >= 0:
        stop = start + len(body[start : escape + 1].rstrip(b"\\"))
    while _HIGH.search(body, max(start, stop - 6), stop):
        stop = start + len(body[start : stop - 5].rstrip(b"\\"))
    return stop


def _whole_character(data: bytes, start: int, stop: int) -> int:
    while start < stop < len(data) and data[stop] & 0xC0 == 0x80:
        stop -= 1
    return stop


def narrowed_utf8(data: bytes) -> bytes:
    """A long text in UTF-8 with U+FFFD for what lies beyond U+FFFF, as in a long string of JSON, and for bytes that are none of it; anything else as it is."""
    marks = (_FOUR_BYTES.search(data, at, at + PIECE + 3) for at in range(0, len(data), PIECE))
    if len(data) <= LONG or not any(marks):
        return data
    if sum(len(piece.translate(None, _CONTINUATIONS)) for piece in _cut(data)) <= LONG:
        return data
    if not _is_utf8(data) and (wide(data) or broken_encoding(data)[0] != "utf-8"):
        return data
    held = BytesIO()
    for text in decoded_utf8(_cut(data), "replace"):
        held.write(_narrowed(text).encode())
    return held.getvalue()


def _cut(data: bytes) -> Iterator[bytes]:
    return (data[at : at + PIECE] for at in range(0, len(data), PIECE))


def _is_utf8(data: bytes) -> bool:
    with suppress(UnicodeDecodeError):
        deque(decoded_utf8(_cut(data), "strict"), maxlen=0)
        return True
    return False


def decoded_utf8(pieces: Iterable[bytes], errors: str) -> Iterator[str]:
    """The text of pieces of UTF-8, each of which may end within a character."""
    decoder = codecs.getincrementaldecoder("utf-8")(errors)
    for piece in pieces:
        if text := decoder.decode(piece):
            yield text
    yield decoder.decode(b"", final=True)


def mended(text: str) -> str:
    r"""A lone surrogate (JSON can say ``"\ud800"``, UTF-8 cannot) becomes U+FFFD; offsets stay."""
    if text.isascii():
        return text
    pieces = (text[at : at + PIECE] for at in range(0, len(text), PIECE))
    try:
        for piece in pieces:
            piece.encode()  # of 30 MB 5 ms; the expression takes 200 ms to find nothing
    except UnicodeEncodeError:
        pieces = (text[at : at + PIECE] for at in range(0, len(text), PIECE))
        return "".join(_SURROGATE.sub("\ufffd", piece) for piece in pieces)
    return text


class BodyRoute(APIRoute):
    """A route whose JSON body is parsed in a thread."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """What answers a request."""
        handler = super().get_route_handler()

        async def handle(request: Request) -> Response:
            return await handler(_Unhurried(request.scope, request.receive))

        return handle


async def whole_body(request: Request) -> bytes:
    """All bytes of a body that nobody has parsed, whatever it is declared as."""
    begun = await request.body()
    return request.held[0] if isinstance(request, _Unhurried) else begun


async def read_body(request: Request, most: int | None = None) -> bytes:
    """The raw body, which nothing but the caller holds. Problem 413 when it has more than ``most`` bytes.

    Starlette's own keeps it until the answer is sent, and twice while its pieces are joined.
    """
    held = BytesIO()
    async for piece in request.stream():
        if most is not None and held.tell() + len(piece) > most:
            raise body_too_large(most)
        held.write(piece)
    return held.getvalue()


def json_only(request: Request) -> None:
    """415 for a body that is not declared as JSON."""
    if not _is_json(request):
        declared = _declared(request)
        detail = f"The body must be JSON (Content-Type: application/json), not {declared[:80] or 'undeclared'}. Plain text is answered at `/`."
        raise HttpProblem(415, "not-json", detail, headers={"Accept-Post": "application/json"})


def _is_json(request: Request) -> bool:
    declared = _declared(request)
    return declared == "application/json" or (declared.startswith("application/") and declared.endswith("+json"))


def _declared(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()
