"""What the commands of this room say when something fails."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from kb.errors import KbError


@contextmanager
def telling_errors() -> Iterator[None]:
    """What an operator can mend as one clear line and its cure on stderr, exit code 1."""
    try:
        yield
    except KbError as error:
        sys.stderr.write(f"error: {error.problem}\n cure: {error.cure}\n")
        raise typer.Exit(1) from None
