"""Equal crashes are one group, answered once; groups that nobody knows come together where their root causes are nearly the same."""

from collections.abc import Iterable, Iterator

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from index.triage_reports import MOST_NAMES
from index.verdict import FineVerdict
from ingest.dedupe import buckets, candidates, canonicals, verified
from ingest.schemas import spark_schema
from ingest.shingles import SAMPLE, bands, shingles
from ingest.spark import Knowledge

_SEEN = ("crashes", "first", "last", "versions", "hosts")
_SHOWN = ("root_cause", "loose", "runtime", "type", "template", "text", "basis")


_HASHES = pa.list_(pa.int64())
_SKETCH = pa.schema([("root_cause", pa.string()), ("crashes", pa.int64()), ("sample", _HASHES), ("bands", _HASHES)])


def grouped(crashes: DataFrame) -> DataFrame:
    """Return one row for each distinct ``exact`` fingerprint: how often, when, in which versions and on which hosts, and its shortest text.

    ``versions`` and ``hosts`` are sorted and cut at `MOST_NAMES`; ``host_count`` is approximate (HyperLogLog, standard error 5 %).
    """
    shown = f.min_by(f.struct(*_SHOWN), f.struct(f.length("text"), "text"))
    return (
        crashes.where(f.col("exact").isNotNull())
        .groupBy("exact")
        .agg(
            f.count("*").alias("crashes"),
            f.min("at").alias("first"),
            f.max("at").alias("last"),
            f.slice(f.sort_array(f.collect_set("version")), 1, MOST_NAMES).alias("versions"),
            f.slice(f.sort_array(f.collect_set("host")), 1, MOST_NAMES).alias("hosts"),
            f.approx_count_distinct("host").alias("host_count"),
            shown.alias("shown"),
        )
        .select("exact", *_SEEN, "host_count", "shown.*")
    )


def answered(groups: DataFrame, knowledge: Knowledge) -> DataFrame:
    """Return the groups with the answer to each in ``answer``: an `ingest.spark.MATCH` of the first match alone, without its JSON."""
    return groups.withColumn("answer", knowledge.match("text", k=1).dropFields("answer"))


def is_likely(verdict: str = "answer.fine_verdict") -> Column:
    """Return whether a group is known, or probably so."""
    return f.col(verdict).isin([one.value for one in FineVerdict if one.is_likely])


def clusters(groups: DataFrame) -> dict[str, str]:
    """Return, for every root cause that nobody knows, the one that stands for it: itself or a more frequent one nearly the same.

    Nearly the same: the words of type, message template and frames have a Jaccard similarity of `ingest.dedupe.SAME`, or `SAME_SHORT` for few.
    """
    unknown = (
        groups.where(~is_likely())
        .groupBy("root_cause")
        .agg(f.sum("crashes").alias("crashes"), f.min_by("basis", "exact").alias("basis"))
        .mapInArrow(_sketched, spark_schema(_SKETCH))
    )
    entries = unknown.select(
        f.col("root_cause").alias("key"),
        f.format_string("%015d", f.lit(10**15 - 1) - f.col("crashes")).alias("rank"),
        "sample",
        "bands",
        f.array().cast("array<bigint>").alias("told"),
        f.array().cast("array<string>").alias("root_cause"),
        f.lit(True).alias("fresh"),  # noqa: FBT003
        f.lit(False).alias("gone"),  # noqa: FBT003
    ).persist()
    try:
        pairs = verified(candidates(buckets(entries)), entries).toArrow().to_pylist()
        keys = entries.select("key").toArrow()["key"].to_pylist()
    finally:
        entries.unpersist()
    return dict(zip(keys, keys, strict=True)) | canonicals(pairs)


def _sketched(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Sketch the words of each root cause: of thousands of causes, where a million crashes would cost a fifth of all reading."""
    for batch in batches:
        hashes = [shingles(basis) for basis in batch["basis"].to_pylist()]
        sketches = {
            "sample": [one[:SAMPLE].view("int64") for one in hashes],
            "bands": [bands(one).view("int64") for one in hashes],
        }
        yield pa.record_batch({"root_cause": batch["root_cause"], "crashes": batch["crashes"], **sketches}, _SKETCH)
