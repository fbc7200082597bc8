"""Every golden trace of every runtime through every mangling: it is the same trace, and its span says where it stands.

What is not read is pinned, file by file, in ``tests/golden/mangled/<runtime>.misses``: a new miss fails the test, and so does one
that is read now. ``REASONS`` says why they are not read. `make test` tries one trace in six with each mangling, `make quality` all;
``pytest -m quality tests/kb/trace/test_mangled.py --update-golden`` rewrites what is pinned.
"""

import zlib
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from kb.trace import ExceptionChain, Level, fingerprints, parse
from tests.kb.trace.manglings import MANGLINGS, Mangling, interleaved

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
TRACES = {
    folder.name: sorted(folder.glob("*.txt"))
    for folder in sorted((GOLDEN / "traces").iterdir())
    if folder.is_dir() and folder.name != "text"
}
REASONS = {
    "every-line": "behind the prefix no line looks like a trace's (a message alone, a report of words), or a tab of the prefix is taken for the trace's",
    "record": "the prefix's own words read as part of the head",
    "json": "a trace without frames is a text in a field as any other",
    "escaped": "the breaks of a report without frames are not known",
    "html": "names in angle brackets are swallowed",
    "page": "the line breaks count to the lines of the page",
    "table-cell": "the rest of the row stands behind the last line",
    "csv-cell": "the rest of the row stands behind the last line, doubled quotes stay in messages",
    "tsv-cell": "the rest of the row stands behind the last line",
    "fenced": "the fence is glued to the first or the last line",
    "left-aligned": "lost: indentation tells which exception a cause hangs on, and where source ends",
    "blank-lines-between": "lost: a blank line ends a message of several lines",
    "grep": "behind the file's name no line looks like a trace's, or nothing shows where the name ends",
    "constant": "behind the word no line nearby looks like a trace's, or too few lines wear it",
    "chinese-label": "behind the label no line nearby looks like a trace's, or too few lines wear it",
    "diff-added": "behind the mark no line nearby looks like a trace's, or too few lines wear it",
    "bullets-numbered": "behind the number no line nearby looks like a trace's, or too few lines wear it",
    "logcat-two": "half of the lines nearby are another's: too few are left to see the trace",
    "broken": "lost: whether a break in a message is the page's or the message's",
    "filled": "lost: whether a break in a message is the page's or the message's",
    "joined": "lost: where the message ends and what was a line of source",
    "full-width": "words and brackets that are telling only in ASCII",
    "head-lost": "what told of the runtime is lost",
    "tail-lost": "what told of the runtime is lost",
    "interleaved": "reports without frames, and records that carry no thread of their own",
}
"""Why a mangling is not always read, by the beginning of its name; others have no excuse yet."""
BEFORE = "昨天开始报错 It fails since yesterday.\n\n"
AFTER = "\n\nWhat can we do about it?\n"
DRESSED = frozenset(
    {"jvm/page-made-of-it-by-hand", "jvm/container-log-by-hand", "jvm/json-log-by-hand", "python/log-prefixed-by-hand"}
)
"""Golden files that are mangled already; a second mangling on top says nothing."""
LONGEST = 4_000
"""Longer traces say nothing new here and take their time, a hundred times over."""
CEILINGS = {
    "beam": 140,
    "dotnet": 496,
    "go": 311,
    "javascript": 403,
    "jstack": 172,
    "jvm": 190,
    "kernel": 192,
    "lua": 160,
    "native": 843,
    "php": 124,
    "python": 162,
    "ruby": 193,
    "rust": 184,
    "sql": 583,
}
"""Misses of each runtime, at most. ``--update-golden`` does not move them: they may only be lowered, but for a new mangling or trace."""
ROW_MISSING = "tests/kb/trace/test_mangled.py: write its row in CEILINGS"


Drawn = Callable[[str, str], bool]
"""Whether a trace meets a mangling: the names of both."""


def one_in_six(name: str, mangling: str) -> bool:
    """The same ones each time, others for each mangling."""
    return zlib.crc32(f"{name} {mangling}".encode()) % 6 == 0


def all_of_them(_name: str, _mangling: str) -> bool:
    return True


@pytest.mark.parametrize("runtime", TRACES)
@pytest.mark.slow
def test_what_is_not_read_is_known(runtime: str) -> None:
    count, known = known_misses(runtime)
    pinned = {m: [flaw for flaw in flaws if one_in_six(_trace_of(flaw), m)] for m, flaws in known.items()}
    assert _misses(runtime, one_in_six) == {m: flaws for m, flaws in pinned.items() if flaws}
    assert count == sum(map(len, known.values())), "the first line of its .misses is their count"
    assert count <= _ceiling(runtime), "a mend for one trace broke others"


@pytest.mark.quality
@pytest.mark.parametrize("runtime", TRACES)
def test_all_that_is_not_read_is_known(runtime: str, golden: Callable[[Path, str], None]) -> None:
    ceiling = _ceiling(runtime)
    missed = _misses(runtime, all_of_them)
    found = [f"{name}: {', '.join(flaws)}; {_reason(name)}" for name, flaws in missed.items()]
    count = sum(map(len, missed.values()))
    assert count <= ceiling, "a mend for one trace broke others"
    golden(GOLDEN / "mangled" / f"{runtime}.misses", "\n".join([f"{count} misses", *found, ""]))


def _misses(runtime: str, drawn: Drawn) -> dict[str, list[str]]:
    """By mangling, the traces that are not read, and how; without the manglings that are all read."""
    missed = {m.name: list(_missed(runtime, m, drawn)) for m in MANGLINGS}
    missed["interleaved"] = list(_missed_interleaved(runtime, drawn))
    return {name: flaws for name, flaws in missed.items() if flaws}


def _ceiling(runtime: str) -> int:
    assert runtime in CEILINGS, f"{runtime}: {ROW_MISSING}"
    return CEILINGS[runtime]


def known_misses(runtime: str) -> tuple[int, dict[str, list[str]]]:
    """Return what is pinned: the count, and the misses by mangling."""
    path = GOLDEN / "mangled" / f"{runtime}.misses"
    assert path.exists(), (
        f"{path} is missing: give {runtime} a row in CEILINGS, run pytest -m quality --update-golden {__file__}"
    )
    count, *lines = path.read_text(encoding="utf-8").splitlines()
    parts = (line.partition(": ") for line in lines)
    return int(count.split()[0]), {name: told.partition("; ")[0].split(", ") for name, _, told in parts}


def _trace_of(flaw: str) -> str:
    """The trace that a miss tells of: ``name (flaw)`` or ``name with other``."""
    return flaw.partition(" ")[0]


def _reason(name: str) -> str:
    return next((why for begin, why in REASONS.items() if name.startswith(begin)), "to be mended")


def _texts(runtime: str) -> Iterator[tuple[str, str]]:
    for path in TRACES[runtime]:
        text = path.read_text(encoding="utf-8").strip("\n")
        if len(text) <= LONGEST and f"{runtime}/{path.stem}" not in DRESSED:
            yield path.stem, text


def _missed(runtime: str, mangling: Mangling, drawn: Drawn) -> Iterator[str]:
    for name, text in _texts(runtime):
        flaw = _flaw(text, mangling) if drawn(name, mangling.name) else None
        if flaw is not None:
            yield f"{name} ({flaw})"


def _flaw(text: str, mangling: Mangling) -> str | None:
    """What is wrong with the reading of a mangled trace, in one word; None if nothing is."""
    plain = _plain(text)
    mangled = mangling.apply(text)
    whole = BEFORE + mangled + AFTER
    chains = parse(whole)
    if mangling.kept == "found":
        return None if any(c.runtime == plain[0].runtime for c in chains) or not plain else "unseen"
    if not chains and plain:
        return "unseen"
    if len(chains) != len(plain):
        return "more traces" if len(chains) > len(plain) else "fewer traces"
    levels = (Level.ROOT_CAUSE, Level.LOOSE) if mangling.kept == "root" else (Level.LOOSE,)
    kept = [
        level for level, wanted in zip(levels, _wanted(text, levels), strict=True) if _digests(chains, level) == wanted
    ]
    if not kept:
        return "another"
    if levels[0] not in kept:
        return "only loose"
    return None if _stand_where_they_stand(text, plain, whole, chains, mangling) else "span"


@cache
def _plain(text: str) -> tuple[ExceptionChain, ...]:
    return parse(text)


@cache
def _wanted(text: str, levels: tuple[Level, ...]) -> tuple[list[str], ...]:
    return tuple(_digests(_plain(text), level) for level in levels)


def _digests(chains: tuple[ExceptionChain, ...], level: Level) -> list[str]:
    return sorted(fingerprints(chain)[level].digest for chain in chains)


def _stand_where_they_stand(
    text: str, plain: tuple[ExceptionChain, ...], whole: str, chains: tuple[ExceptionChain, ...], mangling: Mangling
) -> bool:
    first, last = len(BEFORE), len(whole) - len(AFTER)
    if not all(first <= c.span[0] < c.span[1] <= last for c in chains):
        return False
    stand = sorted(_lines(whole, c, BEFORE.count("\n")) for c in chains)
    return not mangling.keeps_lines or stand == sorted(_lines(text, c, 0) for c in plain)


def _lines(text: str, chain: ExceptionChain, before: int) -> tuple[int, int]:
    first, last = (text.count("\n", 0, at) - before for at in chain.span)
    return first, last


def _missed_interleaved(runtime: str, drawn: Drawn) -> Iterator[str]:
    """Two traces of two threads, line by line in turns."""
    texts = [(name, text) for name, text in _texts(runtime) if len(_plain(text)) == 1]
    for (name, text), (other_name, other) in pairwise(texts):
        if not drawn(name, "interleaved"):
            continue
        wanted = {d for t in (text, other) for d in _digests(_plain(t), Level.ROOT_CAUSE)}
        if wanted - set(_digests(parse(interleaved([text, other])), Level.ROOT_CAUSE)):
            yield f"{name} with {other_name}"
