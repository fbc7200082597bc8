"""Put a backup back: the store, the lake and the snapshot that `kb backup` copied."""

from pathlib import Path
from typing import Annotated

import typer

from api.archive.reading import read
from api.console import note
from api.settings import ServiceSettings

app = typer.Typer()


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(help="What `kb backup` wrote.")],
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace what is there; it is lost.")] = False,  # noqa: FBT002
) -> None:
    """Put a backup back into KB_HOME and KB_DATABASE_URL, also from SQLite to PostgreSQL and back.

    A running service takes it up by itself. Nothing that is there is touched unless you say --overwrite.
    """
    contents = read(ServiceSettings.load(), file, overwrite=overwrite)
    note(f"Restored what was copied at {contents.made}: snapshot {contents.snapshot_id or 'none'}.")
    note("Keys are those of then: what was revoked since is in force again until `kb keys revoke` says so once more.")
