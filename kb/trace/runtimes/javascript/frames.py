"""One frame of a JavaScript trace, as V8, SpiderMonkey, JavaScriptCore, Hermes, consoles and test runners print it.

A malformed line is no frame: nothing is guessed from half of one.
"""

import html
import re
from dataclasses import dataclass
from functools import lru_cache

from kb.patterns import lazy
from kb.trace.lines import LOG_PREFIX
from kb.trace.model import Frame
from kb.trace.runtimes.javascript.places import is_native_place, place_of

LONGEST_FRAME = 4_000
"""A longer line is not a frame."""
_LONGEST_NAME = 300
_DEEPEST_EVAL = 8

_SCRIPT = r"(?:[cm]?[jt]sx?|vue|svelte|astro|jsbundle|bundle|jsc|hbc|es6?|coffee|html?|asar|wasm|node|gs|marko|mdx|res|php|aspx?|jsp)"
_TAIL = lazy(r"(?: \{)?(?:[ \t]*+(?:</?[a-z]{1,6} ?/?>|[,\"'`;\\|*]))*+[ \t]*+$")
_AT = lazy(r"[ \t]*+(?:[>|*+#`\"'-][ \t]*+){0,6}at[ \t]++(?=\S)")
_PREFIXED_AT = lazy(r"(?<=[\s|>\]:])at[ \t]++(?=\S)")
# file:line:column or file:line, read from the end; only a place that could be a script's is one
_WHERE = lazy(r":(?P<line>\d{1,9})(?::(?P<column>\d{1,9}))?$")
# e.g. net.js
_SCRIPT_NAME = lazy(
    rf"[^\s:()][^:()\n]{{0,1000}}\.{_SCRIPT}(?:\?[^\s()]{{0,1000}})?$|[^\n]{{1,1000}}\.{_SCRIPT}\?[\w=&.%-]{{1,300}}$"
)
_URL = lazy(r"(?:[a-z][a-z0-9+-]{1,30}:(?://|(?=[\w<]))|about:|data:)\S", re.IGNORECASE)
_PATH = lazy(r"(?:/|\./|\.\./|~/|[A-Za-z]:[\\/]|\\\\)[^\n()]{1,1000}$")
_PATH_WITH_BRACKETS = lazy(r"(?:/|[A-Za-z]:[\\/])[^\n]{1,1000}$")
_BARE_NAME = lazy(r"(?=[^A-Za-z]{0,60}[A-Za-z])[\w@$.~/\\-]{1,300}$")
# e.g. <eval>
_SPECIAL = lazy(
    r"<(?:anonymous|unknown|stdin|eval|input|run_main_module)>|evalmachine\.<anonymous>|\[(?:eval\d{0,4}|stdin|worker eval|native code)\](?:-wrapper)?"
    r"|\((?:index|anonymous|native|unknown)\)|REPL\d{1,6}|VM\d{1,9}(?: [\w.-]{1,60})?|debugger eval code(?: line \d{1,6} > \w+)?|self-hosted|eval code|Unknown script code|Web Inspector console"
)
# e.g. `Pool.java`
_ANOTHERS = lazy(r"\.(?:java|kt|scala|groovy|clj|py|rb|cs|vb|fs|go|rs|c|cc|cpp|h|swift|m|dart|lua|erl|ex|pl)$")
_EVAL = lazy(r"eval at ")
_ALIAS = lazy(r" \[as [^\n]{1,200}\]$")
_NAME = lazy(r"[^\s=,;(){}\"][^=;{}\"\n]{0,299}$")

# SpiderMonkey and JavaScriptCore: name@place:line:column; the name may be empty
_GECKO = lazy(
    r"[ \t]*+(?:[>|*-][ \t]++)?(?P<name>[^@\n\"=,;{}]{0,300}+(?:@(?![\w+.-]{0,30}:|/|\[|[^@\s]{0,200}:\d)[^@\n\s]{0,100}+)?)"
    r"@(?P<place>\S[^\n]{0,2000}?)[ \t]*+$"
)
# e.g. <eval>
_GECKO_PLACE = lazy(
    rf"(?:(?:https?|file|resource|chrome|moz-extension|safari-(?:web-)?extension|webkit-masked-url|app|capacitor|ionic|ng|blob|data|webpack(?:-internal)?|about|jar|user-script|address at [^\s:]{{1,100}}):?[^\n]*"
    rf"|/[^\n\s]+|[A-Za-z]:[\\/][^\n]+|[^\s@:]{{1,300}}\.{_SCRIPT}(?:\?\S{{0,300}})?|debugger eval code|self-hosted|evalmachine\.<anonymous>|<[\w ]{{1,30}}>)$"
)
_GECKO_EVAL = lazy(r" line (?P<line>\d{1,9}) > (?:eval|Function|injectedScript|scopedEval)\b")
# e.g. value@26:1363
_BUNDLE_PLACE = lazy(r"[ \t]*+(?P<name>[\w$.<>]{1,100})@(?P<line>\d{1,9}):(?P<column>\d{1,9})[ \t]*+$")
# e.g. http://path/to/file.js:22:15
_BARE_URL = lazy(
    r"[ \t]*+(?P<place>(?:https?|file|webpack[a-z-]*|app|capacitor)://?\S{1,1000}?:\d{1,9}:\d{1,9})[ \t]*+$"
)
_NO_PLACE = lazy(r"(?:[\w$.<>/#]{1,200}|(?:eval|global|module) code)@$")  # JavaScriptCore, inside eval
_NATIVE_ALONE = "[native code]"
# Copies out of consoles and test runners: only inside a trace, they are too common elsewhere
_POINTED = lazy(
    r"[ \t]*+(?:❯|›)[ \t]++(?:(?P<name>[^\s:/][^\s:]{0,200})[ \t]++)?(?P<place>\S{1,1000}:\d{1,9}:\d{1,9})[ \t]*+$"
)
# e.g. at vm.js::25
_CONSOLE = lazy(
    r"[ \t]*+(?P<name>[\w$.<>/*#\u4e00-\u9fff]{1,200}|\(anonymous\)|(?:async|promise callback|setTimeout handler|global|module|eval)[ *][\w$.<>/*]{1,200})"
    r"(?: @ |\t@\t| — |[ \t]++)(?P<place>[^\s@]{1,1000}:\d{1,9}(?::\d{1,9})?)[ \t]*+$"
)


@dataclass(frozen=True, slots=True)
class SourcePosition:
    """Where a frame is: file, line, column; all None for native code."""

    file: str | None
    line: int | None = None
    column: int | None = None


@lru_cache(maxsize=16_384)
def frame_of(line: str) -> Frame | None:
    """Return the frame on a line that leaves no doubt; None for any other."""
    if len(line) > LONGEST_FRAME:
        return None
    if "at " in line or "at\t" in line:
        found = _v8(line)
        if found is not None:
            return found
    return _gecko(line) if "@" in line else None


@lru_cache(maxsize=4_096)
def inner_frame_of(line: str) -> Frame | None:
    """Return a frame in a form that counts only within a trace: consoles' copies, test runners' arrows, lone URLs."""
    if len(line) > LONGEST_FRAME:
        return None
    text = line.strip()
    if text == _NATIVE_ALONE:
        return _frame(None, SourcePosition(_NATIVE_ALONE), line)
    if text.endswith("@") and _NO_PLACE.match(text):
        return _frame(text[:-1], SourcePosition("<eval>"), line)
    bundle = _BUNDLE_PLACE.match(line)
    if bundle is not None:
        return _frame(bundle["name"], SourcePosition(None, int(bundle["line"]), int(bundle["column"])), line)
    found = _BARE_URL.match(line) or _POINTED.match(line) or _CONSOLE.match(line)
    where = _place(found["place"]) if found is not None else None
    if found is None or where is None or where.file is None:
        return None
    return _frame(found.groupdict().get("name"), where, line)


def _v8(line: str) -> Frame | None:
    plain = html.unescape(line) if "&" in line and ("&lt;" in line or "&gt;" in line or "&amp;" in line) else line
    found = _AT.match(plain)
    if found is None:
        found = _PREFIXED_AT.search(plain)
        prefix = LOG_PREFIX.match(plain) if found is not None else None
        if found is None or prefix is None or prefix.end() < found.start():
            return None
    body = plain[found.end() :].rstrip()
    tail = _TAIL.search(body)
    if tail is not None:
        body = body[: tail.start()].rstrip()
    name, where = _named_place(body)
    if where is None or (name is not None and not _is_name(name)):
        return None
    return _frame(name, where, line)


def _named_place(body: str) -> tuple[str | None, SourcePosition | None]:
    """``f (file:1:2)`` or ``file:1:2``: the name, and the place if it is one."""
    if body.endswith(")"):
        opening = _opening(body)
        if opening is None:
            return None, None
        if opening >= 2 and body[opening - 1] in " \t":
            name = body[:opening].rstrip()
            return name, _place(body[opening + 1 : -1])
        return None, None
    if body in ("<anonymous>", "native"):
        return None, SourcePosition(body)
    alone = body.removeprefix("async ").lstrip()
    where = _place(alone, is_bare=True)
    if where is not None:
        return None, where
    name, _, place = alone.rpartition(" ")  # old Edge: at f http://…:1:2
    is_one = bool(name) and " " not in name and _URL.match(place) is not None
    return (name, _place(place, is_bare=True)) if is_one else (None, None)


def _opening(body: str) -> int | None:
    r"""Return where the last bracket of the body was opened; ``C:\Program Files (x86)`` keeps its own."""
    depth = 0
    for at in range(len(body) - 1, -1, -1):
        if body[at] == ")":
            depth += 1
        elif body[at] == "(":
            depth -= 1
            if depth == 0:
                return at
    return None


def _place(text: str, *, is_bare: bool = False, depth: int = 0) -> SourcePosition | None:
    """Return a place as printed; ``is_bare`` for one without brackets round it, which must look like a script's."""
    text = text.strip().removeprefix("address at ")
    if not is_bare and (is_native_place(text)):
        return SourcePosition(text)
    if _EVAL.match(text):
        return _eval_origin(text, depth)
    found = _WHERE.search(text)
    if found is None:
        is_file = not is_bare and ":" not in text and _SCRIPT_NAME.match(text) is not None
        return SourcePosition(_without_query(text)) if is_file else None
    file, digits = text[: found.start()], found["column"]
    where = SourcePosition(_without_query(file) or None, int(found["line"]), int(digits) if digits else None)
    if not file:
        return where if digits and not is_bare else None
    return where if _is_script(file, is_bare=is_bare, has_column=digits is not None) else None


def _is_script(file: str, *, is_bare: bool, has_column: bool) -> bool:
    if file.endswith(":") or _ANOTHERS.search(file) or (file[:1] in "[(" and not _SPECIAL.fullmatch(file)):
        return False
    if _SPECIAL.fullmatch(file) or (_URL.match(file) and not re.match(r"[A-Za-z][\w.-]*:\d", file)):
        return " " not in file or not is_bare
    if _SCRIPT_NAME.match(file):
        return not (is_bare and " " in file and not _PATH.match(file))
    if not has_column:
        return False
    if _PATH.match(file) or (not is_bare and _PATH_WITH_BRACKETS.match(file)):
        return True
    return _BARE_NAME.match(file) is not None and (not is_bare or "/" in file)


def _eval_origin(text: str, depth: int) -> SourcePosition | None:
    """Code made from text has the place where it was made: ``eval at build (/srv/t.js:7:7), <anonymous>:8:13``."""
    inner = _EVAL.sub("", text, count=1)
    if depth > _DEEPEST_EVAL:
        return None
    outer, _, _ = inner.rpartition(", ")
    origin = outer if outer and _balanced(outer) else inner
    if origin.endswith(")"):
        opening = _opening(origin)
        return _place(origin[opening + 1 : -1], depth=depth + 1) if opening is not None else None
    return _place(origin, depth=depth + 1)


def _balanced(text: str) -> bool:
    return text.count("(") == text.count(")")


def _without_query(file: str) -> str:
    """Return a file without ``?v=123`` and ``#part``: they tell of a cache, not of a file. A page keeps its address."""
    for mark in ("?", "#"):
        at = file.find(mark)
        if at > 0:
            file = file[:at]
    return file


def _is_name(name: str) -> bool:
    return len(name) <= _LONGEST_NAME and _NAME.match(name) is not None


def _gecko(line: str) -> Frame | None:
    found = _GECKO.match(line)
    if found is None:
        return None
    name, place = found["name"].strip(), found["place"]
    if place == "[native code]":
        return _frame(name or None, SourcePosition(place), line) if _is_gecko_name(name) else None
    evaluated = _GECKO_EVAL.search(place)
    if evaluated is not None:
        where = SourcePosition(_without_query(place[: evaluated.start()]), int(evaluated["line"]))
    else:
        ends = _WHERE.search(place)
        if ends is None or _GECKO_PLACE.match(place[: ends.start()]) is None:
            return None
        digits = ends["column"]
        where = SourcePosition(
            _without_query(place[: ends.start()]), int(ends["line"]), int(digits) if digits else None
        )
    return _frame(name or None, where, line) if _is_gecko_name(name) else None


def _is_gecko_name(name: str) -> bool:
    return not name or (" at " not in name and ": " not in name and not name[0].isdigit() and name.count(" ") <= 4)


def _frame(name: str | None, where: SourcePosition, line: str) -> Frame:
    function = _cleaned(name) if name else None
    is_native = where.line is None and is_native_place(where.file)
    found = place_of(where.file, is_native=is_native)
    return Frame(
        function=function,
        module=found.module,
        filename=where.file,
        lineno=where.line,
        column=where.column,
        in_app=found.rank == 0,
        raw=line.strip(),
    )


def _cleaned(name: str) -> str | None:
    """Return the function as printed, without ``async`` and without the alias it was called by."""
    name = re.sub(r"[ \t]{2,}", " ", name.strip())
    name = _ALIAS.sub("", name).removeprefix("async ").strip()
    # SpiderMonkey's asynchronous callers: async*f, promise callback*f, setTimeout handler*f
    star = name.rfind("*")
    if star >= 0 and name[:star].split("*")[0] in _ASYNC_CALLERS:
        name = name[star + 1 :]
    return name or None


_ASYNC_CALLERS = frozenset(
    {
        "async",
        "promise callback",
        "setTimeout handler",
        "setInterval handler",
        "requestAnimationFrame callback",
        "EventListener.handleEvent",
        "EventHandlerNonNull",
        "AsyncFunctionNext",
        "AsyncGeneratorNext",
        "IntersectionCallback",
        "MutationCallback",
        "FrameRequestCallback",
        "sleep",
    }
)
