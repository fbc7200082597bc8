"""What single changes do: edits, removals, late and repeated ones, odd ids, searches meanwhile."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from index.reading import read
from index.storage.catalogue import CatalogueQuery
from index.terms.hashing import token_hash
from index.training.measured import MeasuredEngine
from kb.incident import Status
from kb.record import from_record
from kb.store import IncidentChange

from .overlaid import TRACE, ids, opened, shop


def related(engine: MeasuredEngine, text: str) -> set[str]:
    """The incidents that have to do with a text."""
    found = engine.search(text, 50).matches
    return {match.incident.id for match in found if match.probability >= engine.model.related}


def test_an_edit_hides_what_was_said_before(tmp_path: Path) -> None:
    engine = opened(tmp_path, [shop("a", "Basket"), shop("b", "Stock", "shelf is empty")])
    old, new = (
        TRACE.format(place="Basket", said="no basket left here"),
        TRACE.format(place="Till", said="drawer is jammed"),
    )
    engine.apply([IncidentChange(1, "a", shop("a", "Till", "drawer is jammed"))])
    assert ids(engine, new)[0] == "a"
    assert "a" not in related(engine, old)
    engine.apply([IncidentChange(2, "a", shop("a", "Basket"))])
    assert ids(engine, old)[0] == "a"
    assert "a" not in related(engine, new)
    engine.apply([IncidentChange(3, "a", None)])
    assert "a" not in related(engine, old)
    assert engine.incident("a") is None
    engine.close()


def test_an_older_change_that_comes_late_is_no_change(tmp_path: Path) -> None:
    engine = opened(tmp_path, [])
    engine.apply([IncidentChange(7, "a", shop("a", "Till"))])
    engine.apply([IncidentChange(6, "a", None), IncidentChange(5, "b", shop("b", "Stock"))])
    assert sorted(engine.ids()) == ["a", "b"]
    engine.close()


@pytest.mark.parametrize(
    "odd", ["数据库/死锁 #1", "a\ud800b", "x" * 5000, "'; DROP TABLE incidents --", "a\nb"], ids=range(5)
)
def test_ids_of_any_characters(tmp_path: Path, odd: str) -> None:
    engine = opened(tmp_path, [shop("a", "Basket")])
    stored = odd.encode("utf-8", "replace").decode()
    incident = replace(shop("z", "Till"), id=odd)
    engine.apply([IncidentChange(1, odd, incident)])
    assert ids(engine, incident.traces[0])[0] == stored
    assert engine.incident(stored) is not None
    engine.apply([IncidentChange(2, odd, None)])
    assert stored not in ids(engine, incident.traces[0])
    assert engine.incident(stored) is None
    engine.close()


def test_a_change_of_another_incident_than_it_says_is_refused() -> None:
    with pytest.raises(ValueError, match="'b'"):
        IncidentChange(1, "a", shop("b", "Till"))


def test_hidden_rows_take_nobodys_place(tmp_path: Path) -> None:
    """More rows than a side gives are removed, all of them better than the one that is left."""
    trace = TRACE.format(place="Till", said="drawer is jammed")
    other = {"prose": " ".join(f"moss{n}" for n in range(400)), "traces": [TRACE.format(place="Till", said="it rains")]}
    name = max((f"z{n}" for n in range(1_000)), key=token_hash)  # the last among those that tie
    last = from_record({"id": name, "title": "moss", **other})
    engine = opened(tmp_path, [*(shop(f"t{n:03}", "Till", "drawer is jammed") for n in range(120)), last])
    assert name not in {engine.id_of(found.row) for found in engine.compare(read(trace))}
    engine.apply([IncidentChange(n + 1, f"t{n:03}", None) for n in range(120)])
    assert ids(engine, trace) == [name]
    engine.close()


@pytest.mark.slow
def test_searches_see_all_of_a_batch_or_nothing(tmp_path: Path) -> None:
    """A batch moves a trace from one incident to another: some search would see it twice, or nowhere."""
    trace = TRACE.format(place="Till", said="drawer is jammed")
    rest = [shop(f"s{n}", f"Place{n}") for n in range(20)]
    engine = opened(tmp_path, [shop("a", "Till", "drawer is jammed"), shop("b", "Stock", "shelf is empty"), *rest])
    jammed, empty = (lambda i: shop(i, "Till", "drawer is jammed")), (lambda i: shop(i, "Stock", "shelf is empty"))
    wrong: list[list[str]] = []
    searched = [0]
    done = threading.Event()

    def work() -> None:
        while not done.is_set():
            found = engine.search(trace, 3)
            named = [m.incident.id for m in found.matches if m.incident.traces == (trace,)]
            searched[0] += 1
            if named not in (["a"], ["b"]) or found.matches[0].incident.traces != (trace,):
                wrong.append(named)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for turn in range(60):
        one, other = (jammed("a"), empty("b")) if turn % 2 else (empty("a"), jammed("b"))
        engine.apply([IncidentChange(2 * turn + 1, "a", one), IncidentChange(2 * turn + 2, "b", other)])
    done.set()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert searched[0] > 20
    engine.close()


def test_facets_are_counted_as_things_stand(tmp_path: Path) -> None:
    """Of what is found: an edit counts once, with its last words; a draft and what was removed do not."""
    engine = opened(tmp_path, [replace(shop(name, name), component="Till") for name in "abc"])
    assert [(one.value, one.count) for one in engine.catalogue().counts("component")] == [("till", 3)]
    engine.apply(
        [
            IncidentChange(1, "a", replace(shop("a", "Stock"), component="stock", tags=("x",))),
            IncidentChange(2, "b", None),
            IncidentChange(3, "d", replace(shop("d", "Stock"), component="stock", status=Status.DRAFT)),
        ]
    )
    counts = engine.catalogue().counts("component")
    assert {one.value: one.count for one in counts} == {"stock": 1, "till": 1}
    assert [one.id for one in engine.catalogue().page(CatalogueQuery({})).rows] == ["a", "c"], (
        "what was saved last comes first"
    )
    engine.close()
