"""What the service counts about itself, in Prometheus form. One registry an app, so that two apps never share."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


class Metrics:
    """Requests, verdicts and the time of each stage. With several workers each one counts for itself."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        labels = ("method", "route", "status")
        self._requests = Counter("kb_requests", "Requests answered.", labels, registry=self._registry)
        self._took = Histogram(
            "kb_request_seconds", "Time to answer.", ("route",), buckets=SECONDS, registry=self._registry
        )
        self._stages = Histogram(
            "kb_stage_seconds", "Time of a stage.", ("stage",), buckets=SECONDS, registry=self._registry
        )
        self._verdicts = Counter("kb_verdicts", "Verdicts given.", ("verdict", "door"), registry=self._registry)
        self._snapshot = Gauge("kb_snapshot", "1 for the snapshot in use.", ("id",), registry=self._registry)

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count one answered request; ``route`` is the pattern, never the address, to keep the series few."""
        self._requests.labels(method, route, str(status)).inc()
        self._took.labels(route).observe(seconds)

    def verdict(self, verdict: str, door: str) -> None:
        """Count one verdict given at a door (``http``, ``page``)."""
        self._verdicts.labels(verdict, door).inc()

    def snapshot(self, snapshot_id: str) -> None:
        """Name the snapshot in use."""
        self._snapshot.clear()
        self._snapshot.labels(snapshot_id).set(1)

    def stage(self, name: str, seconds: float) -> None:
        """Record the time of a stage: ``wait``, ``search``, ``parse``, ``render``."""
        self._stages.labels(name).observe(seconds)

    def render(self) -> bytes:
        """The text that Prometheus reads."""
        return generate_latest(self._registry)
