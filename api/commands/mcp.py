"""Serve agents over standard input and output (Model Context Protocol); an agent starts it."""

import sys

import anyio
import typer

from api.mcp.stdio import serve
from api.observability import logs
from api.render.console import note
from api.settings import ServiceSettings

app = typer.Typer()


@app.command()
def mcp() -> None:
    """Serve agents over standard input and output (Model Context Protocol); an agent starts it.

    With KB_URL set, ask the running service as the owner of KB_KEY; without it, open the home. A service also answers agents at /mcp.
    """
    settings = ServiceSettings.load()
    logs.set_up(settings.log_format, settings.log_level)
    if sys.stdin.isatty():
        note("This speaks to an agent, not to people: register `kb mcp` with one (api/README.md). Ctrl-D ends it.")
    anyio.run(serve, settings)
