"""Every console block of the README runs and prints what the README shows.

A block is fenced with ``console``; a line that starts with ``$ `` is a command, lines that start with ``> `` go on with
it, the lines under it are its output, in which ``...`` stands for anything. A block may say, in a comment above it, why it is not run.

The first block is run by `kb up`, from nothing, as `make run` does it; the others are typed.
"""

import itertools
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.api.fixtures import serving

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"(?:<!-- not run: (?P<why>[^\n]*) -->\n)?```console\n(?P<body>.*?)^```", re.DOTALL | re.MULTILINE)
QUESTION = "java.io.IOException: Unable to close file because the last block does not have enough number of replicas."


def commands() -> list[tuple[str, str]]:
    """(command, expected output) of every block that is run, in order."""
    found: list[tuple[str, str]] = []
    for block in BLOCK.finditer((ROOT / "README.md").read_text(encoding="utf-8")):
        if block["why"] is None:
            for part in re.split(r"^\$ ", block["body"], flags=re.MULTILINE)[1:]:
                first, *rest = part.splitlines()
                more = [line[2:] for line in itertools.takewhile(lambda line: line.startswith("> "), rest)]
                found.append(("\n".join([first, *more]), "\n".join(rest[len(more) :]).strip()))
    return found


def matches(expected: str, actual: str) -> bool:
    squeezed = [re.sub(r"\s+", " ", text).strip() for text in (expected, actual)]
    pattern = ".*?".join(re.escape(piece.strip()) for piece in squeezed[0].split("..."))
    return re.search(pattern, squeezed[1], re.DOTALL) is not None


@dataclass(frozen=True, slots=True)
class Start:
    """A start of `kb up`: what it wrote until its first answer, that answer, and the seconds to it."""

    said: str
    answer: dict[str, Any]
    seconds: float

    @classmethod
    def of(cls, home: Path, folder: Path) -> "Start":
        """Starts it, asks it once and ends it."""
        begun = time.monotonic()
        with serving(home, folder, command="up", seconds=300) as server:
            answer = httpx.post(f"{server.url}/v1/search", json={"text": QUESTION}, timeout=30).json()
            return cls(server.output.read_text(encoding="utf-8"), answer, time.monotonic() - begun)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("readme") / ".kb"


@pytest.fixture(scope="module")
def first(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Start:
    """`kb up` where there is nothing: it ingests the bundled write-ups with Spark."""
    return Start.of(home, tmp_path_factory.mktemp("first"))


@pytest.mark.spark
@pytest.mark.slow
def test_from_nothing_to_the_first_answer(first: Start) -> None:
    """Under a minute, Spark's start included (DESIGN)."""
    assert first.answer["matches"][0]["incident"]["id"] == "flink-checkpoint-hdfs-last-block-replicas"
    assert first.seconds < 180, "20 s on an idle machine, beside the rest of the tests three times that"


@pytest.mark.spark
@pytest.mark.slow
def test_a_later_start_needs_no_spark(first: Start, home: Path, tmp_path: Path) -> None:
    log = home / "spark.log"
    log.unlink()
    later = Start.of(home, tmp_path)
    assert "nothing to ingest" in later.said
    assert not log.exists()
    assert later.answer["matches"] == first.answer["matches"]
    assert later.seconds < 12 or later.seconds < first.seconds / 2, "nothing is ingested again"


@pytest.mark.spark
@pytest.mark.slow
def test_every_console_block_runs_as_shown(first: Start, home: Path) -> None:
    (ingesting, published), *others = commands()
    assert ingesting == "kb ingest corpus", "what `kb up` runs at its first start"
    assert matches(published, first.said), f"$ {ingesting}\n--- shown\n{first.said}\n--- README\n{published}"
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environ = {**os.environ, "KB_HOME": str(home), "PATH": programs, "COLUMNS": "100"}
    assert others, "the README has no other console block that is run"
    for command, expected in others:
        ran = subprocess.run(
            ["bash", "-c", command], check=False, cwd=ROOT, env=environ, capture_output=True, text=True, timeout=300
        )
        shown = ran.stdout + ran.stderr
        assert matches(expected, shown), f"$ {command}\n--- shown\n{shown}\n--- README\n{expected}"


def test_the_comparison_can_fail() -> None:
    assert matches("a ... c", "x a b\n c y")
    assert not matches("a ... d", "x a b c y")
