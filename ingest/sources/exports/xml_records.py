"""Cuts XML exports: Jira's search result, a Stack Exchange dump."""

import codecs
import hashlib
import io
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lxml import etree

from ingest.quality import Reason
from ingest.sources.exports.gathered import GroupedRows, gathered
from ingest.sources.exports.records import DamagedError, Record
from ingest.sources.formats import DocumentFormat
from ingest.sources.listing import MAX_DOCUMENT

_MOST_ERRORS = 10_000
_DEEPEST = 40

Element = Mapping[str, object]


def elements(stream: io.BufferedReader, *tags: str) -> Iterator[Any]:
    """Every element of these names, in the order in which they end. Raises `DamagedError` at the end when some were lost."""
    watched = _Watched(stream)
    options = {"recover": True, "resolve_entities": False, "load_dtd": False, "no_network": True, "huge_tree": False}
    found = watched.found = etree.iterparse(watched, events=("end",), tag=tags, remove_comments=True, **options)
    try:
        for _, element in found:
            if not watched.ended:  # else it was closed by the parser, since the file breaks off in it
                yield element
            element.clear()
            while element.getprevious() is not None:
                del element.getparent()[0]
    except etree.XMLSyntaxError as error:
        raise DamagedError(f"not XML: {error}") from error
    for fault in found.error_log:
        raise DamagedError(f"line {fault.line}: {fault.message.strip()}; words or records may be missing")


_CONTROLS = bytes(sign for sign in range(32) if sign not in b"\t\n\r")
_BY_NUMBER = re.compile(rb"&#(?:0*(?:[0-8]|1[124-9]|2\d|3[01])|x0*(?:[0-8bcef]|1[\da-f]));", re.IGNORECASE)
"""What XML 1.0 has no place for, as it stands or by its number: one of them would make the parser drop every entity behind it."""
_LONGEST = 12
"""Bytes of such a number."""


class _Watched:
    """The file as the parser reads it: without control characters, and with an end when nothing in it is right."""

    def __init__(self, stream: io.BufferedReader) -> None:
        self._stream = stream
        self._wide = stream.peek(2)[:2] in {codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE}
        self._held = b""
        self.ended = False
        self.found: Any = None

    def read(self, size: int = -1) -> bytes:
        if self.found is not None and len(self.found.error_log) > _MOST_ERRORS:
            raise DamagedError(f"more than {_MOST_ERRORS:,} places are no XML")
        while True:
            data = self._stream.read1(size)
            if self._wide or (not data and not self._held):
                self.ended = not data
                return data
            whole = self._held + data
            cut = whole.rfind(b"&", -_LONGEST) if data else -1
            self._held, whole = (whole[cut:], whole[:cut]) if cut >= 0 else (b"", whole)
            if clean := _BY_NUMBER.sub(b"", whole.translate(None, _CONTROLS)):
                return clean


def as_json(element: Any, depth: int = 0) -> dict[str, object]:
    """An element as data: attributes under ``@name``, its text under ``#``, its children as lists under their names."""
    made: dict[str, object] = {f"@{name}": value for name, value in element.attrib.items()}
    if text := (element.text or "").strip():
        made["#"] = text
    for child in element.iterchildren(tag=etree.Element) if depth < _DEEPEST else ():
        children = made.setdefault(child.tag, [])
        assert isinstance(children, list)
        children.append(as_json(child, depth + 1))
    return made


def made(name: str, value: object, form: DocumentFormat) -> Record:
    """The record of a value; one that is too large is refused."""
    data = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    if len(data) > MAX_DOCUMENT:
        return Record(name, b"", form, reason=Reason.TOO_LARGE, detail=f"{len(data):,} bytes")
    return Record(name, data, form)


def cut_jira(stream: io.BufferedReader) -> Iterator[Record]:
    """Every ``item`` of the RSS document. Raises `DamagedError`."""
    for item in elements(stream, "item"):
        value = as_json(item)
        key = (item.findtext("key") or "").strip()
        yield made(f"#{key or _hash(value)}", {"item": value}, DocumentFormat.JIRA)


def _hash(value: object) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:16]


_QUESTION, _ANSWER = "1", "2"
_CLOSEST = -(1 << 40)
_KINDS = {"3": "an orphaned tag wiki", "4": "a tag's excerpt", "5": "a tag's wiki", "6": "a moderator's nomination", "7": "a wiki placeholder", "8": "a privilege wiki"}  # fmt: skip


def cut_posts(stream: io.BufferedReader, scratch: Path) -> Iterator[Record]:
    """Every question of ``Posts.xml`` with its answers: the accepted one first, then by votes.

    Posts of other kinds, and answers without a question in this file, are told as refused. Raises `DamagedError`.
    """
    with gathered(scratch) as posts:
        damage: DamagedError | None = None
        try:
            for row in elements(stream, "row"):
                refused = _post(dict(row.attrib), posts)
                if refused is not None:
                    yield refused
        except DamagedError as error:
            damage = error
        posts.sort()
        for number, rows, left in posts.groups():
            yield from _question(number, [json.loads(row) for row in rows])
            if left:
                yield Record(f"#{number}/rest", reason=Reason.TOO_LARGE, detail=f"{left} answers beyond 8 MB")
        if damage is not None:
            raise damage


def _post(row: dict[str, str], posts: GroupedRows) -> Record | None:
    kind = row.get("PostTypeId")
    group = number_of(row.get("Id" if kind == _QUESTION else "ParentId"))
    name = f"#{row.get('Id', '')[:40] or _hash(row)}"
    if kind not in {_QUESTION, _ANSWER}:
        return Record(name, reason=Reason.UNSUPPORTED, detail=f"{_KINDS.get(kind or '', 'a post')}, no question")
    if group is None:
        return Record(name, reason=Reason.INVALID_RECORD, detail="a post without its number")
    data = json.dumps(row, ensure_ascii=False).encode()
    if len(data) > MAX_DOCUMENT // 2:
        return Record(name, reason=Reason.TOO_LARGE, detail=f"{len(data):,} bytes")
    posts.add(group, _CLOSEST if kind == _QUESTION else -(number_of(row.get("Score")) or 0), data)
    return None


def number_of(text: str | None) -> int | None:
    """A number that a column of 64 bits takes."""
    try:
        number = int(text) if text is not None and len(text) <= 18 else None
    except ValueError:
        return None
    return number


def _question(number: int, rows: list[dict[str, str]]) -> Iterator[Record]:
    questions = [row for row in rows if row["PostTypeId"] == _QUESTION]
    answers = [row for row in rows if row["PostTypeId"] == _ANSWER]
    for _ in questions[1:]:
        yield Record(f"#{number}", reason=Reason.INVALID_RECORD, detail="a second question of this number")
    if not questions:
        for row in answers:
            detail = f"an answer to question {number}, which is not in this file"
            yield Record(f"#{row.get('Id', '')[:40]}", reason=Reason.INVALID_RECORD, detail=detail)
        return
    question = questions[0]
    answers.sort(key=lambda row: row.get("Id") != question.get("AcceptedAnswerId"))
    yield made(f"#{number}", {"question": question, "answers": answers}, DocumentFormat.STACKEXCHANGE)
