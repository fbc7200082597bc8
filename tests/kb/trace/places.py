"""What stands elsewhere for each runtime, and what of it is forgotten: `tests/test_registered.py` asks."""

import json
import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

import re2

from index.terms.frequencies import common_types
from kb.trace import ExceptionChain, parse
from kb.trace.finding.joined import split_joined
from kb.trace.runtimes import RUNTIMES, runtime_named
from kb.trace.runtimes.base import LastingNames, Runtime, TraceReader
from kb.trace.runtimes.dotnet import frames as dotnet
from kb.trace.runtimes.go import names as go
from kb.trace.runtimes.javascript import frames as javascript
from kb.trace.template import template
from tests.kb.trace.manglings import MANGLINGS
from tests.kb.trace.test_mangled import CEILINGS, ROW_MISSING, known_misses
from tests.structure import ROOT, missing, text_of

GOLDEN = ROOT / "tests/golden"
PROTOCOLS = {"reader": TraceReader, "names": LastingNames}


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


ROOM_OF_A_CEILING = 1.25
MOST_UNSEEN = 0.1
"""Share of a runtime's traces that may be unseen without their first lines; one always may. 2026-11-30: none has a second one."""
MOST_BEHIND_A_PREFIX = 1 / 6
"""Share of traces, over all prefixes of loggers, that may be read otherwise behind one: `jstack` has 0.14, the BEAM without its marks 0.17."""
PREFIXES_HURT = {"native": "its reports list registers and maps as well", "sql": "it has no frames"}
"""Runtimes of which more traces are read otherwise behind a logger's prefix, and why."""
BREAKS_NOT_KNOWN = {
    "kernel": "half of its traces are oops of registers and dumps",
    "php": "half of its traces are warnings, which have no frames",
    "sql": "it has no frames",
}
"""Runtimes of which most traces are not read where their line breaks are written out, and why."""
FRAMES_OF_OTHERS = {
    "javascript": "`at` is a mark of the JVM, `in` one of the BEAM",
    "php": "`#0` is a mark of native code",
    "sql": "it has no frames",
}
"""Runtimes whose frames need no marks of their own, and why."""


def misses_unmended(name: str) -> list[str]:
    """Return what `tests/golden/mangled/<name>.misses` shows to be forgotten; nothing while there is none."""
    if not (GOLDEN / f"mangled/{name}.misses").exists():
        return []
    count, missed = known_misses(name)
    found, traces = list[str](), len(traces_of(name))
    if CEILINGS.get(name, 0) > count * ROOM_OF_A_CEILING:
        found.append(f"tests/kb/trace/test_mangled.py: lower its row in CEILINGS to {count}")
    unseen = [flaw.partition(" ")[0] for flaw in missed.get("head-lost", ()) if flaw.endswith("(unseen)")]
    if len(unseen) > max(1, traces * MOST_UNSEEN):
        found.append(f"{_init(name)}: write `needles` for its frames; without their first lines unseen: {unseen}")
    prefixed = sum(len(flaws) for mangling, flaws in missed.items() if mangling.startswith("every-line-"))
    tried = traces * sum(one.name.startswith("every-line-") for one in MANGLINGS)
    if prefixed > tried * MOST_BEHIND_A_PREFIX and name not in PREFIXES_HURT:
        found.append(
            f"{_init(name)}: `frame_marks` or `frame_hints` lack how its frames begin; missed behind prefixes (every-line-…): {prefixed} of {tried}"
        )
    if len(missed.get("escaped-breaks", ())) > traces / 2 and name not in BREAKS_NOT_KNOWN:
        found.append(
            "kb/trace/finding/joined.py: `_ESCAPED_TRACE` does not know how its frames begin, behind a written `\\n`"
        )
    return found


def _init(name: str) -> str:
    return f"kb/trace/runtimes/{name}/__init__.py"


def functions_forgotten() -> list[str]:
    """Return the functions of the two protocols that a runtime lacks: no text is read without them."""
    return [
        f"kb/trace/runtimes/{runtime.name}/{module}.py: write `{function}`, which {protocol.__name__} of base.py explains"
        for runtime in RUNTIMES
        for module, protocol in PROTOCOLS.items()
        for function in vars(protocol)
        if not function.startswith("_") and not callable(getattr(getattr(runtime, module), function, None))
    ]


def marks_forgotten(runtime: Runtime) -> list[str]:
    """Return what is wrong with what its frames begin with: nothing is written, or what no golden trace has."""
    if not (runtime.frame_marks and runtime.frame_hints) and runtime.name not in FRAMES_OF_OTHERS:
        return [f"{_init(runtime.name)}: write frame_marks and frame_hints, by which its frames are known inside a log"]
    texts = [path.read_text(encoding="utf-8") for path in (GOLDEN / "traces" / runtime.name).glob("*.txt")]
    lines = [line for text in texts for line in text.splitlines()]
    begins = {mark: re.compile(rf'[ \t]*+"?+(?:{mark})').match for mark in runtime.frame_marks}
    holds = {hint: re2.compile(hint).search for hint in runtime.frame_hints}
    return [
        *(
            f"{_init(runtime.name)}: no line of its golden traces begins with `{mark}` of frame_marks"
            for mark, matches in begins.items()
            if not any(map(matches, lines))
        ),
        *(
            f"{_init(runtime.name)}: no line of its golden traces holds `{hint}` of frame_hints"
            for hint, matches in holds.items()
            if not any(map(matches, lines))
        ),
    ]


def traces_of(name: str) -> list[str]:
    """Return the names of a runtime's golden traces."""
    return sorted(path.name for path in (GOLDEN / "traces" / name).glob("*.txt"))


def origins_forgotten(name: str) -> list[str]:
    """Return where it is not told which program printed a golden trace, or what would print it.

    Each word of a printed trace's name stands in `run.sh`, or is the name of a source beside it: `orders-lua5.4.txt`.
    """
    folder, traces = f"tests/golden/traces/{name}", traces_of(name)
    by_hand = [one for one in traces if one.endswith("-by-hand.txt")]
    complaints = list[str]()
    if printed := [one.removesuffix(".txt") for one in traces if one not in by_hand]:
        complaints += missing(f"{folder}/programs/run.sh")
        sources = [path.stem for path in (ROOT / folder / "programs").rglob("*") if path.name != "run.sh"]
        if not sources:
            complaints.append(f"{folder}/programs: write the sources that run.sh runs")
        script = "" if complaints else text_of(f"{folder}/programs/run.sh")
        known = set(re.findall(r"[\w.]+", f"{script} {' '.join(sources)}".lower()))
        known |= {part for word in known for part in word.split(".")}
        complaints += [
            f"{folder}: run.sh prints no {one}.txt; name it there, or call the trace {one}-by-hand.txt"
            for one in printed
            if script and not known.issuperset(one.lower().split("-"))
        ]
    page = text_of("tests/golden/traces/README.md").partition("| what | where |")[2]
    if by_hand and f"`{name}/`" not in page:
        complaints.append(f"tests/golden/traces/README.md: write into its table what prints `{name}/*-by-hand.txt`")
    if not by_hand and f"`{name}/`" in page:
        complaints.append(f"tests/golden/traces/README.md: its table names `{name}/`, which has no *-by-hand.txt")
    if len(traces) < LEAST_TRACES:
        complaints.append(f"{folder}: write {LEAST_TRACES - len(traces)} more traces")
    return complaints


def hostile_forgotten(name: str) -> list[str]:
    """Return what its hostile texts lack; nothing while there are none."""
    path = ROOT / f"tests/kb/trace/hostile/{name}.json"
    rows = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"shards": [""], "hostile": [""]}
    return [
        f"tests/kb/trace/hostile/{name}.json: write {what}"
        for key, what in {
            "shards": "lines of its traces under `shards`",
            "hostile": "under `hostile` texts that repeat what its patterns repeat",
        }.items()
        if not rows.get(key)
    ]


def forgotten(name: str) -> list[str]:
    """Return what is still to be written for a runtime, by place."""
    runtime = runtime_named(name)
    assert runtime is not None
    if complaints := functions_forgotten():
        return complaints
    complaints += missing(
        f"kb/trace/runtimes/{name}/reader.py",
        f"kb/trace/runtimes/{name}/names.py",
        f"tests/golden/traces/{name}/*.txt",
        f"tests/kb/trace/runtimes/test_{name}*.py",
        f"tests/kb/trace/hostile/{name}.json",
        f"tests/golden/mangled/{name}.misses",
        *(f"tests/index/runtimes/{name}-*/{part}" for part in ("incident.md", "again.txt", "near.txt")),
    )
    complaints += hostile_forgotten(name) + origins_forgotten(name) + marks_forgotten(runtime)
    if name not in CEILINGS:
        complaints.append(ROW_MISSING)
    if f"`{name}`" not in text_of("kb/trace/README.md").partition("| runtime | what is read |")[2]:
        complaints.append("kb/trace/README.md: write its row in the table of runtimes")
    complaints += endings_forgotten(name) + misses_unmended(name)
    if (types := types_of(name)) and not types & common_types():
        complaints.append("index/rules/common.txt: write its everyday exceptions, which tell nobody's problem")
    return complaints
