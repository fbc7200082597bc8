"""What was saved since the snapshot is searched with it: the answers are those that the next snapshot gives."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index import Answer, Engine
from kb.store import IncidentChange

from .overlaid import TOLERANCE, World, assert_equal, incidents, opened


@dataclass(frozen=True)
class Pair:
    world: World
    overlaid: Engine
    rebuilt: Engine


@pytest.fixture(
    scope="module",
    params=[(1, 6), pytest.param((2, 1), marks=pytest.mark.quality), pytest.param((3, 1), marks=pytest.mark.quality)],
    ids=lambda param: f"seed {param[0]}",
)
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    """One sixth of the corpus; `make quality` takes all of it, twice."""
    seed, one_in = request.param
    world = World.of(seed, one_in=one_in)
    overlaid = opened(tmp_path_factory.mktemp("base"), world.base)
    rebuilt = opened(tmp_path_factory.mktemp("end"), world.end)
    for at in range(0, len(world.changes), 5):
        overlaid.apply(world.changes[at : at + 5])
    yield Pair(world, overlaid, rebuilt)
    overlaid.close()
    rebuilt.close()


@pytest.mark.slow
def test_answers_are_those_of_the_next_snapshot(pair: Pair) -> None:
    for text in pair.world.questions[::2]:
        assert_equal(pair.overlaid.search(text, 10), pair.rebuilt.search(text, 10))


@pytest.mark.parametrize(
    "filters",
    [{"lang": "zh"}, {"component": "flink"}, {"status": "retired"}, {"status": "draft"}, {"tag": "hdfs"}],
    ids=str,
)
def test_filters_narrow_alike(pair: Pair, filters: dict[str, str]) -> None:
    found = 0
    for text in pair.world.questions[::12]:
        answers = [engine.search(text, 10, filters) for engine in (pair.overlaid, pair.rebuilt)]
        assert_equal(*answers)
        found += len(answers[0].matches)
    assert found


def test_incidents_are_those_of_the_next_snapshot(pair: Pair) -> None:
    assert sorted(pair.overlaid.ids()) == list(pair.rebuilt.ids())
    for one in pair.world.every:
        assert pair.overlaid.incident(one.id) == pair.rebuilt.incident(one.id)
        ours, theirs = (
            engine.explain(one.title + "\n" + "\n".join(one.traces), one.id) for engine in (pair.overlaid, pair.rebuilt)
        )
        assert (ours is None) == (theirs is None)
        if ours and theirs:
            assert ours.alignment == theirs.alignment
            assert [f.value for f in ours.features] == pytest.approx([f.value for f in theirs.features], abs=TOLERANCE)


@pytest.mark.slow
def test_applying_what_the_snapshot_holds_changes_nothing(tmp_path: Path) -> None:
    world = World.of(4)
    engine = opened(tmp_path, world.base)
    before = [engine.search(text) for text in world.questions[::9]]
    engine.apply([IncidentChange(at, one.id, one) for at, one in enumerate(world.base, 1)])
    for text, answer in zip(world.questions[::9], before, strict=True):
        assert_equal(engine.search(text), answer)
    engine.close()


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> tuple[World, Path, dict[str, Answer]]:
    """What happened, a home as it was before, and the answers of one that was built afterwards."""
    world = World.of(5, share=0.3)
    home = tmp_path_factory.mktemp("orders")
    opened(home, world.base).close()
    rebuilt = opened(tmp_path_factory.mktemp("rebuilt"), world.end)
    answers = {text: rebuilt.search(text) for text in world.questions[::12]}
    rebuilt.close()
    return world, home, answers


@settings(max_examples=6, deadline=None)
@given(data=st.data())
@pytest.mark.slow
def test_any_order_any_batches_any_number_of_times(
    homes: tuple[World, Path, dict[str, Answer]], data: st.DataObject
) -> None:
    world, home, answers = homes
    order = data.draw(st.permutations([*world.changes, *world.changes[::3]]))
    cuts = data.draw(st.lists(st.integers(0, len(order)), max_size=6).map(sorted))
    engine = Engine.open(home)
    for begin, end in zip([0, *cuts], [*cuts, len(order)], strict=True):
        engine.apply(order[begin:end])
    assert engine.overlay_size == len({change.incident_id for change in world.changes})
    for text, answer in answers.items():
        assert_equal(engine.search(text), answer)
    engine.close()


def test_the_first_trace_of_a_base_of_prose_is_found_as_after_a_rebuild(tmp_path: Path) -> None:
    """The snapshot knows no average length of traces: the overlay goes by the one that the next snapshot will have."""
    prose = [replace(one, traces=(), chains=()) for one in incidents()][:40]
    saved = next(one for one in incidents() if "".join(one.traces[:1]).count("\tat ") > 10)
    frames = "\n".join(line for line in saved.traces[0].splitlines() if line.startswith("\tat "))
    overlaid = opened(tmp_path / "a", [one for one in prose if one.id != saved.id])
    overlaid.apply([IncidentChange(1, saved.id, saved)])
    rebuilt = opened(tmp_path / "b", [*(one for one in prose if one.id != saved.id), saved])
    for text in (frames, saved.traces[0], saved.title):
        ours, theirs = overlaid.search(text), rebuilt.search(text)
        assert saved.id == theirs.matches[0].incident.id
        assert [m.incident.id for m in theirs.matches] == [m.incident.id for m in ours.matches]
        assert theirs.verdict is ours.verdict
    overlaid.close()
    rebuilt.close()
