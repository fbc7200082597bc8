"""Several causes of one failure, each below its own heading and with its own fix: shown side by side, whichever of them is quoted."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from kb.article.blocks import Block, BlockKind, plain
from kb.article.quotes.statements import SECTIONS, QuoteTarget, ScoredSentence, Statements
from kb.article.sections import Section
from kb.article.split.problems import heading
from kb.article.vocabulary import heading_roles
from kb.patterns import lazy

MOST = 8
"""Causes that are shown side by side: a page with more collects problems."""
_LENGTH = {QuoteTarget.CAUSE: 1_200, QuoteTarget.FIX: 2_400}
"""Characters of all causes together, and of all fixes."""
_LEAST_EACH = 200
"""Characters that each of them may have at least."""
_NUMBERED = lazy(
    r"(?P<kind>[^\W\d][^\d一二三四五六七八九十]{0,40}?)\s*#?(?P<number>\d{1,2}|[一二三四五六七八九十]{1,2})(?!\d)"
)
"""How a heading that is one of several begins: *Cause 2*, *可能原因二*."""


@dataclass(slots=True)
class _Round:
    """One cause and its fix, as the numbers of their sections."""

    cause: list[int] = field(default_factory=list)
    fix: list[int] = field(default_factory=list)

    def of(self, target: QuoteTarget) -> list[int]:
        return self.cause if target is QuoteTarget.CAUSE else self.fix


def side_by_side(
    document: Statements, quoted: Mapping[QuoteTarget, Sequence[ScoredSentence]]
) -> dict[QuoteTarget, tuple[Block, ...]]:
    """Return the beginnings of all causes, and of all fixes, each below its heading; empty where the quoted one stands alone."""
    sections = {one.section for sentences in quoted.values() for one in sentences}
    for run in _runs(document.parts):
        names = {document.parts[one.cause[-1]].title.strip(" .:：").lower() for one in run}
        if 2 <= len(run) == len(names) <= MOST and any(sections & {*one.cause, *one.fix} for one in run):
            if not _are_numbered(document.parts, run) and not _have_one_parent(document.parts, run):
                continue  # *Root cause* and *Reason for the late alert* are causes of two things
            return {target: tuple(_blocks(document, run, target)) for target in QuoteTarget}
    return {}


def of_one_round(
    document: Statements, quoted: Mapping[QuoteTarget, list[ScoredSentence]]
) -> dict[QuoteTarget, list[ScoredSentence]]:
    """Return the cause and the fix of the same number; neither where they are of different ones, as a reader would mend the wrong fault."""
    cause, fix = quoted[QuoteTarget.CAUSE], quoted[QuoteTarget.FIX]
    for run in _runs(document.parts):
        if not cause or not fix or len(run) < 2 or not _are_numbered(document.parts, run):
            continue
        mended = next((one for one in run if fix[0].section in one.fix), None)
        caused = [at for one in run for at in one.cause]
        if mended is None or cause[0].section not in caused:
            continue
        own = [one for one in cause if one.section in mended.cause]
        return {QuoteTarget.CAUSE: own, QuoteTarget.FIX: fix if own else []}
    return dict(quoted)


def _runs(parts: Sequence[Section]) -> Iterator[list[_Round]]:
    """The rounds of cause and fix that follow each other; a section headed by another failure, or by none of the two roles, ends a run."""
    run: list[_Round] = []
    for at, part in enumerate(parts):
        role = part.roles[0] if part.roles else None
        if role in SECTIONS[QuoteTarget.CAUSE] and len(part.roles) == 1:
            if not part.blocks and not part.title:
                continue
            if not run or run[-1].fix:
                run.append(_Round())
            run[-1].cause.append(at)
        elif role in SECTIONS[QuoteTarget.FIX] and run:
            run[-1].fix.append(at)
        elif part.title and not part.roles and run and run[-1].fix and not _walks(part):
            yield [one for one in run if one.fix]
            run = []
    yield [one for one in run if one.fix]


def _are_numbered(parts: Sequence[Section], run: Sequence[_Round]) -> bool:
    """Whether the headings of the causes differ by their number: *Cause 1*, *Cause 2*."""
    found = [_NUMBERED.match(plain(parts[one.cause[-1]].title).strip()) for one in run]
    numbered = [(one["kind"].lower(), one["number"]) for one in found if one]
    return len({kind for kind, _ in numbered}) == 1 and len({number for _, number in numbered}) == len(run)


def _have_one_parent(parts: Sequence[Section], run: Sequence[_Round]) -> bool:
    """Whether the headings of the causes are called after what they say, below one heading that announces causes."""
    parent, *causes = (at for one in run for at in one.cause)
    return len(run[0].cause) > 1 and _announces(parts[parent]) and not any(_announces(parts[at]) for at in causes)


def _announces(part: Section) -> bool:
    return any(role in SECTIONS[QuoteTarget.CAUSE] for role in heading_roles(plain(part.title).strip()))


def _walks(part: Section) -> bool:
    about = heading(part.title)
    return about.walks or not about.fails


def _blocks(document: Statements, run: Sequence[_Round], target: QuoteTarget) -> Iterator[Block]:
    """The beginnings of all causes, or of all fixes, each below the heading of its cause."""
    room = max(_LENGTH[target] // len(run), _LEAST_EACH)
    for one in run:
        if target is QuoteTarget.FIX:
            blocks = [block for at in one.fix for block in document.parts[at].blocks]
            yield from _begun(document.parts[one.cause[-1]].title, blocks, room)
            continue
        for at in one.cause:
            yield from _begun(document.parts[at].title, document.parts[at].blocks, room // len(one.cause))


def _begun(title: str, blocks: Sequence[Block], left: int) -> Iterator[Block]:
    """A heading, and as many of the blocks below it as there is room for, the first one in any case; no pictures."""
    shown = [block for block in blocks if block.kind is BlockKind.CODE or plain(block.text).strip()]
    if shown:
        yield Block(BlockKind.PARAGRAPH, f"**{plain(title).strip(' *')}**", 0, 0)
    for at, block in enumerate(shown):
        left -= len(block.text)
        if at and left < 0:
            return
        yield block
