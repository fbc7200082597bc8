"""Put a backup back: the store, the lake and the snapshot that `kb backup` copied."""

from pathlib import Path
from typing import Annotated

import typer

from api.archive.reading import read
from api.commands.keys import CONSOLE
from api.render.console import note
from api.settings import ServiceSettings

app = typer.Typer()


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(help="Restore this file, written by `kb backup`.")],
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace existing data, which is lost.")] = False,  # noqa: FBT002
) -> None:
    """Put a backup back into KB_HOME and KB_DATABASE_URL, also from SQLite to PostgreSQL and back.

    A running service picks it up by itself. Existing data stays untouched without --overwrite.
    """
    restored = read(ServiceSettings.load(), file, actor=CONSOLE, overwrite=overwrite)
    contents, loaded = restored.contents, restored.loaded
    note(f"Restored what was copied at {contents.made}: snapshot {contents.snapshot_id or 'none'}.")
    if loaded is None:
        return
    note(
        "New revisions get numbers that were never given out: what was read before the restore and is gone replaces nothing."
    )
    note("Logins on the page are over. Keys that were made since the backup open nothing.")
    if loaded.revoked is None:
        note(
            "There was no store here: keys revoked since the backup are in force again until `kb keys revoke` says so once more."
        )
    else:
        note(f"Keys that were revoked stay revoked, also {loaded.revoked} that the backup still had in force.")
