"""`kb ingest` from end to end: list, compare, read, refuse, deduplicate, publish."""

import errno
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from functools import partial, reduce
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from index.live.saved import opened
from index.storage.filling import forget
from index.storage.restoring import finish, privately
from index.storage.snapshot import SnapshotInfo, prune
from ingest import transforms
from ingest.duplicates import find_duplicates
from ingest.groups import DuplicateGroup
from ingest.lake import Lake, LakeError
from ingest.plan import Plan
from ingest.progress import StageProgress, counted
from ingest.publish import PublishTarget, publish
from ingest.quality import Reason
from ingest.report.account import Account, coverage, largest, shares, sizes
from ingest.report.page import FOLDER, latest, new_run, write
from ingest.schemas import DONE_SCHEMA
from ingest.session import is_local
from ingest.sources.packs import Packs
from ingest.sources.remote import is_remote, with_data
from ingest.stored import alive, all_outcomes, store
from ingest.summary import Course, Preview, Summary, foresee, summarise
from ingest.survey import Hidden, Lasting, Options, Work, survey
from ingest.transforms import Making
from kb.errors import CandidatesError, KbError, SourceError

_FULL = tuple(os.strerror(number) for number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG))
"""What the system says; Java, Arrow, SQLite and Tantivy hand it on, the error number not always."""


class DiskFullError(KbError):
    """There is no room to write. What was published stays, and a run with more room goes on from what was committed."""


@contextmanager
def disk_full_errors(home: Path) -> Iterator[None]:
    """Turn an error of any library that ran into a full disk into `DiskFullError`; others pass."""
    try:
        yield
    except Exception as error:
        if any(words in str(error) for words in _FULL):
            problem = f"no room left in {home}; what was published before stays in use"
            raise DiskFullError(
                problem, cure="free room on its disk (`kb doctor` says how much there is), then run again"
            ) from error
        raise


Published = tuple[SnapshotInfo, list[DuplicateGroup]]


def ingest(
    places: Sequence[str],
    options: Options,
    progress: StageProgress,
    *,
    lasting: Lasting | None = None,
    unsettled: Hidden = (),
) -> Summary:
    """Brings the lake and the snapshot up to what the sources hold now. Raises `KbError` for what an operator must mend.

    Spark ends with ``lasting`` where that is given, else with the run. What is ``unsettled`` stays as the lake knows it.
    """
    if not finish(options.home, options.store):
        raise LakeError(f"`kb restore` is writing to {options.home}", cure="wait for it to end")
    lake = Lake(options.home)
    with privately(), disk_full_errors(options.home), lake.locked(), ExitStack() as stack:
        work = Work.of(options, progress, lake, stack, lasting)
        stack.callback(work.packs.empty)
        work.packs.empty()  # of a run that was killed, and of versions that kept it
        listing, plan = survey(places, work, lake.documents(), unsettled)
        work.packs.prune(listing.sources)
        work.lake.note_sources(work.bases(listing.sources), work.keep_all(listing.sources))
        if not plan.nothing:
            _bring_up(plan, work)
        published = None if work.is_published() else _publish(work)
        seconds = time.perf_counter() - work.started
        course = Course(published is not None, seconds, work.spark_start, work.versions.reader)
        summary = summarise(lake, listing, plan, course)
        if published is None:
            page = latest(options.home)
            return replace(summary, report=None if page is None else str(page))
        if len(lake.manifest.runs) > options.max_runs or lake.size() > 2 * lake.documents().num_rows + 10_000:
            _compact(work)
        account = _account(places, summary, published, work)
        costs = sizes(listing.documents, plan.to_read, lake, published[0])
        return _report(replace(account, bytes=costs, seconds=progress.ended()), options.home)


def _account(places: Sequence[str], summary: Summary, published: Published, work: Work) -> Account:
    """The account of a run that published; its costs are added at the very end."""
    work.progress.stage("reporting")
    _, groups = published
    return Account(
        run=new_run(),
        ended=datetime.now().astimezone().isoformat(timespec="seconds"),
        given=list(places),
        summary=summary,
        sources=shares(work.lake.documents()),
        coverage=coverage(work.lake),
        group_count=len(groups),
        groups=largest(groups),
    )


def _report(account: Account, home: Path) -> Summary:
    """Writes the report; what was published is not undone because its report cannot be written."""
    named = replace(account.summary, report=str(home / FOLDER / f"{account.run}.html"))
    try:
        write(replace(account, summary=named), home)
    except OSError as error:
        note = f"the report could not be written to {home / FOLDER}: {error.strerror or error}"
        return replace(account.summary, notes=[*account.summary.notes, note])
    return named


def preview(places: Sequence[str], options: Options, progress: StageProgress) -> Preview:
    """What `ingest` would do now. Nothing is written; Spark is started for sources behind a URL only, to list them."""
    lake, state = Lake.seen(options.home)
    with ExitStack() as stack:
        work = Work.of(options, progress, lake, stack)
        work.packs = Packs(lake.packs, fresh=Path(stack.enter_context(TemporaryDirectory(prefix="kb-packs-"))))
        listing, plan = survey(places, work, state)
        is_moved = work.bases(listing.sources) != lake.manifest.bases
        return foresee(plan, publishes=is_moved or not plan.nothing or not work.is_published())


def _bring_up(plan: Plan, work: Work) -> None:
    """Reads what is new, remakes what is stale, and commits each finished piece to the lake. What is not read yet stays as it was known."""
    state, stale = pa.concat_tables([plan.kept, plan.stale]), plan.stale
    waiting = _of(plan.to_read, work.lake.documents())
    done = 0
    work.packs.fill(plan.to_read["location"])
    for piece in plan.slices():
        outcomes, missed = _parted(_read(piece, done, plan.to_read.num_rows, work), waiting)
        waiting = _without(piece, waiting)
        state = pa.concat_tables([state, outcomes, missed])
        stale = pa.concat_tables([stale, missed.filter(pc.not_equal(missed["indexer"], work.versions.indexer))])
        work.lake.commit(pa.concat_tables([state, waiting]))
        done += piece.num_rows
    if not plan.to_read.num_rows:
        work.lake.commit(state)
    if stale.num_rows:
        remade = _remake(stale, work)
        work.lake.commit(pa.concat_tables([_without(stale, state), remade]))


def _of(documents: pa.Table, state: pa.Table) -> pa.Table:
    return state.filter(pc.is_in(state["doc"], value_set=documents["doc"].combine_chunks()))


def _without(documents: pa.Table, state: pa.Table) -> pa.Table:
    return state.filter(pc.invert(pc.is_in(state["doc"], value_set=documents["doc"].combine_chunks())))


def _parted(outcomes: pa.Table, known: pa.Table) -> tuple[pa.Table, pa.Table]:
    """The outcomes that hold, and what is known of documents that were listed well, could not be opened, and stay for the next run."""
    missed = outcomes.filter(pc.equal(outcomes["reason"], Reason.UNREADABLE.value))
    stays = _of(missed, known.filter(pc.equal(known["status"], "accepted")))
    return _without(stays, outcomes), stays


def _read(piece: pa.Table, before: int, total: int, work: Work) -> pa.Table:
    """Reads one slice of documents into a run of the lake; the state of its documents. None is lost, or it raises."""
    session = work.session()
    making = Making(work.options.model, work.versions.indexer, work.rules, frozenset(work.lake.manifest.keep_all))
    remote = pa.array([is_remote(os.fsdecode(one)) for one in piece["location"].to_pylist()], pa.bool_())
    here, there = piece.filter(pc.invert(remote)), piece.filter(remote)
    frames = [transforms.spread(session, here)] if here.num_rows else []
    frames += [with_data(session, there)] if there.num_rows else []
    with counted(session, work.progress, "reading documents", before, total) as counter:
        done = [transforms.read(frame, making, counter.add) for frame in frames]
        outcomes = _stored(reduce(DataFrame.union, done), piece.num_rows, work)
    if not is_local(work.options.master):
        _refuse_unseen(outcomes, here)
    return outcomes


def _stored(done: DataFrame, documents: int, work: Work) -> pa.Table:
    """Writes the rows of so many documents into a new run; their state. None is lost, or it raises."""
    run = work.lake.new_run()
    store(done, work.lake, run)
    return all_outcomes(work.lake, run, documents, work.options.master)


def _refuse_unseen(outcomes: pa.Table, here: pa.Table) -> None:
    """On a cluster, what the driver can open and the workers cannot lies on the driver's own disk."""
    unseen = outcomes.filter(pc.equal(outcomes["reason"], Reason.UNREADABLE.value))
    listed = here.filter(pc.is_in(here["doc"], value_set=unseen["doc"].combine_chunks()))
    there = [location for location in listed["location"].to_pylist() if os.path.exists(location)]  # noqa: PTH110  bytes
    if there:
        raise SourceError(
            f"the workers cannot open {len(there)} documents that lie here, the first is {os.fsdecode(there[0])}",
            cure="use a folder that every worker sees at the same path, or a URL such as hdfs:// or s3a://",
        )


def _remake(stale: pa.Table, work: Work) -> pa.Table:
    """Makes the entries of well-read documents anew, for today's code and model; their state. The sources are not needed."""
    session = work.session()
    docs = session.createDataFrame(stale.select(["doc"]))
    rows = alive(session, work.lake).join(f.broadcast(docs), "doc", "left_semi").select(*transforms.REMADE_FROM)
    total = pc.sum(stale["incidents"]).as_py()
    making = Making(work.options.model, work.versions.indexer, work.rules)
    with counted(session, work.progress, "remaking entries", 0, total) as counter:
        return _stored(transforms.remake(rows, making, counter.add), stale.num_rows, work)


def _compact(work: Work) -> None:
    """Writes all rows in force into one run: hundreds of small runs would make every later one slower."""
    work.progress.stage("compacting the lake")
    state = work.lake.documents()
    accepted = pc.equal(state["status"], "accepted")
    rows = alive(work.session(), work.lake).select(*DONE_SCHEMA.names)
    outcomes = _stored(rows, pc.sum(accepted).as_py() or 0, work)
    runs = pc.if_else(accepted, outcomes["run"][0], "")
    work.lake.rewritten(state.set_column(state.schema.get_field_index("run"), "run", runs))


def _publish(work: Work) -> Published:
    """Finds the duplicates of the whole lake, builds the snapshot and makes it the current one."""
    lake, home = work.lake, work.options.home
    accepted = pc.sum(pc.equal(lake.documents()["status"], "accepted")).as_py() or 0
    if not accepted:
        raise SourceError("no incident was found in any source", cure=f"see the reasons in {lake.rejected}")
    work.progress.stage("finding duplicates")
    duplicates = find_duplicates(work.session, lake)
    place = work.options.candidates
    with opened(home, work.options.store) as store:
        snapshot, groups = publish(lake, PublishTarget(home, work.encoder, store, place), duplicates, work.progress)
    lake.note_snapshot(snapshot.id, work.versions.publisher, len(duplicates))
    with suppress(CandidatesError):  # what is published is published: old ones go with the next run
        prune(home, work.options.snapshots_kept, partial(forget, place) if place else None)
    return snapshot, groups
