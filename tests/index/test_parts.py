"""The parts of a snapshot against plain reckoning."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.encoder import normalised
from index.storage.candidates import ByFingerprint, CandidateQuery, Sought, visible
from index.storage.fingerprints import FingerprintIndex, FingerprintWriter
from index.storage.lexical import LexicalIndex, LexicalWriter
from index.storage.vectors import VectorIndex, VectorWriter
from index.terms.facets import facets_of, mask, narrow
from index.terms.hashing import among, hash_all
from index.terms.ragged import Ragged, RaggedWriter, marks
from index.terms.tokens import index_terms
from kb.trace import Fingerprint, Level


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> tuple[np.ndarray, VectorIndex]:
    folder = tmp_path_factory.mktemp("vectors")
    rows = normalised(np.random.default_rng(3).standard_normal((700, 64)).astype(np.float32))
    rows[13] = 0
    writer = VectorWriter(folder, 64)
    writer.add(rows[:300])
    writer.add(rows[300:])
    writer.write(rows[:20])
    return rows, VectorIndex(folder)


def test_nearest_is_what_brute_force_finds_for_a_query_of_any_length(vectors: tuple[np.ndarray, VectorIndex]) -> None:
    rows, index = vectors
    query = np.random.default_rng(4).standard_normal(64).astype(np.float32) * 19
    cosines = rows @ (query / np.linalg.norm(query))
    expected = [int(i) for i in np.argsort(-cosines)[:10]]
    found = index.nearest(query, 10)
    assert expected == [row for row, _ in found]
    assert [score for _, score in found] == pytest.approx(cosines[expected], abs=1e-5)
    assert index.cosines(query, np.array([5, 13, 699])) == pytest.approx(cosines[[5, 13, 699]], abs=1e-5)


def test_nearest_within_a_mask(vectors: tuple[np.ndarray, VectorIndex]) -> None:
    rows, index = vectors
    allowed = np.zeros(700, dtype=np.bool_)
    allowed[[7, 80, 699]] = True
    found = index.nearest(rows[80] * 3, 10, allowed)
    assert (80, {7, 80, 699}) == (found[0][0], {row for row, _ in found})


def test_a_text_without_words_is_near_to_nothing(vectors: tuple[np.ndarray, VectorIndex]) -> None:
    assert vectors[1].nearest(np.zeros(64, np.float32), 5) == []


@pytest.fixture(scope="module")
def lexical(tmp_path_factory: pytest.TempPathFactory) -> LexicalIndex:
    folder = tmp_path_factory.mktemp("lexical") / "lexical"
    writer = LexicalWriter(folder)
    texts = [
        "checkpoint失败",
        "作业正常运行",
        "savepoint 成功",
        "lease expired",
        "lease lease lease expired again and again in a long text",
    ]
    for row, text in enumerate(texts):
        writer.add(row, " ".join(index_terms(text)), f"{row:016x}", "lang=zh" if row < 3 else "lang=en")
    writer.commit()
    return LexicalIndex(folder)


def scored(lexical: LexicalIndex, weights: dict[str, float], **given: Any) -> list[tuple[int, float]]:
    """The five best rows with their scores."""
    hits = lexical.search("words", weights, 5, **given)
    return list(zip(hits.rows.tolist(), hits.scores.tolist(), strict=True))


@pytest.mark.parametrize("word", ["失败", "checkpoint", "c:fail", "c:checkpoint"])
def test_mixed_script_is_found_by_each_part(lexical: LexicalIndex, word: str) -> None:
    assert lexical.search("words", {word: 1.0}, 5).rows.tolist() == [0]


def test_bm25_by_hand(lexical: LexicalIndex) -> None:
    """Each token counts once. Idf · tf · (k1 + 1) / (tf + k1 · (1 - b + b · length / mean)), k1 = 1.2, b = 0.75, as Lucene and tantivy have it."""
    texts = [
        "checkpoint失败",
        "作业正常运行",
        "savepoint 成功",
        "lease expired",
        "lease lease lease expired again and again in a long text",
    ]
    lengths = [len(set(index_terms(text))) for text in texts]
    idf = np.log(1 + (5 - 2 + 0.5) / (2 + 0.5))
    expected = {
        row: idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * lengths[row] / np.mean(lengths)))
        for row, tf in ((3, 1), (4, 1))
    }
    assert dict(scored(lexical, {"lease": 1.0})) == pytest.approx(expected, rel=0.02)


def test_opening_writes_nothing_beside_the_files(tmp_path: Path) -> None:
    """A snapshot may be on a volume that nobody may write to; tantivy by itself makes a lock file there."""
    folder = tmp_path / "lexical"
    writer = LexicalWriter(folder)
    writer.add(0, "lease recovery", "", "")
    writer.commit()
    for lock in folder.glob("*.lock"):
        lock.unlink()
    before = sorted(folder.iterdir())
    opened = LexicalIndex(folder)
    assert sorted(folder.iterdir()) == before
    assert opened.search("words", {"lease": 1.0}, 5).rows.tolist() == [0]


def test_weights_scale_scores(lexical: LexicalIndex) -> None:
    single, double = (lexical.search("words", {"失败": weight}, 5).scores[0] for weight in (1.0, 2.0))
    assert double == pytest.approx(2 * single)


def test_facets_narrow_without_touching_scores(lexical: LexicalIndex) -> None:
    weights = {"lease": 1.0, "失败": 1.0}
    free = scored(lexical, weights)
    assert [pair for pair in free if pair[0] >= 3] == scored(lexical, weights, required=["lang=en"])


@pytest.mark.parametrize(("until", "expected"), [(5, [3, 4]), (4, [3]), (3, []), (0, [])])
def test_rows_from_a_row_on_are_not_found(lexical: LexicalIndex, until: int, expected: list[int]) -> None:
    free = dict(scored(lexical, {"lease": 1.0}))
    found = scored(lexical, {"lease": 1.0}, until=until)
    assert sorted(found) == [(row, free[row]) for row in expected]


def test_fingerprints_by_level_with_ties_in_order(tmp_path: Path) -> None:
    same, near = "ab" * 16, "ab" * 8 + "cd" * 8
    writer = FingerprintWriter()
    writer.add(Level.EXACT, pa.array([[same], [near], [], [same]]), np.arange(4))
    writer.add(Level.LOOSE, pa.array([[same]]), np.array([9]))
    writer.write(tmp_path)
    index = FingerprintIndex(tmp_path)
    assert index.rows(Level.EXACT, same).tolist() == [0, 3]
    assert index.rows(Level.EXACT, near).tolist() == [1]
    assert index.rows(Level.LOOSE, same).tolist() == [9]
    assert index.rows(Level.ROOT_CAUSE, same).tolist() == []
    assert index.rows(Level.EXACT, "00" * 16).tolist() == []


@pytest.mark.parametrize(
    ("limit", "hidden", "expected"),
    [(5, (), [5, 7, 1, 2]), (1, (), [5, 7]), (1, (5, 7), [1, 2]), (3, (), [5, 7, 1, 2]), (1, (1, 2, 5, 7), [])],
)
def test_exact_fingerprints_come_before_looser_ones(
    tmp_path: Path, limit: int, hidden: tuple[int, ...], expected: list[int]
) -> None:
    """Rows 5 and 7 share the exact fingerprint, row 7 the loose one, too; all that tie with the last are there."""
    exact, loose = "ab" * 16, "cd" * 16
    writer = FingerprintWriter()
    writer.add(Level.EXACT, pa.array([[exact], [exact]]), np.array([5, 7]))
    writer.add(Level.LOOSE, pa.array([[loose]] * 3), np.array([1, 2, 7]))
    writer.write(tmp_path)
    nothing = Sought((), hash_all([]), np.zeros(0), np.zeros(0), 1.0)
    prints = (Fingerprint(Level.EXACT, exact, ()), Fingerprint(Level.LOOSE, loose, ()))
    query = CandidateQuery(prints, nothing, nothing, np.zeros(4, np.float32))
    found = visible(ByFingerprint(FingerprintIndex(tmp_path)), query, limit, set(hidden))
    assert found.rows.tolist() == expected
    assert found.scores.tolist() == [3.0 if row > 4 else 2.0 for row in expected]


def signed(rows: list[list[int]]) -> pa.ListArray:
    """Rows of names as entries have them."""
    return pa.array([np.array(row, np.uint64).view(np.int64).tolist() for row in rows], pa.list_(pa.int64()))


@pytest.mark.parametrize("rows", [[], [[]], [[1, 2], [], [2**64 - 1]]], ids=["none", "one empty", "several"])
def test_ragged_rows_come_back(tmp_path: Path, rows: list[list[int]]) -> None:
    writer = RaggedWriter(tmp_path / "r")
    for at in range(0, len(rows), 2):
        writer.extend(signed(rows[at : at + 2]))
    writer.close()
    read = Ragged(tmp_path / "r")
    assert rows == [read[i].tolist() for i in range(len(read))]


names = st.sets(st.sampled_from([1, 2, 3, 2**63, 2**64 - 1]))


@given(st.lists(st.lists(st.tuples(names, names), max_size=3), max_size=3))
def test_marked_names_are_those_of_the_columns(
    tmp_path_factory: pytest.TempPathFactory, batches: list[list[tuple[set[int], set[int]]]]
) -> None:
    folder = tmp_path_factory.mktemp("marked")
    whole = RaggedWriter(folder / "terms")
    with (folder / "marks").open("wb") as file:
        for batch in batches:
            column = signed([sorted(focus | title | {2}) for focus, title in batch])
            whole.extend(column)
            file.write(marks(column, [signed([sorted(pair[bit]) for pair in batch]) for bit in (0, 1)]).data)
    whole.close()
    terms = Ragged(folder / "terms")
    marked = terms.beside(folder / "marks")
    expected = [pair for batch in batches for pair in batch]
    for bit in (0, 1):
        found = [terms[row][marked[row] >> bit & 1 == 1].tolist() for row in range(len(terms))]
        assert [sorted(pair[bit]) for pair in expected] == found


close_names = st.lists(st.sampled_from([1, 2, 1 + 2**16, 2 + 2**17, 2**63 + 1, 2**64 - 1]), max_size=12)


@given(close_names, close_names)
def test_names_are_found_among_others_with_the_same_last_bits(wanted: list[int], held: list[int]) -> None:
    names = np.unique(np.array(wanted, dtype=np.uint64))
    at, which = among(names, np.array(held, dtype=np.uint64))
    expected = [(place, name) for place, name in enumerate(held) if name in wanted]
    assert expected == list(zip(at.tolist(), names[which].tolist(), strict=True))


def test_masks_hold_every_facet(tmp_path: Path) -> None:
    documents = [
        {"lang": "zh", "component": "Flink", "tags": ["hdfs", "State"]},
        {"lang": "zh", "status": "retired"},
        {"lang": "en", "component": "flink", "status": "draft"},
        {"lang": "en", "component": "flink", "tags": []},
    ]
    writer = RaggedWriter(tmp_path / "facets")
    writer.extend(signed([hash_all(facets_of(document)).tolist() for document in documents]))
    writer.close()
    facets = Ragged(tmp_path / "facets")

    def rows(**filters: str) -> list[int]:
        return np.flatnonzero(mask(facets, narrow(filters, "en").required)).tolist()

    assert rows() == [0, 3]
    assert rows(lang="zh") == [0]
    assert rows(component="FLINK") == [0, 3]
    assert rows(tags="state", component="flink") == [0]
    assert rows(status="retired") == [1]
    assert rows(status="draft", lang="en") == [2]
    assert rows(colour="red") == []
