"""What readers confirmed or denied of an incident: listed, removed, put back."""

from collections.abc import Iterable
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from api.console import Json, note, plain, print_json, to_terminal
from api.incidents.door import open_door
from api.settings import ServiceSettings
from kb.client.records import Sighting
from kb.errors import KbError


def seen_command(
    incident_id: Annotated[str, typer.Argument(metavar="ID")],
    remove: Annotated[str | None, typer.Option(metavar="PASTE", help="Have this one count no more.")] = None,
    put_back: Annotated[str | None, typer.Option(metavar="PASTE", help="Have a removed one count again.")] = None,
    json: Json = False,  # noqa: FBT002
) -> None:
    """List the pastes that readers confirmed or denied; remove one, or put it back."""
    if remove and put_back:
        raise KbError("--remove and --put-back cannot be used together", cure="change one at a time")
    with open_door(ServiceSettings.load()) as door:
        if remove:
            door.remove_sighting(incident_id, remove)
        elif put_back:
            door.put_back_sighting(incident_id, put_back)
        found = door.sightings(incident_id)
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
