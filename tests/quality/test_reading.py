"""How well traces and articles are read, on labelled data that stands beside the checkout."""

import importlib.util
import re
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from tests.quality import cases

pytestmark = pytest.mark.quality


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"shared_{path.parent.name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_normalisation_cases(shared_data: Path, figure: Callable[..., None]) -> None:
    """The share of each runtime's cases that `kb.trace` satisfies; a pinned one counts as failed."""
    passed: dict[str, list[bool]] = defaultdict(list)
    for case in cases.load(shared_data / "cases/cases.jsonl"):
        passed[case.runtime].append(cases.run(case).ok)
    assert len(passed) >= 12
    for runtime, outcomes in passed.items():
        figure(f"cases.{runtime}", sum(outcomes) / len(outcomes), floor=0.95)


@pytest.mark.filterwarnings(
    "ignore:Exception ignored in:pytest.PytestUnraisableExceptionWarning"
)  # the judge's open file
def test_labelled_articles(shared_data: Path, capsys: pytest.CaptureFixture[str], figure: Callable[..., None]) -> None:
    """Title, language, exception chain; token F1 of cause and fix; and nothing invented where none is stated."""
    judge = load(shared_data / "gold/run.py")
    judge.main([str(shared_data / "gold/gold.jsonl"), str(shared_data / "articles")])
    printed = capsys.readouterr().out
    scores = {name.strip(): float(value) for name, value in re.findall(r"([a-z ]+?) ([\d.]+) \(\d+\)", printed)}
    floors = {"title": 0.95, "lang": 0.95, "chain": 0.78, "cause": 0.6, "fix": 0.58}
    assert floors.keys() <= scores.keys()
    for name, score in scores.items():
        figure(f"articles.{name}", score, floor=floors.get(name))
