"""Many vectors: the index is chosen by size, found to be good enough while building, and searched like a small one."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from index.encoder import Vectors, normalised
from index.storage.vectors import VectorFacts, VectorIndex, VectorWriter

DIM = 32
ROWS = 4_000


def clustered(seed: int, spread: float) -> Vectors:
    """Rows around two hundred topics, as texts lie."""
    rng = np.random.default_rng(seed)
    topics = rng.standard_normal((200, DIM))
    drawn = topics[rng.integers(len(topics), size=ROWS)] + spread * rng.standard_normal((ROWS, DIM))
    return normalised(drawn.astype(np.float32))


def large(folder: Path, **limits: Any) -> VectorWriter:
    """A writer for which many rows begin earlier than usual."""
    return VectorWriter(folder, DIM, flat_up_to=1_000, **limits)


def written(writer: VectorWriter, rows: Vectors) -> VectorFacts:
    for at in range(0, len(rows), 700):
        writer.add(rows[at : at + 700])
    return writer.write(rows[:50])


@pytest.fixture
def rows() -> Vectors:
    made = clustered(1, 0.5)
    made[::100] = 0  # duplicates, which nothing is near to
    return made


def test_few_rows_are_compared_one_by_one(tmp_path: Path, rows: Vectors) -> None:
    assert VectorFacts("Flat", 0, 1.0, 0.0) == written(VectorWriter(tmp_path, DIM), rows)


def test_of_many_rows_nearly_all_that_is_near_is_found(tmp_path: Path, rows: Vectors) -> None:
    facts = written(large(tmp_path), rows)
    index = VectorIndex(tmp_path)
    assert (facts.index, len(index), index.dim) == ("PQ16x4fs,Refine(SQfp16)", ROWS, DIM)
    assert facts.rescored in (8, 16, 32, 64)
    assert 0.98 <= facts.recall_at_50 <= 1.0
    for query in clustered(2, 0.5)[:5]:
        found = dict(index.nearest(query, 50))
        exact = rows @ query
        best = np.argsort(-exact)[:50].tolist()
        assert len(set(found) & set(best)) >= 40
        assert [found[row] for row in best if row in found] == pytest.approx(
            [exact[row] for row in best if row in found], abs=0.001
        )


def test_cosines_of_any_rows_are_nearly_exact(tmp_path: Path, rows: Vectors) -> None:
    facts = written(large(tmp_path), rows)
    asked = np.array([3999, 0, 17, 100])
    error = np.abs(VectorIndex(tmp_path).cosines(rows[17], asked) - rows[asked] @ rows[17])
    assert 0.0 < facts.cosine_error <= 0.001
    assert error.max() <= 0.001


@pytest.mark.parametrize("allowed", [5, 2_500], ids=["few", "many"])
def test_a_mask_holds_and_costs_nothing_that_is_near(tmp_path: Path, rows: Vectors, allowed: int) -> None:
    written(large(tmp_path), rows)
    mask = np.zeros(ROWS, dtype=np.bool_)
    mask[np.random.default_rng(5).choice(ROWS, allowed, replace=False)] = True
    found = [row for row, _ in VectorIndex(tmp_path).nearest(rows[17], 40, mask)]
    expected = np.argsort(-np.where(mask, rows @ rows[17], -2.0))[: min(40, allowed)]
    assert mask[found].all()
    assert len(set(found) & set(expected.tolist())) >= 0.9 * len(expected)


def test_more_is_compared_until_enough_is_found(tmp_path: Path, rows: Vectors) -> None:
    assert written(large(tmp_path, rescored=(1, 64)), rows).rescored == 64


def test_what_never_finds_enough_is_compared_one_by_one(tmp_path: Path, rows: Vectors) -> None:
    assert written(large(tmp_path, rescored=(1,)), rows).index == "Flat"


def test_batches_leave_no_trace(tmp_path: Path, rows: Vectors) -> None:
    facts = written(large(tmp_path), rows)
    whole = tmp_path / "whole"
    whole.mkdir()
    writer = large(whole)
    writer.add(rows)
    assert facts == writer.write(rows[:50])
    assert VectorIndex(tmp_path).nearest(rows[9], 20) == VectorIndex(whole).nearest(rows[9], 20)
    assert [path.name for path in whole.iterdir()] == ["vectors.faiss"]
