"""Check Java, disk, model and snapshot: what is wrong, and the cure."""

from dataclasses import asdict
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

import typer
from rich.text import Text

from api.render.console import Json, plain, print_json, to_terminal
from api.settings import ServiceSettings
from index.checkup import Finding
from kb.errors import KbError

app = typer.Typer()

GROUP = "kb.checks"


@app.command()
def doctor(json: Json = False) -> None:  # noqa: FBT002
    """Check Java, disk, model and snapshot: what is wrong, and the cure. Exit code 1 when something is."""
    findings = examine(ServiceSettings.load().home)
    if json:
        print_json([asdict(finding) for finding in findings])
    else:
        console = to_terminal()
        for finding in findings:
            sign, style = ("✓", "green") if finding.ok else ("✗", "bold red")
            console.print(Text(f"{sign} {finding.name:<11}", style=style).append(plain(finding.finding), style="none"))
            if not finding.ok:
                console.print(Text(f"  {'':<11}Cure: {plain(finding.cure)}"))
    if not all(finding.ok for finding in findings):
        raise typer.Exit(1)


def examine(home: Path) -> list[Finding]:
    """What every registered check found, by name."""
    return [_run(entry, home) for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name)]


def _run(entry: EntryPoint, home: Path) -> Finding:
    try:
        finding: Finding = entry.load()(home)
    except ModuleNotFoundError as error:
        cure = "`pip install 'dejastack[ingest]'`, or `make install`; what serves a snapshot needs none of it"
        return Finding(entry.name, ok=False, finding=f"module {error.name} is missing", cure=cure)
    except KbError as error:
        return Finding(entry.name, ok=False, finding=error.problem, cure=error.cure)
    return finding
