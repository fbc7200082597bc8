import random
from collections.abc import Callable, Sequence
from pathlib import Path

from index import Engine
from index.evaluation.labelled import Evaluation
from index.training.labelled import excerpt, written_queries
from kb.trace import parse

TRACE = """java.lang.Exception: Could not materialize checkpoint 302995 for operator Window (4/4).
\tat org.apache.flink.streaming.runtime.tasks.StreamTask$AsyncCheckpointRunnable.run(StreamTask.java:884)
Caused by: java.io.IOException: Unable to close file because the last block does not have enough number of replicas.
\tat org.apache.hadoop.hdfs.DFSOutputStream.completeFile(DFSOutputStream.java:2528)
\tat org.apache.hadoop.hdfs.DFSOutputStream.closeImpl(DFSOutputStream.java:2486)
\tat org.apache.hadoop.hdfs.DFSOutputStream.close(DFSOutputStream.java:2449)
\t... 2 more"""


def test_an_excerpt_keeps_the_cause_and_few_of_its_frames() -> None:
    made = [excerpt(TRACE, random.Random(seed)) for seed in range(20)]
    chains = [parse(text)[0] for text in made if text]
    assert len(chains) == 20
    for chain in chains:
        assert chain.root.type == "java.io.IOException"
        named = [frame.module or "" for frame in chain.root.stack.frames]
        assert 1 <= sum("hadoop" in name for name in named) <= 3
        assert any(name.startswith("com.") for name in named)
    assert {len(chain.exceptions) for chain in chains} == {1, 2}


def test_what_is_no_trace_of_the_jvm_has_no_excerpt() -> None:
    assert (
        excerpt("Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nKeyError: 'x'", random.Random(1))
        is None
    )
    assert excerpt("\tat a.B.c(B.java:1)", random.Random(1)) is None


def test_questions_come_with_their_answer_and_without(
    engine_of: Callable[[Sequence[dict[str, object]]], Engine], tmp_path: Path
) -> None:
    file = tmp_path / "rows.jsonl"
    rows = (
        '{"text": "disk", "expected": ["a"], "part": "tune", "group": "question"}',
        '{"text": "nothing", "expected": [], "part": "tune", "group": "absent"}',
        '{"text": "secret", "expected": ["a"], "part": "test", "group": "question"}',
    )
    file.write_text("\n".join(rows), encoding="utf-8")
    engine = engine_of([{"id": "a", "title": "disk full", "prose": "-"}])
    found = [(q.text, set(q.right), set(q.absent), q.group) for q in written_queries(file, Evaluation(engine))]
    engine.close()
    assert found == [
        ("disk", {"a"}, set(), "written question"),
        ("disk", set(), {"a"}, "written, left out"),
        ("nothing", set(), set(), "written, left out"),
    ]
