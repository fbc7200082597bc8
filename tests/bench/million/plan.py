"""Which frames, types and messages each incident has, as numbers: one long draw, so that what was seen comes again."""

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tests.bench.million.names import package_of
from tests.bench.million.restaurant import Chain, Draws, Law

STATISTICS_FILE = Path(__file__).with_name("statistics.json")
STATISTICS: Mapping[str, Mapping[str, Any]] = json.loads(STATISTICS_FILE.read_text(encoding="utf-8"))
SHARES = (*(at / 20 for at in range(20)), 0.97, 0.98, 0.99, 0.995, 0.999)
"""Where the quantiles of statistics.json stand: close where few are large. The largest of a thousand are left out."""
SEED = 20261121
WRITE_UPS = 0.05
"""Of all incidents; the rest are reports of a tracker, each with its trace."""
_TOPICS = Law(0.7, 50.0)
"""Of write-ups without a trace."""

Raised = tuple[int, int, tuple[int, ...], int]
"""Type and message (-1 for none), own frames from the raise point outwards, how many more are the wrapper's."""
Trace = tuple[Raised, ...]
"""What the user saw first, each cause after its wrapper."""


@dataclass(frozen=True, slots=True)
class Plan:
    """One incident to be."""

    number: int
    write_up: bool
    topic: int
    traces: tuple[Trace, ...]


def quantile(values: Sequence[float], share: float) -> int:
    """The value at a share of the way through quantiles."""
    return round(float(np.interp(share, SHARES, values)))


class Planner:
    """Draws plans one after the other; the same seed gives the same ones, however many are asked for."""

    def __init__(self, seed: int = SEED) -> None:
        self._dice = random.Random(seed)
        learned = STATISTICS["reports"]
        self._frames = _chain(learned["next_frame"], self._dice)
        self._types = _chain(learned["next_type"], self._dice)
        self._messages = _chain(learned["next_message"], self._dice)
        self._topics = Draws(_TOPICS, self._fresh_topic)
        self._traces: list[Trace] = []
        self._lengths: Mapping[str, Any] = learned
        self._again = Draws(Law(*learned["stack"]), self._fresh_trace)

    def plans(self, count: int) -> Iterator[Plan]:
        """The next so many."""
        for number in range(count):
            yield self._plan(number)

    def _plan(self, number: int) -> Plan:
        write_up = self._dice.random() < WRITE_UPS
        self._lengths = STATISTICS["write_ups" if write_up else "reports"]
        traced = self._dice.random() < self._lengths["with_traces"]
        many = quantile(self._lengths["chains"], self._dice.random()) if traced else 0
        traces = tuple(self._traces[self._again.draw(self._dice)] for _ in range(many))
        frames = traces[0][-1][2] if traces else ()
        topic = package_of(frames[0]) if frames else -1 - self._topics.draw(self._dice)
        return Plan(number, write_up, topic, traces)

    def _fresh_topic(self) -> int:
        return int(self._dice.random() * 1e9)

    def _fresh_trace(self) -> int:
        raised: list[Raised] = []
        path: list[int] = []
        """Frames from the outermost inwards."""
        for _ in range(max(1, quantile(self._lengths["exceptions"], self._dice.random()))):
            shared = max(0, len(path) - 1 - int(self._dice.random() * 4))
            path = self._deeper(path[:shared], quantile(self._lengths["frames"], self._dice.random()))
            unnamed = bool(path) and not raised and self._dice.random() < self._lengths["unnamed"]
            raised.append(self._raise(path, shared, unnamed=unnamed))
        self._traces.append(tuple(raised))
        return len(self._traces) - 1

    def _deeper(self, path: list[int], frames: int) -> list[int]:
        at = path[-1] if path else -1
        for _ in range(frames):
            at = self._frames.draw(at, self._dice)
            path.append(at)
        return path

    def _raise(self, path: list[int], shared: int, *, unnamed: bool) -> Raised:
        top = path[-1] if path else -1
        kind = -1 if unnamed else self._types.draw(top, self._dice)
        silent = kind < 0 or self._dice.random() < self._lengths["silent"]
        message = -1 if silent else self._messages.draw(top, self._dice)
        return kind, message, tuple(reversed(path[shared:])), shared


def _chain(laws: Mapping[str, Sequence[float]], dice: random.Random) -> Chain:
    """Values beside a context, and the common ones that they come from: numbered as they come up."""
    counter = iter(range(1 << 60))
    common = Draws(Law(*laws["outer"]), lambda: next(counter))
    return Chain(Law(*laws["inner"]), lambda: common.draw(dice))
