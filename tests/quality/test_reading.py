"""How well traces and articles are read, on labelled data that stands beside the checkout."""

import importlib.util
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import fmean
from types import ModuleType

import pytest

from index.training.roles.material import ArticleProblem, article_problems
from kb.article import read_article
from kb.article.quotes.statements import SECTIONS, QuoteTarget
from kb.article.sentences import joined, sentences
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
    """The share of each runtime's cases that `kb.trace` satisfies; a pinned one counts as failed, and the floor allows for it."""
    passed: dict[str, list[bool]] = defaultdict(list)
    expected: dict[str, list[bool]] = defaultdict(list)
    pins = cases.pinned()
    for case in cases.load(shared_data / "cases/cases.jsonl"):
        passed[case.runtime].append(cases.run(case).ok)
        expected[case.runtime].append(case.id not in pins)
    assert len(passed) >= 12
    for runtime, outcomes in passed.items():
        figure(f"cases.{runtime}", fmean(outcomes), floor=fmean(expected[runtime]))


@pytest.mark.filterwarnings(
    "ignore:Exception ignored in:pytest.PytestUnraisableExceptionWarning"
)  # the judge's open file
def test_labelled_articles(shared_data: Path, capsys: pytest.CaptureFixture[str], figure: Callable[..., None]) -> None:
    """Title, language, exception chain; token F1 of cause and fix; and nothing invented where none is stated."""
    judge = load(shared_data / "gold/run.py")
    judge.main([str(shared_data / "gold/gold.jsonl"), str(shared_data / "articles")])
    printed = capsys.readouterr().out
    scores = {name.strip(): float(value) for name, value in re.findall(r"([a-z ]+?) ([\d.]+) \(\d+\)", printed)}
    floors = {"title": 0.95, "lang": 0.95, "chain": 0.78, "cause": 0.72, "fix": 0.68}
    assert floors.keys() <= scores.keys()
    for name, score in scores.items():
        figure(f"articles.{name}", score, floor=floors.get(name))


def test_cause_and_fix_beside_headings_alone(shared_data: Path, figure: Callable[..., None]) -> None:
    """Token F1 of the labelled causes and fixes that the first words under a heading about it give: what the models must beat.

    Of an article that lists several problems, the one that fits best counts, for both.
    """
    judge = load(shared_data / "gold/run.py")
    labels = [json.loads(line) for line in (shared_data / "gold/gold.jsonl").read_text(encoding="utf-8").splitlines()]
    files = {path.stem: path for path in (shared_data / "articles").rglob("*") if path.is_file()}
    for target, name in ((QuoteTarget.CAUSE, "root_cause"), (QuoteTarget.FIX, "fix")):
        alone, modelled = [], []
        for label in labels:
            if label[name]:
                path = files[label["id"]]
                under = [_under_heading(problem, target) for problem in article_problems(path)]
                read = [getattr(one, name) for one in read_article(path.read_bytes(), path.name).incidents]
                alone.append(max(judge.f1(text, label[name]) for text in under))
                modelled.append(max(judge.f1(text, label[name]) for text in read))
        figure(f"articles.{target}.headings_alone", fmean(alone))
        figure(f"articles.{target}.models", fmean(modelled), floor=fmean(alone) + 0.1)


def _under_heading(problem: ArticleProblem, target: QuoteTarget) -> str:
    """The first two sentences of the first section that is about the target by its heading; empty where none is."""
    parts = (part for part in problem.parts if SECTIONS[target] & set(part.roles))
    found = next((sentences(part.blocks, problem.trace_lines.__contains__) for part in parts), [])
    return joined(found[:2])


def _classes(names: Iterable[str | None]) -> list[str]:
    """Classes without their packages; an exception whose name was cut off has none."""
    return [name.rsplit(".", 1)[-1] for name in names if name]


def test_traces_of_labelled_articles(shared_data: Path, figure: Callable[..., None]) -> None:
    """Of the articles whose label names exceptions: the share read to a chain of just these, and to their root cause.

    A chain whose head the author cut off counts when what is left is right: the label does not name it either.
    Misses, each looked at, are in misses-articles.md.
    """
    labels = [json.loads(line) for line in (shared_data / "gold/gold.jsonl").read_text(encoding="utf-8").splitlines()]
    files = {path.stem: path for path in (shared_data / "articles").rglob("*") if path.is_file()}
    read, misses = 0, []
    labelled = [(label["id"], _classes(label["exceptions"])) for label in labels if label["exceptions"]]
    for name, wanted in labelled:
        article = read_article(files[name].read_bytes(), files[name].name)
        chains = [chain for incident in article.incidents for chain in incident.chains]
        found = [_classes(e.type for e in chain.exceptions) for chain in chains]
        if wanted in found or wanted[::-1] in found:  # Python prints the root first
            read += 1
        else:
            misses.append(name)
    assert len(labelled) >= 20
    figure("articles.right_exception_type", read / len(labelled), floor=0.95)
    listed = (Path(__file__).parent / "misses-articles.md").read_text(encoding="utf-8")
    assert [name for name in misses if name not in listed] == []
