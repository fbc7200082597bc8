"""`pytest --kb` in test runs of its own: real projects, real failures, a real home and a real service."""

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import httpx
import pytest

from tests.api.fixtures import home, serving  # noqa: F401

ROOT = Path(__file__).resolve().parents[2]
FAILING = '''
import io, logging, sys, pytest

TRACE = """java.lang.Exception: Could not materialize checkpoint 9 for operator Window(sums) (1/2).
\tat org.apache.flink.streaming.runtime.tasks.StreamTask$AsyncCheckpointRunnable.handleExecutionException(StreamTask.java:947)
Caused by: java.io.IOException: No space left on device
\tat java.io.FileOutputStream.writeBytes(Native Method)
\tat java.io.FileOutputStream.write(FileOutputStream.java:326)
\tat org.apache.flink.core.fs.local.LocalDataOutputStream.write(LocalDataOutputStream.java:51)
\tat org.rocksdb.Checkpoint.createCheckpoint(Native Method)
"""

def test_passes(): pass

@pytest.mark.parametrize("n", range(3))
def test_disk(n):
    print(TRACE, file=sys.stderr)
    raise RuntimeError(f"the job failed {n}")

@pytest.fixture
def broken():
    raise OSError(TRACE)

def test_setup(broken): pass

def test_adds(): assert 1 + 1 == 3

@pytest.mark.xfail
def test_expected(): assert False
'''
LOADED = """
import sys
def pytest_unconfigure():
    print("LOADED", sorted({"kb", "httpx", "numpy", "typer", "rich"} & set(sys.modules)), "pytest_dejastack" in sys.modules)
"""
UNUSED = ("anyio", "benchmark", "hypothesispytest", "schemathesis", "timeout", "xdist", "xdist.looponfail")
"""Plugins that are installed here and that these runs do not need: each takes its time to load."""
DISK = "Checkpoint fails because the disk of the TaskManager is full"


def run(folder: Path, *options: str, **env: str) -> subprocess.CompletedProcess[str]:
    """A test run of that folder, as somebody starts it who has dejastack installed."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("KB_", "PYTEST_"))}
    left_out = ["cacheprovider", *(name for name in UNUSED if "xdist" not in name or "-n" not in options)]
    command = [sys.executable, "-m", "pytest", *(f"-pno:{name}" for name in left_out), *options]
    if not any("pytest_dejastack" in one for one in _installed()):
        command += ["-p", "pytest_dejastack"]
    environment |= {
        "COLUMNS": "120",
        "PYTHONPATH": os.pathsep.join([str(ROOT), environment.get("PYTHONPATH", "")]),
        **env,
    }
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=240, check=False
    )


def _installed() -> list[str]:
    from importlib.metadata import entry_points

    return [entry.value for entry in entry_points(group="pytest11")]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with its own `api`, `index` and `ingest`, which takes every warning for an error."""
    (tmp_path / "test_jobs.py").write_text(FAILING)
    (tmp_path / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n")
    for name in ("api", "index", "ingest"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise RuntimeError('not that one')\n")
    return tmp_path


def known_part(output: str) -> list[str]:
    """The section of the summary, line by line."""
    lines = output.splitlines()
    begin = next(at for at, line in enumerate(lines) if " known incidents " in line)
    return [line.strip() for line in lines[begin + 1 :] if line.strip()]


def test_failures_are_annotated_and_summed_up(project: Path, home: Path) -> None:  # noqa: F811
    """Of tests, of what they need, and of files that cannot be read; other reports are as without."""
    (project / "test_unreadable.py").write_text(FAILING.partition("def test_passes")[0] + "raise OSError(TRACE)\n")
    options = ("--continue-on-collection-errors", "-p", "no:randomly")
    result = run(project, "--kb", "--junitxml=with.xml", *options, KB_HOME=str(home))
    assert result.returncode == 1, result.stdout + result.stderr
    assert "4 failed, 1 passed, 1 xfailed, 2 errors" in result.stdout
    assert result.stdout.count("- known incident -") == 5
    assert "Root cause: RocksDB writes its checkpoint to a local disk" in result.stdout
    told = known_part(result.stdout)
    assert told[0].startswith(f"5 × {DISK} (")
    assert told[0].endswith(" · flink-checkpoint-disk-full")
    tests = {*(f"test_jobs.py::test_disk[{n}]" for n in range(3)), "test_jobs.py::test_setup", "test_unreadable.py"}
    assert set(told[1].split(", ")) == tests
    assert told[2] == "1 other failure: no known incident"

    (project / "conftest.py").write_text(LOADED)
    without = run(project, "--junitxml=without.xml", *options)
    assert "LOADED [] True" in without.stdout  # off, it imports nothing
    assert "known incident" not in without.stdout
    ours, theirs = (ET.parse(project / name).getroot()[0].attrib for name in ("with.xml", "without.xml"))
    for name in ("errors", "failures", "skipped", "tests"):
        assert ours[name] == theirs[name]


def test_with_workers_the_service_is_asked_once(project: Path, home: Path, tmp_path: Path) -> None:  # noqa: F811
    with serving(home, tmp_path) as server:
        result = run(project, "--kb", "-n", "2", KB_URL=server.url, KB_HOME="/nowhere")
        counted = httpx.get(f"{server.url}/metrics").text
    assert known_part(result.stdout)[0].startswith(f"4 × {DISK}")
    assert re.search(r'kb_requests_total\{[^}]*"/v1/search/batch"[^}]*\} 1\.0', counted), counted[:3_000]


def test_what_cannot_be_asked_changes_nothing(project: Path) -> None:
    result = run(project, "--kb", KB_URL="http://127.0.0.1:9")
    assert known_part(result.stdout)[0].startswith("kb could not be asked: no service answers at http://127.0.0.1:9")
    assert result.returncode == 1
    assert "4 failed, 1 passed, 1 xfailed, 1 error" in result.stdout


def test_a_run_that_passes_passes_and_asks_nobody(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text("def test_it(): pass\n")
    result = run(tmp_path, "--kb", "-W", "error", KB_URL="nonsense")
    assert result.returncode == 0, result.stdout
    assert "known incidents" not in result.stdout


def test_another_plugin_may_have_the_name(tmp_path: Path) -> None:
    (tmp_path / "theirs.py").write_text("def pytest_addoption(parser): parser.addoption('--kb', action='store')\n")
    (tmp_path / "test_it.py").write_text("def test_it(request): assert request.config.getoption('kb') == 'theirs'\n")
    result = run(
        tmp_path,
        "-p",
        "theirs",
        "--kb=theirs",
        PYTHONPATH=os.pathsep.join([str(ROOT), str(tmp_path), os.environ.get("PYTHONPATH", "")]),
    )
    assert result.returncode == 0, result.stdout + result.stderr
