"""Cuts XML exports: Jira's search result, a Stack Exchange dump, a Confluence space."""

import hashlib
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ingest.quality import Reason
from ingest.sources.elements import as_json, elements
from ingest.sources.formats import Format
from ingest.sources.gathered import Gathered, gathered
from ingest.sources.listing import MAX_DOCUMENT
from ingest.sources.records import DamagedError, Record


def made(name: str, value: object, form: Format) -> Record:
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
        yield made(f"#{key or _hash(value)}", {"item": value}, Format.JIRA)


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


def _post(row: dict[str, str], posts: Gathered) -> Record | None:
    kind = row.get("PostTypeId")
    group = _number(row.get("Id" if kind == _QUESTION else "ParentId"))
    name = f"#{row.get('Id', '')[:40] or _hash(row)}"
    if kind not in {_QUESTION, _ANSWER}:
        return Record(name, reason=Reason.UNSUPPORTED, detail=f"{_KINDS.get(kind or '', 'a post')}, no question")
    if group is None:
        return Record(name, reason=Reason.INVALID_RECORD, detail="a post without its number")
    data = json.dumps(row, ensure_ascii=False).encode()
    if len(data) > MAX_DOCUMENT // 2:
        return Record(name, reason=Reason.TOO_LARGE, detail=f"{len(data):,} bytes")
    posts.add(group, _CLOSEST if kind == _QUESTION else -(_number(row.get("Score")) or 0), data)
    return None


def _number(text: str | None) -> int | None:
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
    yield made(f"#{number}", {"question": question, "answers": answers}, Format.STACKEXCHANGE)


_PAGES = frozenset(("Page", "BlogPost"))


def cut_entities(stream: io.BufferedReader, scratch: Path) -> Iterator[Record]:
    """Every page and blog post of a space as it stands now, with its comments and labels. Raises `DamagedError`.

    Former versions, drafts and what lies in the bin are no pages and are passed over.
    """
    with gathered(scratch) as parts:
        links = _Links()
        damage: DamagedError | None = None
        try:
            for entity in elements(stream, "object"):
                _entity(entity, parts, links)
        except DamagedError as error:
            damage = error
        parts.sort()
        for comment, page in links.comments.items():
            if comment != page:
                parts.move(comment, page, rank=2)
        for number, rows, left in parts.groups():
            if (page_record := _page(number, [json.loads(row) for row in rows], links)) is not None:
                yield page_record
            if left:
                yield Record(f"#{number}/rest", reason=Reason.TOO_LARGE, detail=f"{left} comments beyond 8 MB")
        if damage is not None:
            raise damage


class _Links:
    """What the entities say of one another, by their numbers."""

    def __init__(self) -> None:
        self.comments: dict[int, int] = {}
        """Comment → page."""
        self.labels: dict[int, str] = {}
        self.labelled: dict[int, list[int]] = {}
        """Page → labels."""
        self.spaces: dict[int, str] = {}


def _entity(entity: Any, parts: Gathered, links: _Links) -> None:
    """Notes one object of the export, or passes it over."""
    kind = entity.get("class") or ""
    number = _number((entity.findtext("id") or "").strip())
    if number is None:
        return
    told = {one.get("name"): one for one in entity.iterchildren("property")}
    words = {name: (one.text or "").strip() for name, one in told.items()}
    other = {name: _number((one.findtext("id") or "").strip()) for name, one in told.items()}
    if kind in _PAGES and words.get("contentStatus", "current") == "current" and other.get("originalVersion") is None:
        page = {"title": words.get("title", ""), "created": words.get("creationDate", ""), "space": other.get("space")}
        parts.add(number, 0, json.dumps({"page": page}).encode())
    elif kind == "BodyContent" and (content := other.get("content")) is not None:
        body = words.get("body", "").replace("]] >", "]]>")  # how the export keeps marked sections apart
        parts.add(content, 1, json.dumps({"of": content, "body": body[:MAX_DOCUMENT]}).encode())
    elif kind == "Comment":
        page_of = next(
            (other[one] for one in ("containerContent", "owner", "page") if other.get(one) is not None), None
        )
        if page_of is not None:
            links.comments[number] = page_of
    elif kind == "Label":
        links.labels[number] = words.get("name", "")
    elif kind == "Space":
        links.spaces[number] = words.get("key") or words.get("name", "")
    elif kind == "Labelling" and (labelled := other.get("content")) is not None and (label := other.get("label")):
        links.labelled.setdefault(labelled, []).append(label)


def _page(number: int, rows: list[dict[str, Any]], links: _Links) -> Record | None:
    """The page of its rows: itself, its body, the bodies of its comments."""
    page = next((row["page"] for row in rows if "page" in row), None)
    if page is None:
        return None
    own = "".join(row["body"] for row in rows if row.get("of") == number)
    comments = [row["body"] for row in rows if row.get("of", number) != number]
    labels = [links.labels[one] for one in links.labelled.get(number, []) if links.labels.get(one)]
    space = links.spaces.get(page["space"] or -1, "")
    page |= {"id": str(number), "space": space, "labels": labels, "body": own, "comments": comments}
    return made(f"#{number}", {"page": page}, Format.CONFLUENCE)
