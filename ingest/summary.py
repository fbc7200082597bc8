"""What one run did, counted from the lake itself, and what the next one would do."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ingest.lake import Lake, LakeError
from ingest.plan import DocumentChange, Plan
from ingest.sources.listing import Listing
from kb.redact import redact_path

_EXAMPLES = 10  # rejected documents of each reason that are named
_NAMED = 10  # documents of each kind of change that a preview names


@dataclass(frozen=True, slots=True)
class Summary:
    """What one run did. ``accepted`` and ``rejected`` count the documents of the given sources, and add up to ``read``."""

    read: int
    accepted: int
    rejected: int
    rejected_by_reason: dict[str, int]
    rejected_examples: dict[str, list[str]]
    done_now: int
    """Documents read in this run; the others were unchanged."""
    unchanged: int
    removed: int
    changes: dict[str, int]
    """Documents of all sources by `ingest.plan.DocumentChange`."""
    incidents: int
    """Incidents in the snapshot, of all sources, duplicates included."""
    duplicates: int
    snapshot: str | None
    published: bool
    """Whether this run published the snapshot; False when nothing had changed."""
    rejected_table: str
    seconds: float
    spark_start_seconds: float
    articles_per_second: float | None
    """Documents done in this run by the seconds after Spark's start; None when none was."""
    notes: list[str]
    report: str | None = None
    """The page of the last run that published; None when there is none."""


@dataclass(frozen=True, slots=True)
class SourceChanges:
    """What a run would do with the documents of one source."""

    source: str
    changes: dict[str, int]
    """By `ingest.plan.DocumentChange`; all of them are named."""
    first: dict[str, list[str]]
    """The paths of the first few of each."""


@dataclass(frozen=True, slots=True)
class Preview:
    """What a run would do now."""

    sources: list[SourceChanges]
    """Those with changes, those not given among them where entries would be remade."""
    changes: dict[str, int]
    unchanged: int
    refused: int
    """New and changed documents that no run would open: pictures, code, files too large."""
    publishes: bool
    """Whether there would be another snapshot."""
    bytes_to_read: int


@dataclass(frozen=True, slots=True)
class Course:
    """How the run went, as far as the lake does not know."""

    published: bool
    seconds: float
    spark_start: float
    reader: str
    """Version of the reading code of today."""


def summarise(lake: Lake, listing: Listing, plan: Plan, course: Course) -> Summary:
    """The state of the listed sources after the run. Raises when a document is neither accepted nor rejected."""
    state, manifest = lake.documents(), lake.manifest
    ours = state.filter(pc.is_in(state["doc"], value_set=listing.documents["doc"].combine_chunks()))
    accepted = ours.filter(pc.equal(ours["status"], "accepted"))
    rejected = ours.filter(pc.equal(ours["status"], "rejected"))
    read = listing.documents.num_rows
    if accepted.num_rows + rejected.num_rows != read:
        raise LakeError(
            f"{read} documents were listed, {accepted.num_rows} accepted and {rejected.num_rows} rejected",
            cure=f"this is a fault in dejastack; remove {lake.root} and ingest again",
        )
    done = plan.to_read.num_rows + plan.newly_refused
    every = state.filter(pc.equal(state["status"], "accepted"))
    return Summary(
        read=read,
        accepted=accepted.num_rows,
        rejected=rejected.num_rows,
        rejected_by_reason=dict(Counter(rejected["reason"].to_pylist()).most_common()),
        rejected_examples=_examples(rejected),
        done_now=done,
        unchanged=plan.unchanged,
        removed=plan.removed,
        changes=_counted(plan.changes),
        incidents=pc.sum(every["incidents"]).as_py() or 0,
        duplicates=manifest.duplicates,
        snapshot=manifest.snapshot,
        published=course.published,
        rejected_table=str(lake.rejected),
        seconds=round(course.seconds, 2),
        spark_start_seconds=round(course.spark_start, 2),
        articles_per_second=round(done / (course.seconds - course.spark_start), 1) if done else None,
        notes=_notes(every, course.reader),
    )


def foresee(plan: Plan, *, publishes: bool) -> Preview:
    """The preview of a plan."""
    changed = sorted(pc.unique(plan.changes["source"]).to_pylist())
    return Preview(
        sources=[_source_changes(source, plan.changes) for source in changed],
        changes=_counted(plan.changes),
        unchanged=plan.unchanged,
        refused=plan.newly_refused,
        publishes=publishes,
        bytes_to_read=pc.sum(plan.to_read["size"]).as_py() or 0,
    )


def _source_changes(source: str, changes: pa.Table) -> SourceChanges:
    ours = changes.filter(pc.equal(changes["source"], source))
    named = {change: ours.filter(pc.equal(ours["change"], change.value))["path"] for change in DocumentChange}
    first = {
        change.value: [redact_path(one) for one in paths[:_NAMED].to_pylist()]
        for change, paths in named.items()
        if len(paths)
    }
    return SourceChanges(source, _counted(ours), first)


def _counted(changes: pa.Table) -> dict[str, int]:
    found = Counter(changes["change"].to_pylist())
    return {change.value: found[change.value] for change in DocumentChange}


def _examples(rejected: pa.Table) -> dict[str, list[str]]:
    """For each reason the first few documents, with what was found in them."""
    ordered = rejected.sort_by([("source", "ascending"), ("path", "ascending")])
    return {
        reason: [_example(row) for row in ordered.filter(pc.equal(ordered["reason"], reason))[:_EXAMPLES].to_pylist()]
        for reason in pc.unique(ordered["reason"]).to_pylist()
    }


def _example(row: dict[str, Any]) -> str:
    line = f" line {row['line']}" if row["line"] else ""
    return f"{redact_path(row['path'])}{line}" + (f": {row['detail']}" if row["detail"] else "")


def _notes(accepted: pa.Table, reader: str) -> list[str]:
    """Sources that were not given this time and hold documents read by other code than today's; documents of which a part was left out."""
    old = accepted.filter(pc.invert(pc.starts_with(accepted["reader"], f"{reader}-")))
    counts = Counter(old["source"].to_pylist())
    notes = [
        f"{n} documents of {source} were read by an older version: ingest it again" for source, n in counts.items()
    ]
    parts = pc.sum(pc.not_equal(accepted["detail"], "")).as_py() or 0
    if parts:
        notes.append(
            f"{parts} accepted documents hold parts that state no problem and were left out; --keep-all takes them"
        )
    return notes
