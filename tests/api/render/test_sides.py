"""Frames side by side."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from api.render.sides import AlignedRow, side_by_side
from index import Engine
from tests.api.knowledge import HDFS_TRACE

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


def test_a_question_has_no_sides(engine: Engine) -> None:
    explanation = engine.explain("checkpoint 失败", "flink-checkpoint-hdfs-replicas")
    assert explanation is not None
    assert side_by_side(explanation) is None


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (AlignedRow("a", "a"), "same"),
        (AlignedRow("a", "b"), "differs"),
        (AlignedRow(None, "a"), "one"),
        (AlignedRow("a", None), "one"),
    ],
)
def test_agreement_of_a_row(row: AlignedRow, expected: str) -> None:
    assert row.agreement == expected
