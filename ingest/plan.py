"""What there is to do: the listing of now against the lake of then, as Arrow tables. No Spark."""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

import pyarrow as pa
import pyarrow.compute as pc

from ingest.quality import Reason
from ingest.schemas import STATE_SCHEMA
from ingest.sources.listing import Listing

_SLICE_DOCUMENTS = 50_000
_SLICE_BYTES = 1 << 30
_KEEPS_ALL = "-all"
"""What the version of a reader ends with that takes documents without a problem, too."""
_TOMBSTONES = 10_000
"""Removed documents that the lake remembers, for people who ask where one has gone."""


@dataclass(frozen=True, slots=True)
class Versions:
    """Versions of the code as it is now."""

    reader: str
    indexer: str
    publisher: str


class DocumentChange(StrEnum):
    """How a document differs from what the lake knows of it."""

    NEW = "new"
    """Never seen, or seen and removed since."""
    CHANGED = "changed"
    REMOVED = "removed"
    REREAD = "reread"
    """The same bytes, and other code, another form, or ``--full``: they are read again."""
    REMADE = "remade"
    """Read well; its entries are made anew by other code, rules or another model. The source is not opened."""


CHANGE_SCHEMA = pa.schema([("source", pa.string()), ("path", pa.string()), ("change", pa.string())])


@dataclass(frozen=True, slots=True)
class Plan:
    """The state that stays, and what must be done to bring it up to the listing."""

    kept: pa.Table
    """`STATE_SCHEMA`: unchanged, of other sources, newly refused by the listing itself, newly removed."""
    to_read: pa.Table
    """`LISTING_SCHEMA`: new or changed, or read by other code than today's."""
    stale: pa.Table
    """`STATE_SCHEMA`: read well, indexed by other code or another model. Not in ``kept``."""
    unchanged: int
    removed: int
    newly_refused: int
    changes: pa.Table
    """`CHANGE_SCHEMA`: every document that is not as it was, by source and path."""

    @property
    def nothing(self) -> bool:
        """The lake holds exactly what the sources hold."""
        return not (self.to_read.num_rows or self.stale.num_rows or self.removed or self.newly_refused)

    def slices(self) -> list[pa.Table]:
        """``to_read`` in pieces that are committed one by one, so that a long run that is killed goes on from there."""
        slices, start, held = [], 0, 0
        for at, size in enumerate(self.to_read["size"].to_pylist()):
            if at > start and (at - start >= _SLICE_DOCUMENTS or held + size > _SLICE_BYTES):
                slices.append(self.to_read.slice(start, at - start))
                start, held = at, 0
            held += size
        return [*slices, self.to_read.slice(start)] if self.to_read.num_rows else []


def make_plan(
    listing: Listing, state: pa.Table, versions: Versions, *, full: bool, keep_all: Collection[str] = ()
) -> Plan:
    """Compares by document key: content hash, form, versions and whether all documents of the source are taken (``keep_all``) decide."""
    now = _with_reader(listing.documents, versions.reader, keep_all)
    then = state.filter(pc.not_equal(state["status"], "removed"))
    same = _same(now, then, full=full)
    unchanged = now.filter(same)["doc"]
    todo = now.filter(pc.invert(same))
    refused_now = todo.filter(pc.not_equal(todo["reason"], ""))
    gone = _gone(listing, then)
    out = pa.chunked_array([*todo["doc"].chunks, *gone["doc"].chunks], pa.string())
    rest = then.filter(pc.invert(_in(then["doc"], out)))
    old = pc.and_(pc.equal(rest["status"], "accepted"), pc.not_equal(rest["indexer"], versions.indexer))
    removed = state.filter(pc.and_(pc.equal(state["status"], "removed"), pc.invert(_in(state["doc"], out))))
    tombstones = pa.concat_tables([removed, _as_removed(gone)])
    return Plan(
        kept=pa.concat_tables([rest.filter(pc.invert(old)), _as_refused(refused_now), _latest(tombstones)]),
        to_read=todo.filter(pc.equal(todo["reason"], "")).sort_by([("source", "ascending"), ("path", "ascending")]),
        stale=rest.filter(old),
        unchanged=len(unchanged),
        removed=gone.num_rows,
        newly_refused=refused_now.num_rows,
        changes=_changes(
            _differing(todo, then),
            _called(gone, DocumentChange.REMOVED),
            _called(rest.filter(old), DocumentChange.REMADE),
        ),
    )


def _differing(todo: pa.Table, then: pa.Table) -> pa.Table:
    """The documents to be done, and whether they are new, changed, or the same."""
    known = then.take(pc.index_in(todo["doc"], value_set=then["doc"].combine_chunks()))
    same = pc.if_else(
        pc.equal(todo["content"], known["content"]), DocumentChange.REREAD.value, DocumentChange.CHANGED.value
    )
    return todo.select(["source", "path"]).append_column("change", pc.fill_null(same, DocumentChange.NEW.value))


def _called(documents: pa.Table, change: DocumentChange) -> pa.Table:
    return documents.select(["source", "path"]).append_column(
        "change", pa.repeat(pa.scalar(change.value), documents.num_rows)
    )


def _changes(*parts: pa.Table) -> pa.Table:
    whole = pa.concat_tables([part.cast(CHANGE_SCHEMA) for part in parts])
    return whole.sort_by([("source", "ascending"), ("path", "ascending")])


def _with_reader(documents: pa.Table, reader: str, keep_all: Collection[str]) -> pa.Table:
    """The version that a document would be read with: the code's, and the form it is taken for; of a source of which all are taken another."""
    kept = _in(documents["source"], pa.array(sorted(keep_all), pa.string()))
    joined = pc.binary_join_element_wise(pc.if_else(kept, f"{reader}{_KEEPS_ALL}", reader), documents["format"], "-")
    return documents.append_column("reader", joined)


def _same(now: pa.Table, then: pa.Table, *, full: bool) -> pa.ChunkedArray:
    """For each listed document, whether the lake holds its outcome already. Arrow joins keep no order, so: look up."""
    if full or not then.num_rows:
        return pa.chunked_array([pa.repeat(pa.scalar(value=False), now.num_rows)])
    at = pc.index_in(now["doc"], value_set=then["doc"].combine_chunks())
    known = then.take(at)
    equal = pc.and_(pc.equal(now["content"], known["content"]), pc.equal(now["reader"], known["reader"]))
    # What the listing refuses it refuses for the reason it sees now; what it does not, the lake's outcome holds for.
    is_same = pc.or_(pc.equal(now["reason"], ""), pc.equal(now["reason"], known["reason"]))
    # What was listed well and could not be opened when its turn came is tried again.
    missed = pc.and_(pc.equal(known["reason"], Reason.UNREADABLE.value), pc.equal(now["reason"], ""))
    is_same = pc.and_(is_same, pc.invert(missed))
    return pc.fill_null(pc.and_(equal, is_same), fill_value=False)


def _gone(listing: Listing, then: pa.Table) -> pa.Table:
    """Documents of the listed sources that are not there any more; those in folders that could not be opened stay."""
    sources = pa.array(listing.sources, pa.string())
    missing = then.filter(pc.and_(_in(then["source"], sources), pc.invert(_in(then["doc"], listing.documents["doc"]))))
    for source, prefix in listing.blind:
        hidden = pc.and_(pc.equal(missing["source"], source), pc.starts_with(missing["path"], prefix))
        missing = missing.filter(pc.invert(hidden))
    return missing


def _in(values: pa.ChunkedArray, among: pa.ChunkedArray | pa.Array) -> pa.ChunkedArray:
    return pc.is_in(values, value_set=among.combine_chunks() if isinstance(among, pa.ChunkedArray) else among)


def _as_refused(listed: pa.Table) -> pa.Table:
    constants = {"status": "rejected", "indexer": "", "run": ""}
    return _state(listed, constants)


def _latest(tombstones: pa.Table) -> pa.Table:
    """The last ones, the youngest at the end: each changed line of a JSON-lines file leaves one, and the lake must not grow for ever."""
    return tombstones.slice(max(0, tombstones.num_rows - _TOMBSTONES))


def _as_removed(known: pa.Table) -> pa.Table:
    return _state(
        known.drop_columns(["status", "run", "reason", "detail"]),
        {"status": "removed", "run": "", "reason": "", "detail": ""},
    )


def _state(table: pa.Table, constants: dict[str, str]) -> pa.Table:
    columns = []
    for field in STATE_SCHEMA:
        if field.name in constants:
            columns.append(pa.repeat(constants[field.name], table.num_rows))
        elif field.name in table.column_names:
            columns.append(table[field.name])
        else:
            columns.append(pa.repeat(0, table.num_rows).cast(field.type))
    return pa.table(columns, schema=STATE_SCHEMA)
