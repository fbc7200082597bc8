"""Two pastes compared: the first difference is named, and each level says whether and why it differs."""

import json
from pathlib import Path

import pytest

from api.render.against import compare
from kb.trace import Level
from tests.api.command import kb
from tests.api.knowledge import HDFS_TRACE, KAFKA_TRACE, PYTHON_TRACE

TRACE = """a.b.JobError: step 17 failed
\tat a.b.C.run(C.java:4)
\tat a.b.M.main(M.java:4)
Caused by: java.io.IOException: no replicas 5
\tat a.b.H.one(H.java:5)
\tat a.b.H.two(H.java:6)
\t... 1 more
"""


@pytest.mark.parametrize(
    ("change", "what", "exceptions", "frames", "texts", "equal"),
    [
        (("step 17", "step 18"), None, None, None, None, [True, True, True]),
        (("no replicas 5", "no space"), "message template", (2, 2), (None, None), ("no replicas <int>", "no space"), [False, False, True]),
        (("a.b.JobError", "a.b.TaskError"), "type", (1, 1), (None, None), ("a.b.JobError", "a.b.TaskError"), [False, True, True]),
        (("H.one", "G.uno"), "frame", (2, 2), (1, 1), ("a.b.H.one", "a.b.G.uno"), [False, False, False]),
        (("\tat a.b.H.two(H.java:6)\n", ""), "frame", (2, None), (2, None), ("a.b.H.two", None), [False, False, True]),
        (("\tat a.b.H.two", "\tat a.b.H.zero(H.java:1)\n\tat a.b.H.two"), "frame", (None, 2), (None, 2), (None, "a.b.H.zero"), [False, False, True]),
        (("Caused by: java.io.IOException: no replicas 5", "Caused by: a.b.WrapError: x\nCaused by: java.io.IOException: no replicas 5"), "exception", (None, 2), (None, None), (None, "a.b.WrapError: x"), [False, True, True]),
        (("Caused by: java", "Suppressed: java"), "relation", (None, None), (None, None), ("cause of 0: java.io.IOException: no replicas <int>", "suppressed of 0: java.io.IOException: no replicas <int>"), [False, False, False]),
    ],
    ids=["equal", "message", "type", "frame-replaced", "frame-gone", "frame-new", "wrapper-new", "hung-otherwise"],
)  # fmt: skip
def test_the_first_difference(change, what, exceptions, frames, texts, equal) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    found = compare(TRACE, TRACE.replace(*change))
    assert found is not None
    assert [judged.equal for judged in found.levels] == equal
    if what is None:
        assert found.difference is None
        return
    assert found.difference is not None
    told = found.difference
    assert (told.what, told.exception, told.frame, (told.ours, told.theirs)) == (what, exceptions, frames, texts)


def test_a_level_says_why() -> None:
    found = compare(TRACE, TRACE.replace("H.two", "H.zwei"))
    assert found is not None
    exact, root, loose = found.levels
    assert (exact.ours, exact.theirs) == ("a.b.H.two", "a.b.H.zwei")
    assert (root.ours, root.theirs) == ("a.b.H.two", "a.b.H.zwei")
    assert (loose.level, loose.equal, loose.ours) == (Level.LOOSE, True, None)


def test_the_best_pair_of_several_is_taken() -> None:
    log = f"start\n{KAFKA_TRACE}\nmore\n{PYTHON_TRACE}\nand\n{HDFS_TRACE.replace('2705', '1')}"
    found = compare(HDFS_TRACE, log)
    assert found is not None
    assert (found.ours.chosen, found.theirs.chosen, found.theirs.traces) == (1, 3, 3)
    assert found.theirs.line == log[: log.index("java.lang.Exception")].count("\n") + 1
    assert all(judged.equal for judged in found.levels)
    assert found.difference is None


def test_an_equal_fingerprint_outweighs_shared_frames() -> None:
    innermost = "java.io.IOException: no replicas 5\n\tat a.b.H.one(H.java:5)\n\tat a.b.H.two(H.java:6)\n"
    found = compare(TRACE, f"{TRACE.replace('no replicas 5', 'no space')}\nINFO x\n\n{innermost}")
    assert found is not None
    assert found.theirs.chosen == 2
    assert [judged.equal for judged in found.levels] == [False, True, True]


@pytest.mark.parametrize(("ours", "theirs"), [("two\nlines", TRACE), (TRACE, "two\nlines"), ("a\nb", "c\nd")])
def test_without_a_trace_there_is_no_comparison(ours: str, theirs: str) -> None:
    assert compare(ours, theirs) is None


def test_two_messages_are_compared_as_well() -> None:
    found = compare("ORA-00942: table 7", "ORA-00942: table 9")
    assert found is not None
    assert all(judged.equal for judged in found.levels)


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    for name, text in (("a.txt", TRACE), ("b.txt", f"INFO x\n{TRACE.replace('H.one', 'H.uno')}")):
        (tmp_path / name).write_text(text)
    return str(tmp_path / "a.txt"), str(tmp_path / "b.txt")


def test_on_a_terminal(files: tuple[str, str]) -> None:
    result = kb("parse", files[0], "--against", files[1])
    shown = result.stdout.decode()
    assert (result.returncode, result.stderr) == (0, b"")
    assert "".join(f"B: {files[1]}, line 2".split()) in "".join(shown.split())  # a long path is broken at a blank
    assert "≠ exact" in shown
    assert "First difference: frame" in shown
    assert "A (exception 2, frame 1) a.b.H.one" in shown
    assert "< a.b.H.one" in shown
    assert "> a.b.H.uno" in shown
    wide = kb("parse", files[0], "--against", files[1], env={"COLUMNS": "180"}).stdout.decode()
    (line,) = [line for line in wide.splitlines() if "a.b.H.two" in line]
    assert line.count("a.b.H.two") == 2


def test_as_json(files: tuple[str, str]) -> None:
    found = json.loads(kb("parse", files[0], "--against", "-", "--json", paste=Path(files[1]).read_text()).stdout)
    assert found["equal"] is False
    assert found["first_difference"] == {
        "what": "frame",
        "a": {"exception": 2, "frame": 1, "text": "a.b.H.one"},
        "b": {"exception": 2, "frame": 1, "text": "a.b.H.uno"},
    }
    assert found["levels"]["exact"]["first_difference"] == {"a": "a.b.H.one", "b": "a.b.H.uno"}
    assert found["b"] == {"traces": 1, "trace": 1, "line": 2, "runtime": "jvm"}
    assert [row["agreement"] for row in found["rows"]].count("one") == 2


def test_no_trace_and_bad_usage(files: tuple[str, str]) -> None:
    result = kb("parse", files[0], "--against", "-", paste="no\ntrace\n")
    assert "B: no trace in -" in result.stdout.decode()
    assert json.loads(kb("parse", "--json", files[0], "--against", "-", paste="no\ntrace\n").stdout)["b"] == {
        "traces": 0
    }
    assert kb("parse", "-", "--against", "-", paste="x").returncode == 2
