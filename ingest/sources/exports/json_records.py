"""Cuts JSON that holds many records: arrays, arrays one after another, paged answers, objects one after another.

The standard library's parser reads one record at a time from a window over the text, so that a file of any size takes the memory of
its largest record. What is no JSON is cut out, and reading goes on where the next record begins in the same way as those before.
"""

import codecs
import hashlib
import io
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ingest.quality import Reason
from ingest.sources.exports.records import DamagedError, Record
from ingest.sources.formats import DocumentFormat
from ingest.sources.listing import MAX_DOCUMENT
from kb.tracker import key_of

_WRAPPERS = (
    ("issues",),  # Jira
    ("items",),  # GitHub's search
    ("results",),  # Confluence
    *(("data", "repository", kind, "nodes") for kind in ("issues", "pullRequests", "discussions")),
    ("data", "search", "nodes"),
)
"""Where answers of interfaces keep their records. An object without any of these is a record itself."""
_CHUNK = 1 << 20
_CUT_OFF = 16
"""Characters at the end of the window whose error may come from the cut alone."""
_SHOWN = 64 << 10
_LONGEST_FIRST = 1_000
"""Characters that the beginning of a record may take."""
_FIRST = re.compile(r'\{\s*"(?:[^"\\\n]|\\.){0,200}"')
_SPACE = re.compile(r"[\s,]*")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class JsonLimits:
    """How much one file may ask for."""

    record: int = MAX_DOCUMENT
    """Bytes of a record; a larger one is refused."""
    broken: int = 1_000
    """Places that are no JSON; with more of them the rest of the file is given up."""


class _BrokenError(Exception):
    def __init__(self, at: int, *, whole: bool) -> None:
        super().__init__()
        self.at = at
        """Where in the window reading stopped."""
        self.whole = whole
        """Nothing is wrong up to here: there is only too much of it, or its end is missing."""


def cut_json(stream: io.BufferedReader, form: DocumentFormat, limits: JsonLimits = JsonLimits()) -> Iterator[Record]:
    """Every record of a text; those that are no JSON as they stand, to be refused when they are read. Raises `DamagedError`."""
    return _Cutter(stream, form, limits).every()


class _Cutter:
    def __init__(self, stream: io.BufferedReader, form: DocumentFormat, limits: JsonLimits) -> None:
        self.stream, self.form, self.limits = stream, form, limits
        self.text, self.at, self.ended = "", 0, False
        self.decoder: codecs.IncrementalDecoder | None = None
        self.broken = 0
        self.first: re.Pattern[str] = _FIRST
        """How a record begins: its brace, what stands behind it, and its first key."""
        self.length = 0
        """Characters of that, once a record was seen."""

    def every(self) -> Iterator[Record]:
        while sign := self._next():
            if sign == "[":
                self.at += 1
                yield from self._array(1)
            elif sign == "{":
                yield from self._top()
            else:
                yield from self._skip(_BrokenError(self.at, whole=False))

    def _array(self, depth: int) -> Iterator[Record]:
        while sign := self._next():
            if sign == "]":
                self.at += 1
                return
            if sign == "[" and depth < 8:
                self.at += 1
                yield from self._array(depth + 1)
            else:
                yield from self._one()
        raise DamagedError("the JSON breaks off before its end")

    def _one(self) -> Iterator[Record]:
        """The record here."""
        try:
            value = self._value()
        except _BrokenError as error:
            yield from self._skip(error)
        else:
            yield from self._made(value)

    def _top(self) -> Iterator[Record]:
        """An object that stands in no array: a record, or the wrapper of records."""
        try:
            value = self._value()
        except _BrokenError as error:
            broken = self._skip(error) if not _is_wrapper(self.text[self.at : self.at + _SHOWN]) else self._wrapper(())
            yield from broken
        else:
            for one in _records_in(value):
                yield from self._made(one)

    def _made(self, value: object) -> Iterator[Record]:
        """The record of an object; anything else in an array is none."""
        if isinstance(value, Mapping):
            text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
            yield self._record(text.encode("utf-8", "surrogatepass"), key_of(value))

    def _record(self, data: bytes, key: str = "") -> Record:
        name = f"#{key or hashlib.sha256(data).hexdigest()[:16]}"
        if len(data) > self.limits.record:
            return Record(name, b"", self.form, reason=Reason.TOO_LARGE, detail=f"{len(data):,} bytes")
        return Record(name, data, self.form)

    def _wrapper(self, path: tuple[str, ...]) -> Iterator[Record]:
        """The records of an object that is too large to be held, or broken somewhere."""
        self.at += 1
        while sign := self._next():
            if sign == "}":
                self.at += 1
                return
            try:
                key = self._value()
                if self._next() == ":":
                    self.at += 1
                inner = (*path, str(key))
                sign = self._next()
                if sign == "[" and inner in _WRAPPERS:
                    self.at += 1
                    yield from self._array(1)
                elif sign == "{" and any(one[: len(inner)] == inner for one in _WRAPPERS):
                    yield from self._wrapper(inner)
                else:
                    self._value()
            except _BrokenError as error:
                raise DamagedError("the JSON around the records is broken") from error
        raise DamagedError("the JSON breaks off before its end")

    def _skip(self, error: _BrokenError) -> Iterator[Record]:
        """Gives what stands here as broken, and goes on where the next record begins."""
        self.broken += 1
        if self.broken > self.limits.broken:
            raise DamagedError(f"more than {self.limits.broken:,} places are no JSON")
        large = error.whole and len(self.text) - self.at > self.limits.record
        shown = self.text[self.at : self.at + _SHOWN]
        # A text without end swallows the brace and the first quotation mark of the next record: look a little back.
        where = max(self.at + 1, 0 if error.whole else error.at - self.length)
        while (found := self.first.search(self.text, where)) is None:
            self.at = where = max(len(self.text) - _LONGEST_FIRST, where)
            if not self._more():
                self.at = len(self.text)
                break
            where = 0
        else:
            if found.start() - self.at < len(shown) and self.text.startswith(shown, self.at):
                shown = shown[: found.start() - self.at]
            self.at = found.start()
        record = self._record(shown.encode("utf-8", "surrogatepass"))
        detail = f"more than {self.limits.record:,} bytes"
        yield replace(record, reason=Reason.TOO_LARGE, detail=detail) if large else record

    def _next(self) -> str:
        """The next sign that is neither space nor comma; empty at the end."""
        while True:
            found = _SPACE.match(self.text, self.at)
            self.at = found.end() if found else self.at
            if self.at < len(self.text):
                return self.text[self.at]
            if not self._more():
                return ""

    def _value(self) -> object:
        """The value here. Raises `_BrokenError`, with the window still at its beginning."""
        while True:
            stop, whole = len(self.text), True
            try:
                value, end = _DECODER.raw_decode(self.text, self.at)
                if end < len(self.text) or self.ended or isinstance(value, Mapping | list):
                    break
            except json.JSONDecodeError as error:
                stop = error.pos
                whole = error.msg.startswith("Unterminated") or stop >= len(self.text) - _CUT_OFF
            except (ValueError, RecursionError):  # a number of too many digits, brackets without end
                stop, whole = self.at + 1, False
            if not whole or len(self.text) - self.at > self.limits.record or not self._more():
                raise _BrokenError(stop, whole=whole) from None
        if not self.length and isinstance(value, Mapping) and (begins := _FIRST.match(self.text, self.at)):
            self.first, self.length = re.compile(re.escape(begins[0])), len(begins[0])
        self.at = end
        return value

    def _more(self) -> bool:
        """Widens the window by as much as it holds; False at the end of the file."""
        if self.ended:
            return False
        data = self.stream.read1(max(_CHUNK, len(self.text) - self.at))
        if self.decoder is None:
            wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
            self.decoder = codecs.getincrementaldecoder("utf-16" if wide else "utf-8-sig")("replace")
        self.ended = not data
        self.text = self.text[self.at :] + self.decoder.decode(data, final=self.ended)
        self.at = 0
        return True


def _is_wrapper(head: str) -> bool:
    return re.search(r'"(?:issues|items|results|nodes)"\s*:\s*\[', head) is not None


def _records_in(value: object) -> Iterator[object]:
    """The records of a whole answer, or the object itself."""
    if not isinstance(value, Mapping):
        return
    wrapped = [_under(value, path) for path in _WRAPPERS]
    found = [one for one in wrapped if one is not None]
    if not found:
        yield value
    for records in found:
        yield from (_named(one, value.get("names")) for one in records if isinstance(one, Mapping))


def _named(record: Mapping[str, object], names: object) -> Mapping[str, object]:
    """A Jira issue with the names of its fields, which the answer tells once for all its issues."""
    fields = record.get("fields")
    if not isinstance(names, Mapping) or not isinstance(fields, Mapping) or "names" in record:
        return record
    own = {field: name for field, name in names.items() if fields.get(field) and field.startswith("customfield_")}
    return {**record, "names": own} if own else record


def _under(value: object, path: tuple[str, ...]) -> list[object] | None:
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if isinstance(value, list) else None
