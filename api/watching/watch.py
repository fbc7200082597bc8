"""The watch itself: read, find, ask, tell, until nothing can follow or somebody ends it."""

import time
from dataclasses import dataclass
from datetime import UTC, datetime

from api.watching.asking import Notice, QuestionThread
from api.watching.decoding import Decoder
from api.watching.files import LogFollower
from api.watching.finding import Finder, LogTrace
from api.watching.sightings import WatchCounts
from api.watching.tails import LogChunk
from api.watching.telling import Telling

QUIET = 1.0
"""Seconds without a line after which a trace is taken to be complete."""
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
    finder: Finder
    last: float
    """When the last line came."""
    looked: float
    is_settled: bool = False


class LogWatch:
    """One run of `kb watch`."""

    def __init__(
        self, following: LogFollower, asking: QuestionThread, sightings: WatchCounts, telling: Telling
    ) -> None:
        self._following, self._asking = following, asking
        self.sightings = sightings
        self._telling = telling
        self._logs: dict[int, _Log] = {}
        self._binary: set[str] = set()

    def run(self) -> None:
        """Until all that is watched has ended and was asked about."""
        while not self._following.has_ended:
            taken = 0
            for piece in self._following.read():
                taken += len(piece.data)
                self._take(piece)
                self._print_answers()
            self._settle()
            self._print_answers()
            if taken < _MUCH and not self._following.has_ended:
                self._following.wait(_PAUSE)
                time.sleep(_PAUSE if taken else 0.0)
        self._finish()

    def unasked(self) -> int:
        """How many traces are waiting for an answer."""
        return self._asking.open

    def end(self) -> None:
        """Ask nothing more, and sum up."""
        self._asking.stop()
        self._print_answers()
        self._telling.summary(self.sightings, self.unasked())

    def _take(self, piece: LogChunk) -> None:
        log = self._logs.get(piece.log)
        if log is None:
            log = self._logs[piece.log] = _Log(
                Decoder(piece.start), Finder(piece.name), time.monotonic(), time.monotonic()
            )
        text = log.decoder.lines(piece.data)
        if not log.decoder.is_text and piece.name not in self._binary:
            self._binary.add(piece.name)
            self._telling.notice(f"{piece.name} has bytes that are no text; they are passed over")
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

    def _count(self, several: list[LogTrace]) -> None:
        for found in several:
            is_new, event = self.sightings.see(found, _now())
            if event is not None:
                self._telling.event(event)
            if is_new and not self._asking.submit(found):
                self.sightings.drop(found)
                if _is_telling(self.sightings.dropped):
                    self._telling.notice(f"{self.sightings.dropped:,} traces dropped: too many wait for an answer")

    def _print_answers(self) -> None:
        for told in self._asking.answers():
            if isinstance(told, Notice):
                self._telling.notice(told.text)
                continue
            event = self.sightings.answered(told.trace, told.answer, _now())
            if told.answer is None and _is_telling(self.sightings.unanswerable):
                self._telling.notice(f"the service did not take a trace: {told.why}")
            if event is not None:
                self._telling.event(event)

    def _finish(self) -> None:
        """The answers that are still to come, as long as any comes."""
        left, since = self._asking.open, time.monotonic()
        while left and time.monotonic() - since < PATIENCE:
            self._print_answers()
            time.sleep(0.02)
            if self._asking.open != left:
                left, since = self._asking.open, time.monotonic()
        self._print_answers()


def _is_telling(number: int) -> bool:
    """1, 2, 4, 8 …: what is told of something that happens again and again."""
    return number & (number - 1) == 0


def _now() -> datetime:
    return datetime.now(UTC)
