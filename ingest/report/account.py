"""The account of one run: what came in, what was refused, what the articles state, who repeats whom, and what it cost."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from index.storage.snapshot import SnapshotInfo
from ingest.groups import DuplicateGroup
from ingest.lake import Lake
from ingest.schemas import STATED_FIELDS
from ingest.summary import Summary

_GROUPS = 100
"""Groups of near-duplicates that are listed, the largest first; the lake holds them all."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many incidents of one source and language show a trace, state a cause, state a fix."""

    source: str
    lang: str
    incidents: int
    with_trace: int
    with_cause: int
    with_fix: int


@dataclass(frozen=True, slots=True)
class Share:
    """What the lake holds of one source."""

    source: str
    accepted: int
    rejected: int
    incidents: int
    bytes: int


@dataclass(frozen=True, slots=True)
class RunHistory:
    """What is drawn of a run: how large the knowledge base was then, and how long the run took."""

    ended: str
    incidents: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Account:
    """One run, as it is reported."""

    run: str
    """Sorts by time."""
    ended: str
    """ISO 8601, with the offset of this machine."""
    given: list[str]
    """The sources of this run; the lake may hold more."""
    summary: Summary
    sources: list[Share]
    coverage: list[Coverage]
    group_count: int
    groups: list[DuplicateGroup]
    seconds: dict[str, float] = field(default_factory=dict)
    """Wall time by stage, in the order of the stages."""
    bytes: dict[str, int] = field(default_factory=dict)
    """``listed``, ``read``, ``lake``, ``snapshot``."""


def coverage(lake: Lake) -> list[Coverage]:
    """What the incidents in force state."""
    names = ["source", *(field.name for field in STATED_FIELDS)]
    batches = [pa.Table.from_batches([batch]) for batch in lake.rows(lake.documents(), names)]
    if not batches:
        return []
    columns = ["with_trace", "with_cause", "with_fix"]
    counted = (
        pa.concat_tables(batches)
        .group_by(["source", "lang"])
        .aggregate([([], "count_all"), *((name, "sum") for name in columns)])
    )
    rows = counted.select(["source", "lang", "count_all", *(f"{name}_sum" for name in columns)])
    rows = rows.sort_by([("source", "ascending"), ("count_all", "descending")])
    return [Coverage(*row.values()) for row in rows.to_pylist()]


def shares(state: pa.Table) -> list[Share]:
    """What the lake holds of every source."""
    here = state.filter(pc.not_equal(state["status"], "removed"))
    accepted = pc.cast(pc.equal(here["status"], "accepted"), pa.int64())
    rejected = pc.subtract(1, accepted)
    table = pa.table(
        {
            "source": here["source"],
            "accepted": accepted,
            "rejected": rejected,
            "incidents": here["incidents"],
            "bytes": here["size"],
        }
    )
    sums = table.group_by("source").aggregate([(name, "sum") for name in table.column_names[1:]]).sort_by("source")
    return [Share(*row.values()) for row in sums.rename_columns(table.column_names).to_pylist()]


def sizes(listed: pa.Table, read: pa.Table, lake: Lake, snapshot: SnapshotInfo) -> dict[str, int]:
    """Bytes at each station: what the sources hold, what was read of it now, and what was made of all of it."""
    return {
        "listed": pc.sum(listed["size"]).as_py() or 0,
        "read": pc.sum(read["size"]).as_py() or 0,
        "lake": sum(path.stat().st_size for path in lake.root.rglob("*.parquet")),
        "snapshot": sum(stored.size for stored in snapshot.manifest.files.values()),
    }


def largest(groups: Sequence[DuplicateGroup]) -> list[DuplicateGroup]:
    """The groups that are listed."""
    return sorted(groups, key=lambda group: (-len(group.others), group.canonical.id))[:_GROUPS]
