"""The shared normalisation cases of every runtime: all hold but the pinned ones, and each pin still holds."""

from pathlib import Path

from tests.quality.cases import load, pinned, run


def test_cases(shared_data: Path) -> None:
    cases = load(shared_data / "cases" / "cases.jsonl")
    assert len(cases) > 100
    failed = {case.id for case in cases if not run(case).ok}
    assert failed == pinned().keys() & {case.id for case in cases}
