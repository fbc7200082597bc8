"""Make, list and revoke API keys: who may read, write, review, administer."""

import re
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from api.access.scopes import Scope
from api.render.console import Json, note, plain, print_json, to_terminal
from api.settings import ServiceSettings
from kb.errors import SettingsError
from kb.store import Actor, Role, Store
from kb.store.keys import is_in_force
from kb.store.model import Key

app = typer.Typer(no_args_is_help=True, help="Make, list and revoke API keys: who may read, write, review, administer.")

CONSOLE = Actor("console", "console", Role.ADMIN)
"""The local user, who could write into the store anyway."""
_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
_SPAN = re.compile(r"([1-9][0-9]{0,4})([hdw])\Z")


@app.command()
def create(
    role: Annotated[Role, typer.Option(help="Give it this role; each role includes those before it.")],
    name: Annotated[
        str | None, typer.Option(help="Name its owner, shown as the author of what is written with it.")
    ] = None,
    scope: Annotated[list[Scope] | None, typer.Option(help="Limit it to this scope; repeat for several.")] = None,
    expires: Annotated[
        str | None, typer.Option(help="Let it expire after this time: 12h, 90d, 8w. Default: never.")
    ] = None,
    json: Json = False,  # noqa: FBT002
) -> None:
    """Make a key. Its secret is shown now, and never again: the store keeps only what it can be recognised by."""
    ends = None if expires is None else datetime.now(UTC) + span(expires)
    with _store() as store:
        key, secret = store.keys.create(name or role.value, role, actor=CONSOLE, scopes=scope or (), expires_at=ends)
    if json:
        print_json({"id": key.id, "key": secret, "role": key.role.value})
        return
    note(f"Key {key.id} ({key.role}), shown this once:")
    typer.echo(secret)


@app.command(name="list")
def listing(json: Json = False) -> None:  # noqa: FBT002
    """All keys, oldest first, also those that no longer open anything; never their secrets."""
    with _store() as store:
        keys = store.keys.listing()
    rows = [_row(key) for key in keys]
    if json:
        print_json(rows)
        return
    table = Table(box=None, pad_edge=False)
    for head in ("id", "name", "role", "scopes", "state", "expires", "last used"):
        table.add_column(head)
    for row in rows:
        cells = (row["id"], row["name"], row["role"], " ".join(row["scopes"]), row["state"], row["expires_at"])
        table.add_row(*(Text(plain(str(cell or "–"))) for cell in (*cells, row["last_used"])))
    to_terminal().print(table)


@app.command()
def revoke(key_id: Annotated[str, typer.Argument(metavar="ID")], json: Json = False) -> None:  # noqa: FBT002
    """From now on it opens nothing, in any worker, and every login that was begun with it is over."""
    with _store() as store:
        row = _row(store.keys.revoke(key_id, actor=CONSOLE))
    if json:
        print_json(row)
    else:
        note(f"Key {row['id']} ({row['name']}) opens nothing any more.")


def span(text: str) -> timedelta:
    """``90d`` as a time; SettingsError names what would be one."""
    match = _SPAN.match(text.strip())
    if match is None:
        raise SettingsError(
            f"{text[:40]!r} is no time that a key can last", cure="say hours, days or weeks: 12h, 90d, 8w"
        )
    return int(match[1]) * _UNITS[match[2]]


def _store() -> Store:
    return Store.open(ServiceSettings.load().store)


def _row(key: Key) -> dict[str, Any]:
    is_good = is_in_force(key, datetime.now(UTC))
    return {
        "id": key.id,
        "name": key.name,
        "role": key.role.value,
        "scopes": list(key.scopes),
        "state": "in force" if is_good else "revoked" if key.revoked_at else "expired",
        "created_at": _moment(key.created_at),
        "expires_at": _moment(key.expires_at),
        "revoked_at": _moment(key.revoked_at),
        "last_used": _moment(key.last_used),
    }


def _moment(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat(timespec="seconds")
