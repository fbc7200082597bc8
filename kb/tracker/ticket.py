"""A ticket: what a tracker, a forum or a mailing list holds about one problem. And ticket → `Document` → incident."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache
from importlib.resources import files
from itertools import groupby

from kb.article.blocks import Block, BlockKind, Document
from kb.article.formats.shown import ShownBlock, shown
from kb.article.quotes.cues import cues_of
from kb.article.reading import incidents_of
from kb.incident import Incident
from kb.record import scrub, short_hash, slug


class TicketPart(StrEnum):
    """The place of a post in its ticket, as the heading under which the readers of articles find it."""

    DESCRIPTION = "Description"
    ENVIRONMENT = "Environment"
    ANSWER = "Answer"
    """The tracker marks this post as the solution: the accepted answer, the marked reply."""
    DISCUSSION = "Discussion"


@dataclass(frozen=True, slots=True)
class Post:
    """One contribution: the description, a comment, an answer, a mail, or a field that a house added to its tracker."""

    heading: str
    """A `TicketPart`, or the name of the field."""
    blocks: tuple[Block, ...]
    author: str = ""


@dataclass(frozen=True, slots=True)
class Ticket:
    """One issue, question, page or thread. Everything is as the tracker states it; empty means *not stated*."""

    title: str
    posts: tuple[Post, ...]
    key: str = ""
    """By what its tracker knows it for ever: ``FLINK-31234``, ``apache flink 17``; makes the incident's id."""
    url: str = ""
    created: str = ""
    """ISO 8601 date."""
    component: str = ""
    versions: tuple[str, ...] = ()
    """Versions it affects, not those that fix it."""
    tags: tuple[str, ...] = ()
    licence: str | None = None
    is_page: bool = False
    """A page of a wiki, which may list several problems; anything else is about one."""
    extra: Mapping[str, object] = field(default_factory=dict)
    """What the tracker knows besides: its state, the versions that fix it, the tickets it duplicates."""


def incidents_of_ticket(ticket: Ticket, name: str) -> tuple[Incident, ...]:
    """Return the incidents of a ticket, read as an article with one section for each post; none when it is empty.

    Posts of robots are left out. ``name`` is the record's path, relative to its source.
    """
    meta: dict[str, object] = {
        "title": ticket.title,
        "id": _id(ticket.key),
        "url": ticket.url,
        "component": ticket.component,
        "versions": list(ticket.versions),
        "tags": list(ticket.tags),
        "created": ticket.created,
    }
    posts = _answered([post for post in ticket.posts if post.blocks and not is_robot(post.author)])
    read = incidents_of(_document(posts, ticket.title, meta), name, several=ticket.is_page)
    stated = {key: value for key, value in ticket.extra.items() if value}
    return tuple(_with(incident, ticket.licence, stated) for incident in read.incidents)


def _with(incident: Incident, licence: str | None, stated: Mapping[str, object]) -> Incident:
    source = replace(incident.source, licence=licence)
    return scrub(replace(incident, source=source, extra={**incident.extra, **stated}))


def _id(key: str) -> str:
    """``FLINK-31234`` → ``flink-31234``; a key that is cut there gets its hash behind it; "" without a key."""
    if not key:
        return ""
    return slug(key) if len(slug(key)) < 40 else f"{slug(key)}-{short_hash(key)}"


_ANSWERS = re.compile(
    r"(?:(?:this|it) (?:is|was|has been|should be) |(?:i|we) (?:have )?|now |already )?"
    r"(?:fixed|resolved|solved|addressed) (?:(?:it|this|that|mine|the (?:issue|problem)) )?(?:now )?(?:in|by|via|with|as of|since) (?!my |our )"
    r"|(?:[该此这]?问题)?已经?(?:在|于|由|通过)(?!我)[^。，,\n]{1,40}(?:修复|解决)",
    re.IGNORECASE,
)


def _answered(posts: list[Post]) -> list[Post]:
    """The posts, of which the last comment that begins with what closed the ticket is its answer where the tracker names none."""
    closing = [at for at, post in enumerate(posts) if post.heading == TicketPart.DISCUSSION and _closes(post)]
    if not closing or any(post.heading == TicketPart.ANSWER for post in posts):
        return posts
    return [replace(post, heading=TicketPart.ANSWER) if at == closing[-1] else post for at, post in enumerate(posts)]


def _closes(post: Post) -> bool:
    """Whether its first words outside quotations say what mended it, as *Fixed in 5.2.1* does."""
    first = next((one.text for one in post.blocks if one.kind not in {BlockKind.CODE, BlockKind.QUOTE}), "")
    return _ANSWERS.match(first.strip()[:200]) is not None and not cues_of(first[:200]).negated


def _document(posts: Iterable[Post], title: str, meta: Mapping[str, object]) -> Document:
    found: list[Block] = []
    for post in posts:
        found.append(Block(BlockKind.HEADING, post.heading, 0, 0, 1))
        found += [
            one if one.kind is BlockKind.TABLE else replace(one, level=one.level and one.level + 1)
            for one in post.blocks
        ]
    return shown(_without_places(found), title, meta)


def laid_out(pieces: Iterable[ShownBlock]) -> tuple[Block, ...]:
    """Blocks one below the other, a blank line between them, the cells of a row beside each other; pieces without text are left out."""
    return shown((one for one in pieces if one.row or one.text.strip()), None, {}).blocks


def _without_places(blocks: Iterable[Block]) -> Iterator[ShownBlock]:
    """The blocks as they are before they have a place; cells of one place are a row."""
    row = 0
    for (is_cell, *_), run in groupby(blocks, key=lambda one: (one.kind is BlockKind.TABLE, one.start, one.end)):
        row += is_cell
        for one in run:
            if is_cell or one.text.strip():
                yield ShownBlock(one.kind, one.level, one.text, one.guessed, row if is_cell else 0)


_ROBOT = re.compile(r".{0,80}(?:\[bot\]|[\s_-]bot|robot)\Z", re.IGNORECASE)


def is_robot(author: str) -> bool:
    """Whether a name is that of a program that comments: `rules/robots.txt`, or a name that says so itself."""
    name = author.strip().lower()
    return bool(name) and (name in _robots() or _ROBOT.match(name) is not None)


@lru_cache(maxsize=1)
def _robots() -> frozenset[str]:
    text = files("kb.tracker").joinpath("rules", "robots.txt").read_text(encoding="utf-8")
    return frozenset(line.strip().lower() for line in text.splitlines() if line.strip() and not line.startswith("#"))
