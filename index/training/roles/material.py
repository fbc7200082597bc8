"""The articles that teach: taken apart as ``kb ingest`` does, the marked ones with the spans that an expert would quote."""

import json
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kb.article.decode import decode
from kb.article.formats import take_apart
from kb.article.quotes.statements import SECTIONS, QuoteTarget, Statements
from kb.article.quotes.wording import Table
from kb.article.reading import pieces_of
from kb.article.sections import Section, sections

Spans = tuple[tuple[int, int], ...]
_HIDDEN = ""
"""The title of a section whose heading is hidden."""


@dataclass(frozen=True, slots=True)
class Marked:
    """What a reader marked in one article: the spans of each target, none where nothing is stated; a target may be unmarked."""

    name: str
    spans: Mapping[QuoteTarget, Spans]


def marked(marks: Path) -> tuple[Marked, ...]:
    """The marked articles: name, target, offsets into the decoded document (``start-end start-end``, or ``none``)."""
    found: dict[str, dict[QuoteTarget, Spans]] = {}
    for line in marks.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        name, target, places = line.split("\t")
        pairs = (place.split("-") for place in places.split() if place != "none")
        found.setdefault(name, {})[QuoteTarget(target)] = tuple((int(start), int(end)) for start, end in pairs)
    return tuple(Marked(name, spans) for name, spans in found.items())


@dataclass(frozen=True, slots=True)
class ArticleProblem:
    """An article taken apart, or one of the problems of an article that lists several."""

    name: str
    """Of the article."""
    title: str
    text: str
    """Of the article: what offsets count in."""
    parts: tuple[Section, ...]
    trace_lines: frozenset[str]
    anchor_lines: frozenset[str]

    def statements(self, table: Table, hidden: QuoteTarget | None = None) -> Statements:
        """Its sentences, with the headings of the sections about ``hidden`` taken for headings that say nothing."""
        parts = self.parts
        if hidden is not None:
            parts = tuple(
                replace(part, roles=(), labelled=False, title=_HIDDEN) if SECTIONS[hidden] & set(part.roles) else part
                for part in parts
            )
        return Statements(
            parts, lambda line: line.strip() in self.trace_lines, lambda line: line.strip() in self.anchor_lines, table
        )

    def holds(self, place: int) -> bool:
        """Whether an offset into the text of the article lies in one of its blocks."""
        return any(block.start <= place < block.end for part in self.parts for block in part.blocks)


def article_problems(path: Path) -> list[ArticleProblem]:
    """The problems of an article of a file, as `kb.article.read_article` tells them apart: one, mostly."""
    document = take_apart(decode(path.read_bytes()).text, path.name)
    return [
        ArticleProblem(
            path.stem,
            piece.title,
            document.text,
            sections(piece.document.blocks, piece.title),
            piece.trace_lines,
            piece.anchor_lines,
        )
        for piece in pieces_of(document, path.name)
    ]


def about(pieces: Sequence[ArticleProblem], spans: Spans) -> ArticleProblem:
    """The problem that spans stand in; the first with a trace where none was marked."""
    for place, _ in spans:
        for piece in pieces:
            if piece.holds(place):
                return piece
    return next((piece for piece in pieces if piece.trace_lines), pieces[0])


def articles(data: Path, but: Container[str]) -> dict[str, list[ArticleProblem]]:
    """Every article of an evaluation set by name, but those that may not teach."""
    files = sorted(path for path in (data / "articles").rglob("*") if path.is_file() and path.stem not in but)
    return {path.stem: pieces for path in files if (pieces := article_problems(path))}


def labelled(data: Path) -> frozenset[str]:
    """The names of the articles of the labelled set, which nothing may be learned from."""
    lines = (data / "gold/gold.jsonl").read_text(encoding="utf-8").splitlines()
    return frozenset(json.loads(line)["id"] for line in lines if line.strip())
