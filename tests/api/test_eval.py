"""`kb eval`: a file of labelled questions against the six incidents."""

import json
from pathlib import Path

import pytest

from tests.api.command import failed, kb, kb_program
from tests.api.knowledge import DISK_TRACE, HDFS_TRACE, KAFKA_TRACE, UNKNOWN_TRACE

CASES = (
    {"text": HDFS_TRACE, "expected": ["flink-checkpoint-hdfs-replicas"], "near": ["flink-checkpoint-disk-full"], "group": "trace", "lang": "en", "part": "tune"},
    {"text": DISK_TRACE, "expected": ["flink-checkpoint-hdfs-replicas"], "near": ["flink-checkpoint-disk-full"], "group": "trace", "lang": "en", "part": "test"},
    {"text": KAFKA_TRACE, "expected": ["kafka-commit-rebalanced", "of-another-snapshot"], "group": "trace", "lang": "zh", "part": "tune"},
    {"text": UNKNOWN_TRACE, "expected": [], "group": "absent", "lang": "en", "part": "tune"},
)  # fmt: skip


@pytest.fixture
def cases(tmp_path: Path) -> str:
    path = tmp_path / "cases.jsonl"
    path.write_text("\n".join(json.dumps(case) for case in CASES) + "\n\n", encoding="utf-8")
    return str(path)


def test_json_holds_every_figure(home: Path, cases: str) -> None:
    result = kb_program("eval", cases, "--json", home=home)
    assert result.returncode == 0, result.stderr.decode()
    told = json.loads(result.stdout)
    assert (told["cases"], told["absent"]) == (4, 1)
    assert told["hit@1"] == pytest.approx(2 / 3, abs=1e-4)
    assert told["near_first"] == 0.5
    assert told["groups"].keys() == {"trace en", "trace zh", "absent en"}
    assert told["groups"]["trace en"]["hit@1"] == 0.5
    assert told["groups"]["trace zh"]["mrr"] == 1.0
    assert sum(told["verdicts"].values()) == 4
    assert told["confusion"]["answerable"]["cases"] == 3
    assert told["confusion"]["absent"] == {"known": 0, "cases": 1}
    assert told["confusion"]["answerable"]["known_wrong"] == 1  # DISK_TRACE is known, but not what its row expects
    assert told["missing"] == ["of-another-snapshot"]
    assert b"1 expected ids are not in this snapshot" in result.stderr
    assert b"4 cases in " in result.stderr


def test_the_table_fits_a_terminal_and_says_what_was_called_known(home: Path, cases: str) -> None:
    result = kb("eval", cases, home=home)
    shown = result.stdout.decode()
    assert result.returncode == 0, result.stderr.decode()
    assert max(len(line) for line in shown.splitlines()) <= 80
    rows = {" ".join(line.split()) for line in shown.splitlines()}
    assert any(row.startswith("trace en 2 0.50") for row in rows)
    assert any(row.startswith("absent en 1 – – – –") for row in rows)
    assert any(row.startswith("all 4 0.67") for row in rows)
    assert "Without one (1): 0 called known (0.0%)." in rows


def test_one_part_alone(home: Path, cases: str) -> None:
    told = json.loads(kb("eval", cases, "--part", "test", "--json", home=home).stdout)
    assert (told["cases"], told["hit@1"]) == (1, 0.0)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        pytest.param("", "holds no case", id="empty"),
        pytest.param('{"text": "x", "expected": []}\n{oops', ":2 is not JSON", id="no JSON"),
        pytest.param("[" * 100_000, ":1 is not JSON", id="nested too deeply"),
        pytest.param('{"expected": []}', 'has no "text"', id="no text"),
        pytest.param('{"text": "x"}', 'no "expected"', id="no label"),
        pytest.param('{"text": "x", "expected": "a"}', '"expected" of', id="no list"),
        pytest.param('{"text": "x", "expected": [], "near": [1]}', '"near" of', id="no id"),
    ],
)
def test_a_bad_file_is_named_with_its_line(tmp_path: Path, lines: str, said: str) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(lines, encoding="utf-8")
    assert said in failed(kb("eval", str(path), home=tmp_path))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert "nowhere.jsonl cannot be read" in failed(kb("eval", "nowhere.jsonl", home=tmp_path))


def test_a_part_that_is_not_there(home: Path, cases: str) -> None:
    assert "no case of the part 'dev'" in failed(kb("eval", cases, "--part", "dev", home=home))
