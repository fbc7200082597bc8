"""Count what a watch has seen: which traces to search, which incident each is, how often and when. Nothing here waits or prints."""

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from api.watching.traces import LogTrace
from index.verdict import Verdict
from kb.client.shapes import Answer, Match

SEARCHED_AGAIN = timedelta(minutes=5)
"""How long an unknown trace is not searched again; somebody may write it up meanwhile."""


@dataclass(slots=True)
class CountedTrace:
    """Equal traces."""

    trace: LogTrace
    first: datetime
    last: datetime
    count: int = 1
    answer: Answer | None = None
    answered_at: datetime | None = None
    """When the last answer came; None while it is waited for."""
    incident: str | None = None

    @property
    def is_unknown(self) -> bool:
        """Whether it has a stack and matches no reported incident."""
        return self.answer is not None and self.incident is None and self.trace.has_frames


@dataclass(slots=True)
class SeenIncident:
    """An incident that was seen."""

    match: Match
    verdict: str
    source: str
    first: datetime
    last: datetime
    count: int


@dataclass(frozen=True, slots=True)
class Event:
    """Something to report: an incident for the first time (``known``, ``related``) or ``again``, a trace that is ``unknown``."""

    kind: str
    at: datetime
    source: str
    count: int
    first: datetime
    trace: LogTrace
    answer: Answer | None = None
    match: Match | None = None


@dataclass(slots=True)
class WatchCounts:
    """Counts traces and answers."""

    reported: frozenset[Verdict]
    """The verdicts whose best match is reported as the incident."""
    tells_unknown: bool
    incidents: dict[str, SeenIncident] = field(default_factory=dict)
    verdicts: set[Verdict] = field(default_factory=set)
    """Of all traces; an exception that is only named counts where it is known."""
    most: int = 20_000
    """Distinct traces that are remembered; beyond it the least recently seen is dropped, and searched again when it returns."""
    dropped: int = 0
    unanswerable: int = 0
    _traces: OrderedDict[str, CountedTrace] = field(default_factory=OrderedDict)
    _forgotten: int = 0
    """Of those forgotten, how many were unknown."""

    @property
    def unknown(self) -> int:
        """How many traces with frames match no reported incident."""
        return self._forgotten + sum(trace.count for trace in self._traces.values() if trace.is_unknown)

    def see(self, trace: LogTrace, at: datetime) -> tuple[bool, Event | None]:
        """Count a trace; return whether to search for it, and an event to report."""
        if trace.instead_of is not None:
            self._take_back(trace.instead_of)
        counted = self._traces.get(trace.digest)
        if counted is None:
            self._traces[trace.digest] = CountedTrace(trace, at, at)
            if len(self._traces) > self.most:
                _, forgotten = self._traces.popitem(last=False)
                self._forgotten += forgotten.count if forgotten.is_unknown else 0
            return True, None
        self._traces.move_to_end(trace.digest)
        counted.count, counted.last = counted.count + 1, at
        if counted.answered_at is None:
            return False, None
        seen = self.incidents.get(counted.incident or "")
        if seen is None:
            if at - counted.answered_at < SEARCHED_AGAIN:
                return False, None
            counted.answered_at = None
            return True, None
        seen.count, seen.last = seen.count + 1, at
        return False, Event("again", at, trace.source, seen.count, seen.first, trace, match=seen.match) if _is_round(
            seen.count
        ) else None

    def answered(self, trace: LogTrace, answer: Answer | None, at: datetime) -> Event | None:
        """Record an answer (None: there will be none); return an event to report."""
        counted = self._traces.get(trace.digest)
        if counted is None:  # forgotten meanwhile
            counted = CountedTrace(trace, at, at)
        is_first, counted.answered_at = counted.answer is None, at
        if answer is None:
            self.unanswerable += 1
            return None
        counted.answer = answer
        if counted.count < 1:  # it went on meanwhile, and is another one now
            return None
        verdict = Verdict(answer["verdict"])
        if trace.has_frames or verdict is Verdict.KNOWN:
            self.verdicts.add(verdict)
        if verdict in self.reported and answer["matches"]:
            return self._incident(counted, answer, at)
        if is_first and trace.has_frames and self.tells_unknown:
            return Event("unknown", at, trace.source, counted.count, counted.first, trace, answer)
        return None

    def drop(self, trace: LogTrace) -> None:
        """Forget a trace that could not be searched; it counts as new when it returns."""
        self.dropped += 1
        self._traces.pop(trace.digest, None)

    def _incident(self, trace: CountedTrace, answer: Answer, at: datetime) -> Event | None:
        match = answer["matches"][0]
        trace.incident = match["incident"]["id"]
        seen = self.incidents.get(trace.incident)
        if seen is None:
            self.incidents[trace.incident] = SeenIncident(
                match, answer["verdict"], trace.trace.source, trace.first, trace.last, trace.count
            )
            return Event(
                answer["verdict"], at, trace.trace.source, trace.count, trace.first, trace.trace, answer, match
            )
        seen.count, seen.first, seen.last = (
            seen.count + trace.count,
            min(seen.first, trace.first),
            max(seen.last, trace.last),
        )
        return None

    def _take_back(self, digest: str) -> None:
        """A trace went on after it was counted: it is another one."""
        trace = self._traces.get(digest)
        if trace is None:
            return
        trace.count -= 1
        if trace.incident is not None and trace.incident in self.incidents:
            self.incidents[trace.incident].count -= 1

    def most_seen(self) -> Iterator[SeenIncident]:
        """The incidents, those seen most often first."""
        yield from sorted(
            (seen for seen in self.incidents.values() if seen.count), key=lambda seen: (-seen.count, seen.first)
        )


def _is_round(number: int) -> bool:
    """Whether a count (10, 100, 1000, …) is worth a line."""
    return number >= 10 and str(number).rstrip("0") == "1"
