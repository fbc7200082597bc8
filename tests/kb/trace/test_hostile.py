"""Hostile and huge texts: an answer in time that grows with the size and no faster.

``hostile/<runtime>.json`` holds ``{"shards": [...], "hostile": {name: {"before", "unit", "after"}}}``: a text ``before + unit * n
+ after`` is compared with one of eight times as many units. The rows of ``template.json`` are messages. Measured is this process's
CPU time, the least of several runs. Small texts tell nearly always. Where they do not, larger ones decide: a look-ahead over a
bounded number of lines grows like a square until the text is longer than that, and noise is small beside a longer time.
"""

import functools
import gc
import json
import math
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any
from zlib import crc32

import pytest

from kb.redact import redact
from kb.trace import fingerprints, in_force, parse, template
from kb.trace.custom import NONE
from kb.trace.parse import MOST_IN_VAIN, MOST_TRACES
from kb.trace.runtimes.base import MOST_EXCEPTIONS, MOST_FRAMES
from tests.quality.laws import check_chain

DOUBLINGS = 3
MOST_A_DOUBLING = 2.25
"""On average, from the smaller text to the larger; exactly linear work has 2. A part that grows with the square is seen as soon as
it takes a fifteenth of the smaller text's time."""
DOUBTFUL = 2.12
"""The same at the small sizes of the screening, where a square still hides behind what each line costs: look closer."""
FIRST = 2_000
"""Characters that are tried first; doubled until reading them takes long enough, or until there are as many as the stage allows."""
SCREENING = (0.002, 250_000)
"""Seconds that reading the smaller text takes at least, and its most characters."""
JUDGING = ((0.03, 250_000), (0.12, 250_000))
"""The same for a closer look at rows that the screening has doubts about."""
TRIALS = 4
LONG = 1.0
"""Seconds beside which noise is small: not tried again."""
MOST_SECONDS = 20.0
"""Seconds of CPU time in which a row is judged: the slowest of 774 takes 2.7 at the largest sizes (2026-11-30)."""

FOLDER = Path(__file__).parent / "hostile"
ROWS = {
    f"{path.stem}/{name}": (path.stem, row)
    for path in sorted(FOLDER.glob("*.json"))
    for name, row in json.loads(path.read_text(encoding="utf-8")).get("hostile", {}).items()
}
KINDS = sorted({kind for kind, _ in ROWS.values()})
ENOUGH = 5_000
"""Characters in which a row repeats what it nests more often than ``MOST_EXCEPTIONS``."""
SHARE = 2
"""One row in so many is timed in each run, always the same; all of them, and at larger sizes, under the marker ``quality``."""


def text_of(row: dict[str, str], count: int) -> str:
    return row.get("before", "") + row["unit"] * count + row.get("after", "")


def _read(text: str) -> None:
    for chain in parse(text):
        fingerprints(chain)


def _fill(message: str) -> None:
    template(message)
    redact(message)


@functools.cache
def _caches() -> tuple[Any, ...]:
    return tuple(
        cached
        for module in [module for name, module in sys.modules.items() if name.startswith("kb.")]
        for cached in vars(module).values()
        if isinstance(cached, functools._lru_cache_wrapper) and cached.cache_parameters()["maxsize"] is not None
    )


def forget() -> None:
    """Clears what is remembered of texts that were read before."""
    for cached in _caches():
        cached.cache_clear()
    in_force.activate(NONE)  # what is remembered of texts is remembered with the rules


@pytest.fixture(scope="module")
def _frozen() -> None:
    """What the rest of the run holds, a million objects and more, is not gone through again for every row."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def _no_collector(_frozen: None) -> Iterator[None]:
    """The collector's long passes come at any time."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def seconds(work: Callable[[str], None], text: str) -> float:
    forget()
    start = time.process_time()
    work(text)
    return time.process_time() - start


def long_enough(work: Callable[[str], None], row: dict[str, str], wanted: float, most: int) -> int:
    """A number of units that takes long enough to be measured."""
    count, most = max(1, FIRST // len(row["unit"])), most // len(row["unit"])
    while count < most and seconds(work, text_of(row, count)) < wanted:
        count *= 2
    return count


def growth(
    work: Callable[[str], None], row: dict[str, str], stage: tuple[float, int], enough: float = MOST_A_DOUBLING
) -> tuple[float, str]:
    """By what a doubling multiplies the time, once that is little or measured often enough; and what was measured."""
    wanted, most = stage
    count = long_enough(work, row, wanted, most)
    small, large = text_of(row, count), text_of(row, count << DOUBLINGS)
    one, two = min(seconds(work, small) for _ in range(2)), seconds(work, large)  # the first may build an automaton
    for _ in range(TRIALS):
        if _a_doubling(one, two, wanted) < enough or two > LONG:
            break
        one, two = min(one, seconds(work, small)), min(two, seconds(work, large))
    return _a_doubling(one, two, wanted), f"{len(small)} and {len(large)} characters took {one:.4f} and {two:.4f} s"


def _a_doubling(one: float, two: float, wanted: float) -> float:
    return float((two / max(one, wanted / 2)) ** (1 / DOUBLINGS))


def judged(work: Callable[[str], None], row: dict[str, str]) -> tuple[float, str]:
    """The growth, at sizes that are large enough to be sure of it."""
    found = growth(work, row, SCREENING, DOUBTFUL)
    if found[0] < DOUBTFUL:
        return found
    for stage in JUDGING:
        found = growth(work, row, stage)
        if found[0] < MOST_A_DOUBLING:
            break
    return found


def in_time(measure: Callable[[], tuple[float, str]], most: float = MOST_SECONDS) -> tuple[float, str]:
    """Return what is measured; an endless growth where that takes too long, so that a pattern that gives back does not hang the run."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, most)
    try:
        return measure()
    except TimeoutError:
        return math.inf, f"stopped after {most:g} s: a pattern gives back, write `++` or `{{0,100}}` for its repetition"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def work_of(kind: str) -> Callable[[str], None]:
    return _fill if kind == "template" else _read


@pytest.mark.parametrize("name", ROWS)
def test_a_chain_holds_a_few_times_its_text_at_most(name: str) -> None:
    """What is done with a chain takes linear time only where the chain is no larger than that: each message is templated whole."""
    text = text_of(ROWS[name][1], ENOUGH // len(ROWS[name][1]["unit"]))
    for chain in parse(text):
        check_chain(chain, len(text))


@pytest.mark.slow
@pytest.mark.usefixtures("_no_collector")
@pytest.mark.parametrize("kind", KINDS)
def test_time_doubles_with_the_size(kind: str) -> None:
    slow = {}
    for name, (of, row) in ROWS.items():
        if of == kind and crc32(name.encode()) % SHARE == 0:
            gc.collect()
            ratio, told = in_time(functools.partial(judged, work_of(kind), row))
            if ratio >= MOST_A_DOUBLING:
                slow[name] = f"hostile/{kind}.json, {name}: {ratio:.2f}: {told}"
    assert not slow, "\n".join(slow.values())


@pytest.mark.quality
@pytest.mark.usefixtures("_no_collector")
@pytest.mark.parametrize("name", ROWS)
def test_time_doubles_with_the_size_of_large_texts(name: str) -> None:
    """The same for large texts at once, for a quadratic part that shows late."""
    kind, row = ROWS[name]
    ratio, told = in_time(functools.partial(growth, work_of(kind), row, JUDGING[-1]))
    assert ratio < MOST_A_DOUBLING, f"{name}: {ratio:.2f}: {told}"


def test_a_pattern_that_gives_back_is_stopped() -> None:
    """The clock itself: a cubic search would take an hour."""
    cubic = re.compile(r"(x+)(x+)(x+)y")
    ratio, told = in_time(lambda: growth(cubic.search, {"unit": "x"}, SCREENING), most=0.3)
    assert ratio == math.inf
    assert told.startswith("stopped after 0.3 s")


@pytest.mark.usefixtures("_no_collector")
@pytest.mark.parametrize("stage", [SCREENING, JUDGING[0]])
@pytest.mark.slow
def test_a_quadratic_reader_would_be_caught(stage: tuple[float, int]) -> None:
    """The measure itself: a reader that looks back over the whole text now and then is not taken for linear."""

    def quadratic(text: str) -> None:
        _read(text)
        for at in range(0, len(text), 500):
            text.count("y", 0, at)

    row = {"unit": "\tat a.b.c(D.java:1)\n"}
    assert min(growth(_read, row, stage)[0] for _ in range(3)) < MOST_A_DOUBLING
    assert growth(quadratic, row, stage)[0] > MOST_A_DOUBLING


@pytest.mark.usefixtures("_no_collector")
def test_no_guess_is_weighed_within_a_guess() -> None:
    """Lines like frames behind two prefixes, neither of which pays: 20 times the time of one prefix that is sure, not 160."""
    guessed, sure = ROWS["javascript/frames of two prefixes"][1], {"unit": "> f @ a.js:12\n"}
    texts = text_of(guessed, MOST_IN_VAIN // 2), text_of(sure, MOST_IN_VAIN)
    seconds(_read, texts[0])  # builds the automata
    two, one = (min(seconds(_read, text) for _ in range(TRIALS)) for text in texts)
    assert two < 60 * one


NEAR_MISSES = [name for name in ROWS if name.partition("/")[2].startswith("near misses")]
TRACE = {"unit": "java.io.IOException: gone\n" + "\tat a.b.C.d(C.java:12)\n" * 3}


@pytest.mark.usefixtures("_no_collector")
@pytest.mark.parametrize(
    "name", [*NEAR_MISSES, "javascript/frames of two prefixes", "javascript/sources that name errors"]
)
def test_near_misses_take_a_few_times_as_long_as_traces(name: str) -> None:
    """Lines that are nearly frames behind what may be a prefix: 3 to 23 times the time of as many traces, where each guess was weighed 160."""
    texts = [text_of(row, 10_000 // len(row["unit"])) for row in (ROWS[name][1], TRACE)]
    seconds(_read, texts[0])  # builds the automata
    near, one = (min(seconds(_read, text) for _ in range(2)) for text in texts)
    assert near < 40 * one


def test_a_hundred_thousand_frames_are_one_chain_with_a_note() -> None:
    (chain,) = parse("\tat a.b.c(D.java:1)\n" * 100_000)
    assert len(chain.exceptions[0].stack.frames) == MOST_FRAMES
    assert chain.notes == (f"{100_000 - MOST_FRAMES} more frames of the trace were not kept",)
    assert chain.span[1] == 100_000 * len("\tat a.b.c(D.java:1)\n") - 1


def test_the_root_survives_more_causes_than_are_kept() -> None:
    (chain,) = parse(
        "a.b.E: x\n\tat a.B.y(B.java:1)\n"
        + "Caused by: a.F: y\n" * 500
        + "Caused by: a.Root: z\n\tat a.C.z(C.java:1)\n"
    )
    assert len(chain.exceptions) == MOST_EXCEPTIONS
    assert chain.root.type == "a.Root"
    assert chain.notes == (f"{502 - MOST_EXCEPTIONS} exceptions before the last one were left out",)


@pytest.mark.slow
def test_only_so_many_traces_of_one_text_are_read() -> None:
    chains = parse("a.b.CException: x\n" * (MOST_TRACES + 5))
    assert len(chains) == MOST_TRACES
    assert chains[-1].notes == (f"only the first {MOST_TRACES} traces of the text were read",)


def test_the_raise_point_of_a_deep_python_stack_is_kept() -> None:
    frames = "".join(f'  File "/app/m{i}.py", line 1, in f\n' for i in range(2_000))
    (chain,) = parse(f"Traceback (most recent call last):\n{frames}E: x\n")
    assert chain.exceptions[0].stack.frames[0].filename == "/app/m1999.py"
    assert chain.notes == ("976 frames were not kept",)
