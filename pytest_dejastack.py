"""`pytest --kb`: failures with the known incidents they look like. Off unless asked for, and then nothing of it can fail a run.

This module stands beside the rooms, under a name that nobody else has, and imports none of them: pytest loads it in every run, also in
projects that have an `api` or an `index` of their own. The service at `KB_URL` or the home is asked once, at the end, by another process.
"""

import json
import subprocess
import sys
import textwrap
from typing import Any

import pytest

_MOST = 200
"""Texts of one run that are asked about, equal ones counted once."""
_MOST_CHARACTERS = 100_000
"""Of a traceback, and of each kind of captured output (its end)."""
_SECONDS = 60.0
"""After this time the run ends without an answer."""
_SHOWN = 5


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--kb`, unless some other plugin has that name."""
    try:
        parser.getgroup("dejastack").addoption(
            "--kb", action="store_true", help="name the known incidents that failures look like (KB_URL, or the home)"
        )
    except ValueError:
        return


def pytest_configure(config: pytest.Config) -> None:
    """Register what asks, in the process that reports: a worker of xdist hands its reports to it."""
    if config.getoption("kb", default=False) is True and not hasattr(config, "workerinput"):
        config.pluginmanager.register(KnownIncidents(config), "dejastack-known-incidents")


class KnownIncidents:
    """Collects the failures of a run, asks about them when it is over, and adds what is known to their reports."""

    def __init__(self, config: pytest.Config) -> None:
        self._folder = config.invocation_params.dir
        self._failed: dict[tuple[str, ...], list[Any]] = {}
        """Reports of failures by the texts to ask about."""
        self._known: dict[str, tuple[dict[str, Any], list[str]]] = {}
        """Incidents by id, each with the failures that look like it."""
        self._other = 0
        self._problem = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A test, or what it needs, has failed."""
        self._take(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A file could not be read."""
        self._take(report)

    def pytest_sessionfinish(self) -> None:
        """Ask, before the failures are printed."""
        if not self._failed:
            return
        try:
            texts = list(dict.fromkeys(text for several in self._failed for text in several))[:_MOST]
            self._note(dict(zip(texts, _answers(texts, str(self._folder)), strict=True)))
        except Exception as error:  # noqa: BLE001 - whatever is wrong here is no failure of the run
            self._problem = str(error) or type(error).__name__

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """The incidents, and which failures look like each."""
        if not self._failed:
            return
        terminalreporter.section("known incidents")
        for answer, names in self._known.values():
            terminalreporter.line(f"{len(names)} × {answer['title']} ({answer['percent']}) · {answer['id']}")
            more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
            terminalreporter.line(f"    {', '.join(names[:_SHOWN])}{more}")
        if self._problem:
            terminalreporter.line(f"kb could not be asked: {self._problem}")
        elif self._other:
            terminalreporter.line(f"{self._other} other failure{'s' * (self._other > 1)}: no known incident")

    def _take(self, report: Any) -> None:
        try:
            if report.failed:
                self._failed.setdefault(_texts(report), []).append(report)
        except Exception as error:  # noqa: BLE001 - a report of a kind that nobody has seen
            self._problem = str(error)

    def _note(self, told: dict[str, dict[str, Any]]) -> None:
        for texts, reports in self._failed.items():
            answer = next((told[text] for text in texts if text in told and told[text]["verdict"] == "known"), None)
            if answer is None:
                self._other += len(reports)
                continue
            names = self._known.setdefault(answer["id"], (answer, []))[1]
            for report in reports:
                names.append(report.nodeid)
                report.sections.append(("known incident", answer["words"]))


def _texts(report: Any) -> tuple[str, ...]:
    """What to ask about a failure: the traceback with what was captured beside it, and a message of several lines by itself.

    Without the `E` before each, such a message may be the trace of another program, as Spark's are.
    """
    shown = report.longreprtext[-_MOST_CHARACTERS:]
    captured = (content[-_MOST_CHARACTERS:] for _, content in report.sections)
    message = [line.removeprefix("E") for line in shown.splitlines() if line.startswith("E   ")]
    alone = (textwrap.dedent("\n".join(message)),) if len(message) > 1 else ()
    return ("\n".join([shown, *captured]), *alone)


def _answers(texts: list[str], folder: str) -> list[dict[str, Any]]:
    """What is known of each text, in their order; RuntimeError with what the other process said when it did not answer.

    `-P` keeps packages of the tested project from standing in for ours.
    """
    command = [sys.executable, "-P", "-W", "ignore", "-m", "api.testruns"]
    asked = json.dumps(texts).encode("ascii")
    try:
        ended = subprocess.run(command, input=asked, capture_output=True, timeout=_SECONDS, check=False, cwd=folder)  # noqa: S603
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"no answer within {_SECONDS:.0f} s") from None
    if ended.returncode:
        said = ended.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise RuntimeError(said.removeprefix("kb: ") or f"it ended with {ended.returncode}")
    answers: list[dict[str, Any]] = json.loads(ended.stdout)
    return answers
