"""The same incidents in a snapshot and in memory: one BM25."""

from pathlib import Path

import numpy as np
import pytest

from index import Engine
from index.build import build
from index.entry import entries
from index.holdings import PER_SIDE
from index.live.recent import best
from index.reading import read
from index.storage.lexical import LexicalIndex, LexicalWriter, kept_length
from index.terms.facets import narrow
from index.terms.hashing import token_hash
from kb.record import from_record
from kb.store import IncidentChange

from .overlaid import ENCODER, incidents, opened


@pytest.mark.parametrize("length", [0, 1, 23, 24, 39, 40, 41, 55, 56, 57, 103, 104, 1000, 4097, 70_000])
def test_lengths_are_kept_as_tantivy_keeps_them(tmp_path: Path, length: int) -> None:
    """Two rows whose lengths are kept alike score alike, and a longer one less."""
    lengths = [length, kept_length(length), max(length, 1) * 2]
    writer = LexicalWriter(tmp_path / "lexical")
    for row, count in enumerate(lengths):
        writer.add(row, " ".join(["lease", *(f"other{n}" for n in range(count - 1))]), "", "")
    writer.commit()
    hits = LexicalIndex(tmp_path / "lexical").search("words", {"lease": 1.0}, 5)
    found = dict(zip(hits.rows.tolist(), hits.scores.tolist(), strict=True))
    kept = dict(zip(hits.rows.tolist(), hits.lengths.tolist(), strict=True))
    assert kept == {row: kept_length(max(count, 1)) for row, count in enumerate(lengths)}
    assert kept_length(length) <= length
    assert found[0] == found[1]
    assert length == 0 or found[2] < found[0]


@pytest.mark.parametrize(
    ("scores", "limit", "rows"),
    [
        ([3.0, 1.0, 2.0, 2.0], 2, [0, 2, 3]),
        ([3.0, 1.0, 2.0, 2.0], 1, [0]),
        ([2.0, 2.0, 2.0], 1, [0, 1, 2]),
        ([1.0, 3.0], 5, [1, 0]),
        ([], 5, []),
    ],
)
def test_what_ties_with_the_last_is_found_too(scores: list[float], limit: int, rows: list[int]) -> None:
    """So that it is not chance who is compared: the snapshot's rows are cut by id where scores are equal."""
    assert [row for row, _ in best(np.arange(len(scores)), np.array(scores), limit)] == rows


@pytest.mark.slow
def test_scores_of_tokens_are_those_of_a_snapshot(tmp_path: Path) -> None:
    """The same incidents in a snapshot and in memory: one BM25."""
    every = incidents()
    built, empty = opened(tmp_path / "built", every), opened(tmp_path / "empty", [])
    empty.apply([IncidentChange(at, one.id, one) for at, one in enumerate(every, 1)])
    for text in [one.title for one in every[::3]] + [trace for one in every[::3] for trace in one.traces]:
        for ours, theirs in zip(found_by(built, text), found_by(empty, text), strict=True):
            assert ours == pytest.approx(theirs, rel=1e-4, abs=1e-4)
    built.close()
    empty.close()


def test_scores_over_both_are_those_of_one_snapshot(tmp_path: Path) -> None:
    """A word that is rare in the snapshot and common among what was saved since: its weight is that of both together."""
    rows = [
        from_record({"id": f"n{n:02}", "title": f"{'zzqrare' if n in {3, *range(10, 16)} else 'zzqmuch'} moss{n:02}"})
        for n in range(20)
    ]
    overlaid, rebuilt = opened(tmp_path / "half", rows[:10]), opened(tmp_path / "all", rows)
    overlaid.apply([IncidentChange(at, one.id, one) for at, one in enumerate(rows[10:], 1)])
    scores = [found_by(engine, "zzqrare zzqmuch moss03 moss12") for engine in (overlaid, rebuilt)]
    for ours, theirs in zip(*scores, strict=True):
        assert ours == pytest.approx(theirs, rel=1e-4)
    overlaid.close()
    rebuilt.close()


def test_rows_that_tie_are_cut_by_the_names_of_their_ids_whatever_order_they_lie_in(tmp_path: Path) -> None:
    """More incidents with one word than are looked at: a snapshot has the articles before what the store holds, ids in no order."""
    rows = [from_record({"id": f"n{n:03}", "title": f"zzqmuch moss{n:03}"}) for n in range(3 * PER_SIDE)]
    kept = sorted(sorted((one.id for one in rows), key=token_hash)[:PER_SIDE])
    for name, order in (("forward", rows), ("backward", rows[::-1])):
        build([entries(order, ENCODER)], tmp_path / name, ENCODER)
        engine = Engine.open(tmp_path / name)
        now, asked = engine._holdings, read("zzqmuch")
        query = now._query(now._view(asked, engine._vector(asked)), narrow(None, "en"))
        (words,) = (segment.find(query, PER_SIDE)[2] for segment in now.segments)
        assert sorted(now.id_of(row) for row in now._best([words])) == kept
        engine.close()


def found_by(engine: Engine, text: str) -> list[dict[str, float]]:
    """By side, what is found: id to score."""
    now, asked = engine._holdings, read(text)
    query = now._query(now._view(asked, engine._vector(asked)), narrow(None, "en"))
    sides = zip(*((segment.documents, segment.find(query, 1000)) for segment in now.segments), strict=True)
    documents, found = sides
    return [
        {
            told.id_of(row): score
            for told, here in zip(documents, side, strict=True)
            for row, score in zip(*map(np.ndarray.tolist, here), strict=True)
        }
        for side in zip(*found, strict=True)
    ]
