"""The service is asked beside the reading, one trace after the other; while it is away, traces wait, as many as may."""

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from queue import Empty, SimpleQueue

from api.watching.finding import LogTrace
from kb.client import Declined, Foreign, Unreachable
from kb.client.shapes import Answer
from kb.errors import KbError

MOST = 2_000
MOST_CHARACTERS = 16 << 20
"""Traces that wait, and their characters in all."""
_PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0, 15.0)
"""Seconds between two attempts while nobody answers; the last again and again."""
_AWAY = frozenset((429, 502, 503, 504))
_OPERATORS = frozenset((401, 403))
"""No further question gets another answer than these."""


@dataclass(frozen=True, slots=True)
class WatchAnswer:
    """What came back: the answer to a trace, or (`found` alone) that it cannot be answered."""

    trace: LogTrace
    answer: Answer | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Notice:
    """What people should know: the service is away, or back."""

    text: str


class QuestionThread:
    """A thread that asks. Used by one other thread, which puts in what is found and takes out what is told."""

    def __init__(self, ask: Callable[[str], Answer]) -> None:
        self._ask = ask
        self._waiting: deque[LogTrace] = deque()
        self._characters = 0
        self._changed = threading.Condition()
        self._stopped = False
        self._told: SimpleQueue[WatchAnswer | Notice | Exception] = SimpleQueue()
        self._has_answered = False
        self.is_away = False
        """Whether the last attempt found nobody."""
        # a daemon: an answer that does not come must not keep the program
        self.thread = threading.Thread(target=self._work, name="kb watch asks", daemon=True)
        self.thread.start()

    def submit(self, found: LogTrace) -> bool:
        """Ask about it when its turn comes; False: it is dropped, since too much waits already and nobody answers.

        While answers come, this waits for room instead.
        """
        with self._changed:
            while len(self._waiting) >= MOST or self._characters + len(found.text) > MOST_CHARACTERS:
                if self.is_away or self._stopped:
                    return False
                self._changed.wait(0.1)
            self._waiting.append(found)
            self._characters += len(found.text)
            self._changed.notify_all()
            return True

    def answers(self) -> list[WatchAnswer | Notice]:
        """What came back since the last time. KbError where no question will ever be answered."""
        found: list[WatchAnswer | Notice] = []
        while True:
            try:
                one = self._told.get_nowait()
            except Empty:
                return found
            if isinstance(one, Exception):
                raise one
            found.append(one)

    @property
    def open(self) -> int:
        """How many traces are not answered yet."""
        return len(self._waiting)

    def stop(self) -> None:
        """Ask nothing more."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    def _work(self) -> None:
        try:
            while (found := self._next()) is not None:
                told = self._answered(found)
                if told is None:
                    return
                self._told.put(told)  # before it counts as done: whoever sees nothing open has all answers
                with self._changed:
                    self._waiting.popleft()
                    self._characters -= len(found.text)
                    self._changed.notify_all()
        except Exception as error:  # noqa: BLE001 - it is raised where the answers are taken out
            self._told.put(error)
            self.stop()

    def _next(self) -> LogTrace | None:
        with self._changed:
            while not self._waiting and not self._stopped:
                self._changed.wait()
            return None if self._stopped else self._waiting[0]

    def _answered(self, found: LogTrace) -> WatchAnswer | None:
        """The answer to one, however long the service is away; None if this is stopped meanwhile."""
        attempt = 0
        while not self._stopped:
            try:
                answer = self._ask(found.text)
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
                    return WatchAnswer(found, None, declined.problem)
                self._went(declined)
            else:
                self._came_back()
                return WatchAnswer(found, answer)
            with self._changed:
                if not self._stopped:
                    self._changed.wait_for(lambda: self._stopped, _PAUSES[min(attempt, len(_PAUSES) - 1)])
            attempt += 1
        return None

    def _went(self, error: KbError) -> None:
        if not self.is_away:
            self.is_away = True
            self._told.put(Notice(f"{error.problem}; asking again until somebody answers"))

    def _came_back(self) -> None:
        self._has_answered = True
        if self.is_away:
            self.is_away = False
            self._told.put(Notice(f"answers again; {len(self._waiting)} traces have waited"))
