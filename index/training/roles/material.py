"""The articles that teach: taken apart as ``kb ingest`` does, the marked ones with the spans that an expert would quote."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from kb.article.decode import decode
from kb.article.formats import take_apart
from kb.article.naming import title_of
from kb.article.sections import Section, sections, without_chrome
from kb.article.statements import SECTIONS, Statements, Target
from kb.article.traces import Found, traces_of

Spans = tuple[tuple[int, int], ...]
_HIDDEN = ""
"""The title of a section whose heading is hidden."""


@dataclass(frozen=True, slots=True)
class Marked:
    """What a reader marked in one article: the spans of each target, none where nothing is stated; a target may be unmarked."""

    name: str
    spans: Mapping[Target, Spans]


def marked(marks: Path) -> tuple[Marked, ...]:
    """The marked articles: name, target, offsets into the decoded document (``start-end start-end``, or ``none``)."""
    found: dict[str, dict[Target, Spans]] = {}
    for line in marks.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        name, target, places = line.split("\t")
        pairs = (place.split("-") for place in places.split() if place != "none")
        found.setdefault(name, {})[Target(target)] = tuple((int(start), int(end)) for start, end in pairs)
    return tuple(Marked(name, spans) for name, spans in found.items())


@dataclass(frozen=True, slots=True)
class Taken:
    """An article taken apart."""

    name: str
    title: str
    text: str
    parts: tuple[Section, ...]
    trace_lines: frozenset[str]
    anchor_lines: frozenset[str]
    """The lines of the first trace with frames; of every trace where none has."""

    def statements(self, hidden: Target | None = None) -> Statements:
        """Its sentences, with the headings of the sections about ``hidden`` taken for headings that say nothing."""
        parts = self.parts
        if hidden is not None:
            parts = tuple(
                replace(part, roles=(), labelled=False, title=_HIDDEN) if SECTIONS[hidden] & set(part.roles) else part
                for part in parts
            )
        return Statements(
            parts, lambda line: line.strip() in self.trace_lines, lambda line: line.strip() in self.anchor_lines
        )


def taken(path: Path) -> Taken:
    """An article of a file."""
    text = decode(path.read_bytes()).text
    document = take_apart(text, path.name)
    document = replace(document, blocks=without_chrome(document.blocks))
    found = traces_of(document)
    title = title_of(document, found, path.name)
    main = [one for one in found if any(raised.stack.frames for raised in one.chain.exceptions)][:1] or found
    return Taken(path.stem, title, document.text, sections(document.blocks, title), _lines(found), _lines(main))


def _lines(found: Iterable[Found]) -> frozenset[str]:
    return frozenset(line.strip() for one in found for line in one.text.splitlines() if line.strip())


def articles(data: Path) -> Iterator[Taken]:
    """Every article of an evaluation set, by name."""
    for path in sorted((data / "articles").rglob("*")):
        if path.is_file():
            yield taken(path)


def labelled(data: Path) -> frozenset[str]:
    """The names of the articles of the labelled set, which nothing may be learned from."""
    lines = (data / "gold/gold.jsonl").read_text(encoding="utf-8").splitlines()
    return frozenset(json.loads(line)["id"] for line in lines if line.strip())
