"""`kb ingest` from end to end: list, compare, read, refuse, deduplicate, publish."""

import hashlib
import os
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from index.encoder import Encoder, load_encoder
from index.house import adopt_house
from index.snapshot import current, prune, verify
from ingest import transforms
from ingest.lake import Lake, LakeError
from ingest.plan import Plan, Versions, make_plan
from ingest.progress import Report, counted
from ingest.publish import find_duplicates, publish
from ingest.quality import Reason
from ingest.schemas import DONE_SCHEMA
from ingest.session import LOCAL, is_local, spark_session
from ingest.sources.formats import Format
from ingest.sources.listing import Listing
from ingest.sources.local import list_local
from ingest.sources.packs import Packs
from ingest.sources.remote import is_remote, list_remote, local_path, with_data
from ingest.summary import Course, Summary, summarise
from ingest.transforms import Making
from ingest.versions import code_version
from kb.errors import SnapshotError, SourceError
from kb.trace.custom import CustomRules

_SNAPSHOTS_KEPT = 5
_MANY_RUNS = 24


@dataclass(frozen=True, slots=True)
class Options:
    """How to ingest."""

    home: Path
    model: str | None = None
    master: str = LOCAL
    form: Format = Format.AUTO
    full: bool = False


@dataclass(slots=True)
class _Work:
    """One run at work: what every step needs."""

    options: Options
    report: Report
    lake: Lake
    stack: ExitStack
    encoder: Encoder
    rules: CustomRules
    versions: Versions
    started: float = field(default_factory=time.perf_counter)
    spark_start: float = 0.0
    _session: SparkSession | None = None

    def session(self) -> SparkSession:
        """Spark, started when it is first needed: a run with nothing to do never starts it."""
        if self._session is None:
            self.report.stage("starting Spark")
            before = time.perf_counter()
            self._session = self.stack.enter_context(spark_session(self.options.home, self.options.master))
            self.spark_start = time.perf_counter() - before
        return self._session


def ingest(places: Sequence[str], options: Options, report: Report) -> Summary:
    """Brings the lake and the snapshot up to what the sources hold now. Raises `KbError` for what an operator must mend."""
    lake = Lake(options.home)
    with lake.locked(), ExitStack() as stack:
        encoder, rules = load_encoder(options.model), adopt_house(options.home)
        work = _Work(options, report, lake, stack, encoder, rules, _versions(encoder, rules))
        report.stage("listing")
        listing = _list(places, work)
        plan = make_plan(listing, lake.documents(), work.versions, full=options.full)
        _refuse_empty(listing, plan, full=options.full)
        if not plan.nothing:
            _bring_up(plan, work)
        if to_publish := not _is_published(work):
            _publish(work)
        seconds = time.perf_counter() - work.started
        return summarise(lake, listing, plan, Course(to_publish, seconds, work.spark_start, work.versions.reader))


def _versions(encoder: Encoder, rules: CustomRules) -> Versions:
    made_by = (code_version("index.entry"), code_version("ingest.shingles"), encoder.digest, rules.digest)
    indexer = hashlib.sha256(" ".join(filter(None, made_by)).encode()).hexdigest()[:16]
    reader = "-".join(filter(None, (code_version("ingest.reading"), rules.reading_digest)))
    return Versions(reader, indexer, f"{indexer}-{code_version('ingest.publish')}")


def _list(places: Sequence[str], work: _Work) -> Listing:
    urls = list(dict.fromkeys(place for place in places if is_remote(place)))
    paths = [Path(local_path(place)) for place in places if not is_remote(place)]
    packs = Packs(work.lake.packs)
    found = [list_local(paths, work.options.form, packs)] if paths else []
    if urls:
        found.append(list_remote(work.session(), urls, work.options.form, packs))
    sources = tuple(source for one in found for source in one.sources)
    packs.prune(sources)
    documents = pa.concat_tables([one.documents for one in found])
    return Listing(documents, sources, tuple(blind for one in found for blind in one.blind))


def _refuse_empty(listing: Listing, plan: Plan, *, full: bool) -> None:
    """An empty folder is most often a share that is not mounted: what it held is not thrown away for that."""
    full_of = set(pc.unique(listing.documents["source"]).to_pylist())
    for source in listing.sources:
        if source in full_of:
            continue
        if not plan.removed:
            raise SourceError(f"source {source} holds no documents", cure="give a file, or a folder with files in it")
        if not full:
            raise SourceError(
                f"source {source} holds no documents any more",
                cure="check that it is mounted; to empty it, run with --full",
            )


def _bring_up(plan: Plan, work: _Work) -> None:
    """Reads what is new, remakes what is stale, and commits each finished piece to the lake."""
    state = pa.concat_tables([plan.kept, plan.stale])
    done = 0
    for piece in plan.slices():
        state = _commit(state, _read(piece, done, plan.to_read.num_rows, work), work)
        done += piece.num_rows
    if plan.stale.num_rows:
        state = _remake(state, plan.stale, work)
    if not plan.to_read.num_rows and not plan.stale.num_rows:
        work.lake.commit(state)
    if len(work.lake.manifest.runs) > _MANY_RUNS or work.lake.size() > 2 * state.num_rows + 10_000:
        _compact(state, work)


def _read(piece: pa.Table, before: int, total: int, work: _Work) -> pa.Table:
    """Reads one slice of documents into a run of the lake; the state of its documents. None is lost, or it raises."""
    session, making = work.session(), Making(work.options.model, work.versions.indexer, work.rules)
    remote = pa.array([is_remote(os.fsdecode(one)) for one in piece["location"].to_pylist()], pa.bool_())
    here, there = piece.filter(pc.invert(remote)), piece.filter(remote)
    frames = [transforms.spread(session, here)] if here.num_rows else []
    frames += [with_data(session, there)] if there.num_rows else []
    run = work.lake.new_run()
    with counted(session, work.report, "reading documents", before, total) as counter:
        done = [transforms.read(frame, making, counter.add) for frame in frames]
        transforms.store(reduce(DataFrame.union, done), work.lake, run)
    outcomes = work.lake.outcomes(run)
    if outcomes.num_rows != piece.num_rows:
        raise LakeError(
            f"{piece.num_rows} documents were to be read and {outcomes.num_rows} came back",
            cure=f"this is a fault in dejastack: report it with {work.options.home / 'spark.log'}; nothing was published",
        )
    if not is_local(work.options.master):
        _refuse_unseen(outcomes)
    return outcomes


def _refuse_unseen(outcomes: pa.Table) -> None:
    """On a cluster, what the driver listed and the workers cannot open lies on the driver's own disk."""
    unseen = outcomes.filter(pc.equal(outcomes["reason"], Reason.UNREADABLE.value))
    if unseen.num_rows:
        raise SourceError(
            f"the workers cannot open {unseen.num_rows} documents that were listed here, the first in {unseen['source'][0]}",
            cure="use a folder that every worker sees at the same path, or a URL such as hdfs:// or s3a://",
        )


def _remake(state: pa.Table, stale: pa.Table, work: _Work) -> pa.Table:
    """Makes the entries of well-read documents anew, for today's code and model. The sources are not needed."""
    work.lake.commit(state)
    session, run = work.session(), work.lake.new_run()
    docs = session.createDataFrame(stale.select(["doc"]))
    rows = transforms.alive(session, work.lake).join(f.broadcast(docs), "doc", "left_semi")
    total = pc.sum(stale["incidents"]).as_py()
    making = Making(work.options.model, work.versions.indexer, work.rules)
    with counted(session, work.report, "remaking entries", 0, total) as counter:
        remade = transforms.remake(rows, making, counter.add)
        transforms.store(remade, work.lake, run)
    rest = state.filter(pc.invert(pc.is_in(state["doc"], value_set=stale["doc"].combine_chunks())))
    return _commit(rest, work.lake.outcomes(run), work)


def _compact(state: pa.Table, work: _Work) -> None:
    """Writes all rows in force into one run: hundreds of small runs would make every later one slower."""
    session, run = work.session(), work.lake.new_run()
    work.report.stage("compacting the lake")
    transforms.store(transforms.alive(session, work.lake).select(*DONE_SCHEMA.names), work.lake, run)
    accepted = pc.equal(state["status"], "accepted")
    runs = pc.if_else(accepted, run, "")
    work.lake.commit(state.set_column(state.schema.get_field_index("run"), "run", runs))


def _commit(state: pa.Table, outcomes: pa.Table, work: _Work) -> pa.Table:
    state = pa.concat_tables([state, outcomes])
    work.lake.commit(state)
    return state


def _is_published(work: _Work) -> bool:
    """Whether a snapshot of this very lake, made by this very code, is there and whole. An operator may have rolled back from it."""
    manifest = work.lake.manifest
    if manifest.snapshot is None or manifest.publisher != work.versions.publisher:
        return False
    try:
        current(work.options.home)
        verify(work.options.home / "snapshots" / manifest.snapshot)
    except SnapshotError:
        return False
    return True


def _publish(work: _Work) -> None:
    """Finds the duplicates of the whole lake, builds the snapshot and makes it the current one."""
    lake, home = work.lake, work.options.home
    accepted = pc.sum(pc.equal(lake.documents()["status"], "accepted")).as_py() or 0
    if not accepted:
        raise SourceError("no incident was found in any source", cure=f"see the reasons in {lake.rejected}")
    work.report.stage("finding duplicates")
    duplicates = find_duplicates(work.session(), lake)
    snapshot = publish(lake, home, work.encoder, duplicates, work.report)
    lake.published(snapshot.id, work.versions.publisher, len(duplicates))
    prune(home, _SNAPSHOTS_KEPT)
