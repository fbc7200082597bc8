"""A document taken apart → the incidents it tells of."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from kb.article.announced import announced
from kb.article.blocks import Block, Document, Kind, plain
from kb.article.frontmatter import Meta, day_of, list_of, text_of
from kb.article.naming import address, document_id, part_address, part_ids, part_title, title_of
from kb.article.parts import Part, Parts, parts_of
from kb.article.sections import Section, sections, without_chrome
from kb.article.stated import stated
from kb.article.traces import Found, all_traces, counting
from kb.article.vocabulary import Role
from kb.entities.annotate import annotated, component_of_page
from kb.incident import Incident, Source
from kb.language import detect
from kb.record import read_chains, scrub
from kb.redact import redact

_SYMPTOM_LIMIT = 600
_COMPONENT = ("component", "product")
_LETTER = re.compile(r"\w")
_CODE_LINE = re.compile(r"\s*(?:at\s+[\w.$]+[.(]|Caused by:|[{}<>$#|]|\.\.\. \d+ )|.*[;{}]\s*\Z")


@dataclass(frozen=True, slots=True)
class Told:
    """What a document tells: its title, its language, its problems."""

    title: str
    lang: str
    incidents: tuple[Incident, ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """What one incident is read from: a document, or one of the problems of a document."""

    document: Document
    found: tuple[Found, ...]
    title: str
    id: str
    url: str
    context: str = ""
    """Words of the document around a problem that hold for it, too."""
    page: str | None = None
    """The component that the document around a problem is about."""

    @property
    def trace_lines(self) -> frozenset[str]:
        """The lines of its traces."""
        return _lines(self.found)

    @property
    def anchor_lines(self) -> frozenset[str]:
        """The lines of the first trace with frames; of every trace where none has."""
        main = (one for one in self.found if any(raised.stack.frames for raised in one.chain.exceptions))
        return _lines(self.found if (first := next(main, None)) is None else [first])


def pieces_of(document: Document, name: str) -> list[Piece]:
    """The document without what surrounds an article; a piece for each problem where it lists several."""
    return _pieces(*_whole(document, name))


def told_by(document: Document, name: str, *, several: bool = True) -> Told:
    """The title of a document and its incidents: one; several where it may and does list problems; none where it has no words."""
    whole, every = _whole(document, name)
    pieces = _pieces(whole, every) if several else [whole]
    incidents = tuple(filter(None, (_incident(piece, name) for piece in pieces)))
    if len(incidents) < 2 <= len(pieces):  # headings over nothing
        incidents = tuple(filter(None, (_incident(whole, name),)))
    if len(incidents) == 1:
        return Told(incidents[0].title, incidents[0].lang, incidents)
    words = "\n".join((whole.title, *(plain(one.prose) for one in incidents)))
    return Told(redact(whole.title).text, detect(words), incidents)


def _whole(document: Document, name: str) -> tuple[Piece, tuple[Found, ...]]:
    """The document as one piece, and every trace of it."""
    document = replace(document, blocks=without_chrome(document.blocks))
    every = all_traces(document)
    found = counting(every)
    title = title_of(document, found, name)
    return Piece(document, found, title, document_id(document, name), address(document, name)), every


def _pieces(whole: Piece, every: Sequence[Found]) -> list[Piece]:
    """The document, or its problems where it lists several, then what belongs to none of them, then rows of tables of errors."""
    document = whole.document
    places = sorted(one.place for one in every if not one.is_mention)

    def shows(block: Block) -> bool:
        at = bisect_left(places, block.start)
        return at < len(places) and places[at] < max(block.end, block.start + 1)

    parts = parts_of(document.text, document.blocks, whole.title, shows)
    if parts is None:
        return [whole]
    spans = [part.span for part in parts.problems]
    outside = [one for one in every if not any(start <= one.place < end for start, end in spans)]
    pieces = _problems(whole, parts.problems, parts, every)
    if parts.is_worth or any(not one.is_mention for one in outside):
        pieces.append(replace(whole, document=replace(document, blocks=parts.rest), found=counting(outside)))
    return pieces + _problems(whole, parts.rows, parts, ())


def _problems(whole: Piece, told: tuple[Part, ...], parts: Parts, every: Sequence[Found]) -> list[Piece]:
    found = [counting(one for one in every if start <= one.place < end) for start, end in (part.span for part in told)]
    titles = [part_title(part, traces, whole.title) for part, traces in zip(told, found, strict=True)]
    ids = part_ids(whole.id, told, titles)
    context = "\n".join(plain(block.text).strip() for block in parts.context)
    page = text_of(whole.document.meta, *_COMPONENT) or component_of_page(
        whole.title, _tags(whole.document.meta), whole.url, context
    )
    return [
        Piece(
            replace(whole.document, blocks=part.blocks),
            traces,
            title,
            name,
            part_address(whole.url, part),
            context,
            page,
        )
        for part, traces, title, name in zip(told, found, titles, ids, strict=True)
    ]


def _incident(piece: Piece, name: str) -> Incident | None:
    """The incident of a piece, or None when it has no words and no trace."""
    meta, found, title = piece.document.meta, piece.found, piece.title
    parts = sections(piece.document.blocks, title)
    is_trace = _among(piece.trace_lines)
    told = stated(parts, title, is_trace, _among(piece.anchor_lines))
    text = piece.document.text
    quotes = {name: quote for name, quote in (("root_cause", told.cause), ("fix", told.fix)) if quote}
    behind = {name: announced(one.sentences[-1], one.blocks, text, is_trace) for name, one in quotes.items()}
    if behind.get("root_cause") == behind.get("fix"):
        behind.pop("root_cause", None)  # it stands with the fix
    cause, fix = (quote.text if quote else None for quote in (told.cause, told.fix))
    symptom = _symptom(parts, is_trace)
    prose = _prose(parts, is_trace, [title, *filter(None, (symptom, cause, fix))])
    if not found and not prose and symptom is None and cause is None and fix is None:
        return None
    traces = tuple(one.text for one in found)
    shown = "\n".join(filter(None, (title, symptom, cause, fix, prose)))
    incident = Incident(
        id=piece.id,
        title=title,
        lang=detect(plain(shown)),
        source=Source(path=name, url=piece.url),
        component=text_of(meta, *_COMPONENT),
        versions=tuple(one for one in list_of(meta, "versions") if any(map(str.isdigit, one))),  # "all" names none
        symptom=symptom,
        root_cause=cause,
        fix=fix,
        traces=traces,
        chains=read_chains(traces),
        prose="\n".join(filter(None, (prose, piece.context))),
        tags=_tags(meta),
        codes=list_of(meta, "codes"),
        created=day_of(meta.get("created") or meta.get("date") or meta.get("pubdate")),
        quotes={name: quote.places(text) for name, quote in quotes.items()},
        announced={name: shown for name, shown in behind.items() if shown},
    )
    return annotated(scrub(incident), piece.page)


def _tags(meta: Meta) -> tuple[str, ...]:
    return list_of(meta, "tags", "tag", "keywords", "categories", "category")


def _lines(found: Iterable[Found]) -> frozenset[str]:
    return frozenset(line.strip() for one in found for line in one.text.splitlines() if line.strip())


def _among(lines: frozenset[str]) -> Callable[[str], bool]:
    return (lambda line: line.strip() in lines) if lines else (lambda _line: False)


def _symptom(parts: tuple[Section, ...], is_trace: Callable[[str], bool]) -> str | None:
    """The stated symptom, else the first words of the document that are no section of another role."""
    for part in parts:
        if Role.SYMPTOM in part.roles and (words := _words(part.blocks, is_trace, _SYMPTOM_LIMIT)):
            return words
    for part in parts:
        before = _before_trace(part, is_trace)
        if before and (words := _words(before, is_trace, _SYMPTOM_LIMIT)) and len(words) >= 20:
            return words
    for part in parts:
        if (not part.roles or part.roles[0] in {Role.TRACE, Role.BACKGROUND}) and (
            words := _words(part.blocks, is_trace, _SYMPTOM_LIMIT)
        ):
            return words
    return None


def _before_trace(part: Section, is_trace: Callable[[str], bool]) -> tuple[Block, ...]:
    """The last blocks of words before the first trace, when it stands in this section."""
    for at, block in enumerate(part.blocks):
        if any(is_trace(line) for line in block.text.split("\n")):
            words = [one for one in part.blocks[:at] if one.kind is not Kind.CODE]
            return tuple(words[-2:])
    return ()


def _words(blocks: Iterable[Block], is_trace: Callable[[str], bool], limit: int) -> str | None:
    taken: list[str] = []
    size = 0
    for block in blocks:
        if block.kind is Kind.CODE:
            continue
        text = _without_traces(block.text, is_trace)
        if not text or (taken and size + len(text) > limit):
            if taken:
                break
            continue
        taken.append(text if len(text) <= 2 * limit else text[: 2 * limit])
        size += len(text)
    return "\n".join(taken) or None


def _without_traces(text: str, is_trace: Callable[[str], bool]) -> str:
    lines = (line for line in text.split("\n") if not is_trace(line))
    kept = "\n".join(plain(line).strip() for line in lines if not _CODE_LINE.match(line)).strip()
    return kept if _LETTER.search(kept) else ""


def _prose(parts: tuple[Section, ...], is_trace: Callable[[str], bool], taken: list[str]) -> str:
    """Every word that is no code, no trace and no list of links, and was not taken as title, symptom, cause or fix."""
    said = {" ".join(line.split()) for text in taken for line in plain(text).split("\n")} - {""}
    inner = sorted((one for one in said if len(one) >= 12), key=lambda one: (-len(one), one))[:12]
    lines: list[str] = []
    above = ""
    for part in parts:
        if Role.REFERENCE in part.roles:
            continue
        if part.title and not part.labelled and part.title != above and " ".join(part.title.split()) not in said:
            lines.append(part.title)
        above = above if part.labelled else part.title
        for block in part.blocks:
            if block.kind is Kind.CODE:
                continue
            for line in _without_traces(block.text, is_trace).split("\n"):
                rest = " ".join(line.split())
                for one in inner:
                    rest = rest.replace(one, "")
                if _LETTER.search(rest) and rest not in said:
                    lines.append(rest.strip())
    return "\n".join(lines)
