"""The lake's own files: on the disk before they are named, and refused with a cure when they are damaged. No Spark."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ingest.lake import Lake, LakeError
from ingest.schemas import STATE_SCHEMA

RUN = "20260101T000000-abcdef"


def table(*rows: tuple[str, str]) -> pa.Table:
    """(document, status) of each row, as one run left them."""
    whole = [
        dict.fromkeys(STATE_SCHEMA.names) | {"doc": doc, "status": status, "run": RUN, "incidents": 1}
        for doc, status in rows
    ]
    return pa.Table.from_pylist(whole, schema=STATE_SCHEMA)


def lake_with(home: Path, *rows: tuple[str, str]) -> Lake:
    lake = Lake(home)
    with lake.locked():
        folder = lake.run_path(RUN)
        folder.mkdir(parents=True)
        pq.write_table(table(*rows).drop_columns(["run"]), folder / "part-0.parquet")
        lake.commit(table(*rows))
    return lake


def test_all_that_the_manifest_names_is_on_the_disk_before_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    synced: list[str] = []

    def fsync(descriptor: int) -> None:
        path = Path(f"/proc/self/fd/{descriptor}").readlink()
        synced.append(path.relative_to(tmp_path / "lake").as_posix())

    monkeypatch.setattr(os, "fsync", fsync)
    lake_with(tmp_path, ("a", "accepted"))
    before = synced[: synced.index("manifest.json.new")]
    run = f"runs/{RUN}"
    assert {"documents/000001.parquet.new", "documents", f"{run}/part-0.parquet", run, "runs", "."} <= set(before)
    assert before.index("documents/000001.parquet.new") < before.index("documents")
    assert synced[-1] == "."


def read_all(home: Path) -> list[str]:
    lake = Lake(home)
    return [doc for batch in lake.rows(lake.documents(), ["doc"]) for doc in batch["doc"].to_pylist()]


def edit(home: Path, change: Callable[[dict[str, Any]], object]) -> None:
    path = home / "lake" / "manifest.json"
    path.write_text(json.dumps(change(json.loads(path.read_text()))))


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda home: (home / "lake" / "manifest.json").write_text("{"), id="cut"),
        pytest.param(lambda home: (home / "lake" / "manifest.json").write_bytes(b"\xff\xfe"), id="no-text"),
        pytest.param(lambda home: edit(home, lambda stored: [stored]), id="a-list"),
        pytest.param(lambda home: edit(home, lambda _: None), id="null"),
        pytest.param(lambda home: edit(home, lambda _: {}), id="empty"),
        pytest.param(lambda home: edit(home, lambda _: {"format": 1}), id="keys-missing"),
        pytest.param(lambda home: edit(home, lambda stored: stored | {"extra": 1}), id="a-key-too-many"),
        pytest.param(lambda home: edit(home, lambda stored: stored | {"runs": None}), id="runs-are-null"),
        pytest.param(lambda home: edit(home, lambda stored: stored | {"runs": [1]}), id="runs-are-numbers"),
        pytest.param(lambda home: edit(home, lambda stored: stored | {"documents": 5}), id="documents-is-a-number"),
        pytest.param(lambda home: edit(home, lambda stored: stored | {"generation": "1"}), id="generation-is-a-text"),
        pytest.param(lambda home: edit(home, lambda stored: stored | {"format": 99}), id="another-format"),
        pytest.param(lambda home: (home / "lake/documents/000001.parquet").unlink(), id="state-missing"),
        pytest.param(lambda home: (home / "lake/documents/000001.parquet").write_bytes(b"PAR1"), id="state-cut"),
        pytest.param(lambda home: (home / f"lake/runs/{RUN}/part-0.parquet").unlink(), id="rows-missing"),
    ],
)
def test_a_damaged_lake_is_refused_with_a_cure(tmp_path: Path, damage: Callable[[Path], object]):
    lake_with(tmp_path, ("a", "accepted"))
    assert read_all(tmp_path) == ["a"]
    damage(tmp_path)
    with pytest.raises(LakeError) as refused:
        read_all(tmp_path)
    assert refused.value.cure == f"remove {tmp_path / 'lake'} and ingest again"


def test_a_document_is_accepted_when_any_of_its_incidents_was(tmp_path: Path):
    rows = [("a", "rejected"), ("b", "rejected"), ("a", "accepted"), ("a", "accepted"), ("c", "accepted")]
    found = lake_with(tmp_path, *rows).outcomes(RUN).to_pylist()
    assert {row["doc"]: row["status"] for row in found} == {"a": "accepted", "b": "rejected", "c": "accepted"}
    assert len(found) == 3
    assert {row["run"] for row in found} == {RUN}
