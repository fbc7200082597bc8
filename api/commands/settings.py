"""List every setting: its KB_ name, value, default and meaning."""

import os

import typer
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined
from rich.table import Table
from rich.text import Text

from api.chat.settings import ChatSettings, settings_classes
from api.hooks.settings import HookSettings
from api.render.console import Json, plain, print_json, to_terminal
from api.settings import ServiceSettings, loaded, masked, variable
from index.settings import HomeSettings

app = typer.Typer()


_HOME = frozenset(variable(name) for name in HomeSettings.model_fields)
"""What every room's settings have."""


@app.command()
def settings(json: Json = False) -> None:  # noqa: FBT002
    """List every setting: its KB_ name, value, default and meaning."""
    rows = listing(ServiceSettings.load())
    kinds: list[type[HomeSettings]] = [ChatSettings, *settings_classes(), HookSettings]
    for kind in kinds:
        rows += [row for row in listing(loaded(kind)) if row["name"] not in _HOME]
    if json:
        print_json(rows)
        return
    console = to_terminal()
    for row in rows:
        origin = "set" if row["set"] else "default"
        console.print(Text(plain(f"{row['name']} = {row['value']}"), style="bold"), Text(f"({origin})", style="dim"))
        table = Table.grid(padding=(0, 0))
        table.add_row("    ", Text(str(row["help"])))
        console.print(table)


def listing(current: HomeSettings) -> list[dict[str, object]]:
    """Show every setting; secrets are masked."""
    fields: dict[str, FieldInfo] = type(current).model_fields
    return [
        {
            "name": variable(name),
            "value": masked(name, getattr(current, name)),
            "default": masked(name, _default(field)),
            "set": variable(name) in os.environ,
            "help": field.description,
        }
        for name, field in fields.items()
    ]


def _default(field: FieldInfo) -> object:
    default = field.get_default(call_default_factory=True)
    return None if default is PydanticUndefined else default
