"""What states no problem: manuals, tutorials, questions about a product, release notes, lists of links.

Such a document is no incident, however many errors it names. Whether a document, or one of the problems it was split into, is
one of them is decided by a linear model over a few features and the n-grams of its headings and its beginning: `kb roles train`
learns the weights (`rules/declining.tsv`), `rules/declining.txt` holds the words of the features and what rare kinds weigh. A missed
manual costs a look and a declined incident is lost, so a short note is declined only where it asks, lists links or notes changes,
and never where it states both cause and fix or shows an error. Whoever wants all of them asks `kb ingest --keep-all`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from math import sqrt
from typing import Any

import re2

from kb.article.blocks import Block, BlockKind, plain
from kb.article.quotes.wording import grams
from kb.article.sections import sections
from kb.article.split.problems import collects, failing, heading
from kb.article.vocabulary import SectionRole, bare, key_of, lines_of
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
_READ = 64_000
"""Characters of a document that are looked at."""
RARE: Mapping[str, float] = {"changes": 4.0, "list of links": 3.0, "bills": 4.5, "asks only": 1.5, "story": -3.0}
"""What features weigh that too few labelled pieces have: by reason, in log-odds."""
_BEGINS = 500
"""Characters of its text whose n-grams are weighed."""
_HEADINGS = 40
"""Headings whose n-grams are weighed."""
_SHORT = 1_200
"""Bytes of an answer: manuals are longer."""
_CHAPTERS = 8
_APART = frozenset((BlockKind.CODE, BlockKind.HEADING))
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
class PieceEvidence:
    """What tells whether a piece of a document states a problem."""

    features: Mapping[str, float]
    headings: frozenset[str]
    """n-grams (`kb.article.quotes.wording.grams`) of its title and its headings."""
    words: frozenset[str]
    """Those of the beginning of its text."""


@dataclass(frozen=True, slots=True)
class DecliningWeights:
    """What was learned of pieces that readers labelled (`kb roles train`), in log-odds of stating no problem."""

    threshold: float
    """From where on a piece is declined."""
    features: Mapping[str, float]
    headings: Mapping[str, float]
    """By n-gram; their sum is divided by the root of the number of n-grams that a piece has of both kinds."""
    words: Mapping[str, float]

    def score(self, found: PieceEvidence) -> float:
        """The log-odds that a piece states no problem."""
        grams = sum(self.headings.get(gram, 0.0) for gram in found.headings)
        grams += sum(self.words.get(gram, 0.0) for gram in found.words)
        own = sum(weight * found.features[name] for name, weight in (*self.features.items(), *RARE.items()))
        return own + grams / sqrt(max(len(found.headings) + len(found.words), 1))


def declined(incident: Incident, blocks: Sequence[Block], page: str, places: Sequence[int]) -> Declined | None:
    """Why a piece of a document is no incident; None where it states a problem, or may do so.

    ``page`` is the title of the whole document, ``places`` where the traces of the piece stand in it.
    """
    found = evidence(incident, blocks, page, places)
    learned = _learned()
    if not may_be_declined(incident, found.features) or learned.score(found) <= learned.threshold:
        return None
    return _kind(found.features)


def evidence(incident: Incident, blocks: Sequence[Block], page: str, places: Sequence[int]) -> PieceEvidence:
    """What a piece of a document shows, by the names of ``rules/declining.tsv``; parameters as those of `declined`."""
    title = incident.title.partition(_PAGE)[0]
    features = dict(_of_title(title, page))
    features |= dict(_of_sections(title, blocks)) | dict(_of_text(blocks))
    features |= {
        "bias": 1.0,
        "list of links": features["list of links"]
        and not (places or features["fails"] or features["fix heading"] or features["cause heading"]),
        "asks only": features["asks"] and features["nothing fails"],
        "trace": float(bool(places)),
        "early": float(_is_early(blocks, places)),
        "log": float(len(incident.traces) > len(places)),
        "states cause": float(incident.root_cause is not None),
        "states fix": float(incident.fix is not None),
    }
    heads = (title, *(one.text for one in blocks if one.kind is BlockKind.HEADING))[:_HEADINGS]
    text = "\n".join(plain(one.text) for one in blocks if one.kind not in _APART)[:_BEGINS]
    of_headings = frozenset(gram for head in heads for gram in grams(bare(head)))
    return PieceEvidence(features, of_headings, frozenset(grams(bare(text))))


def may_be_declined(note: Incident, features: Mapping[str, float]) -> bool:
    """Whether a piece may be declined: it is no short note, or one that asks, lists or announces, shows no error, and does not state both cause and fix."""
    if not features["short"] or features["many headings"]:
        return True
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
    words, about = _words(), heading(title)
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
    yield "story", any(_words()["story"].search(_readable(one)) is not None for one in heads)
    chapters = sum(_words()["chapter"].search(_readable(one)) is not None for one in heads)
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
def _words() -> Mapping[str, Any]:
    phrases: dict[str, list[str]] = {name: [] for name in _WORDS}
    for number, line in lines_of("declining.txt"):
        kind, _, rest = line.partition(" ")
        if kind not in phrases:
            raise RulesError(f"declining.txt line {number}: {line!r}", cure=f"begin the line with {', '.join(_WORDS)}")
        phrases[kind] += (one.strip().lower() for one in rest.split(","))
    return {name: _pattern(listed, name in _AT_BEGIN) for name, listed in phrases.items()}


@lru_cache(maxsize=1)
def _learned() -> DecliningWeights:
    kinds: dict[str, dict[str, float]] = {"threshold": {}, "feature": {}, "heading": {}, "word": {}}
    for number, line in lines_of("declining.tsv"):
        try:
            kind, name, weight = line.split("\t")
            kinds[kind][name] = float(weight)
        except (KeyError, ValueError):
            raise RulesError(
                f"declining.tsv line {number}: {line!r}", cure="write it again with `kb roles train`"
            ) from None
    threshold = kinds["threshold"].get("", 0.0)
    return DecliningWeights(threshold, kinds["feature"], kinds["heading"], kinds["word"])


def _pattern(phrases: list[str], at_begin: bool) -> Any:  # noqa: FBT001  private, one caller
    """Whole words in English, anywhere in Chinese."""
    words = "|".join(rf"\b{re2.escape(one)}\b" if one.isascii() else re2.escape(one) for one in phrases)
    return re2.compile(rf"\A(?:{words})" if at_begin else words)
