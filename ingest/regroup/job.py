"""Compare the fingerprints that a home holds with those of this version and of the rules it has now, on Spark.

A fingerprint's digest holds its version, so after a change of the version every digest is another one. What matters is who shares a
digest: members with the same digest are a group, and a group that is there before and after has not moved, whatever it is called.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from index.entry import searched_chains
from index.local_rules import read_house
from index.storage.documents import Documents
from index.storage.fingerprints import FingerprintIndex
from index.storage.snapshot import SnapshotInfo
from index.terms.sketch import leading
from index.triage_reports import ReportError, TriageReports, UnknownGroup, is_cut, prints_version
from ingest.schemas import spark_schema
from ingest.sources.remote import escaped
from kb.trace import VERSION, Level, fingerprints, parse
from kb.trace.custom import CustomRules
from kb.trace.in_force import activate

_ROWS = 1_024
"""Incidents that a task reads: half a second of work."""
INCIDENT, CRASH = "incident", "crash"
BEFORE, AFTER = "before", "after"
_PRINTS = pa.schema([(name, pa.string()) for name in ("kind", "member", "level", "side", "digest")])
"""One row for each fingerprint that an incident or a crash group has on a side."""
_CRASHES = pa.schema([(name, pa.string()) for name in ("member", "exact", "root_cause", "text")])
"""``root_cause``: null where the report has not noted which of the group's causes is that of the trace it keeps."""


@dataclass(frozen=True, slots=True)
class Moves:
    """What happens at one level."""

    level: str
    before: int
    """Groups, those of one member among them."""
    after: int
    together: int
    """Groups of several members that are there only after."""
    apart: int
    """Groups of several members that are there only before."""
    incidents: int
    """Incidents that are in one of these."""
    crash_groups: int


@dataclass(slots=True)
class RegroupReport:
    """What a change of the version or of the rules does to a home."""

    snapshot: str
    versions: tuple[str, str]
    """Of the snapshot, and of this code: the number of the fingerprints and, where there are any, the digest of the rules."""
    incidents: int = 0
    crash_groups: int = 0
    without_text: int = 0
    """Crash groups whose trace is not kept, or not whole: they cannot be compared."""
    other_reports: int = 0
    """Triage reports that cannot be read, or whose fingerprints are not those of the snapshot's version and rules: their groups are left out."""
    moves: list[Moves] = field(default_factory=list)
    examples: list[dict[str, object]] = field(default_factory=list)
    """The largest groups that come together or apart: ``level``, ``change``, ``members``."""
    seconds: float = 0.0


def compare(session: SparkSession, home: Path, info: SnapshotInfo, folder: Path, most: int) -> RegroupReport:
    """Compare, and write ``moves.parquet`` into the folder: a row for each group that comes together or apart. The workers must see both."""
    rules = read_house(home)
    documents = Documents(info.path)
    count = len(documents)
    documents.close()
    then = prints_version(info.manifest.fingerprint_version, info.manifest.rules)
    crashes, without, others = _crash_groups(home, then)
    versions = (then, prints_version(VERSION, rules.digest))
    report = RegroupReport(info.id, versions, info.manifest.counts["searchable"], len(crashes), without, others)
    prints, moves = (f"file://{folder.resolve()}/{name}.parquet" for name in ("prints", "moves"))
    _prints(session, info, count, crashes, rules).write.parquet(prints)
    _moved(session.read.parquet(escaped(prints))).write.parquet(moves)
    moved, groups = session.read.parquet(escaped(moves)), _groups(session.read.parquet(escaped(prints)))
    report.moves = _counted(groups, moved)
    largest = moved.orderBy(f.desc(f.size("members")), "level", "change", "members").limit(most)
    report.examples = largest.select("level", "change", "members").toArrow().to_pylist()
    return report


def _crash_groups(home: Path, prints: str) -> tuple[pa.Table, int, int]:
    """Return the unknown groups that keep a whole trace, each once, how many keep none, and how many reports are left out: ``prints`` are the fingerprints of the others."""
    reports = TriageReports(home)
    found: dict[str, UnknownGroup] = {}
    others = 0
    for run in reports.runs():
        try:
            report = reports.report(run)
        except ReportError:
            others += 1
            continue
        if report.prints != prints:
            others += 1
            continue
        for group in report.unknown:
            if not (known := found.get(group.id)) or not _is_whole(known):
                found[group.id] = group
    kept = [{"member": one.id, "exact": one.exact, "root_cause": _cause(one), "text": one.text} for one in found.values() if _is_whole(one)]  # fmt: skip
    return pa.Table.from_pylist(kept, _CRASHES), len(found) - len(kept), others


def _is_whole(group: UnknownGroup) -> bool:
    return bool(group.text) and not is_cut(group.text)


def _cause(group: UnknownGroup) -> str | None:
    """Return the root cause of the trace that a group keeps; None where the group has several and has not noted which."""
    return group.root_cause or (group.root_causes[0] if len(group.root_causes) == 1 else None)


def _prints(session: SparkSession, info: SnapshotInfo, count: int, crashes: pa.Table, rules: CustomRules) -> DataFrame:
    schema = spark_schema(_PRINTS)
    starts = session.range(0, count, _ROWS, max(1, -(-count // _ROWS)))
    prints = starts.mapInArrow(_of_incidents(str(info.path), count, rules), schema)
    if crashes.num_rows:
        prints = prints.unionByName(session.createDataFrame(crashes).mapInArrow(_of_crashes(rules), schema))
    return prints


Batches = Iterable[pa.RecordBatch]


def _of_incidents(folder: str, count: int, rules: CustomRules) -> Callable[[Batches], Iterator[pa.RecordBatch]]:
    def rows(incoming: Batches) -> Iterator[pa.RecordBatch]:
        activate(rules)
        documents, stored = Documents(Path(folder)), FingerprintIndex(Path(folder)).by_row()
        for batch in incoming:
            for start in batch["id"].to_pylist():
                end = min(start + _ROWS, count)
                names = {row: documents.id_of(row) for row in range(start, end)}
                found = [
                    (name, level.value, BEFORE, digest)
                    for row, name in names.items()
                    for level, digest in stored.of(row)
                ]
                for row, name in names.items():
                    incident = documents.incident(row)
                    if incident.duplicate_of is not None:  # not searched, so the snapshot has no fingerprint of it
                        continue
                    chains = [normalised for _, normalised in searched_chains(incident)]
                    now = {(level.value, one.digest) for chain in chains for level, one in fingerprints(chain).items()}
                    found += [(name, level, AFTER, digest) for level, digest in sorted(now)]
                yield _batch(INCIDENT, found)

    return rows


def _of_crashes(rules: CustomRules) -> Callable[[Batches], Iterator[pa.RecordBatch]]:
    """A report keeps the exact fingerprint and the root cause of a group's trace; its loose one is not compared."""

    def rows(incoming: Batches) -> Iterator[pa.RecordBatch]:
        activate(rules)
        for batch in incoming:
            found = []
            for row in batch.to_pylist():
                levels = [level for level in (Level.EXACT, Level.ROOT_CAUSE) if row[level.value]]
                found += [(row["member"], level.value, BEFORE, row[level.value]) for level in levels]
                chain = leading(parse(row["text"]))
                if chain is not None:
                    now = fingerprints(chain)
                    found += [(row["member"], level.value, AFTER, now[level].digest) for level in levels]
            yield _batch(CRASH, found)

    return rows


def _batch(kind: str, found: list[tuple[str, str, str, str]]) -> pa.RecordBatch:
    columns = list(zip(*found, strict=True)) or [()] * 4
    return pa.RecordBatch.from_arrays(
        [pa.array(one, pa.string()) for one in ([kind] * len(found), *columns)], schema=_PRINTS
    )


def _groups(prints: DataFrame) -> DataFrame:
    """Return who shares a fingerprint: ``level``, ``side``, ``members`` as ``kind:name``, sorted; equal sets of one side once."""
    named = f.concat_ws(":", "kind", "member")
    shared = prints.groupBy("level", "side", "digest").agg(f.sort_array(f.collect_set(named)).alias("members"))
    return shared.select("level", "side", "members").distinct()


def _moved(prints: DataFrame) -> DataFrame:
    """Return the groups of several members that only one side has."""
    groups = _groups(prints)
    sides = groups.groupBy("level", "members").agg(f.collect_set("side").alias("sides"))
    change = f.when(f.array_contains("sides", AFTER), "together").otherwise("apart")
    only = sides.where((f.size("sides") == 1) & (f.size("members") > 1))
    return only.select("level", change.alias("change"), "members")


def _counted(groups: DataFrame, moved: DataFrame) -> list[Moves]:
    sizes = groups.groupBy("level").agg(
        f.count_if(f.col("side") == BEFORE).alias(BEFORE), f.count_if(f.col("side") == AFTER).alias(AFTER)
    )
    changes = moved.groupBy("level").agg(
        f.count_if(f.col("change") == "together").alias("together"),
        f.count_if(f.col("change") == "apart").alias("apart"),
    )
    members = moved.select("level", f.explode("members").alias("member")).distinct()
    who = members.groupBy("level").agg(
        f.count_if(f.col("member").startswith(f"{INCIDENT}:")).alias("incidents"),
        f.count_if(f.col("member").startswith(f"{CRASH}:")).alias("crash_groups"),
    )
    rows = sizes.join(changes, "level", "left").join(who, "level", "left").na.fill(0).toArrow().to_pylist()
    order = [level.value for level in Level]
    return sorted((Moves(**row) for row in rows), key=lambda one: order.index(one.level))
