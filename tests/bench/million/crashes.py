"""A night of crash reports with the statistics of the real sets: ``python -m tests.bench.million.crashes FOLDER COUNT``.

Frames, types and messages are those of generated incidents. How often a problem crashes is a Zipf law of exponent 1 over `PROBLEMS` problems, so a fifth of
them gives more than four fifths of a million crashes, as Windows Error Reporting saw it (Glerum et al., *Debugging in the (Very) Large*, SOSP 2009).
"""

import json
import random
import re
import sys
from bisect import bisect
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, islice
from pathlib import Path

import numpy as np

from tests.bench.million.incidents import printed
from tests.bench.million.plan import SEED, Plan, Planner, Trace
from tests.bench.million.queries import FROM

PROBLEMS = 50_000
KNOWN = 0.4
"""Of the problems: traces of the first `FROM` incidents, which are the knowledge base. As many problems as it has not."""
FILES = 8
_VALUE = re.compile(r"\d{3,}")
_BEGIN = 1_795_651_200
"""2026-11-26T00:00:00Z, the beginning of the day."""
_HOSTS, _VERSIONS = 400, 7


@dataclass(frozen=True, slots=True)
class Problem:
    """What crashes again and again: its text between its changing values; the known incidents with this very trace."""

    pieces: tuple[str, ...]
    incidents: frozenset[str]

    def text(self, dice: random.Random) -> str:
        """Return the trace with other values."""
        values = [str(dice.randrange(100, 10**9)) for _ in self.pieces[1:]]
        return self.pieces[0] + "".join(value + piece for value, piece in zip(values, self.pieces[1:], strict=True))


def problems(count: int = PROBLEMS) -> list[Problem]:
    """Return so many problems, the most frequent first."""
    dice = random.Random(SEED)
    plans = Planner().plans(FROM + 4 * count)
    known = _traces(islice(plans, FROM))
    unknown = (trace for trace in _traces(plans) if trace not in known)
    told = iter(dice.sample(sorted(known), len(known)))
    found: list[Problem] = []
    while len(found) < count:
        trace = next(told, None) if dice.random() < KNOWN else None
        trace = next(unknown) if trace is None else trace
        text, _ = printed(trace, np.random.default_rng((SEED, len(found))))
        found.append(Problem(_pieces(text), frozenset(known.get(trace, ()))))
    return found


def _traces(plans: Iterator[Plan]) -> dict[Trace, list[str]]:
    """Return the incidents of each trace that names its root's type and has three frames or more."""
    found: dict[Trace, list[str]] = {}
    for plan in plans:
        for trace in plan.traces:
            if trace[-1][0] >= 0 and sum(len(raised[2]) for raised in trace) > 2:
                found.setdefault(trace, []).append(f"inc-{plan.number:07d}")
    return found


def _pieces(text: str) -> tuple[str, ...]:
    """Return the text between the values of its messages; line numbers of frames stay."""
    pieces = [""]
    for line in text.splitlines(keepends=True):
        first, *more = [line] if line.startswith("\tat ") else _VALUE.split(line)
        pieces[-1] += first
        pieces += more
    return tuple(pieces)


def crashes(of: list[Problem], count: int, seed: int = SEED) -> Iterator[tuple[int, str]]:
    """Yield so many crashes: the number of the problem, and the JSON line."""
    dice = random.Random(seed)
    totals = list(accumulate(1 / (rank + 1) for rank in range(len(of))))
    for _ in range(count):
        number = bisect(totals, dice.random() * totals[-1])
        yield (
            number,
            json.dumps(
                {
                    "@timestamp": _BEGIN + dice.randrange(86_400),
                    "service": {"version": f"5.{dice.randrange(_VERSIONS)}.0"},
                    "host": {"name": f"node-{dice.randrange(_HOSTS)}"},
                    "error": {"stack_trace": of[number].text(dice)},
                }
            ),
        )


def write(folder: Path, count: int) -> tuple[list[Problem], list[int]]:
    """Write the crashes as JSON lines, in `FILES` files; return the problems, and how often each crashed."""
    of = problems()
    seen = [0] * len(of)
    folder.mkdir(parents=True)
    files = [(folder / f"crashes-{at}.jsonl").open("w", encoding="utf-8") for at in range(FILES)]
    for at, (number, line) in enumerate(crashes(of, count)):
        seen[number] += 1
        files[at % FILES].write(line + "\n")
    for file in files:
        file.close()
    return of, seen


if __name__ == "__main__":
    write(Path(sys.argv[1]), int(sys.argv[2]))
