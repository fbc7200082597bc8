"""Write, list and synchronise incidents, of the store or of the service at KB_URL."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from api.commands.incident_folders import export_command, import_command, stamp_command
from api.incidents import open_incidents
from api.incidents.files import NotSaved, edit_text, places, text_of_record
from api.incidents.json_lines import import_lines
from api.incidents.screens import (
    changed_fields,
    print_fields,
    print_history,
    print_incident,
    print_list,
    print_outcomes,
)
from api.incidents.sync import failed
from api.render.console import STDIN, Json, note, plain, print_json, read_input, to_terminal
from api.settings import ServiceSettings
from kb.article.writeups.frontmatter import split
from kb.client import Declined, Incidents
from kb.client.shapes import Incident, Merge, Saved, Sighting
from kb.errors import KbError, SourceError

app = typer.Typer(no_args_is_help=True, help=__doc__)
app.command("import")(import_command)
app.command("export")(export_command)
app.command("stamp")(stamp_command)

Id = Annotated[str, typer.Argument(metavar="ID")]
Note = Annotated[str, typer.Option(help="Add this note to the history.")]
Revision = Annotated[
    int | None, typer.Option(min=1, help="Change only this revision, the one you saw; default: the current one.")
]
_TEMPLATE = """---
title: …
lang: en
component:
tags: []
status: draft
---
## Symptom



## Trace

```

```

## Root cause



## Fix


"""


@contextmanager
def _incidents(file: str | None = None) -> Iterator[Incidents]:
    """Open the incidents of this process's settings; print the mistakes in what was sent line by line before the command ends."""
    with open_incidents(ServiceSettings.load()) as incidents:
        try:
            yield incidents
        except Declined as declined:
            for one in places(declined.errors):
                note(f"{file or 'line'}:{one.line}:{one.column}: {one.problem}" if one.line else one.problem)
            raise


@app.command("list")
def list_command(
    status: Annotated[
        str | None, typer.Option(help="List only this status: draft, in_review, published or retired.")
    ] = None,
    component: Annotated[str | None, typer.Option(help="List only this component.")] = None,
    text: Annotated[str | None, typer.Option(help="Match this text in id, title, component or tags.")] = None,
    recent: Annotated[bool, typer.Option("--recent", help="List the last changed first.")] = False,  # noqa: FBT002
    ingested: Annotated[bool, typer.Option("--ingested", help="List the merely ingested as well.")] = False,  # noqa: FBT002
    json: Json = False,  # noqa: FBT002
) -> None:
    """List the incidents of the store."""
    wanted = {"status": status, "component": component, "text": text}
    wanted |= {"order": "recent" if recent else None, "place": None if ingested else "store"}
    with _incidents() as incidents:
        rows = incidents.listed(**wanted)
        if json:
            print_json({"incidents": list(rows)})
        elif not print_list(rows, to_terminal()):
            note(
                f"no such incident at {incidents.name}; `kb incidents add` writes one, --ingested lists the snapshot's too"
            )


@app.command()
def show(
    incident_id: Id,
    revision: Annotated[int | None, typer.Option(min=1, help="Show this revision.")] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print it as a write-up.")] = False,  # noqa: FBT002
    json: Json = False,  # noqa: FBT002
) -> None:
    """Show one incident, whole."""
    with _incidents() as incidents:
        if revision is None:
            record: Incident | None = incidents.get(incident_id)
        else:
            then = incidents.revision(incident_id, revision)
            record = then and then["incident"]
    if record is None:
        raise SourceError(f"{incident_id} has no revision {revision}", cure="`kb incidents history` lists them")
    if json:
        print_json(record)
    elif markdown:
        sys.stdout.write(text_of_record(record))
    else:
        print_incident(record, to_terminal())


@app.command()
def add(
    file: Annotated[
        str | None,
        typer.Argument(metavar="[FILE|-]", help="Read a write-up or JSON lines from here; default: open your editor."),
    ] = None,
    paste: Annotated[str | None, typer.Option(metavar="FILE|-", help="Start from a draft of this paste.")] = None,
    message: Note = "",
    json: Json = False,  # noqa: FBT002
) -> None:
    """Add a new incident: from a write-up, from JSON lines, or in your editor."""
    with _incidents(file) as incidents:
        if file is None:
            text = _TEMPLATE if paste is None else incidents.draft(read_input(paste))["markdown"]
            saved = edit_text(text, "new", lambda edited: incidents.create(edited, message), _confirm_reopen)
            _print_saved(saved, json=json)
            return
        text = read_input(file).replace("\r\n", "\n")
        if text.lstrip()[:1] == "{":
            outcomes = list(import_lines(incidents, text.split("\n"), note=message))
            _print_outcomes(outcomes, json=json)
            return
        meta, _ = split(text)
        known = str(meta["id"]) if meta.get("id") else None
        if known and incidents.find(known):
            raise KbError(f"there is an incident {known!r} already", cure=f"kb incidents import {file} revises it")
        _print_saved(incidents.create(text, message), json=json)


@app.command()
def edit(incident_id: Id, message: Note = "", json: Json = False) -> None:  # noqa: FBT002
    """Open one in your editor and save what came of it as a new revision. Nothing is lost when it cannot be saved."""
    with _incidents() as incidents:
        record = incidents.get(incident_id)
        name, number = record["id"], record["revision"]
        try:
            saved = edit_text(
                text_of_record(record),
                name,
                lambda edited: incidents.replace(name, edited, number, message),
                _confirm_reopen,
            )
        except NotSaved as kept:
            _print_both(record, kept)
            raise
        _print_saved(saved, json=json)


def _confirm_reopen() -> bool:
    return sys.stdin.isatty() and typer.confirm("Open it again?", default=True, err=True)


def _print_both(record: Incident, kept: NotSaved) -> None:
    """Print both sides of a stale edit: the change of the other, then that of the writer."""
    current = kept.document.get("current")
    if current:
        console = to_terminal()
        console.print(f"Revision {current['revision']}, by {current['author']['name']}, changed:")
        print_fields(changed_fields(record, current["incident"]), console)
        console.print("Your text changed:")
        print_fields(changed_fields(record, kept.document.get("yours") or {}), console)


@app.command()
def publish(incident_id: Id, revision: Revision = None, message: Note = "", json: Json = False) -> None:  # noqa: FBT002
    """Publish one: it is searched from now on."""
    _move(incident_id, "published", revision, message, json=json)


@app.command()
def retire(incident_id: Id, revision: Revision = None, message: Note = "", json: Json = False) -> None:  # noqa: FBT002
    """Retire one: it is searched no more; its words and its history stay."""
    _move(incident_id, "retired", revision, message, json=json)


def _move(incident_id: str, status: str, revision: int | None, message: str, *, json: bool) -> None:
    with _incidents() as incidents:
        found = incidents.get(incident_id)
        _print_saved(incidents.move(found["id"], status, revision or found["revision"], message), json=json)


@app.command()
def history(incident_id: Id, json: Json = False) -> None:  # noqa: FBT002
    """List its revisions, the newest first."""
    with _incidents() as incidents:
        revisions = list(incidents.history(incident_id))
    if json:
        print_json({"id": incident_id, "revisions": revisions})
    else:
        print_history(revisions, to_terminal())


@app.command()
def diff(
    incident_id: Id,
    earlier: Annotated[
        int | None, typer.Argument(min=1, help="Compare from this revision; default: the one before.")
    ] = None,
    later: Annotated[int | None, typer.Argument(min=1, help="Compare to this revision; default: the last one.")] = None,
    json: Json = False,  # noqa: FBT002
) -> None:
    """Show what two revisions say differently."""
    with _incidents() as incidents:
        last = later or incidents.get(incident_id)["revision"]
        found = incidents.diff(incident_id, earlier or max(1, last - 1), last)
    if json:
        print_json(found)
    else:
        print_fields(found["fields"], to_terminal())


@app.command()
def restore(
    incident_id: Id,
    number: Annotated[int, typer.Argument(metavar="NUMBER", min=1)],
    revision: Revision = None,
    json: Json = False,  # noqa: FBT002
) -> None:
    """Bring an old revision back as a new one."""
    with _incidents() as incidents:
        expected = revision or incidents.get(incident_id)["revision"]
        _print_saved(incidents.restore(incident_id, number, expected), json=json)


@app.command()
def attach(
    incident_id: Id,
    file: Annotated[
        str, typer.Argument(metavar="[FILE|-]", help="Read a trace of the same problem from here.")
    ] = STDIN,
    message: Note = "",
    json: Json = False,  # noqa: FBT002
) -> None:
    """Attach one trace more: also seen as."""
    trace = read_input(file)
    with _incidents() as incidents:
        _print_saved(incidents.attach(incident_id, trace, message), json=json)


@app.command()
def merge(incident_id: Id, into: Annotated[str, typer.Argument()], message: Note = "", json: Json = False) -> None:  # noqa: FBT002
    """Merge one into another, which gets its traces; the id of the first finds the other from now on."""
    with _incidents() as incidents:
        numbers = (incidents.get(incident_id)["revision"], incidents.get(into)["revision"])
        _print_merge(incidents.merge(incident_id, into, numbers, message), json=json)


@app.command(name="split")
def split_command(incident_id: Id, message: Note = "", json: Json = False) -> None:  # noqa: FBT002
    """Undo a merge."""
    with _incidents() as incidents:
        _print_merge(incidents.split(incident_id, message), json=json)


def _print_merge(merged: Merge, *, json: bool) -> None:
    if json:
        print_json(merged)
        return
    words = "is split off from" if merged["undone_at"] else "is merged into"
    note(f"{merged['from_id']} {words} {merged['to_id']} ({len(merged['traces'])} traces)")


def _print_saved(saved: Saved | None, *, json: bool) -> None:
    if saved is None:
        note("nothing was changed")
        return
    if json:
        print_json(saved)
        return
    note(f"{saved['id']} is at revision {saved['revision']}, {saved['status']}")
    for line in saved["notes"]:
        note(line)
    if hidden := sum(one["count"] for one in saved["redactions"]):
        note(f"{hidden} secrets were taken out before it was stored")


def _print_outcomes(outcomes: list[Any], *, json: bool) -> None:
    if json:
        print_json({"items": [one.to_dict() for one in outcomes]})
    else:
        print_outcomes(outcomes, to_terminal(), dry=False)
    if failed(outcomes):
        raise typer.Exit(1)


@app.command("seen")
def seen_command(
    incident_id: Annotated[str, typer.Argument(metavar="ID")],
    remove: Annotated[str | None, typer.Option(metavar="PASTE", help="Stop counting this paste.")] = None,
    put_back: Annotated[str | None, typer.Option(metavar="PASTE", help="Count a removed paste again.")] = None,
    json: Json = False,  # noqa: FBT002
) -> None:
    """List the pastes that readers confirmed or denied; remove one, or put it back."""
    if remove and put_back:
        raise KbError("--remove and --put-back cannot be used together", cure="change one at a time")
    with open_incidents(ServiceSettings.load()) as incidents:
        if remove:
            incidents.remove_sighting(incident_id, remove)
        elif put_back:
            incidents.put_back_sighting(incident_id, put_back)
        found = incidents.sightings(incident_id)
    if json:
        print_json(found)
    elif found["sightings"]:
        _print(found["sightings"], to_terminal())
    else:
        note(f"no reader has confirmed or denied {found['id']} yet")


def _print(sightings: Iterable[Sighting], console: Console) -> None:
    """The newest first."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("paste", "yes", "no", "last", "counts"):
        table.add_column(heading, justify="right" if heading in {"yes", "no"} else "left", overflow="fold")
    for one in sightings:
        last = one["last_at"][:16].replace("T", " ")
        table.add_row(*(Text(plain(x)) for x in (one["name"], one["yes"], one["no"], last, _counts(one))))
    console.print(table)


def _counts(one: Sighting) -> str:
    if one["removed_by"]:
        return f"removed by {one['removed_by']['name']}"
    old = "" if one["current"] else " (fingerprints of an older version: they find nothing)"
    return (one["counts"] or "not yet: too few voices, or they disagree") + old
