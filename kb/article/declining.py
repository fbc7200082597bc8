"""What states no problem: manuals, tutorials, questions about a product, release notes, lists of links.

Such a document is no incident, however many errors it names. Whether a document, or one of the problems it was split into, is
one of them is decided by points: `rules/declining.txt` holds the words and what each feature weighs. A missed manual costs a
look and a declined incident is lost, so a short note is declined only where it asks, lists links or notes changes, and never
where it states both cause and fix or shows an error. Whoever wants all of them asks `kb ingest --keep-all`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any

import re2

from kb.article.blocks import Block, BlockKind, plain
from kb.article.sections import sections
from kb.article.split.problems import collects, failing, heading
from kb.article.vocabulary import SectionRole, key_of, lines_of
from kb.errors import RulesError
from kb.incident import Incident
from kb.language import simplify
from kb.patterns import lazy

_WORDS = ("teaches", "chapter", "asks", "changes", "bills", "solves", "story")
_AT_BEGIN = frozenset(("asks",))
_CAUSES = frozenset((SectionRole.ROOT_CAUSE, SectionRole.POSSIBLE_CAUSE))
_MENDS = frozenset((SectionRole.FIX, SectionRole.WORKAROUND))
_SHOWS = frozenset((SectionRole.SYMPTOM, SectionRole.TRACE))
_LINK = lazy(r"\[[^\[\]\n]{0,300}\]\([^()\n]{0,500}\)|https?://\S{1,500}")
_VERSION = lazy(r"[ -~]{0,16}")
"""What may follow *release notes* in the title of such: a product, a version."""
_LEAST = frozenset(("threshold", "evidence"))
_READ = 64_000
"""Characters of a document that are looked at."""
_SHORT = 1_200
"""Bytes of an answer: manuals are longer."""
_CHAPTERS = 8
_EARLY = 0.3
"""Share of a document before which a trace is what the document is about."""
_LISTED = 0.5
"""Share of the words that are links in a list of links."""
_PAGE = " — "
"""Stands between the title of a problem and that of the page it was split from (`kb.article.naming`)."""


class Declined(StrEnum):
    """What a document is that states no problem."""

    MANUAL = "manual"
    """A manual, a menu, a reference, an essay."""
    TUTORIAL = "tutorial"
    """It shows how something is done, in code."""
    QUESTION = "question"
    """A question about a product: what it is, what it costs, how to use it."""
    CHANGES = "changes"
    """Release notes."""
    LINKS = "links"


@dataclass(frozen=True, slots=True)
class _Rules:
    words: Mapping[str, Any]
    points: Mapping[str, float]


def declined(incident: Incident, blocks: Sequence[Block], page: str, places: Sequence[int]) -> Declined | None:
    """Why a piece of a document is no incident; None where it states a problem, or may do so.

    ``page`` is the title of the whole document, ``places`` where the traces of the piece stand in it.
    """
    title = incident.title.partition(_PAGE)[0]
    features = dict(_of_title(title, page))
    features |= dict(_of_sections(title, blocks)) | dict(_of_text(blocks))
    features |= {
        "list of links": features["list of links"]
        and not (places or features["fails"] or features["fix heading"] or features["cause heading"]),
        "asks only": features["asks"] and features["nothing fails"],
        "trace": float(bool(places)),
        "early": float(_is_early(blocks, places)),
        "log": float(len(incident.traces) > len(places)),
        "states cause": float(incident.root_cause is not None),
        "states fix": float(incident.fix is not None),
    }
    if features["short"] and not features["many headings"] and not _may_be_declined(incident, features):
        return None
    points = _rules().points
    weighed = [weight * features[name] for name, weight in points.items() if name not in _LEAST]
    if sum(weighed) < points["threshold"] or sum(one for one in weighed if one > 0) < points["evidence"]:
        return None
    return _kind(features)


def _may_be_declined(note: Incident, features: Mapping[str, float]) -> bool:
    """Whether a short note may state no problem: it asks, lists or announces, shows no error, and does not state both cause and fix."""
    is_stated = note.root_cause is not None and note.fix is not None
    announces = any(features[name] for name in ("asks", "bills", "changes", "list of links"))
    return announces and not is_stated and not note.traces


def _kind(features: Mapping[str, float]) -> Declined:
    if features["changes"]:
        return Declined.CHANGES
    if features["list of links"]:
        return Declined.LINKS
    if features["asks"] or features["bills"]:
        return Declined.QUESTION
    return Declined.TUTORIAL if features["code"] >= 1 else Declined.MANUAL


def _of_title(title: str, page: str) -> Iterator[tuple[str, float]]:
    """What the title of a piece and that of its page say."""
    words, about = _rules().words, heading(title)
    own, around = _readable(title), _readable(page)
    yield "fails", about.fails
    for name in ("teaches", "solves"):
        yield name, words[name].search(own) is not None
    asks = words["asks"].match(_readable(key_of(title))) is not None
    yield "asks", asks
    yield "bills", words["bills"].search(own) is not None and (asks or about.asks)
    noted = words["changes"].search(own)
    yield "changes", noted is not None and _VERSION.fullmatch(own[noted.end() :]) is not None and not about.fails
    yield "page solves", collects(page) or words["solves"].search(around) is not None


def _of_sections(title: str, blocks: Sequence[Block]) -> Iterator[tuple[str, float]]:
    """What the headings say: those of a write-up, or chapters."""
    parts = sections(blocks, title)
    labelled = {part.roles[0] for part in parts if part.labelled and part.roles}
    every = {role for part in parts for role in part.roles}
    heads = [key_of(one.text) for one in blocks if one.kind is BlockKind.HEADING and plain(one.text).strip() != title]
    yield "story", any(_rules().words["story"].search(_readable(one)) is not None for one in heads)
    chapters = sum(_rules().words["chapter"].search(_readable(one)) is not None for one in heads)
    yield "symptom section", bool(labelled & _SHOWS)
    yield "cause section", bool(labelled & _CAUSES)
    yield "fix section", bool(labelled & _MENDS)
    yield "cause heading", bool(every & _CAUSES)
    yield "fix heading", bool(every & _MENDS)
    yield "failing headings", min(sum(heading(one).fails for one in heads), 4)
    yield "headings", min(len(heads), 30) / 10
    yield "many headings", len(heads) >= _CHAPTERS
    yield "chapters", min(chapters, 8) / 4
    yield "share of chapters", chapters / len(heads) if heads else 0.0


def _of_text(blocks: Sequence[Block]) -> Iterator[tuple[str, float]]:
    """How long it is, how much of it is code and links, whether a word of it fails."""
    text = "\n".join(one.text for one in blocks if one.kind is not BlockKind.CODE)[:_READ]
    code = sum(len(one.text) for one in blocks if one.kind is BlockKind.CODE)
    links = [len(one[0]) for one in _LINK.finditer(text)]
    yield "short", len(text.encode(errors="replace")) < _SHORT
    yield "code", min(code / max(len(text), 1), 3.0)
    yield "nothing fails", not failing(text)
    yield "list of links", len(links) > 2 and sum(links) >= _LISTED * len(text)


def _is_early(blocks: Sequence[Block], places: Sequence[int]) -> bool:
    """Whether a trace stands near the beginning."""
    if not places or not blocks:
        return False
    begin, end = blocks[0].start, max(one.end for one in blocks)
    return (min(places) - begin) < _EARLY * max(end - begin, 1)


def _readable(words: str) -> str:
    """In lower case and simplified, as RE2 takes it."""
    return simplify(words[:300]).lower().encode("utf-8", "replace").decode()


@lru_cache(maxsize=1)
def _rules() -> _Rules:
    phrases: dict[str, list[str]] = {name: [] for name in _WORDS}
    points: dict[str, float] = {}
    for number, line in lines_of("declining.txt"):
        kind, _, rest = line.partition(" ")
        try:
            if kind == "points":
                value, _, name = rest.partition(" ")
                points[name] = float(value)
            else:
                phrases[kind] += (one.strip().lower() for one in rest.split(","))
        except (KeyError, ValueError):
            cure = f"begin the line with points or {', '.join(_WORDS)}"
            raise RulesError(f"declining.txt line {number}: {line!r}", cure=cure) from None
    return _Rules({name: _pattern(listed, name in _AT_BEGIN) for name, listed in phrases.items()}, points)


def _pattern(phrases: list[str], at_begin: bool) -> Any:  # noqa: FBT001  private, one caller
    """Whole words in English, anywhere in Chinese."""
    words = "|".join(rf"\b{re2.escape(one)}\b" if one.isascii() else re2.escape(one) for one in phrases)
    return re2.compile(rf"\A(?:{words})" if at_begin else words)
