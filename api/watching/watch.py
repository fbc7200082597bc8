"""The watch itself: read logs, find traces, search for each in a thread of its own, and print, until the logs end or somebody stops it."""

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from queue import Empty, SimpleQueue

from api.watching.counts import WatchCounts
from api.watching.logs import Decoder, LogChunk, LogFollower
from api.watching.output import WatchOutput
from api.watching.traces import LogTrace, TraceFinder
from kb.client import Declined, Foreign, Unreachable
from kb.client.shapes import Answer
from kb.errors import KbError

_AWAY = frozenset((429, 502, 503, 504))
_OPERATORS = frozenset((401, 403))
"""No further question gets another answer than these."""


@dataclass(frozen=True, slots=True)
class QueueLimits:
    """What waits for a service that is away."""

    traces: int = 2_000
    characters: int = 16 << 20
    """Of all traces that wait."""
    pauses: tuple[float, ...] = (0.5, 1.0, 2.0, 4.0, 8.0, 15.0)
    """Seconds between attempts; the last repeats."""


@dataclass(frozen=True, slots=True)
class WatchAnswer:
    """The answer to a trace, or why it has none."""

    trace: LogTrace
    answer: Answer | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Notice:
    """A message for people: the service is away, or back."""

    text: str


class QuestionThread:
    """A thread that searches. One other thread submits traces and takes the answers."""

    def __init__(self, ask: Callable[[str], Answer], limits: QueueLimits = QueueLimits()) -> None:
        self._ask, self._limits = ask, limits
        self._waiting: deque[LogTrace] = deque()
        self._characters = 0
        self._changed = threading.Condition()
        self._stopped = False
        self._messages: SimpleQueue[WatchAnswer | Notice | Exception] = SimpleQueue()
        self._has_answered = False
        self.is_away = False
        """Whether the last attempt reached no service."""
        # a daemon: an answer that does not come must not keep the program
        self.thread = threading.Thread(target=self._work, name="kb watch asks", daemon=True)
        self.thread.start()

    def submit(self, trace: LogTrace) -> bool:
        """Queue a trace for search; False when it is dropped, since the queue is full and the service is away.

        While answers come, wait for room instead.
        """
        with self._changed:
            while self._is_full(len(trace.text)):
                if self.is_away or self._stopped:
                    return False
                self._changed.wait(0.1)
            self._waiting.append(trace)
            self._characters += len(trace.text)
            self._changed.notify_all()
            return True

    def _is_full(self, more: int) -> bool:
        return len(self._waiting) >= self._limits.traces or self._characters + more > self._limits.characters

    def answers(self) -> list[WatchAnswer | Notice]:
        """Return the answers since the last call. KbError when no search will ever succeed."""
        messages: list[WatchAnswer | Notice] = []
        while True:
            try:
                one = self._messages.get_nowait()
            except Empty:
                return messages
            if isinstance(one, Exception):
                raise one
            messages.append(one)

    @property
    def open(self) -> int:
        """The number of unanswered traces."""
        return len(self._waiting)

    def stop(self) -> None:
        """Ask nothing more."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    def _work(self) -> None:
        try:
            while (trace := self._next()) is not None:
                answer = self._answered(trace)
                if answer is None:
                    return
                self._messages.put(answer)  # before it counts as done: whoever sees nothing open has all answers
                with self._changed:
                    self._waiting.popleft()
                    self._characters -= len(trace.text)
                    self._changed.notify_all()
        except Exception as error:  # noqa: BLE001 - it is raised where the answers are taken out
            self._messages.put(error)
            self.stop()

    def _next(self) -> LogTrace | None:
        with self._changed:
            while not self._waiting and not self._stopped:
                self._changed.wait()
            return None if self._stopped else self._waiting[0]

    def _answered(self, trace: LogTrace) -> WatchAnswer | None:
        """The answer to one, however long the service is away; None if this is stopped meanwhile."""
        attempt = 0
        while not self._stopped:
            try:
                answer = self._ask(trace.text)
            except Unreachable as error:
                self._went(error)
            except Foreign as error:
                if not self._has_answered:
                    raise
                self._went(error)
            except Declined as declined:
                if declined.status in _OPERATORS:
                    raise
                if declined.status not in _AWAY:
                    return WatchAnswer(trace, None, declined.problem)
                self._went(declined)
            else:
                self._came_back()
                return WatchAnswer(trace, answer)
            pauses = self._limits.pauses
            with self._changed:
                if not self._stopped:
                    self._changed.wait_for(lambda: self._stopped, pauses[min(attempt, len(pauses) - 1)])
            attempt += 1
        return None

    def _went(self, error: KbError) -> None:
        if not self.is_away:
            self.is_away = True
            self._messages.put(Notice(f"{error.problem}; asking again until somebody answers"))

    def _came_back(self) -> None:
        self._has_answered = True
        if self.is_away:
            self.is_away = False
            self._messages.put(Notice(f"answers again; {len(self._waiting)} traces have waited"))


QUIET = 1.0
"""Seconds without a line after which a trace counts as complete."""
_LOOK = 0.5
"""Seconds after which lines that came are looked through, while more are coming."""
_PAUSE = 0.2
"""Seconds between two looks; what comes meanwhile is read at once."""
_MUCH = 64 << 10
"""Bytes of one look after which the next one follows at once."""
PATIENCE = 30.0
"""Seconds that answers are waited for at the end while none comes."""


@dataclass(slots=True)
class _Log:
    decoder: Decoder
    finder: TraceFinder
    last: float
    """When the last line came."""
    looked: float
    is_settled: bool = False


class LogWatch:
    """One run of `kb watch`."""

    def __init__(
        self, follower: LogFollower, questions: QuestionThread, counts: WatchCounts, output: WatchOutput
    ) -> None:
        self._follower, self._questions = follower, questions
        self.counts = counts
        self._output = output
        self._logs: dict[int, _Log] = {}
        self._binary: set[str] = set()

    def run(self) -> None:
        """Run until all logs have ended and all traces were searched."""
        while not self._follower.has_ended:
            size = 0
            for piece in self._follower.read():
                size += len(piece.data)
                self._take(piece)
                self._print_answers()
            self._settle()
            self._print_answers()
            if size < _MUCH and not self._follower.has_ended:
                self._follower.wait(_PAUSE)
                time.sleep(_PAUSE if size else 0.0)
        self._finish()

    def unasked(self) -> int:
        """Return the number of traces that wait for an answer."""
        return self._questions.open

    def end(self) -> None:
        """Ask nothing more, and sum up."""
        self._questions.stop()
        self._print_answers()
        self._output.summary(self.counts, self.unasked())

    def _take(self, piece: LogChunk) -> None:
        log = self._logs.get(piece.log)
        if log is None:
            log = self._logs[piece.log] = _Log(
                Decoder(piece.start), TraceFinder(piece.name), time.monotonic(), time.monotonic()
            )
        text = log.decoder.lines(piece.data)
        if not log.decoder.is_text and piece.name not in self._binary:
            self._binary.add(piece.name)
            self._output.notice(f"{piece.name} has bytes that are no text; they are passed over")
        log.last, log.is_settled = time.monotonic(), False
        if text:
            self._count(log.finder.take(text))
        if piece.ended:
            self._count(log.finder.quiet(log.decoder.unfinished))
            del self._logs[piece.log]

    def _settle(self) -> None:
        """A trace is complete when something else follows, or after a quiet moment."""
        now = time.monotonic()
        for log in self._logs.values():
            if log.is_settled:
                continue
            if now - log.last >= QUIET:
                log.is_settled, log.looked = True, now
                self._count(log.finder.quiet(log.decoder.unfinished))
            elif now - log.looked >= _LOOK:
                log.looked = now
                self._count(log.finder.look())

    def _count(self, traces: list[LogTrace]) -> None:
        for trace in traces:
            is_new, event = self.counts.see(trace, _now())
            if event is not None:
                self._output.event(event)
            if is_new and not self._questions.submit(trace):
                self.counts.drop(trace)
                if _is_power_of_two(self.counts.dropped):
                    self._output.notice(f"{self.counts.dropped:,} traces dropped: too many wait for an answer")

    def _print_answers(self) -> None:
        for message in self._questions.answers():
            if isinstance(message, Notice):
                self._output.notice(message.text)
                continue
            event = self.counts.answered(message.trace, message.answer, _now())
            if message.answer is None and _is_power_of_two(self.counts.unanswerable):
                self._output.notice(f"the service did not take a trace: {message.why}")
            if event is not None:
                self._output.event(event)

    def _finish(self) -> None:
        """The answers that are still to come, as long as any comes."""
        left, since = self._questions.open, time.monotonic()
        while left and time.monotonic() - since < PATIENCE:
            self._print_answers()
            time.sleep(0.02)
            if self._questions.open != left:
                left, since = self._questions.open, time.monotonic()
        self._print_answers()


def _is_power_of_two(number: int) -> bool:
    """Whether a repeated event (1, 2, 4, 8, …) is worth a line."""
    return number & (number - 1) == 0


def _now() -> datetime:
    return datetime.now(UTC)
