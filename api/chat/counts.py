"""What the chat doors count, in Prometheus form."""

from collections.abc import Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

SECONDS = (0.1, 0.25, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0)


class ChatCounters:
    """Calls by platform, and what became of the questions in them."""

    def __init__(self, registry: CollectorRegistry) -> None:
        def counter(name: str, meaning: str, *labels: str) -> Counter:
            return Counter(name, meaning, ("platform", *labels), registry=registry)

        self._received = counter(
            "kb_chat_received", "Calls taken: check, question, press, nothing; seen: again.", "what"
        )
        self._refused = counter("kb_chat_refused", "Calls refused.", "reason")
        self._answered = counter("kb_chat_answered", "Questions answered in the chat.")
        self._retries = counter("kb_chat_retries", "Tries that were put off.")
        self._dead = counter("kb_chat_dead", "Questions given up.")
        self._took = Histogram(
            "kb_chat_seconds",
            "From taking a question to its answer.",
            ("platform",),
            buckets=SECONDS,
            registry=registry,
        )
        self._platforms = Gauge(
            "kb_chat_platforms",
            "Chat platforms that are set up.",
            ("platform",),
            registry=registry,
            multiprocess_mode="livemax",
        )
        self._letters = Gauge(
            "kb_chat_dead_letters",
            "Questions given up that nobody has settled.",
            ("platform",),
            registry=registry,
            multiprocess_mode="livemostrecent",
        )

    def is_there(self, platform: str) -> None:
        """The platform is set up in this process."""
        self._platforms.labels(platform).set(1)

    def received(self, platform: str, what: str) -> None:
        """A call that its platform has sent."""
        self._received.labels(platform, what).inc()

    def refused(self, platform: str, reason: str) -> None:
        """A call that is not what it claims to be; ``reason`` is one of `api.chat.platform.REASONS`."""
        self._refused.labels(platform, reason).inc()

    def answered(self, platform: str, seconds: float) -> None:
        """A question was answered so long after it was taken."""
        self._answered.labels(platform).inc()
        self._took.labels(platform).observe(seconds)

    def retried(self, platform: str) -> None:
        """A try that was put off."""
        self._retries.labels(platform).inc()

    def gave_up(self, platform: str) -> None:
        """A question that became a dead letter."""
        self._dead.labels(platform).inc()

    def dead_letters(self, now: Mapping[str, int]) -> None:
        """How many dead letters there are, by platform."""
        for platform, count in now.items():
            self._letters.labels(platform).set(count)
