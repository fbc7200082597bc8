"""Snapshots: written beside, checked, renamed; refused with a cure when they disagree."""

import json
import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from index import Engine
from index.build import build
from index.encoder import HashingEncoder, load_encoder
from index.entry import ENTRY_SCHEMA, entries
from index.entry import VERSION as ENTRY_VERSION
from index.storage.segment import RAGGED
from index.storage.snapshot import FORMAT, current, list_snapshots, prune, rollback, verify
from index.storage.vectors import VectorIndex
from index.terms.tokens import index_terms
from kb.errors import SnapshotError
from kb.record import from_record

ENCODER = load_encoder(None)


def batches(*titles: str, **more: object) -> Iterator[pa.RecordBatch]:
    yield entries([from_record({"id": f"i{n}", "title": title, **more}) for n, title in enumerate(titles)], ENCODER)


def test_the_same_input_gives_the_same_id_and_another_input_another(tmp_path: Path) -> None:
    one = build(batches("lease expired", "死锁"), tmp_path / "a", ENCODER)
    split = [
        batch
        for title in [("i0", "lease expired"), ("i1", "死锁")]
        for batch in [entries([from_record({"id": title[0], "title": title[1]})], ENCODER)]
    ]
    two = build(split, tmp_path / "b", ENCODER)
    other = build(batches("lease expired", "死锁！"), tmp_path / "a", ENCODER)
    assert one.id == two.id != other.id


def test_building_again_keeps_the_folder(tmp_path: Path) -> None:
    first = build(batches("a lease expired"), tmp_path, ENCODER)
    stamp = (first.path / "manifest.json").stat().st_mtime_ns
    second = build(batches("a lease expired"), tmp_path, ENCODER)
    assert (first.id, stamp) == (second.id, (second.path / "manifest.json").stat().st_mtime_ns)


def test_a_damaged_snapshot_is_built_anew(tmp_path: Path) -> None:
    info = build(batches("a lease expired"), tmp_path, ENCODER)
    damage(info.path / "documents.arrow")
    assert info.id == build(batches("a lease expired"), tmp_path, ENCODER).id
    assert info.id == verify(info.path).id


def damage(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)


def test_an_empty_knowledge_base_answers(tmp_path: Path) -> None:
    build([], tmp_path, ENCODER)
    assert Engine.open(tmp_path).search("java.lang.NullPointerException").matches == ()


def test_duplicates_are_kept_but_not_found(tmp_path: Path) -> None:
    rows = [
        {"id": "one", "title": "lease expired on hdfs"},
        {"id": "two", "title": "lease expired on hdfs", "duplicate_of": "one"},
    ]
    info = build([entries([from_record(row) for row in rows], ENCODER)], tmp_path, ENCODER)
    engine = Engine.open(tmp_path)
    words = len(index_terms("lease expired on hdfs"))
    counts = {"incidents": 2, "searchable": 1, "with_traces": 0, "words": words, "frames": 0}
    assert dict(info.manifest.counts) == counts
    assert [match.incident.id for match in engine.search("lease expired on hdfs").matches] == ["one"]
    kept = engine.incident("two")
    assert kept is not None
    assert kept.duplicate_of == "one"
    assert engine.incident("three") is None


def test_no_vector_is_near_to_a_duplicate(tmp_path: Path) -> None:
    rows = [
        {"id": "one", "title": "the pool of the database is empty"},
        {"id": "two", "title": "lease expired on hdfs", "duplicate_of": "one"},
    ]
    batch = entries([from_record(row) for row in rows], ENCODER)
    vectors = VectorIndex(build([batch], tmp_path, ENCODER).path)
    own = batch.column("vector").flatten().to_numpy(zero_copy_only=False).reshape(len(rows), -1)
    assert own.any(axis=1).all()
    assert vectors.cosines(own[0], np.array([0, 1])).tolist() == [pytest.approx(1.0), 0.0]
    assert vectors.cosines(own[1], np.array([1])).tolist() == [0.0]


def test_other_columns_are_another_version() -> None:
    """An older snapshot, which lacks a new column, is refused by its versions; without them it would be opened."""
    stored = (ENTRY_VERSION, FORMAT, ENTRY_SCHEMA.names, RAGGED)
    assert stored == (
        7,
        5,
        [
            *("id", "document", "chains", "exact", "root_cause", "loose", "said", "called", "sketches", "terms"),
            *("title", "cause", "translated_title", "translated_cause", "translated", "phrases", "frames", "facets"),
            "vector",
        ],
        ("sketches", "terms", "phrases", "facets"),
    ), "raise VERSION in index/entry.py and, for a file of the snapshot, FORMAT in index/storage/snapshot.py; then here"


def test_two_incidents_with_one_id_are_refused(tmp_path: Path) -> None:
    twice = pa.Table.from_batches([*batches("a"), *batches("b")], schema=ENTRY_SCHEMA).combine_chunks().to_batches()
    with pytest.raises(SnapshotError, match="'i0'"):
        build(twice, tmp_path, ENCODER)
    assert [path for path in (tmp_path / "snapshots").iterdir() if path.is_dir()] == []


def test_vectors_of_another_length_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SnapshotError, match="128"):
        build(batches("a"), tmp_path, HashingEncoder(128))


def edit_manifest(home: Path, **changes: object) -> None:
    path = current(home).path / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | changes), "utf-8")


@pytest.mark.parametrize(
    ("change", "named"),
    [
        pytest.param(lambda home: (home / "CURRENT").unlink(), "no snapshot", id="nothing built"),
        pytest.param(
            lambda home: (home / "CURRENT").write_text("../../etc"), "names no snapshot", id="CURRENT points elsewhere"
        ),
        pytest.param(
            lambda home: (home / "CURRENT").write_text("0" * 16), "is missing", id="CURRENT points at nothing"
        ),
        pytest.param(lambda home: edit_manifest(home, format=99), "format 99", id="format"),
        pytest.param(
            lambda home: edit_manifest(home, fingerprint_version=99), "fingerprint version 99", id="fingerprints"
        ),
        pytest.param(lambda home: edit_manifest(home, tokens="0"), "word scheme 0", id="words"),
        pytest.param(
            lambda home: edit_manifest(home, model_digest="f" * 64, model="other"), "the model other", id="model"
        ),
        pytest.param(lambda home: edit_manifest(home, dim=3), "3 numbers", id="dimension"),
        pytest.param(
            lambda home: (current(home).path / "manifest.json").write_text("{"), "manifest", id="half a manifest"
        ),
        pytest.param(
            lambda home: (current(home).path / "terms.values").unlink(),
            r"terms\.values is missing",
            id="a file is gone",
        ),
        pytest.param(
            lambda home: (current(home).path / "documents.arrow").write_bytes(b"x"), "has 1 bytes", id="a file is cut"
        ),
    ],
)
def test_refused_with_a_cure(tmp_path: Path, change: Callable[[Path], object], named: str) -> None:
    build(batches("a lease expired"), tmp_path, ENCODER)
    change(tmp_path)
    with pytest.raises(SnapshotError, match=named) as refused:
        Engine.open(tmp_path)
    assert "kb " in refused.value.cure or "KB_MODEL" in refused.value.cure


def test_verify_sees_one_flipped_byte(tmp_path: Path) -> None:
    info = build(batches("a lease expired"), tmp_path, ENCODER)
    assert info.id == verify(info.path).id
    damage(info.path / "vectors.faiss")
    with pytest.raises(SnapshotError, match=r"vectors\.faiss is not what was written"):
        verify(info.path)


def test_rollback_and_prune(tmp_path: Path) -> None:
    ids = [build(batches(title), tmp_path, ENCODER).id for title in ("one", "two", "three")]
    assert list(reversed(ids)) == [info.id for info in list_snapshots(tmp_path)]
    assert ids[1] == rollback(tmp_path).id == current(tmp_path).id
    assert ids[0] == rollback(tmp_path).id
    with pytest.raises(SnapshotError, match="no older snapshot"):
        rollback(tmp_path)
    with pytest.raises(SnapshotError, match="no snapshot ffff"):
        rollback(tmp_path, "ffff")
    assert (ids[1],) == prune(tmp_path, 1)
    assert {ids[0], ids[2]} == {info.id for info in list_snapshots(tmp_path)}
    assert ids[0] == current(tmp_path).id


def test_an_open_engine_outlives_the_pruning_of_its_snapshot(tmp_path: Path) -> None:
    build(batches("a lease expired"), tmp_path, ENCODER)
    engine = Engine.open(tmp_path)
    expected = [m.incident.id for m in engine.search("lease expired").matches]
    build(batches("something else"), tmp_path, ENCODER)
    assert len(prune(tmp_path, 1)) == 1
    assert expected == [m.incident.id for m in engine.search("lease expired").matches] == ["i0"]


def slow(titles: Sequence[str], pause: float) -> Iterator[pa.RecordBatch]:
    for n, title in enumerate(titles):
        time.sleep(pause)
        yield entries([from_record({"id": f"s{n}", "title": title})], ENCODER)


def build_slowly(home: str) -> None:
    build(slow(["x"] * 100, 0.05), Path(home), ENCODER)


def test_a_killed_build_leaves_the_old_snapshot_and_the_next_one_clears_up(tmp_path: Path) -> None:
    old = build(batches("a lease expired"), tmp_path, ENCODER)
    process = multiprocessing.get_context("spawn").Process(target=build_slowly, args=(str(tmp_path),))
    process.start()
    deadline = time.monotonic() + 60
    while not list((tmp_path / "snapshots").glob(".building-*")):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    assert old.id == current(tmp_path).id
    assert [m.incident.id for m in Engine.open(tmp_path).search("lease expired").matches] == ["i0"]
    build(batches("something new"), tmp_path, ENCODER)
    assert list((tmp_path / "snapshots").glob(".building-*")) == []


def test_the_manifest_says_what_it_is_made_of(tmp_path: Path) -> None:
    info = build(batches("a lease expired"), tmp_path, ENCODER, sources={"corpus": "abc"})
    assert (info.manifest.model, info.manifest.dim) == ("zh-en-ops-256", 256)
    assert dict(info.manifest.sources) == {"corpus": "abc"}
    assert set(info.manifest.files) == {str(p.relative_to(info.path)) for p in info.path.rglob("*") if p.is_file()} - {
        "manifest.json"
    }
    assert replace(info.manifest, built="") == replace(verify(info.path).manifest, built="")


def test_a_changed_byte_is_told_with_its_cure(tmp_path: Path) -> None:
    """Before it is opened, and under an engine that has it open: no traceback."""
    path = build(batches("a lease expired"), tmp_path, ENCODER).path / "documents.arrow"
    content = path.read_bytes()
    at = content.index(b'{"id"') + 1
    engine = Engine.open(tmp_path)
    path.write_bytes(content[:at] + b"\xff" + content[at + 1 :])
    for meet in (lambda: engine.incident("i0"), engine.check, lambda: Engine.open(tmp_path)):
        with pytest.raises(SnapshotError, match=r"not what was written.*kb ingest"):
            meet()
    engine.close()
