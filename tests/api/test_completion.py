"""The Tab key, in a real bash; zsh and fish by what their scripts ask."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

KB = f'#!/bin/sh\nexec {sys.executable} -m api.cli "$@"\n'
TRY = """
shopt -s progcomp
source {script}
try() {{ COMP_WORDS=("$@"); COMP_CWORD=$((${{#COMP_WORDS[@]}}-1)); COMPREPLY=(); _kb_completion kb; echo "${{COMPREPLY[*]}}"; }}
try kb sea
try kb search --f
try kb search --fail-on ""
try kb snapshots ""
try kb watch --from-start app.log --verdict r
try kb search app
complete -p kb
"""


@pytest.fixture
def shell(tmp_path: Path) -> dict[str, str]:
    """An environment in which `kb` is a command, and nothing is configured."""
    (tmp_path / "kb").write_text(KB)
    (tmp_path / "kb").chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("KB_", "_KB"))}
    return kept | {
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1",
    }


def run(*command: str, env: dict[str, str]) -> str:
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, check=True).stdout


@pytest.mark.slow
def test_in_bash_as_installed(tmp_path: Path, shell: dict[str, str]) -> None:
    """`kb --install-completion` writes what bash reads at its start; one that runs already gets the same words from it."""
    said = run("kb", "--install-completion", "bash", env=shell)
    script = tmp_path / ".bash_completions" / "kb.sh"
    assert str(script) in said.replace("\n", "")
    assert str(script) in (tmp_path / ".bashrc").read_text()
    told = run("bash", "--norc", "-c", TRY.format(script=script), env=shell).splitlines()
    assert told[:6] == [
        "search",
        "--fail-on",
        "known related unknown",
        "list verify rollback prune fill",
        "related",
        "",
    ]
    assert "-o default" in told[6]  # files, where we have nothing to say


def test_in_zsh_and_fish(shell: dict[str, str]) -> None:
    zsh = run("kb", env=shell | {"_KB_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": "kb wat"})
    assert re.search(r'"watch":"Watch logs', zsh), zsh
    fish = shell | {
        "_KB_COMPLETE": "complete_fish",
        "_TYPER_COMPLETE_ARGS": "kb wat",
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    assert run("kb", env=fish).startswith("watch\tWatch logs")
    for name in ("zsh", "fish"):
        assert "_KB_COMPLETE" in run("kb", "--show-completion", name, env=shell)


def test_completing_a_command_loads_none() -> None:
    """Each Tab starts a program; the names of commands come from their registration."""
    program = (
        "import os, sys, atexit\natexit.register(lambda: print(len({m.partition('.')[0] for m in sys.modules} & "
        "{'index', 'numpy', 'httpx', 'fastapi'}), file=sys.stderr))\nfrom api.cli import main\nmain([])"
    )
    environment = {**os.environ, "_KB_COMPLETE": "complete_bash", "COMP_WORDS": "kb sea", "COMP_CWORD": "1"}
    result = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert result.stdout.split() == ["search"]
    assert result.stderr.split() == ["0"]
