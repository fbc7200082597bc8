"""A process of people who search, and a few who write: ``python -m tests.bench.load.client`` with a plan on its standard input.

Every answer is judged: it is wrong when it names an incident that is not in the snapshot that answered and was not saved, or was retired
before, or when it lacks an incident whose very trace was asked for. Prints JSON.
"""

import itertools
import json
import random
import statistics
import sys
import threading
import time
from dataclasses import dataclass, field
from typing import Any

from tests.bench.load.workers import Door, named

SETTLED = 1.0
"""Seconds after which a change that was acknowledged is in force in every worker."""
_RETIRED = 0.2
"""Of what is written."""
_OWN = 0.05
"""Of the searches, those for what was saved."""
_SHOWN = 20


@dataclass
class Plan:
    """What to do."""

    port: int
    key: str
    name: str
    clients: int
    seconds: float
    writes: float
    """Share of requests."""
    questions: list[tuple[str, str | None]]
    """Texts, and of those that are an incident's trace, the incident."""
    sizes: dict[str, int]
    """How many incidents each snapshot holds; their ids are numbers from 0."""


@dataclass
class Saved:
    """An incident that a client saved; times by the monotonic clock."""

    trace: str
    acknowledged: float | None = None
    retiring: float | None = None
    retired: float | None = None


@dataclass
class Found:
    """What was seen."""

    searches: list[float] = field(default_factory=list)
    """Milliseconds."""
    saves: list[float] = field(default_factory=list)
    by_snapshot: dict[str, int] = field(default_factory=dict)
    exact: int = 0
    """Answers that had to name a certain incident."""
    wrong: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)


class Crowd:
    """All clients of the process."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self.found = plan, Found()
        self._saved: dict[str, Saved] = {}
        self._numbers = itertools.count()
        self._ends = time.monotonic() + plan.seconds

    def run(self) -> dict[str, Any]:
        """Work until the time is up."""
        start, used = time.monotonic(), time.process_time()
        threads = [threading.Thread(target=self._client, args=(number,)) for number in range(self.plan.clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return self._figures(time.monotonic() - start, time.process_time() - used)

    def _figures(self, seconds: float, used: float) -> dict[str, Any]:
        found = self.found
        figures = {"searches_per_s": len(found.searches) / seconds, "client_cpu_s": used, "seconds": seconds}
        for name, taken in (("search", found.searches), ("save", found.saves)):
            if len(taken) > 1:
                hundredths = statistics.quantiles(taken, n=100)
                figures |= {
                    f"{name}.p50_ms": hundredths[49],
                    f"{name}.p99_ms": hundredths[98],
                    f"{name}.most_ms": max(taken),
                }
        counts = {"searches": len(found.searches), "saves": len(found.saves), "exact": found.exact}
        counts |= {"wrong": len(found.wrong), "failed": len(found.failed)}
        return figures | counts | {"shown": (found.wrong + found.failed)[:_SHOWN], "by_snapshot": found.by_snapshot}

    def _client(self, number: int) -> None:
        dice, door = random.Random(f"{self.plan.name} {number}"), Door.open(self.plan.port, self.plan.key)
        while time.monotonic() < self._ends:
            try:
                if dice.random() < self.plan.writes:
                    self._write(door, dice)
                else:
                    self._search(door, dice)
            except Exception as error:  # noqa: BLE001 - whatever goes wrong is what is looked for
                self.found.failed.append(repr(error)[:300])
                door.close()
                door = Door.open(self.plan.port, self.plan.key)
        door.close()

    def _write(self, door: Door, dice: random.Random) -> None:
        live = [one for one, saved in list(self._saved.items()) if saved.acknowledged and not saved.retiring]
        start = time.monotonic()
        if live and dice.random() < _RETIRED:
            one = dice.choice(live)
            saved = self._saved[one]
            if saved.retiring:
                return
            saved.retiring = start
            self._expect(200, *door.ask("DELETE", f"/v1/incidents/{one}", **{"If-Match": '"1"'}))
            saved.retired = time.monotonic()
        else:
            number = next(self._numbers)
            one, trace = f"{self.plan.name}-{number}", own_trace(self.plan.name, number)
            saved = self._saved[one] = Saved(trace)
            record = {"id": one, "title": f"Nothing left of shelf {number}", "traces": [trace]}
            self._expect(201, *door.ask("POST", "/v1/incidents", record))
            saved.acknowledged = time.monotonic()
        self.found.saves.append((time.monotonic() - start) * 1000)

    def _expect(self, status: int, got: int, answer: Any) -> None:
        if got != status:
            raise AssertionError(f"{got}: {answer}")

    def _search(self, door: Door, dice: random.Random) -> None:
        start = time.monotonic()
        own = [one for one, saved in list(self._saved.items()) if _is_settled(saved, start)]
        if own and dice.random() < _OWN:
            expected: str | None = dice.choice(own)
            text = self._saved[str(expected)].trace
        else:
            text, expected = dice.choice(self.plan.questions)
        start = time.monotonic()
        status, answer = door.ask("POST", "/v1/search", {"text": text})
        self.found.searches.append((time.monotonic() - start) * 1000)
        self._expect(200, status, answer)
        self._judge(answer, expected, start)

    def _judge(self, answer: Any, expected: str | None, asked: float) -> None:
        snapshot, ids = answer["snapshot_id"], named(answer)
        self.found.by_snapshot[snapshot] = self.found.by_snapshot.get(snapshot, 0) + 1
        for one in ids:
            if not self._may_be_named(one, self.plan.sizes[snapshot], asked):
                self.found.wrong.append(f"{one} is named and not there")
        if expected is None:
            return
        saved = self._saved.get(expected)
        if saved is None or saved.retiring is None:
            self.found.exact += 1
            if expected not in ids:
                self.found.wrong.append(f"{expected} is missing among {ids}")

    def _may_be_named(self, one: str, size: int, asked: float) -> bool:
        kind, _, number = one.rpartition("-")
        if kind == "inc":
            return int(number) < size
        saved = self._saved.get(one)
        if saved is None:
            return kind != self.plan.name  # what was saved in a run before
        return saved.retired is None or asked < saved.retired + SETTLED


def _is_settled(saved: Saved, now: float) -> bool:
    return saved.acknowledged is not None and now > saved.acknowledged + SETTLED and saved.retiring is None


def own_trace(name: str, number: int) -> str:
    """A trace that nobody had before."""
    kind = f"com.shop.{name}.Shelf{number}"
    frames = [
        f"\tat {kind}.take(Shelf{number}.java:{17 + number % 50})",
        f"\tat com.shop.{name}.Basket{number}.fill(Basket.java:40)",
    ]
    return "\n".join([f"{kind}Empty: nothing left", *frames, "\tat com.shop.Till.pay(Till.java:12)"])


if __name__ == "__main__":
    print(json.dumps(Crowd(Plan(**json.load(sys.stdin))).run()))
