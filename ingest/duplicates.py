"""The near-duplicates of the whole lake, found by comparing what is new with what was there.

The lake keeps the pairs of the last comparison, each with the bands in which it was brought together. A band that no fresh and no gone
incident has is not looked at again. Of the others each bucket is put together from its members of before and of now, so that the pairs are
those of a comparison of everything: a new leader is compared with all members, and a pair that is led no more is dropped.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from ingest.dedupe import LEADERS, SIDES, buckets, candidates, canonicals, demoted, verified, within
from ingest.lake import Lake
from ingest.schemas import PAIR_SCHEMA, STATE_SCHEMA
from ingest.stored import alive, stored
from ingest.versions import code_version

_SHARE = 4
"""Where more than one in so many documents is fresh or gone, everything is compared: the buckets of before would be nearly all."""
_BANDS = pa.schema([("band", pa.int64())])
_DEMOTED = pa.schema([("band", pa.int64()), ("key", pa.string())])
_MARKS = pa.schema([("doc", pa.string()), ("run", pa.string()), ("fresh", pa.bool_()), ("gone", pa.bool_())])
_MEMBERS = pa.schema([("band", pa.int64()), ("doc", pa.string()), ("file", pa.string())])
_NOBODY = _DEMOTED.empty_table()

Session = Callable[[], SparkSession]


@dataclass(frozen=True, slots=True)
class _Change:
    """The accepted documents, by what has become of them since the last comparison."""

    kept: pa.Table
    fresh: pa.Table
    gone: pa.Table

    @classmethod
    def between(cls, then: pa.Table, now: pa.Table) -> "_Change":
        """By document and run: what a run has written is never changed."""
        then, now = (rows.filter(pc.equal(rows["status"], "accepted")) for rows in (then, now))
        before, after = (
            pc.binary_join_element_wise(rows["doc"], rows["run"], "/").combine_chunks() for rows in (then, now)
        )
        is_kept, stays = pc.is_in(after, value_set=before), pc.is_in(before, value_set=after)
        return cls(now.filter(is_kept), now.filter(pc.invert(is_kept)), then.filter(pc.invert(stays)))

    @property
    def touched(self) -> pa.Table:
        """The documents that are fresh or gone; one that was read again is both."""
        return pa.concat_tables([self.fresh, self.gone])

    @property
    def is_large(self) -> bool:
        """Whether to compare everything is no more work."""
        return bool(_SHARE * self.touched.num_rows > self.kept.num_rows)

    def marks(self) -> pa.Table:
        """`_MARKS` of all documents."""
        marked = []
        for rows, fresh, gone in ((self.kept, False, False), (self.fresh, True, False), (self.gone, False, True)):
            flags = [pa.repeat(pa.scalar(flag), rows.num_rows) for flag in (fresh, gone)]
            marked.append(pa.table([rows["doc"], rows["run"], *flags], schema=_MARKS))
        return pa.concat_tables(marked)


def find_duplicates(session: Session, lake: Lake) -> dict[str, str]:
    """Key of each near-duplicate → key of its canonical, of the whole lake. ``session`` gives Spark, if anything must be compared."""
    version, now = code_version("ingest.duplicates"), lake.documents()
    former = lake.compared(version)
    change = _Change.between(former[0] if former else STATE_SCHEMA.empty_table(), now)
    if former is None or change.is_large:
        pairs = _all_pairs(session(), lake)
        lake.note_pairs(pairs, version)
    elif change.touched.num_rows:
        pairs = _brought_up(former[1], session, lake, change)
        lake.note_pairs(pairs, version)
    else:
        pairs = former[1]
    return canonicals(pairs.drop_columns(["bands"]).to_pylist())


def _all_pairs(spark: SparkSession, lake: Lake) -> pa.Table:
    entries = alive(spark, lake).withColumns({"fresh": f.lit(True), "gone": f.lit(False)})  # noqa: FBT003  Spark knows no keywords
    return verified(candidates(buckets(entries)), entries).toArrow().cast(PAIR_SCHEMA)


def _brought_up(pairs: pa.Table, session: Session, lake: Lake, change: _Change) -> pa.Table:
    """The ``pairs`` of before, brought up to now."""
    members, crowded = _meeting(lake, change)
    if not members.num_rows:
        return _standing(pairs, change, _NOBODY)
    marks = change.marks()
    marks = marks.filter(pc.is_in(marks["doc"], value_set=pc.unique(members["doc"])))
    spark = session()
    entries = _marked(stored(spark, map(Path, pc.unique(members["file"]).to_pylist())), marks)
    bands = spark.createDataFrame(pa.table([pc.unique(members["band"])], schema=_BANDS))
    bucketed = buckets(within(entries, bands))
    found = verified(candidates(bucketed), entries.where("not gone")).toArrow().cast(PAIR_SCHEMA)
    deposed = demoted(bucketed).toArrow().cast(_DEMOTED) if crowded else _NOBODY
    return _merged(_standing(pairs, change, deposed), found)


def _meeting(lake: Lake, change: _Change) -> tuple[pa.Table, bool]:
    """Who is in a bucket (`_MEMBERS`) that gives something to compare, and whether one has more members than leaders.

    That is a bucket where somebody fresh meets another, and one of more members than leaders, where somebody may lead now.
    """
    fresh, gone = _members(lake, change.fresh), _members(lake, change.gone)
    touched = pc.unique(pa.chunked_array([*fresh["band"].chunks, *gone["band"].chunks], pa.int64()))
    living = pa.concat_tables([fresh, _members(lake, change.kept, touched)])
    everybody = pa.concat_tables([living, gone])
    full = _more_than(LEADERS, everybody["band"])
    met = _more_than(1, living["band"])
    met = met.filter(pc.is_in(met, value_set=pc.unique(fresh["band"])))
    return everybody.filter(pc.is_in(everybody["band"], value_set=pa.concat_arrays([met, full]))), len(full) > 0


def _more_than(count: int, bands: pa.ChunkedArray) -> pa.Array:
    """The bands that occur more than ``count`` times."""
    counted = pc.value_counts(bands.combine_chunks())
    return counted.filter(pc.greater(counted.field("counts"), count)).field("values")


def _members(lake: Lake, documents: pa.Table, among: pa.Array | None = None) -> pa.Table:
    """Who has which band (`_MEMBERS`), ``among`` these where they are given."""
    found = [_MEMBERS.empty_table()]
    for file, batch in lake.rows_by_file(documents, ["doc", "bands"]):
        bands = batch["bands"].flatten()
        docs = batch["doc"].take(pc.list_parent_indices(batch["bands"]))
        table = pa.table([bands, docs, pa.repeat(str(file), len(bands))], schema=_MEMBERS)
        found.append(table if among is None else table.filter(pc.is_in(bands, value_set=among)))
    return pa.concat_tables(found)


def _marked(rows: DataFrame, marks: pa.Table) -> DataFrame:
    """The rows of the documents that are marked, with their marks."""
    return rows.join(rows.sparkSession.createDataFrame(marks), ["doc", "run"])


def _standing(pairs: pa.Table, change: _Change, deposed: pa.Table) -> pa.Table:
    """The pairs of before that are still pairs: neither has changed, and the first still leads a bucket that both are in."""
    changed = pc.unique(change.touched["doc"])
    ends = [pc.list_element(pc.split_pattern(pairs[side], ":"), 0) for side in SIDES]
    calm = pairs.filter(pc.invert(pc.or_(*(pc.is_in(doc, value_set=changed) for doc in ends))))
    lost: dict[str, set[int]] = {}
    for row in deposed.to_pylist():
        lost.setdefault(row["key"], set()).add(row["band"])
    rows = calm.filter(pc.is_in(calm["first"], value_set=pa.array(lost, pa.string())))
    rest = calm.filter(pc.invert(pc.is_in(calm["first"], value_set=pa.array(lost, pa.string()))))
    less = [
        row | {"bands": [band for band in row["bands"] if band not in lost[row["first"]]]} for row in rows.to_pylist()
    ]
    return pa.concat_tables([rest, pa.Table.from_pylist([row for row in less if row["bands"]], PAIR_SCHEMA)])


def _merged(pairs: pa.Table, found: pa.Table) -> pa.Table:
    """All pairs, each once, with all its bands."""
    again = pc.is_in(_names(pairs), value_set=_names(found))
    bands = {(row["first"], row["second"]): row["bands"] for row in pairs.filter(again).to_pylist()}
    both = [
        row | {"bands": sorted({*row["bands"], *bands.get((row["first"], row["second"]), ())})}
        for row in found.to_pylist()
    ]
    return pa.concat_tables([pairs.filter(pc.invert(again)), pa.Table.from_pylist(both, PAIR_SCHEMA)])


def _names(pairs: pa.Table) -> pa.Array:
    return pc.binary_join_element_wise(pairs["first"], pairs["second"], "/").combine_chunks()
