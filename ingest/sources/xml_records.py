"""Cuts XML exports: Jira's search result, a Stack Exchange dump."""

import hashlib
import io
import json
from collections.abc import Iterator
from pathlib import Path

from ingest.quality import Reason
from ingest.sources.elements import as_json, elements
from ingest.sources.formats import DocumentFormat
from ingest.sources.gathered import GroupedRows, gathered
from ingest.sources.listing import MAX_DOCUMENT
from ingest.sources.records import DamagedError, Record


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
