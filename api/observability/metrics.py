"""What the service counts about itself, in Prometheus form.

With several workers each counts into files of its own in ``PROMETHEUS_MULTIPROC_DIR`` (a folder that `kb serve` makes and removes), and
whichever worker is asked adds them all up. Without that folder an app has one registry of its own, so that two apps never share.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
FOLDER = "PROMETHEUS_MULTIPROC_DIR"


class Metrics:
    """Requests, verdicts, the time of each stage, what is in use."""

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        labels = ("method", "route", "status")
        self._requests = Counter("kb_requests", "Requests answered.", labels, registry=registry)
        self._took = Histogram("kb_request_seconds", "Time to answer.", ("route",), buckets=SECONDS, registry=registry)
        self._stages = Histogram(
            "kb_stage_seconds",
            "Time of a stage: wait (for a turn), search (all of it), within it parse, embed, candidates, compare, rank, explain; render.",
            ("stage",),
            buckets=SECONDS,
            registry=registry,
        )
        self._verdicts = Counter("kb_verdicts", "Verdicts given.", ("verdict", "door"), registry=registry)
        self._problems = Counter("kb_problems", "Requests that ended in a problem.", ("kind",), registry=registry)
        self._workers = self._gauge("kb_snapshot_workers", "Workers that answer from the snapshot.", "sum", ("id",))
        self._built = self._gauge("kb_snapshot_built_timestamp_seconds", "When it was built; the oldest in use.", "min")
        self._overlay = self._gauge("kb_overlay_incidents", "Incidents searched beside the snapshot.", "max")
        self._sequence = self._gauge("kb_overlay_sequence", "Last change of the store that is searched.", "min")
        self._behind = self._gauge("kb_overlay_behind_seconds", "Since searches last agreed with the store.", "max")
        self._aside = self._gauge("kb_changes_set_aside", "Changes that cannot be indexed: `kb doctor`.", "max")
        self._without = self._gauge("kb_candidates_down", "1 while the server of KB_CANDIDATES does not answer.", "max")
        self._in_flight = self._gauge("kb_requests_in_flight", "Requests being answered.", "sum")
        self._places = self._gauge("kb_places", "Places for searches, by state: taken, free.", "sum", ("state",))
        self._lost = self._gauge("kb_searches_out_of_time", "Searches still running after their refusal.", "sum")
        self._snapshot_id: str | None = None

    @property
    def registry(self) -> CollectorRegistry:
        """Where rooms with counts of their own add them."""
        return self._registry

    def _gauge(self, name: str, meaning: str, over: str, labels: tuple[str, ...] = ()) -> Gauge:
        """A gauge; ``over`` says what it is of several workers that live."""
        mode = {"sum": "livesum", "min": "livemin", "max": "livemax"}[over]
        return Gauge(name, meaning, labels, registry=self._registry, multiprocess_mode=mode)  # type: ignore[arg-type]

    @contextmanager
    def in_flight(self) -> Iterator[None]:
        """One request, while it lasts."""
        self._in_flight.inc()
        try:
            yield
        finally:
            self._in_flight.dec()

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count one answered request; ``route`` is the pattern, never the address, to keep the series few."""
        self._requests.labels(method, route, str(status)).inc()
        self._took.labels(route).observe(seconds)

    def problem(self, kind: str) -> None:
        """Count one request that ended in a problem: ``overloaded``, ``too-slow``, ``invalid-request`` and so on."""
        self._problems.labels(kind).inc()

    def verdict(self, verdict: str, door: str) -> None:
        """Count one verdict given at a door (``http``, ``page``, ``mcp``)."""
        self._verdicts.labels(verdict, door).inc()

    def snapshot(self, snapshot_id: str, built: float) -> None:
        """Name the snapshot in use, and when it was built (seconds since 1970)."""
        if self._snapshot_id not in {None, snapshot_id}:
            self._workers.labels(self._snapshot_id).set(0)
            if FOLDER not in os.environ:  # a file of counts keeps what was once in it
                self._workers.remove(self._snapshot_id)
        self._snapshot_id = snapshot_id
        self._workers.labels(snapshot_id).set(1)
        self._built.set(built)

    def overlay(self, incidents: int, sequence: int) -> None:
        """How much is searched beside the snapshot, and the last change among it."""
        self._overlay.set(incidents)
        self._sequence.set(sequence)

    def following(self, behind: float, aside: int) -> None:
        """For how many seconds searches have not agreed with the store, and how many changes cannot be indexed."""
        self._behind.set(behind)
        self._aside.set(aside)

    def candidates(self, *, is_down: bool) -> None:
        """Whether the server that candidates should come from did not answer when it was last asked."""
        self._without.set(is_down)

    def places(self, running: int, free: int, lost: int) -> None:
        """How many searches are inside, how many more may come, how many run on although their caller was answered."""
        self._places.labels("taken").set(running)
        self._places.labels("free").set(free)
        self._lost.set(lost)

    def stage(self, name: str, seconds: float) -> None:
        """Record the time of a stage."""
        self._stages.labels(name).observe(seconds)

    def render(self) -> bytes:
        """The text that Prometheus reads: of all workers where they count together."""
        folder = os.environ.get(FOLDER)
        if not folder:
            return generate_latest(self._registry)
        _forget_the_dead(Path(folder))
        together = CollectorRegistry()
        MultiProcessCollector(together, folder)  # type: ignore[no-untyped-call]
        return generate_latest(together)


def _forget_the_dead(folder: Path) -> None:
    """Gauges of workers that are gone say nothing any more; their counters stay counted."""
    for pid in {file.stem.rpartition("_")[2] for file in folder.glob("gauge_live*.db")}:
        if pid.isdecimal() and not _lives(int(pid)):
            with suppress(FileNotFoundError):  # another worker was asked at the same moment
                mark_process_dead(int(pid), str(folder))  # type: ignore[no-untyped-call]


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


@contextmanager
def counted_together(workers: int) -> Iterator[None]:
    """While this lasts, processes that are started count into one folder; for a single worker nothing is needed.

    To be entered before anything imports ``prometheus_client.values`` in a worker: there it is decided once.
    """
    if workers == 1 or FOLDER in os.environ:
        yield
        return
    with tempfile.TemporaryDirectory(prefix="kb-metrics-", ignore_cleanup_errors=True) as folder:
        os.environ[FOLDER] = folder
        try:
            yield
        finally:
            del os.environ[FOLDER]
