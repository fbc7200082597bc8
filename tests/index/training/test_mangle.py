import random

import pytest

from index.training.mangle import KINDS, stranger
from kb.trace import Level, fingerprints, parse

TRACE = """java.lang.Exception: Could not materialize checkpoint 302995 for operator Window (4/4).
\tat org.apache.flink.streaming.runtime.tasks.StreamTask$AsyncCheckpointRunnable.run(StreamTask.java:884)
\tat java.lang.Thread.run(Thread.java:748)
Caused by: java.io.IOException: Unable to close file because the last block does not have enough number of replicas.
\tat org.apache.hadoop.hdfs.DFSOutputStream.completeFile(DFSOutputStream.java:2528)
\tat org.apache.hadoop.hdfs.DFSOutputStream.closeImpl(DFSOutputStream.java:2486)
\t... 2 more"""


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_the_root_cause_survives(kind: str) -> None:
    mangled = KINDS[kind](TRACE, random.Random(3))
    assert mangled != TRACE
    if kind != "cut":
        assert "java.io.IOException" in {chain.root.type for chain in parse(mangled)}


def test_other_values_are_the_same_trace() -> None:
    one, two = (fingerprints(parse(text)[0])[Level.EXACT] for text in (TRACE, KINDS["values"](TRACE, random.Random(1))))
    assert one == two


def test_the_same_seed_mangles_alike() -> None:
    assert KINDS["cut"](TRACE, random.Random(9)) == KINDS["cut"](TRACE, random.Random(9))


def test_a_stranger_is_a_trace() -> None:
    chain = parse(stranger(random.Random(2)))[0]
    assert chain.root.type
    assert len(chain.root.stack.frames) >= 2
