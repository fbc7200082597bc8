"""Log records with named fields, and error bodies of services: what they say went wrong, by the names of `formats`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

from kb.trace.finding.bodies import Fields, body_of, first_text, tells_done, text_of, unwrap
from kb.trace.finding.fields import LONGEST, Leaf, Node, Tree, json_tree, object_in, pairs, paths, shown_object_in
from kb.trace.finding.formats import (
    ANY_NUMBER,
    BODIES,
    CODES,
    FINE,
    KINDS,
    NUMBERS,
    RECORDS,
    WORDS,
    LogFormat,
    error_named,
    is_type,
    level_in,
    message_in_prefix,
)
from kb.trace.finding.needles import has_needle
from kb.trace.finding.records import stack_in
from kb.trace.lines import clean

MOST_OF_BODY = 64 << 10
"""Characters of a document that `read_block` reads."""
_NESTED = 3
"""Records within records: a JSON message in a container's JSON in a cluster's line."""
_PARTS = ("level", "logger", "message", "type", "error_message", "error", "stack")
_LEVELS = {word: level for level, words in WORDS.items() for word in words}
_MESSAGES_OF_OTHERS = ("log", "message", "textpayload", "line", "body")
"""Fields in which a container's record keeps a line of its program."""


@dataclass(frozen=True, slots=True)
class LogRecord:
    """What a record says. Every field is None where the record lacks it."""

    level: str | None = None
    """``fatal``, ``error``, ``warning``, ``notice``, ``info``, ``debug`` or ``trace``."""
    logger: str | None = None
    message: str | None = None
    """What was logged, decoded, without the trace behind it."""
    message_span: tuple[int, int] | None = None
    """Where the message is in the given text, escapes and all."""
    exception_type: str | None = None
    """The class or code of the error."""
    exception_message: str | None = None
    stack: str | None = None
    """The trace, decoded; a list of frames is put into its runtime's form."""


def read_record(line: str) -> LogRecord | None:
    """Return the record that a line is: a JSON object, also behind a log's prefix or cut off, or at least two pairs ``key=value``.

    None for a line that is no record, or a record without any message or error. Reads at most a million characters.
    """
    line = line[:LONGEST]
    plain = clean(line) if "\x1b" in line else line
    found = _read(plain, 0)
    if found is None or found.message_span is None or plain is line:
        return found
    words = plain[slice(*found.message_span)]
    begin = line.find(words)  # without its colours a line is shorter
    return replace(found, message_span=(begin, begin + len(words)) if begin >= 0 else None)


def read_block(text: str) -> LogRecord | None:
    """Return the record or error body that a JSON document of several lines is; None for other text and above 64 kB."""
    tree = _document(text)
    return _of_tree(text, tree, 0) if tree is not None else None


def is_success(text: str) -> bool:
    """Return whether a text is a JSON document that tells that all is well, by a service's own field and not by a status of HTTP."""
    tree = _document(text)
    return tree is not None and tells_done(paths(tree))


def _document(text: str) -> Tree | None:
    if len(text) > MOST_OF_BODY:
        return None
    start = object_in(text)
    start = start if start >= 0 else shown_object_in(text)
    if start < 0 or text[:start].strip(" \t\r\n[`>"):
        return None
    tree, end = json_tree(text, start)
    return tree if not text[end:].strip(" \t\r\n]`,") else None


def _read(line: str, depth: int) -> LogRecord | None:
    start = object_in(line)
    start = start if start >= 0 else shown_object_in(line)
    if start >= 0:
        tree, _ = json_tree(line, start)
        prefix = line[:start]
        found = _of_tree(line, tree, depth, is_bare=not prefix.strip(" \t[|"))
        if prefix.strip(" \t[|"):
            found = _with_prefix(found, prefix)
        if found is not None:
            return found
    return _of_pairs(line) or _of_monolog(line)


_MONOLOG = re.compile(
    r"\[[\d :.TZ+-]{10,40}\] (?P<logger>[\w.-]{1,100})\.(?P<level>DEBUG|INFO|NOTICE|WARNING|ERROR|CRITICAL|ALERT|EMERGENCY): "
    r"(?P<message>[^\n]*+)"
)
"""Monolog's LineFormatter, Laravel's log: ``[2026-11-23 03:44:58] production.ERROR: payment failed [] []``."""


def _of_monolog(line: str) -> LogRecord | None:
    found = _MONOLOG.match(line)
    if found is None:
        return None
    message = found["message"].rstrip().removesuffix("[]").rstrip().removesuffix("[]").rstrip()
    type_, error_message = error_named(message) if message else (None, None)
    span = found.start("message"), found.start("message") + len(message)
    return LogRecord(
        _LEVELS[found["level"].lower()], found["logger"], message, span, type_, error_message if type_ else None
    )


def _of_tree(line: str, tree: Tree, depth: int, *, is_bare: bool = True) -> LogRecord | None:
    """Return what an object says; one with words of a log before it is no error body."""
    fields = paths(tree)
    unwrap(fields)
    found = _record(line, tree, fields, RECORDS)
    inner = _inner(line, fields, depth)
    if inner is not None:
        return _over(inner, found)
    if found is not None and (found.level or found.stack or (found.message and found.exception_type) or not is_bare):
        return found
    own = body_of(paths(tree))
    body = _record(line, tree, own, BODIES) if own is not None else None
    return body if own is not None and body is not None and _is_error(body, own) else found


def _is_error(body: LogRecord, fields: Fields) -> bool:
    """Return whether a body tells an error, and not only of which type something is (``"type": "NodePort"``)."""
    type_, words = body.exception_type, body.exception_message
    if words is None:
        return type_ is not None and (
            is_type(type_) or all(one.value.strip() != type_ for one in _texts(KINDS, fields))
        )
    return type_ is not None or words.strip(" .!。！").lower() not in FINE


def _of_pairs(line: str) -> LogRecord | None:
    if line.count("=") < 2:
        return None
    tree, start, count = pairs(line)
    if count < 2:
        return None
    found = _record(line, tree, dict(tree), RECORDS)
    if found is None or not (found.level or found.exception_message or found.exception_type or level_in(line[:start])):
        return None
    found = _with_prefix(found, line[:start]) if line[:start].strip() else found
    return found if found is not None and (found.message or found.exception_message or found.exception_type) else None


@cache
def _names(formats: tuple[LogFormat, ...]) -> dict[str, tuple[str, ...]]:
    """Return the fields of all formats for each part of a record, the better ones first."""
    return {part: tuple(dict.fromkeys(name for one in formats for name in getattr(one, part))) for part in _PARTS}


def _record(line: str, tree: Tree, fields: Fields, formats: tuple[LogFormat, ...]) -> LogRecord | None:
    names = _names(formats)
    kind = _type(names["type"], fields, is_body=formats is BODIES)
    stack = next((found for one in _texts(names["stack"], fields) if (found := _stack(one.value)) is not None), None)
    stack = stack or "\n".join(text for text, _, _ in stack_in(tree)) or None
    type_, words = _error(names["error"], fields)
    otherwise = words if words != kind else None
    listed = ((name, fields.get(name)) for name in names["error_message"])
    messages = (first_text(*one) for one in listed) if formats is BODIES else _texts(names["error_message"], fields)
    error_message = next((one.value for one in messages if one is not None), otherwise)
    if error_message is not None and error_message.startswith('{"'):
        kind, error_message = _answered(kind, error_message)
    if stack is None and error_message is None:  # an error without frames where others have their trace
        traces = _texts(_of_traces(names["stack"]), fields)
        error_message = next((one.value for one in traces if " " in one.value.strip()), None)
    if type_ is not None and kind is not None and not is_type(kind):  # Rails: a class beside "Internal Server Error"
        kind, error_message = type_, words
    elif type_ is not None and words and kind not in (None, type_) and error_message == words:  # Fluentd: error_class=A
        error_message = f"{words} ({type_})" if "::" in type_ else f"{type_}: {words}"
    if stack is not None and None in (kind or type_, error_message):
        head = error_named(stack, is_stack=True)
        error_message = error_message or (head[1] if head[0] == (kind or type_ or head[0]) else None)
        type_ = type_ or head[0]
    record = LogRecord(
        level=next((found for name in names["level"] if (found := _level(name, fields.get(name)))), None),
        logger=next((one.value for one in _texts(names["logger"], fields) if one.value != kind), None),
        exception_type=kind or type_,
        exception_message=error_message,
        stack=stack,
    )
    message = next(_texts(names["message"], fields), None)
    if message is not None:
        record = _with_message(record, line, message)
    return record if record.message or record.exception_type or record.exception_message or record.stack else None


def _answered(kind: str | None, error_message: str) -> tuple[str | None, str | None]:
    """Return type and message of an error body that a field holds as text: what a service answered, logged by its client."""
    tree, _ = json_tree(error_message, 0)
    body = _record(error_message, tree, paths(tree), BODIES)  # each body within is shorter by its escapes
    if body is None or not (body.exception_type or body.exception_message):
        return kind, error_message
    return body.exception_type or kind, body.exception_message


@cache
def _of_traces(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names that say that their field holds a trace; others may repeat the whole record (loguru's ``text``)."""
    return tuple(name for name in names if "stack" in name or "trace" in name)


def _texts(names: tuple[str, ...], fields: Fields) -> Iterator[Leaf]:
    """Yield the strings of those fields that hold one, in the order of the names."""
    return (found for name in names if (found := text_of(fields.get(name))) is not None)


def _with_message(record: LogRecord, line: str, leaf: Leaf) -> LogRecord:
    """Return the record with its message; a trace behind the message's first line goes to the stack."""
    value, end = leaf.value, leaf.end
    first, _, rest = value.partition("\n")
    if rest.strip() and has_needle(rest):
        value = first
        cut = line.find("\\n", leaf.begin, leaf.end)
        end = cut if cut >= 0 else leaf.end
        record = record if record.stack else replace(record, stack=rest)
    value = value.strip()
    while end > leaf.begin and (line[end - 1].isspace() or line.endswith(("\\n", "\\r"), leaf.begin, end)):  # docker's
        end -= 1 if line[end - 1].isspace() else 2
    if not value:
        return record
    is_all = record.exception_message == value and record.exception_type is None
    words = None if is_all else record.exception_message
    return replace(record, message=value, message_span=(leaf.begin, end), exception_message=words)


def _level(name: str, node: Node | None) -> str | None:
    """Return the level that a field names by a word or a number."""
    if not isinstance(node, Leaf) or len(node.text) > 20:
        return None
    value = node.value.strip()
    if value.isascii() and value.isdigit():
        return NUMBERS.get(name, ANY_NUMBER).get(int(value))
    return _LEVELS.get(value.lower())


def _type(names: tuple[str, ...], fields: Fields, *, is_body: bool) -> str | None:
    """Return the class or code of an error. A field that names other things as well counts only if it holds a class's or a code's name."""
    title: str | None = None
    for name in names:
        leaf = fields.get(name)
        if not isinstance(leaf, Leaf) or leaf.text in {"null", "true", "false", "", "about:blank"}:
            continue
        value = leaf.value.strip()
        if (
            value.isdigit()
        ):  # a status number is no type, and the address that RFC 9457 wants is one only by its last part
            continue
        if is_type(value, is_strict=name == "name") or ("." in name and leaf.is_text and not is_body):
            return value
        is_code = title is not None and " " in title and " " not in value and name.rpartition(".")[2] in _OF_CODES
        if is_body and _is_title(value) and (title is None or is_code):
            title = value
    return title


_OF_CODES = frozenset((*CODES, "errortype", "subcode"))
"""Fields that hold a code, which is a better type than a phrase such as ``Bad Request``."""


def _is_title(value: str) -> bool:
    return (
        0 < len(value) <= 80
        and value[0].isalnum()
        and "\n" not in value
        and "://" not in value
        and value.lower() not in _LEVELS
    )


def _stack(value: str) -> str | None:
    """Return the trace that a field holds, without a log's words before it (loguru's ``text``); None for other lines."""
    first, _, rest = value.strip().partition("\n")
    if not rest or (not has_needle(rest) and not is_type(first.partition(":")[0])):
        return None
    head = value.find("Traceback (most recent call last)", 0, 4_000)
    return (value[head:] if head >= 0 else value).replace("\r\n", "\n")


_NOTHING = frozenset(("true", "false", "null", "none", "nil", "<nil>", "-", "{}", "[]", "noresult"))
"""What loggers print for no error, or for one that they could not print."""


def _error(names: tuple[str, ...], fields: Fields) -> tuple[str | None, str | None]:
    """Type and message that a field holds as one text."""
    for name in names:
        node = fields.get(name)
        if isinstance(node, list):
            texts = [one.value for one in node[:3] if isinstance(one, Leaf)]
            if len(texts) == 2 and is_type(texts[0]):  # ActiveSupport: ["ZeroDivisionError", "divided by 0"]
                return texts[0], texts[1]
        leaf = text_of(node)
        if leaf is not None and leaf.text.lower() not in _NOTHING and not leaf.text.isdigit():
            return error_named(leaf.value)
    return None, None


def _inner(line: str, fields: Fields, depth: int) -> LogRecord | None:
    """Return the record that the message is."""
    if depth >= _NESTED:
        return None
    for name in _MESSAGES_OF_OTHERS:
        leaf = text_of(fields.get(name))
        value = leaf.value if leaf is not None and ("{" in leaf.text or "=" in leaf.text) else None
        if leaf is None or value is None or "\n" in value.strip():
            continue
        found = _read(value, depth + 1)
        if found is None:
            continue
        at = line.find(found.message, leaf.begin, leaf.end) if found.message else -1
        span = (at, at + len(found.message or "")) if at >= 0 else (leaf.begin, leaf.end)
        return replace(found, message_span=span if found.message else None)
    return None


def _over(inner: LogRecord, outer: LogRecord | None) -> LogRecord:
    """Return the inner record, with the level and logger of the outer one where it names none."""
    if outer is None:
        return inner
    return replace(inner, level=inner.level or outer.level, logger=inner.logger or outer.logger)


def _with_prefix(record: LogRecord | None, prefix: str) -> LogRecord | None:
    """Return the record with what the log's own words before it tell: Monolog, zap and winston print level and message there."""
    level = level_in(prefix)
    span = message_in_prefix(prefix) if record is None or record.message is None else None
    if record is None:
        return (
            LogRecord(level, message=prefix[span[0] : span[1]], message_span=span)
            if span is not None and level
            else None
        )
    if span is not None and (level or record.level):
        record = replace(record, message=prefix[span[0] : span[1]], message_span=span)
    return replace(record, level=record.level or level)
