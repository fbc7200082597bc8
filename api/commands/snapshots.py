"""List, verify, roll back and prune the snapshots of the home."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from api.render.console import Json, note, plain, print_json, to_terminal
from api.settings import ServiceSettings
from index.storage.snapshot import SnapshotInfo, current, list_snapshots, prune, rollback, verify
from kb.errors import SnapshotError

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
    info = rollback(ServiceSettings.load().home, snapshot_id)
    note(f"snapshot {info.id}, built {info.manifest.built}, is in use now")


@app.command("prune")
def prune_command(
    keep: Annotated[int, typer.Option(min=1, help="Keep this many of the newest. The one in use always stays.")] = 3,
) -> None:
    """Delete all but the newest snapshots."""
    gone = prune(ServiceSettings.load().home, keep)
    note(f"deleted {len(gone)}: {', '.join(gone)}" if gone else "nothing to delete")


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
