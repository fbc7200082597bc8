"""Forms, read away from the event loop and in pieces: a long text is in memory once beside what it is made of."""

from collections.abc import Callable, Iterator
from urllib.parse import unquote_to_bytes

from anyio import to_thread
from fastapi import Request
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException, MultiPartParser

from api.contract.bodies import PIECE, decoded_utf8, read_body, text_blocks
from api.contract.problems import HttpProblem


async def form_of(request: Request, most_fields: int, limit: int) -> FormData:
    """A form of either kind; one without fields for any other body. Problem 400 when it has more fields than that, or cannot be read."""
    declared = request.headers.get("content-type", "").lower()
    if declared.startswith("application/x-www-form-urlencoded"):
        return await to_thread.run_sync(_form, [await read_body(request)], most_fields)
    if not declared.startswith("multipart/form-data"):
        return await request.form()
    parser = _Parts(request.headers, request.stream(), max_files=1, max_fields=most_fields, max_part_size=limit)
    try:
        form = await parser.parse()
    except MultiPartException as error:
        raise HTTPException(400, error.message) from error
    return await to_thread.run_sync(parser.with_texts, form)


def _form(held: list[bytes], most_fields: int) -> FormData:
    """Return the fields of the body that ``held`` holds, and empty it: nothing keeps the body while a long text is joined."""
    body, fields, start = held.pop(), list[tuple[list[str], list[str]]](), 0
    if body.count(b"&") >= most_fields:
        raise HttpProblem(400, "unreadable-body", f"The form has more than {most_fields} fields.")
    while start < len(body):
        end = body.find(b"&", start)
        end = end if end >= 0 else len(body)
        mark = body.find(b"=", start, end)
        mark = mark if mark >= 0 else end
        if start < end:
            name, value = _unquoted(body, start, mark), _unquoted(body, mark + 1, end)
            fields.append((text_blocks(decoded_utf8(name, "replace")), text_blocks(decoded_utf8(value, "replace"))))
        start = end + 1
    del body
    return FormData([(_joined(name), _joined(value)) for name, value in fields])


def _unquoted(data: bytes, at: int, end: int) -> Iterator[bytes]:
    """Yield the decoded bytes in pieces: all at once takes ten times the memory, and Python's lock for seconds."""
    while at < end:
        stop = min(at + PIECE, end)
        if stop < end and (cut := data.rfind(b"%", stop - 2, stop)) > at:  # an escape stays whole
            stop = cut
        yield unquote_to_bytes(data[at:stop].replace(b"+", b" "))
        at = stop


def _joined(blocks: list[str]) -> str:
    return blocks.pop() if len(blocks) == 1 else "".join(blocks)


class _Parts(MultiPartParser):
    """Keeps its texts as bytes: to decode a long one takes four times its size, and time of the event loop."""

    def __init__(self, *given: object, **options: int) -> None:
        super().__init__(*given, **options)  # type: ignore[arg-type]
        self.texts: dict[int, bytearray] = {}

    def on_part_end(self) -> None:
        """The end of a part: the text of a field is made later."""
        part = self._current_part
        if part.file is None:
            self.texts[len(self.items)], part.data = part.data, bytearray()
        super().on_part_end()

    def with_texts(self, form: FormData) -> FormData:
        """Return the form with its texts decoded; the bytes of each are freed before the next."""
        made = form.multi_items()
        for at in list(self.texts):
            made[at] = made[at][0], self._text(at)
        return FormData(made)

    def _text(self, at: int) -> str:
        decode: Callable[[bytearray], list[str]] = _blocks_of_utf8 if self._charset == "utf-8" else self._blocks
        blocks = decode(self.texts[at])
        del self.texts[at]
        return _joined(blocks)

    def _blocks(self, data: bytearray) -> list[str]:
        try:
            return text_blocks(iter([data.decode(self._charset)]))
        except (UnicodeDecodeError, LookupError):
            return [data.decode("latin-1")]


def _blocks_of_utf8(data: bytearray) -> list[str]:
    """As Starlette decodes it: what is no UTF-8 is read as Latin-1."""
    try:
        return text_blocks(decoded_utf8((bytes(data[at : at + PIECE]) for at in range(0, len(data), PIECE)), "strict"))
    except UnicodeDecodeError:
        return [data.decode("latin-1")]
