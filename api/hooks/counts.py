"""What the doors for alerts count, in Prometheus form."""

from prometheus_client import CollectorRegistry, Counter


class HookCounters:
    """Calls and alerts, by system."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._refused = Counter("kb_hooks_refused", "Calls refused.", ("system", "reason"), registry=registry)
        self._alerts = Counter(
            "kb_hooks_alerts",
            "Alerts: searched, over (resolved), left (beyond what one call may), kept (for a channel), seen (kept before).",
            ("system", "what"),
            registry=registry,
        )

    def refused(self, system: str, reason: str) -> None:
        """A call that is not what it claims to be."""
        self._refused.labels(system, reason).inc()

    def alerts(self, system: str, what: str, count: int = 1) -> None:
        """What became of so many alerts."""
        self._alerts.labels(system, what).inc(count)
