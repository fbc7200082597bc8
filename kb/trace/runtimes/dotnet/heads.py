"""The lines of a .NET trace that are not frames: heads, ``--->``, the markers between stacks; and lines that were joined."""

import re
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from kb.patterns import lazy
from kb.trace.lines import LOG_PREFIX, holds_time
from kb.trace.rules import names
from kb.trace.runtimes.dotnet.frames import JAVA_ROOTS, NAME
from kb.trace.runtimes.dotnet.languages import at_words, inner_words, is_end_of_inner, is_end_of_previous

LONGEST_HEAD = 4_000
"""Only so much of a line is searched for a head; the message itself is taken whole."""

_PART = r"[^\W\d]\w{0,120}+"
_ARITY = r"(?:`\d{1,2}(?:\[[^\n]{0,300}?\](?=[:： ]|$))?)?"
TYPE = rf"{_PART}(?:[.+/]{_PART}){{0,24}}+{_ARITY}"
# e.g. System.Net.Sockets.SocketException (10061): 拒绝
_HEAD = lazy(
    rf"(?P<type>{TYPE})(?: \((?P<code>0x[0-9A-Fa-f]{{1,16}}|-?\d{{1,10}})(?:, [^()\n]{{1,60}})?\))?"
    r"(?:[ \t]*+[:：][ \t]*+(?P<message>.*)|[ \t]*+$)",
    re.DOTALL,
)
# e.g. HttpException
_THROWN = lazy(r"(?:Exception|Error|Fault|Failure|Failed|ExceptionDetail)(?:`\d{1,2}(?:\[.*\])?)?$")
# e.g. Acme.A
_ROOTED = lazy(
    rf"(?<![\w.`+/<\\-])(?P<type>[A-Z]\w{{1,60}}+(?:[.+]{_PART}){{1,24}}+{_ARITY})(?=(?: \((?:0x[0-9A-Fa-f]{{8}}|-?\d{{1,10}})\))?[ \t]*+(?:[:：]|$))"
)
# e.g. Exception message: gone
_INTRODUCED = lazy(
    r"[ \t]*+(?:(?:\[ERROR\] )?FATAL UNHANDLED EXCEPTION:|Unhandled [Ee]xception[.:：]|未经处理的异常[:：]|未處理的例外狀況[:：]|ハンドルされていない例外[:：]"
    r"|처리되지 않은 예외[:：]|Unbehandelte Ausnahme[:：]|Exception non gérée[ \t]?[:：]|Excepción no controlada[:：]|Необработанное исключение[:：]"
    r"|Eccezione non gestita[:：]|Exceção Sem Tratamento[:：]|Nieobsłużony wyjątek[:：]"
    r"|Exception (?:Details|Info|information|message)[:：]|异常(?:详细信息|信息|类型)?[:：]|例外狀況詳細資訊[:：]|例外の詳細[:：]"
    r"|(?:Inner ?)?Exception[:：]|(?:System )?Error[:：]|错误(?:信息|消息)?[:：]|Message[:：]|Uncaught exception[:：]|Rethrow as)[ \t]*+(?=\S)"
)
_RETHROWN = lazy(r"[ \t]*+Rethrow as (?=[A-Z])")
_MARKS = lazy(r"(?:[`*_\"'“‘「]{1,3})(?=[A-Z]\w{1,60}\.)")
_CLOSING = {"“": "”", "‘": "’", "「": "」"}
_ARROW = lazy(r"[ \t]*+-{2,4}>[ \t]*+")
# e.g. --- 内部异常堆栈跟踪的结尾 ---
_MARKER = lazy(r"(?P<indent>[ \t]*+)-{2,4}[ \t]*+(?P<text>[^-\n>][^\n]{3,160}?)[ \t]*+-{2,4}(?:[ \t]?-)?[ \t]*+$")
# e.g. Server stack trace:
_BETWEEN = lazy(
    r"[ \t]*+(?:Server stack trace|服务器堆栈跟踪|伺服器堆疊追蹤|サーバー スタック トレース|Exception rethrown at \[\d{1,3}\]"
    r"|(?:在 )?\[\d{1,3}\] ?处重新引发异常|例外狀況在 \[\d{1,3}\] 重新擲回|例外が \[\d{1,3}\] で再スローされました)[ \t]*+[:：]?[ \t]*+$"
)
# e.g. Error Number:18456,State:1,Class:14
_APPENDIX = lazy(
    r"[ \t]*+(?:ClientConnectionId(?: before routing)?|Error Number|Routing Destination|Data|HelpLink(?:\.\w+)?|Source|HResult|TargetSite)[ \t]?[:=]"
)
_ESCAPED_BREAK = lazy(r"(?:\\{1,4}r)?\\{1,4}n")


@dataclass(frozen=True, slots=True)
class DotnetHead:
    """A line that names an exception."""

    type: str
    message: str | None
    is_sure: bool
    """Whether the type can only be .NET's, or was introduced as an exception."""
    is_behind_text: bool = False
    has_code: bool = False
    """Whether an error code stands behind the type: such types print no marker behind their inner exception."""


def is_rooted(name: str) -> bool:
    """Whether only .NET has types of such a name."""
    return name in names("dotnet_roots") and _THROWN.search(name) is not None


def plain_head(body: str) -> DotnetHead | None:
    """Return the head that a text begins with: ``Ns.Type: message``, ``Ns.Type (0x80131904): message``, ``Ns.Type``."""
    found = _HEAD.match(body)
    if found is None:
        return None
    name, message = found["type"], (found["message"] or "").strip() or None
    if (
        not (name[0].isupper() or "." in name)
        or not name.rpartition(".")[2][:1].isupper()
        or name.startswith(JAVA_ROOTS)
    ):
        return None
    if found["code"]:
        message = f"({found['code']}) {message or ''}".strip()
    return DotnetHead(name, message, is_sure=is_rooted(name), has_code=bool(found["code"]))


@lru_cache(maxsize=4_096)
def head_of(line: str) -> DotnetHead | None:
    """Return the exception a line introduces, whatever log text is before it; None for any other line."""
    window = line[:LONGEST_HEAD]
    if not any(word in window for word in ("Exception", "Error", "Fault", "Fail")):
        return None
    body = _undecorated(line.strip())
    for start, is_introduced in _starts(body):
        head = plain_head(body[start:])
        if head is not None and _is_thrown(head, introduced=is_introduced):
            return replace(head, is_sure=head.is_sure or (is_introduced and "." in head.type))
    return _behind_text(body)


def _undecorated(body: str) -> str:
    """Without the marks that Markdown and quotes put round a head: `` `System.X: m` ``, ``**System.X: m**``."""
    marks = _MARKS.match(body)
    if marks is None:
        return body
    end = marks[0][0] if marks[0][0] not in _CLOSING else _CLOSING[marks[0][0]]
    return body[marks.end() :].rstrip().rstrip(end)


def _starts(body: str) -> list[tuple[int, bool]]:
    """Return where a head can begin: at once, behind an introduction, behind a log record's prefix, behind both."""
    found = [(0, False)]
    introduced = _INTRODUCED.match(body)
    if introduced is not None:
        found.insert(0, (introduced.end(), True))
    prefix = LOG_PREFIX.match(body[:LONGEST_HEAD])
    if prefix is not None and prefix.end() > 0:
        found.append((prefix.end(), False))
        introduced = _INTRODUCED.match(body, prefix.end())
        if introduced is not None:
            found.insert(-1, (introduced.end(), True))
    return found


def _is_thrown(head: DotnetHead, *, introduced: bool) -> bool:
    return head.is_sure or _THROWN.search(head.type) is not None or (introduced and "." in head.type)


def _behind_text(body: str) -> DotnetHead | None:
    for found in _ROOTED.finditer(body[:LONGEST_HEAD]):
        if is_rooted(found["type"]):
            head = plain_head(body[found.start() :])
            if head is not None:
                prefix = LOG_PREFIX.match(body[:LONGEST_HEAD])
                is_log = prefix is not None and holds_time(prefix[0])
                return replace(head, is_sure=True, is_behind_text=not is_log)
    return None


def is_record(line: str) -> bool:
    """Whether a logger's time is at the beginning."""
    found = LOG_PREFIX.match(line[:LONGEST_HEAD])
    return found is not None and holds_time(found[0]) and ":" in found[0]


@cache
def _member() -> re.Pattern[str]:
    return re.compile(rf"\((?:{inner_words()}|[^()#\n]{{3,40}}?) ?#(?P<number>\d{{1,4}})\)[ \t]*+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Arrow:
    """``---> Type: message``, or a member of a group: ``---> (Inner Exception #1) Type: message``."""

    head: DotnetHead
    number: int | None


def arrow_of(body: str) -> Arrow | None:
    """Return the inner exception that an arrow introduces."""
    arrow = _ARROW.match(body)
    if arrow is None:
        return None
    member = _member().match(body, arrow.end())
    head = plain_head(body[member.end() if member is not None else arrow.end() :].strip().removesuffix("<---"))
    if head is None or not ("." in head.type or _THROWN.search(head.type)):
        return None
    return Arrow(head, int(member["number"]) if member is not None else None)


def rethrown(body: str) -> DotnetHead | None:
    """Unity's ``Rethrow as Type: message``: a wrapper of what was printed above it."""
    found = _RETHROWN.match(body)
    return plain_head(body[found.end() :].strip()) if found is not None else None


@dataclass(frozen=True, slots=True)
class Marker:
    """A line between two stacks: ``--- End of inner exception stack trace ---``."""

    is_end_of_inner: bool | None
    """None for a marker in a language of no table: the reader knows by where it is."""
    indent: int


@lru_cache(maxsize=2_048)
def marker_of(line: str) -> Marker | None:
    """Return the marker on this line, in whatever language."""
    if "--" not in line or len(line) > LONGEST_HEAD:
        return None
    found = _MARKER.match(line)
    if found is None:
        return None
    text, indent = found["text"], len(found["indent"].expandtabs(8))
    if is_end_of_inner(text):
        return Marker(is_end_of_inner=True, indent=indent)
    return Marker(is_end_of_inner=False if is_end_of_previous(text) else None, indent=indent)


def is_between(body: str) -> bool:
    """Lines of remoting and WCF between the parts of one stack: ``Server stack trace:``, ``Exception rethrown at [0]:``."""
    return len(body) < 120 and _BETWEEN.match(body) is not None


def is_appendix(body: str) -> bool:
    """Return what SqlException and others append to their stack: ``ClientConnectionId:…``."""
    return len(body) < 400 and _APPENDIX.match(body) is not None


@cache
def _joined() -> re.Pattern[str]:
    name = NAME.replace(r"\s()", r"\s()\\/")
    return re.compile(
        rf"[ \t]+(?=(?:{at_words()})[:：]?[ \t]++(?:\(wrapper [\w-]{{1,40}}\) )?(?=[\w<.][^\s()\\/]{{0,300}}+ ?\(){name} ?\([^()\n]{{0,2000}}\))"
        r"|[ \t]+(?=-{3} [^-\n>]{5,160} -{3}(?:[ \t]|$))"
        r"|[ \t]*(?=-{3}> ?(?:\([^()\n#]{2,40} ?#\d|(?:[A-Za-z_]\w{0,80}\.[\w.+`]{1,200}(?:\[[^\]\n]{0,200}\])?"
        r"|[A-Z]\w{0,80}(?:Exception|Error))(?:[:： ]|$)))"
    )


def pieces_of(line: str) -> list[str]:
    """Return the lines that were joined into one: escaped breaks, frames one behind the other, arrows and markers."""
    found = [line]
    if "\\n" in line:
        found = [part.replace("\\t", "\t") for part in _ESCAPED_BREAK.split(line)]
    if "--" in line or line.count("(") > 1:
        found = [piece for part in found for piece in _cut(part)]
    return [piece for piece in found if piece.strip()] or [line]


def _cut(part: str) -> list[str]:
    if not ("--" in part or part.count("(") > 1):
        return [part]
    found, start = [], 0
    for joint in _joined().finditer(part):
        if part[start : joint.start()].strip():
            found.append(part[start : joint.start()])
            start = joint.start()
    # a frame that was joined to another has lost its indentation, by which frames in short words are known
    return [*found[:1], *(f"  {piece}" for piece in (*found, part[start:])[1:])] if found else [part]
