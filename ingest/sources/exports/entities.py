"""Cuts ``entities.xml``, the export of a Confluence space: pages as they stand now, with their labels and comments.

Written after what the importers of other wikis know of it; Atlassian documents none of it. Before Confluence 8 a page names its
labellings, since then a labelling names its page.
"""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ingest.quality import Reason
from ingest.sources.exports.gathered import GroupedRows, gathered
from ingest.sources.exports.records import DamagedError, Record
from ingest.sources.exports.xml_records import elements, made, number_of
from ingest.sources.formats import DocumentFormat
from ingest.sources.listing import MAX_DOCUMENT

_PAGES = frozenset(("Page", "BlogPost"))
_FORMER = ("originalVersion", "originalVersionId")
_WIKI = "0"
"""The body type of Confluence 3: wiki markup."""


def cut_entities(stream: io.BufferedReader, scratch: Path) -> Iterator[Record]:
    """Every page and blog post of a space as it stands now. Raises `DamagedError`.

    Former versions, drafts and what lies in the bin are no pages and are passed over.
    """
    with gathered(scratch) as parts:
        links = _Links()
        damage: DamagedError | None = None
        try:
            for element in elements(stream, "object"):
                if (entity := _Entity(element)).number is not None:
                    _note(entity, parts, links)
        except DamagedError as error:
            damage = error
        parts.sort()
        for comment, page in links.comments.items():
            if comment != page:
                parts.move(comment, page, rank=2)
        for number, rows, left in parts.groups():
            if (record := _page(number, [json.loads(row) for row in rows], links)) is not None:
                yield record
            if left:
                yield Record(f"#{number}/rest", reason=Reason.TOO_LARGE, detail=f"{left} comments beyond 8 MB")
        if damage is not None:
            raise damage


class _Entity:
    """One object of the export: its class, its number, what it states and which others it names."""

    def __init__(self, element: Any) -> None:
        self.kind: str = element.get("class") or ""
        self.number = _id(element)
        properties = {one.get("name"): one for one in element.iterchildren("property")}
        self.words = {name: (one.text or "").strip() for name, one in properties.items()}
        self.others = {name: number for name, one in properties.items() if (number := _id(one)) is not None}
        lists = {one.get("name"): one for one in element.iterchildren("collection")}
        self.labellings = [_id(one) for one in lists.get("labellings", ())]

    @property
    def current(self) -> bool:
        """No former version, no draft, not in the bin."""
        former = any(name in self.others or self.words.get(name) for name in _FORMER)
        return not former and self.words.get("contentStatus", "current") == "current"


def _id(element: Any) -> int | None:
    return number_of((element.findtext("id") or "").strip())


class _Links:
    """What the entities say of one another, by their numbers."""

    def __init__(self) -> None:
        self.comments: dict[int, int] = {}
        """Comment → page."""
        self.labels: dict[int, str] = {}
        self.labellings: dict[int, int] = {}
        """Labelling → label."""
        self.labelled: dict[int, list[int]] = {}
        """Page → labellings."""
        self.spaces: dict[int, str] = {}

    def labels_of(self, page: int) -> list[str]:
        """The names of a page's labels."""
        labels = (self.labels.get(self.labellings.get(one, -1), "") for one in self.labelled.get(page, []))
        return list(dict.fromkeys(filter(None, labels)))


def _note(entity: _Entity, parts: GroupedRows, links: _Links) -> None:
    """Notes one object, or passes it over."""
    number, words, others = entity.number, entity.words, entity.others
    assert number is not None
    if entity.kind in _PAGES and entity.current:
        page = {"title": words.get("title", ""), "created": words.get("creationDate", ""), "space": others.get("space")}
        parts.add(number, 0, json.dumps({"page": page}).encode())
        links.labelled.setdefault(number, []).extend(one for one in entity.labellings if one is not None)
    elif entity.kind == "BodyContent" and "content" in others:
        body = words.get("body", "").replace("]] ", "]]")  # how the export keeps marked sections in one another apart
        comment = {"of": others["content"], "body": body[:MAX_DOCUMENT], "wiki": words.get("bodyType") == _WIKI}
        parts.add(others["content"], 1, json.dumps(comment).encode())
    elif entity.kind == "Comment" and entity.current:
        page_of = others.get("containerContent", others.get("owner", others.get("page")))
        if page_of is not None:
            links.comments[number] = page_of
    elif entity.kind == "Label":
        links.labels[number] = words.get("name", "")
    elif entity.kind == "Space":
        links.spaces[number] = words.get("key") or words.get("name", "")
    elif entity.kind == "Labelling" and "label" in others:
        links.labellings[number] = others["label"]
        if "content" in others:
            links.labelled.setdefault(others["content"], []).append(number)


def _page(number: int, rows: list[dict[str, Any]], links: _Links) -> Record | None:
    """The page of its rows: itself, its body, the bodies of its comments; None where they belong to no page of now."""
    page = next((row["page"] for row in rows if "page" in row), None)
    if page is None:
        return None
    own = [row for row in rows if row.get("of") == number]
    comments = [row["body"] for row in rows if row.get("of", number) != number]
    page |= {"id": str(number), "space": links.spaces.get(page["space"] or -1, ""), "labels": links.labels_of(number)}
    page |= {"body": "".join(row["body"] for row in own), "comments": comments, "wiki": any(row["wiki"] for row in own)}
    return made(f"#{number}", {"page": page}, DocumentFormat.CONFLUENCE)
