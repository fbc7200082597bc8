"""Errors that YAML shows: a status of Kubernetes, an error body, an event, by the names of their fields; and errors of YAML's parsers, which take several lines."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import re2

from kb.patterns import lazy
from kb.trace.messages.text_lines import TextLine
from kb.trace.messages.typed import is_type
from kb.trace.messages.words import mentions_failure

# e.g. b: [
_ENTRY = lazy(
    r"(?P<indent>[ ]{0,60})(?P<dash>- )?[\"']?(?P<key>[A-Za-z_]\w{0,40})[\"']?:(?:[ \t]{1,8}(?P<value>\S[^\n]*+))?$"
)
_MESSAGE_KEYS = ("message", "msg", "detail", "description")
_MESSAGE = re2.compile(rb"(?im)^ *(?:- )?[\"']?(?:message|msg|detail|description)[\"']?:")
"""What a message begins with, as an automaton: it passes over a log four times as fast."""
_NAMES = ("exception", "code", "reason", "error", "type", "kind")
"""Fields that name an error, the surer ones first: ``type`` of a condition is ``Ready``."""
# e.g. Acme.A
_NAME = lazy(r"[A-Z]\w{2,80}$|[a-z]+(?:_[a-z]+){1,6}$|[A-Z]\w{0,80}(?:(?:\.|::)\w{1,80}){1,8}$")
_WITHIN = frozenset(("error", "errors", "exception", "fault", "cause"))
_FAILED = frozenset(("false", "failure", "failed", "error", "fatal", "warning", "critical"))
_STATES = ("status", "phase", "severity", "level", "type", "result")
_NEAR = 8
"""Lines above and below a message in which the other fields of its mapping are looked for."""
_MOST_MESSAGES = 40


@dataclass(frozen=True, slots=True)
class Shown:
    """An error of a mapping."""

    type: str | None
    message: str
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class _Entry:
    column: int
    is_first: bool
    """Whether a dash is before it: an item of a list begins."""
    key: str
    value: str
    begin: int
    """Where its value begins in the text."""
    end: int


def in_yaml(text: str, lines: Sequence[TextLine]) -> Iterator[Shown]:
    """Yield the errors of the mappings in some lines: those with a message, and with a name, a state or a place that tells that it is one."""
    if not lines or _MESSAGE.search(text.encode("utf-8", "surrogatepass")) is None:
        return
    entries = [_entry(text, line) for line in lines]
    messages = [at for at, one in enumerate(entries) if one is not None and one.key in _MESSAGE_KEYS and one.value]
    for at in messages[:_MOST_MESSAGES]:
        entry = entries[at]
        fields, parent = _around(entries, at)
        if entry is None or len(fields) + (parent is not None) < 2:
            continue
        kind = next(
            (fields[name] for name in _NAMES if _NAME.match(fields.get(name, "")) and _is_error(name, fields)), None
        )
        is_failed = any(fields.get(name, "").lower() in _FAILED for name in _STATES)
        if parent in _WITHIN or is_failed or (kind is not None and (is_type(kind) or mentions_failure(entry.value))):
            yield Shown(kind, entry.value, entry.begin, entry.end)


def _is_error(name: str, fields: Mapping[str, str]) -> bool:
    """Whether a field names the error: ``type`` and ``kind`` name other things, too."""
    return name not in ("type", "kind") or is_type(fields[name])


def _entry(text: str, line: TextLine) -> _Entry | None:
    found = _ENTRY.match(text[line.begin : line.end].rstrip())
    if found is None:
        return None
    value = (found["value"] or "").rstrip()
    begin = line.begin + max(found.start("value"), 0)
    if value[:1] in ("'", '"') and value.endswith(value[0]) and len(value) > 1:
        value, begin = value[1:-1], begin + 1
    if value in ("|", ">", "|-", ">-"):
        value = ""
    column = len(found["indent"]) + 2 * bool(found["dash"])
    return _Entry(column, bool(found["dash"]), found["key"].lower(), value, begin, begin + len(value))


def _around(entries: Sequence[_Entry | None], at: int) -> tuple[dict[str, str], str | None]:
    """Return the fields of the mapping that an entry is in, and the key above that holds the mapping."""
    own = entries[at]
    fields: dict[str, str] = {}
    parent: str | None = None
    if own is None:
        return fields, parent
    for step in (-1, 1):
        for near in range(at, max(at - _NEAR, 0) - 1, -1) if step < 0 else range(at + 1, min(at + _NEAR, len(entries))):
            one = entries[near]
            if one is None or (one.is_first and step > 0 and one.column <= own.column):
                break
            if one.column < own.column:
                parent = one.key if step < 0 and not one.value else parent
                break
            if one.column == own.column:
                fields.setdefault(one.key, one.value)
                if one.is_first and step < 0:
                    break
    return fields, parent


_DOING = lazy(r"(?:^|[ :])while (?:scanning|parsing|constructing|composing) (?:an?|the|for) [^\n]{1,200}$")
_PLACE = lazy(
    r"[ \t]{0,8}in (?:'[^'\n]{1,300}'|\"[^\"\n]{1,300}\"|[^\s,]{1,300}), line \d{1,9}, column \d{1,9}:?[ \t]*$"
)
_CARET = lazy(r"[ \t]{0,400}\^[ \t]*$")
_MOST_BELOW = 12
"""Lines of an error of a parser below its first one: a place, a line of the document, a caret and a problem, each twice."""


def parser_error_below(text: str, end: int) -> int:
    """Return where the rest of an error of SnakeYAML or PyYAML ends of which the first line ends at a place; that place where it is none.

    ``MarkedYAMLException.toString``: what the parser did, where, and below it the problem and its place, each with a line of the document and a caret.
    Above frames all of it is the message; without them nothing else tells that the lines belong to it.
    """
    begin = text.rfind("\n", 0, end) + 1
    if _DOING.search(text, max(begin, end - 300), end) is None or text[end : end + 1] != "\n":
        return end
    at, problems, has_place, last = end, 0, False, end
    for _ in range(_MOST_BELOW):
        stop = text.find("\n", at + 1)
        stop = stop if stop >= 0 else len(text)
        line = text[at + 1 : stop]
        if _PLACE.match(line):
            has_place, last = True, stop
        elif _CARET.match(line):
            last = stop
        elif line[:1] not in (" ", "\t") and line.strip():
            if problems:
                break
            problems = 1
        elif not line.strip() or not has_place:
            break
        if stop == len(text):
            break
        at = stop
    return last if has_place and problems else end
