"""Bodies, read away from the event loop: nobody else waits while a large one is parsed.

A parser in C keeps Python's lock until it is done, in a thread too. So the number of parts of a JSON body is bounded while it arrives,
piece by piece; one long string is all that can then be large, and 30 MB of that take 0.2 s at most (measured 2026-11-23).
"""

import json
import re
from collections.abc import Callable, Coroutine
from io import BytesIO
from typing import Any
from urllib.parse import unquote_to_bytes

from anyio import to_thread
from fastapi import Request
from fastapi.routing import APIRoute
from pydantic_core import from_json
from starlette.datastructures import FormData
from starlette.responses import Response

from api.contract.problems import HttpProblem, body_too_large

MOST_PARTS = 10_000
"""Objects, lists and commas of one body: a batch of 1,000 pastes has 3,000. pydantic makes an error of each unknown key, 10 µs each."""
_BLANK = b" \t\r\n"
_MARK = b"\xef\xbb\xbf"
_OTHER_MARKS = (b"\xff\xfe", b"\xfe\xff")
_PIECE = 64 * 1024
_LONGEST_KEY = 1_000
_SURROGATE = re.compile("[\ud800-\udfff]")


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
        """The body, in memory once."""
        if not hasattr(self, "_body"):
            self._body = await read_body(self)
        return self._body

    async def json(self) -> Any:
        """The body as JSON."""
        if not hasattr(self, "_json"):
            self._json = await to_thread.run_sync(_parsed, await self.body())
        return self._json


def _parsed(body: bytes) -> Any:
    """The JSON, with U+FFFD in the place of lone surrogates. Problem 422 for a key that is none of a request's."""
    try:
        parsed: Any = from_json(body)  # twice as fast over escapes, and stricter
    except ValueError:
        parsed = json.loads(body)
    holder = [parsed]
    open_ones: list[Any] = [holder]
    while open_ones:
        inner = open_ones.pop()
        for place, value in list(inner.items() if isinstance(inner, dict) else enumerate(inner)):
            if isinstance(place, str) and len(place) > _LONGEST_KEY:
                raise HttpProblem(422, "invalid-request", f"A key has more than {_LONGEST_KEY:,} characters.")
            if isinstance(value, str):
                inner[place] = mended(value)
            elif isinstance(value, dict | list):
                open_ones.append(value)
    return holder[0]


def mended(text: str) -> str:
    r"""A lone surrogate (JSON can say ``"\ud800"``, UTF-8 cannot) becomes U+FFFD; offsets stay."""
    if text.isascii():
        return text
    try:
        text.encode()  # of 30 MB 5 ms; the expression takes 200 ms to find nothing
    except UnicodeEncodeError:
        pieces = (text[at : at + _PIECE] for at in range(0, len(text), _PIECE))
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


async def form_of(request: Request, most_fields: int) -> FormData:
    """A urlencoded form. Problem 400 when it has more fields than that."""
    return await to_thread.run_sync(_form, await read_body(request), most_fields)


def _form(body: bytes, most_fields: int) -> FormData:
    if body.count(b"&") >= most_fields:
        raise HttpProblem(400, "unreadable-body", f"The form has more than {most_fields} fields.")
    fields = (field.partition(b"=") for field in body.split(b"&") if field)
    return FormData([(_unquoted(name), _unquoted(value)) for name, _, value in fields])


def _unquoted(data: bytes) -> str:
    """In pieces: all at once takes ten times the memory, and Python's lock for seconds."""
    found, at = bytearray(), 0
    while at < len(data):
        end = at + _PIECE
        if (cut := data.rfind(b"%", end - 2, end)) > at:  # an escape stays whole
            end = cut
        found += unquote_to_bytes(data[at:end].replace(b"+", b" "))
        at = end
    return found.decode("utf-8", "replace")


def json_only(request: Request) -> None:
    """415 for a body that is not declared as JSON."""
    declared = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if declared != "application/json" and not (declared.startswith("application/") and declared.endswith("+json")):
        detail = f"The body must be JSON (Content-Type: application/json), not {declared[:80] or 'undeclared'}. Plain text is answered at `/`."
        raise HttpProblem(415, "not-json", detail, headers={"Accept-Post": "application/json"})
