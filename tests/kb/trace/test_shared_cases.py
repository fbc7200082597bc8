"""The shared normalisation cases of the runtimes that are read, through the names that other programs call."""

import importlib.util
import json
from pathlib import Path

import pytest

import kb.trace

READ = {"jvm", "python", "text"}
# Cases that should not pass: id, what it asks for, what is done, why. Empty: all of them hold.
EXCEPTIONS: dict[str, tuple[str, str, str]] = {}


def test_cases(shared_data: Path) -> None:
    folder = shared_data / "cases"
    spec = importlib.util.spec_from_file_location("shared_cases_run", folder / "run.py")
    assert spec is not None
    assert spec.loader is not None
    runner = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(runner)
    cases = [json.loads(line) for line in (folder / "cases.jsonl").read_text(encoding="utf-8").splitlines()]
    wanted = [case for case in cases if case["runtime"] in READ or case["kind"] == "parameterize"]
    if not wanted:
        pytest.fail("no case was found")
    failed = {case["id"] for case in wanted if not runner.run(case, kb.trace)}
    assert failed == set(EXCEPTIONS)
