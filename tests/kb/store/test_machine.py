"""Whatever is done to incidents, in any order: the store and a plain dict of lists say the same."""

from collections import Counter
from dataclasses import dataclass, field
from typing import ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from kb.incident import Status
from kb.store import Exists, Missing, Refused, Stale, Store, StoreError
from kb.store.incidents import MOVES
from kb.store.listing import Wanted

from .told import ANN, BEN, TRACE, incident

LIVE = (Status.PUBLISHED, Status.RETIRED)
PLACES = st.sampled_from(["Basket", "Till", "Door"])
STATUSES = st.sampled_from(list(Status))
NAMES = st.sampled_from("abc")
LAG = st.sampled_from([0, 0, 0, 0, 1])
"""How many revisions behind a writer is."""


@dataclass
class State:
    """An incident of the model: its revisions as (title, places, status), and where it was merged."""

    revisions: list[tuple[str, tuple[str, ...], Status]]
    into: str | None = None
    undo: tuple[tuple[str, ...], int, int | None] = ((), 0, None)
    """What a split takes from the other, and which revisions it puts back: the last, and the one searched."""

    @property
    def last(self) -> tuple[str, tuple[str, ...], Status]:
        return self.revisions[-1]

    @property
    def live(self) -> int | None:
        """The revision that search goes by."""
        return next((at for at in range(len(self.revisions), 0, -1) if self.revisions[at - 1][2] in LIVE), None)


@dataclass
class Model:
    """What the store ought to hold."""

    states: dict[str, State] = field(default_factory=dict)

    def refusal(self, name: str, lag: int = 0) -> type[StoreError] | None:
        """Why nothing may follow the last revision of an incident."""
        state = self.states.get(name)
        if state is None:
            return Missing
        if state.into is not None:
            return Refused
        return Stale if lag else None


class Machine(RuleBasedStateMachine):
    """Does to a store and to a model the same. Each run has its own ids in one store."""

    runs: ClassVar[Counter[str]] = Counter()

    def __init__(self, store: Store) -> None:
        super().__init__()
        self.store = store
        self.runs[store.name] += 1
        self.prefix = f"{self.runs[store.name]:05}"
        self.begun = store.head().sequence
        self.model = Model()
        self.written = 0

    def id(self, name: str) -> str:
        return f"{self.prefix}-{name}"

    def seen(self, name: str, lag: int) -> int:
        state = self.model.states.get(name)
        return (len(state.revisions) if state else 1) - lag

    def told(self, place: str) -> str:
        self.written += 1
        return f"{self.written} of {place}"

    def expect(self, refusal: type[StoreError] | None, attempt: object) -> bool:
        """Whether it was done; where it was to be refused, that nothing came of it."""
        if refusal is None:
            attempt()  # type: ignore[operator]
            return True
        before = self.store.head().sequence
        with pytest.raises(refusal):
            attempt()  # type: ignore[operator]
        assert self.store.head().sequence == before
        return False

    @rule(name=NAMES, place=PLACES, status=STATUSES)
    def create(self, name: str, place: str, status: Status) -> None:
        told = incident(self.id(name), self.told(place), place)
        refusal = Exists if name in self.model.states else None
        if self.expect(refusal, lambda: self.store.incidents.create(told, actor=ANN, status=status)):
            self.model.states[name] = State([(told.title, (place,), status)])

    @rule(name=NAMES, place=PLACES, status=STATUSES, lag=LAG)
    def revise(self, name: str, place: str, status: Status, lag: int) -> None:
        told, expected = incident(self.id(name), self.told(place), place), self.seen(name, lag)
        revise = self.store.incidents.revise
        refusal = self.model.refusal(name, lag)
        if self.expect(refusal, lambda: revise(told, expected=expected, actor=BEN, status=status)):
            self.model.states[name].revisions.append((told.title, (place,), status))

    @rule(name=NAMES, status=STATUSES, lag=LAG)
    def move(self, name: str, status: Status, lag: int) -> None:
        expected, refusal = self.seen(name, lag), self.model.refusal(name, lag)
        if refusal is None and status not in MOVES[self.model.states[name].last[2]]:
            refusal = Refused
        if self.expect(refusal, lambda: self.store.incidents.move(self.id(name), status, expected=expected, actor=ANN)):
            title, places, _ = self.model.states[name].last
            self.model.states[name].revisions.append((title, places, status))

    @rule(name=NAMES, number=st.integers(1, 4), status=STATUSES, lag=LAG)
    def restore(self, name: str, number: int, status: Status, lag: int) -> None:
        expected, refusal = self.seen(name, lag), self.model.refusal(name, lag)
        if refusal is None and number > len(self.model.states[name].revisions):
            refusal = Missing
        restore = self.store.incidents.restore
        if self.expect(refusal, lambda: restore(self.id(name), number, expected=expected, actor=BEN, status=status)):
            title, places, _ = self.model.states[name].revisions[number - 1]
            self.model.states[name].revisions.append((title, places, status))

    @rule(name=NAMES, place=PLACES)
    def attach(self, name: str, place: str) -> None:
        attach = self.store.incidents.attach
        if self.expect(self.model.refusal(name), lambda: attach(self.id(name), TRACE.format(place), actor=ANN)):
            title, places, status = self.model.states[name].last
            if place not in places:
                self.model.states[name].revisions.append((title, (*places, place), status))

    @rule(name=NAMES, into=NAMES, lag=LAG)
    def merge(self, name: str, into: str, lag: int) -> None:
        states = self.model.states
        refusal = Refused if name == into else self.model.refusal(name, lag) or self.model.refusal(into)
        if refusal is None:
            live = states[name].live
            searched = live is not None and states[name].revisions[live - 1][2] is Status.PUBLISHED
            refusal = Refused if searched and states[into].last[2] is not Status.PUBLISHED else None
        expected = {self.id(name): self.seen(name, lag), self.id(into): self.seen(into, 0)}
        merge = self.store.redirects.merge
        if not self.expect(refusal, lambda: merge(self.id(name), self.id(into), expected=expected, actor=BEN)):
            return
        source, (title, places, status) = states[name], states[into].last
        more = tuple(place for place in source.last[1] if place not in places)
        states[into].revisions.append((title, (*places, *more), status))
        source.into, source.undo = into, (more, len(source.revisions), source.live)
        source.revisions.append((source.last[0], source.last[1], Status.RETIRED))

    @rule(name=NAMES)
    def split(self, name: str) -> None:
        state = self.model.states.get(name)
        into = state.into if state else None
        refusal = Missing if state is None or into is None else self.model.refusal(into)
        if not self.expect(refusal, lambda: self.store.redirects.split(self.id(name), actor=ANN)):
            return
        assert state is not None
        assert into is not None
        more, last, live = state.undo
        title, places, status = self.model.states[into].last
        self.model.states[into].revisions.append((title, tuple(p for p in places if p not in more), status))
        state.into = None
        state.revisions += [state.revisions[at - 1] for at in sorted({last, live} - {None})]  # type: ignore[type-var]

    @invariant()
    def says_the_same(self) -> None:
        for name, state in self.model.states.items():
            history = self.store.incidents.history(self.id(name), limit=10_000)
            found = [(one.shown.title, one.shown.traces, one.status) for one in reversed(history)]
            told = [(title, tuple(map(TRACE.format, places)), status) for title, places, status in state.revisions]
            assert found == told
            assert [one.number for one in history] == list(range(len(told), 0, -1))
            end = name
            while (into := self.model.states[end].into) is not None:
                end = into
            assert self.store.redirects.resolve(self.id(name)) == self.id(end)

    @invariant()
    def searches_the_same(self) -> None:
        changes = self.store.changes(self.begun)
        live = {name: state.live for name, state in self.model.states.items()}
        told = {
            self.id(name): (self.model.states[name].revisions[at - 1], at)
            for name, at in live.items()
            if at is not None
        }
        found = {one.incident_id: one.incident for one in changes}
        assert found.keys() == told.keys()
        for incident_id, ((title, _, status), at) in told.items():
            searched = found[incident_id]
            assert (searched is not None) == (status is Status.PUBLISHED)
            assert searched is None or (searched.title, searched.revision) == (title, at)
        numbers = [one.sequence for one in changes]
        assert numbers == sorted(set(numbers))

    @invariant()
    def lists_the_same(self) -> None:
        listed = {one.id: (one.status, one.merged_into) for one in self.store.listing(Wanted(text=self.prefix)).items}
        assert listed == {
            self.id(name): (state.last[2], None if state.into is None else self.id(state.into))
            for name, state in self.model.states.items()
        }


@pytest.mark.slow
def test_the_store_is_a_dict_of_lists(store: Store) -> None:
    chosen = settings(max_examples=10, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck))
    run_state_machine_as_test(lambda: Machine(store), settings=chosen)
    numbers = [one.sequence for one in store.audit.listing(limit=100_000)]
    assert numbers == sorted(numbers)
    assert max(numbers) == store.head().sequence
