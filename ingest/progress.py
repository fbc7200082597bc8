"""Progress to stderr: a bar on a terminal, plain lines elsewhere."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from pyspark import Accumulator
from pyspark.sql import SparkSession
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars

_EVERY = 2.0  # seconds between two plain lines of one stage
_LOOK = 0.2  # seconds between two looks at what Spark has counted


class StageProgress:
    """Shows which stage runs and how far it is. Use as a context manager.

    What is not ``lasting`` goes away at the end; where it could not, nothing is printed.
    """

    def __init__(self, *, lasting: bool = True, clock: Callable[[], float] = time.perf_counter) -> None:
        console = Console(stderr=True)
        self._bar = Bars(
            TextColumn("{task.description:<22}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=console,
            transient=not lasting,
        )
        self._lasting = lasting
        self._on_terminal = console.is_terminal
        self._task: TaskID | None = None
        self._stage = ""
        self._last_line = (0.0, -1)
        self._clock = clock  # in seconds
        self._running = ("", clock())
        self._seconds: dict[str, float] = {}

    def __enter__(self) -> Self:
        if self._on_terminal:
            self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._on_terminal:
            self._bar.stop()

    def stage(self, name: str, done: int = 0, total: int = 0) -> None:
        """Stage ``name`` has done ``done`` of ``total``; 0 of 0 where nothing can be counted."""
        self._measure(name)
        if self._on_terminal:
            self._draw(name, done, total)
        elif self._lasting:
            self._say(name, done, total)

    def ended(self) -> dict[str, float]:
        """How long each stage took, in seconds of the clock on the wall, in the order of their beginnings."""
        self._measure("")
        return {stage: round(seconds, 3) for stage, seconds in self._seconds.items()}

    def _measure(self, name: str) -> None:
        """Adds the time since the last word to the stage that ran meanwhile."""
        now = self._clock()
        stage, since = self._running
        if stage:
            self._seconds[stage] = self._seconds.get(stage, 0.0) + now - since
        self._running = (name, now)

    def _draw(self, name: str, done: int, total: int) -> None:
        if name != self._stage or self._task is None:
            if self._task is not None:
                self._finish(self._task)
            self._stage, self._task = name, self._bar.add_task(name, total=None)
        self._bar.update(self._task, completed=done, total=total or None)

    def _finish(self, task: TaskID) -> None:
        total = next(one.total for one in self._bar.tasks if one.id == task) or 1
        self._bar.update(task, completed=total, total=total)

    def _say(self, name: str, done: int, total: int) -> None:
        now = time.monotonic()
        last, before = self._last_line
        begun, ended = name != self._stage, done == total != before
        if begun or ended or (now - last >= _EVERY and done != before):
            self._stage, self._last_line = name, (now, done)
            sys.stderr.write(f"{name}: {done:,} of {total:,}\n" if total else f"{name}\n")
            sys.stderr.flush()


@contextmanager
def counted(
    session: SparkSession, progress: StageProgress, name: str, before: int, total: int
) -> Iterator[Accumulator[int]]:
    """A counter for the executors of one Spark job, shown while it runs, ``before`` being done already. Grows as tasks end."""
    counter = session.sparkContext.accumulator(0)
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(_LOOK):
            progress.stage(name, min(before + counter.value, total), total)

    progress.stage(name, before, total)
    watcher = threading.Thread(target=look, name="progress", daemon=True)
    watcher.start()
    try:
        yield counter
    finally:
        ended.set()
        watcher.join()
    progress.stage(name, min(before + counter.value, total), total)
