"""Compare one paste with one incident: frames side by side, and every number of the score."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from api.render.console import Json, plain, print_json, print_trimmed, read_input, to_terminal
from api.render.language import load_strings
from api.render.sides import side_by_side
from api.render.tables import legend, rows_table
from api.settings import ServiceSettings
from index import Engine, Evidence, Explanation
from index.answer import Against
from index.wire import incident_to_dict
from kb.errors import KbError
from kb.trace import Level, fingerprints

app = typer.Typer()

SIDES = ("your trace", "known incident")


class NoSuchIncidentError(KbError):
    """The snapshot holds no incident of that id."""


@app.command()
def explain(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="Read the paste from this file, or - for standard input.")
    ],
    incident_id: Annotated[
        str, typer.Argument(metavar="INCIDENT_ID", help="The incident's id, as `kb search` shows it.")
    ],
    json: Json = False,  # noqa: FBT002
) -> None:
    """Compare one paste with one incident: frames side by side, and every number of the score."""
    text = read_input(file)
    settings = ServiceSettings.load()
    engine = Engine.open(settings.home, settings.model, settings.store, settings.place)
    engine.activate()
    try:
        explanation = engine.explain(text, incident_id)
    finally:
        engine.close()
    if explanation is None:
        problem = f"no incident has the id {incident_id!r}"
        raise NoSuchIncidentError(problem, cure="`kb search` shows the ids of what it finds")
    if json:
        print_json(to_dict(explanation))
    else:
        print_explanation(explanation, to_terminal())


def to_dict(explanation: Explanation) -> dict[str, Any]:
    """The explanation as one JSON document."""
    sides = side_by_side(explanation)
    rows = sides.rows if sides else ()
    return {
        "incident": incident_to_dict(explanation.incident),
        "probability": round(explanation.probability, 4),
        "bias": explanation.bias,
        "calibration": explanation.calibration,
        "fingerprints": fingerprints_of(explanation),
        "features": [asdict(line) for line in explanation.features],
        "evidence": [asdict(item) for item in explanation.evidence],
        "against": [asdict(item) for item in explanation.against],
        "frames": [{"query": row.ours, "incident": row.theirs, "agreement": row.agreement} for row in rows],
    }


def fingerprints_of(explanation: Explanation) -> dict[str, dict[str, object]]:
    """Each level's digest on both sides; nothing when one side has no trace."""
    if explanation.query_chain is None or explanation.incident_chain is None:
        return {}
    ours, theirs = fingerprints(explanation.query_chain), fingerprints(explanation.incident_chain)
    return {
        level.value: {
            "query": ours[level].digest,
            "incident": theirs[level].digest,
            "equal": ours[level].digest == theirs[level].digest,
        }
        for level in Level
    }


def print_explanation(explanation: Explanation, console: Console) -> None:
    """The explanation on a terminal."""
    incident = explanation.incident
    console.print(Text(plain(incident.title), style="bold"))
    console.print(
        Text(f"{plain(incident.id)} · {load_strings()['en'].probability(explanation.probability)}", style="cyan")
    )
    if sides := side_by_side(explanation):
        console.print(Text(f"\nSide by side{legend(console, *SIDES)}", style="bold"))
        console.print(rows_table(sides.rows, console, *SIDES))
        if sides.left_out:
            console.print(Text(f"… {sides.left_out} more rows: see --json", style="dim"))
    else:
        console.print("\nNo trace on one of the two sides: compared by words and meaning.")
    if prints := fingerprints_of(explanation):
        console.print(Text("\nFingerprints", style="bold"))
        console.print(_fingerprints(prints))
    for heading, items, sign in (
        ("Why", explanation.evidence, "+"),
        ("What speaks against it", explanation.against, "−"),
    ):
        if items:
            console.print(Text(f"\n{heading}", style="bold"))
            print_trimmed(_reasons(items, sign), console)
    console.print(Text("\nScore (log-odds)", style="bold"))
    console.print(_score(explanation))


def _fingerprints(prints: Mapping[str, Mapping[str, object]]) -> Table:
    table = Table.grid(padding=(0, 2))
    for level, sides in prints.items():
        sign = "=" if sides["equal"] else "≠"
        table.add_row(f"  {level}", str(sides["query"]), sign, str(sides["incident"]))
    return table


def _reasons(items: Iterable[Evidence | Against], sign: str) -> Table:
    table = Table.grid(padding=(0, 1))
    for item in items:
        summary = Text(plain(item.summary), overflow="fold")
        table.add_row(Text(f"  {item.kind}", style="dim"), summary, f"{sign}{item.weight:.1f}")
    return table


def _score(explanation: Explanation) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("feature", "value", "weight", "adds"):
        table.add_column(heading, justify="left" if heading == "feature" else "right")
    for line in sorted(explanation.features, key=lambda line: -abs(line.contribution)):
        style = "" if line.contribution else "dim"
        table.add_row(line.name, f"{line.value:.3f}", f"{line.weight:+.2f}", f"{line.contribution:+.2f}", style=style)
    table.add_row("bias", "", "", f"{explanation.bias:+.2f}")
    table.add_row("calibration", "", "", f"{explanation.calibration:+.2f}")
    total = explanation.bias + explanation.calibration + sum(line.contribution for line in explanation.features)
    table.add_row("sum", "", "", f"{total:+.2f}", style="bold")
    return table
