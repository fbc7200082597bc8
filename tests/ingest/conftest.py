"""The one Spark session of the test run, and small folders of articles to ingest."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from ingest import session as sessions


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """One session for all tests, created on first use, so that runs without Spark tests never start a JVM."""
    scratch = tmp_path_factory.mktemp("spark")
    chosen = sessions.settings("local[2]", scratch) | {
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.adaptive.enabled": "false",
    }
    session = sessions.start(scratch, chosen)
    yield session
    session.stop()


TRACE = """java.lang.IllegalStateException: Could not open ledger {name}
    at com.acme.ledger.{name}.Store.open(Store.java:{line})
    at com.acme.ledger.{name}.Service.start(Service.java:41)
    at java.base/java.lang.Thread.run(Thread.java:829)
Caused by: java.io.IOException: No locks available on {name}
    at com.acme.ledger.{name}.LockFile.acquire(LockFile.java:77)
    ... 3 more
"""

ARTICLE = """---
title: The {name} ledger does not open
---
# The {name} ledger does not open

## Symptom

Every morning the {name} service refuses to start, and this is in its log:

```
{trace}```

## Root cause

The share that holds the {name} lock file was mounted without the lock daemon, {detail}.

## Fix

Start the lock daemon before mounting {name}, then start the service again.
"""


def article(name: str, detail: str = "so that no lock could ever be granted", line: int = 112) -> str:
    """A whole article about a problem of its own."""
    return ARTICLE.format(name=name, detail=detail, trace=TRACE.format(name=name, line=line))


@pytest.fixture
def folder(tmp_path: Path) -> Callable[[dict[str, str | bytes]], Path]:
    """Writes files below ``tmp_path/articles`` and gives the folder."""
    root = tmp_path / "articles"

    def write(files: dict[str, str | bytes]) -> Path:
        for name, content in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return root

    return write
