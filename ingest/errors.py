"""What the commands of this room say when something fails."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer
from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException

from index.settings import HomeSettings
from kb.errors import KbError


@contextmanager
def telling_errors() -> Iterator[None]:
    """Errors of the operator and of Spark as one clear line on stderr, exit code 1."""
    try:
        yield
    except KbError as error:
        sys.stderr.write(f"error: {error.problem}\n cure: {error.cure}\n")
        raise typer.Exit(1) from None
    except (PySparkException, Py4JError) as error:
        first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        log = HomeSettings().home / "spark.log"
        sys.stderr.write(f"error: the Spark job failed: {first}\n cure: see {log}; nothing was published, run again\n")
        raise typer.Exit(1) from None
