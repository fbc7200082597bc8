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


def test_two_hundred_runs_leave_no_more_files_than_documents_in_force(tmp_path: Path):
    lake = Lake(tmp_path)
    state = dict.fromkeys(("a", "b", "c"), "")
    for at in range(200):
        run = lake.new_run()
        state[sorted(state)[at % 3]] = run
        rows = [
            row | {"run": state[row["doc"]]}
            for row in table(*((doc, "accepted") for doc, made in state.items() if made)).to_pylist()
        ]
        with lake.locked():
            lake.run_path(run).mkdir(parents=True)
            pq.write_table(
                table((sorted(state)[at % 3], "accepted")).drop_columns(["run"]), lake.run_path(run) / "part-0.parquet"
            )
            lake.commit(pa.Table.from_pylist(rows, schema=STATE_SCHEMA))
    assert sorted(read_all(tmp_path)) == ["a", "b", "c"]
    files = [path.relative_to(tmp_path / "lake").parts[0] for path in (tmp_path / "lake").rglob("*") if path.is_file()]
    assert sorted(files) == [".lock", "documents", "manifest.json", "rejected.parquet", "runs", "runs", "runs"]


class LateReader(Lake):
    """A reader that another run overtakes: it commits after the first manifest was read, and before what that names is."""

    def documents(self) -> pa.Table:
        if self.manifest.generation == 1:
            writer = Lake(self.root.parent)
            with writer.locked():
                writer.commit(writer.documents().slice(0, 0))
        return super().documents()


def test_a_reader_sees_a_consistent_lake_during_a_write(tmp_path: Path):
    """A commit between the reading of the pointer and of what it names: the pointer is read again."""
    lake_with(tmp_path, ("a", "accepted"))
    lake, state = LateReader.seen(tmp_path)
    assert (lake.manifest.generation, state.num_rows) == (2, 0)


def test_a_reader_of_a_damaged_lake_gets_an_error(tmp_path: Path):
    lake_with(tmp_path, ("a", "accepted"))
    (tmp_path / "lake/documents/000001.parquet").unlink()
    with pytest.raises(LakeError, match="cannot be read"):
        Lake.seen(tmp_path)


def test_the_lock_names_who_holds_it(tmp_path: Path):
    first, second = Lake(tmp_path), Lake(tmp_path)
    with first.locked(), pytest.raises(LakeError, match=rf"another run .* \(process {os.getpid()}\)"), second.locked():
        pass
