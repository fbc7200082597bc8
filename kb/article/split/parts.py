"""One document, several problems: an FAQ, a list of errors, numbered problems each with its own trace and fix.

Decided by structure. A heading is a problem of its own when it, or a trace under it, names a failure and its own words hold
the answer; a document is split when it has at least two, and when they do not stand inside one write-up (symptom, cause, fix
beside or above them). A missed split costs precision of a quotation; a false one tears a trace from its fix, so doubt keeps
the document whole.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

from kb.article.blocks import LINE, Block, BlockKind, plain
from kb.article.sections import sections
from kb.article.split.candidates import problems_among
from kb.article.split.openings import Node, as_written, with_lines
from kb.article.split.problems import bare, heading, label_of
from kb.article.split.tables import error_rows
from kb.article.vocabulary import SectionRole, heading_roles, label_role
from kb.patterns import lazy

_MOST = 500
"""Problems of one document."""
_BEFORE, _BEHIND = 2, 6
"""Blocks before an error and behind it that are of it: a manual goes on with something else."""
_MOST_ASIDES = 20
"""Errors of one page."""
_REST = 200
"""Letters of a section that make what is left over worth keeping."""
_SAYING = 20
"""Letters of a section about a cause or a fix that states one."""
_MENDS = frozenset((SectionRole.ROOT_CAUSE, SectionRole.FIX, SectionRole.WORKAROUND))
_CONTEXT = 300
"""Letters of an introduction, or of a block about the environment, that go with every problem."""

_ANCHOR = lazy(r"\{#[^{}\n]{1,300}\}")
_LONGEST = 2_000
_MESSAGE = "error"
"""A label that machines write, too: it stays before a message."""
_LINES = 20
"""Lines of code that are looked at for an error."""
_NAME = 200
"""Characters of a line that names a problem."""


@dataclass(frozen=True, slots=True)
class DocumentPart:
    """One problem of a document."""

    heading: str
    """As it is written, without number and marks."""
    anchor: str
    """The heading with everything, as links to it are made of it; empty for a line that only stands for one."""
    blocks: tuple[Block, ...]
    span: tuple[int, int]
    """Where it stands in the document's text, its heading included."""


@dataclass(frozen=True, slots=True)
class DocumentParts:
    """The problems of a document, in order, and what belongs to none of them."""

    problems: tuple[DocumentPart, ...]
    """Sections of the document; empty when only tables hold problems."""
    rows: tuple[DocumentPart, ...]
    """Rows of tables of errors. The tables stay where they are, too: nothing is torn from what explains it."""
    rest: tuple[Block, ...]
    """Blocks outside the problems."""
    is_worth: bool
    """Whether the rest holds more than an introduction."""
    context: tuple[Block, ...]
    """What holds for all: the introduction, and sections about the environment."""


def parts_of(
    text: str, blocks: tuple[Block, ...], title: str, has_trace: Callable[[Block], bool]
) -> DocumentParts | None:
    """The problems of a document; None for a document that tells of one, or of none.

    ``has_trace`` says whether a block shows the head of a trace of the document.
    """
    rows = tuple(
        DocumentPart(bare(about), "", cells, (cells[0].start, cells[0].start))
        for about, cells in error_rows(blocks)[:_MOST]
    )
    lined = with_lines(text, blocks)
    traced = [block.kind is not BlockKind.HEADING and has_trace(block) for block in lined]
    found = problems_among(lined, title, traced)
    if not 2 <= len(found) <= _MOST or not _ascending(lined):
        return (
            DocumentParts((), rows, blocks, is_worth=_states(blocks, title) or _is_worth([*blocks], title), context=())
            if rows
            else None
        )
    problems = tuple(_part(text, lined, node, stop, shows=any(traced[node.first : stop])) for node, stop in found)
    inside = {at for node, stop in found for at in range(node.first, stop)}
    outside = [block for at, block in enumerate(lined) if at not in inside]
    rest = as_written(outside)
    return DocumentParts(problems, rows, rest, _states(rest, title) or _is_worth(outside, title), _context(rest, title))


def _ascending(blocks: Sequence[Block]) -> bool:
    """Whether every heading stands at a place of its own: those inside one piece of raw HTML do not."""
    starts = [block.start for block in blocks if block.kind is BlockKind.HEADING]
    return all(a < b for a, b in pairwise(starts))


def _part(text: str, blocks: tuple[Block, ...], node: Node, stop: int, *, shows: bool) -> DocumentPart:
    head = blocks[node.first]
    ends = blocks[stop].start if stop < len(blocks) else len(text)
    stated = _ANCHOR.search(text[head.start : head.end][:_LONGEST])
    anchor = "" if node.level == LINE else f"{node.title} {stated[0] if stated else ''}".strip()
    under = as_written(blocks[node.body : stop])
    return DocumentPart(bare(_words(node, under, shows=shows)), anchor, under, (head.start, ends))


def _words(node: Node, under: tuple[Block, ...], *, shows: bool) -> str:
    """A heading, or what stands behind its label; below a label or the name of a section alone the first line, unless a trace or an error that it shows says more."""
    label, words = (label_of(node.title) if node.level == LINE else None) or ("", node.title)
    if words and (not label or label == _MESSAGE) and (node.level == LINE or label_role(node.title) is None):
        return node.title
    own = list(takewhile(lambda block: block.kind is not BlockKind.HEADING, under))
    shows = shows or (node.level != LINE and any(map(_shows_error, own)))
    shown = [block for block in own if node.level == LINE or block.kind is not BlockKind.CODE]
    below = (line for block in shown for line in block.text.split("\n", 9) if line.strip() and not shows)
    first = plain(next(below, "")[:_NAME])
    return (words if label else first) or first or words


def _shows_error(block: Block) -> bool:
    """Whether code holds a line that tells of an error."""
    return block.kind is BlockKind.CODE and any(heading(line).fails for line in block.text.split("\n", _LINES)[:_LINES])


def _states(blocks: Iterable[Block], title: str) -> bool:
    """Whether blocks state a problem of their own outside their tables: a section about its cause or its fix that says something."""
    return any(
        part.labelled
        and not _MENDS.isdisjoint(part.roles)
        and sum(len(one.text) for one in part.blocks if one.kind is not BlockKind.TABLE) >= _SAYING
        for part in sections([one for one in blocks if one.kind is not BlockKind.TABLE], title)
    )


def _is_worth(blocks: list[Block], title: str) -> bool:
    """Whether a section with words of its own is left, headed by a failure."""
    held = 0
    words = ""
    for block in (*blocks, Block(BlockKind.HEADING, "", 0, 0, 1)):
        if block.kind is not BlockKind.HEADING:
            held += len(block.text) if block.kind not in {BlockKind.CODE, BlockKind.TABLE} else 0
            continue
        if held >= _REST and words and words != title and not heading_roles(words) and _fails(words):
            return True
        held, words = 0, " ".join(plain(block.text).split())
    return False


def _fails(words: str) -> bool:
    about = heading(words)
    return about.fails or about.asks


def _context(blocks: tuple[Block, ...], title: str) -> tuple[Block, ...]:
    """The first words of the document, as far as they are short, and its sections about the environment."""
    parts = sections(blocks, title)
    intro = [block for part in parts[:2] if not part.title or part.title == title for block in part.blocks]
    words = [block for block in intro if block.kind is not BlockKind.CODE]
    about = [block for part in parts if SectionRole.ENVIRONMENT in part.roles for block in part.blocks]
    short = sum(len(block.text) for block in words) <= _CONTEXT
    return (
        *(words if short else ()),
        *(one for one in about if one.kind is not BlockKind.CODE and len(one.text) <= _CONTEXT),
    )


def asides_of(blocks: Sequence[Block], places: Sequence[int]) -> DocumentParts:
    """Return a part for each error that begins at one of the ``places``, in order; none reaches into another section or another error."""
    return DocumentParts(tuple(_asides(blocks, places)), (), (), is_worth=False, context=())


def _asides(blocks: Sequence[Block], places: Sequence[int]) -> Iterator[DocumentPart]:
    found = [at for at, block in enumerate(blocks) if bisect_left(places, block.start) < bisect_left(places, block.end)]
    shown = [at for at in found if blocks[at].kind is not BlockKind.HEADING][:_MOST_ASIDES]
    begins = [_begin(blocks, at) for at in shown]
    ends = 0
    for number, at in enumerate(shown):
        if at < ends:
            continue  # a trace that goes on
        stop = min([*(begin for begin in begins if begin > at), at + _BEHIND + 1, len(blocks)])
        ends = next((n for n in range(at + 1, stop) if blocks[n].kind is BlockKind.HEADING), stop)
        part = tuple(blocks[begins[number] : ends])
        yield DocumentPart("", "", part, (part[0].start, part[-1].end))


def _begin(blocks: Sequence[Block], at: int) -> int:
    """The first of the words right before an error: those of its section, up to other code."""
    begin = at
    while begin > 0 and at - begin < _BEFORE and blocks[begin - 1].kind not in {BlockKind.HEADING, BlockKind.CODE}:
        begin -= 1
    return begin
