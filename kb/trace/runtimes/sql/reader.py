"""Reads a database's error from its first line: what it is, what it says, the stored procedures it came through."""

import re
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any

import re2

from kb.patterns import lazy
from kb.trace.lines import LOG_PREFIX, Lines, holds_time
from kb.trace.model import ExceptionChain, Frame, RaisedException, Relation, StackTrace
from kb.trace.runtimes.base import LONGEST_MESSAGE, TraceReading
from kb.trace.runtimes.jvm.frames import FRAMES
from kb.trace.runtimes.sql.forms import FORMS, LONGEST, DatabaseForm

# Errors that a server answers as JSON: Elasticsearch and OpenSearch, MongoDB.

ANSWER_NEEDLES = (r'"type\\*" ?(?::|=>) ?\\*"[a-z_]+_exception\\*"', r'"errmsg\\*" ?: ?\\*"')
"""What the parser looks for, also where the answer is the string of another record: it is opened, then read. Logstash prints it as a hash of Ruby."""
_MOST_LINES = 400
_LONGEST = 200_000
# e.g. "reason" : "all shards failed",
_TOKEN = lazy(
    r'"(?P<mark>root_cause|caused_by|failed_shards)"\s{0,8}(?::|=>)|"(?P<key>type|reason|errmsg|codeName)"\s{0,8}(?::|=>)\s{0,8}"(?P<text>(?:[^"\\]|\\.){0,4000}+)(?:"|\Z)'
    r'|"code"\s{0,8}:\s{0,8}(?:NumberInt\()?(?P<code>\d{1,6})'
)
_IS_ELASTIC = lazy(r'"type" ?(?::|=>) ?"[a-z_]{3,80}_exception"')
_IS_MONGO = lazy(r'"errmsg" ?: ?"')


def starts_answer(line: str) -> bool:
    """Whether an answer with an error is on this line."""
    return _IS_ELASTIC.search(line) is not None or _IS_MONGO.search(line) is not None


def read_answer(lines: Lines) -> TraceReading | None:
    """Read the errors of an answer, which may be one line or printed over many."""
    text, begin, at = _answer(lines)
    if _IS_ELASTIC.search(text) is not None:
        raised = _elastic(text)
    else:
        one = _mongo(text)
        raised = [one] if one is not None else []
    if not raised:
        return None
    return TraceReading(ExceptionChain("sql", tuple(raised), span=(begin, lines.end(at - 1))), at)


def _answer(lines: Lines) -> tuple[str, int, int]:
    """Return the text of the answer, where it begins, and the first line behind it."""
    first = lines.get(0) or ""
    begin = lines.start(0) + max(first.find("{"), 0)
    above: list[str] = []
    if "{" not in first or not first.lstrip().startswith("{"):
        for start, line in lines.before(12):
            if not line.strip().startswith(("{", '"', "}", "]", "[")):
                break
            above.append(line)
            begin = start + len(line) - len(line.lstrip())
            if line.startswith("{"):
                break
    parts, size, at = [*reversed(above), first], len(first), 1
    depth = sum(part.count("{") - part.count("}") for part in parts)
    while depth > 0 and at < _MOST_LINES and size < _LONGEST and (below := lines.get(at)):
        parts.append(below)
        size += len(below)
        depth += below.count("{") - below.count("}")
        at += 1
    return "\n".join(parts), begin, at


def _elastic(text: str) -> list[RaisedException]:
    """Return the error of the request, and what caused it: ``caused_by``, else the root cause where it is another one."""
    entries: list[tuple[str, str, str | None]] = []  # where, type, reason
    place = "error"
    for found in _TOKEN.finditer(text):
        if found["mark"]:
            place = str(found["mark"])
        elif found["key"] == "type":
            if place == "root_cause" and entries and "]" in _between(text, entries[-1][1], found.start()):
                place = "error"
            entries.append((place, found["text"], None))
        elif found["key"] == "reason" and entries and entries[-1][2] is None:
            entries[-1] = (*entries[-1][:2], _plain(_closed(found)) or None)
    errors = [one for one in entries if one[0] == "error"] or entries[:1]
    causes = [one for one in entries if one[0] == "caused_by"] or [one for one in entries if one[0] == "root_cause"]
    raised = [RaisedException(errors[0][1], errors[0][2])] if errors else []
    for _, kind, reason in causes:
        if all((one.type, one.message) != (kind, reason) for one in raised):
            raised.append(RaisedException(kind, reason, relation=Relation.CAUSE, parent=len(raised) - 1))
    return raised


def _between(text: str, last: str, end: int) -> str:
    """Return what is between the type that was read last and a place."""
    return text[max(text.rfind(f'"{last}"', 0, end), 0) : end]


def _mongo(text: str) -> RaisedException | None:
    message = code = None
    for found in _TOKEN.finditer(text):
        if found["key"] == "errmsg" and message is None:
            message = _plain(_closed(found))
        elif found["code"] and code is None:
            code = found["code"]
    return (
        RaisedException(f"MongoDB {code}", message.removeprefix(f"E{code} ") if message else None)
        if code is not None
        else None
    )


def _closed(found: re.Match[str]) -> str:
    """Return a string of an answer; one that is cut off ends with its line."""
    text = found["text"]
    return text if found[0].endswith('"') else text.partition("\n")[0].rstrip()


def _plain(text: str) -> str:
    return text.replace('\\"', '"').replace("\\n", "\n").replace("\\/", "/")


NEEDLES = (*(form.needle for form in FORMS), *ANSWER_NEEDLES)
"""What the parser looks for."""
MOST_LINES = 400
"""Lines of one error, so many frames and causes at most."""
_LONGEST_INTRODUCTION = 240

# e.g. ORA-06512: at "SCOTT.PAY", line 88
_AT = lazy(r'ORA-06512[:：] ?(?:at|在) ?(?:"(?P<name>[^"\n]{1,200})", ?)?(?:line|第)? ?(?P<line>\d{1,9})')
# e.g. `在RETURN的第1行的PL/pgSQL函数checkout()`
_PLPGSQL = lazy(
    r"PL/(?P<language>pgSQL|Python|Perl|Tcl) function (?:inline_code_block|\"?(?P<name>[\w.]{1,200})\"?)(?:\([^()]{0,400}\))?(?: line (?P<line>\d{1,9}))?"
    r"|在.{0,200}的第 ?(?P<row2>\d{1,9}) ?行的PL/pgSQL函数(?P<named2>[\w.]{1,200})"
    r"|(?:在 ?)?PL/pgSQL ?函数 ?(?P<named>[\w.]{1,200})(?:\([^()]{0,400}\))?(?:的?第? ?(?P<row>\d{1,9}) ?行)?"
)
# e.g. SQL state: 42501
_LABEL = lazy(
    r"(?P<label>DETAIL|HINT|STATEMENT|CONTEXT|QUERY|LOCATION|(?:SCHEMA|TABLE|COLUMN|CONSTRAINT|DATATYPE) NAME|SQL state|Detail|Hint|Where|Position|Character|LINE \d{1,9}"
    r"|详细|描述|详细信息|提示|建议|语句|背景|上下文|查询|第\d{1,9}行|SQL 状态)[:：]"
)
_STATE = lazy(r"SQL ?(?:state|状态)[:：] ?([0-9A-Z]{5})")
_DETAILS = ("DETAIL", "Detail", "详细", "描述", "详细信息")
_CONTEXTS = ("CONTEXT", "Where", "背景", "上下文")
_QUERIES = ("STATEMENT", "QUERY", "语句", "查询")
# e.g. 2026-11-21 07:16:27.031 UTC [17914] HINT:  先建订单
_LOGGED = lazy(
    r"[^\n]{10,200}?(?=(?:DETAIL|HINT|STATEMENT|CONTEXT|QUERY|LOCATION|详细|提示|语句|上下文|背景|查询)[:：] )"
)
_CARET = lazy(r"[ \t]*+\^[ \t]*+$")
# log_line_prefix of PostgreSQL: time, zone, process, user@database
_SERVER = lazy(
    r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(?:\.\d{1,6})? [A-Z]{3,5}(?: ?\[[\w.@/ -]{1,80}\]:?| [\w.-]{1,63}@[\w.-]{1,63}| \d{1,9}(?=\s)){0,8}+ ?"
    r"|\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}\.\d{2} (?:Logon|spid\d{1,5}s?|Backup|Server) +"
)
_LEVEL = lazy(r"(?:ERROR|错误|FATAL): {1,4}")
_CLOSING = {"`": "`", "“": "”", "「": "」", "《": "》"}
_HAS_WORDS = lazy(r"[^\W\d_]{3}|[\u4e00-\u9fff]|\d")
_OF_A_CLASS = lazy(r"(?<![A-Za-z])[A-Z]\w{0,100}(?:Error|Exception)(?:[:：]| -)$")
"""``RedisError: ERR unknown command``: the class names the error, the words are its message. ``ERROR:`` is a level."""
_PL_SQL = lazy(r"PL/SQL: ")
_REPORTED = lazy(r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}\.\d{2} (?:Logon|spid\d{1,5}s?) +")
_REPORTERS = ("SqlExceptionHelper", "JDBCExceptionReporter", "Logon", "spid")


@cache
def _needles() -> Any:
    """Return the needles as a set that tells which of them are in a line."""
    found = re2.Set.SearchSet()
    for needle in NEEDLES:
        found.Add(needle)
    found.Compile()
    return found


def _forms_in(line: str) -> list[DatabaseForm] | None:
    """Return the forms whose needle is in the line; None if there is no needle of any."""
    found = _needles().Match(line.encode("utf-8", "surrogatepass"))
    return [FORMS[at] for at in sorted(found) if at < len(FORMS)] if found else None


def starts(line: str) -> bool:
    """Whether a database's error is on this line."""
    if len(line) > LONGEST * 4:
        return False
    return starts_answer(line) or _error_in(line) is not None


def read(lines: Lines) -> TraceReading | None:
    """Read the error that begins on line 0, with its details and the lines that name its causes."""
    first = lines.get(0) or ""
    if starts_answer(first):
        return read_answer(lines)
    found = _error_in(first)
    if found is None or FRAMES[lines.get(1) or ""] is not None:  # Hive's FAILED: above a JVM trace is that one's head
        return None
    form, match, kind = found
    begin = lines.start(0) + match.start()
    raised = [_exception(match, kind)]
    if kind.startswith(("ORA-", "TNS-", "PLS-", "RMAN-")):
        at = _oracle(lines, raised)
    elif form.name.startswith("PostgreSQL"):
        at = _postgres(lines, raised)
    else:
        at = _message_below(lines, raised) if not raised[0].message else 1
    # where the author of a text quotes the error, its end is the end of the quotation
    quoted = match.start("message") + len(_unquoted(match)) if at == 1 and _is_quoted(match) else None
    end = lines.start(0) + quoted if quoted is not None else lines.end(at - 1)
    return TraceReading(ExceptionChain("sql", tuple(raised), span=(begin, end)), at)


def named_in(line: str) -> RaisedException | None:
    """Return the database error that a line mentions, wherever on the line."""
    if len(line) > LONGEST:
        return None
    found = _earliest(line, lambda before: _OF_A_CLASS.search(before.rstrip()) is None)
    return _exception(found[1], found[2]) if found is not None else None


@lru_cache(maxsize=4_096)
def _error_in(line: str) -> tuple[DatabaseForm, re.Match[str], str] | None:
    """Return the error that a line says, and does not merely mention: at its beginning, behind a log's prefix or a colon."""
    return _earliest(line[:LONGEST], _is_introduction)


_INTRODUCES = lazy(r"(?:[:：>\"'`“|]|\+-|(?<!\w)(?:error was|SOURCE|TARGET))$")
"""How what is before an error ends: a colon or a mark, *the error was*; pgcopydb's side."""


def _is_introduction(before: str) -> bool:
    body = before.strip()
    if _OF_A_CLASS.search(body):
        return False
    if not body or (_INTRODUCES.search(body) is not None and len(body) <= _LONGEST_INTRODUCTION):
        return True
    prefixes = (LOG_PREFIX.match(before), _SERVER.match(before))
    return any(prefix is not None and prefix.end() >= len(before.rstrip()) for prefix in prefixes)


def _earliest(line: str, is_place: Any) -> tuple[DatabaseForm, re.Match[str], str] | None:
    best: tuple[DatabaseForm, re.Match[str], str] | None = None
    for form in _forms_in(line) or ():
        for match in form.pattern.finditer(line):
            if best is not None and match.start() >= best[1].start():
                break
            before = line[: match.start()]
            if before[-1:].isalnum() or not is_place(before):
                continue
            kind = form.type(match)
            if kind is not None and _HAS_WORDS.search(match["message"] or "none"):
                best = (form, match, kind)
                break
    return best


def _exception(match: re.Match[str], kind: str) -> RaisedException:
    groups = match.groupdict()
    message = _unquoted(match).strip().removeprefix(kind + ":").strip()
    message = message.removeprefix(kind.removeprefix("SQLSTATE ") + ": ")
    message = _LEVEL.sub("", message, count=1) if message.startswith(("ERROR: ", "错误: ", "FATAL: ")) else message
    line = groups.get("line") or groups.get("line2")
    procedure = groups.get("procedure")
    frames = (_procedure(procedure.strip(), line, match[0]),) if procedure else ()
    return RaisedException(kind, message[:LONGEST_MESSAGE] or None, StackTrace(frames))


def _is_quoted(match: re.Match[str]) -> bool:
    return _unquoted(match) != (match["message"] or "")


def _unquoted(match: re.Match[str]) -> str:
    """Return the message to the end of the quotation, where the author of a text put the whole error in quotes."""
    message = match["message"] or ""
    closing = _CLOSING.get(match.string[max(match.start() - 1, 0) : match.start()])
    end = message.find(closing) if closing is not None else -1
    return message[:end] if end > 0 else message


def _procedure(name: str, line: str | None, raw: str) -> Frame:
    """Return a stored procedure: ``SCOTT.PAY_PKG.DO_PAY`` is function ``DO_PAY`` of ``SCOTT.PAY_PKG``."""
    module, _, function = name.rpartition(".")
    return Frame(
        function=function,
        module=module or None,
        lineno=int(line) if line else None,
        in_app=not module.upper().startswith(("SYS", "MDSYS", "CTXSYS", "XDB", "PG_CATALOG")),
        raw=raw.strip(),
    )


def _oracle(lines: Lines, raised: list[RaisedException]) -> int:
    """Oracle prints the newest error first; ``ORA-06512`` names where it came through, other codes what was behind it."""
    at = 1
    if raised[0].type == "ORA-06512":  # the head is cut off
        frame = _at((lines.get(0) or "").strip())
        raised[0] = RaisedException(None, None, StackTrace((frame,) if frame is not None else ()))
    while at < MOST_LINES and (line := lines.get(at)) is not None:
        frame = _at(line)
        found = _error_in(line) if frame is None else None
        if frame is not None:
            last = raised[-1]
            raised[-1] = replace(last, stack=StackTrace((*last.stack.frames, frame)))
        elif found is not None and found[0].name == "Oracle":
            cause = _exception(found[1], found[2])
            if all((one.type, one.message) != (cause.type, cause.message) for one in raised):
                raised.append(replace(cause, relation=Relation.CAUSE, parent=len(raised) - 1))
        elif not _PL_SQL.match(line.strip()):
            break
        at += 1
    return at


def _at(line: str) -> Frame | None:
    found = _AT.search(line) if "ORA-06512" in line and len(line) < LONGEST else None
    if found is None:
        return None
    return _procedure(found["name"] or "anonymous block", found["line"], line)


def _postgres(lines: Lines, raised: list[RaisedException]) -> int:
    """Return the labelled lines below an error: details go to the message, functions of the context to the stack."""
    at, label, kind = 1, "", raised[0].type
    message, frames = [raised[0].message or ""], list(raised[0].stack.frames)
    while at < MOST_LINES and (line := lines.get(at)) is not None and len(line) < LONGEST:
        body = _behind_prefix(line)
        labelled = _LABEL.match(body)
        if labelled is None and not _goes_on(label, line):
            break
        label = labelled["label"] if labelled is not None else label
        state = _STATE.search(body) if labelled is not None else None
        kind = f"SQLSTATE {state[1]}" if state is not None else kind
        if labelled is not None and label in _DETAILS:
            message.append(body)
        frame = _plpgsql(body) if label in _CONTEXTS else None
        if frame is not None:
            frames.append(frame)
        at += 1
    raised[0] = RaisedException(kind, "\n".join(message)[:LONGEST_MESSAGE], StackTrace(tuple(frames)))
    return at


def _behind_prefix(line: str) -> str:
    """Return the line without the server's prefix, where it is one of its log."""
    found = _SERVER.match(line) or _LOGGED.match(line)
    return line[found.end() :].strip() if found is not None else line.strip()


def _goes_on(label: str, line: str) -> bool:
    """Whether a line goes on with what the label above began: the caret of a place, a statement, a context."""
    if _CARET.match(line):
        return True
    if label in _CONTEXTS:
        return _is_context(line.strip())
    return label in _QUERIES and line[:1] in "\t " and bool(line.strip())


def _is_context(body: str) -> bool:
    return _PLPGSQL.match(body) is not None or body.startswith(("SQL statement", "SQL语句", "SQL 语句"))


def _plpgsql(body: str) -> Frame | None:
    found = _PLPGSQL.search(body)
    if found is None:
        return None
    name = found["name"] or found["named"] or found["named2"] or "inline_code_block"
    return _procedure(name, found["line"] or found["row"] or found["row2"], body)


def _message_below(lines: Lines, raised: list[RaisedException]) -> int:
    """Return the message on the next line, as SQL Server and Hibernate print it."""
    line = lines.get(1)
    if line is None or not line.strip() or len(line) > LONGEST or _error_in(line) is not None:
        return 1
    prefix = _REPORTED.match(line) or LOG_PREFIX.match(line)
    body = line.strip()
    if prefix is not None and (holds_time(prefix[0]) or "SqlExceptionHelper" in prefix[0]):
        if not any(name in line for name in _REPORTERS):
            return 1
        body = line[prefix.end() :].strip()
    raised[0] = replace(raised[0], message=body[:LONGEST_MESSAGE] or None)
    return 2
