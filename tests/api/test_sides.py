"""Frames side by side, and where the shared ones were pasted."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from api.sides import Row, shared_places, side_by_side
from index import Engine
from tests.api.knowledge import HDFS_TRACE, KAFKA_TRACE

OURS = HDFS_TRACE.replace(
    "\tat org.apache.hadoop.hdfs.DFSOutputStream.closeImpl(DFSOutputStream.java:2667)\n",
    "\tat com.acme.Guard.check(Guard.java:5)\n\tat com.acme.java.io.IOException.of(X.java:1)\n",
).replace("DFSOutputStream.java:2705", "DFSOutputStream.java:9")


@pytest.fixture(scope="module")
def engine(home: Path) -> Iterator[Engine]:
    opened = Engine.open(home)
    yield opened
    opened.close()


def test_shared_and_lone_frames_are_told_apart(engine: Engine) -> None:
    explanation = engine.explain(OURS, "flink-checkpoint-hdfs-replicas")
    assert explanation is not None
    sides = side_by_side(explanation)
    assert sides is not None
    by_agreement = {row.ours or row.theirs: row.agreement for row in sides.rows}
    assert by_agreement["org.apache.hadoop.hdfs.DFSOutputStream.completeFile"] == "same"
    assert by_agreement["org.apache.hadoop.hdfs.DFSOutputStream.closeImpl"] == "one"
    assert by_agreement["com.acme.Guard.check"] == "one"
    heads = [row for row in sides.rows if row.is_exception]
    assert [str(row.ours).split(":")[0] for row in heads] == ["java.lang.Exception", "java.io.IOException"]
    assert sides.left_out == 0


def test_only_the_shared_lines_of_the_paste_are_marked(engine: Engine) -> None:
    text = f"INFO DFSOutputStream.completeFile is called\n{OURS}INFO bye\n"
    explanation = engine.explain(text, "flink-checkpoint-hdfs-replicas")
    assert explanation is not None
    start = text.index("java.lang.Exception")
    marked = [text[first:last] for first, last in shared_places(text, explanation, (start, len(text)))]
    assert "at org.apache.hadoop.hdfs.DFSOutputStream.completeFile(DFSOutputStream.java:9)" in marked
    places = shared_places(text, explanation, (start, len(text)))
    lines = [text[text.rfind("\n", 0, first) + 1 : text.find("\n", last)] for first, last in places]
    assert [line for line in lines if "acme" in line or "INFO" in line] == []
    heads = {piece for piece in marked if not piece.startswith("at ")}
    assert heads == {"java.lang.Exception", "java.io.IOException"}


def test_a_question_has_no_sides(engine: Engine) -> None:
    explanation = engine.explain("checkpoint 失败", "flink-checkpoint-hdfs-replicas")
    assert explanation is not None
    assert side_by_side(explanation) is None
    assert shared_places("checkpoint 失败", explanation, (0, 13)) == []


def test_nothing_is_shared_with_a_stranger(engine: Engine) -> None:
    explanation = engine.explain(KAFKA_TRACE, "python-ascii-decode")
    assert explanation is not None
    assert shared_places(KAFKA_TRACE, explanation, (0, len(KAFKA_TRACE))) == []


@pytest.mark.parametrize(
    ("row", "expected"),
    [(Row("a", "a"), "same"), (Row("a", "b"), "differs"), (Row(None, "a"), "one"), (Row("a", None), "one")],
)
def test_agreement_of_a_row(row: Row, expected: str) -> None:
    assert row.agreement == expected
