import numpy as np
import pytest

from index.training.model.corpora import TrainingDocument, key, part_of
from index.training.model.measure import (
    Suite,
    crossing_suites,
    crossings,
    hits,
    measure,
    pair_suites,
    table,
    title_suites,
)
from index.training.model.program import bm25


def document(name: str, title: str, body: str, lang: str = "en", part: str = "test") -> TrainingDocument:
    sentences = frozenset(key(line) for line in body.split("\n"))
    return TrainingDocument(name, part, lang, title, body, (), sentences)


def test_ties_count_against_the_encoder() -> None:
    scores = np.array([[0.5, 0.5, 0.1], [0.9, 0.2, 0.3], [0.0, 0.0, 0.0]], dtype=np.float32)
    assert hits(scores, [frozenset({0}), frozenset({0}), frozenset({2})]) == {
        "hit@1": pytest.approx(1 / 3),
        "hit@3": 1.0,
        "hit@10": 1.0,
        "n": 3.0,
    }


def test_any_right_candidate_will_do() -> None:
    scores = np.array([[0.9, 0.8, 0.95]], dtype=np.float32)
    assert hits(scores, [frozenset({0, 2})])["hit@1"] == 1.0


def test_pairs_are_asked_both_ways_and_without_shared_words() -> None:
    pairs = [
        ("the disk is full", "磁盘已满"),
        ("Kafka lags", "Kafka 滞后"),
        ("port 8080", "端口 8080"),
        ("full disk", "磁盘已满"),
    ]
    suites = {suite.name: suite for suite in pair_suites(pairs)}
    assert [len(suite.questions) for suite in suites.values()] == [4, 2, 4, 2]
    assert suites["pairs without shared Latin en→zh"].questions == ("the disk is full", "full disk")
    assert suites["pairs en→zh"].right[0] == {0, 3}, "a copy of the answer is an answer"
    assert all(len(suite.candidates) == 4 for suite in suites.values())


def test_titles_are_put_to_all_bodies() -> None:
    documents = [
        document("a", "Disk full", "no space left", part="test"),
        document("b", "disk full!", "quota exceeded", part="train"),
        document("c", "租约过期", "文件未关闭", lang="zh", part="test"),
    ]
    chinese, english = title_suites(documents, "test", "title")
    assert (english.questions, english.right) == (("Disk full",), (frozenset({0, 1}),))
    assert chinese.right == (frozenset({2}),)
    assert len(english.candidates) == 3


def test_sentences_of_articles_that_are_asked_for_are_not_trained_on() -> None:
    documents = [
        document("a", "Lease", "文件的租约已经过期，无法继续写入数据。", lang="zh"),
        document("b", "Old", "The broker refused the connection.", part="train"),
        document("c", "Other", "something else entirely", lang="zh"),
    ]
    pairs = [
        ("The lease of the file has expired.", "文件的租约已经过期，无法继续写入数据"),
        ("The broker refused the connection.", "代理拒绝了连接。"),
    ]
    rest, found = crossings(pairs, documents, frozenset({"tune", "test"}))
    assert rest == [pairs[1]]
    to_chinese, to_english = crossing_suites(found, documents)
    assert (to_chinese.questions, to_chinese.right) == ((pairs[0][0],), (frozenset({0}),))
    assert len(to_chinese.candidates) == 2
    assert not to_english.questions


def test_copies_of_an_article_are_in_one_part() -> None:
    assert part_of("Disk full") == part_of("disk  full!")
    assert {part_of(f"article {n}") for n in range(50)} == {"train", "tune", "test"}


def test_bm25_by_hand() -> None:
    """Two documents of length 2 and 1; `lease` in one: ln(1 + 1.5/1.5) · 2.2 / (1 + 1.2 · (0.25 + 0.75 · 2/1.5))."""
    scores = bm25(["zebra"], ["zebra yak", "gnu"])
    assert scores[0] == pytest.approx([np.log(2) * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 2 / 1.5)), 0])


def test_the_table_has_a_row_a_suite() -> None:
    suite = Suite("pairs", ("a",), ("a", "b"), (frozenset({0}),))
    figures = measure(lambda _, __: np.array([[1.0, 0.0]], dtype=np.float32), [suite])
    assert table({"best": figures, "other": {}}).splitlines()[2:] == ["| pairs | 1 | 1.000/1.000/1.000 | – |"]
