"""The near-duplicates of a lake that changes: after every change those that a comparison of everything finds."""

import json
import random
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from ingest.dedupe import LEADERS
from ingest.duplicates import find_duplicates
from ingest.lake import Lake
from ingest.schemas import DONE_SCHEMA, PAIR_SCHEMA, STATE_SCHEMA

pytestmark = pytest.mark.spark

Documents = dict[str, dict[str, Any]]


def document(rank: str, bands: Iterable[int], text: int = 0) -> dict[str, Any]:
    """Documents of one ``text`` are the same word for word; who shares no band is never compared."""
    return {"rank": rank, "bands": sorted(bands), "sample": list(range(1000 * text, 1000 * text + 100))}


class Growing:
    """A lake into which runs write as `ingest.pipeline` does."""

    def __init__(self, home: Path) -> None:
        self.lake = Lake(home)
        self.held: dict[str, str] = {}

    def run(self, changed: Documents, removed: Iterable[str] = ()) -> None:
        run = self.lake.new_run()
        self.held = {doc: where for doc, where in self.held.items() if doc not in set(removed)} | dict.fromkeys(
            changed, run
        )
        about = {"status": "accepted", "incidents": 1, "ordinal": 0, "told": [], "root_cause": []}
        rows = [dict.fromkeys(DONE_SCHEMA.names) | about | {"doc": doc} | row for doc, row in changed.items()]
        state = [
            dict.fromkeys(STATE_SCHEMA.names) | {"doc": doc, "run": where, "status": "accepted"}
            for doc, where in self.held.items()
        ]
        with self.lake.locked():
            if rows:
                self.lake.run_path(run).mkdir(parents=True)
                nullable = pa.schema([field.with_nullable(nullable=True) for field in DONE_SCHEMA])
                table = pa.Table.from_pylist(rows, nullable).append_column("run", pa.repeat(run, len(rows)))
                pq.write_table(table, self.lake.run_path(run) / "part-0.parquet")
            self.lake.commit(pa.Table.from_pylist(state, STATE_SCHEMA))


def compared(home: Path, session: Callable[[], SparkSession]) -> tuple[dict[str, str], list[dict[str, Any]]]:
    """The duplicates, and the pairs that the lake keeps."""
    lake = Lake(home)
    with lake.locked():
        found = find_duplicates(session, lake)
        assert lake.manifest.compared is not None
        kept = pq.read_table(lake.root / lake.manifest.compared.pairs, schema=PAIR_SCHEMA).to_pylist()
    return found, sorted(kept, key=lambda row: (row["first"], row["second"]))


def afresh(home: Path, copy: Path, spark: SparkSession) -> tuple[dict[str, str], list[dict[str, Any]]]:
    """The same by a comparison of everything, on a copy that knows of no comparison before."""
    shutil.copytree(home, copy)
    manifest = copy / "lake" / "manifest.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"compared": None}))
    return compared(copy, lambda: spark)


def newly_found(home: Path, copy: Path, spark: SparkSession) -> list[dict[str, Any]]:
    """The pairs that the next comparison finds itself: on a copy, where those of the last one are forgotten."""
    shutil.copytree(home, copy)
    lake = Lake(copy)
    assert lake.manifest.compared is not None
    pq.write_table(PAIR_SCHEMA.empty_table(), lake.root / lake.manifest.compared.pairs)
    return compared(copy, lambda: spark)[1]


def some(chance: random.Random, names: Iterable[str]) -> Documents:
    return {
        name: document(
            f"{chance.randrange(40):02d}|{name}",
            {chance.randrange(4) for _ in range(chance.randrange(1, 3))},
            chance.randrange(2),
        )
        for name in names
    }


@pytest.mark.slow
def test_pairs_are_those_of_a_comparison_of_everything(spark: SparkSession, tmp_path: Path):
    """Buckets of more than `LEADERS`, in which the leaders change with nearly every step."""
    chance = random.Random(1)
    home = tmp_path / "home"
    growing = Growing(home)
    growing.run(some(chance, (f"d{at:02d}" for at in range(30))))
    compared(home, lambda: spark)
    for step in range(3):
        names = sorted(growing.held)
        removed = chance.sample(names, 4 if step == 2 else chance.randrange(3))
        changed = chance.sample([name for name in names if name not in removed], 1)
        fresh = [*changed, *(f"n{step}{at}" for at in range(chance.randrange(1, 4)))]
        growing.run({} if step == 2 else some(chance, fresh), removed)  # the last step only takes away
        found = compared(home, lambda: spark)
        assert found == afresh(home, tmp_path / f"copy-{step}", spark)
        assert any(len(row["bands"]) > 1 for row in found[1])


def unwanted() -> SparkSession:
    raise AssertionError("nothing is to be compared")


@pytest.mark.slow
def test_texts_without_a_shared_band_are_not_compared(spark: SparkSession, tmp_path: Path):
    growing = Growing(tmp_path)
    before = {f"d{at}": document(f"{at}", [at // 2], at // 2) for at in range(20)}
    growing.run(before)
    pairs = {f"d{at + 1}": f"d{at}" for at in range(0, 20, 2)}
    keyed = {f"{other}:0": f"{first}:0" for other, first in pairs.items()}
    assert compared(tmp_path, lambda: spark)[0] == keyed
    growing.run({"new": document("0", [99])})
    assert compared(tmp_path, unwanted)[0] == keyed
    growing.run({}, removed=["d4"])
    del keyed["d5:0"]
    assert compared(tmp_path, unwanted)[0] == keyed
    growing.run({"copy": document("99", [0], 0)})
    assert compared(tmp_path, lambda: spark)[0] == keyed | {"copy:0": "d0:0"}
    growing.run({}, removed=["copy"])  # nothing else is left of its run
    assert compared(tmp_path, unwanted)[0] == keyed
    assert {path.name for path in (tmp_path / "lake" / "runs").iterdir()} == set(Lake(tmp_path).manifest.runs)


@pytest.mark.slow
def test_only_pairs_with_a_new_document_are_compared(spark: SparkSession, tmp_path: Path):
    """All documents are the same word for word: each pair that is compared is found."""
    home = tmp_path / "home"
    growing = Growing(home)
    growing.run({f"d{at:02d}": document(f"{at:02d}", [7]) for at in range(3 * LEADERS)})
    compared(home, lambda: spark)
    growing.run({"d99": document("99", [7])})
    assert len(newly_found(home, tmp_path / "grown", spark)) == LEADERS
    assert len(compared(home, lambda: spark)[0]) == 3 * LEADERS
    growing.run({}, removed=["d00"])
    assert len(newly_found(home, tmp_path / "shrunk", spark)) == 2 * LEADERS
    assert compared(home, lambda: spark) == afresh(home, tmp_path / "copy", spark)


@pytest.mark.slow
def test_a_pair_that_meets_again_keeps_the_bands_it_met_in(spark: SparkSession, tmp_path: Path):
    """In the second band its first is no leader until one goes away."""
    home = tmp_path / "home"
    growing = Growing(home)
    crowd = {f"l{at}": document(f"{at}", [1], at) for at in range(LEADERS)}
    growing.run(crowd | {name: document(name, [0, 1], 99) for name in ("p", "q")} | {"far": document("far", [5])})
    assert [row["bands"] for row in compared(home, lambda: spark)[1]] == [[0]]
    growing.run({}, removed=["l0"])
    found = compared(home, lambda: spark)
    assert [row["bands"] for row in found[1]] == [[0, 1]]
    assert found == afresh(home, tmp_path / "copy", spark)


@pytest.mark.parametrize("damage", ["pairs", "documents"])
def test_pairs_that_are_damaged_are_found_again(spark: SparkSession, tmp_path: Path, damage: str):
    growing = Growing(tmp_path)
    growing.run({f"d{at}": document(f"{at}", [1]) for at in range(6)})
    first = compared(tmp_path, lambda: spark)
    growing.run({"new": document("z", [5])})
    stored = growing.lake.manifest.compared
    assert stored is not None
    (tmp_path / "lake" / getattr(stored, damage)).write_bytes(b"PAR1")
    assert compared(tmp_path, lambda: spark) == first
