"""Take secrets out of the store that were saved before a rule knew them, or that you name: after a leak."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from api.commands.keys import CONSOLE
from api.render.console import Json, note, print_json
from api.settings import ServiceSettings
from index.local_rules import activate_home_rules
from kb.errors import KbError
from kb.store import Store

app = typer.Typer()


@app.command()
def scrub(
    secrets: Annotated[
        Path | None, typer.Option("--secrets", help="Read secrets from this file, or - for standard input: one a line.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count the changes.")] = False,  # noqa: FBT002
    json: Json = False,  # noqa: FBT002
) -> None:
    """Take secrets out of every revision, remark, merge, feedback and chat question in the store.

    Hidden is what the rules in force hide (`KB_HOME/rules/redact.txt` among them), and each secret that is named. A running service
    searches without it within a second.
    """
    settings = ServiceSettings.load()
    activate_home_rules(settings.home)
    with Store.open(settings.store) as store:
        done = store.scrub(_named(secrets), actor=CONSOLE, dry=dry_run)
    if json:
        print_json(asdict(done))
        return
    if not done.rows:
        note("Nothing in the store holds a secret that is known here.")
        return
    counts = ", ".join(f"{count} {name}" for name, count in done.rows.items())
    note(f"{'Would change' if dry_run else 'Changed'}: {counts}.")
    for name in done.incidents:
        print(name)  # noqa: T201 - what the command answers
    if dry_run:
        return
    if not done.is_gone:
        note(
            "The database may still hold it where rows used to be: SQLite: stop the service and run this once more; PostgreSQL: VACUUM FULL."
        )
    note(
        "Snapshots, backups and exported folders of before still hold it: `kb ingest`, `kb snapshots prune`, and what you keep elsewhere."
    )


def _named(file: Path | None) -> list[str]:
    """The secrets in a file; never in an argument, which others on the machine can see."""
    if file is None:
        return []
    try:
        text = sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        raise KbError(
            f"{file} cannot be read: {error}", cure="give a text file with one secret a line, or -"
        ) from error
    return list(dict.fromkeys(filter(None, map(str.strip, text.splitlines()))))
