"""From the rows in force in the lake to the published snapshot: unique ids, groups, build."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from index.build import build
from index.encoder import Encoder
from index.entry import ENTRY_SCHEMA
from index.live.saved import Position, joined
from index.storage.place import CandidatePlace
from index.storage.snapshot import SnapshotInfo
from ingest.addresses import Addresses
from ingest.groups import DuplicateGroup, groups_of
from ingest.lake import Lake
from ingest.progress import StageProgress
from kb import store as stores

_KEY = ["doc", "ordinal", "id"]
_REPOSTS = 20
"""Reposts that an incident names; a text that everybody has copied would carry thousands."""


@dataclass(frozen=True, slots=True)
class PublishTarget:
    """Where a snapshot goes, and what beside the lake goes into it."""

    home: Path
    encoder: Encoder
    store: "stores.Store | None"
    """None where there is none."""
    candidates: CandidatePlace | None = None
    """Where candidates are looked up; None: in the snapshot itself."""


def unique_ids(lake: Lake, documents: pa.Table) -> dict[str, str]:
    """Key → id, for each incident whose own id another document has too.

    The first by source and path keeps the id; the others get a hash of their place behind it.
    """
    batches = list(lake.rows(documents, _KEY))
    if not batches:
        return {}
    ids = pa.Table.from_batches(batches)
    counts = pc.value_counts(ids["id"].combine_chunks())
    repeated = counts.field("values").filter(pc.greater(counts.field("counts"), 1))
    if not len(repeated):
        return {}
    rows = ids.filter(pc.is_in(ids["id"], value_set=repeated)).to_pylist()
    sharing = documents.filter(
        pc.is_in(documents["doc"], value_set=pa.array({row["doc"] for row in rows}, pa.string()))
    )
    places = {row["doc"]: (row["source"], row["path"]) for row in sharing.to_pylist()}
    rows.sort(key=lambda row: (row["id"], places[row["doc"]], row["ordinal"]))
    renamed, before = {}, None
    for row in rows:
        if row["id"] == before:
            key = f"{row['doc']}:{row['ordinal']}"
            renamed[key] = f"{row['id']}-{hashlib.sha256(key.encode()).hexdigest()[:8]}"
        before = row["id"]
    return renamed


def snapshot_batches(
    lake: Lake, documents: pa.Table, groups: Mapping[str, DuplicateGroup], renamed: Mapping[str, str]
) -> Iterator[pa.RecordBatch]:
    """The entries in force as `ENTRY_SCHEMA`, with unique ids, addresses, ``duplicate_of`` and ``reposts`` set."""
    changed, addresses = _changed(groups, renamed), Addresses(lake.manifest.bases)
    touched, based = pa.array(sorted(changed), pa.string()), pa.array(sorted(addresses.bases), pa.string())
    for batch in lake.rows(documents, ["doc", "ordinal", "source", "path", *ENTRY_SCHEMA.names]):
        keys = pc.binary_join_element_wise(batch["doc"], pc.cast(batch["ordinal"], pa.string()), ":")
        hit = pc.or_(pc.is_in(keys, value_set=touched), pc.is_in(batch["source"], value_set=based)).to_pylist()
        columns = {name: batch[name] for name in ENTRY_SCHEMA.names}
        if any(hit):
            ids, texts = batch["id"].to_pylist(), batch["document"].to_pylist()
            places = zip(keys.to_pylist(), batch["source"].to_pylist(), batch["path"].to_pylist(), strict=True)
            for at, (key, source, path) in enumerate(places):
                if hit[at]:
                    ids[at] = renamed.get(key, ids[at])
                    record = json.loads(texts[at])
                    url = addresses.of(source, path, record["url"])
                    texts[at] = _written(record | changed.get(key, {}) | {"id": ids[at], "url": url})
            columns |= {"id": pa.array(ids, pa.string()), "document": pa.array(texts, pa.string())}
        # Spark's Parquet names the items of lists in its own way: the cast gives them their names back.
        yield pa.record_batch([columns[field.name].cast(field.type) for field in ENTRY_SCHEMA], schema=ENTRY_SCHEMA)


def _changed(groups: Mapping[str, DuplicateGroup], renamed: Mapping[str, str]) -> dict[str, dict[str, object]]:
    """Return, for each key, the fields of its record that differ from the lake."""
    changed: dict[str, dict[str, object]] = {key: {} for key in renamed}
    for canonical, group in groups.items():
        reposts = [{"id": one.id, "title": one.title, "url": one.url} for one in group.others[:_REPOSTS]]
        changed.setdefault(canonical, {})["reposts"] = reposts
        for other in group.others:
            changed.setdefault(other.key, {})["duplicate_of"] = group.canonical.id
    return changed


def _written(record: Mapping[str, object]) -> str:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def publish(
    lake: Lake, target: PublishTarget, duplicates: Mapping[str, str], progress: StageProgress
) -> tuple[SnapshotInfo, list[DuplicateGroup]]:
    """Builds a snapshot of the lake and the store, and makes it the current one; it, and the groups of near-duplicates in the lake."""
    documents = lake.documents()
    renamed = unique_ids(lake, documents)
    groups = groups_of(lake, documents, duplicates, renamed)
    batches = snapshot_batches(lake, documents, groups, renamed)
    rows = pc.sum(documents.filter(pc.equal(documents["status"], "accepted"))["incidents"]).as_py() or 0

    def report_stage(stage: str, done: int, total: int) -> None:
        progress.stage(f"building: {stage}", done, total or rows)

    position = None
    if target.store is not None:
        position = Position.now(target.store)
        batches = joined(batches, target.store, position.sequence, target.encoder)
    sources = _sources(documents)
    info = build(
        batches,
        target.home,
        target.encoder,
        sources=sources,
        position=position,
        progress=report_stage,
        candidates=target.candidates,
    )
    return info, list(groups.values())


def _sources(documents: pa.Table) -> dict[str, object]:
    """For the manifest of the snapshot: how many documents and incidents each source gave."""
    accepted = documents.filter(pc.equal(documents["status"], "accepted"))
    counted = accepted.group_by("source").aggregate([("doc", "count"), ("incidents", "sum")])
    return {
        row["source"]: {"documents": row["doc_count"], "incidents": row["incidents_sum"]} for row in counted.to_pylist()
    }
