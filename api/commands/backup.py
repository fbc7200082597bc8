"""Copy the store, the lake and the snapshot in use into one file, while everything runs."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from api.archive.writing import write
from api.render.console import Json, note, print_json
from api.settings import ServiceSettings

app = typer.Typer()


@app.command()
def backup(
    file: Annotated[
        Path, typer.Argument(help="Write this file, a tar that only you can read; replace it if it exists.")
    ],
    json: Json = False,  # noqa: FBT002
) -> None:
    """Copy the store, the lake and the snapshot in use into one file, while everything runs. `kb restore` puts it back."""
    contents = write(ServiceSettings.load(), file)
    if json:
        print_json({key: value for key, value in asdict(contents).items() if key != "files"} | {"size": contents.size})
        return
    changes = f"{contents.store.head} changes of the store" if contents.store else "no store"
    note(
        f"{file}: {changes}, snapshot {contents.snapshot_id or 'none'}, {len(contents.files)} files, {contents.size:,} bytes."
    )
