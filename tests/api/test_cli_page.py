"""docs/cli.md is what the commands say of themselves; `pytest tests/api/test_cli_page.py --update-golden` writes it."""

from collections.abc import Callable
from pathlib import Path

import typer
from typer.cli import get_docs_for_click

from api.cli import ABOUT, program

ROOT = Path(__file__).resolve().parent.parent.parent
HEAD = f"""# Commands

{ABOUT}

Exit status: 0 done, 1 the command failed, 2 wrong usage, 130 after Ctrl-C. With `--json` a command prints one JSON document and nothing else. Settings are environment
variables; `kb settings` lists them.
"""


def cli_page() -> str:
    """Every command with its arguments and options, as Markdown."""
    group = program()
    context = typer.Context(group, info_name="kb")
    pages = []
    for name in group.list_commands(context):
        _, command, _ = group.resolve_command(context, [name])
        text = get_docs_for_click(
            obj=command,
            ctx=typer.Context(command, info_name=name, parent=context),
            indent=1,
            name=name,
            call_prefix="kb",
        )
        pages.append("\n".join(line.rstrip() for line in text.splitlines()).strip())
    return "\n\n".join([HEAD.strip(), *pages]) + "\n"


def test_the_page_of_commands_is_what_the_commands_say(golden: Callable[[Path, str], None]) -> None:
    golden(ROOT / "docs/cli.md", cli_page())
