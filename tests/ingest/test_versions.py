"""A version follows what a stage really runs: its own code, what that imports, and the rules beside it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STAGES = ("ingest.reading", "index.entry")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for package in ("kb", "index", "ingest"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def versions(checkout: Path) -> list[str]:
    program = f"from ingest.versions import code_version; print(*map(code_version, {STAGES!r}))"
    run = subprocess.run([sys.executable, "-c", program], cwd=checkout, capture_output=True, text=True, check=True)
    return run.stdout.split()


@pytest.fixture(scope="module")
def today() -> list[str]:
    return versions(ROOT)


@pytest.mark.parametrize(
    ("changed", "differs"),
    [
        pytest.param("kb/trace/normalize.py", [True, True], id="what-both-import"),
        pytest.param("kb/article/sections.py", [True, False], id="reading-only"),
        pytest.param("index/terms/tokens.py", [False, True], id="entries-only"),
        pytest.param("kb/trace/rules/jvm_machinery.txt", [True, True], id="rules"),
        pytest.param("kb/README.md", [False, False], id="prose"),
        pytest.param("index/storage/snapshot.py", [False, False], id="what-comes-later"),
        pytest.param("ingest/pipeline.py", [False, False], id="what-calls-it"),
    ],
)
@pytest.mark.slow
def test_a_change_redoes_what_depends_on_it(checkout: Path, today: list[str], changed: str, differs: list[bool]):
    with (checkout / changed).open("a") as file:
        file.write("\n# another line\n")
    assert [old != new for old, new in zip(today, versions(checkout), strict=True)] == differs


@pytest.mark.slow
def test_a_version_does_not_depend_on_where_the_code_lies(checkout: Path, today: list[str]):
    assert versions(checkout) == today
