"""Near-duplicate articles: the same problem described twice, as a repost, a copy or a translation of the markup.

Candidates share a band (`shingles.bands`), found by one group-by in Spark; each pair is then checked on its samples in the
executors; only pairs that hold come to the driver, which gives every group its canonical article. Signatures computed where the
article is read cost one column; `pyspark.ml.MinHashLSH` would need the shingle sets as sparse vectors once more, and its
approximate join compares with no second condition.

An entry is ``fresh`` when it was not among those compared before, and ``gone`` when it was and is no more. What was compared before
is not compared again: `ingest.duplicates` keeps those pairs. Without a former comparison all entries are fresh.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from ingest.schemas import PAIR_SCHEMA, spark_schema
from ingest.shingles import STATED_SAMPLE, jaccard

SAME = 0.8
"""Jaccard similarity of the words from which two articles are one.

Among 1,531 real articles the two pairs above it (0.92, 0.81) were one text each; the nearest below (0.79, 0.77) were about one
mistake in two products, which is two problems.
"""
SAME_STATED = 0.5
"""What the stated causes and fixes must agree in, where both articles state them."""
SHORT, SAME_SHORT = 40, 0.95
"""Below this many shingles one word makes another problem (``error 1045`` and ``error 1046``): nearly all must agree."""
LEADERS = 8
"""Members of a bucket that the others are compared with: cost stays linear where everybody shares a footer."""

SIDES = ("first", "second")
_COMPARED = ("rank", "sample", "told", "root_cause")


def within(entries: DataFrame, bands: DataFrame) -> DataFrame:
    """The entries with those of their bands alone that are named in the column ``band``."""
    exploded = entries.withColumn("band", f.explode("bands")).join(f.broadcast(bands), "band", "left_semi")
    return exploded.withColumn("bands", f.array("band"))


def buckets(entries: DataFrame) -> DataFrame:
    """Entries by band, and of each bucket the leaders: ``leaders`` of now, ``former`` of before. Needs key, rank, bands, fresh, gone."""
    member = f.struct("rank", "key", "fresh", "gone")
    gathered = (
        entries.select(member.alias("member"), f.explode("bands").alias("band"))
        .groupBy("band")
        .agg(f.sort_array(f.collect_list("member")).alias("all"))
        .where(f.size("all") > 1)
    )
    members = f.filter("all", lambda one: ~one["gone"])
    before = f.filter("all", lambda one: ~one["fresh"])
    return gathered.select(
        "band",
        members.alias("members"),
        f.slice(members, 1, LEADERS).alias("leaders"),
        f.transform(f.slice(before, 1, LEADERS), lambda one: one["key"]).alias("former"),
    )


def candidates(bucketed: DataFrame) -> DataFrame:
    """Pairs that share a band and have not been compared in it, each once, with those bands. ``first`` ranks before ``second``."""
    led = bucketed.select("band", "members", "former", f.explode("leaders").alias("leader"))
    paired = led.select("band", "leader", f.explode("members").alias("other"), "former")
    is_new = f.col("leader.fresh") | f.col("other.fresh") | ~f.array_contains("former", f.col("leader.key"))
    return (
        paired.where((f.col("leader") < f.col("other")) & is_new)
        .groupBy(f.col("leader.key").alias("first"), f.col("other.key").alias("second"))
        .agg(f.sort_array(f.collect_list("band")).alias("bands"))
    )


def demoted(bucketed: DataFrame) -> DataFrame:
    """Who led a bucket before and does not now: (band, key). The others are not compared with them any more."""
    leading = f.transform("leaders", lambda one: one["key"])
    return bucketed.select("band", f.explode(f.array_except("former", leading)).alias("key"))


def verified(pairs: DataFrame, entries: DataFrame) -> DataFrame:
    """The candidate pairs that are near-duplicates indeed, `PAIR_SCHEMA`. Needs key and `_COMPARED` of the entries."""
    joined = pairs
    for side in SIDES:
        renamed = [f.col(column).alias(f"{side}_{column}") for column in _COMPARED]
        joined = joined.join(entries.select(f.col("key").alias(side), *renamed), side)
    return joined.mapInArrow(_check, spark_schema(PAIR_SCHEMA))


def _check(incoming: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        holds = [near_duplicates(*(_part(row, side) for side in SIDES)) for row in batch.to_pylist()]
        yield batch.filter(pa.array(holds, pa.bool_())).select(PAIR_SCHEMA.names)


def _part(row: Mapping[str, Any], side: str) -> dict[str, Any]:
    return {column: row[f"{side}_{column}"] for column in _COMPARED}


def near_duplicates(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    """Return whether two entries describe one problem.

    Their words must agree. Where both show a trace they must share a root cause, whatever wraps it; where both state a
    cause or a fix, these must agree too: one form with two contents is two problems.
    """
    if a["root_cause"] and b["root_cause"] and not set(a["root_cause"]) & set(b["root_cause"]):
        return False
    short = min(len(a["sample"]), len(b["sample"])) < SHORT
    if jaccard(a["sample"], b["sample"]) < (SAME_SHORT if short else SAME):
        return False
    return not (a["told"] and b["told"]) or jaccard(a["told"], b["told"], STATED_SAMPLE) >= SAME_STATED


def canonicals(pairs: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Duplicate → canonical, from rows of `PAIR_SCHEMA` whose first ranks before their second.

    In order of rank, an entry without a canonical becomes one, and the free entries paired with it are its duplicates.
    Groups are stars, not chains: a member is near its canonical itself, never only near another member.
    """
    later: dict[tuple[str, str], list[str]] = {}
    for pair in pairs:
        later.setdefault((pair["first_rank"], pair["first"]), []).append(pair["second"])
    chosen: dict[str, str] = {}
    for rank, key in sorted(later):
        if key not in chosen:
            chosen |= {other: key for other in later[rank, key] if other not in chosen}
    return chosen
