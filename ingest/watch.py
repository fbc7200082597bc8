"""`kb ingest --watch`: looks at the sources again and again, and takes up what changed once it stands still.

Each batch of changes is one ordinary run, on a Spark session that stays warm. Between runs nothing but names and times is looked at.
"""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import Any

from pyspark.sql import SparkSession

from index.local_rules import FOLDER
from ingest.pipeline import ingest
from ingest.progress import StageProgress
from ingest.session import SparkError, spark_session
from ingest.sources.local import walk
from ingest.sources.remembered import signature
from ingest.sources.remote import is_remote, local_path, look_remote
from ingest.summary import Summary
from ingest.survey import Hidden, Lasting, Options, home_within
from kb.errors import KbError

Key = tuple[str, str]
"""Source and path below it."""
Seen = Mapping[Key, object]
"""What lies in the sources, each with its signature."""


def glance(places: Sequence[str], options: Options, session: Callable[[], SparkSession]) -> Seen:
    """Everything in the sources, and the rules of the house. Raises `SourceError` for a source that is not there.

    ``session`` gives Spark, which lists the sources behind a URL: for those alone a look is a Spark job.
    """
    seen: dict[Key, object] = {}
    for place in places:
        if is_remote(place):
            seen |= {(place, path): content for path, content in look_remote(session(), place).items()}
        else:
            seen.update(_look(Path(local_path(place)), options.home, follow_links=options.follow_links))
    rules = options.home / FOLDER
    return seen | dict(_look(rules, options.home)) if rules.is_dir() else seen


def _look(place: Path, home: Path, *, follow_links: bool = False) -> Iterator[tuple[Key, object]]:
    found = walk(place, follow_links=follow_links)
    ours: Hidden = () if place == home / FOLDER else home_within([found.source], home)
    for path, location in found.files:
        if not any(path.startswith(prefix) for _, prefix in ours):
            yield (found.source, path), _signature(location)
    for path in found.unsafe:
        yield (found.source, path), "unsafe"
    for path, why in found.blind:
        yield (found.source, f"{path}/"), why


def _signature(location: str) -> object:
    try:
        return signature(os.stat(location))  # noqa: PTH116  a hundred thousand Path objects would be felt
    except OSError as error:
        return error.errno


PATIENCE = 5
"""Looks after which what still changes is left behind, so that a file that never rests does not hold up the others."""
_LONGEST_PAUSE = 60.0  # seconds between two tries while runs fail
_SHARE = 10  # a look may take a tenth of the time, so that a large source is looked at less often
_SLICE = 0.1  # seconds after which a signal is noticed


@dataclass(frozen=True, slots=True)
class Ready:
    """A state of the sources that is worth a run."""

    seen: Seen
    unsettled: tuple[Key, ...]
    """What is still changing and is left for a later run."""


class Settling:
    """Decides from look to look when there is something to do: what differs from the last run, and stands still."""

    def __init__(self) -> None:
        self._done: Seen | None = None
        self._before: Seen | None = None
        self._looks = 0

    def look(self, now: Seen) -> Ready | None:
        """What a run should take up, or None: nothing changed, or it is changing at this moment."""
        if now == self._done:
            self._before, self._looks = None, 0
            return None
        before, self._before = self._before, now
        self._looks += 1
        if now == before:
            return Ready(now, ())
        if before is None or self._looks < PATIENCE:
            return None
        moving = _differing(before, now)
        calm = {key: signature for key, signature in now.items() if key not in moving}
        is_news = any(key not in moving for key in _differing(self._done or {}, now))
        return Ready(calm, tuple(sorted(moving))) if is_news else None

    def done(self, ready: Ready) -> None:
        """The run for ``ready`` is over."""
        self._done, self._before, self._looks = ready.seen, None, 0


def _differing(a: Seen, b: Seen) -> set[Key]:
    return {key for key in a.keys() | b.keys() if a.get(key) != b.get(key)}


class Stop:
    """Whether the watch is to end."""

    def __init__(self) -> None:
        self.requested = False

    def wait(self, seconds: float) -> None:
        """Wait so many seconds, or until the end is requested."""
        until = time.monotonic() + seconds
        while not self.requested and (left := until - time.monotonic()) > 0:
            time.sleep(min(_SLICE, left))


@contextmanager
def stopped_by_signals() -> Iterator[Stop]:
    """SIGTERM and Ctrl+C end the watch after the run under way; a second one ends the process at once."""
    stop = Stop()
    former: dict[signal.Signals, Any] = {}

    def ask(number: int, _frame: FrameType | None) -> None:
        if stop.requested:
            raise KeyboardInterrupt
        stop.requested = True
        sys.stderr.write(f"{signal.Signals(number).name}: ending after the run under way\n")

    for number in (signal.SIGTERM, signal.SIGINT):
        former[number] = signal.signal(number, ask)
    try:
        yield stop
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)


class SourceWatch:
    """The sources, watched. Close it to end Spark."""

    def __init__(self, places: Sequence[str], options: Options, on_run: Callable[[Summary], None]) -> None:
        self._places = places
        self._options = options
        self._on_run = on_run
        self._settling = Settling()
        self._lasting = Lasting()
        self.look_seconds = 0.0
        """What the last look took, without the run that followed it."""

    def look(self) -> Summary | None:
        """One look at the sources, and a run if there is something for it to do. Raises what the run raises."""
        started = time.perf_counter()
        ready = self._settling.look(glance(self._places, self._options, self._session))
        self.look_seconds = time.perf_counter() - started
        if ready is None:
            return None
        with StageProgress(lasting=False) as progress:
            summary = ingest(self._places, self._options, progress, lasting=self._lasting, unsettled=ready.unsettled)
        self._settling.done(ready)
        self._options = replace(self._options, full=False)  # --full holds for one run
        if summary.published:
            self._on_run(summary)
        return summary

    def close(self) -> None:
        """Ends Spark, if it was started; the next run that needs it starts it anew."""
        self._lasting.spark.close()

    def _session(self) -> SparkSession:
        running = SparkSession.getActiveSession()
        return running or self._lasting.spark.enter_context(spark_session(*self._options.spark))


def watch(places: Sequence[str], options: Options, every: float, on_run: Callable[[Summary], None], stop: Stop) -> None:
    """Watch until ``stop`` is requested, and call ``on_run`` after each run that published.

    A run that fails is reported and tried again after a pause that grows.
    """
    watched, failed = SourceWatch(places, options, on_run), 0
    try:
        while not stop.requested:
            try:
                watched.look()
                failed = 0
            except Exception as error:  # noqa: BLE001  the outermost handler around one run
                if not isinstance(error, KbError) or isinstance(error, SparkError):
                    watched.close()
                failed += 1
                pause = min(_LONGEST_PAUSE, every * 2**failed)
                sys.stderr.write(f"kb: {_why(error)}. Trying again in {pause:.0f} s\n")
                stop.wait(pause)
            else:
                stop.wait(max(every, _SHARE * watched.look_seconds))
    finally:
        watched.close()


def _why(error: Exception) -> str:
    if isinstance(error, KbError):
        return f"{error.problem}. Cure: {error.cure}"
    return f"{type(error).__name__}: {error}"
