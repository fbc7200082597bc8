"""The engine in use follows CURRENT; requests in flight keep theirs; a broken snapshot changes nothing."""

import json
from pathlib import Path

import pytest

from api.server.live import LiveEngine
from index.storage.snapshot import rollback
from kb.errors import SnapshotError
from tests.api.knowledge import HDFS_TRACE, KAFKA_TRACE, RECORDS, build_home


def first_id(live: LiveEngine, text: str) -> str | None:
    with live.lease() as engine:
        matches = engine.search(text, 1).matches
        return matches[0].incident.id if matches else None


def mapped(path: Path) -> bool:
    """Whether this process holds a file of that folder in memory or open."""
    held = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace")
    return str(path) in held


def break_snapshot(path: Path) -> None:
    """One file of the snapshot loses its end."""
    files = [file for file in path.rglob("*") if file.is_file() and file.name != "manifest.json"]
    victim = max(files, key=lambda file: file.stat().st_size)
    victim.write_bytes(victim.read_bytes()[:-1])


def test_without_a_snapshot_there_is_nothing_to_lend_and_a_reason(tmp_path: Path) -> None:
    live = LiveEngine(tmp_path)
    assert not live.refresh()
    assert live.snapshot_id is None
    assert "there is no snapshot" in str(live.problem)
    with pytest.raises(SnapshotError, match="there is no snapshot"), live.lease():
        pass


def test_the_first_snapshot_is_taken_up_when_it_appears(tmp_path: Path) -> None:
    live = LiveEngine(tmp_path)
    live.refresh()
    built = build_home(tmp_path)
    assert live.refresh()
    assert (live.snapshot_id, live.problem) == (built.id, None)
    assert not live.refresh()
    assert first_id(live, KAFKA_TRACE) == "kafka-commit-rebalanced"


def test_a_new_snapshot_answers_new_requests_and_the_old_one_those_in_flight(tmp_path: Path) -> None:
    old = build_home(tmp_path, RECORDS[:1])
    live = LiveEngine(tmp_path)
    live.refresh()
    with live.lease() as in_flight:
        new = build_home(tmp_path, RECORDS[1:2])
        assert live.refresh()
        assert live.snapshot_id == new.id
        assert first_id(live, KAFKA_TRACE) == "kafka-commit-rebalanced"
        answer = in_flight.search(HDFS_TRACE, 1)
        assert (answer.snapshot_id, answer.matches[0].incident.id) == (old.id, "flink-checkpoint-hdfs-replicas")


def test_a_rollback_is_followed_like_any_change(tmp_path: Path) -> None:
    old = build_home(tmp_path, RECORDS[:1])
    build_home(tmp_path, RECORDS[1:2])
    live = LiveEngine(tmp_path)
    live.refresh()
    rollback(tmp_path, old.id)
    assert live.refresh()
    assert live.snapshot_id == old.id


def test_a_replaced_engine_is_closed_by_its_last_borrower_and_not_before(tmp_path: Path) -> None:
    """Held here on purpose: the files must go because the engine was closed, not because it was collected."""
    old = build_home(tmp_path, RECORDS[:1])
    live = LiveEngine(tmp_path)
    live.refresh()
    with live.lease() as held:
        build_home(tmp_path, RECORDS[1:2])
        live.refresh()
        assert held.incident("flink-checkpoint-hdfs-replicas")
        assert mapped(old.path / "documents")
    assert held.snapshot_id == old.id
    assert not mapped(old.path / "documents")


@pytest.mark.parametrize(
    "damage",
    ["a file cut short", "CURRENT names nothing", "CURRENT is gone", "manifest is no JSON", "counts are missing"],
)
def test_a_broken_snapshot_leaves_the_old_one_answering_and_says_so(tmp_path: Path, damage: str) -> None:
    old = build_home(tmp_path, RECORDS[:1])
    live = LiveEngine(tmp_path)
    live.refresh()
    new = build_home(tmp_path, RECORDS[1:2])
    match damage:
        case "a file cut short":
            break_snapshot(new.path)
        case "CURRENT names nothing":
            (tmp_path / "CURRENT").write_text("../../etc")
        case "CURRENT is gone":
            (tmp_path / "CURRENT").unlink()
        case "counts are missing":  # nothing checks this: the engine itself stumbles
            manifest = json.loads((new.path / "manifest.json").read_text())
            (new.path / "manifest.json").write_text(json.dumps({**manifest, "counts": {}}))
        case _:
            (new.path / "manifest.json").write_text("{")
    assert not live.refresh()
    assert live.problem
    assert live.snapshot_id == old.id
    assert first_id(live, HDFS_TRACE) == "flink-checkpoint-hdfs-replicas"


def test_after_a_broken_one_the_next_whole_snapshot_is_taken_up(tmp_path: Path) -> None:
    build_home(tmp_path, RECORDS[:1])
    live = LiveEngine(tmp_path)
    live.refresh()
    break_snapshot(build_home(tmp_path, RECORDS[1:2]).path)
    live.refresh()
    whole = build_home(tmp_path, RECORDS[:3])
    assert live.refresh()
    assert (live.snapshot_id, live.problem) == (whole.id, None)


@pytest.mark.parametrize(("seconds", "taken"), [(29, False), (31, True)])
def test_a_snapshot_mended_in_place_is_tried_again_after_half_a_minute(
    tmp_path: Path, *, seconds: float, taken: bool
) -> None:
    now = 0.0
    live = LiveEngine(tmp_path, clock=lambda: now)
    victim = build_home(tmp_path, RECORDS[:1]).path / "documents.arrow"
    whole = victim.read_bytes()
    victim.write_bytes(whole[:-1])
    assert not live.refresh()
    assert live.problem
    victim.write_bytes(whole)
    now = seconds
    assert live.refresh() == taken


def test_going_back_to_the_one_in_use_clears_the_problem(tmp_path: Path) -> None:
    old = build_home(tmp_path, RECORDS[:1])
    live = LiveEngine(tmp_path)
    live.refresh()
    break_snapshot(build_home(tmp_path, RECORDS[1:2]).path)
    live.refresh()
    assert live.problem
    rollback(tmp_path, old.id)
    live.refresh()
    assert live.problem is None


def test_closing_waits_for_nobody_and_breaks_nobody(tmp_path: Path) -> None:
    build_home(tmp_path, RECORDS[:1])
    live = LiveEngine(tmp_path)
    live.refresh()
    with live.lease() as engine:
        live.close()
        assert engine.search(HDFS_TRACE, 1).matches
    with pytest.raises(SnapshotError), live.lease():
        pass
