"""Exceptions named in a line or shown by it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import re2

from kb.patterns import lazy
from kb.trace.messages.debug_values import apart
from kb.trace.messages.form import widen
from kb.trace.messages.services import ELASTIC, ELASTIC_TERM
from kb.trace.messages.words import end_of_words
from kb.trace.rules import names
from kb.trace.runtimes.python.syntax import is_of_python
from kb.trace.runtimes.sql.reader import named_in as named_by_database

# Exceptions that a line names with their message: ``X: m``, ``X("m")``, ``m (X)``, ``X: Y: m``, ``nested exception is Y: m``.

IDENTIFIER = lazy(
    r"(?<![\w.$\\/@-])(?:[A-Za-z_$][\w$]{0,100}+(?:\.|::|\\{1,2}))"
    r"{0,14}+[A-Za-z_$][\w$]{2,120}+(?:\[[\w.,]{1,100}\])?",
    re.ASCII,  # in Chinese a name is between letters
)
# e.g. MyError
_SUFFIX = lazy(
    r"(?:(?:\w|::)(?:Error|Exception)|[a-z0-9_](?:Warning|Failure|Fault|Panic|Interrupt|Timeout|Exit)|_(?:exception|error)|::E[A-Z0-9]{3,20}|(?:Error|Exception)\d{3})(?:\$\w{1,80})?$"
)
_WITHOUT_SUFFIX = frozenset(
    [
        "StopIteration",
        "StopAsyncIteration",
        "GeneratorExit",
        "Throwable",
        "socket.timeout",
        "socket.gaierror",
        "socket.herror",
        "cv2.error",
        "ImproperlyConfigured",
        "ObjectDoesNotExist",
        "PermissionDenied",
        "DoesNotExist",
        "MultipleObjectsReturned",
        "AppRegistryNotReady",
        "ValidationError",
    ]
)
"""Well-known exceptions (Python, Django, OpenCV) whose names do not end like one."""
_MAY_NAME = re2.compile(
    rb"Error|Exception|(?:Warning|Failure|Fault|Panic|Interrupt|Timeout|Exit)|_exception|_error|::|(?:errors?|exceptions?|exc)\.[A-Z]|\.(?:timeout|gaierror|herror|error)"
    rb"|StopIteration|StopAsyncIteration|GeneratorExit|Throwable|ImproperlyConfigured|DoesNotExist|PermissionDenied|MultipleObjectsReturned|AppRegistryNotReady"
)
"""What a name that `is_type` holds, in RE2: most lines hold none of it."""
_CALLBACK = lazy(
    r"(?:did|will|failed?|on|handle|get|is|has|throw|set|add|show|log|print)[A-Z]\w*$|[a-z]\w*With(?:Error|Exception)$"
)
"""A method that is told of an error: ``didFailWithError: Error Domain=…``."""
_IN_ERRORS = lazy(r"\b(?:errors?|exceptions?|exc)\.[A-Z]\w{0,80}$")
"""A class of a module of exceptions: ``psycopg2.errors.UndefinedFile``."""
_OF_RUBY = lazy(
    r"::(?:\w*(?:NotFound|NotSaved|NotUnique|NotAllowed|NotEstablished|Unknown|Invalid|Violation|Failed|Refused|Denied|Missing|Unauthorized|Forbidden|Conflict|Closed|Expired|Exceeded|Unavailable)|(?:Undefined|Duplicate|Invalid|Cannot|Unknown|Unexpected|Missing|NoSuch|TooMany|Bad|Unprocessable)[A-Z]\w*)$"
)
"""Ruby's libraries name exceptions by what happened: ``ActiveRecord::RecordNotFound``, ``PG::UndefinedObject``, ``Faraday::ConnectionFailed``."""
_LABELS_MESSAGE = lazy(
    r"[ \t]{0,3}[:：](?:[ \t]{1,8}(?=[^\s|])|(?=[^\s|_]))|(?<=(?:Error|ption)) - (?=[A-Z]\S* \S)"
    r"|(?<=(?:Error|ption)) (?:error|exception): (?=\S)"
    r"|(?<=(?:Error|ption)) (?=(?:Cannot|Can't|Could not|Failed|No|Unable|Invalid|Object|Attempt|Index|Unexpected|Missing|Unknown) \S+ \S|undefined (?:method|local)|uninitialized constant|wrong number of|invalid literal)"
)
"""What is between a class and its message: a colon, a dash, a word that says what the class is; nothing where a sentence begins."""
# e.g. (tail call): ?
_CODE = lazy(r"[ \t]?[(\[][^()\[\]\n]{1,120}[)\]][ \t]?(?:(?i:reason|message)[ \t]?)?[:：][ \t]{0,8}(?=\S)")
DEFINES = lazy(
    r"(?i)(?:is|are|was|were|means|thrown|raised|occurs|indicates|signals|when|whenever|if|used|represents|denotes|this (?:exception|error))\b|表示|当|指|说明|用于|抛出|发生|由于|通常|一般|该异常|这个"
)
"""How a sentence goes on that explains an exception instead of showing it: ``ValueError: raised when …``."""
# e.g. `("no such table")`
_CALL = lazy(r"\((?=[^()\n]{0,20}[urb]?['\"]|[A-Z]\w{0,80}(?:Error|Exception|Timeout)\([^()\n]{0,20}[urb]?['\"])")
# e.g. `{code: 7, message: "no such table"}`
_STRUCT = lazy(
    r" ?\{[^{}\n]{0,300}?\b(?i:message|msg|reason|detail|str)[:=] ?\"(?P<message>(?:[^\"\\\n]|\\.){1,2000}+)\""
)
_CODE_IN_STRUCT = lazy(r"[Cc]ode:\"(?P<code>[A-Z][A-Za-z]{2,60}(?:\.\w{2,60}){0,4})\"")
_BRACKETED = lazy(
    r"\[(?P<message>(?=[^\]\n]{0,200} )(?:[^\[\]\n]|\[(?:[^\[\]\n]|\[[^\[\]\n]{0,200}+\]){0,500}+\]){4,2000}+)\]"
)
"""``ParsingException[no field [till]]``, as Elasticsearch prints its own."""
# e.g. `error="no such table"`
_FIELD = lazy(r"['\"]?,?[ \t]{1,3}(?:error|message|msg|reason|err|detail)=(?P<quote>[\"']?)(?P<message>[^\n]{1,4000})")
# e.g. 'price'
_ARGUMENT = lazy(r"[urb]{0,2}(?:'(?P<single>(?:[^'\\\n]|\\.){0,4000}+)'|\"(?P<double>(?:[^\"\\\n]|\\.){0,4000}+)\")")
_INNER = lazy(
    r"(?i:nested exception is|caused by|root cause|cause|inner exception)(?:\s|:|：){1,4}|\[(?=[\w.$\\]{3,200}:[ ])"
    r"|[:：][ \t](?=[a-z]\w{0,40}(?:\.\w{1,60}){1,12}(?:Exception|Error):[ ])"
    r"|(?:threw|thrown|raised) (?:an )?exception(?: with message)?[:;] (?:nested exception is )?(?=[a-z]\w{0,40}(?:\.\w{1,60}){1,12}(?:Exception|Error)\b)"
)
"""What is before a cause in a message; behind a colon only a qualified class counts."""
_TRAILING = lazy(r"[ \t]\((?P<type>(?:[A-Z]\w{0,60}::){0,6}[A-Z]\w{1,80}+)\)[\"'`]?[.]?$")
_IN_BRACKETS = lazy(r"(?<=\S)[ \t]\((?P<type>(?:[A-Z]\w{0,60}::){1,6}[A-Z]\w{1,80}+)\)(?=[,;，；。]| [-–—a-z])")
"""Ruby's class behind its message, where somebody goes on: ``Connection refused (Errno::ECONNREFUSED), why?``."""
_CODED = lazy(
    r"(?<![\w.-])(?:(?P<code>[A-Z][A-Z0-9]{1,30}(?:_[A-Z0-9]{2,30}){1,5}) ?(?:-|:|：) (?=\S+ \S)|(?i:error|err)\[(?P<kind>[A-Z]{1,6}-?\d{2,6})\]: |\[(?P<bracketed>[A-Z]{2,20}(?:_[A-Z]{2,20}){0,4}_ERROR)\] ?(?=\S+ \S))(?P<message>\S)"
)
"""A code in the place of a type: ``ACCESS_REFUSED - access to queue``, ``error[E0282]: type annotations needed``, Doris' ``[INTERNAL_ERROR]closed by peer``."""
_OBJECT = lazy(
    r"#<(?P<type>[A-Z]\w{0,60}(?:::[A-Z]\w{0,60}){0,6}): (?P<message>(?:[^<>\n]|(?<=[`'\"=<>])[<>](?=['\"=<>])){2,2000})>"
)
"""An exception as Ruby's ``inspect`` shows it."""
_DATABASE = lazy(r"(?P<type>(?:ORA|TNS|PLS|RMAN)-\d{4,5})[:：] ?(?P<message>\S[^\n]*+)")
_OF_DATABASE = lazy(
    r"[:：] (?:ORA|TNS|PLS|RMAN)-\d{4,5}[:：]|Code: \d{1,5}[.,] (?:e\.displayText\(\) = )?DB::(?:Net)?Exception:"
)
"""A database's own error within what its client says: ``connect failed: ORA-12514: …``, ``Code: 60. DB::Exception: …``."""
# e.g. (psycopg2.errors.UndefinedTable) relation "till" does not exist
_WRAPPED = lazy(r"\((?P<type>(?:\w{1,60}\.){0,6}\w{1,80})\) (?P<message>\S[^\n]*+)")
"""How SQLAlchemy begins the message of a driver's error that it wraps, and JRuby that of Ruby's: with the class."""
_NUMBERED = lazy(r"\((?P<code>[1-4]\d{3}), (?=['\"])")
"""The arguments of an error of MySQL's drivers for Python: the server's number, then its words."""
_SERVICE = lazy(
    r"(?:^|: )(?P<type>(?:Invalid|Malformed|Unauthorized|Unsupported|Missing|NoSuch|Insufficient|Duplicate|Conflicting|Expired|Incorrect|Unknown)(?:[A-Z]\w{1,60}|\.[A-Z]\w{1,60})"
    r"|[A-Z][a-z]\w{0,60}(?:Denied|NotFound|NotExist|Failed|Failure|Exceeded|Exists|InUse|Violation|Conflict|NotAllowed|NotSupported|NotAvailable|Unavailable|Forbidden|Required|Mismatch|Disabled|Throttled)(?:\.[A-Z]\w{1,60})?)"
    r": (?P<message>(?=[A-Z])\S+ \S.*)"
)
"""The code of a cloud's service behind what its client did: ``creating IAM Role (till): EntityAlreadyExists: Role with name till already exists.``"""
_MAY_NEST = re2.compile(f"{widen(_SERVICE.pattern)}|(?i:{widen(_INNER.pattern.replace('(?i:', '(?:'))})".encode())
"""What either of these two finds, and a little more: most messages hold none."""
_ESCAPED_QUOTE = lazy(r"\\(['\"])")
_OF_NODE = "UnhandledPromiseRejectionWarning"
"""What Node prints before an error that nobody caught."""
_DEEPEST, _LONGEST_LINE = 8, 8_000


@dataclass(frozen=True, slots=True)
class NamedException:
    """An exception as a line names it."""

    type: str
    message: str | None
    begin: int
    """Where the type begins."""
    end: int
    """Where the message ends, else the type."""
    is_called: bool = False
    """``X("m")``: as the language shows the object."""
    runtime: str | None = None
    """The runtime that prints it so; None where only the name can tell."""


LABEL = lazy(r"(?i)(?:type|class|exception|error_class|kind|name)['\"]?[ \t]{0,3}(?:[:：=]|=>)[ \t]{0,8}u?['\"]?$")
"""What a printed object says before an exception's class."""


@lru_cache(maxsize=4_096)
def is_type(name: str) -> bool:
    """Whether an identifier is spelled as the type of an exception: ``java.io.IOException``, ``socket.timeout``, ``Errno::ENOENT``."""
    name = name.partition("[")[0]
    if name in _WITHOUT_SUFFIX or name.rpartition(".")[2] in _WITHOUT_SUFFIX:
        return True
    if _CALLBACK.match(name):
        return False
    return any(one.search(name) is not None for one in (_SUFFIX, _IN_ERRORS, _OF_RUBY))


def may_name(text: str) -> bool:
    """Return whether any name in a text may be spelled as `is_type` wants it, or is ``Error`` or ``Exception`` alone."""
    return _MAY_NAME.search(text.encode("utf-8", "surrogatepass")) is not None


def named(text: str, begin: int, end: int) -> Iterator[NamedException]:
    """Yield the exceptions that a stretch of one line names, in order: those with a message, and those that are alone."""
    stop = min(end, begin + _LONGEST_LINE)
    holds_name = may_name(text[begin:stop])
    at = begin if holds_name else stop
    while (found := IDENTIFIER.search(text, at, stop)) is not None:
        at = found.end()
        if is_type(found[0]) and found[0] != _OF_NODE and text[max(begin, found.start() - 2) : found.start()] != "#<":
            one = _exception_with_message(text, found, stop)
            yield one
            at = max(at, one.end)
    for code in _CODED.finditer(text, begin, stop):
        message, end = trimmed(text, code.start("message"), stop)
        yield NamedException(code["code"] or code["kind"] or code["bracketed"], message, code.start(), end)
    for shown in _OBJECT.finditer(text, begin, stop):
        yield NamedException(shown["type"], shown["message"], *shown.span(), is_called=True)
    at = begin
    for shown in _IN_BRACKETS.finditer(text, begin, stop) if text.find("::", begin, stop) >= 0 else ():
        message = _LAST_CLAUSE.sub("", text[at : shown.start()]).strip()
        if is_type(shown["type"]) and " " in message:
            yield NamedException(shown["type"], message, text.find(message, at, shown.start()), shown.end())
            at = shown.end()
    trailing = _TRAILING.search(text, max(begin, stop - 300), stop) if holds_name else None
    if trailing is not None and is_type(trailing["type"]) and '="' not in text[begin : trailing.start()]:
        yield NamedException(trailing["type"], text[begin : trailing.start()].strip() or None, begin, trailing.end())


def chain_of(name: str | None, message: str | None) -> list[tuple[str | None, str | None]]:
    """Return an exception and those that its message holds, outermost first: types and messages."""
    chain = [(name, message)]
    while message and len(chain) < _DEEPEST:
        if (held := apart(message)) is not None:
            before, value = held
            outer = [] if before is None and chain[-1][0] in (None, "panic") else [(chain[-1][0], before)]
            return [*chain[:-1], *outer, (value.type, value.message)]
        inner = _inner(message)
        if inner is None or (inner.type, inner.message) == chain[-1]:
            break
        if inner.begin <= 1 and name is not None and inner.type == re.split(r"[.:]", chain[-1][0] or "")[-1]:
            chain.pop()  # `elasticsearch.RequestError: RequestError(400, 'x')` says its class twice
            chain.append((name if not chain else inner.type, inner.message))
        else:
            chain.append((inner.type, inner.message))
        message = inner.message
    return chain


def _inner(message: str) -> NamedException | None:
    """Return the exception that a message begins with, or names as its cause."""
    line = message.partition("\n")[0][:_LONGEST_LINE]
    may_nest = _MAY_NEST.search(line.encode("utf-8", "surrogatepass")) is not None
    coded = next(filter(None, (form.match(line) for form in (_DATABASE, ELASTIC, ELASTIC_TERM))), None)
    coded = coded or (_SERVICE.search(line) if may_nest else None)
    if coded is not None:
        return NamedException(coded["type"], coded["message"], 0, len(line))
    if (by_database := _of_database(line)) is not None:
        return by_database
    wrapped = _WRAPPED.match(line)
    if wrapped is not None and is_type(wrapped["type"]):
        return NamedException(wrapped["type"], wrapped["message"], wrapped.start("type"), len(line))
    behind = _TRAILING.search(line) if line.endswith((")", ").")) else None
    if behind is not None and "::" in behind["type"] and is_type(behind["type"]):
        return NamedException(behind["type"], _LAST_CLAUSE.sub("", line[: behind.start()]), 0, len(line))
    places = [0, *(found.end() for found in (_INNER.finditer(line) if may_nest else ()))]
    for place in places:
        found = IDENTIFIER.match(line, place)
        if found is None or not is_type(found[0]):
            continue
        one = _exception_with_message(line, found, len(line))
        if one.message is not None or place:
            return one
    return None


def _of_database(line: str) -> NamedException | None:
    """Return the server's error that a driver's message holds: ``(1045, "Access denied …")``, ``Code: 60. DB::Exception: …``."""
    numbered = _NUMBERED.match(line)
    words = _ARGUMENT.match(line, numbered.end()) if numbered is not None else None
    if numbered is not None and words is not None:
        message = _ESCAPED_QUOTE.sub(r"\1", words["single"] or words["double"] or "")
        return NamedException(f"MySQL {numbered['code']}", message or None, 0, len(line))
    at = _OF_DATABASE.search(line)
    held = named_by_database(line[at.start() :]) if at is not None else None
    if at is None or held is None or not held.type:
        return None
    return NamedException(held.type, held.message, at.start(), len(line))


def _exception_with_message(text: str, found: re.Match[str], stop: int) -> NamedException:
    """Return an exception with what it says: to the end of the stretch, of the call or of the field."""
    begin, at = found.span()
    stop = end_of_string(text, begin, stop)
    label = _LABELS_MESSAGE.match(text, at, stop) or _CODE.match(text, at, stop)
    if label is not None and not DEFINES.match(text, label.end(), stop):
        message, end = trimmed(text, label.end(), stop)
        return NamedException(_bare(found[0]), message, begin, end)
    if _CALL.match(text, at, stop):
        return _called(text, found, stop)
    struct = _STRUCT.match(text, at, stop)
    if struct is not None:
        code = _CODE_IN_STRUCT.search(text, at, struct.start("message"))  # what a cloud's service calls it
        name = found[0] if code is None else code["code"]
        return NamedException(name, struct["message"], begin, struct.end(), is_called=True)
    bracketed = _BRACKETED.match(text, at, stop)
    if bracketed is not None:
        return NamedException(found[0], bracketed["message"], begin, bracketed.end(), is_called=True)
    field = _FIELD.match(text, at, stop)
    if field is not None:
        message, end = trimmed(text, field.start("message"), field.end())
        return NamedException(
            found[0], message.rstrip(field["quote"]) if message and field["quote"] else message, begin, end
        )
    return NamedException(_bare(found[0]), None, begin, at)


def end_of_string(text: str, begin: int, stop: int) -> int:
    """Return where the string of a printed object ends that begins with an exception: ``status(message='X: m', code=3)``."""
    mark = text[begin - 1 : begin]
    if mark != "'" or text[begin - 2 : begin - 1] not in ("=", " ", "[", "(", ","):
        return stop
    closing = _CLOSES_STRING.search(text, begin, stop)
    holds_message = (
        closing is not None and text.find(": ", begin, closing.start()) >= 0
    )  # else it quotes the class alone
    return closing.start() if closing is not None and holds_message else stop


_CLOSES_STRING = lazy(r"'(?=[,)\]}])")


def _bare(name: str) -> str:
    """Return a class without the code behind it: ``DiscordAPIError[50013]``."""
    return _CODE_OF_CLASS.sub("", name)


_LAST_CLAUSE = lazy(r"[^\n]*(?:: |! | (?:with|gets?|got|says?|by|on) (?=[A-Z]))")
"""What a client says before the words of the error that it wraps."""
_CODE_OF_CLASS = lazy(r"\[\w{1,20}\]$")


def _called(text: str, found: re.Match[str], stop: int) -> NamedException:
    """``OperationalError("gone")``; a name of the server's error, or an exception among the arguments, is its cause.

    ``RequestError(400, 'parsing_exception', 'gone')``; ``ConnectionError(ProtocolError('Aborted.', ConnectionResetError(104, 'reset')))``.
    """
    arguments: list[str] = []
    at = end = found.end()
    inner = ""
    while len(arguments) < 3 and (one := _ARGUMENT.search(text, at, min(stop, at + 4_200))) is not None:
        between = text[at + (at == found.end()) : one.start()]
        if any(c in "()" for c in between):
            called = _CALLED.search(between)
            inner = text[at + (at == found.end()) + called.start() : stop] if called is not None else ""
            break
        arguments.append(one["single"] if one["single"] is not None else one["double"])
        at = end = one.end()
    if inner:
        inner = inner[: inner.rfind(")")] if ")" in inner else inner
        return NamedException(found[0], inner, found.start(), stop, is_called=True)
    cut = _CUT.match(text, end, stop)
    if cut is not None and all(" " not in one for one in arguments):  # the string goes on in the next line
        return NamedException(found[0], cut["message"].rstrip(), found.start(), stop, is_called=True)
    if not arguments:
        return NamedException(found[0], None, found.start(), found.end())
    has_kind = is_type(arguments[0]) and len(arguments) > 1
    message = f"{arguments[0]}: {arguments[1]}" if has_kind else arguments[0]
    return NamedException(found[0], message or None, found.start(), min(end + 1, stop), is_called=True)


_CUT = lazy(r",? {0,2}[urb]{0,2}(?P<mark>['\"])(?P<message>(?:(?!(?P=mark))[^\n]){4,4000}+)$")
_CALLED = lazy(r"(?<![\w.])[A-Z]\w{0,80}(?:Error|Exception|Timeout)\((?:-?\d{1,9}, ?)?$")


_CLOSED = lazy(r"(?P<mark>['\"]) ?[}\])]{1,3},?$")


_IN_FILE = lazy(r" in (?:[A-Za-z]:)?[/\\][^\s:]{1,300}\.php(?::\d{1,7}|\(\d{1,7}\)| on line \d{1,7})(?=[\s,;)]|$)")
"""Where PHP says that an exception was made, behind its message."""


def trimmed(text: str, begin: int, end: int) -> tuple[str | None, int]:
    """Return a message without the blanks and the quotation mark behind it, and where it ends."""
    message = text[begin : end_of_words(text, begin, end)].rstrip()
    place = _IN_FILE.search(message) if ".php" in message else None
    message = message[: place.start()] if place is not None else message
    closed = _CLOSED.search(message, max(len(message) - 8, 0))
    if closed is not None and message.count(closed["mark"]) % 2:  # the object in which somebody quotes it ends here
        message = message[: closed.start()]
    if (
        message
        and message[-1] in "\"'`”’」』"
        and message.count(message[-1]) % 2
        and not message.startswith(message[-1])
    ):
        message = message[:-1].rstrip()
    return message or None, begin + len(message)


def runtime_of(name: str) -> str:
    """Return the runtime whose exceptions are spelled so; ``text`` where several are."""
    if "\\" in name:
        return "php"
    if "::" in name:
        return "ruby"
    if is_of_python(name):
        return "python"
    if "." in name:
        return "dotnet" if name[:1].isupper() else "jvm" if _OF_JAVA.match(name) else "python"
    return next((runtime for runtime, lists in _OWN.items() if any(name in names(one) for one in lists)), "text")


_OWN = {
    "jvm": ("jvm_exceptions",),
    "javascript": ("javascript_exceptions",),
    "ruby": ("ruby_exceptions",),
    "python": ("python_exceptions",),
}
"""The lists of exceptions without a package that one runtime alone calls so."""
_OF_JAVA = lazy(
    r"(?:[a-z]\w{0,40}+\.){1,14}+(?:[A-Z]\w{0,100}[.$]){0,4}[A-Z]\w{0,120}$|(?:javax?|com|org|io|net|redis\.clients)\."
)
"""Packages in small letters, and a class; what Python's libraries name so is known by its modules (`is_of_python`)."""
