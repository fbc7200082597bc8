"""What `kb eval` says of questions about the bundled write-ups: its screen and its figures are golden files; its curve as a file."""

import json
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from index.evaluation.labelled import read_cases
from tests import bundled
from tests.api.command import kb

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests/golden/eval"
QUESTIONS = str(GOLDEN / "questions.jsonl")


@pytest.fixture(scope="module")
def corpus_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the bundled write-ups, built without Spark."""
    return bundled.corpus_home(tmp_path_factory.mktemp("corpus"))


@pytest.fixture(scope="module")
def told(corpus_home: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(kb("eval", QUESTIONS, "--json", home=corpus_home).stdout)
    return document


@pytest.mark.parametrize("columns", [80, 120])
def test_the_screen(corpus_home: Path, golden: Callable[[Path, str], None], columns: int) -> None:
    result = kb("eval", QUESTIONS, home=corpus_home, env={"COLUMNS": str(columns)})
    assert result.returncode == 0, result.stderr.decode()
    lines = [line.rstrip() for line in result.stdout.decode().splitlines()]
    assert max(map(len, lines)) <= columns
    golden(GOLDEN / f"screen-{columns}.txt", "\n".join(lines) + "\n")


def test_the_page_shows_the_screen() -> None:
    """docs/measure.md prints what the command does."""
    page = (ROOT / "docs/measure.md").read_text(encoding="utf-8")
    screen = (GOLDEN / "screen-80.txt").read_text(encoding="utf-8")
    shown = [block.partition("```")[0].strip("\n") for block in page.split("```text\n")[1:]]
    assert shown
    assert [block for block in shown if block not in screen] == []


def test_the_lines_that_the_page_gives_can_be_read(tmp_path: Path) -> None:
    page = (ROOT / "docs/measure.md").read_text(encoding="utf-8")
    lines = tmp_path / "questions.jsonl"
    lines.write_text(page.partition("```json\n")[2].partition("```")[0], encoding="utf-8")
    first, second = read_cases(lines)
    assert first.expected
    assert second.expected == ()


def test_kinds_languages_and_all_are_the_same_questions(told: dict[str, Any]) -> None:
    cases = told["cases"]
    for part in ("kinds", "languages"):
        assert sum(one["cases"] for one in told[part].values()) == cases
        assert sum(one["known_right"] for one in told[part].values()) == told["curve"]["now"]["right"]
        assert sum(one["known_wrong"] for one in told[part].values()) == told["curve"]["now"]["wrong"]
    assert list(told["kinds"]) == ["trace", "log", "message", "chat", "words", "alert"], "the last one is of the labels"
    assert sum(one["cases"] for one in told["crossing"].values()) <= cases - told["absent"]
    assert all(low <= one["hit@1"] <= high for one in told["kinds"].values() for low, high in [one["hit@1_range"]])


def test_the_curve_agrees_with_the_confusion(told: dict[str, Any]) -> None:
    now, confusion, points = told["curve"]["now"], told["confusion"], told["curve"]["points"]
    assert now["known"] == told["verdicts"]["known"]
    assert now["right"] == confusion["answerable"]["known_right"]
    assert now["wrong"] == confusion["answerable"]["known_wrong"] + confusion["absent"]["known"]
    assert (now["coverage"], now["false_known"]) == (confusion["coverage"], confusion["false_known"])
    assert (
        points[-1]["known"] == told["calibration"]["cases"] == sum(one["cases"] for one in told["calibration"]["bins"])
    )
    assert [one["ceiling"] for one in told["curve"]["at_wrong"]] == [0.01, 0.02, 0.05, 0.1]


def test_the_drawing(corpus_home: Path, tmp_path: Path) -> None:
    drawing = tmp_path / "curve.svg"
    result = kb("eval", QUESTIONS, "--curve", str(drawing), home=corpus_home)
    assert result.returncode == 0, result.stderr.decode()
    assert ET.parse(drawing).getroot().tag.endswith("svg")
    assert "known now" in drawing.read_text(encoding="utf-8")


def test_a_drawing_that_cannot_be_written(corpus_home: Path, tmp_path: Path) -> None:
    result = kb("eval", QUESTIONS, "--curve", str(tmp_path / "none" / "curve.svg"), home=corpus_home)
    assert result.returncode == 1
    assert "curve.svg cannot be written" in result.stderr.decode()
    assert "coverage" in result.stdout.decode(), "the figures are not lost"


def test_questions_without_a_match_have_no_curve(corpus_home: Path, tmp_path: Path) -> None:
    path, drawing = tmp_path / "none.jsonl", tmp_path / "curve.svg"
    path.write_text('{"text": "qwrtzx", "expected": []}\n', encoding="utf-8")
    told = json.loads(kb("eval", str(path), "--json", "--curve", str(drawing), home=corpus_home).stdout)
    assert told["curve"]["points"] == []
    assert told["calibration"] == {"error": 0, "cases": 0, "bins": []}
    assert told["kinds"]["words"]["hit@1_range"] is None
    assert ET.parse(drawing).getroot().tag.endswith("svg")
    shown = kb("eval", str(path), home=corpus_home).stdout.decode()
    assert "Precision" not in shown


def test_a_kind_may_be_a_number(corpus_home: Path, tmp_path: Path) -> None:
    path = tmp_path / "numbered.jsonl"
    path.write_text('{"text": "kafka", "expected": [], "kind": 7}\n', encoding="utf-8")
    assert json.loads(kb("eval", str(path), "--json", home=corpus_home).stdout)["kinds"].keys() == {"7"}
