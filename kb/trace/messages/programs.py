"""What known programs, runtimes and frameworks print about a failure, and what stands behind a lead such as ``error:``."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from kb.patterns import lazy
from kb.trace.finding.needles import matching_runtimes
from kb.trace.messages.candidate import ANNOUNCES, EXCEPTION, OF_KNOWN_WORDS, OF_PROGRAM, Candidate, TextStretch
from kb.trace.messages.debug_values import error_in
from kb.trace.messages.forms import FormMatch, knows_words, may_have_form, read_form
from kb.trace.messages.pieces import KLOG_INFO, LOGGER_BEHIND, LinePiece, PasteSpan, RecordLevel
from kb.trace.messages.sentence import LEAST
from kb.trace.messages.text_lines import TextLine
from kb.trace.messages.toolchains import COMPILERS
from kb.trace.messages.typed import DEFINES, chain_of, runtime_of
from kb.trace.messages.wordings import wording_in
from kb.trace.messages.words import EXPLAINS, bare, end_of_words, is_human, is_personal, mentions_failure

_OF_RUNTIME = 76
_OF_LEAD = 68
# e.g. `error[E12]: x`
LEAD = lazy(
    r"(?:\{ |! )?[\[【]?(?P<lead>(?:(?:fatal|internal|critical|build|runtime|compile|compilation|server|client|unexpected|system|sql|query) )?(?:error(?: (?:message|msg|details?|text|description|reason))?|exception|failure)|fatal|panic|emerg|crit|alert|abort|err"
    r"|错误(?:信息|消息|内容|提示|日志|原因|详情|描述)?|报错(?:信息|内容|如下|日志|提示)?|异常(?:信息|内容|日志|提示)?|提示(?:信息|错误)?|失败原因|出错信息)[\]】]?"
    r"(?: ?[(\[]?(?P<code>[A-Z]{0,12}[-_]?\d{1,10})[)\]]?)?(?:[ \t]{0,4}(?:[:：!](?!:)|=>|->)[ \t]{0,8}|(?<=\])[ \t]{1,4}|(?<=】)[ \t]{0,4}|(?<=(?-i:[A-Z])\d{4})[ \t]{1,4}(?=['\"‘“A-Z]))(?P<message>\S.*)",
    re.IGNORECASE,
)
_FEWEST_LISTED = 3
"""Words of a line that an announcement is above."""
_MOST_ANNOUNCED = 4
"""Lines below an announcement that announce in turn, at most."""
_WORDS = lazy(r"[A-Za-z\u4e00-\u9fff]{2,}")
_ERROR_LEAD = lazy(r"(?:Error|ERROR|error)(?::| in) ")
"""What runners print before a compiler's own line: ``Error: src/a.ts:1:7 - error TS2322: …``; only a compiler's line is looked for behind it."""
_PROGRAM = lazy(r"[A-Za-z][\w-]{1,24}(?: [a-z]{2,12}){0,2}[:：] (?=\S+ \S)")
"""Who printed a line, as somebody puts it before: *airflow: Broken DAG: …*."""
_ASIDE = lazy(r"(?<![\w'-])(?:(?:I|anybody|somebody) [a-z]|we (?:get|have|see|tried|use|run) )")
"""Who goes on about themselves behind a tool's lead."""
_JOINED = lazy(r" (?=ninja: build stopped: |make(?:\[\d{1,3}\])?: \*\*\* )")
"""What a build's last line says, where somebody joined the lines."""
_DOUBTFUL = frozenset(("panic", "alert", "abort", "crit", "emerg", "fatal", "提示", "异常", "failure", "exception"))
"""Leads that are before other things, too: *提示：请先安装*, *Alert: maintenance tonight*."""
_LED_WITHIN = lazy(
    r"(?:[:：] (?:(?:[Uu]nexpected|[Uu]nknown|[Ii]nternal|[Ff]atal) )?(?:[Ee]rror|ERROR)|(?<![\w'-])(?:[Aa]n|[Tt]he|[Tt]his|following) (?:[a-z-]{2,20} )?error(?: message)?(?: occurred| was| is)?)[:：] (?=\S+ \S)"
    r"|(?<!\w)(?:[Ee]rror [Mm]essage[:：] ?|\w{0,20}(?:[Ee]rr(?:or)?|[Dd]etail)_?(?:[Mm]essage|[Mm]sg) ?[=:：] ?)(?=\S+ \S)"
)
"""A lead within a sentence: *Setup failed, will retry: Unexpected error: till closed early*, *the gateway gave an error: till closed early*."""
_CODE_BEHIND = lazy(
    r"(?<=[\w.'\")\]]) \((?:[\w .]{1,40}, )?(?:SQLSTATE|SQL ?[Ss]tate|[Ee]rror(?: [Cc]ode)?)[:=]? ?[\w-]{1,12}\)$"
)
"""The code that a client puts behind a server's words: ``Login failed for user 'till'. (Microsoft SQL Server, Error: 18456)``."""
_MOST_LEADS = 8
_LONGEST_CODE = 80
_OPENING = "`\"“‘'"
_NOTHING = lazy(r"(?i)(?:none|null|nil|undefined|no|false|n/?a|ok|0|-|\[\]|\{\})[.,;]?$")


def worded(stretch: TextStretch, piece: LinePiece) -> Candidate | None:
    """Return the sentence of a framework that a piece holds, with what its program puts before it and a colon."""
    text = stretch.text
    found = wording_in(text, piece.begin, piece.end)
    if found is None:
        return None
    begin, last = found
    if EXPLAINS.search(text, max(begin - 40, 0), begin):
        return None
    before = text[piece.begin : begin]
    is_same = before.endswith(": ") and mentions_failure(before) and not is_human(before)
    if is_same or piece.level is RecordLevel.ERROR or not before.strip("\"'`“‘「*_> "):
        begin = piece.begin
    points = OF_KNOWN_WORDS + (piece.place is not PasteSpan.LINE) - 12 * (piece.level is RecordLevel.WARNING)
    if piece.level is None:
        end = max(end_of_words(text, begin, piece.end), last)
    else:  # nobody goes on behind what a program logged
        end = max(begin + len(LOGGER_BEHIND.sub("", text[begin : piece.end])), last)
    first, last = server_message_in(text[begin:end])
    return Candidate(points, begin + first, begin + last, "text", ((None, bare(text[begin + first : begin + last])),))


def of_program(text: str, lines: Sequence[TextLine], piece: LinePiece) -> Candidate | None:
    """Return what a form of a known program reads of a line, whole or behind a log's prefix; of a sentence it reads the quotations."""
    line = lines[piece.number]
    starts = (line.start, piece.begin) if piece.place is PasteSpan.LINE and piece.begin > line.start else (piece.begin,)
    led = _ERROR_LEAD.match(text, piece.begin, piece.end)
    named_ = _PROGRAM.match(text, line.start, line.end) if piece.place is PasteSpan.LINE else None
    starts = starts if named_ is None else (*starts, named_.end())
    if piece.place is PasteSpan.QUOTED and piece.level is not None:  # a form may begin with the log's prefix
        starts = (*starts, 1 + max(text.rfind(mark, line.begin, piece.begin) for mark in _OPENING))
    mark = text[piece.begin : piece.begin + 1]
    if mark in ("`", '"') and text.find(mark, piece.begin + 1, piece.end) < 0:  # it closes in a line below
        starts = (*starts, piece.begin + 1)
    for start in starts if led is None else (led.end(), *starts):
        words = text[start : piece.end]
        found = _form_of(words.strip(), lines, piece.number)
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
        found = _reread(found)
        message = _JOINED.split(found.message or "", maxsplit=1)[0]
        if message.endswith((":", "：")) and (listed := _listed(lines, piece.number)) is not None:
            raised = chain_of(found.type, listed.text)
            return Candidate(OF_PROGRAM[found.form.severity] - 2, listed.start, listed.end, "tool", tuple(raised))
        begin, end = place + found.begin, place + found.begin + len(message) if message else line.end
        raised = chain_of(found.type, message or None)
        score = EXCEPTION + 1 if len(raised) > 1 else OF_PROGRAM[found.form.severity]
        score -= ANNOUNCES if message.endswith((":", "：")) else 0
        score = min(score, LEAST) if not found.type and _is_wordless(message) else score
        return Candidate(score, begin, end, found.form.runtime, tuple(raised))
    return None


def of_value(text: str, piece: LinePiece) -> Candidate | None:
    """Return the error that a piece shows as a value."""
    may_hold = piece.level is not RecordLevel.OTHER and text[piece.begin : piece.begin + 1] not in ("{", "[")
    value = error_in(text, piece.begin, piece.end) if may_hold else None
    if value is None:
        return None
    # as `util.inspect` shows an object, with the class before it: its own readers know more
    if runtime_of(value.name) == "javascript":
        return None
    points = _OF_VALUE - 12 * (piece.level is RecordLevel.WARNING)
    return Candidate(points, value.begin, value.end, "go" if value.is_go else "rust", ((value.type, value.message),))


_OF_VALUE = EXCEPTION + 6
"""An error that is shown as its value: more than the class that it names alone."""


def is_information(text: str, line: TextLine, piece: LinePiece) -> bool:
    """Return whether klog calls a line information, which tells of no failure but that a limit was exceeded or waited for: ``du and find took 3.2s … exceeds 5s``."""
    is_klog = piece.level is RecordLevel.OTHER and KLOG_INFO.search(text, line.begin, piece.begin) is not None
    return is_klog and not mentions_failure(_MILD.sub(" ", text[piece.begin : piece.end]))


_MILD = lazy(
    r"(?i)(?<![a-z])(?:exceed(?:s|ed|ing)?|clos(?:ed|ing)|(?:0|no|without(?: any)?) errors?(?: found)?|\d+m?s timeout)(?![a-z])"
)
"""Words of failure that information has, too."""


def _is_wordless(message: str) -> bool:
    """Return whether a message is a code, or words that a wrong encoding lost: ``0x80070005 ?????``."""
    words = _WORDS.findall(_OF_NO_WORD.sub(" ", message)) if message else [""]
    return not words or ("???" in message and len(words) < _FEWEST_WORDS)


_OF_NO_WORD = lazy(r"(?<!\w)0x[0-9a-fA-F]{1,16}(?!\w)|https?://\S{1,2000}")
_FEWEST_WORDS = 2


def _form_of(words: str, lines: Sequence[TextLine], number: int) -> FormMatch | None:
    """Return what a form reads of words; the lines below are taken apart only where one may fit."""
    if not may_have_form(words):
        return None
    return read_form((words, *(other.text for other in lines[number + 1 : number + 13])), 0)


def _reread(found: FormMatch) -> FormMatch:
    """Return a tool's line as that of the client within it, which names a code: ``error: An error occurred (Throttled) when calling …``."""
    within = read_form((found.message,), 0) if found.message and not found.type and not found.line else None
    if within is None or not (within.type or "").isalpha() or not within.message:
        return found
    return replace(found, type=within.type, message=within.message, begin=found.begin + within.begin)


def _listed(lines: Sequence[TextLine], number: int) -> TextLine | None:
    """Return the line below one that announces it: the first item of a list, the first sentence of a paragraph; what announces in turn is passed over."""
    for _ in range(_MOST_ANNOUNCED):
        near = range(number + 1, min(number + 3, len(lines)))
        number = next((at for at in near if lines[at].text), len(lines))
        listed = lines[number] if number < len(lines) else None
        if listed is None or not mentions_failure(listed.text):
            return None
        if listed.text[-1] not in ":：":
            return listed if len(_WORDS.findall(listed.text)) >= _FEWEST_LISTED else None
    return None


def of_a_runtime(body: str, begin: int, place: PasteSpan) -> Candidate | None:
    """Return what a runtime that knows the words makes of them alone."""
    if not knows_words(body):
        return None
    for runtime in matching_runtimes(body):
        found = runtime.reader.named_in(body) if runtime.is_known_by_words and runtime.reader.starts(body) else None
        if found is not None and found.message is not None:
            at = max(body.find(found.message[:40]), 0)
            score = _OF_RUNTIME + (place is not PasteSpan.LINE)
            message = found.message[: end_of_words(found.message, 0, len(found.message))]
            return Candidate(score, begin + at, begin + at + len(message), runtime.name, ((found.type, message),))
    return None


def lead_before(text: str, piece: LinePiece) -> tuple[re.Match[str], int] | None:
    """Return the lead that introduces a piece within its sentence, and where it begins: *同步失败，错误信息：till closed early*."""
    least = max(piece.begin - _LONGEST_LEAD, 0)
    before = _LEAD_WITHIN.search(text, least, piece.begin) if piece.place is PasteSpan.INTRODUCED else None
    lead = LEAD.match(text[before.start() : piece.end].rstrip()) if before is not None else None
    return (lead, before.start()) if before is not None and lead is not None else None


_LONGEST_LEAD = 12
_LEAD_WITHIN = lazy(r"(?:(?:错误|报错|异常)(?:信息|消息|内容|提示|原因|详情|描述))[:：][ \t]{0,4}$")


def _behind_lead(words: str) -> int:
    """Return where the words behind the last lead within a sentence begin; 0 where there is none, or they tell no failure."""
    if not any(mark in words for mark in ":：="):
        return 0
    place = max((found.end() for found in islice(_LED_WITHIN.finditer(words), _MOST_LEADS)), default=0)
    return place if place and mentions_failure(words[place:]) else 0


def server_message_in(words: str) -> tuple[int, int]:
    """Return where a server's words begin and end within those of its client: behind a lead, before a code."""
    found = _CODE_BEHIND.search(words, max(len(words) - _LONGEST_CODE, 0))
    last = len(words) if found is None else found.start()
    return _behind_lead(words[:last]), last


def is_sure(lead: re.Match[str]) -> bool:
    """Whether what is behind a lead is an error: words, which tell a failure where the lead alone does not."""
    message = lead["message"]
    if _NOTHING.match(message) or DEFINES.match(message) or (message[:1].isdigit() and len(message.split()) == 1):
        return False
    return lead["lead"].lower() not in _DOUBTFUL or mentions_failure(message)


def led(lead: re.Match[str], begin: int, piece: LinePiece) -> Candidate:
    """Return what is behind a lead; of `Exception` the type is known, too."""
    message = lead["message"]
    score = _OF_LEAD if is_sure(lead) else LEAST - 1
    if piece.place is PasteSpan.LINE and not piece.is_announced and is_personal(message):
        score -= 30
    if piece.level is RecordLevel.WARNING:
        score -= 20
    if len(_WORDS.findall(message)) < 2:
        score -= 12
    if message.endswith((":", "：")):
        score -= ANNOUNCES
    first = lead.start("message") + _behind_lead(message)
    last = end_of_words(lead.string, first, len(lead.string))
    name = "Exception" if lead.string.startswith("Exception: ") else lead["code"]
    raised = chain_of(name, bare(lead.string[first:last]))
    return Candidate(score, begin + first, begin + last, "text", tuple(raised))


def cause_below(text: str, begin: int) -> tuple[list[tuple[str | None, str | None]], int] | None:
    """Return the exception of the JVM that Py4J prints below its own, with its causes, and where it ends; None where its frames follow, which are read apart."""
    found = _BELOW_PY4J.match(text, begin)
    if found is None or _GOES_ON.search(text, found.start("type"), found.end() + _NEAR) is not None:
        return None
    return chain_of(found["type"], found["message"]), found.end()


_BELOW_PY4J = lazy(
    r"\n?: (?P<type>(?:[a-z]\w{0,40}\.){1,14}[A-Z][\w$]{1,120})(?:: (?P<message>\S[^\n]{0,8000}))?(?=\n(?![ \t]+\S)|$)"
)
_GOES_ON = lazy(r"\n[ \t]{1,40}at |Traceback \(")
_NEAR = 4_000
"""Characters below an exception in which its frames may begin: its message may have many lines."""
