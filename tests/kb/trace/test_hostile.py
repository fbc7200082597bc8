"""Hostile and huge texts: an answer in time that grows with the size and no faster.

``hostile/<runtime>.json`` holds ``{"shards": [...], "hostile": {name: {"before", "unit", "after"}}}``: texts ``before + unit * n
+ after`` are doubled several times. The rows of ``template.json`` are messages. Measured is this process's CPU time, the least of
several runs, at sizes that take long enough to be told from noise; a ratio that is too large is measured again, and then at
larger sizes.
"""

import functools
import gc
import json
import sys
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from kb.redact import redact
from kb.trace import fingerprints, parse, template
from kb.trace.parse import MOST_TRACES
from kb.trace.runtimes.jvm.progress import MOST_EXCEPTIONS, MOST_FRAMES

MOST_A_DOUBLING = 2.5
DOUBLINGS = 2
FIRST = 4_000
"""Characters that are tried first; doubled until reading them takes long enough, or until there are LARGEST of them."""
LARGEST = 2_000_000
SCREENED, JUDGED = 0.005, 0.03
"""Seconds that the smallest text takes: to see whether a row needs a closer look, and to be sure of it."""
TRIALS = 4

FOLDER = Path(__file__).parent / "hostile"
ROWS = {
    f"{path.stem}/{name}": (path.stem, row)
    for path in sorted(FOLDER.glob("*.json"))
    for name, row in json.loads(path.read_text(encoding="utf-8"))["hostile"].items()
}


def text_of(row: dict[str, str], size: int) -> str:
    before, unit, after = row.get("before", ""), row["unit"], row.get("after", "")
    return before + unit * max(1, size // len(unit)) + after


def _read(text: str) -> None:
    for chain in parse(text):
        fingerprints(chain)


def _fill(message: str) -> None:
    template.__wrapped__(message)
    redact(message)


def forget() -> None:
    """Clears what is remembered of texts that were read before."""
    for module in [module for name, module in sys.modules.items() if name.startswith("kb.")]:
        for cached in vars(module).values():
            if isinstance(cached, functools._lru_cache_wrapper) and cached.cache_parameters()["maxsize"] is not None:
                cached.cache_clear()


@pytest.fixture
def _no_collector() -> Iterator[None]:
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


def long_enough(work: Callable[[str], None], row: dict[str, str], wanted: float) -> int:
    """A size that takes long enough to be measured."""
    size = FIRST
    while size < LARGEST and seconds(work, text_of(row, size)) < wanted:
        size *= 2
    return size


def worst_ratio(work: Callable[[str], None], row: dict[str, str], wanted: float) -> tuple[float, str]:
    """The largest ratio of a doubling, once it is small or measured often enough; and what was measured."""
    size = long_enough(work, row, wanted)
    texts = [text_of(row, size << doubling) for doubling in range(DOUBLINGS + 1)]
    least = [seconds(work, text) for text in texts]
    for _ in range(TRIALS):
        ratio = max(after / max(before, wanted / 2) for before, after in pairwise(least))
        if ratio < MOST_A_DOUBLING:
            break
        least = [min(known, seconds(work, text)) for known, text in zip(least, texts, strict=True)]
    return ratio, f"{[len(text) for text in texts]} characters took {[round(one, 4) for one in least]} s"


def work_of(kind: str) -> Callable[[str], None]:
    return _fill if kind == "template" else _read


@pytest.mark.usefixtures("_no_collector")
@pytest.mark.parametrize("name", ROWS)
def test_time_doubles_with_the_size(name: str) -> None:
    """Small texts tell nearly always; where they do not, larger ones decide."""
    kind, row = ROWS[name]
    ratio, told = worst_ratio(work_of(kind), row, SCREENED)
    if ratio >= MOST_A_DOUBLING:
        ratio, told = worst_ratio(work_of(kind), row, JUDGED)
    assert ratio < MOST_A_DOUBLING, told


@pytest.mark.quality
@pytest.mark.usefixtures("_no_collector")
@pytest.mark.parametrize("name", ROWS)
def test_time_doubles_with_the_size_of_large_texts(name: str) -> None:
    """The same for large texts at once, for a quadratic part that shows late."""
    kind, row = ROWS[name]
    ratio, told = worst_ratio(work_of(kind), row, JUDGED)
    assert ratio < MOST_A_DOUBLING, told


def test_every_runtime_has_hostile_texts() -> None:
    from kb.trace.runtimes import RUNTIMES

    assert {runtime.name for runtime in RUNTIMES} - {path.stem for path in FOLDER.glob("*.json")} == set()


def test_a_quadratic_reader_would_be_caught() -> None:
    """The measure itself: work that grows with the square is not taken for linear."""

    def quadratic(text: str) -> None:
        for at in range(0, len(text), 200):
            text[at:].count("y")

    row = {"unit": "x" * 100}
    size = long_enough(quadratic, row, JUDGED)
    one, two = (min(seconds(quadratic, text_of(row, n)) for _ in range(2)) for n in (size, 2 * size))
    assert two / one > MOST_A_DOUBLING


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


def test_only_so_many_traces_of_one_text_are_read() -> None:
    chains = parse("a.b.CException: x\n" * (MOST_TRACES + 5))
    assert len(chains) == MOST_TRACES
    assert chains[-1].notes == (f"only the first {MOST_TRACES} traces of the text were read",)


def test_the_raise_point_of_a_deep_python_stack_is_kept() -> None:
    frames = "".join(f'  File "/app/m{i}.py", line 1, in f\n' for i in range(2_000))
    (chain,) = parse(f"Traceback (most recent call last):\n{frames}E: x\n")
    assert chain.exceptions[0].stack.frames[0].filename == "/app/m1999.py"
    assert chain.notes == ("976 frames were not kept",)
