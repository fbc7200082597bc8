"""Errors that a server answers as JSON: Elasticsearch and OpenSearch, MongoDB."""

import re

from kb.trace.lines import Lines
from kb.trace.model import ExceptionChain, RaisedException, Relation
from kb.trace.runtimes.runtime import TraceReading

ANSWER_NEEDLES = (r'"type" ?: ?"[a-z_]+_exception"', r'"errmsg" ?: ?"')
"""What the parser looks for."""
_MOST_LINES = 400
_LONGEST = 200_000
_TOKEN = re.compile(
    r'"(?P<mark>root_cause|caused_by|failed_shards)"\s{0,8}:|"(?P<key>type|reason|errmsg|codeName)"\s{0,8}:\s{0,8}"(?P<text>(?:[^"\\]|\\.){0,4000}+)"'
    r'|"code"\s{0,8}:\s{0,8}(?:NumberInt\()?(?P<code>\d{1,6})'
)
_IS_ELASTIC = re.compile(r'"type" ?: ?"[a-z_]{3,80}_exception"')
_IS_MONGO = re.compile(r'"errmsg" ?: ?"')


def starts_answer(line: str) -> bool:
    """Whether an answer with an error is on this line."""
    return _IS_ELASTIC.search(line) is not None or _IS_MONGO.search(line) is not None


def read_answer(lines: Lines) -> TraceReading | None:
    """Reads the errors of an answer, which may be one line or printed over many."""
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
    """The text of the answer, where it begins, and the first line behind it."""
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
    while depth > 0 and at < _MOST_LINES and size < _LONGEST and (below := lines.get(at)) is not None:
        parts.append(below)
        size += len(below)
        depth += below.count("{") - below.count("}")
        at += 1
    return "\n".join(parts), begin, at


def _elastic(text: str) -> list[RaisedException]:
    """The error of the request, and what caused it: ``caused_by``, else the root cause where it is another one."""
    told: list[tuple[str, str, str | None]] = []  # where, type, reason
    place = "error"
    for found in _TOKEN.finditer(text):
        if found["mark"]:
            place = str(found["mark"])
        elif found["key"] == "type":
            if place == "root_cause" and told and "]" in _between(text, told[-1][1], found.start()):
                place = "error"
            told.append((place, found["text"], None))
        elif found["key"] == "reason" and told and told[-1][2] is None:
            told[-1] = (*told[-1][:2], _plain(found["text"]) or None)
    errors = [one for one in told if one[0] == "error"] or told[:1]
    causes = [one for one in told if one[0] == "caused_by"] or [one for one in told if one[0] == "root_cause"]
    raised = [RaisedException(errors[0][1], errors[0][2])] if errors else []
    for _, kind, reason in causes:
        if all((one.type, one.message) != (kind, reason) for one in raised):
            raised.append(RaisedException(kind, reason, relation=Relation.CAUSE, parent=len(raised) - 1))
    return raised


def _between(text: str, last: str, end: int) -> str:
    """What stands between the type that was read last and a place."""
    return text[max(text.rfind(f'"{last}"', 0, end), 0) : end]


def _mongo(text: str) -> RaisedException | None:
    message = code = None
    for found in _TOKEN.finditer(text):
        if found["key"] == "errmsg" and message is None:
            message = _plain(found["text"])
        elif found["code"] and code is None:
            code = found["code"]
    return (
        RaisedException(f"MongoDB {code}", message.removeprefix(f"E{code} ") if message else None)
        if code is not None
        else None
    )


def _plain(text: str) -> str:
    return text.replace('\\"', '"').replace("\\n", "\n").replace("\\/", "/")
