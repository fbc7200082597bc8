"""Watch logs: the known incidents as they appear, once each, with cause and fix."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Annotated

import typer

from api.commands.search import FailOn
from api.console import note, to_terminal
from api.incidents import open_client
from api.settings import ServiceSettings
from api.watching.counts import WatchCounts
from api.watching.logs import LogFollower
from api.watching.output import JsonOutput, TerminalOutput
from api.watching.watch import LogWatch, QuestionThread
from index.local_rules import activate_home_rules
from index.snapshot import current
from index.verdict import Verdict

app = typer.Typer()

_K = 3
_TERMINATED = 128 + signal.SIGTERM


Logs = Annotated[
    list[str], typer.Argument(metavar="FILE|PATTERN|-...", help="Files, patterns in quotes, or - for standard input.")
]
FromStart = Annotated[
    bool, typer.Option("--from-start", help="Also what the files hold already; else what is added from now on.")
]
Reported = Annotated[
    list[Verdict],
    typer.Option("--verdict", metavar="known|related", help="Report best matches of this verdict; may be given twice."),
]
Others = Annotated[bool, typer.Option("--unknown", help="Report each trace, too, that is no such incident, once.")]
JsonLines = Annotated[bool, typer.Option("--json", help="A JSON document a line on standard output, nothing else.")]


@app.command()
def watch(
    logs: Logs,
    from_start: FromStart = False,  # noqa: FBT002
    verdict: Reported = [Verdict.KNOWN],  # noqa: B006  typer copies it
    unknown: Others = False,  # noqa: FBT002
    fail_on: FailOn = [],  # noqa: B006
    json: JsonLines = False,  # noqa: FBT002
) -> None:
    """Watch logs: the known incidents as they appear, once each, with cause and fix.

    kubectl logs -f deploy/shop | kb watch -

    Files are followed however they are rotated, and may not be there yet. Ctrl-C sums up. With KB_URL set the running service is asked
    (and waited for while it is away); without it the home answers in this process, with what is saved meanwhile.
    """
    if Verdict.UNKNOWN in verdict:
        raise typer.BadParameter("it is known or related; --unknown reports the others", param_hint="--verdict")
    settings = ServiceSettings.load()
    if settings.url is None:
        current(settings.home)  # SnapshotError, with the cure, before anything is waited for
    activate_home_rules(settings.home)
    telling = JsonOutput() if json else TerminalOutput(to_terminal())
    following = LogFollower(logs, from_start=from_start, tell=telling.notice)
    sightings = WatchCounts(frozenset(verdict), unknown)
    with open_client(settings) as client, _terminable():
        running = LogWatch(following, QuestionThread(lambda text: client.search(text, _K)), sightings, telling)
        try:
            running.run()
        finally:
            running.end()
    _end(sightings, running.unasked(), fail_on)


@contextmanager
def _terminable() -> Iterator[None]:
    """SIGTERM ends the block as Ctrl-C does: a watch beside a program in a pod sums up when the pod goes."""

    def end(_signal: int, _frame: FrameType | None) -> None:
        raise SystemExit(_TERMINATED)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _end(sightings: WatchCounts, unasked: int, fail_on: list[Verdict]) -> None:
    if failing := [one.value for one in fail_on if one in sightings.verdicts]:
        note(f"kb: {' and '.join(failing)} traces, and --fail-on asks for exit code 1")
    if failing or unasked or sightings.dropped:
        raise typer.Exit(1)
