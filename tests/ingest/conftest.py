"""The one Spark session of the test run, and small folders of articles to ingest."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from ingest import session as sessions
from ingest.pipeline import ingest
from ingest.progress import StageProgress
from ingest.survey import Options
from tests.ingest.articles import article


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """One session for all tests, created on first use, so that runs without Spark tests never start a JVM."""
    scratch = tmp_path_factory.mktemp("spark")
    chosen = sessions.settings("local[2]", scratch) | {
        "spark.sql.shuffle.partitions": "1",
        "spark.default.parallelism": "1",
        "spark.sql.adaptive.enabled": "false",
    }
    session = sessions.start(scratch, chosen)
    yield session
    session.stop()


@pytest.fixture(scope="session")
def ingested(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:  # noqa: ARG001  ingest uses it
    """A home with two articles, alpha and beta, for tests that only read it."""
    source, home = tmp_path_factory.mktemp("articles"), tmp_path_factory.mktemp("ingested")
    for name in ("alpha", "beta"):
        (source / f"{name}.md").write_text(article(name))
    ingest([str(source)], Options(home), StageProgress())
    return home


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
