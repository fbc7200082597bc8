"""Every line of a text that may be its error, each with a score."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice

from kb.patterns import lazy
from kb.trace.finding.needles import matching_runtimes
from kb.trace.finding.structured import LogRecord, read_block, read_record
from kb.trace.messages import pieces as of_paste
from kb.trace.messages.form import Severity
from kb.trace.messages.forms import read_form
from kb.trace.messages.pieces import LinePiece, PasteSpan, RecordLevel, TextLine, bare, is_command, unquoted
from kb.trace.messages.sentence import FEWEST, LEAST, is_logged_error, logged_score, may_be_sentence, sentence_score
from kb.trace.messages.services import REASON_PHRASES
from kb.trace.messages.toolchains import COMPILERS
from kb.trace.messages.typed import DEFINES, LABEL, NamedException, chain_of, named, reason_in, runtime_of, shown
from kb.trace.messages.words import (
    EXPLAINS,
    SUPPOSES,
    end_of_words,
    is_about_javascript,
    is_code,
    is_mixed,
    is_personal,
    is_wrapped_at,
    mentions_failure,
)
from kb.trace.messages.yaml import in_yaml

# What a stretch of a paste may show, with a score: how sure it is that a program printed it, and how much it tells.

EXCEPTION = 80
"""An exception with its message."""
OF_PROGRAM = {Severity.ERROR: 78, Severity.SUMMARY: 47, Severity.WARNING: 46}
OF_ERROR_RECORD = 64
OF_LOGGED_ERROR = 62
"""A line that the log itself calls an error; what scores less may be somebody's sentence."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An error that somebody may be showing."""

    score: float
    begin: int
    end: int
    runtime: str
    raised: tuple[tuple[str | None, str | None], ...]
    """Types and messages, outermost first."""


@dataclass(frozen=True)
class TextStretch:
    """The stretch of text whose pieces are read."""

    text: str
    lines: Sequence[TextLine]
    is_decoded: bool = False
    """Whether it is the words of a record: `read_record` has opened the records in them."""
    records: set[int] = field(default_factory=set)
    """The lines seen so far that are records and show an error: what stands in quotes there was read as their values."""

    @cached_property
    def is_javascript(self) -> bool:
        """Whether it is about JavaScript, whose errors are often called ``Error`` alone."""
        return is_about_javascript(self.text)


# Errors in records and documents: a line of JSON or logfmt, an error body printed over several lines, YAML.


def of_documents(text: str, lines: Sequence[TextLine]) -> Iterator[Candidate]:
    """Yield the errors of JSON documents that are printed over several lines: records, error bodies of services."""
    opened = next((line for line in lines if text.startswith("{", line.start)), None)
    closed = next((line for line in reversed(lines) if text[line.start : line.end].strip() in ("}", "}]", "},")), None)
    if opened is not None and closed is not None and opened.begin < closed.begin:
        record = read_block(text[opened.start : closed.end].rstrip(", "))
        if record is not None:
            yield from of_record(record, opened.start, closed.end - opened.start)
    for shown_ in in_yaml(text, lines):
        raised = [(shown_.type, shown_.message)] if shown_.type else [_reread(shown_.message)]
        score = EXCEPTION if shown_.type else OF_ERROR_RECORD
        yield Candidate(score, shown_.begin, shown_.end, "tool", tuple(raised))


def of_record(record: LogRecord, begin: int, length: int) -> Iterator[Candidate]:
    """Return what a log's record or an error body says went wrong, at a place; nothing for one that says nothing."""
    if record.exception_type in REASON_PHRASES and record.exception_message not in (None, record.exception_type):
        record = replace(record, exception_type=None)
    score, runtime, raised = _error_of(record)
    if record.level == "warning":
        score = score - 12 if score else OF_PROGRAM[Severity.WARNING]
    if score and raised:
        first, last = record.message_span or (0, length)
        place = (0, length) if record.exception_type or record.exception_message else (first, last)
        yield Candidate(score, begin + place[0], begin + place[1], runtime, tuple(raised))


def _error_of(record: LogRecord) -> tuple[float, str, Sequence[tuple[str | None, str | None]]]:
    """Return score, runtime, types and messages of what a record says: its fields for a type, else an error in its words, else the words."""
    if record.exception_type:
        raised = chain_of(record.exception_type, record.exception_message or record.message)
        return EXCEPTION, runtime_of(record.exception_type), raised
    texts = list(dict.fromkeys(filter(None, (record.message, record.exception_message))))
    is_error = record.level in ("error", "fatal") or (record.level is None and record.exception_message is not None)
    best = _best_in(texts, record) if is_error or record.level in (None, "warning") else None
    if best is not None and (best.score >= OF_PROGRAM[Severity.ERROR] or not (is_error or record.level)):
        return best.score, best.runtime, best.raised
    return OF_ERROR_RECORD if is_error else 0, "text", [_reread(text) for text in texts]


def _best_in(texts: Sequence[str], record: LogRecord) -> Candidate | None:
    """Return the best candidate of a record's words, read as a paste of their own; None where they show no error."""
    words = "\n".join((*texts, record.stack or ""))[-_LONGEST_WORDS:]
    lines = of_paste.lines_of(words)
    stretch = TextStretch(words, lines, is_decoded=True)
    every = (one for piece in of_paste.pieces(words, words, lines) for one in candidates(stretch, piece))
    return max(every, key=lambda one: one.score, default=None)


def _reread(text: str) -> tuple[str | None, str | None]:
    """Return what a field says, less the prefix of the program that it comes from: ``rpc error: code = NotFound desc = …``."""
    found = read_form((text,), 0)
    return (found.type, found.message) if found is not None and found.message else (None, text)


_LONGEST_WORDS = 8_000
"""Characters of a record's words that are looked at, the last ones."""
_MIXED = 12
"""Points that a Chinese line loses in which a program's words are: they are a piece of their own; and a line that is broken at a page's width."""
_LOGGED = 8
"""Points of a sentence in a log: a program printed it, whatever its level."""
_ANNOUNCES = 20
"""Points that a line loses which only says that the error is below."""
_OF_RUNTIME = 76
_OF_LEAD = 68
_ALONE = 56
"""An exception that is named and says nothing."""
# e.g. `error[E12]: x`
_LEAD = lazy(
    r"(?:\{ )?\[?(?P<lead>(?:(?:fatal|internal|critical|build|runtime|compile|compilation|server|client|unexpected|system|sql|query) )?(?:error|exception|failure)|fatal|panic|emerg|crit|alert|abort|err"
    r"|错误(?:信息|消息|内容|提示|日志|原因|详情|描述)?|报错(?:信息|内容|如下|日志|提示)?|异常(?:信息|内容|日志|提示)?|提示(?:信息|错误)?|失败原因|出错信息)\]?"
    r"(?: ?[(\[]?(?P<code>[A-Z]{0,12}[-_]?\d{1,10})[)\]]?)?(?:[ \t]{0,4}(?:[:：!]|=>|->)[ \t]{0,8}|(?<=\])[ \t]{1,4})(?P<message>\S.*)",
    re.IGNORECASE,
)
# e.g. Error: x {
_ERROR = lazy(r"(?<![\w.:/-])(?P<type>Error)(?: \[ERR_\w{1,60}\])?: (?P<message>\S[^\n]{2,4000})")
_MOST_NAMED = 24
"""Exceptions of one piece that are looked at."""
_BELOW_TYPE = 3
"""Lines below a class in which its message may be."""
_LOGGER_BEHIND = lazy(r" \((?:[a-z]\w{0,40}\.){1,8}[A-Z]\w{0,80}(?::\d{1,6})?\)$")
"""The logger's class behind a message, as Kafka's layout has it: ``%m (%c)``."""
_FEWEST_LISTED = 3
"""Words of a line that an announcement is above."""
_WORDS = lazy(r"[A-Za-z\u4e00-\u9fff]{2,}")


def candidates(stretch: TextStretch, piece: LinePiece) -> Iterator[Candidate]:
    """Yield what a piece may show, in no order; nothing for words that are no error, and for code."""
    text, lines = stretch.text, stretch.lines
    body = unquoted(text[piece.begin : piece.end].strip())
    is_line = piece.place is PasteSpan.LINE
    if piece.number in stretch.records or len(body) < 3 or (" " not in body and not is_line and body.isascii()):
        return
    begin = text.find(body, piece.begin)
    form = _of_program(text, lines, piece) if is_line or len(body.split()) >= FEWEST[PasteSpan.QUOTED] else None
    may_be_record = is_line and not stretch.is_decoded and ("=" in body or '":' in body or body.startswith("["))
    if form is None and may_be_record:
        record = read_record(body)
        if record is not None or _IS_RECORD.match(body):
            found = list(of_record(record, begin, len(body))) if record is not None else []
            if found and '":' in body:
                stretch.records.add(piece.number)
            yield from found
            return
    if SUPPOSES.match(lines[piece.number].text) or is_code(lines[piece.number].text):
        return
    typed = list(islice(_typed(stretch, piece), _MOST_NAMED))
    if form is not None:  # who prints `Error:` behind its own name means no class
        start = lines[piece.number].start
        is_named = any(name for name, _ in form.raised)
        typed = [one for one in typed if one.raised[0][0] != "Error" or (one.begin == start and not is_named)]
    yield from typed
    if form is not None:
        yield form
    elif not is_command(body):
        words = _of_words(stretch, piece, body, begin, is_typed=bool(typed))
        if words is not None:
            yield words


def _of_words(stretch: TextStretch, piece: LinePiece, body: str, begin: int, *, is_typed: bool) -> Candidate | None:
    """Return what the words say where no program's form fits: a runtime's own, an error's lead, a log's level, a sentence of failure."""
    text, lines = stretch.text, stretch.lines
    known = _of_a_runtime(body, begin, piece.place)
    lead = _LEAD.match(body)
    if known is not None:
        return known
    if lead is not None:
        return _led(lead, begin, piece)
    if is_typed:
        return None
    if piece.level is None:
        body = body[: end_of_words(text, begin, begin + len(body)) - begin]
    else:
        body = _LOGGER_BEHIND.sub("", body)
    points: float
    is_line = piece.place is PasteSpan.LINE
    if is_logged_error(body, piece):
        points = OF_LOGGED_ERROR + (logged_score(body, piece) if is_line else 0)
    elif not piece.is_continued and may_be_sentence(body, piece.place, is_logged=piece.level is not None):
        points = sentence_score(body, piece, is_all=len(lines) == 1)
        below = "".join(line.text for line in lines[piece.number + 1 : piece.number + 2])
        is_wrapped = not piece.is_fenced and piece.level is None and is_wrapped_at(body, below)
        points -= _MIXED * (is_line and (piece.introduces or is_mixed(body) or is_wrapped))
        if is_line and piece.level in (RecordLevel.OTHER, RecordLevel.UNNAMED):
            points += _LOGGED * min(1, (OF_LOGGED_ERROR - 1 - points) / (OF_LOGGED_ERROR - 1 - LEAST))
        points = max(points, LEAST) if piece.level is RecordLevel.WARNING else points
    else:
        return None
    return Candidate(points, begin, begin + len(body), "text", ((None, bare(body)),))


def _typed(stretch: TextStretch, piece: LinePiece) -> Iterator[Candidate]:
    text, lines = stretch.text, stretch.lines
    every: list[Candidate] = []
    found = _ERROR.search(text, piece.begin, piece.end)
    if found is not None and stretch.is_javascript:  # its class of all errors, as `toString` prints it
        last = end_of_words(text, found.start("message"), found.end())
        raised = chain_of("Error", bare(text[found.start("message") : last]))
        every.append(Candidate(EXCEPTION, found.start("type"), last, "javascript", tuple(raised)))
    for one in islice(named(text, piece.begin, piece.end), _MOST_NAMED):
        whole = _with_reason(text, lines, piece, one)
        points = _score(text, piece, whole)
        if points:
            raised = chain_of(whole.type, whole.message)
            end = max(whole.end, one.end)
            every.append(Candidate(points, whole.begin, end, _runtime_of(whole.type, stretch), tuple(raised)))
    begin = lines[piece.number].begin if piece.place is PasteSpan.LINE else piece.begin
    for one in islice(shown(text, begin, piece.end), _MOST_NAMED):
        around = [other for other in every if other.begin <= one.begin < other.end]
        if all(one.is_called and other.raised[-1][0] != one.type for other in around):
            points = EXCEPTION + one.is_called - 12 * (piece.level is RecordLevel.WARNING)
            runtime = one.runtime or _runtime_of(one.type, stretch)
            yield Candidate(points, one.begin, one.end, runtime, ((one.type, one.message),))
    yield from every


def _with_reason(text: str, lines: Sequence[TextLine], piece: LinePiece, one: NamedException) -> NamedException:
    """Return an exception that is named alone, or as a field's value, with the message that is beside it or below."""
    before = text[lines[piece.number].begin : one.begin]
    if (
        one.message is not None
        or piece.place is not PasteSpan.LINE
        or (LABEL.search(before) is None and before.strip(" \t\"'`*["))
    ):
        return one
    below = lines[piece.number + 1 : piece.number + 1 + _BELOW_TYPE]
    end = next((line.begin for line in below if not line.text), below[-1].end if below else piece.end)
    begin = lines[piece.number].begin
    found = reason_in(text[begin:end])
    if found is None:
        return _with_sentence(text, lines, piece, one)
    message, first, last = found
    return replace(one, message=message, begin=min(one.begin, begin + first), end=max(one.end, begin + last))


def _with_sentence(text: str, lines: Sequence[TextLine], piece: LinePiece, one: NamedException) -> NamedException:
    """Return a class that is all of its line, with the sentence below it: so error pages of PHP's frameworks head their report."""
    around = text[lines[piece.number].start : one.begin] + text[one.end : piece.end].strip()
    below = next((line for line in lines[piece.number + 1 : piece.number + 3] if line.text), None)
    if around not in ("", "[]") or below is None or "\\" not in one.type:
        return one
    if is_code(below.text) or is_personal(below.text) or not mentions_failure(below.text) or below.text[:1] in "{[<":
        return one
    return replace(one, message=below.text, end=below.start + len(below.text))


def _runtime_of(name: str, stretch: TextStretch) -> str:
    """Return the runtime of an exception; a class that several languages have is JavaScript's where the text is about that."""
    runtime = runtime_of(name)
    return "javascript" if runtime == "text" and stretch.is_javascript else runtime


def _score(text: str, piece: LinePiece, one: NamedException) -> int:
    if one.message is None:
        is_alone = not text[piece.begin : one.begin].strip(" \t\"'`*")
        marks = " \t\"'`*”。.，,:" if "::" in one.type else " \t\"'`*”。.，,"
        is_alone = is_alone and one.end >= len(text[: piece.end].rstrip(marks))
        is_listed = text[text.rfind("\n", 0, piece.begin) + 1 : piece.begin].lstrip()[:1] in ("-", "*", "+", "•")
        is_shown = is_alone and not is_listed and not EXPLAINS.search(text, max(one.begin - 40, 0), one.begin)
        score = _ALONE if is_shown and piece.place is not PasteSpan.FOREIGN else 0
    else:
        score = EXCEPTION + 4 * ("." in one.type or "::" in one.type)
    if score and piece.place in (PasteSpan.QUOTED, PasteSpan.FOREIGN):
        score += 1  # it ends where the quotation does
    if one.type.endswith("Warning"):
        score -= 25
    if piece.level is RecordLevel.WARNING:
        score -= 12
    return score


def _of_program(text: str, lines: Sequence[TextLine], piece: LinePiece) -> Candidate | None:
    """Return what a form of a known program reads of a line, whole or behind a log's prefix; of a sentence it reads the quotations."""
    line = lines[piece.number]
    below = [other.text for other in lines[piece.number + 1 : piece.number + 13]]
    starts = (line.start, piece.begin) if piece.place is PasteSpan.LINE and piece.begin > line.start else (piece.begin,)
    led = _ERROR_LEAD.match(text, piece.begin, piece.end)
    named_ = _PROGRAM.match(text, line.start, line.end) if piece.place is PasteSpan.LINE else None
    starts = starts if named_ is None else (*starts, named_.end())
    for start in starts if led is None else (led.end(), *starts):
        words = text[start : piece.end]
        found = read_form((words.strip(), *below), 0)
        is_led = led is not None and start == led.end()
        if (
            found is None
            or (is_led and found.form not in COMPILERS)
            or _NOTHING.match(found.message or " ")
            or _ASIDE.search(found.message or "")
        ):
            continue
        under = lines[piece.number + found.line]
        place = under.start if found.line else start + len(words) - len(words.lstrip())
        message = found.message or ""
        if message.endswith((":", "：")) and (listed := _listed(lines, piece.number)) is not None:
            return Candidate(
                OF_PROGRAM[found.form.severity] - 2, listed.start, listed.end, "tool", ((found.type, listed.text),)
            )
        begin, end = place + found.begin, place + found.begin + len(message) if message else line.end
        raised = chain_of(found.type, found.message)
        score = EXCEPTION + 1 if len(raised) > 1 else OF_PROGRAM[found.form.severity]
        score -= _ANNOUNCES if message.endswith((":", "：")) else 0
        return Candidate(score, begin, end, found.form.runtime, tuple(raised))
    return None


def _listed(lines: Sequence[TextLine], number: int) -> TextLine | None:
    """Return the line below one that announces it: the first item of a list, the first sentence of a paragraph."""
    below = next((line for line in lines[number + 1 : number + 3] if line.text), None)
    if below is None or not mentions_failure(below.text) or len(_WORDS.findall(below.text)) < _FEWEST_LISTED:
        return None
    return below


def _of_a_runtime(body: str, begin: int, place: PasteSpan) -> Candidate | None:
    """Return what a runtime that knows the words makes of them alone."""
    for runtime in matching_runtimes(body):
        found = runtime.reader.named_in(body) if runtime.is_known_by_words and runtime.reader.starts(body) else None
        if found is not None and found.message is not None:
            at = max(body.find(found.message[:40]), 0)
            score = _OF_RUNTIME + (place is not PasteSpan.LINE)
            message = found.message[: end_of_words(found.message, 0, len(found.message))]
            return Candidate(score, begin + at, begin + at + len(message), runtime.name, ((found.type, message),))
    return None


_ERROR_LEAD = lazy(r"(?:Error|ERROR|error)(?::| in) ")
"""What runners print before a compiler's own line: ``Error: src/a.ts:1:7 - error TS2322: …``; only a compiler's line is looked for behind it."""
_PROGRAM = lazy(r"[A-Za-z][\w-]{1,24}(?: [a-z]{2,12}){0,2}[:：] (?=\S+ \S)")
"""Who printed a line, as somebody puts it before: *airflow: Broken DAG: …*."""
_ASIDE = lazy(r"(?<![\w'-])(?:(?:I|anybody|somebody) [a-z]|we (?:get|have|see|tried|use|run) )")
"""Who goes on about themselves behind a tool's lead."""
_IS_RECORD = lazy(r"\{\"[\w.@-]{1,60}\": ?[\"\d{\[tfn]")
_DOUBTFUL = frozenset(("panic", "alert", "abort", "crit", "emerg", "fatal", "提示", "异常", "failure", "exception"))
"""Leads that are before other things, too: *提示：请先安装*, *Alert: maintenance tonight*."""
_NOTHING = lazy(r"(?i)(?:none|null|nil|undefined|no|false|n/?a|ok|0|-|\[\]|\{\})[.,;]?$")


def is_sure(lead: re.Match[str]) -> bool:
    """Whether what is behind a lead is an error: words, which tell a failure where the lead alone does not."""
    message = lead["message"]
    if _NOTHING.match(message) or DEFINES.match(message) or (message[:1].isdigit() and len(message.split()) == 1):
        return False
    return lead["lead"].lower() not in _DOUBTFUL or mentions_failure(message)


def _led(lead: re.Match[str], begin: int, piece: LinePiece) -> Candidate:
    message = lead["message"]
    score = _OF_LEAD if is_sure(lead) else LEAST - 1
    if piece.place is PasteSpan.LINE and not piece.is_announced and is_personal(message):
        score -= 30
    if piece.level is RecordLevel.WARNING:
        score -= 20
    if len(_WORDS.findall(message)) < 2:
        score -= 12
    if message.endswith((":", "：")):
        score -= _ANNOUNCES
    first = lead.start("message")
    last = end_of_words(lead.string, first, len(lead.string))
    raised = chain_of(lead["code"], bare(lead.string[first:last]))
    return Candidate(score, begin + first, begin + last, "text", tuple(raised))
