"""Print the exceptions of a Sentry event as their runtime would, so that the parser of pasted traces reads them.

Event: develop.sentry.dev/sdk/data-model/event-payloads: ``exception.values`` from the innermost cause to the outermost exception, frames of each from the
outermost to where it was raised; ``platform`` says the runtime.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise

from api.chat.payload import Json, integer, part, parts, text

EXCEPTIONS, FRAMES = 20, 250
"""Most exceptions of an event, and frames of each, that are written."""
LONGEST = 4_000
"""Most characters of a name or a path; a message may have ten times as many."""


def trace_of(event: Json) -> str:
    """Return the trace of an event, or ''."""
    raised = _raised(event)[-EXCEPTIONS:]
    if not raised:
        return ""
    write = _WRITERS.get(text(event, "platform"), _javascript)
    return "\n".join(write(raised))


def _raised(event: Json) -> list[Json]:
    """Return its exceptions, with the stack of the crashed thread where none of them has a stack."""
    values = parts(part(event, "exception"), "values")
    for entry in parts(event, "entries") if not values else ():  # as its API serialises them
        if entry.get("type") == "exception":
            values = parts(part(entry, "data"), "values")
    if values and not any(_frames(one) for one in values):
        threads = parts(part(event, "threads"), "values")
        crashed = next((one for one in threads if one.get("crashed") is True), {})
        return [*values[:-1], {**values[-1], "stacktrace": part(crashed, "stacktrace")}]
    return values


def _frames(one: Json) -> list[Json]:
    """From where it was raised outwards."""
    return parts(part(one, "stacktrace"), "frames")[-FRAMES:][::-1]


def _word(of: Json, key: str) -> str:
    """A name or a path, in one line."""
    return " ".join(text(of, key)[:LONGEST].split())


def _head(one: Json, joint: str = ".") -> str:
    """Type and message."""
    kind, module, value = _word(one, "type"), _word(one, "module"), text(one, "value")[: 10 * LONGEST].strip()
    named = (
        f"{module}{joint}{kind}" if module and module not in {"builtins", "exceptions"} and kind else kind or "Error"
    )
    return f"{named}: {value}" if value else named


def _line(frame: Json) -> int:
    return max(0, integer(frame, "lineno") or 0)


def _path(frame: Json) -> str:
    return _word(frame, "abs_path") or _word(frame, "filename") or "<unknown>"


def _function(frame: Json) -> str:
    return _word(frame, "function") or "<unknown>"


def _jvm(raised: Sequence[Json]) -> Iterator[str]:
    for place, one in enumerate(reversed(raised)):
        yield f"{'Caused by: ' if place else ''}{_head(one)}"
        for frame in _frames(one):
            module, name, line = _word(frame, "module"), _word(frame, "filename").rpartition("/")[2], _line(frame)
            where = "Native Method" if frame.get("native") is True or not name else f"{name}:{line}" if line else name
            yield f"\tat {module + '.' if module else ''}{_function(frame)}({where})"


def _python(raised: Sequence[Json]) -> Iterator[str]:
    for place, one in enumerate(raised):
        if place:
            yield from ("", "The above exception was the direct cause of the following exception:", "")
        yield "Traceback (most recent call last):"
        for frame in reversed(_frames(one)):
            yield f'  File "{_path(frame)}", line {_line(frame)}, in {_function(frame)}'
            if source := _word(frame, "context_line"):
                yield f"    {source}"
        yield _head(one)


def _javascript(raised: Sequence[Json]) -> Iterator[str]:
    for place, one in enumerate(reversed(raised)):
        yield f"{'Caused by: ' if place else ''}{_head({**one, 'module': ''})}"
        for frame in _frames(one):
            column = integer(frame, "colno")
            where = f"{_path(frame)}:{_line(frame)}" + (f":{column}" if column else "")
            name = _word(frame, "function")
            yield f"    at {name} ({where})" if name and name != "?" else f"    at {where}"


def _dotnet(raised: Sequence[Json]) -> Iterator[str]:
    """The outermost exception comes first, then its causes; their frames come in the opposite order."""
    for place, one in enumerate(reversed(raised)):
        yield f"{' ---> ' if place else ''}{_head(one)}"
    for place, one in enumerate(raised):
        for frame in _frames(one):
            module, line = _word(frame, "module").partition(",")[0], _line(frame)
            where = f" in {_path(frame)}:line {line}" if line else ""
            function = _function(frame)
            yield f"   at {module + '.' if module else ''}{function}{'' if '(' in function else '()'}{where}"
        if place < len(raised) - 1:
            yield "   --- End of inner exception stack trace ---"


def _go(raised: Sequence[Json]) -> Iterator[str]:
    last = raised[-1]
    yield f"panic: {text(last, 'value')[: 10 * LONGEST].strip() or _word(last, 'type')}"
    yield from ("", "goroutine 1 [running]:")
    for frame in _frames(next((one for one in reversed(raised) if _frames(one)), last)):
        module = _word(frame, "module")
        yield f"{module + '.' if module else ''}{_function(frame)}(...)"
        yield f"\t{_path(frame)}:{_line(frame)}"


def _ruby(raised: Sequence[Json]) -> Iterator[str]:
    for one in reversed(raised):
        frames = [f"{_path(frame)}:{_line(frame)}:in `{_function(frame)}'" for frame in _frames(one)]
        kind, value = _word(one, "type") or "RuntimeError", text(one, "value")[: 10 * LONGEST].strip()
        first, *rest = frames or ["(unknown):0:in `<main>'"]
        yield f"{first}: {value} ({kind})"
        yield from (f"\tfrom {frame}" for frame in rest)


def _php(raised: Sequence[Json]) -> Iterator[str]:
    """A frame of PHP names the function that was called at a place; Sentry's names the one that the place is in."""
    for place, one in enumerate(raised):
        frames = _frames(one)
        first = frames[0] if frames else {}
        where = f"{_path(first)}:{_line(first)}"
        lead = "\nNext " if place else "PHP Fatal error:  Uncaught "
        yield f"{lead}{_head({**one, 'module': ''})} in {where}"
        yield "Stack trace:"
        number = 0
        for number, (callee, caller) in enumerate(pairwise(frames), 1):
            yield f"#{number - 1} {_path(caller)}({_line(caller)}): {_function(callee)}()"
        yield f"#{number} {{main}}"


def _native(raised: Sequence[Json]) -> Iterator[str]:
    for one in reversed(raised):
        kind, value = _word(one, "type"), text(one, "value")[: 10 * LONGEST].strip()
        if kind.startswith("SIG"):
            yield f"Program received signal {kind}, {value or 'unknown'}."
        else:
            yield f"terminate called after throwing an instance of '{kind or 'Error'}'"
            yield f"  what():  {value}"
        for number, frame in enumerate(_frames(one)):
            address = _word(frame, "instruction_addr")
            known = address if address.startswith("0x") else "0x0000000000000000"
            line, package = _line(frame), _word(frame, "package")
            where = f" at {_path(frame)}:{line}" if line else f" from {package}" if package else ""
            yield f"#{number}  {known} in {_function(frame)} (){where}"


def _rust(raised: Sequence[Json]) -> Iterator[str]:
    last = raised[-1]
    frames = _frames(next((one for one in reversed(raised) if _frames(one)), last))
    first = next((frame for frame in frames if _line(frame) and "/rustc/" not in _path(frame)), {})
    yield f"thread 'main' panicked at {_path(first)}:{_line(first)}:1:"
    kind, value = _word(last, "type"), text(last, "value")[: 10 * LONGEST].strip()
    yield value if kind in {"", "panic"} else f"{kind}: {value}"
    yield "stack backtrace:"
    for number, frame in enumerate(frames):
        yield f"  {number:2}: {_function(frame)}"
        if line := _line(frame):
            yield f"             at {_path(frame)}:{line}"


_WRITERS: Mapping[str, Callable[[Sequence[Json]], Iterator[str]]] = {
    "java": _jvm,
    "kotlin": _jvm,
    "python": _python,
    "javascript": _javascript,
    "node": _javascript,
    "csharp": _dotnet,
    "go": _go,
    "ruby": _ruby,
    "php": _php,
    "native": _native,
    "c": _native,
    "cocoa": _native,
    "objc": _native,
    "rust": _rust,
}
