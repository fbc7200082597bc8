"""Groups of near-duplicates with names: who stands for whom, and why."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.compute as pc

from ingest.addresses import Addresses
from ingest.lake import Lake
from kb.redact import redact_path

_REASONS = ("complete", "earlier", "longer", "first")
"""What each part of `ingest.shingles.rank` compares, in its order."""


@dataclass(frozen=True, slots=True)
class GroupMember:
    """One incident of a group."""

    key: str
    """Document and ordinal, as in the lake."""
    id: str
    title: str
    url: str
    source: str
    path: str
    why: str = ""
    """Why the canonical one comes before this one: it states more of trace, cause and fix (``complete``), was written ``earlier``,
    is ``longer``, or, where they are equal in all that, is ``first`` by its id."""


@dataclass(frozen=True, slots=True)
class DuplicateGroup:
    """Incidents that tell of one problem in nearly the same words."""

    canonical: GroupMember
    others: tuple[GroupMember, ...]


def groups_of(
    lake: Lake, documents: pa.Table, duplicates: Mapping[str, str], renamed: Mapping[str, str]
) -> dict[str, DuplicateGroup]:
    """Key of each canonical incident → its group. ``duplicates`` are keys → canonical keys; ``renamed`` are keys → ids."""
    if not duplicates:
        return {}
    wanted = {*duplicates, *duplicates.values()}
    ranks: dict[str, str] = {}
    members = {}
    addresses = Addresses(lake.manifest.bases)
    for key, row in _rows(lake, documents, wanted):
        record = json.loads(row["document"])
        ranks[key] = row["rank"]
        source, path = row["source"], row["path"]
        url = addresses.of(source, path, record["url"])
        members[key] = GroupMember(key, renamed.get(key, row["id"]), record["title"], url, source, redact_path(path))
    others: dict[str, list[str]] = {}
    for key, canonical in duplicates.items():
        others.setdefault(canonical, []).append(key)
    return {
        canonical: DuplicateGroup(
            members[canonical],
            tuple(
                replace(members[key], why=why(ranks[canonical], ranks[key]))
                for key in sorted(keys, key=ranks.__getitem__)
            ),
        )
        for canonical, keys in others.items()
    }


def _rows(lake: Lake, documents: pa.Table, keys: set[str]) -> list[tuple[str, dict[str, str]]]:
    docs = pa.array({key.rpartition(":")[0] for key in keys}, pa.string())
    columns = ["doc", "ordinal", "id", "source", "path", "rank", "document"]
    found: list[tuple[str, dict[str, str]]] = []
    for batch in lake.rows(documents.filter(pc.is_in(documents["doc"], value_set=docs)), columns):
        rows = ((f"{row['doc']}:{row['ordinal']}", row) for row in batch.to_pylist())
        found.extend((key, row) for key, row in rows if key in keys)
    return found


def why(canonical: str, other: str) -> str:
    """The first thing in which the rank of the canonical one is better."""
    parts = zip(canonical.split("|", 3), other.split("|", 3), _REASONS, strict=True)
    return next((reason for ours, theirs, reason in parts if ours != theirs), _REASONS[-1])
