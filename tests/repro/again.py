"""Run the programs of this folder again and compare what they print with the traces of the write-ups.

``python tests/repro/again.py [FILE…]`` runs those whose needs are met here and says what it skips and why. Compared is what a message says once values
are placeholders: type and first line of every error of a trace. Exit code 1 when a program that ran shows no trace of a write-up that names it as its source.
"""

import argparse
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))

from index.training.cases import articles  # noqa: E402
from kb.trace import parse  # noqa: E402 - the folder is no package
from kb.trace.normalize import normalize  # noqa: E402

LONGEST = 180
"""Seconds that a program may take."""
LINES = 400
"""Lines of what a program prints that are read one by one."""
PATHS = re.compile(r"(?:[\w.-]+:)?/[^\s:'\")]*[^\s:'\").,]")
"""``/tmp/tmp.Ab1/shop``, ``unix:///var/run/docker.sock``"""
COMMANDS = {".py": "{python} {file}", ".go": "go run {file}", ".js": "node {file}", ".java": "java {file}"}


@dataclass(frozen=True, slots=True)
class Program:
    """A file, the write-ups whose traces it prints, what it needs, and how it is run."""

    file: str
    shows: tuple[str, ...]
    needs: tuple[str, ...]
    command: str

    @classmethod
    def of(cls, row: dict[str, Any]) -> "Program":
        path = HERE / row["file"]
        shell = "bash" if path.suffix == ".sh" and not path.read_text().startswith("#!/bin/sh") else "sh"
        usual = COMMANDS.get(path.suffix, f"{shell} {{file}}")
        return cls(row["file"], tuple(row["shows"]), tuple(row["needs"]), row.get("command", usual))


def programs() -> list[Program]:
    """Those of ``programs.toml``, in its order."""
    rows = tomllib.loads((HERE / "programs.toml").read_text(encoding="utf-8"))["program"]
    return [Program.of(row) for row in rows]


def missing(need: str, python: str, *, index: bool) -> str | None:
    """Why a need is not met here; None where it is."""
    kind, _, name = need.rpartition(":")
    if need in {"root", "index"}:
        is_met = os.geteuid() == 0 if need == "root" else index
        return None if is_met else f"it needs {'root' if need == 'root' else 'a package index (--index)'}"
    checks: dict[str, tuple[Callable[[], object], str]] = {
        "py": (lambda: has_module(python, name), f"{python} has no module {name}"),
        "env": (lambda: os.environ.get(name), f"the variable {name} is not set"),
        "file": (lambda: Path(name).exists(), f"{name} is not there"),
        "port": (lambda: is_free(int(name)), f"port {name} is taken"),
        "": (lambda: shutil.which(name), f"{name} is not installed"),
    }
    check, reason = checks[kind]
    return None if check() else reason


def has_module(python: str, name: str) -> bool:
    """Whether a Python can import a module."""
    return not subprocess.run([python, "-c", f"import {name}"], capture_output=True, check=False, cwd="/").returncode


def is_free(port: int) -> bool:
    """Whether nobody listens on a port of this machine."""
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) != 0


def run(program: Program, python: str) -> str:
    """What the program prints, on both streams, within the time that it may take; its children end with it."""
    command = program.command.format(file=HERE / program.file, python=python)
    with tempfile.TemporaryDirectory(prefix="repro-") as folder, tempfile.TemporaryFile() as printed:
        place = HERE if "beside" in (HERE / program.file).read_text(encoding="utf-8")[:200] else folder
        environment = {**os.environ, "PYTHON": python, "LC_ALL": "C.UTF-8"}
        environment["PATH"] = f"{Path(python).parent}:{environment['PATH']}"
        environment.pop("PYTHONPATH", None)
        process = subprocess.Popen(
            command, shell=True, cwd=place, env=environment, stdout=printed, stderr=printed, stdin=subprocess.DEVNULL, start_new_session=True
        )  # fmt: skip
        try:
            process.wait(LONGEST)
        except subprocess.TimeoutExpired:
            print(f"  it ran into the limit of {LONGEST} s")
        finally:
            stop(process.pid)
            process.wait()
        printed.seek(0)
        return printed.read().decode("utf-8", "replace")


def stop(group: int) -> None:
    """End what is left of a program."""
    try:
        os.killpg(group, signal.SIGTERM)
    except ProcessLookupError:
        return


def said(text: str) -> set[tuple[str, str]]:
    """Type and first line of every error in a text, its values and paths placeholders."""
    return {
        (one.type or "", PATHS.sub("<path>", " ".join((one.message or "").strip().partition("\n")[0].split())))
        for chain in parse(text)
        for one in normalize(chain).exceptions
    }


def said_by_lines(printed: str) -> set[tuple[str, str]]:
    """The same of all that a program printed, and of each of its first lines alone: they are many print-outs in one."""
    lines = (line for line in printed.splitlines()[:LINES] if line.strip())
    return said(printed).union(*map(said, lines))


def traces(shows: Iterable[str], corpus: dict[str, tuple[str, ...]]) -> Iterator[tuple[str, int, str]]:
    """Every trace of some write-ups: id, number, text."""
    for name in shows:
        for number, trace in enumerate(corpus[name], 1):
            yield name, number, trace


def compare(program: Program, printed: str, corpus: dict[str, tuple[str, ...]]) -> list[str]:
    """The write-ups of which the program shows no trace; what it shows of each is printed."""
    found = said_by_lines(printed)
    shown: dict[str, list[int]] = {name: [] for name in program.shows}
    for name, number, trace in traces(program.shows, corpus):
        if said(trace) & found:
            shown[name].append(number)
    for name, numbers in shown.items():
        print(f"  {name}: {len(numbers)} of {len(corpus[name])} traces again{f' ({numbers})' if numbers else ''}")
    return [name for name, numbers in shown.items() if not numbers]


def main() -> None:
    """Run what can be run here."""
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("files", nargs="*", metavar="FILE", help="only these programs, by name")
    arguments.add_argument("--index", action="store_true", help="run those that fetch from a package index, too")
    arguments.add_argument("--python", default=sys.executable, help="run them by this Python, which has their packages")
    asked = arguments.parse_args()
    corpus = {one.id: one.traces for one in articles(HERE.parents[1] / "corpus")}
    failed, skipped, ran = [], 0, 0
    for program in programs():
        if asked.files and program.file not in asked.files:
            continue
        print(program.file, flush=True)
        if reasons := [reason for need in program.needs if (reason := missing(need, asked.python, index=asked.index))]:
            print(f"  skipped: {'; '.join(reasons)}")
            skipped += 1
            continue
        ran += 1
        failed += [f"{program.file}: {name}" for name in compare(program, run(program, asked.python), corpus)]
    print(f"{ran} programs ran, {skipped} skipped, {len(failed)} write-ups not shown again")
    for one in failed:
        print(f"  {one}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
