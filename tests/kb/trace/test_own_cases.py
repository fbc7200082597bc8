"""Our own normalisation cases: rows after documented formats and after programs that ran, in the schema of the shared ones.

Their expectation was written down before the code was run on them. All hold but the pinned ones, and each pin still holds.
"""

from pathlib import Path

from tests.quality.cases import load, pinned, run

OWN = Path(__file__).parents[2] / "quality" / "cases.jsonl"
RUNTIMES = {
    "jvm",
    "python",
    "javascript",
    "dotnet",
    "go",
    "rust",
    "native",
    "kernel",
    "ruby",
    "php",
    "lua",
    "jstack",
    "sql",
    "text",
}


def test_own_cases() -> None:
    cases = load(OWN)
    assert {case.runtime for case in cases} == RUNTIMES
    assert len({case.id for case in cases}) == len(cases) > 600
    failed = {case.id: outcome.actual for case in cases if not (outcome := run(case)).ok}
    own = pinned().keys() & {case.id for case in cases}
    assert {name: actual for name, actual in failed.items() if name not in own} == {}
    assert own == failed.keys()
