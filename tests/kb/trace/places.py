"""What stands elsewhere for each runtime, and what of it is forgotten: `tests/test_registered.py` asks."""

import json
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

from index.terms.frequencies import common_types
from kb.trace import ExceptionChain, parse
from kb.trace.finding.joined import split_joined
from kb.trace.runtimes import RUNTIMES
from kb.trace.runtimes.dotnet import frames as dotnet
from kb.trace.runtimes.go import names as go
from kb.trace.runtimes.javascript import frames as javascript
from kb.trace.template import template
from tests.kb.trace.test_mangled import CEILINGS
from tests.structure import ROOT, missing, text_of

GOLDEN = ROOT / "tests/golden"


@cache
def chains_of(name: str) -> tuple[ExceptionChain, ...]:
    """Return the chains of a runtime that are read of its golden traces."""
    texts = (path.read_text(encoding="utf-8") for path in (GOLDEN / "traces" / name).glob("*.txt"))
    return tuple(chain for text in texts for chain in parse(text) if chain.runtime == name)


def types_of(name: str) -> set[str]:
    """Return the types of the exceptions that the golden traces of a runtime show, by their last names."""
    found = (one.type for chain in chains_of(name) for one in chain.exceptions)
    return {one.rpartition(".")[2] for one in found if one}


def endings_of(name: str) -> set[str]:
    """Return the endings of source files that at least a tenth of the frames in the golden traces of a runtime have."""
    frames = (frame for chain in chains_of(name) for one in chain.exceptions for frame in one.stack.frames)
    counted = Counter(Path(frame.filename or "").suffix[1:] for frame in frames)
    del counted[""]
    return {ending for ending, count in counted.items() if count * 10 >= counted.total()}


KNOWN_ENDINGS: dict[str, tuple[Callable[[str], bool], set[str]]] = {
    "_ESCAPED_TRACE of kb/trace/finding/joined.py": (
        lambda ending: split_joined(rf"boom\n/srv/cart.{ending}:12 total", 0) is not None,
        {"c", "cpp", "cs", "erl", "ex", "h", "java", "scala"},
    ),
    "FILE_ENDING of kb/trace/template/placeholders.py": (
        lambda ending: "<hostname>" not in template(f"no item in cart.{ending}:12"),
        set(),
    ),
    "_ANOTHERS of kb/trace/runtimes/javascript/frames.py": (
        lambda ending: javascript.frame_of(f"    at total (cart.{ending}:12:3)") is None,
        {"js", "php"},
    ),
    "_FOREIGN of kb/trace/runtimes/dotnet/frames.py": (
        lambda ending: dotnet.frame_of(f"   at Shop.Cart.Total(cart.{ending})") is None,
        {"cs", "erl", "ex"},
    ),
    "_ENDINGS of kb/trace/runtimes/go/names.py": (
        lambda ending: go.function_name(f"github.com/shop/cart.{ending}") is None,
        {"cs", "erl", "ex", "scala"},
    ),
}
"""The places that tell files by their endings: whether one knows an ending, and those exempt, its own and what it does not know yet.

What is joined is known by `at` and `#0` in most runtimes, so `_ESCAPED_TRACE` has the endings of frames that begin with their file.
"""
LEAST_TRACES = 9
"""Golden traces of a runtime: as many as PHP has, which has the fewest."""


def endings_forgotten(name: str) -> list[str]:
    """Return what to write where an ending of a runtime's source files is unknown."""
    return [
        f"{place}: write the ending {ending!r}, or exempt it in KNOWN_ENDINGS"
        for place, (knows, exempt) in KNOWN_ENDINGS.items()
        for ending in sorted(endings_of(name) - exempt)
        if not knows(ending)
    ]


def misses_unmended(name: str) -> list[str]:
    """Return what `tests/golden/mangled/<name>.misses` shows to be forgotten."""
    path = ROOT / f"tests/golden/mangled/{name}.misses"
    head, *lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else ["0 misses"]
    count, found = int(head.split()[0]), []
    if CEILINGS.get(name, 0) > count * ROOM_OF_A_CEILING:
        found.append(f"tests/kb/trace/test_mangled.py: lower its row in CEILINGS to {count}")
    escaped = next((line for line in lines if line.startswith("escaped-breaks: ")), "escaped-breaks: ;")
    if escaped.count("),") + 1 > len(traces_of(name)) / 2 and name not in BREAKS_NOT_KNOWN:
        found.append(
            "kb/trace/finding/joined.py: `_ESCAPED_TRACE` does not know how its frames begin, behind a written `\\n`"
        )
    return found


ROOM_OF_A_CEILING = 1.25
BREAKS_NOT_KNOWN = {
    "kernel": "half of its traces are oops of registers and dumps",
    "php": "half of its traces are warnings, which have no frames",
    "sql": "it has no frames",
}
"""Runtimes of which most traces are not read where their line breaks are written out, and why."""


FRAMES_OF_OTHERS = {
    "javascript": "`at` is a mark of the JVM",
    "php": "`#0` is a mark of native code",
    "sql": "it has no frames",
}
"""Runtimes whose frames need no marks of their own, and why."""


def traces_of(name: str) -> list[str]:
    """Return the names of a runtime's golden traces."""
    return [path.name for path in (GOLDEN / "traces" / name).glob("*.txt")]


def forgotten(name: str) -> list[str]:
    """Return what is still to be written for a runtime, by place."""
    complaints = missing(
        f"kb/trace/runtimes/{name}/reader.py",
        f"kb/trace/runtimes/{name}/names.py",
        f"tests/golden/traces/{name}/*.txt",
        f"tests/kb/trace/runtimes/test_{name}*.py",
        f"tests/kb/trace/hostile/{name}.json",
        f"tests/golden/mangled/{name}.misses",
        *(f"tests/index/runtimes/{name}-*/{part}" for part in ("incident.md", "again.txt", "near.txt")),
    )
    hostile = (ROOT / f"tests/kb/trace/hostile/{name}.json").read_text(encoding="utf-8") if not complaints else "{}"
    if not complaints and not all(json.loads(hostile).get(key) for key in ("shards", "hostile")):
        complaints.append(
            f"tests/kb/trace/hostile/{name}.json: write lines under `shards`, and under `hostile` texts that repeat what its patterns repeat"
        )
    if any(not one.endswith("-by-hand.txt") for one in traces_of(name)):
        programs = f"tests/golden/traces/{name}/programs"
        complaints += missing(f"{programs}/run.sh")
        if len(list((ROOT / programs).glob("*"))) < 2:
            complaints.append(f"{programs}: write the sources that run.sh runs")
    runtime = next(one for one in RUNTIMES if one.name == name)
    if not (runtime.frame_marks and runtime.frame_hints) and name not in FRAMES_OF_OTHERS:
        complaints.append(
            f"kb/trace/runtimes/{name}/__init__.py: write frame_marks and frame_hints, by which its frames are known inside a log"
        )
    if name not in CEILINGS:
        complaints.append("tests/kb/trace/test_mangled.py: write its row in CEILINGS")
    if f"`{name}`" not in text_of("kb/trace/README.md").partition("| runtime | what is read |")[2]:
        complaints.append("kb/trace/README.md: write its row in the table of runtimes")
    page = text_of("tests/golden/traces/README.md").partition("| what | where |")[2]
    traces = traces_of(name)
    if any(one.endswith("-by-hand.txt") for one in traces) != (f"`{name}/`" in page):
        complaints.append(f"tests/golden/traces/README.md: name `{name}/` in its table where it has *-by-hand.txt")
    if len(traces) < LEAST_TRACES:
        complaints.append(f"tests/golden/traces/{name}: write {LEAST_TRACES - len(traces)} more traces")
    complaints += endings_forgotten(name)
    complaints += misses_unmended(name)
    if (types := types_of(name)) and not types & common_types():
        complaints.append("index/rules/common.txt: write its everyday exceptions, which tell nobody's problem")
    return complaints
