"""Every console block of the README runs and prints what the README shows.

A block is fenced with ``console``; a line that starts with ``$ `` is a command, lines that start with ``> `` go on with
it, the lines under it are its output, in which ``...`` stands for anything. A block may say, in a comment above it, why it is not run.
"""

import itertools
import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"(?:<!-- not run: (?P<why>[^\n]*) -->\n)?```console\n(?P<body>.*?)^```", re.DOTALL | re.MULTILINE)


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


@pytest.fixture(scope="module")
def shell_env(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    home = tmp_path_factory.mktemp("readme")
    return {
        **os.environ,
        "KB_HOME": str(home / ".kb"),
        "PATH": f"{ROOT / '.venv/bin'}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "100",
    }


@pytest.mark.spark
def test_every_console_block_runs_as_shown(shell_env: dict[str, str]) -> None:
    assert commands(), "the README has no console block that is run"
    for command, expected in commands():
        ran = subprocess.run(
            ["bash", "-c", command], check=False, cwd=ROOT, env=shell_env, capture_output=True, text=True, timeout=300
        )
        shown = ran.stdout + ran.stderr
        assert matches(expected, shown), f"$ {command}\n--- shown\n{shown}\n--- README\n{expected}"


def test_the_comparison_can_fail() -> None:
    assert matches("a ... c", "x a b\n c y")
    assert not matches("a ... d", "x a b c y")
