"""The lines of a JVM trace that are not frames: heads, ``Caused by``, ``... n more`` and their many spellings."""

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from kb.patterns import lazy
from kb.trace.lines import LOG_PREFIX, holds_time

LONGEST_HEAD = 8_000
"""Only so much of a line is searched for a head; the message itself is taken whole."""
_LONGEST_REMEMBERED = 2_000

# The first part is of one script: in 任务失败java.io.IOException the class begins at java
_FIRST = r"(?:[A-Za-z_$][A-Za-z0-9_$]{0,120}+|(?:(?![\x00-\x7f])[^\W\d]){1,60}+(?![A-Za-z0-9_]))"
_TYPE = _FIRST + r"(?:\.[^\W\d][\w$]{0,120}+|\$[\w$]{1,120}+){0,24}+"
# The last part of a class that is meant to be thrown.
_THROWN = lazy(
    r"(?:^|[.$])(?:[A-Z][A-Za-z0-9_]*)?(?:Exception|Error|Throwable|Failure|Fault|Timeout|Interrupted|ThreadDeath|Violation|Panic|Abort|Death|Info|Rejected|Cancelled|Overflow)(?:[A-Z]\w{0,60})?\d{0,4}(?:\$\w*)?$|(?:异常|错误|故障|失败)$"
)
# What deals with exceptions, and logs them under its own name: DefaultExceptionHandler, FailureAnalysisReporter
_DEALT_WITH = lazy(
    r"(?:Handler|Reporter|Resolver|Filter|Translator|Mapper|Listener|Controller|Advice|Interceptor|Logger|Appender|Helper|Utils?|Factory|Processor|Analyzer|Advisor|Aspect|Attributes|Report)$"
)
_MARKS = (("`", "`"), ("“", "”"), ("「", "」"), ("《", "》"))
# e.g. org.x.RemoteException(org.x.LeaseException): No lease
_HEAD = lazy(
    r"(?:<#[0-9a-f]{1,16}>[ \t]*)?(?:[a-z][\w.-]{0,60}/{1,2}(?:[\w.]{1,60}@[\w.-]{1,40}/)?)?(?P<type>" + _TYPE + r")"
    r"(?:\((?P<wrapped>" + _TYPE + r")\)|(?P<exit> exitCode=-?\d{1,5}))?"
    r"(?:[ \t]*+[:：](?P<message>.*)|(?P<brace>\{).*|\((?P<fields>[A-Za-z][\w ]{0,60}+:.*)|\[(?P<boxed>.*)|[ \t]++(?P<root>\[Root exception is .*)|[ \t]*+$)",
    re.DOTALL,
)
# A head behind any text: failed to open pool java.sql.SQLException: gone. The class must be qualified and thrown.
_GLUED = lazy(
    r"(?<![A-Za-z0-9_$./-])(?P<type>(?:[a-z][A-Za-z0-9_$]{0,60}+\.){1,20}+[A-Z][A-Za-z0-9_$]{0,120}+(?:\.[A-Z][A-Za-z0-9_$]{0,120}+){0,3}+)"
    r"(?=[ \t]*+(?:[:：]|\(|$))"
)
# e.g. com.acme.A
_STUCK = lazy(
    r"(?:^|[^\x00-\x7f]|[a-z.!])(?P<type>(?:org|com|java|javax|net|io|scala|akka|sun|cn)\.(?:[a-z][A-Za-z0-9_$]{0,60}+\.){1,20}+[A-Z][A-Za-z0-9_$]{0,120}+)"
    r"(?=[ \t]*+(?:[:：]|\(|$))"
)
# e.g. Ledger
_UNQUALIFIED = lazy(r"(?<![A-Za-z0-9_$.])(?P<type>[A-Z][A-Za-z0-9_$]{0,100}+)(?=[:：({\[]| exitCode=|[ \t]*+$)")
# e.g. Exception in thread "main" 商店.结算$订单异常: 缺货
_THREAD = lazy(
    r"(?:Uncaught |Unhandled |Caught )?(?:Exception|Error|exception|error) in thread (?:[\"“”']{1,2}(?P<thread>[^\"“”'\n]{1,200}?)[\"“”']{1,2}|(?P<bare>[^\"“”'\n]{1,200}?))(?:[ \t]*+:)?[ \t]++(?="
    + _TYPE
    + r"(?:[:：({]|[ \t]*+$))"
)
# e.g. Caused by: a.I: i
_LINK = lazy(
    r"(?P<word>Caused by|Suppressed|Wrapped by|caused by|Cause|Root cause|由以下原因引起|nested exception is)"
    r"(?P<number>[ \t]*+[\[(#]{0,2}\d{1,3}(?:(?:/| of )\d{1,3})?[\])]{0,2})?[ \t]*+[:：][ \t]*+(?P<rest>\S.*)$",
    re.DOTALL,
)
_NUMBERED_CAUSE = lazy(r"Cause [\[(#]{0,2}\d{1,3}")
_LABELS = ("Error", "Exception", "Throwable", "Failure", "Fault", "Info")
_PREFIX_ENDS = lazy(r"(?:[ \t]-|\||`)[ \t]*\Z")
_CIRCULAR = lazy(r"[ \t]*+(?:(?:Caused by|Suppressed):[ \t]*+)?\[CIRCULAR REFERENCE")
# e.g. … 1 more
_ELIDED = lazy(
    r"(?:\.{2,3}|…|\(\.{3}\)) ?(?:suppressed )?(?P<count>\d{1,6}) ?(?P<word>more|common frames? omitted|(?:stack )?frames? (?:truncated|excluded|omitted|skipped)|lines?(?: omitted| skipped)?$|collapsed|个?(?:更多|省略))"
)
# e.g. >     ......
_SHORTENED = lazy(
    r"[ \t|>*]*+(?://|#|--)?[ \t]*+[\[(（<]?(?:\.{3,}|…{1,6}|。{3,}|·{3,}|(?:中间|以下|此处|后面|其他|部分)?(?:内容|堆栈|日志|信息)?(?:省略|略)[^\n]{0,20}|snip(?:ped)?|omitted|truncated|more)[^\n\w]{0,12}$"
)
# e.g. no bean; nested exception is java.io.IOException: x
_NESTED = lazy(
    r"(?:;[ \t]*+|^)nested exception is:?\s*+(?=" + _TYPE + r"(?:[:：](?![!-~])|\s*+$|;))"
    r"|[;,.][ \t]*+(?:(?i:root )?(?i:caused by):?|(?i:root )?[cC]ause(?: is)?:)\s*+(?=(?:[a-z][\w$]{0,60}\.){1,20}[A-Z][\w$]{0,100}(?:[:：]|\s*+$))"
)


# MyBatis and Spring go on with their message on lines of their own, some of which name the cause
_REPORT = lazy(
    r"[ \t]*+(?:### (?:Error [a-z]{1,12}ing\b|Cause: |The error (?:may|occurred) |SQL: )|; (?:SQL|uncategorized|bad SQL|nested|\S[^\n]{0,2000}; nested exception is ))"
)


@dataclass(frozen=True, slots=True)
class JvmHead:
    """A line that names an exception."""

    type: str
    message: str | None
    wrapped_type: str | None = None
    thread: str | None = None
    is_sure: bool = False
    """Whether the line is a head by itself: a qualified name that is meant to be thrown, or an introduction."""
    is_behind_text: bool = False
    """Whether other text than a log record's is before it on the line."""


@dataclass(frozen=True, slots=True)
class Link:
    """A line that hangs a further exception on an earlier one."""

    word: str
    indent: int
    head: JvmHead


def is_thrown(name: str) -> bool:
    """Whether a class name says that it is thrown."""
    return _THROWN.search(name) is not None and _DEALT_WITH.search(name) is None


def read_link(line: str) -> Link | None:
    """``Caused by:``, ``Suppressed:`` or ``Wrapped by:`` with the exception it introduces."""
    if (
        "aused by" not in line
        and "Suppressed" not in line
        and "Wrapped by" not in line
        and "oot cause" not in line
        and "原因引起" not in line
        and _NUMBERED_CAUSE.search(line, 0, 400) is None
    ):
        return None
    found = _LINK.search(line, 0, 400) and _LINK.search(line)
    if not found or found.start() > 400 or (found["word"] in ("Cause", "nested exception is") and not found["number"]):
        return None
    if found["rest"].startswith("[CIRCULAR"):
        return None
    head = plain_head(found["rest"])
    if head is None or not ("." in head.type or head.is_sure or is_thrown(head.type)):
        return None
    before = line[: found.start()]
    if found["word"][0].islower() and before.strip():
        outer = plain_head(before.strip())
        if outer is not None and outer.is_sure:
            return None  # the exception of this line quotes its cause
    indent = before[len(before.rstrip(" \t")) :].expandtabs(8)
    word = "Caused by" if found["word"] in ("caused by", "Cause", "Root cause", "由以下原因引起") else found["word"]
    return Link(word=word, indent=len(indent), head=head)


_TOMCAT_CLOSES = "] with root cause"
"""How Tomcat goes on behind an exception that it logs in brackets; what is before them may be cut off."""


def _without_tail(text: str) -> str:
    """Return a message without what Tomcat prints behind it."""
    is_open = text.endswith(_TOMCAT_CLOSES) and text.count("]") > text.count("[")
    return text.removesuffix(_TOMCAT_CLOSES) if is_open else text


def plain_head(body: str) -> JvmHead | None:
    """Return the head that a text begins with: ``a.b.E``, ``a.b.E: message``, ``Outer(inner.E): message``, ``Outer{inner.E: …}``."""
    found = _HEAD.match(body)
    if found is None:
        return None
    name, message, wrapped = found["type"], found["message"], found["wrapped"]
    if found["brace"]:
        inner = body[found.start("brace") + 1 :].rstrip().removesuffix("}")
        within = _HEAD.match(inner)
        if within is None or "." not in within["type"]:
            return None
        return JvmHead(type=name, message=inner.strip(), wrapped_type=within["type"], is_sure=True)
    if (found["boxed"] or " " in (found["fields"] or "").partition(":")[0]) and not is_thrown(name):
        return None
    if found["boxed"] and (within := _HEAD.match(found["boxed"])) is not None and "." in within["type"]:
        wrapped = within["type"]  # Jetty's MultiException[java.net.BindException: in use]
    message = message or _in_brackets(found) or found["root"]  # JNDI's, where it says nothing itself
    text = _without_tail(message.strip()) if message is not None else None
    if found["exit"]:  # Hadoop's Shell: ExitCodeException exitCode=127: …
        text = f"{found['exit'].strip()}: {text or ''}".rstrip(": ")
    if name.endswith("SerializedThrowable") and text:
        within = _HEAD.match(text)
        if within is not None and "." in within["type"]:
            wrapped, text = within["type"], (within["message"] or "").strip()
    if text and text.endswith('",') and text.count('"') % 2:  # a line of a JSON list of frames
        text = text[:-2]
    # Java's packages are lower case, those of .NET are not
    sure = "." in name and (name[0].islower() or not name[0].isascii()) and is_thrown(name)
    return JvmHead(type=name, message=text or None, wrapped_type=wrapped, is_sure=sure)


def _in_brackets(found: re.Match[str]) -> str | None:
    """Return what Thrift and Elasticsearch print as a message: ``MetaException(message:…)``, ``ParsingException[…]; nested: …``."""
    if found["boxed"]:
        return found["boxed"].rstrip("; ").removesuffix("]")
    return found["fields"].rstrip().removesuffix(")").removeprefix("message:") if found["fields"] else None


def read_head(line: str) -> JvmHead | None:
    """Return the exception a line introduces, whatever log text is before it; None for any other line."""
    return _remembered(line) if len(line) <= _LONGEST_REMEMBERED else _read_head(line)


@lru_cache(maxsize=4_096)
def _remembered(
    line: str,
) -> JvmHead | None:  # one line is asked about several times: may it start, continue, end a trace
    return _read_head(line)


def _read_head(line: str) -> JvmHead | None:
    body = line.strip()
    head = _head_on(body) if body else None
    return _unquoted(head, body) if head is not None and head.message else head


def _unquoted(head: JvmHead, body: str) -> JvmHead:
    """Return the head with its message to the end of the quotation, where a sentence quotes the whole of it."""
    message = head.message or ""
    for opening, closing in _MARKS:
        if closing in message:
            before = body[: body.find(head.type)]
            opened = before.count("`") % 2 if opening == closing else before.rfind(opening) > before.rfind(closing)
            if opened:
                return replace(head, message=message.partition(closing)[0].strip() or None)
    return head


def _head_on(body: str) -> JvmHead | None:
    window = body if len(body) <= LONGEST_HEAD else body[:LONGEST_HEAD]
    thread = _THREAD.search(window, 0, 600) if " in thread " in window else None
    if thread is not None:
        head = plain_head(body[thread.end() :])
        if head is not None:
            return _with(head, thread=thread["thread"] or thread["bare"], behind_text=False)
    prefix = LOG_PREFIX.match(window) if not (window[0].isalpha() and "/" not in window[:40]) else None
    for start in {0, prefix.end() if prefix is not None else 0}:
        head = plain_head(body[start:])
        if head is not None and (head.is_sure or start == 0) and _is_plausible(head):
            introduced = _introduced(head, body, window) if _is_label(head) else None
            return introduced or _with(head, thread=None, behind_text=start > 0 and not _is_log(prefix))
    return _head_behind_text(body, window)


def _head_behind_text(body: str, window: str) -> JvmHead | None:
    if not any(word in window for word in ("Exception", "Error", "Throwable", "Failure")):
        return None
    for pattern in (_GLUED, _STUCK):
        for found in pattern.finditer(window):
            if is_thrown(found["type"]):
                head = plain_head(body[found.start("type") :])
                if head is not None and head.is_sure:
                    return _with(head, thread=None, behind_text=not _is_log(LOG_PREFIX.match(window)))
    return None


def weak_head(line: str) -> JvmHead | None:
    """Return a class behind other text, ``Stack trace: ExitCodeException exitCode=1:``, ``ERROR shop.Missing: x``; only above a frame."""
    found = _UNQUALIFIED.search(line, 0, 600)
    head = plain_head(line[found.start("type") :].strip()) if found is not None else None
    if head is not None and is_thrown(head.type):
        return head
    # a class of any name, if it is qualified and is where a log's prefix ends; a logger's name is behind a level
    found = next((f for f in _GLUED.finditer(line, 0, 600) if _PREFIX_ENDS.search(line, 0, f.start("type"))), None)
    return plain_head(line[found.start("type") :].strip()) if found is not None else None


def _with(head: JvmHead, *, thread: str | None, behind_text: bool) -> JvmHead:
    return JvmHead(head.type, head.message, head.wrapped_type, thread, head.is_sure or thread is not None, behind_text)


def _is_log(prefix: re.Match[str] | None) -> bool:
    """Return a time, or a container's bar: what loggers put before a line, and writers do not."""
    return prefix is not None and (holds_time(prefix[0]) or "|" in prefix[0] or ">" in prefix[0])


def _is_label(head: JvmHead) -> bool:
    """Return a word that introduces an exception and is none: ``Error: a.b.E: m``, ``FAILED: …``, ``DataXceiver: a.b.E: m``."""
    return "." not in head.type and (head.type in _LABELS or not is_thrown(head.type))


def _introduced(label: JvmHead, body: str, window: str) -> JvmHead | None:
    """Return the exception behind a label: the first qualified one of the line, or a class right behind the colon."""
    inner = plain_head(label.message or "")
    return _head_behind_text(body, window) or (inner if inner is not None and is_thrown(inner.type) else None)


def _is_plausible(head: JvmHead) -> bool:
    """Return a class by its looks: qualified with a capital last part, or one capitalised word."""
    last = head.type.rpartition(".")[2]
    if len(head.type) == 1 and (head.message or "").startswith("\\"):
        return False  # a Windows prompt: C:\\app>
    if not last.isascii():
        return "." in head.type
    return last[:1].isupper() and not head.type.endswith("Thread.State")


def is_report(line: str) -> bool:
    """Return a line of a message in which MyBatis or Spring's JDBC tell where an exception came from."""
    return _REPORT.match(line) is not None


def elided(line: str) -> tuple[int, bool] | None:
    """Return how many frames a line stands for, and whether they are those of the enclosing trace; None for other lines."""
    if len(line) > 400:
        return None
    found = _ELIDED.search(line)
    if found is None or "at " in line[: found.start()]:
        return None
    return int(found["count"]), found["word"].startswith(("more", "common"))


def is_circular(line: str) -> bool:
    """``[CIRCULAR REFERENCE: …]``: the JVM met an exception it had printed already."""
    return "[CIRCULAR REFERENCE" in line[:600] and _CIRCULAR.match(line) is not None


def is_shortened(line: str) -> bool:
    """Whether the author of the text left out lines here: ``...``, ``……``, ``(省略)``."""
    return len(line) < 80 and _SHORTENED.match(line) is not None


def nested(message: str) -> list[str]:
    """Spring's ``outer; nested exception is a.E: inner``, Dubbo's ``…, cause: a.E: inner`` as their parts, outermost first."""
    if "nested exception is" not in message and "ause" not in message:
        return [message]
    return _NESTED.split(message)
