"""The command line: `kb COMMAND`. Commands register in the entry-point group `kb.commands` and load only when called.

`kb --help` imports no command: the help line of each is the first line of its module's docstring, read as text.
"""

import ast
import gc
import os
import resource
import sys
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from kb.errors import KbError

GROUP = "kb.commands"
ABOUT = "A knowledge base of incidents: paste a stack trace, get the known incident, its root cause and its fix."
FIRST = ("up", "search", "ingest")
"""Shown first: what a newcomer runs. The others follow by name."""
TRAINING = "index.training"
"""Not in the wheel: what it reads and writes lies in a checkout."""
_OF_THE_WHOLE = frozenset(("install_completion", "show_completion"))
"""Options that typer gives to every command and that only mean something for `kb` itself."""
_ROOM = 1200 << 20
"""Bytes of address space that a search takes; with less, libraries in C end the process without a word."""


class Commands(TyperGroup):
    """The registered commands: names and help lines at once, the code of one when it is called."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self._registered = _registered()
        for name, entry in self._registered.items():
            self.add_command(TyperCommand(name, help=help_line(entry.module)))

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """The command named by ``args[0]``, loaded; UsageError for one that nobody registered."""
        if (entry := self._registered.get(args[0])) is None:
            return super().resolve_command(ctx, args)
        return entry.name, _load(entry), args[1:]


def _registered() -> dict[str, EntryPoint]:
    found = {entry.name: entry for entry in entry_points(group=GROUP)}
    if not found:
        raise KbError("dejastack is not installed in this Python", cure="run `make install`, then .venv/bin/kb")
    rank = {name: place for place, name in enumerate(FIRST)}
    return {name: found[name] for name in sorted(found, key=lambda name: (rank.get(name, len(rank)), name))}


def help_line(module: str) -> str:
    """The first docstring line of a module, read from its source without running any of its package's code."""
    top, *rest = module.split(".")
    spec = find_spec(top)  # a top-level name: finding it imports nothing
    for place in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(place, *rest).with_suffix(".py")
        if path.is_file():
            text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
            return text.partition("\n")[0]
    return "(not installed)"


def _load(entry: EntryPoint) -> Any:
    gc.disable()  # what imports make stays: to look for garbage in it takes a third of a start
    try:
        loaded = entry.load()
    except ModuleNotFoundError as error:
        problem = f"kb {entry.name} cannot start: the Python module {error.name} is missing"
        cure = "pip install 'dejastack[ingest,train]', or everything with `make install`"
        if (error.name or "").startswith(TRAINING):
            problem = f"kb {entry.name} is not part of the installed package: it trains in a checkout of dejastack"
            cure = f"run `make install` in a checkout, then .venv/bin/kb {entry.name}"
        raise KbError(problem, cure=cure) from error
    finally:
        gc.freeze()
        gc.enable()
    command = typer.main.get_command(loaded)
    command.params = [one for one in command.params if one.name not in _OF_THE_WHOLE]
    return command


def program() -> Any:
    """The whole command line as one command object."""
    app = typer.Typer(
        cls=Commands, help=ABOUT, no_args_is_help=True, context_settings={"help_option_names": ["-h", "--help"]}
    )

    @app.callback()
    def kb() -> None:
        """The group itself does nothing."""

    kb.__doc__ = ABOUT
    return typer.main.get_command(app)


def main(arguments: list[str] | None = None) -> None:
    """Run one command and exit: 0 done, 1 the thing failed, 2 bad usage, 130 interrupted."""
    _warn_of_little_room()
    try:
        program().main(args=arguments, prog_name="kb")
    except KbError as error:
        print(f"kb: {error.problem}. Cure: {error.cure}", file=sys.stderr)  # noqa: T201
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # The reader (`kb search … | head`) has left; point stdout at nothing so that Python's exit stays quiet too.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def _warn_of_little_room() -> None:
    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    if most != resource.RLIM_INFINITY and most < _ROOM:
        warning = f"only {most >> 20:,} MB of address space may be used, a search takes {_ROOM >> 20:,} and may end without a word"
        print(f"kb: {warning}. Cure: raise `ulimit -v`", file=sys.stderr)  # noqa: T201


if __name__ == "__main__":
    main()
