"""A parsed document → the incidents it describes."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kb.annotate import annotated, component_around, component_of_page
from kb.article.blocks import Block, BlockKind, Document, plain
from kb.article.declining import Declined, PieceEvidence, declined, evidence
from kb.article.logged import logged
from kb.article.naming import address, document_id, part_address, part_ids, part_title, telling_title, title_of
from kb.article.quotes.announced import MORE, announced, markdown_of
from kb.article.quotes.barred import CLEAR
from kb.article.quotes.cues import cues_of
from kb.article.quotes.passages import article_of, sections_of
from kb.article.quotes.quote import Quote
from kb.article.quotes.stated import stated
from kb.article.sections import Section, sections, without_chrome
from kb.article.split.parts import DocumentPart, DocumentParts, asides_of, parts_of
from kb.article.split.problems import collects
from kb.article.split.tables import without_secret_columns
from kb.article.traces import ExtractedTrace, all_traces, counting
from kb.article.vocabulary import SectionRole, compares, heading_roles
from kb.article.writeups.frontmatter import Meta, day_of, list_of, text_of
from kb.incident import Incident, Source
from kb.language import detect
from kb.patterns import lazy
from kb.record import read_chains, scrub
from kb.redact import Redaction, redact

_SYMPTOM_LIMIT = 600
_DISTINGUISH_LINES, _DISTINGUISH_LIMIT = 60, 4_000
"""Most lines and characters that are kept of what tells a cause apart; what is longer stays in the prose, too."""
_SHORTEST = 3  # characters of a piece of a secret that are sought in a block: fewer stand in other words, too
_REPORTS = frozenset(
    (
        SectionRole.SYMPTOM,
        SectionRole.TRACE,
        SectionRole.ANALYSIS,
        SectionRole.ROOT_CAUSE,
        SectionRole.POSSIBLE_CAUSE,
        SectionRole.WORKAROUND,
        SectionRole.FIX,
    )
)
_COMPONENT = ("component", "product")
_LETTER = lazy(r"\w")
_CODE_LINE = lazy(r"\s*(?:at\s+[\w.$]+[.(]|Caused by:|[{}<>$#|]|\.\.\. \d+ )|.*[;{}]\s*\Z")


@dataclass(frozen=True, slots=True)
class DocumentIncidents:
    """What a document tells: its title, its language, its problems."""

    title: str
    lang: str
    incidents: tuple[Incident, ...]
    declined: Mapping[str, Declined] = field(default_factory=dict)
    """Which of the incidents state no problem, and what they are, by id."""


@dataclass(frozen=True, slots=True)
class ProblemText:
    """What one incident is read from: a document, or one of the problems of a document."""

    document: Document
    traces: tuple[ExtractedTrace, ...]
    title: str
    id: str
    url: str
    context: str = ""
    """Words of the document around a problem that hold for it, too."""
    page: str | None = None
    """The component that the document around a problem is about."""
    around: str | None = None
    """The component that most of its problems name."""

    @property
    def trace_lines(self) -> frozenset[str]:
        """The lines of its traces."""
        return _lines(self.traces)

    @property
    def anchor(self) -> int | None:
        """Where its first trace begins."""
        return self.traces[0].place if self.traces else None

    @property
    def anchor_lines(self) -> frozenset[str]:
        """The lines of the first trace with frames; of every trace where none has."""
        main = (one for one in self.traces if any(raised.stack.frames for raised in one.chain.exceptions))
        return _lines(self.traces if (first := next(main, None)) is None else [first])


def pieces_of(document: Document, name: str) -> list[ProblemText]:
    """The document without what surrounds an article; a piece for each problem where it lists several."""
    return _pieces(*_whole(document, name))


def incidents_of(document: Document, name: str, *, several: bool = True) -> DocumentIncidents:
    """The title of a document and its incidents: one; several where it may and does list problems; none where it has no words."""
    whole, every = _whole(document, name)
    pieces = _pieces(whole, every) if several else [whole]
    read = _read(whole, pieces, name)
    none = {incident.id: reason for piece, incident in read if (reason := _declined(piece, incident, whole.title))}
    if several and len(pieces) == len(none) == 1:
        read += _asides(whole, every, name)
    incidents = tuple(incident for _, incident in read)
    if len(incidents) == 1:
        return DocumentIncidents(incidents[0].title, incidents[0].lang, incidents, none)
    words = "\n".join((whole.title, *(plain(one.prose) for one in incidents)))
    return DocumentIncidents(redact(whole.title).text, detect(words), incidents, none)


def evidence_of(document: Document, name: str) -> list[tuple[Incident, PieceEvidence]]:
    """The incidents of a document, each with what tells whether it states a problem: what `kb roles train` learns from."""
    whole, every = _whole(document, name)
    read = _read(whole, _pieces(whole, every), name)
    return [(one, evidence(one, piece.document.blocks, whole.title, _places(piece))) for piece, one in read]


def _read(whole: ProblemText, pieces: Sequence[ProblemText], name: str) -> list[tuple[ProblemText, Incident]]:
    read = _incidents(pieces, name)
    return _incidents([whole], name) if len(read) < 2 <= len(pieces) else read  # headings over nothing


def _incidents(pieces: Iterable[ProblemText], name: str) -> list[tuple[ProblemText, Incident]]:
    """Each piece with words or a trace, and its incident."""
    return [(piece, one) for piece in pieces if (one := _incident(piece, name)) is not None]


def _asides(whole: ProblemText, every: Sequence[ExtractedTrace], name: str) -> list[tuple[ProblemText, Incident]]:
    """The errors of a page that states no problem as a whole: those that have both a cause and a fix beside them."""
    parts = asides_of(whole.document.blocks, sorted(one.place for one in every if not one.is_mention))
    read = _incidents(_problems(whole, parts.problems, parts, every), name)
    stated = [(piece, one) for piece, one in read if one.traces and _is_outright(one)]
    return [(piece, one) for piece, one in stated if _declined(piece, one, whole.title) is None]


def _is_outright(one: Incident) -> bool:
    """Whether an incident states a cause and a fix that are worded as such."""
    return min(cues_of(one.root_cause or "").cause, cues_of(one.fix or "").fix) >= CLEAR


def _declined(piece: ProblemText, incident: Incident, page: str) -> Declined | None:
    """What a piece is that states no problem; None where its document says that it does."""
    if piece.document.meta.get("incident") in {True, "true"}:
        return None
    return declined(incident, piece.document.blocks, page, _places(piece))


def _places(piece: ProblemText) -> list[int]:
    return [one.place for one in piece.traces]


def _whole(document: Document, name: str) -> tuple[ProblemText, tuple[ExtractedTrace, ...]]:
    """The document as one piece, and every trace of it."""
    blocks = _without_secrets(without_chrome(document.blocks), document.text)
    document = replace(document, blocks=without_secret_columns(blocks))
    every = all_traces(document)
    found = counting(every)
    title = title_of(document, found, name)
    return ProblemText(document, found, title, document_id(document, name), address(document, name)), every


def _without_secrets(blocks: Sequence[Block], text: str) -> tuple[Block, ...]:
    """Blocks without what the whole text shows to be secret: neither a cell, nor a sentence, nor half a token shows it any more."""
    secrets = redact(text).redactions
    return tuple(_without(block, secrets, text) for block in blocks) if secrets else tuple(blocks)


def _without(block: Block, secrets: Sequence[Redaction], text: str) -> Block:
    words = block.text
    for one in secrets[bisect_right(secrets, block.start, key=lambda one: one.end) :]:
        if one.start >= block.end:
            break
        piece = text[max(one.start, block.start) : min(one.end, block.end)]
        words = words.replace(piece, one.placeholder) if len(piece) >= _SHORTEST else words
    return block if words == block.text else replace(block, text=words)


def _pieces(whole: ProblemText, every: Sequence[ExtractedTrace]) -> list[ProblemText]:
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
    listed = bool(parts.problems) and collects(whole.title)  # what is left of an FAQ are its other questions
    if (parts.is_worth and not listed) or any(not one.is_mention for one in outside):
        pieces.append(replace(whole, document=replace(document, blocks=parts.rest), traces=counting(outside)))
    return pieces + _problems(whole, parts.rows, parts, ())


def _problems(
    whole: ProblemText, problems: tuple[DocumentPart, ...], parts: DocumentParts, every: Sequence[ExtractedTrace]
) -> list[ProblemText]:
    found = [
        counting(one for one in every if start <= one.place < end) for start, end in (part.span for part in problems)
    ]
    titles = [part_title(part, traces, whole.title) for part, traces in zip(problems, found, strict=True)]
    ids = part_ids(whole.id, problems, titles)
    context = "\n".join(plain(block.text).strip() for block in parts.context)
    page = text_of(whole.document.meta, *_COMPONENT) or component_of_page(
        whole.title, _tags(whole.document.meta), whole.url, context
    )
    around = component_around(["\n".join(block.text for block in part.blocks) for part in problems])
    return [
        ProblemText(
            replace(whole.document, blocks=part.blocks),
            traces,
            title,
            name,
            part_address(whole.url, part),
            context,
            page,
            around,
        )
        for part, traces, title, name in zip(problems, found, titles, ids, strict=True)
    ]


def _incident(piece: ProblemText, name: str) -> Incident | None:
    """The incident of a piece, or None when it has no words and no trace."""
    meta, found, title = piece.document.meta, piece.traces, piece.title
    every = _believed(sections(piece.document.blocks, title))
    text, is_trace = piece.document.text, _among(piece.trace_lines)
    extracted = stated(every, title, is_trace, _among(piece.anchor_lines))
    quotes = {name: quote for name, quote in (("root_cause", extracted.cause), ("fix", extracted.fix)) if quote}
    places = {name: quote.places(text) for name, quote in quotes.items()}
    spans = {name: (places[name][0].start, places[name][-1].end, quote.text) for name, quote in quotes.items()}
    cause, fix = (quote.listed(text) if quote else None for quote in (extracted.cause, extracted.fix))
    distinguish, left = _distinguishing(every, text, is_trace)
    symptom = _symptom(left, is_trace)
    prose = _prose(left, is_trace, [title, *filter(None, (symptom, *(quote.text for quote in quotes.values())))])
    if not any((found, prose, symptom, cause, distinguish, fix)):
        return None
    traces = (*(one.text for one in found), *(lines := logged(every, found)))
    output = (line for line in lines if not read_chains((line,)))  # no chain finds it: it is searched as words
    incident = Incident(
        id=piece.id,
        title=telling_title(title, found, piece.document.blocks, lines),
        lang=detect(plain("\n".join(filter(None, (title, symptom, cause, distinguish, fix, prose))))),
        source=Source(path=name, url=piece.url),
        component=text_of(meta, *_COMPONENT),
        versions=tuple(one for one in list_of(meta, "versions") if any(map(str.isdigit, one))),  # "all" names none
        symptom=symptom,
        root_cause=cause,
        distinguish=distinguish,
        fix=fix,
        traces=traces,
        chains=read_chains(traces),
        prose="\n".join(filter(None, (*output, prose, piece.context))),
        tags=_tags(meta),
        codes=list_of(meta, "codes"),
        created=day_of(meta.get("created") or meta.get("date") or meta.get("pubdate")),
        quotes=places,
        announced=_announced(quotes, text, is_trace),
        sections=sections_of(piece.document, spans, piece.anchor, is_trace, extracted),
        article=article_of(piece.document),
    )
    return annotated(scrub(incident), piece.page, piece.around)


def _announced(quotes: Mapping[str, Quote], text: str, is_trace: Callable[[str], bool]) -> dict[str, str]:
    """What stands right behind each quotation, by the name of its field; what both announce, under the fix alone."""
    behind = {name: announced(one.sentences[-1], one.blocks, text, is_trace) for name, one in quotes.items()}
    if behind.get("root_cause") == behind.get("fix"):
        behind.pop("root_cause", None)
    return {name: shown for name, shown in behind.items() if shown}


def _tags(meta: Meta) -> tuple[str, ...]:
    return list_of(meta, "tags", "tag", "keywords", "categories", "category")


def _lines(found: Iterable[ExtractedTrace]) -> frozenset[str]:
    """As they read, and as blocks show them, without secrets."""
    texts = (text for one in found for text in {one.text, redact(one.text).text})
    return frozenset(line.strip() for text in texts for line in text.splitlines() if line.strip())


def _among(lines: frozenset[str]) -> Callable[[str], bool]:
    return (lambda line: line.strip() in lines) if lines else (lambda _line: False)


def _believed(parts: tuple[Section, ...]) -> tuple[Section, ...]:
    """The sections; a comparison (*区别*, difference) without the role of one that tells the cause apart where none beside it reports a problem."""
    others = [at for at, part in enumerate(parts) if SectionRole.DISTINGUISH not in part.roles]
    believed: list[Section] = []
    is_one = True
    for at, part in enumerate(parts):
        if SectionRole.DISTINGUISH in part.roles:
            place = bisect_left(others, at)
            beside = {role for other in others[max(place - 1, 0) : place + 1] for role in parts[other].roles}
            if heading_roles(part.title) == (SectionRole.DISTINGUISH,):  # else it stands below such a heading
                is_one = not compares(part.title) or not _REPORTS.isdisjoint(beside)
            part = part if is_one else replace(part, roles=())  # noqa: PLW2901
        believed.append(part)
    return tuple(believed)


def _distinguishing(
    parts: tuple[Section, ...], text: str, is_trace: Callable[[str], bool]
) -> tuple[str | None, tuple[Section, ...]]:
    """What tells the cause apart, and the sections that say the rest: all of them, where more is said than is kept.

    One section stands below the other, each below its heading where that says more than its role.
    """
    blocks: list[Block] = []
    rest: list[Section] = []
    for part in parts:
        if SectionRole.DISTINGUISH not in part.roles:
            rest.append(part)
            continue
        if part.title and not part.labelled:
            blocks.append(Block(BlockKind.PARAGRAPH, f"**{part.title}**", 0, 0))
        blocks += part.blocks
    shown = markdown_of(blocks, text, is_trace, lines=_DISTINGUISH_LINES, characters=_DISTINGUISH_LIMIT)
    return (shown, parts if shown.endswith(MORE) else tuple(rest)) if _LETTER.search(shown) else (None, parts)


def _symptom(parts: tuple[Section, ...], is_trace: Callable[[str], bool]) -> str | None:
    """The stated symptom, else the first words of the document that are no section of another role."""
    for part in parts:
        if SectionRole.SYMPTOM in part.roles and (words := _words(part.blocks, is_trace, _SYMPTOM_LIMIT)):
            return words
    for part in parts:
        before = () if SectionRole.DISTINGUISH in part.roles else _before_trace(part, is_trace)
        if before and (words := _words(before, is_trace, _SYMPTOM_LIMIT)) and len(words) >= 20:
            return words
    for part in parts:
        if (not part.roles or part.roles[0] in {SectionRole.TRACE, SectionRole.BACKGROUND}) and (
            words := _words(part.blocks, is_trace, _SYMPTOM_LIMIT)
        ):
            return words
    return None


def _before_trace(part: Section, is_trace: Callable[[str], bool]) -> tuple[Block, ...]:
    """The last blocks of words before the first trace, when it stands in this section."""
    for at, block in enumerate(part.blocks):
        if any(is_trace(line) for line in block.text.split("\n")):
            words = [one for one in part.blocks[:at] if one.kind is not BlockKind.CODE]
            return tuple(words[-2:])
    return ()


def _words(blocks: Iterable[Block], is_trace: Callable[[str], bool], limit: int) -> str | None:
    kept: list[str] = []
    size = 0
    for block in blocks:
        if block.kind is BlockKind.CODE:
            continue
        text = _without_traces(block.text, is_trace)
        if not text or (kept and size + len(text) > limit):
            if kept:
                break
            continue
        kept.append(text if len(text) <= 2 * limit else text[: 2 * limit])
        size += len(text)
    return "\n".join(kept) or None


def _without_traces(text: str, is_trace: Callable[[str], bool]) -> str:
    lines = (line for line in text.split("\n") if not is_trace(line))
    kept = "\n".join(plain(line).strip() for line in lines if not _CODE_LINE.match(line)).strip()
    return kept if _LETTER.search(kept) else ""


def _prose(parts: tuple[Section, ...], is_trace: Callable[[str], bool], used: list[str]) -> str:
    """Every word that is no code, no trace and no list of links, and was not used as title, symptom, cause or fix."""
    used_lines = {" ".join(line.split()) for text in used for line in plain(text).split("\n")} - {""}
    inner = sorted((one for one in used_lines if len(one) >= 12), key=lambda one: (-len(one), one))[:12]
    lines: list[str] = []
    above = ""
    for part in parts:
        if SectionRole.REFERENCE in part.roles:
            continue
        if part.title and not part.labelled and part.title != above and " ".join(part.title.split()) not in used_lines:
            lines.append(part.title)
        above = above if part.labelled else part.title
        for block in part.blocks:
            if block.kind is BlockKind.CODE:
                continue
            for line in _without_traces(block.text, is_trace).split("\n"):
                rest = " ".join(line.split())
                for one in inner:
                    rest = rest.replace(one, "")
                if _LETTER.search(rest) and rest not in used_lines:
                    lines.append(rest.strip())
    return "\n".join(lines)
