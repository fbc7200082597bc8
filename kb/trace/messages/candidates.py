"""Every line of a text that may be its error, each with a score."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from kb.patterns import lazy
from kb.trace.finding.structured import LogRecord, is_success, read_block, read_record
from kb.trace.messages.candidate import (
    ANNOUNCES,
    EXCEPTION,
    OF_ERROR_RECORD,
    OF_LOGGED_ERROR,
    OF_PROGRAM,
    Candidate,
    TextStretch,
)
from kb.trace.messages.fields import (
    BELOW_TYPE,
    EMPTY_FIELD,
    answer_in,
    is_coded,
    is_failure,
    is_raised_with_answer,
    named_by_field,
    with_reason,
)
from kb.trace.messages.form import Severity
from kb.trace.messages.forms import read_form
from kb.trace.messages.introduced import is_of_a_program
from kb.trace.messages.pieces import (
    LOGGER_BEHIND,
    LinePiece,
    PasteSpan,
    RecordLevel,
    is_command,
    pieces,
)
from kb.trace.messages.programs import (
    LEAD,
    cause_below,
    is_information,
    lead_before,
    led,
    of_a_runtime,
    of_program,
    of_value,
    server_message_in,
    worded,
)
from kb.trace.messages.sentence import FEWEST, LEAST, is_logged_error, logged_score, may_be_sentence, sentence_score
from kb.trace.messages.services import REASON_PHRASES
from kb.trace.messages.text_lines import TextLine, closing_of, lines_of, opening_of
from kb.trace.messages.typed import NamedException, chain_of, named, runtime_of
from kb.trace.messages.words import (
    ASKS_BEHIND,
    EXPLAINS,
    GETTING,
    SUPPOSES,
    bare,
    end_of_words,
    is_code,
    is_mixed,
    is_personal,
    is_wrapped_at,
    mentions_failure,
    unquoted,
)
from kb.trace.messages.yaml import in_yaml

# Errors in records and documents: a line of JSON or logfmt, an error body printed over several lines, YAML.


def of_documents(stretch: TextStretch) -> Iterator[Candidate]:
    """Yield the errors of JSON documents that are printed over several lines: records, error bodies of services. The lines of a success show none."""
    text, lines = stretch.text, stretch.lines
    begin = opening_of(text, lines)
    closed = closing_of(text, lines) if begin >= 0 else None
    if closed is not None and begin < closed.begin:
        document = text[begin : closed.end].rstrip(", ")
        record = read_block(document)
        if _is_success(record, document):
            stretch.records.update(n for n, line in enumerate(lines) if begin <= line.end <= closed.end)
        elif record is not None:
            yield from of_record(record, begin, closed.end - begin)
    for shown_ in in_yaml(text, lines):
        raised = [(shown_.type, shown_.message)] if shown_.type else [_reread(shown_.message)]
        score = EXCEPTION if shown_.type else OF_ERROR_RECORD
        yield Candidate(score, shown_.begin, shown_.end, "tool", tuple(raised))


def _is_success(record: LogRecord | None, text: str) -> bool:
    """Return whether a text that is a record, or none, is a service's answer that tells that all is well."""
    is_error = record is not None and (
        record.level or record.exception_type or record.exception_message or record.stack
    )
    return not is_error and is_success(text)


def of_record(record: LogRecord, begin: int, length: int) -> Iterator[Candidate]:
    """Return what a log's record or an error body says went wrong, at a place; nothing for one that says nothing."""
    if record.exception_type in REASON_PHRASES and record.exception_message not in (None, record.exception_type):
        record = replace(record, exception_type=None)
    if record.exception_type in _OF_SCHEMA:
        if record.level not in _BAD and not record.stack:
            return
        record = replace(record, exception_type=None)
    score, runtime, raised = _error_of(record)
    if record.level == "warning":
        score = score - 12 if score else OF_PROGRAM[Severity.WARNING]
    if score and raised:
        first, last = record.message_span or (0, length)
        place = (0, length) if record.exception_type or record.exception_message else (first, last)
        yield Candidate(score, begin + place[0], begin + place[1], runtime, tuple(raised))


_OF_SCHEMA = frozenset(("string", "integer", "number", "object", "array", "boolean", "null")).union(
    ("text", "keyword", "date", "long", "short", "double", "float", "nested", "ip", "binary")
)
"""Types of values, which a schema in JSON or a mapping of Elasticsearch names as an error's body names its class."""
_BAD = ("fatal", "error", "warning")


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
    lines = lines_of(words)
    stretch = TextStretch(words, lines, is_decoded=True)
    every = (one for piece in pieces(words, words, lines) for one in candidates(stretch, piece))
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
_WITH_CAUSE = 6
"""Points of an exception with its cause in the line below: more than the cause has alone."""
_ANNOUNCES_BELOW = lazy(
    r"(?i)\b(?:below|following|these|such|same|next|this)(?: \w{1,20})? (?:errors?|exceptions?|issues?|problems?|messages?|logs?)[ .:]{0,4}$|(?:如下|以下|下面)[^\n]{0,8}$"
)
"""How somebody ends a line above what a program printed: *Getting below error.*"""
_BELOW_ERROR = 6
"""Points of a sentence below one that announces an error."""
_LISTED_BELOW = 15
"""Points more of the items of a list below it, which a list takes from a sentence elsewhere."""
_ERROR_ABOVE = lazy(
    r"(?i)(?:error|exception|报错|错误|异常)[^\n]{0,100}(?:[:：;]|(?:appear|occur|show|pop|come)s?(?: up)?[.;]?)$|(?:报错|错误|异常|提示|弹窗|弹出来?|显示|如下|日志)了?[:：]?$"
)
_ERRORS_ABOVE = lazy(
    r"(?i)(?:(?:errors?|exceptions?|messages?|failures?)|(?:报错|错误|异常)(?:信息|如下|日志|内容|提示)?)(?: (?:appear|occur|show|pop|come)s?(?: up)?)?[ :：;.]{0,3}$"
)
"""How somebody announces a list of errors: *I get these errors:*."""
_ALONE = 56
"""An exception that is named and says nothing."""
# e.g. Error: x {
_ERROR = lazy(r"(?<![\w.:/-])(?P<type>Error)(?: \[ERR_\w{1,60}\])?: (?P<message>\S[^\n]{2,4000})")
_MOST_NAMED = 24
"""Exceptions of one piece that are looked at."""

_OBJECT_IN = lazy(r"[\"']:")
"""A key of JSON, or of Python's or JavaScript's way to show an object."""
_IS_RECORD = lazy(r"\{(?P<mark>[\"'])[\w.@-]{1,60}(?P=mark): ?[\"'\d{\[tfnTFN]")


def candidates(stretch: TextStretch, piece: LinePiece) -> Iterator[Candidate]:
    """Yield what a piece may show, in no order; nothing for words that are no error, and for code."""
    text, lines = stretch.text, stretch.lines
    body = text[piece.begin : piece.end].strip()
    if body[:1] in ("'", '"') and EMPTY_FIELD.match(body):
        return
    body = unquoted(body)
    is_line = piece.place is PasteSpan.LINE
    if piece.number in stretch.records or len(body) < 3 or (" " not in body and not is_line and body.isascii()):
        return
    begin = text.find(body, piece.begin)
    if (value := of_value(text, piece)) is not None and not is_code(lines[piece.number].text):
        yield value
        return
    form = of_program(text, lines, piece) if is_line or len(body.split()) >= FEWEST[PasteSpan.QUOTED] else None
    recorded = _recorded(stretch, piece, body, begin) if form is None and is_line and not stretch.is_decoded else None
    if recorded is not None:
        yield from recorded
        return
    if SUPPOSES.match(lines[piece.number].text) or is_code(lines[piece.number].text):
        return
    typed = list(islice(_typed(stretch, piece), _MOST_NAMED))
    if form is not None:  # who prints `Error:` behind its own name means no class
        start = lines[piece.number].start
        is_named = any(name for name, _ in form.raised)
        typed = [one for one in typed if one.raised[0][0] != "Error" or (one.begin == start and not is_named)]
    yield from typed
    if not typed and (sentence := worded(stretch, piece)) is not None:
        yield sentence
    if form is not None:
        yield form
    elif (
        not (is_command(body) if piece.level is None else is_information(text, lines[piece.number], piece))
        and (words := _of_words(stretch, piece, body, begin, is_typed=bool(typed))) is not None
    ):
        yield words


def _recorded(stretch: TextStretch, piece: LinePiece, body: str, begin: int) -> list[Candidate] | None:
    """Return what a line says that is a record, or that quotes what a service answered; None for other lines."""
    if not ("=" in body or '":' in body or "':" in body or body.startswith("[") or "{" in body) or (
        is_raised_with_answer(body) or is_coded(body)
    ):
        return None
    length = len(body)
    if '{\\"' in body and '{"' not in body:  # an answer as the string of another one
        body = body.replace('\\"', '"')
    at = answer_in(body) if piece.level is None else 0
    record = read_record(body[at:])
    if not mentions_failure(body[:at]) and _is_success(record, body[at:]):
        stretch.records.add(piece.number)
        return []
    if at and (record is None or not is_failure(record, body[at:])):
        return [] if body[-1] in "}]" and not mentions_failure(body[:at]) else None
    if record is None and not _IS_RECORD.match(body):
        return None
    if at and record is not None and record.exception_type in REASON_PHRASES:
        record = replace(record, exception_type=None)
    found = list(of_record(_levelled(record, piece), begin + at, length - at)) if record is not None else []
    if piece.level is RecordLevel.OTHER and not (record is not None and record.level):
        found = [replace(one, score=one.score - _LOGGED) for one in found]
    if not found and _OBJECT_IN.search(body) is None and piece.level in (RecordLevel.ERROR, RecordLevel.WARNING):
        return None  # words with a few settings behind them: the log's level tells that they are an error
    if found and _OBJECT_IN.search(body) is not None:
        stretch.records.add(piece.number)
    return found


def _levelled(record: LogRecord, piece: LinePiece) -> LogRecord:
    """Return a record that names no level with that of the line it is in, if that is an error's."""
    is_bad = piece.level in (RecordLevel.ERROR, RecordLevel.WARNING)
    return replace(record, level=str(piece.level)) if record.level is None and is_bad else record


def _of_words(stretch: TextStretch, piece: LinePiece, body: str, begin: int, *, is_typed: bool) -> Candidate | None:
    """Return what the words say where no program's form fits: a runtime's own, an error's lead, a log's level, a sentence of failure."""
    text, lines = stretch.text, stretch.lines
    known = of_a_runtime(body, begin, piece.place)
    led_by = LEAD.match(body)
    if known is not None:
        return known
    if led_by is not None:
        return led(led_by, begin, piece)
    if not is_typed and (within := lead_before(text, piece)) is not None:
        return led(*within, piece)
    if is_typed:
        return None
    is_line, points = piece.place is PasteSpan.LINE, 0.0
    if piece.level is None:
        end = end_of_words(text, begin, begin + len(body))
        body, piece = text[begin:end], _with_question_behind(text, piece, begin, end)
    else:
        body = LOGGER_BEHIND.sub("", body)
    if is_logged_error(body, piece):
        points = OF_LOGGED_ERROR + (logged_score(body, piece) if is_line else 0)
    elif not piece.is_continued and may_be_sentence(body, piece):
        points = sentence_score(body, piece, is_all=len(lines) == 1)
        below = "".join(line.text for line in lines[piece.number + 1 : piece.number + 2])
        is_wrapped = not piece.is_fenced and piece.level is None and is_wrapped_at(body, below)
        if piece.is_announced and is_line and _is_below_error(lines, piece.number):
            is_list = piece.is_listed and _ERRORS_ABOVE.search(_last_words(lines, piece.number)) is not None
            more = _BELOW_ERROR + _LISTED_BELOW * is_list
            points = max(points, min(points + more, OF_LOGGED_ERROR - 1))
        points -= ANNOUNCES * (is_line and piece.level is None and _ANNOUNCES_BELOW.search(body) is not None)
        points -= _MIXED * (is_line and (piece.introduces or is_mixed(body) or is_wrapped))
        if is_line and piece.level in (RecordLevel.OTHER, RecordLevel.UNNAMED):
            points += _LOGGED * min(1, (OF_LOGGED_ERROR - 1 - points) / (OF_LOGGED_ERROR - 1 - LEAST))
        points = max(points, LEAST) if piece.level is RecordLevel.WARNING else points
    else:
        return None
    is_shown = (is_line and (piece.is_fenced or piece.is_announced)) or piece.is_called
    first, last = server_message_in(body)
    raised = chain_of(None, bare(body[first:last]))
    return Candidate(points, begin + first, begin + last, "text", tuple(raised), is_shown=is_shown)


def _with_question_behind(text: str, piece: LinePiece, begin: int, end: int) -> LinePiece:
    """Return a line as introduced words where somebody asks about them behind; else the piece as it is."""
    if piece.place is not PasteSpan.LINE or piece.introduces or end >= piece.end or not ASKS_BEHIND.match(text, end):
        return piece
    body = text[begin:end]
    is_theirs = is_of_a_program(body) and not is_personal(body) and not GETTING.match(body)
    return replace(piece, place=PasteSpan.INTRODUCED, is_called=True) if is_theirs else piece


def _is_below_error(lines: Sequence[TextLine], number: int) -> bool:
    """Return whether the last words above a line announce an error: *I have got this error on the site:*."""
    return _ERROR_ABOVE.search(_last_words(lines, number)) is not None


def _last_words(lines: Sequence[TextLine], number: int) -> str:
    """Return the line with words above another, at most a few blank ones between."""
    return next((line.text for line in reversed(lines[max(number - BELOW_TYPE, 0) : number]) if line.text), "")


def _typed(stretch: TextStretch, piece: LinePiece) -> Iterator[Candidate]:
    text, lines = stretch.text, stretch.lines
    every: list[Candidate] = []
    found = _ERROR.search(text, piece.begin, piece.end)
    if found is not None and stretch.is_javascript:  # its class of all errors, as `toString` prints it
        last = end_of_words(text, found.start("message"), found.end())
        raised = chain_of("Error", bare(text[found.start("message") : last]))
        every.append(Candidate(EXCEPTION, found.start("type"), last, "javascript", tuple(raised)))
    for one in islice(named(text, piece.begin, piece.end), _MOST_NAMED):
        whole = with_reason(text, lines, piece, one)
        if piece.level is not None and whole.message:
            whole = replace(whole, message=LOGGER_BEHIND.sub("", whole.message))
        points = _score(text, piece, whole)
        if points:
            raised = chain_of(whole.type, whole.message)
            end = max(whole.end, one.end)
            if whole.type.endswith("Py4JJavaError") and (below := cause_below(text, end)) is not None:
                raised, end, points = raised + below[0], below[1], points + _WITH_CAUSE
            every.append(Candidate(points, whole.begin, end, _runtime_of(whole.type, stretch), tuple(raised)))
    begin = lines[piece.number].begin if piece.place is PasteSpan.LINE else piece.begin
    for one in islice(named_by_field(text, begin, piece.end), _MOST_NAMED):
        around = [other for other in every if other.begin <= one.begin < other.end]
        if all(one.is_called and other.raised[-1][0] != one.type for other in around):
            points = EXCEPTION + one.is_called - 12 * (piece.level is RecordLevel.WARNING)
            points = _ALONE if one.is_called and one.message is None else points
            runtime = one.runtime or _runtime_of(one.type, stretch)
            yield Candidate(points, one.begin, one.end, runtime, tuple(chain_of(one.type, one.message)))
    yield from every


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
