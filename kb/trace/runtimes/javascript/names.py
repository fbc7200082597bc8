"""The lasting names of JavaScript's functions, errors and frames."""

import re
from collections.abc import Callable

from kb.patterns import lazy
from kb.trace.model import Frame, RaisedException
from kb.trace.rules import names
from kb.trace.runtimes.javascript.places import is_native_place, place_of

# One wording for what every engine words anew: a value that is missing, a name that is not defined, JSON that is not JSON.
#
# V8 changed its wording with version 9.3, SpiderMonkey with Firefox 62, JavaScriptCore with Safari 16; messages of the
# libraries stay as they are.

_PATH = r"[\w$.\[\]()'\"<>#?! -]{1,200}"
# e.g. [native code]
_LAST_NAME = lazy(
    r"(?:\.\#?(?P<dotted>[\w$]{1,100})|\[['\"]?(?P<indexed>[\w$ .<>-]{1,100}?)['\"]?\])(?:\([^()]{0,200}\))?$"
)

_READ = (
    lazy(
        r"Cannot (?P<how>read|set) propert(?:y|ies)(?: ['\"](?P<name>[^'\"\n]{1,100})['\"])? of (?P<value>undefined|null)(?: \((?:reading|setting) ['\"](?P<later>[^'\"\n]{1,100})['\"]\))?$"
    ),
    lazy(rf"(?P<value>undefined|null) is not an object \(evaluating ['\"](?P<path>{_PATH})['\"]\)$"),
    lazy(rf"can't access property [\"'](?P<name>[^\"'\n]{{1,100}})[\"'], {_PATH} is (?P<value>undefined|null)$"),
    lazy(
        r"Unable to (?P<how>get|set) property ['\"](?P<name>[^'\"\n]{1,100})['\"] of (?P<value>undefined|null)(?: or null)? reference$"
    ),
)
# SpiderMonkey without the property: "u is undefined", "null has no properties"
_GECKO_MISSING = lazy(
    r"(?:[\w$.\[\]()'\"<>#]{1,200} is (?P<value>undefined|null)|(?P<itself>undefined|null) has no properties)$"
)
# e.g. x is not defined
_UNDEFINED = lazy(
    r"(?:(?P<name>[\w$]{1,200}) is not defined|Can't find variable: (?P<jsc>[\w$]{1,200})|Property '(?P<hermes>[\w$]{1,200})' doesn't exist|['\"](?P<ie>[\w$]{1,200})['\"] is (?:undefined|not defined))$"
)
# e.g. a.b is not a function
_NO_FUNCTION = lazy(
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
# e.g. Unexpected end of JSON input
_JSON_END = lazy(
    r"(?:Unexpected end of JSON input|JSON Parse error: Unexpected EOF|JSON\.parse: unexpected end of data.*|JSON Parse error: Unexpected end of input)$",
    re.DOTALL,
)
# e.g. JSON Parse error: Unrecognized token '<'
_JSON_TOKEN = lazy(
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
    """Return the message in the one wording, where an engine worded it; the property that was read is kept. Idempotent."""
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
    """Return what was read from, or set on, a value that is not there; the property where the engine tells it."""
    parts = found.groupdict()
    is_set = parts.get("how") == "set"
    name = parts.get("later") or parts.get("name") or _property(parts.get("path"))
    access = f" ({'setting' if is_set else 'reading'} '{name}')" if name else ""
    return f"Cannot {'set' if is_set else 'read'} properties of {parts['value']}{access}"


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


_ANONYMOUS = frozenset(
    {
        "<anonymous>",
        "anonymous",
        "(anonymous)",
        "(anonymous function)",
        "Anonymous function",
        "[anonymous]",
        "<unknown>",
        "?",
        "<computed>",
        "<module>",
        "global code",
        "Global code",
        "module code",
        "eval",
        "eval code",
        "<global>",
        "global",
        "<top-level>",
        "<static_initializer>",
        "<instance_members_initializer>",
        "null",
        "[object Object]",
    }
)
# e.g. new Object.Foo
_RECEIVER = lazy(
    r"^(?P<new>new )?(?:(?:Object|Module|Window|window|global|globalThis|exports|module\.exports|self|this|Proxy|_this\d?|_a\d?|Context|Function|process|undefined|null)\.)+(?=[^.\s])"
)
_RESUMED = (".next", ".throw", ".return")
"""How a generator goes on; V8 prints the generator's own name before it."""
_ALIAS = lazy(r" \[as [^\n]{1,200}\]$")
# e.g. ./src/index.js
_WEBPACK_MODULE = lazy(
    r"^(?:eval )?(?:\(?(?:rsc|ssr|app-pages-browser|action-browser|pages-dir-\w{1,10})\)?/)?\.{1,2}/[^\n]{1,300}$"
)
_COUNTED = lazy(r"(?<=[A-Za-z_$>])(?:\$\$?\d{1,6}|__\d{1,6})$")
_CALLEE = lazy(r"^_callee\d{0,4}\$(?:\.\$)?$|^_?callee\$?\d{0,4}\$?$|^_loop\d{0,4}$")
# e.g. null.x
_NUMBERED_MODULE = lazy(r"^(?:__webpack_modules__\.)?\d{1,9}$|^(?:\d{2,9}|[a-z0-9+/]{4})\.[\w$./-]{1,200}$")
_IN_PARTS = lazy(r"[./#\\: ]+")
_GECKO_INNER = lazy(r"(?:/<(?:\[[^\]]{0,60}\])?)+$|<$")


def function_of(name: str | None) -> str | None:
    """Return the lasting name of a function; None for an anonymous one. Idempotent."""
    if not name:
        return None
    name = _ALIAS.sub("", name).removeprefix("async ").removeprefix("get ").removeprefix("set ").removeprefix("static ")
    name = _GECKO_INNER.sub("", name)
    found = _RECEIVER.match(name)
    if found is not None:
        name = (found["new"] or "") + name[found.end() :]
    name = _COUNTED.sub("", name)
    if name in _ANONYMOUS or name.endswith((".<anonymous>", ".anonymous", "/<")):
        return None  # the object it was called on is no name: it is another one from release to release
    if not name or _WEBPACK_MODULE.match(name) or _CALLEE.match(name) or _NUMBERED_MODULE.match(name):
        return None
    return name


def normal_frame(frame: Frame) -> Frame:
    """Return the frame under its script's lasting path; a native one under its function alone."""
    is_native = not frame.in_app and is_native_place(frame.filename)
    where = place_of(frame.filename, is_native=is_native)
    function = frame.function if where.filename == "<native>" else function_of(frame.function)
    return Frame(function=function, module=where.module, filename=where.filename, in_app=where.rank == 0)


def is_machinery(frame: Frame) -> bool:
    """Loading of modules, ticks and timers, natives that call back, compilers' helpers, runners of tests."""
    if frame.function in names("javascript_generated"):
        return True
    if frame.filename == "<native>":
        return (
            frame.function is None
            or frame.function.removeprefix("new ") in names("javascript_natives")
            or frame.function in _ANONYMOUS
            or frame.function.endswith(_RESUMED)
        )
    if frame.in_app or frame.module is None:
        return False
    return f"{_plain(frame.module)}.{frame.function or ''}" in names("javascript_machinery")


def _plain(module: str) -> str:
    return module.removeprefix("node:").replace("@", "")


def rank(frame: Frame) -> int:
    """0 the application's named functions, 1 packages and anonymous functions, 2 Node, the browser and natives."""
    if frame.filename == "<native>" or (frame.module or "").startswith(_PLATFORM):
        return 2
    if frame.in_app and frame.function is not None:
        return 0
    return 1


_PLATFORM = (
    "node:",
    "ext:",
    "deno:",
    "bun:",
    "native:",
    "chrome:",
    "resource:",
    "self-hosted:",
    "wasm:",
    "jar:",
    "electron:",
    "about:",
    "builtin:",
)


def loose_key(frame: Frame) -> str:
    """Return the script and the last part of the function's name, for V8 puts the receiver before it and others do not."""
    function = _last_part(frame.function) if frame.function else None
    place = frame.module or frame.filename
    if function is None:
        return place or "?"
    return f"{place}.{function}" if frame.module else function


def _last_part(function: str) -> str | None:
    name = function.removeprefix("new ")
    parts = [part for part in _IN_PARTS.split(name) if part and part != "<"]
    return parts[-1] if parts else None


def normal_type(name: str) -> str:
    """Return the error's class; what a console or a compiler writes before it is left out."""
    name = name.removeprefix("Uncaught ").removeprefix("[").removeprefix("_")
    if name.startswith("DOMException"):
        return "DOMException"
    name = name.rpartition(".")[2] or name
    return "RangeError" if name == "InternalError" else name  # SpiderMonkey alone calls deep recursion so


def function_name(raw: str) -> str | None:
    """Return the lasting name of a function printed alone, where its spelling is JavaScript's; None otherwise."""
    if raw.startswith(("async ", "Object.", "new ")) or " [as " in raw or raw.endswith(("/<", ".<anonymous>")):
        return function_of(raw) or raw
    return None


def is_diagnostic(exception: RaisedException) -> bool:
    """JavaScript hangs no mere markers on errors; a cause of which nothing was read is none."""
    return exception.type is None and not exception.stack.frames and exception.message is None
