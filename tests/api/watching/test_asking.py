"""The service is away, slow, refuses, or is another: nothing is lost within the bound, and what is lost is told."""

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from api.watching.traces import LogTrace
from api.watching.watch import Notice, QuestionThread, QueueLimits, WatchAnswer
from kb.client import Declined, Foreign, Unreachable
from tests.api.fixtures import poll

ANSWER: Any = {"verdict": "unknown", "matches": []}


def found(name: object) -> LogTrace:
    return LogTrace("x", str(name), str(name), "at")


def away() -> Unreachable:
    return Unreachable("http://kb", "nobody")


class Service:
    """Answers, or raises what it is told to."""

    def __init__(self) -> None:
        self.error: Exception | None = None
        self.asked: list[str] = []
        self.gate = threading.Event()
        self.gate.set()

    def __call__(self, text: str) -> Any:
        self.gate.wait(60)
        if self.error:
            raise self.error
        self.asked.append(text)
        return ANSWER


@pytest.fixture
def service() -> Service:
    return Service()


def asking(service: Service, **limits: Any) -> QuestionThread:
    """A thread that soon asks again."""
    return QuestionThread(service, QueueLimits(**({"pauses": (0.01,)} | limits)))


def collected(one: QuestionThread, until: Callable[[list[Any]], bool]) -> list[Any]:
    found: list[Any] = []

    def ready() -> bool:
        found.extend(one.answers())
        return until(found)

    poll(ready)
    return found


def test_answers_come_back_with_what_was_asked(service: Service) -> None:
    one = asking(service)
    for n in range(5):
        assert one.submit(found(n))
    told = collected(one, lambda told: len(told) == 5)
    assert told == [WatchAnswer(found(n), ANSWER) for n in range(5)]
    assert one.open == 0


@pytest.mark.parametrize("error", [away(), Declined(503, {"detail": "Busy."}), Declined(429, {}), Declined(502, {})])
def test_while_it_is_away_all_wait_and_it_is_said_once(service: Service, error: Exception) -> None:
    service.error = error
    one = asking(service)
    for n in range(20):
        assert one.submit(found(n))
    collected(one, lambda told: len(told) == 1)
    time.sleep(0.1)
    assert one.answers() == []
    service.error = None
    told = collected(one, lambda told: sum(isinstance(x, WatchAnswer) for x in told) == 20)
    assert [x.trace for x in told if isinstance(x, WatchAnswer)] == [found(n) for n in range(20)]
    assert [x.text for x in told if isinstance(x, Notice)] == ["answers again; 20 traces have waited"]


def test_traces_beyond_the_queue_are_dropped_while_the_service_is_down(service: Service) -> None:
    service.error = away()
    one = asking(service, traces=10)
    assert one.submit(found(0))
    poll(lambda: one.is_away)
    assert [one.submit(found(n)) for n in range(1, 15)] == [True] * 9 + [False] * 5


def test_characters_are_bounded_too(service: Service) -> None:
    service.error = away()
    one = asking(service, characters=100)
    assert one.submit(found("x" * 60))
    poll(lambda: one.is_away)
    assert not one.submit(found("y" * 60))
    assert one.submit(found("y" * 40))


def test_while_it_is_only_slow_the_log_waits(service: Service) -> None:
    service.gate.clear()
    one = asking(service, traces=2)
    put = [one.submit(found(0)), one.submit(found(1))]
    threading.Timer(0.2, service.gate.set).start()
    started = time.monotonic()
    put.append(one.submit(found(2)))
    assert put == [True, True, True]
    assert time.monotonic() - started > 0.1
    collected(one, lambda told: len(told) == 3)


@pytest.mark.parametrize(
    "error",
    [
        pytest.param(Declined(401, {"detail": "A key is needed."}), id="no key"),
        pytest.param(Declined(403, {"detail": "Not this key."}), id="another key"),
        pytest.param(Foreign("http://kb"), id="another service"),
        pytest.param(RuntimeError("a fault of ours"), id="a fault"),
    ],
)
def test_what_no_question_changes_ends_it(service: Service, error: Exception) -> None:
    service.error = error
    one = asking(service)
    one.submit(found(0))
    with pytest.raises(type(error)):
        collected(one, lambda _: False)


def test_a_proxy_that_answers_for_a_while_ends_nothing(service: Service) -> None:
    one = asking(service)
    one.submit(found(0))
    collected(one, lambda told: len(told) == 1)
    service.error = Foreign("http://kb")
    one.submit(found(1))
    poll(lambda: one.is_away)
    service.error = None
    collected(one, lambda told: any(isinstance(x, WatchAnswer) for x in told))


def test_a_text_that_is_not_taken_is_given_up_alone(service: Service) -> None:
    service.error = Declined(422, {"detail": "Too odd."})
    one = asking(service)
    one.submit(found(0))
    assert collected(one, lambda told: len(told) == 1) == [WatchAnswer(found(0), None, "Too odd")]
    service.error = None
    one.submit(found(1))
    assert collected(one, lambda told: len(told) == 1) == [WatchAnswer(found(1), ANSWER)]


def test_a_stop_is_heard_while_nobody_answers(service: Service) -> None:
    service.error = away()
    one = asking(service, pauses=(60.0,))
    one.submit(found(0))
    poll(lambda: one.is_away)
    one.stop()
    poll(lambda: not one.thread.is_alive(), 2)
    assert one.open == 1
