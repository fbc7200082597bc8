"""One wording for what every engine words anew: a value that is missing, a name that is not defined, JSON that is not JSON.

V8 changed its wording with version 9.3, SpiderMonkey with Firefox 62, JavaScriptCore with Safari 16; messages of the
libraries stay as they are.
"""

import re
from collections.abc import Callable

from kb.trace.model import RaisedException

_PATH = r"[\w$.\[\]()'\"<>#?! -]{1,200}"
_LAST_NAME = re.compile(
    r"(?:\.\#?(?P<dotted>[\w$]{1,100})|\[['\"]?(?P<indexed>[\w$ .<>-]{1,100}?)['\"]?\])(?:\([^()]{0,200}\))?$"
)

_READ = (
    re.compile(
        r"Cannot (?P<how>read|set) propert(?:y|ies)(?: ['\"](?P<name>[^'\"\n]{1,100})['\"])? of (?P<value>undefined|null)(?: \((?:reading|setting) ['\"](?P<later>[^'\"\n]{1,100})['\"]\))?$"
    ),
    re.compile(rf"(?P<value>undefined|null) is not an object \(evaluating ['\"](?P<path>{_PATH})['\"]\)$"),
    re.compile(rf"can't access property [\"'](?P<name>[^\"'\n]{{1,100}})[\"'], {_PATH} is (?P<value>undefined|null)$"),
    re.compile(
        r"Unable to (?P<how>get|set) property ['\"](?P<name>[^'\"\n]{1,100})['\"] of (?P<value>undefined|null)(?: or null)? reference$"
    ),
)
# SpiderMonkey without the property: "u is undefined", "null has no properties"
_GECKO_MISSING = re.compile(
    r"(?:[\w$.\[\]()'\"<>#]{1,200} is (?P<value>undefined|null)|(?P<itself>undefined|null) has no properties)$"
)
_UNDEFINED = re.compile(
    r"(?:(?P<name>[\w$]{1,200}) is not defined|Can't find variable: (?P<jsc>[\w$]{1,200})|Property '(?P<hermes>[\w$]{1,200})' doesn't exist|['\"](?P<ie>[\w$]{1,200})['\"] is (?:undefined|not defined))$"
)
_NO_FUNCTION = re.compile(
    rf"(?P<path>{_PATH}?) is not a (?P<kind>function|constructor)(?:\.? \((?:In '[^\n]{{0,400}}', '{_PATH}' is [^\n]{{1,60}}|evaluating '[^\n]{{0,400}}')\)| or its return value is not iterable)?$"
)
_DEEP = frozenset(
    {
        "Maximum call stack size exceeded",
        "Maximum call stack size exceeded.",
        "too much recursion",
        "Out of stack space",
        "Maximum call stack size exceeded (native stack depth)",
    }
)
_JSON_END = re.compile(
    r"(?:Unexpected end of JSON input|JSON Parse error: Unexpected EOF|JSON\.parse: unexpected end of data.*|JSON Parse error: Unexpected end of input)$",
    re.DOTALL,
)
_JSON_TOKEN = re.compile(
    r"(?:Unexpected token .{1,40}? in JSON at position .*|Unexpected token .{1,400}is not valid JSON|JSON Parse error: (?:Unrecognized token|Unexpected (?:identifier|token|character)).*|JSON\.parse: unexpected (?:character|keyword|non-whitespace).*)$",
    re.DOTALL,
)
_NO_FETCH = frozenset(
    {
        "Failed to fetch",
        "NetworkError when attempting to fetch resource.",
        "Load failed",
        "fetch failed",
        "Network request failed",
    }
)


def normal_message(exception: RaisedException) -> str | None:
    """The message in the one wording, where an engine worded it; the property that was read is kept. Idempotent."""
    message = exception.message
    if not message or len(message) > 2_000:
        return message
    line = message.strip()
    if exception.type in (None, "TypeError", "InternalError", "RangeError", "ReferenceError", "SyntaxError", "Error"):
        return _reworded(line) or message
    return message


def _reworded(line: str) -> str | None:
    for pattern, wording in _WORDINGS:
        found = pattern.match(line)
        if found is not None:
            return wording if isinstance(wording, str) else wording(found)
    if line in _DEEP:
        return "Maximum call stack size exceeded"
    return "Failed to fetch" if line in _NO_FETCH else None


def _property(path: str | None) -> str | None:
    found = _LAST_NAME.search(path) if path else None
    return (found["dotted"] or found["indexed"]) if found is not None else None


def _missing(found: re.Match[str]) -> str:
    """What was read from, or set on, a value that is not there; the property where the engine tells it."""
    parts = found.groupdict()
    is_set = parts.get("how") == "set"
    name = parts.get("later") or parts.get("name") or _property(parts.get("path"))
    told = f" ({'setting' if is_set else 'reading'} '{name}')" if name else ""
    return f"Cannot {'set' if is_set else 'read'} properties of {parts['value']}{told}"


def is_engines(type_: str, message: str | None) -> bool:
    """Whether an engine of JavaScript words its messages so."""
    return (
        bool(message)
        and type_ in ("TypeError", "ReferenceError", "RangeError", "InternalError")
        and _reworded(message or "") is not None
    )


def _gecko_missing(found: re.Match[str]) -> str:
    return f"Cannot read properties of {found['value'] or found['itself']}"


def _undefined(found: re.Match[str]) -> str:
    return f"{next(name for name in found.groups() if name)} is not defined"


_WORDINGS: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    *((pattern, _missing) for pattern in _READ),
    (_GECKO_MISSING, _gecko_missing),
    (_UNDEFINED, _undefined),
    (_NO_FUNCTION, lambda found: f"{found['path']} is not a {found['kind']}"),
    (_JSON_END, "Unexpected end of JSON input"),
    (_JSON_TOKEN, "Unexpected token in JSON"),
)
