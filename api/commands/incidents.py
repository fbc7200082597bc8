"""Write, look through and synchronise incidents: the store's, or those of the service named by KB_URL."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from api.commands.incident_folders import export_command, import_command, stamp_command
from api.commands.incident_sightings import seen_command
from api.console import STDIN, Json, note, print_json, read_input, to_terminal
from api.incidents.door import open_door
from api.incidents.editing import Kept, edited
from api.incidents.files import places
from api.incidents.lines import take_lines
from api.incidents.outcome import failed
from api.incidents.screens import (
    changed_fields,
    print_fields,
    print_history,
    print_incident,
    print_list,
    print_outcomes,
)
from api.incidents.writeups import text_of_record
from api.settings import ServiceSettings
from kb.article.frontmatter import split
from kb.client import Declined, Incidents
from kb.client.records import Incident, Merge, Saved
from kb.errors import KbError, SourceError

app = typer.Typer(no_args_is_help=True, help=__doc__)
app.command("import")(import_command)
app.command("export")(export_command)
app.command("stamp")(stamp_command)
app.command("seen")(seen_command)

Id = Annotated[str, typer.Argument(metavar="ID")]
Note = Annotated[str, typer.Option(help="Why, for the history.")]
Revision = Annotated[int | None, typer.Option(min=1, help="The revision you saw; left out: whichever there is.")]
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
def _door(file: str | None = None) -> Iterator[Incidents]:
    """The door of this process's settings; mistakes in what was sent are told line by line before the command ends."""
    with open_door(ServiceSettings.load()) as door:
        try:
            yield door
        except Declined as declined:
            for one in places(declined.errors):
                note(f"{file or 'line'}:{one.line}:{one.column}: {one.problem}" if one.line else one.problem)
            raise


@app.command("list")
def list_command(
    status: Annotated[str | None, typer.Option(help="draft, in_review, published or retired.")] = None,
    component: Annotated[str | None, typer.Option(help="Of this component alone.")] = None,
    text: Annotated[str | None, typer.Option(help="Stands in id, title, component or a tag.")] = None,
    recent: Annotated[bool, typer.Option("--recent", help="What was changed last comes first.")] = False,  # noqa: FBT002
    ingested: Annotated[bool, typer.Option("--ingested", help="Also those that only stand in the snapshot.")] = False,  # noqa: FBT002
    json: Json = False,  # noqa: FBT002
) -> None:
    """List the incidents that curators have touched."""
    wanted = {"status": status, "component": component, "text": text}
    wanted |= {"order": "recent" if recent else None, "place": None if ingested else "store"}
    with _door() as door:
        rows = door.listed(**wanted)
        if json:
            print_json({"incidents": list(rows)})
        elif not print_list(rows, to_terminal()):
            note(f"no such incident at {door.name}; `kb incidents add` writes one, --ingested lists the snapshot's too")


@app.command()
def show(
    incident_id: Id,
    revision: Annotated[int | None, typer.Option(min=1, help="As it was then.")] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="As a write-up.")] = False,  # noqa: FBT002
    json: Json = False,  # noqa: FBT002
) -> None:
    """Show one incident, whole."""
    with _door() as door:
        if revision is None:
            record: Incident | None = door.get(incident_id)
        else:
            then = door.revision(incident_id, revision)
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
        str | None, typer.Argument(metavar="[FILE|-]", help="A write-up or JSON lines; left out: your editor opens.")
    ] = None,
    paste: Annotated[str | None, typer.Option(metavar="FILE|-", help="Begin with a draft of this paste.")] = None,
    message: Note = "",
    json: Json = False,  # noqa: FBT002
) -> None:
    """Add a new incident: from a write-up, from JSON lines, or in your editor."""
    with _door(file) as door:
        if file is None:
            text = _TEMPLATE if paste is None else door.draft(read_input(paste))["markdown"]
            saved = edited(text, "new", lambda said: door.create(said, message), _confirm_reopen)
            _print_saved(saved, json=json)
            return
        text = read_input(file).replace("\r\n", "\n")
        if text.lstrip()[:1] == "{":
            outcomes = list(take_lines(door, text.split("\n"), note=message))
            _print_outcomes(outcomes, json=json)
            return
        meta, _ = split(text)
        known = str(meta["id"]) if meta.get("id") else None
        if known and door.find(known):
            raise KbError(f"there is an incident {known!r} already", cure=f"kb incidents import {file} revises it")
        _print_saved(door.create(text, message), json=json)


@app.command()
def edit(incident_id: Id, message: Note = "", json: Json = False) -> None:  # noqa: FBT002
    """Open one in your editor and save what came of it as a new revision. Nothing is lost when it cannot be saved."""
    with _door() as door:
        record = door.get(incident_id)
        name, number = record["id"], record["revision"]
        try:
            saved = edited(
                text_of_record(record), name, lambda said: door.replace(name, said, number, message), _confirm_reopen
            )
        except Kept as kept:
            _print_both(record, kept)
            raise
        _print_saved(saved, json=json)


def _confirm_reopen() -> bool:
    return sys.stdin.isatty() and typer.confirm("Open it again?", default=True, err=True)


def _print_both(record: Incident, kept: Kept) -> None:
    """Of a text that is stale: what the other changed, then what the writer did."""
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
    with _door() as door:
        found = door.get(incident_id)
        _print_saved(door.move(found["id"], status, revision or found["revision"], message), json=json)


@app.command()
def history(incident_id: Id, json: Json = False) -> None:  # noqa: FBT002
    """List its revisions, the newest first."""
    with _door() as door:
        revisions = list(door.history(incident_id))
    if json:
        print_json({"id": incident_id, "revisions": revisions})
    else:
        print_history(revisions, to_terminal())


@app.command()
def diff(
    incident_id: Id,
    earlier: Annotated[int | None, typer.Argument(min=1, help="Left out: the one before.")] = None,
    later: Annotated[int | None, typer.Argument(min=1, help="Left out: the last one.")] = None,
    json: Json = False,  # noqa: FBT002
) -> None:
    """Show what two revisions say differently."""
    with _door() as door:
        last = later or door.get(incident_id)["revision"]
        found = door.diff(incident_id, earlier or max(1, last - 1), last)
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
    with _door() as door:
        expected = revision or door.get(incident_id)["revision"]
        _print_saved(door.restore(incident_id, number, expected), json=json)


@app.command()
def attach(
    incident_id: Id,
    file: Annotated[str, typer.Argument(metavar="[FILE|-]", help="A trace of the same problem.")] = STDIN,
    message: Note = "",
    json: Json = False,  # noqa: FBT002
) -> None:
    """Attach one trace more: also seen as."""
    trace = read_input(file)
    with _door() as door:
        _print_saved(door.attach(incident_id, trace, message), json=json)


@app.command()
def merge(incident_id: Id, into: Annotated[str, typer.Argument()], message: Note = "", json: Json = False) -> None:  # noqa: FBT002
    """Merge one into another, which gets its traces; the id of the first finds the other from now on."""
    with _door() as door:
        numbers = (door.get(incident_id)["revision"], door.get(into)["revision"])
        _print_merge(door.merge(incident_id, into, numbers, message), json=json)


@app.command(name="split")
def split_command(incident_id: Id, message: Note = "", json: Json = False) -> None:  # noqa: FBT002
    """Split one off again: its merge is taken back."""
    with _door() as door:
        _print_merge(door.split(incident_id, message), json=json)


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
    if taken := sum(one["count"] for one in saved["redactions"]):
        note(f"{taken} secrets were taken out before it was stored")


def _print_outcomes(outcomes: list[Any], *, json: bool) -> None:
    if json:
        print_json({"items": [one.to_dict() for one in outcomes]})
    else:
        print_outcomes(outcomes, to_terminal(), dry=False)
    if failed(outcomes):
        raise typer.Exit(1)
