"""docs/settings.md is what the settings say of themselves; `pytest tests/api/test_settings_page.py --update-golden` writes it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from api.chat.settings import ChatSettings, settings_classes
from api.hooks.settings import HookSettings
from api.settings import ServiceSettings, variable
from index.settings import HomeSettings

ROOT = Path(__file__).resolve().parents[2]
HEAD = """# Settings

Settings are environment variables. `kb settings` lists them with the values in force. `OTEL_EXPORTER_OTLP_ENDPOINT` and the other standard `OTEL_*` variables send spans to a collector.
"""


def default(field: FieldInfo) -> str:
    if field.default_factory is not None:
        return "by the processors"
    value = field.default
    if value is PydanticUndefined or value in (None, (), {}):
        return "unset"
    if value == "":
        return "empty"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`".replace("|", r"\|")


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, "unset"), ((), "unset"), ({}, "unset"), ("", "empty"), (False, "`false`"), (0, "`0`"), ("a|b", r"`a\|b`")],
)
def test_a_default_can_be_read(value: object, shown: str) -> None:
    assert default(FieldInfo(default=value)) == shown


def rows(kind: type[HomeSettings]) -> Iterator[str]:
    shared = set() if kind is ServiceSettings else set(HomeSettings.model_fields)
    for name, field in kind.model_fields.items():
        if name not in shared:
            meaning = " ".join((field.description or "").split()).replace("|", r"\|")
            yield f"| `{variable(name)}` | {default(field)} | {meaning} |"


def settings_page() -> str:
    """Every setting with its default and meaning, as Markdown."""
    kinds = {"Home and service": ServiceSettings, "Chats": ChatSettings}
    kinds |= {kind.__name__.removesuffix("Settings"): kind for kind in settings_classes()} | {"Alerts": HookSettings}
    tables = [
        "\n".join([f"## {title}", "", "| name | default | meaning |", "|---|---|---|", *rows(kind)])
        for title, kind in kinds.items()
    ]
    return "\n\n".join([HEAD.strip(), *tables]) + "\n"


def test_the_page_of_settings_is_what_the_settings_say(golden: Callable[[Path, str], None]) -> None:
    golden(ROOT / "docs/settings.md", settings_page())
