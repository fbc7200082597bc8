"""The error lines of an incident that are no stack trace: output and log lines in its code, its quotations, its paragraphs.

`kb.trace.messages`, which reads pastes, decides what shows an error. Here is decided only which text it reads, and what is kept: an article shows
commands, configuration and sample output in the same kind of block.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from kb.article.blocks import Block, BlockKind
from kb.article.formats.linewise import MACHINE
from kb.article.sections import Section
from kb.article.sentences import size
from kb.article.split.problems import failing, heading
from kb.article.traces import ExtractedTrace
from kb.article.vocabulary import SectionRole
from kb.patterns import lazy
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
_TICKED = lazy(r"`{1,3}([^`\n]{8,1000})`{1,3}")
_SOURCE = lazy(
    r"[^\n]*+(?<=[;{}])[ \t]*+\Z|[ \t]*(?://|/\*|\*[ /]|--[ ]|<!--|Throw |raise |if \(|else\b|(?:or|and|where) \w+ )"
    r"|[ \t]*(?:\w{1,60}(?:, \w{1,60})? :?= )?\w{1,60}(?:\.\w{1,60}|\(\d\)){1,4}\([^\n]*\)\Z|[ \t]*\w{1,20} --> "
    r"|\[ERROR\] +(?:mvn |To see the full|Re-run Maven|After correcting|For more information)"
)
"""A statement, a comment, a condition of a query, an arrow of a diagram, what Maven advises: ``or Log_s == "Error: x"``, ``F --> G[fails]``."""
_SETTING = lazy(
    r"[ \t]*[\"']?\w{0,40}[_.-][\w.-]{0,60}[\"']?[ \t]{0,20}[:=][ \t]{0,20}\S{1,200}(?:[ \t]{1,20}#[^\n]*)?\Z"
)
"""A setting that sounds like a failure: ``tag_on_failure: datefail``."""


_TYPED = lazy(
    r"(?:[#$%@<]|[\w./-]{2,60}(?=[^\n:]{0,300}[ \t]--[a-z])|//|/\*|>>>|\w{1,20}[@:]\S{1,60}[#$] )|\[?\w[\w.-]{0,60}@[\w.-]{1,60}"
    r"|(?:sudo|echo|cd|cat|curl|wget|docker|kubectl|git|npm|yarn|pip|java|mvn|python\d?|grep|sh|bash|vim?|systemctl|service|yum|apt|apt-get"
    r"|if|for|while|return|import|from|def|class|public|private|protected|static|final|var|let|const|func|new|try|catch|except|throw|raise|select|insert|update|delete|create|alter|set|export|end|private)\b[^:]{0,200}(?:\Z|:\Z)"
    r"|[^\n]{0,200}\w\([^()\n]{0,200}\)[ \t]*[;{:]?\Z",
    re.IGNORECASE,
)
"""A prompt, a comment, a command, a statement or a call: nothing that was printed."""
_FAILS = lazy(
    r"(?i)\b(?:no such|permission denied|refused|reset by peer|unreachable|timed out|no space|not permitted|exception|already in use|overflow|killed)\b"
)
"""Words of failure that headings rarely say."""
_LINES = 60
"""Lines of a block that are read one by one."""
_FEWEST = 3
"""Words and Han characters of a line that says something."""
_OF_WORDS = 45
"""Points of a line that words of failure alone speak for: no error is expected where a section is about something else."""
_WENT_WELL = lazy(
    r"(?i)(?<![\w.])(?:0|no) (?:errors?|failures?|failed|exceptions?)\b|\b(?:errors?|failures?|failed)[:=] ?0\b"
)
"""``Total time: 3 s, 0 errors``."""


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    score: float
    chain: ExceptionChain | None = None
    """None of a sentence of output that the reader of pastes sees no error in by itself."""

    @property
    def message(self) -> str:
        """Its message, or its exception where that says nothing more."""
        raised = self.chain.exceptions[0] if self.chain is not None else None
        return (raised.message or raised.type or "") if raised is not None else self.text

    @property
    def digest(self) -> str:
        """What is equal for lines that say the same."""
        return self.text if self.chain is None else fingerprints(self.chain)[Level.LOOSE].digest


def logged(parts: Iterable[Section], found: Sequence[ExtractedTrace]) -> tuple[str, ...]:
    """Return the lines of an incident that show its error, in order, each once, without those that ``found``, its traces, say already.

    At most `_MOST` lines and `_CHARACTERS` characters, the most telling ones. Empty where nothing but prose names an error.
    """
    is_framed = any(raised.stack.frames for one in found for raised in one.chain.exceptions)
    traces = "\n".join(one.text for one in found)
    lines = [line for line in _shown(parts, least=_OF_LEVEL if is_framed else 0) if line.message not in traces]
    best = max((line.score for line in lines), default=0)
    kept: dict[str, _Line] = {}
    left = _CHARACTERS
    for line in sorted(lines, key=lambda one: -one.score):
        digest = line.digest
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
            wanted = max(least, _OF_LEVEL if role in _ELSEWHERE else 0)
            found = list(_errors(text, wanted))
            yield from found
            known = {one.text for one in found}
            near = (
                max((one.score for one in found), default=0) - _BEHIND_BEST
            )  # what was printed together belongs together
            beside = (one for one in _printed(text) if one.score >= wanted and one.text not in known)
            yield from (replace(one, score=max(one.score, near)) for one in beside)


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


def _printed(block: str) -> Iterator[_Line]:
    """The lines of output that say in words that something failed, each read by itself: of a paragraph the reader of pastes takes the best line alone."""
    lines = [line.strip() for line in clean(block).split("\n", _LINES)[:_LINES] if line.strip()]
    if not (failing(block[:_READ]) or _FAILS.search(block[:_READ])) or 3 * sum(_is_typed(line) for line in lines) > len(
        lines
    ):
        return
    for line in lines:
        if len(line) > _LONGEST or _is_typed(line) or _WENT_WELL.search(line):
            continue
        if size(line) < _FEWEST or not (heading(line).fails or _FAILS.search(line)):
            continue
        read = max((one.score for one in best_of_lines(line)), default=0)
        chains = parse(line) if read >= _OF_SENTENCE else []
        yield _Line(line, max(read, _OF_WORDS), chains[0] if chains else None)


def _is_typed(line: str) -> bool:
    """Whether a line is a command, code or a setting."""
    return _TYPED.match(line) is not None or _SOURCE.match(line) is not None or _SETTING.match(line) is not None


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
