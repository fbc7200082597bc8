"""Watch logs: report each known incident once as it appears, with cause and fix."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Annotated

import typer

from api.commands.search import FailOn
from api.incidents import open_client
from api.render.console import note, to_terminal
from api.settings import ServiceSettings
from api.watching.counts import WatchCounts
from api.watching.logs import LogFollower
from api.watching.output import JsonOutput, TerminalOutput
from api.watching.watch import LogWatch, QuestionThread
from index.local_rules import activate_home_rules
from index.storage.snapshot import current
from index.verdict import Verdict

app = typer.Typer()

_K = 3
_TERMINATED = 128 + signal.SIGTERM


Logs = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE|PATTERN|-...", help="Follow these files, patterns in quotes, or - for standard input."
    ),
]
FromStart = Annotated[
    bool, typer.Option("--from-start", help="Read the files from their start, not only what is added from now on.")
]
Reported = Annotated[
    list[Verdict],
    typer.Option(
        "--verdict", metavar="known|related", help="Report best matches of this verdict; give it twice for both."
    ),
]
Others = Annotated[bool, typer.Option("--unknown", help="Report every other trace as well, once.")]
JsonLines = Annotated[
    bool, typer.Option("--json", help="Print one JSON document a line on standard output, and nothing else.")
]


@app.command()
def watch(
    logs: Logs,
    from_start: FromStart = False,  # noqa: FBT002
    verdict: Reported = [Verdict.KNOWN],  # noqa: B006  typer copies it
    unknown: Others = False,  # noqa: FBT002
    fail_on: FailOn = [],  # noqa: B006
    json: JsonLines = False,  # noqa: FBT002
) -> None:
    """Watch logs: report each known incident once as it appears, with cause and fix.

    kubectl logs -f deploy/shop | kb watch -

    Files are followed through rotation and may not exist yet. Ctrl-C prints a summary. With KB_URL set, ask the running service
    (and wait while it is away); without it, the home answers in this process and sees what is saved meanwhile.
    """
    if Verdict.UNKNOWN in verdict:
        raise typer.BadParameter("it is known or related; --unknown reports the others", param_hint="--verdict")
    settings = ServiceSettings.load()
    if settings.url is None:
        current(settings.home)  # SnapshotError, with the cure, before anything is waited for
    activate_home_rules(settings.home)
    output = JsonOutput() if json else TerminalOutput(to_terminal())
    following = LogFollower(logs, from_start=from_start, tell=output.notice)
    counts = WatchCounts(frozenset(verdict), unknown)
    with open_client(settings) as client, _terminable():
        running = LogWatch(following, QuestionThread(lambda text: client.search(text, _K)), counts, output)
        try:
            running.run()
        finally:
            running.end()
    _end(counts, running.unasked(), fail_on)


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


def _end(counts: WatchCounts, unasked: int, fail_on: list[Verdict]) -> None:
    if failing := [one.value for one in fail_on if one in counts.verdicts]:
        note(f"kb: {' and '.join(failing)} traces, and --fail-on asks for exit code 1")
    if failing or unasked or counts.dropped:
        raise typer.Exit(1)
