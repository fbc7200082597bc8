"""What is asked, told and counted, step by step."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from api.watching import counts
from api.watching.counts import WatchCounts
from api.watching.traces import LogTrace
from index.verdict import Verdict

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def found(digest: str, *, place: str | None = "at a.b.C.d(C.java:1)", instead_of: str | None = None) -> LogTrace:
    return LogTrace("app.log", f"text of {digest}", digest, place, instead_of)


def answer(verdict: str, incident_id: str = "one") -> Any:
    incident = {"id": incident_id, "title": f"about {incident_id}"}
    matches = [{"incident": incident, "probability": 0.9}] if incident_id else []
    return {"verdict": verdict, "matches": matches, "query": {}, "snapshot_id": "s"}


class Told:
    """Sees and answers at once; collects what is to be told."""

    def __init__(self, *reported: Verdict, unknown: bool = False) -> None:
        self.sightings = WatchCounts(frozenset(reported or (Verdict.KNOWN,)), unknown)
        self.at = NOON
        self.asked: list[str] = []
        self.events: list[tuple[str, int]] = []

    def see(self, one: LogTrace, said: Any = None) -> None:
        self.at += timedelta(seconds=1)
        is_new, event = self.sightings.see(one, self.at)
        if is_new:
            self.asked.append(one.digest)
            event = self.sightings.answered(one, said, self.at)
        if event:
            self.events.append((event.kind, event.count))

    @property
    def counts(self) -> dict[str, int]:
        return {seen.match["incident"]["id"]: seen.count for seen in self.sightings.most_seen()}


def test_an_incident_is_told_once_and_counted() -> None:
    told = Told()
    for _ in range(1_000):
        told.see(found("a"), answer("known"))
    assert told.asked == ["a"]
    assert told.events == [("known", 1), ("again", 10), ("again", 100), ("again", 1_000)]
    (seen,) = told.sightings.most_seen()
    assert (seen.first, seen.last) == (NOON + timedelta(seconds=1), NOON + timedelta(seconds=1_000))


def test_different_traces_of_one_incident_are_one() -> None:
    told = Told()
    for digest in ("a", "b", "a", "c"):
        told.see(found(digest), answer("known", "two" if digest == "c" else "one"))
    assert told.events == [("known", 1), ("known", 1)]
    assert told.counts == {"one": 3, "two": 1}


@pytest.mark.parametrize(
    ("verdict", "reported", "unknown", "events"),
    [
        pytest.param("related", [], False, [], id="related is not told"),
        pytest.param("related", [Verdict.RELATED], False, [("related", 1)], id="but where it is wanted"),
        pytest.param("related", [], True, [("unknown", 1)], id="it is no known one"),
        pytest.param("unknown", [Verdict.KNOWN, Verdict.RELATED], True, [("unknown", 1)], id="unknown"),
        pytest.param("unknown", [], False, [], id="unknown, not wanted"),
    ],
)
def test_what_is_reported(verdict: str, reported: list[Verdict], unknown: bool, events: list[tuple[str, int]]) -> None:  # noqa: FBT001
    told = Told(*reported, unknown=unknown)
    for _ in range(5):
        told.see(found("a"), answer(verdict))
    assert told.events == events
    assert told.sightings.unknown == (0 if events == [("related", 1)] else 5)
    assert told.sightings.verdicts == {Verdict(verdict)}


def test_an_exception_that_is_only_named_is_no_unknown_trace() -> None:
    told = Told(unknown=True)
    told.see(found("a", place=None), answer("unknown", ""))
    assert (told.events, told.sightings.unknown, told.sightings.verdicts) == ([], 0, set())
    told.see(found("b", place=None), answer("known"))
    assert (told.events, told.sightings.verdicts) == ([("known", 1)], {Verdict.KNOWN})


def test_an_unknown_trace_is_asked_again_later_and_may_be_known() -> None:
    told = Told(unknown=True)
    told.see(found("a"), answer("unknown", ""))
    told.see(found("a"), answer("known"))
    assert told.events == [("unknown", 1)]
    told.at += counts.SEARCHED_AGAIN
    told.see(found("a"), answer("known"))
    assert told.events == [("unknown", 1), ("known", 3)]
    assert (told.counts, told.sightings.unknown) == ({"one": 3}, 0)


def test_what_comes_while_an_answer_is_waited_for_is_counted() -> None:
    kept = WatchCounts(frozenset({Verdict.KNOWN}), tells_unknown=False)
    assert [kept.see(found("a"), NOON)[0] for _ in range(3)] == [True, False, False]
    event = kept.answered(found("a"), answer("known"), NOON)
    assert event is not None
    assert event.count == 3


def test_a_trace_that_went_on_is_not_counted_twice() -> None:
    told = Told(unknown=True)
    told.see(found("half"), answer("unknown", ""))
    told.see(found("whole", instead_of="half"), answer("known"))
    assert (told.counts, told.sightings.unknown) == ({"one": 1}, 0)
    told.see(found("half of another"), answer("known"))
    told.see(found("another", instead_of="half of another"), answer("known", "two"))
    assert told.counts == {"one": 1, "two": 1}


def test_a_half_that_is_answered_after_it_went_on_is_not_told() -> None:
    kept = WatchCounts(frozenset({Verdict.KNOWN}), tells_unknown=True)
    kept.see(found("half"), NOON)
    kept.see(found("whole", instead_of="half"), NOON)
    assert kept.answered(found("half"), answer("unknown", ""), NOON) is None
    assert kept.answered(found("whole", instead_of="half"), answer("known"), NOON) is not None


def test_a_dropped_trace_is_asked_when_it_recurs() -> None:
    told = Told()
    assert told.sightings.see(found("a"), NOON) == (True, None)
    told.sightings.drop(found("a"))
    told.see(found("a"), answer("known"))
    assert (told.asked, told.sightings.dropped, told.counts) == (["a"], 1, {"one": 1})


def test_what_the_service_does_not_take_is_counted() -> None:
    told = Told(unknown=True)
    told.see(found("a"), None)
    told.see(found("a"), None)
    assert (told.asked, told.sightings.unanswerable, told.events) == (["a"], 1, [])


def test_only_so_many_are_remembered() -> None:
    told = Told()
    told.sightings.most = 10
    for n in range(100):
        told.see(found(str(n)), answer("unknown", ""))
        told.see(found("often"), answer("known"))
    assert len(told.sightings._traces) == 10
    assert told.sightings.unknown == 100
    assert told.asked.count("often") == 1
