"""The error lines of an incident that are no stack trace: output and log lines in its code, its quotations, its paragraphs.

`kb.trace.messages`, which reads pastes, decides what shows an error. Here is decided only where it is asked, and what is kept: an article shows
commands, configuration and sample output in the same kind of block.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from kb.article.blocks import Block, BlockKind
from kb.article.formats.linewise import MACHINE
from kb.article.sections import Section
from kb.article.traces import ExtractedTrace
from kb.article.vocabulary import SectionRole
from kb.trace import ExceptionChain, Level, fingerprints, parse
from kb.trace.lines import clean
from kb.trace.messages.telling import best_of_lines

_MOST = 6
"""Lines kept of an incident. More are a log dump, and what is rare in it drowns."""
_CHARACTERS = 4_000
"""Characters kept of an incident."""
_LONGEST = 2_000
"""Characters of a line; a longer one is data."""
_READ = 64_000
"""Characters of an incident's blocks that are read."""
_BEHIND_BEST = 20
"""Points that a line may lie behind the best one: beside ``ERROR disk full`` a line of the log that merely sounds bad tells nothing."""
_OF_SENTENCE = 52
"""The least score of words that neither a lead nor a level nor a program's form marks: in code, comments sound like failures, too."""
_OF_LEVEL = 62
"""The least score where an error is not expected: an error level, a lead, a program's form or an exception."""
_SHOWS = frozenset((SectionRole.SYMPTOM, SectionRole.TRACE))
_ELSEWHERE = frozenset(
    (
        SectionRole.FIX,
        SectionRole.WORKAROUND,
        SectionRole.PREVENTION,
        SectionRole.BACKGROUND,
        SectionRole.ENVIRONMENT,
        SectionRole.OTHER,
    )
)
"""Sections whose code shows what to type and what comes when all is well."""
_NEVER = frozenset((SectionRole.REFERENCE, SectionRole.DISTINGUISH))
_TICKED = re.compile(r"`{1,3}([^`\n]{8,1000})`{1,3}")
_SOURCE = re.compile(
    r"[^\n]*+(?<=[;{}])[ \t]*+\Z|[ \t]*(?://|/\*|\*[ /]|--[ ]|<!--|Throw |raise |if \(|else\b|(?:or|and|where) \w+ )"
    r"|[ \t]*(?:\w{1,60}(?:, \w{1,60})? :?= )?\w{1,60}(?:\.\w{1,60}|\(\d\)){1,4}\([^\n]*\)\Z|[ \t]*\w{1,20} --> "
    r"|\[ERROR\] +(?:mvn |To see the full|Re-run Maven|After correcting|For more information)"
)
"""A statement, a comment, a condition of a query, an arrow of a diagram, what Maven advises: ``or Log_s == "Error: x"``, ``F --> G[fails]``."""
_SETTING = re.compile(
    r"[ \t]*[\"']?\w{0,40}[_.-][\w.-]{0,60}[\"']?[ \t]{0,20}[:=][ \t]{0,20}\S{1,200}(?:[ \t]{1,20}#[^\n]*)?\Z"
)
"""A setting that sounds like a failure: ``tag_on_failure: datefail``."""


_WENT_WELL = re.compile(
    r"(?i)(?<![\w.])(?:0|no) (?:errors?|failures?|failed|exceptions?)\b|\b(?:errors?|failures?|failed)[:=] ?0\b"
)
"""``Total time: 3 s, 0 errors``."""


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    score: int
    chain: ExceptionChain

    @property
    def said(self) -> str:
        """Its message, or its exception where that says nothing more."""
        raised = self.chain.exceptions[0]
        return raised.message or raised.type or ""


def logged(parts: Iterable[Section], found: Sequence[ExtractedTrace]) -> tuple[str, ...]:
    """Return the lines of an incident that show its error, in order, each once, without those that ``found``, its traces, say already.

    At most `_MOST` lines and `_CHARACTERS` characters, the most telling ones. Empty where nothing but prose names an error.
    """
    is_framed = any(raised.stack.frames for one in found for raised in one.chain.exceptions)
    told = "\n".join(one.text for one in found)
    lines = [line for line in _shown(parts, least=_OF_LEVEL if is_framed else 0) if line.said not in told]
    best = max((line.score for line in lines), default=0)
    kept: dict[str, _Line] = {}
    left = _CHARACTERS
    for line in sorted(lines, key=lambda one: -one.score):
        digest = fingerprints(line.chain)[Level.LOOSE].digest
        if len(kept) == _MOST or line.score < best - _BEHIND_BEST:
            break
        if digest not in kept and len(line.text) <= left:
            kept[digest] = line
            left -= len(line.text)
    chosen = {id(line) for line in kept.values()}
    return tuple(line.text for line in lines if id(line) in chosen)


def _shown(parts: Iterable[Section], least: int) -> Iterator[_Line]:
    """The lines of the sections that show an error, with at least ``least`` points."""
    left = _READ
    for part in parts:
        if _NEVER.intersection(part.roles):
            continue
        role = part.roles[0] if part.roles else None
        for text in (text for block in part.blocks for text in _texts(block, role)):
            if left < len(text):
                return
            left -= len(text)
            yield from _errors(text, max(least, _OF_LEVEL if role in _ELSEWHERE else 0))


def _texts(block: Block, role: SectionRole | None) -> Iterator[str]:
    """What of a block a program may have printed: code, a quotation, a paragraph of log lines; in a symptom what stands in back-ticks."""
    if (
        block.kind is BlockKind.CODE
        or (block.kind is BlockKind.PARAGRAPH and MACHINE.match(block.text))
        or (role in _SHOWS and block.kind is BlockKind.QUOTE)
    ):
        yield block.text
    elif role in _SHOWS and block.kind is not BlockKind.HEADING:
        yield from (one[1] for one in _TICKED.finditer(block.text) if " " in one[1].strip())


def _errors(block: str, least: int) -> Iterator[_Line]:
    """The lines of a text that show an error to the reader of pastes, each also by itself."""
    text = clean(block)
    for one in best_of_lines(text):
        if one.score < max(least, _OF_SENTENCE if one.runtime == "text" else 0):
            continue
        end = text.find("\n", one.end)
        line = text[text.rfind("\n", 0, one.begin) + 1 : len(text) if end < 0 else end].strip()
        if len(line) > _LONGEST or _SOURCE.match(line) or _WENT_WELL.search(line):
            continue
        chains = parse(line)
        if chains and not ((chains[0].root.type or "a").islower() and _SETTING.match(line)):
            yield _Line(line, one.score, chains[0])
