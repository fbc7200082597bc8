"""How clients and runtimes show a type and its message where no name tells that it is one: codes, objects, fields."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

import re2

from kb.patterns import lazy
from kb.trace.finding.formats import level_in
from kb.trace.finding.structured import LogRecord
from kb.trace.lines import holds_time
from kb.trace.messages.pieces import LinePiece, PasteSpan
from kb.trace.messages.services import ELASTIC
from kb.trace.messages.text_lines import TextLine
from kb.trace.messages.typed import LABEL, NamedException, named, trimmed
from kb.trace.messages.words import announces, bare, is_code, is_personal, mentions_failure

_LABELLED = lazy(
    r"(?<![A-Za-z])(?i:exception|error_class|error_type|exception_class|exception_type|error\.class)['\"]?(?:=>|=)[ ]?['\"]?(?P<type>[A-Z_a-z][\w$]{0,100}+(?:(?:\.|::|\\{1,2})[A-Za-z_$][\w$]{0,100}+){0,14}+)['\"]?,? {0,3}:?['\"]?(?i:message|error|msg|error_message|reason)['\"]?(?:=>|=)[ ]?\"(?P<message>(?:[^\"\\\n]|\\.){1,4000}+)\""
)
"""A class and its message as fields, whatever the class ends with: Logstash's ``{:exception=>A::B, :message=>"m"}``, Fluentd's ``error_class=A::B error="m"``."""
_CODE_NAME = r"(?:[A-Z][A-Za-z]\w{2,60}|[a-z]{2,12})(?:\.\w{2,60}){0,4}"
_KEY, _WORDS_OF = r"(?<![\w\"'.])(?i:(?:err(?:or)?_?)?code)", r"(?i:(?:err(?:or)?_?)?(?:message|msg))"
_CODED = lazy(
    rf"{_KEY}[=:] ?(?P<mark>[\"']?)(?P<type>(?!(?i:ok|success|succeeded)\b)(?=[\w.]{{0,80}}[A-Z]){_CODE_NAME}|(?<=[\"'])\d[0-9A-Z]{{4}}(?=[\"']))(?P=mark)[,;]? "
    rf"(?:(?!{_WORDS_OF}[=:])[\w-]{{1,30}}[=:]\"(?:[^\"\\\n]|\\.){{0,300}}+\",? ){{0,6}}+{_WORDS_OF}[=:] ?(?:\"(?P<message>(?:[^\"\\\n]|\\.){{1,4000}}+)\"|(?P<bare>[^\s\"'{{][^\n]{{2,2000}}?)(?=\)?$|[,;]? [A-Z]\w{{1,30}}=))",
    re.MULTILINE,
)
"""A service's code and its words as its client prints them: ``ErrorCode=NoSuchKey, ErrorMessage="m"``, ``Code="NotFound" Message="m"``, Go's ``ClientError{errorCode:"X", message:"m"}``."""
_WATCHED = lazy(
    r"\{\"(?P<message>[^\"\n]{2,2000}+)\"\}[ \t|]{1,4}(?:(?:[A-Z]\w{0,60}\.){1,8}\w{1,80} \{)?(?P<type>(?:[A-Z]\w{0,60}\.){1,8}[A-Z]\w{0,80}Exception)(?![\w.])"
)
"""Visual Studio's window of variables: ``$exception  {"m"}  System.Exception {System.IO.IOException}``, whose last class is the true one."""
_ABOVE_STATUS = lazy(
    r"(?:(?<=: )|^[ \t*]{0,8})(?!Error:)(?P<type>[A-Z][a-zA-Z]{2,60}(?:\.[A-Z][A-Za-z]{2,60}){0,2}): (?P<message>\S[^\n]{2,2000}+)(?=\n[ \t]{1,8}status code: [45]\d\d(?:,|[ \t]*$))",
    re.MULTILINE,
)
"""An error of AWS as its SDK for Go prints it: ``VolumeInUse: m``, below it ``status code: 400, request id: …``."""
_CODE_QUOTED = lazy(r"[\"'`“]err(?:or)?_?[Cc]ode[:=] ?(?P<type>[A-Z][a-z]\w{4,60}(?:\.\w{2,60}){0,3})[\"'`”]")
"""A code that somebody quotes with its field and nothing else: *the log has "error_code:AccessDenied"*."""
_SYSTEM_CODE = r"E(?:CONN(?:REFUSED|RESET|ABORTED)|TIMEDOUT|NOTFOUND|AI_AGAIN|PIPE|ADDR(?:INUSE|NOTAVAIL)|HOST(?:UNREACH|DOWN)|NETUNREACH|NOENT|ACCES|PERM|MFILE|NFILE|NOSPC|EXIST|ISDIR|NOTDIR|NOTEMPTY|BUSY|ROFS|PROTO|INVAL)"
_OF_ELIXIR = lazy(r"(?<![\w*])\*\* \((?P<type>[A-Z]\w{0,60}(?:\.[A-Z]\w{0,60}){0,8})\) (?P<message>\S)")
"""``** (DBConnection.ConnectionError) tcp recv: closed``, as Exception.format/3 prints it; with frames it is read by `runtimes/beam`."""
_TERM_RAISED = lazy(r"(?:\*\* )?\([A-Z]\w{0,60}(?:\.[A-Z]\w{0,60}){0,8}\) [%{\[]")
"""The same where the message is a term, which `raise` takes as anything else: ``** (RuntimeError) %{status: 400}``; the stars are the line's prefix."""
_BRACKETED = lazy(
    r"(?:^[ \t]{0,8}|(?<=[`\"“]))\((?P<type>(?:[A-Z]\w{0,60}\.){0,8}[A-Z]\w{1,80}Error|(?:[a-z]\w{0,40}\.){0,3}(?:errors?|exc(?:eptions?)?)\.[A-Z]\w{2,80}|(?:[a-z]\w{0,40}\.){1,4}[A-Z]\w{0,80}(?:Error|Exception))\) (?P<message>(?=\S{1,200} \S)[^\n]{8})",
    re.MULTILINE,
)
"""``(UndefinedFunctionError) undefined function: f/0``, of whose line the stars in front were lost; ``(psycopg2.errors.DeadlockDetected) deadlock detected``, as SQLAlchemy shows a driver's error."""
_SHOWN = (
    _OF_ELIXIR,
    _BRACKETED,
    # Elasticsearch's clients, each in its way: [parse_exception] m, with { … }; m [type=parse_exception]; [type=parse_exception, reason=m]; Type: parse_exception Reason: "m"
    ELASTIC,
    _WATCHED,
    lazy(r"elastic: Error \d{3} \([A-Z][A-Za-z ]{2,40}\): (?P<message>[^\n]{1,4000}) \[type=(?P<type>[a-z_]{3,80})\]"),
    lazy(
        r"\[type=(?P<type>[a-z_]{3,80}_exception), reason=(?P<message>(?:[^\[\]\n]|\[[^\[\]\n]{0,500}+\]){1,4000}+)\]"
    ),
    lazy(r"Type: (?P<type>[a-z_]{3,80}_exception) Reason: \"(?P<message>[^\"\n]{1,4000}+)\""),
    # RabbitMQ: {amqp_error,not_found,"no queue 'pay'",'queue.declare'}; in its new logs: caused a channel exception not_found: no queue
    lazy(r"\{amqp_error,(?P<type>[a-z_]{3,40}),[ \t]?\"(?P<message>[^\"\n]{1,2000}+)\""),
    lazy(r"caused a (?:channel|connection) exception (?P<type>[a-z_]{3,40}): (?P<message>[^\n]{2,2000}+)"),
    lazy(
        r"(?<![\w:.])(?P<type>(?:[A-Z]\w{0,60}::){1,6}[A-Z]\w{1,80}|[A-Z]\w{1,80}Error) \((?P<message>[^\n]{2,2000})\):[ \t]*$",
        re.MULTILINE,
    ),  # Rails' log
    lazy(
        r"^(?P<type>(?:[A-Z]\w{0,60}::){0,6}[A-Z]\w{1,80}Error) \((?P<message>(?=\S{1,200} \S)[^\n]{2,2000})\)[ \t]*$",
        re.MULTILINE,
    ),  # Ruby's shell
    lazy(
        r"(?:^(?!\[)|(?<=\] ))(?:[^\n{}:\[\]]{0,60}(?:error|exception|Error|Exception)[^\n{}:\[\]]{0,30}: )?(?P<message>[^\n{}]{4,400}+)(?<= )\{:(?:class|exception_class|error_class)=>\"?(?P<type>[A-Z][\w:]{2,100})\"?, :backtrace",
        re.MULTILINE,
    ),  # Logstash: the class behind the words, and no message of its own
    lazy(
        r"(?i:exception) '(?P<type>[A-Za-z_][\w\\]{2,200})' with message '(?P<message>[^\n]{1,2000}?)' in (?:[A-Za-z]:)?[/\\][^\n:]{1,300}:\d"
    ),  # PHP's exceptions as strings, up to version 5
    lazy(r"(?<![\w.-])(?P<type>P\d{4}): (?P<message>(?=[A-Z`])[^\n]{8})"),  # Prisma, "Error message reference"
    lazy(
        r"(?<![\w.-])(?P<type>NG0?\d{3,4}|Invariant Violation): (?P<message>\S[^\n]{7})"
    ),  # Angular's "Error encyclopedia", React Native
    lazy(
        r"(?<![\w.$])(?P<type>[A-Z]\w{1,80}(?:Error|Exception)) \"(?P<message>[^\"\n]{2,2000}+)\"(?=[ \t]*$)",
        re.MULTILINE,
    ),
    lazy(
        r"(?<![\w.-])(?P<type>(?:MSB|CS|NU|NETSDK|LNK)\d{4}|(?<!error )(?:TS|BC|FS|RZ)\d{4,5}): (?P<message>(?=[A-Z\u4e00-\u9fff'\"])(?:(?! \[[^\]\n]{1,300}proj\])[^\n]){8,4000}+)"
    ),  # MSBuild's "category code: text"
)
"""How clients and runtimes show a type and its message, where no name tells that it is one."""
_LIBUV = lazy(rf"(?<![\w.-])(?P<type>{_SYSTEM_CODE}): (?P<message>[a-z]{{2}})")
"""``ENOENT: no such file or directory, open '/x'``"""
_WITH_ADDRESS = lazy(
    rf"(?<![\w.-])(?:(?:connect|read|write|listen|bind|accept|send|getaddrinfo|query[A-Z]\w{{0,4}}|spawn|open) )?(?P<type>{_SYSTEM_CODE}) (?:\[?[\w.-]*[:./\d][\w.:/-]*+\]?(?::\d{{1,5}})?|[\w-]{{1,60}}(?=[\"'`\s]*$))"
)
"""What Node prints of a system call: ``connect ECONNREFUSED 127.0.0.1:5432``; all of it is the message."""
# e.g. the game is gone and the log says EXCEPTION_ACCESS_VIOLATION (0xc0000005)
_WINDOWS = lazy(r"(?<![\w.])(?P<type>(?:EXCEPTION|STATUS)_[A-Z]{2,20}(?:_[A-Z]{2,20}){1,5}) \(0x[0-9a-fA-F]{8}\)")
_CODE_ALONE = lazy(
    r"(?:(?<![\w'])(?:gives?|gave|got|gets?|getting|with|throws?|raises?|raised|returns?|answers?|reports?|hits?|is) (?:an? |the |error )?|(?:报错?|提示|抛出?了?|出现了?|遇到了?|返回|[(（])[ :：]{0,2})"
    r"(?P<type>ORA-\d{5}|CERT_(?:HAS_EXPIRED|NOT_YET_VALID)|(?:DEPTH_ZERO_)?SELF_SIGNED_CERT(?:_IN_CHAIN)?|UNABLE_TO_(?:VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT(?:_LOCALLY)?))(?![\w:：-])"
)
"""A code of Oracle's, or one by which OpenSSL calls a certificate's fault, that somebody names alone."""
_MOST_SHOWN = 8

# e.g. an exception [parse_exception] of Elasticsearch
_SHOWS = re2.compile(
    rb"\*\* \(|Error\) |\([a-z]\w{0,40}\.|_exception|with message '|type=|Type: |\{amqp_error|exception [a-z_]{3}|::[A-Z]|Error \(|P\d{4}: |class=>|NG\d{3,5}: |Invariant V|(?:Error|Exception) \"|(?:MSB|CS|NU|NETSDK|LNK|TS|BC|FS|RZ)\d{4,5}: |(?i:exception|error_class|error_type|exception_type|error\.class)['\"]?="
    rb"|E(?:CONN|TIMED|NOT|AI_|PIPE|ADDR|HOST|NET|NOENT|ACCES|PERM|MFILE|NFILE|NOSPC|EXIST|ISDIR|BUSY|ROFS|PROTO|INVAL)|(?:EXCEPTION|STATUS)_[A-Z]|ORA-\d|CERT_|SELF_SIGNED_|UNABLE_TO_|[Cc]ode[=:]|\"\}[ \t|]"
)
"""What these hold: few lines hold any."""


def named_by_field(text: str, begin: int, stop: int) -> Iterator[NamedException]:
    """Yield the errors that clients and runtimes show without the name of an exception."""
    if text[begin:stop].lstrip().startswith("status code: "):
        for found in islice(_ABOVE_STATUS.finditer(text, text.rfind("\n", 0, begin - 1) + 1, stop), 1):
            yield NamedException(found["type"], found["message"].rstrip(), *found.span(), is_called=True)
    if _SHOWS.search(text[begin:stop].encode("utf-8", "surrogatepass")) is None:
        return
    for found in islice(_CODED.finditer(text, begin, stop), _MOST_SHOWN):
        words = found["message"] or found["bare"]
        yield NamedException(found["type"], words.rstrip(", "), *found.span(), is_called=True)
    for found in (
        one for form in (*_SHOWN, _LABELLED) for one in islice(form.finditer(text, begin, stop), _MOST_SHOWN)
    ):
        is_whole = found.end() - found.start("message") > 8  # else the pattern only tells where the message begins
        message, end = trimmed(text, found.start("message"), found.end("message") if is_whole else stop)
        runtime = "beam" if found.re.pattern == _OF_ELIXIR.pattern else None
        end = max(end, found.end() if is_whole else 0)
        yield NamedException(found["type"], message, found.start(), end, is_called=True, runtime=runtime)
    for found in islice(_LIBUV.finditer(text, begin, stop), _MOST_SHOWN):
        message, end = trimmed(text, found.start("message"), stop)
        yield NamedException(found["type"], message, found.start(), end)
    for found in islice(_WITH_ADDRESS.finditer(text, begin, stop), _MOST_SHOWN):
        yield NamedException(found["type"], found[0], *found.span())
    for form in (_WINDOWS, _CODE_ALONE, _CODE_QUOTED):
        for found in islice(form.finditer(text, begin, stop), _MOST_SHOWN):
            yield NamedException(found["type"], None, *found.span("type"), is_called=form is not _WINDOWS)


# e.g. 信息: going on
_REASON = lazy(
    r"(?i)(?<![a-z])(?:reason|message|msg|detail|description|error ?message|信息|消息|描述)['\"]?[ \t]{0,3}(?:=>|[:：=])[ \t]{0,8}u?(?:'(?P<single>[^'\n]{2,2000})'|\"(?P<double>[^\"\n]{2,2000})\"|(?P<bare>[^\s'\"{\[][^\n]{2,2000}))"
)


def reason_in(text: str) -> tuple[str, int, int] | None:
    """Return the message that a printed object gives beside its class (``reason: '…'``, ``Message: …``), and where it is."""
    found = _REASON.search(text)
    if found is None or found.lastgroup is None:
        return None
    message = found[found.lastgroup].rstrip()
    return message, found.start(found.lastgroup), found.start(found.lastgroup) + len(message)


BELOW_TYPE = 3
"""Lines below a class in which its message may be."""


def with_reason(text: str, lines: Sequence[TextLine], piece: LinePiece, one: NamedException) -> NamedException:
    """Return an exception that is named alone, or as a field's value, with the message that is beside it or below."""
    is_head = one.type.endswith(("Error", "Exception")) and text[one.end : piece.end].strip() in (":", "：")
    if one.message is None and is_head:
        return _with_line_below(lines, piece, one)
    before = text[lines[piece.number].begin : one.begin]
    if (
        one.message is not None
        or piece.place is not PasteSpan.LINE
        or (LABEL.search(before) is None and before.strip(" \t\"'`*["))
    ):
        return one
    below = lines[piece.number + 1 : piece.number + 1 + BELOW_TYPE]
    end = next((line.begin for line in below if not line.text), below[-1].end if below else piece.end)
    begin = lines[piece.number].begin
    found = reason_in(text[begin:end])
    if found is None:
        return _with_sentence(text, lines, piece, one)
    message, first, last = found
    return replace(one, message=message, begin=min(one.begin, begin + first), end=max(one.end, begin + last))


def _with_line_below(lines: Sequence[TextLine], piece: LinePiece, one: NamedException) -> NamedException:
    """Return a class at the end of its line, with a colon behind it, and the message that follows in the line below."""
    below = next((line for line in lines[piece.number + 1 : piece.number + 1 + BELOW_TYPE] if line.text), None)
    if below is None or is_code(below.text) or is_personal(below.text):
        return one
    return replace(one, message=bare(below.text), end=below.start + len(below.text))


def _with_sentence(text: str, lines: Sequence[TextLine], piece: LinePiece, one: NamedException) -> NamedException:
    """Return a class that is all of its line, with the sentence below it: so error pages of PHP's frameworks head their report."""
    around = text[lines[piece.number].start : one.begin] + text[one.end : piece.end].strip()
    below = next((line for line in lines[piece.number + 1 : piece.number + 3] if line.text), None)
    if below is None or is_code(below.text) or is_personal(below.text) or below.text[:1] in "{[<":
        return one
    is_boxed = around == "[]" and below.begin < below.start  # as the console of Symfony prints it, indented below
    is_headed = around == "[]" or (not around and "\\" in one.type)
    if not is_boxed and not (is_headed and mentions_failure(below.text)):
        return one
    return replace(one, message=below.text, end=below.start + len(below.text))


# What services answer to a request, where somebody quotes it in a line: where it begins, and whether it tells a failure.

_ANSWER = lazy(
    r"\{ ?(?:(?P<mark>[\"'])[\w.-]{1,40}(?P=mark)|(?:code|err\w{0,20}|status|statusCode|msg|message|success|ret|result\w{0,10})) ?: ?"
)
_OF_ANSWER = lazy(
    r"(?i)(?:接口|返回|响应|请求|调用|应答|\b(?:response|answers?|returns|returned|request|API))[^\n，。,.{}]{0,24}$"
)
"""How somebody says that a service answered: *调用接口都是 { code: 500 }*."""
_FAILED = lazy(
    r"(?i)(?:[\"']|(?<=[{, ]))(?:code|err_?code|error_?code|status|status_?code|ret|ret_?code|result_?code)[\"']? ?: ?[\"']?(?:(?!0\b|1\b|2(?:0\d|26)\b|\d{5,}00\b)-?\d|(?-i:[A-Z]{1,12}[-_.]?\d{2,8})\b|(?:error|fail(?:ed|ure)?)\b|[a-z]\w{0,40}(?:\.[a-z][\w-]{0,60}){1,4}[\"'])"
    r"|(?:[\"']|(?<=[{, ]))(?:(?:is_?)?success|succeeded|ok)[\"']? ?: ?false\b"
)
"""The number or the flag by which a service's answer tells a failure."""
_OWN_FIELD = lazy(
    r"(?i)(?:[\"']|(?<=[{, ]))(?:(?:sub_?)?(?:err(?:or)?s?|exception|fault)(?:_?(?:code|type|msg|message|no))?|detail)[\"']? ?: ?(?!null|false|none|0\b|\"\"|'')[\"'\w\[{-]"
)
"""A field that only an error has, and that holds one."""
EMPTY_FIELD = lazy(
    r"[\"'][\w.@-]{1,60}[\"'] ?: ?(?:null|None|true|false|True|False|-?\d{1,20}|\"\"|''|\[ ?\]|\{ ?\}),?$"
)
"""A field of a document over several lines that says nothing: ``"error": null``."""


def is_coded(body: str) -> bool:
    """Return whether a line names a code with its words as a client prints them, and is no record of a log, which names a level."""
    return _CODED.search(body) is not None and _LEVELLED.search(body) is None


_LEVELLED = lazy(r"(?i)(?<![a-z])(?:level|lvl|severity)=")


def is_raised_with_answer(body: str) -> bool:
    """Return whether a line is an exception whose message shows an answer behind its own words: ``OperationFailure: Not allowed, full error: {'code': 18}``."""
    if _TERM_RAISED.match(body):
        return True
    raised = next(named(body, 0, body.find("{")), None) if "{" in body[1:] and body[0] != "{" else None
    return raised is not None and raised.begin == 0 and bool(raised.message)


def answer_in(body: str) -> int:
    """Return where the JSON begins that somebody quotes in a sentence: ``接口返回 {"code":500,"msg":"…"}``; 0 where it does not."""
    found = _ANSWER.search(body)
    before = body[: found.start()].rstrip("了是 ") if found is not None else ""
    is_introduced = announces(before) or _OF_ANSWER.search(before) is not None
    if found is None or not is_introduced or before == "return" or holds_time(before) or level_in(before):
        return 0
    return found.start()


def is_failure(record: LogRecord, answer: str) -> bool:
    """Return whether an answer of a service tells a failure: by its words, or by a number that is not that of success."""
    words = record.exception_message or record.message or ""
    return any(one.search(answer) for one in (_FAILED, _OWN_FIELD)) or mentions_failure(words)
