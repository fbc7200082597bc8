"""List, verify, roll back, prune and fill the snapshots of the home."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from api.render.console import Json, note, plain, print_json, to_terminal
from api.settings import ServiceSettings
from index.storage.filling import fill, forget
from index.storage.place import FORMS
from index.storage.snapshot import SnapshotInfo, current, list_snapshots, prune, read_info, rollback, verify
from kb.errors import SettingsError, SnapshotError

app = typer.Typer(no_args_is_help=True, help=__doc__)

Id = Annotated[str | None, typer.Argument(metavar="[ID]", help="Select a snapshot by id.")]


@app.command("list")
def list_command(json: Json = False) -> None:  # noqa: FBT002
    """List the snapshots, newest first; the one in use is marked."""
    home = ServiceSettings.load().home
    in_use = _in_use(home)
    rows = [_row(info, in_use) for info in list_snapshots(home)]
    if json:
        print_json(rows)
        return
    console = to_terminal()
    if not rows:
        console.print(f"There is no snapshot in {plain(home)} yet: build one with `kb ingest SOURCE`.")
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("", "id", "built", "incidents", "size", "model"):
        table.add_column(heading, justify="right" if heading in ("incidents", "size") else "left")
    for row in rows:
        size = f"{int(str(row['bytes'])) / 1e6:.1f} MB"
        sign = "●" if row["current"] else ""
        table.add_row(
            sign, *(Text(plain(cell)) for cell in (row["id"], row["built"], row["incidents"], size, row["model"]))
        )
    console.print(table)


@app.command("verify")
def verify_command(snapshot_id: Id = None) -> None:
    """Read every file of a snapshot (default: the one in use) and compare it with its checksum."""
    home = ServiceSettings.load().home
    path = home / "snapshots" / snapshot_id if snapshot_id else current(home).path
    info = verify(path)
    note(f"snapshot {info.id} is whole: {len(info.manifest.files)} files, as they were written")


@app.command("rollback")
def rollback_command(snapshot_id: Id = None) -> None:
    """Use that snapshot from now on; without ID the one before the one in use. Running services follow."""
    settings = ServiceSettings.load()
    place = settings.place
    info = rollback(settings.home, snapshot_id, partial(fill, place=place) if place else None)
    note(f"snapshot {info.id}, built {info.manifest.built}, is in use now")


@app.command("prune")
def prune_command(
    keep: Annotated[int, typer.Option(min=1, help="Keep this many of the newest. The one in use always stays.")] = 3,
) -> None:
    """Delete all but the newest snapshots."""
    settings = ServiceSettings.load()
    place = settings.place
    gone = prune(settings.home, keep, partial(forget, place) if place else None)
    note(f"deleted {len(gone)}: {', '.join(gone)}" if gone else "nothing to delete")


@app.command("fill")
def fill_command(snapshot_id: Id = None) -> None:
    """Put a snapshot (default: the one in use) where KB_CANDIDATES looks it up; `kb ingest` does so itself."""
    settings = ServiceSettings.load()
    if settings.place is None:
        raise SettingsError("KB_CANDIDATES is not set", cure=f"set it to {FORMS}")
    path = settings.home / "snapshots" / snapshot_id if snapshot_id else current(settings.home).path
    info = read_info(path)
    rows = fill(info, settings.place)
    note(f"snapshot {info.id}: {rows} incidents are in {settings.place.of_snapshot(info.id)} at {settings.place.uri}")


def _in_use(home: Path) -> str | None:
    try:
        return current(home).id
    except SnapshotError:
        return None


def _row(info: SnapshotInfo, in_use: str | None) -> dict[str, object]:
    manifest = info.manifest
    return {
        "id": info.id,
        "current": info.id == in_use,
        "built": manifest.built,
        "incidents": manifest.counts.get("incidents", 0),
        "bytes": sum(stored.size for stored in manifest.files.values()),
        "model": manifest.model,
        "counts": dict(manifest.counts),
    }
