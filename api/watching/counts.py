"""Count what a watch has seen: which traces to search, which incident each is, how often and when. Nothing here waits or prints."""

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from api.watching.traces import LogTrace
from index.verdict import Verdict
from kb.client.shapes import Answer, Match

MOST = 20_000
"""Different traces that are remembered; the one not seen for longest is forgotten first, and asked about when it comes again."""
ASKED_AGAIN = timedelta(minutes=5)
"""So long nobody asks again about a trace that is not known. Somebody may write it up meanwhile."""


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
        """Whether it shows a stack, and is no incident that was told."""
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
    """Something to tell: an incident for the first time (``known``, ``related``) or ``again``, a trace that is ``unknown``."""

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
    """Counts what is found and answered."""

    reported: frozenset[Verdict]
    """With these verdicts the best match is told as the incident."""
    tells_unknown: bool
    incidents: dict[str, SeenIncident] = field(default_factory=dict)
    verdicts: set[Verdict] = field(default_factory=set)
    """Of all traces; an exception that is only named counts where it is known."""
    dropped: int = 0
    unanswerable: int = 0
    _traces: OrderedDict[str, CountedTrace] = field(default_factory=OrderedDict)
    _forgotten: int = 0
    """Of those forgotten, how many were unknown."""

    @property
    def unknown(self) -> int:
        """Traces with frames that are none of the incidents told."""
        return self._forgotten + sum(trace.count for trace in self._traces.values() if trace.is_unknown)

    def see(self, found: LogTrace, at: datetime) -> tuple[bool, Event | None]:
        """Take note of a trace: whether to ask about it, and what is to be told of it."""
        if found.instead_of is not None:
            self._take_back(found.instead_of)
        trace = self._traces.get(found.digest)
        if trace is None:
            self._traces[found.digest] = CountedTrace(found, at, at)
            if len(self._traces) > MOST:
                _, forgotten = self._traces.popitem(last=False)
                self._forgotten += forgotten.count if forgotten.is_unknown else 0
            return True, None
        self._traces.move_to_end(found.digest)
        trace.count, trace.last = trace.count + 1, at
        if trace.answered_at is None:
            return False, None
        seen = self.incidents.get(trace.incident or "")
        if seen is None:
            if at - trace.answered_at < ASKED_AGAIN:
                return False, None
            trace.answered_at = None
            return True, None
        seen.count, seen.last = seen.count + 1, at
        return False, Event("again", at, found.source, seen.count, seen.first, found, match=seen.match) if _is_round(
            seen.count
        ) else None

    def answered(self, found: LogTrace, answer: Answer | None, at: datetime) -> Event | None:
        """Take note of an answer (None: there will be none): what is to be told of it."""
        trace = self._traces.get(found.digest)
        if trace is None:  # forgotten meanwhile
            trace = CountedTrace(found, at, at)
        is_first, trace.answered_at = trace.answer is None, at
        if answer is None:
            self.unanswerable += 1
            return None
        trace.answer = answer
        if trace.count < 1:  # it went on meanwhile, and is another one now
            return None
        verdict = Verdict(answer["verdict"])
        if found.has_frames or verdict is Verdict.KNOWN:
            self.verdicts.add(verdict)
        if verdict in self.reported and answer["matches"]:
            return self._incident(trace, answer, at)
        if is_first and found.has_frames and self.tells_unknown:
            return Event("unknown", at, found.source, trace.count, trace.first, found, answer)
        return None

    def drop(self, found: LogTrace) -> None:
        """It could not be asked about; when it comes again it is as if for the first time."""
        self.dropped += 1
        self._traces.pop(found.digest, None)

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
    """10, 100, 1000 …: what is told of something that goes on and on."""
    return number >= 10 and str(number).rstrip("0") == "1"
