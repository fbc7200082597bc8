"""Everyday faults of applications that do not exist, in the ten runtimes beside the JVM and databases.

Each is a fixed fault (`Fault`) that can be printed any number of times: with other lines, addresses, ids and folders, as two
people would paste it. Heads and platform frames are those that every application of the runtime shows.
"""

import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

_WORDS = ("order", "invoice", "cart", "ledger", "parcel", "voucher", "tariff", "ticket", "shipment", "roster", "quote")
_PARTS = ("service", "loader", "mapper", "job", "handler", "client", "listener", "worker", "queue", "cache")
_VERBS = ("load", "total", "apply", "find", "convert", "publish", "drain", "reserve", "settle", "render")


@dataclass(frozen=True, slots=True)
class ApplicationFrame:
    """One frame of the application: ``ledger``, ``cache``, ``drain``."""

    word: str
    part: str
    verb: str


@dataclass(frozen=True, slots=True)
class Fault:
    """What went wrong in an application: lasting, whoever prints it."""

    runtime: str
    application: str
    head: str
    calls: tuple[ApplicationFrame, ...]
    base: int
    """Which of the runtime's surroundings it ran in."""


_Frame = Callable[[Fault, ApplicationFrame, str, random.Random], str]
_Lines = Callable[[str, list[str]], str]


@dataclass(frozen=True, slots=True)
class _Style:
    heads: tuple[str, ...]
    """``{word}`` and ``{number}`` are values."""
    frame: _Frame
    bases: tuple[tuple[str, ...], ...]
    """``{n}`` is a line, ``{x}`` an address."""
    lines: _Lines
    """The whole paste of a head and its frames."""


def fault(runtime: str, chance: random.Random) -> Fault:
    """A fault that nobody had before."""
    style = _styles()[runtime]
    calls = tuple(
        ApplicationFrame(chance.choice(_WORDS), chance.choice(_PARTS), chance.choice(_VERBS))
        for _ in range(chance.randint(1, 5))
    )
    application = f"{chance.choice(_WORDS)}{chance.randint(1, 99)}"
    return Fault(runtime, application, chance.choice(style.heads), calls, chance.randrange(len(style.bases)))


def printed(one: Fault, chance: random.Random) -> str:
    """The fault as one paste of it."""
    style = _styles()[one.runtime]
    root = chance.choice(("/srv/app", "/home/deploy/releases/20261119", "/app", "/opt/web/current"))
    head = one.head.format(word=one.application, number=chance.randint(1, 9_000), x=_address(chance))
    frames = [style.frame(one, call, root, chance) for call in one.calls]
    frames += [line.format(n=chance.randint(9, 900), x=_address(chance)) for line in style.bases[one.base]]
    return style.lines(head, frames)


def _address(chance: random.Random) -> str:
    return f"{chance.randint(0x1000, 0xFFFFFF):06x}"


def _line(chance: random.Random) -> int:
    return chance.randint(9, 900)


def _title(word: str) -> str:
    return word[0].upper() + word[1:]


def _indented(head: str, frames: list[str]) -> str:
    return "\n".join([head, *frames])


def _javascript(one: Fault, call: ApplicationFrame, root: str, chance: random.Random) -> str:
    at = f"{root}/src/{one.application}/{call.word}/{call.part}.js:{_line(chance)}:{_line(chance)}"
    return f"    at {_title(call.word)}{_title(call.part)}.{call.verb} ({at})"


def _go(one: Fault, call: ApplicationFrame, root: str, chance: random.Random) -> str:
    package = f"example.org/{one.application}/{call.word}"
    at = f"{root}/{call.word}/{call.part}.go:{_line(chance)} +0x{_address(chance)}"
    return f"{package}.(*{_title(call.part)}).{_title(call.verb)}(0xc000{_address(chance)})\n\t{at}"


def _go_lines(head: str, frames: list[str]) -> str:
    return "\n".join([f"{head}\n\ngoroutine 34 [running]:", *frames])


def _dotnet(one: Fault, call: ApplicationFrame, root: str, chance: random.Random) -> str:
    name = f"{_title(one.application)}.{_title(call.word)}.{_title(call.part)}.{_title(call.verb)}(Int32 id)"
    return f"   at {name} in {root}/{_title(call.word)}/{_title(call.part)}.cs:line {_line(chance)}"


def _rust(one: Fault, call: ApplicationFrame, root: str, chance: random.Random) -> str:  # noqa: ARG001 - printed relative
    at = f"./src/{call.word}/{call.part}.rs:{_line(chance)}:{chance.randint(1, 80)}"
    return f": {one.application}::{call.word}::{_title(call.part)}::{call.verb}\n             at {at}"


def _rust_lines(head: str, frames: list[str]) -> str:
    machinery = (": rust_begin_unwind", ": core::panicking::panic_fmt")
    numbered = [f"{at:4}{frame}" for at, frame in enumerate((*machinery, *frames))]
    return "\n".join([head, "stack backtrace:", *numbered])


def _native(one: Fault, call: ApplicationFrame, root: str, chance: random.Random) -> str:
    name = f"{one.application}::{_title(call.word)}{_title(call.part)}::{call.verb}"
    return f"0x0000{_address(chance)}{_address(chance)} in {name} (this=0x{_address(chance)}) at {root}/{call.part}.cc:{_line(chance)}"


def _numbered(head: str, frames: list[str]) -> str:
    return "\n".join([head, *(f"#{at}  {frame}" for at, frame in enumerate(frames))])


def _ruby(one: Fault, call: ApplicationFrame, root: str, chance: random.Random) -> str:
    return f"\tfrom {root}/lib/{one.application}/{call.word}/{call.part}.rb:{_line(chance)}:in `{call.verb}'"


def _ruby_lines(head: str, frames: list[str]) -> str:
    first = frames[0].removeprefix("\tfrom ")
    return "\n".join([f"{first}: {head}", *frames[1:]])


def _php(one: Fault, call: ApplicationFrame, root: str, chance: random.Random) -> str:
    name = f"{_title(one.application)}\\{_title(call.word)}\\{_title(call.part)}->{call.verb}()"
    return f"{root}/src/{_title(call.word)}/{_title(call.part)}.php({_line(chance)}): {name}"


def _php_lines(head: str, frames: list[str]) -> str:
    place = frames[0].partition(".php(")[0] + ".php"
    numbered = [f"#{at} {frame}" for at, frame in enumerate(frames)]
    return "\n".join(
        [f"PHP Fatal error:  Uncaught {head} in {place}:12", "Stack trace:", *numbered, f"#{len(frames)} {{main}}"]
    )


def _kernel(one: Fault, call: ApplicationFrame, root: str, chance: random.Random) -> str:  # noqa: ARG001 - no files
    module = f"{one.application}drv"
    return f" {module}_{call.word}_{call.verb}+0x{chance.randint(16, 250):x}/0x{chance.randint(256, 900):x} [{module}]"


def _kernel_lines(head: str, frames: list[str]) -> str:
    time = 8123.0 + len(head)
    rest = ["Oops: 0000 [#1] SMP NOPTI", f"RIP: 0010:{frames[0].strip()}", "Call Trace:", *frames[1:]]
    return "\n".join(f"[ {time + at / 1000:.6f}] {line}" for at, line in enumerate([head, *rest]))


def _lua(one: Fault, call: ApplicationFrame, root: str, chance: random.Random) -> str:
    at = f"{root}/lualib/{one.application}/{call.word}_{call.part}.lua:{_line(chance)}"
    return f"\t{at}: in function '{call.verb}'"


def _lua_lines(head: str, frames: list[str]) -> str:
    first = frames[0].strip().rpartition(": in function")[0]
    return "\n".join([f"lua: {first}: {head}", "stack traceback:", *frames])


def _python(one: Fault, call: ApplicationFrame, root: str, chance: random.Random) -> str:
    place = f"{root}/{one.application}/{call.word}/{call.part}.py"
    return f'  File "{place}", line {_line(chance)}, in {call.verb}\n    return {call.verb}(it)'


def _python_lines(head: str, frames: list[str]) -> str:
    return "\n".join(["Traceback (most recent call last):", *reversed(frames), head])


_SHAPES: Mapping[str, tuple[_Frame, _Lines]] = {
    "python": (_python, _python_lines),
    "javascript": (_javascript, _indented),
    "go": (_go, _go_lines),
    "dotnet": (_dotnet, _indented),
    "rust": (_rust, _rust_lines),
    "native": (_native, _numbered),
    "ruby": (_ruby, _ruby_lines),
    "php": (_php, _php_lines),
    "kernel": (_kernel, _kernel_lines),
    "lua": (_lua, _lua_lines),
}
RUNTIMES = tuple(sorted(_SHAPES))


@cache
def _styles() -> Mapping[str, _Style]:
    """The styles: heads and bases are in ``strangers.json``, how they are printed is here."""
    tables = json.loads(resources.files("index.training").joinpath("strangers.json").read_text(encoding="utf-8"))
    return {
        name: _Style(tuple(tables[name]["heads"]), frame, tuple(map(tuple, tables[name]["bases"])), lines)
        for name, (frame, lines) in _SHAPES.items()
    }
