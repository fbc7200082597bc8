"""The rows of the lake as DataFrames."""

from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from ingest.lake import Lake, LakeError
from ingest.schemas import STATE_SCHEMA, STORED_SCHEMA, spark_schema
from ingest.session import is_local


def _address(path: Path) -> str:
    """A path of the lake for Spark, which would look for it in the cluster's own file system otherwise (``fs.defaultFS``)."""
    return f"file://{path.absolute()}"


def alive(session: SparkSession, lake: Lake) -> DataFrame:
    """The rows in force of all accepted documents, `STORED_SCHEMA`, with their ``key``."""
    state = session.read.schema(spark_schema(STATE_SCHEMA)).parquet(_address(lake.root / str(lake.manifest.documents)))
    in_force = state.where("status = 'accepted'").select("doc", "run")
    return stored(session, lake.folders).join(in_force, ["doc", "run"], "left_semi")


def stored(session: SparkSession, files: Iterable[Path]) -> DataFrame:
    """The rows of accepted documents in some files or folders of the lake, in force or not, `STORED_SCHEMA`, with their ``key``."""
    rows = session.read.schema(spark_schema(STORED_SCHEMA)).parquet(*map(_address, files)).where("status = 'accepted'")
    return rows.withColumn("key", f.concat_ws(":", "doc", "ordinal"))


def store(done: DataFrame, lake: Lake, run: str) -> None:
    """Writes the rows of a run; only a commit of the lake puts them in force."""
    done.withColumn("run", f.lit(run)).write.parquet(_address(lake.run_path(run)))


def all_outcomes(lake: Lake, run: str, documents: int, master: str) -> pa.Table:
    """The state of the documents that a run wrote. Raises `LakeError` where fewer than ``documents`` are seen here."""
    outcomes = lake.outcomes(run)
    if outcomes.num_rows == documents:
        return outcomes
    came = f"{documents} documents were written to {lake.run_path(run)} and {outcomes.num_rows} are there"
    if is_local(master):
        log = lake.root.parent / "spark.log"
        raise LakeError(came, cure=f"this is a fault in dejastack: report it with {log}; nothing was published")
    raise LakeError(came, cure="set KB_HOME to a folder that this machine and every worker see at the same path")
