"""What there is to do: the sources are listed and held against the lake. Nothing is read of a document, nothing is written."""

import hashlib
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import SparkSession

from index.encoder import Encoder
from index.live.saved import Position, is_followed, opened
from index.local_rules import activate_home_rules
from index.storage.place import CandidatePlace
from index.storage.snapshot import current, verify
from ingest.lake import Lake
from ingest.plan import Plan, Versions, make_plan
from ingest.progress import StageProgress
from ingest.session import LOCAL, Conf, spark_session
from ingest.sources.formats import DocumentFormat
from ingest.sources.listing import Listing
from ingest.sources.local import list_local
from ingest.sources.packs import Packs
from ingest.sources.remembered import Remembered
from ingest.sources.remote import is_remote, list_remote, local_path
from ingest.transforms import encoder_for
from ingest.versions import code_version, extras
from kb.errors import SnapshotError, SourceError
from kb.trace.custom import CustomRules

Hidden = tuple[tuple[str, str], ...]
"""Source and path prefix of what is left as the lake knows it."""


@dataclass(frozen=True, slots=True)
class Options:
    """How to ingest."""

    home: Path
    model: str | None = None
    master: str = LOCAL
    form: DocumentFormat = DocumentFormat.AUTO
    full: bool = False
    conf: Conf = ()
    """Further settings of Spark."""
    follow_links: bool = False
    """Symbolic links that lead out of a source are followed."""
    store: Path | str | None = None
    """Where the store of curated incidents is; None: in the home, if it is there."""
    base: str | None = None
    """The address under which the one source is served, as `read_base` gives it; '' takes it away, None leaves it as the lake knows it."""
    keep_all: bool | None = None
    """Whether documents of the sources that state no problem (manuals, menus, release notes) are taken as incidents, too; None leaves it as the lake knows it."""
    candidates: CandidatePlace | None = None
    """Where candidates are looked up, to be filled with the snapshot; None: in the snapshot itself."""
    max_runs: int = 24
    """Runs in the lake, beyond which it is compacted: hundreds of small ones make each later one slower."""
    snapshots_kept: int = 5
    """The newest snapshots, which a run keeps for a rollback."""

    @property
    def spark(self) -> tuple[Path, str, Conf]:
        """What `spark_session` is given."""
        return self.home, self.master, self.conf


@dataclass(frozen=True, slots=True)
class Lasting:
    """What outlives one run of many."""

    spark: ExitStack = field(default_factory=ExitStack)
    """Closed when Spark is to end."""
    files: Remembered = field(default_factory=Remembered)


@dataclass(slots=True)
class Work:
    """One run at work: what every step needs."""

    options: Options
    progress: StageProgress
    lake: Lake
    stack: ExitStack
    encoder: Encoder
    rules: CustomRules
    versions: Versions
    packs: Packs
    lasting: Lasting | None = None
    started: float = field(default_factory=time.perf_counter)
    spark_start: float = 0.0
    _session: SparkSession | None = None

    @classmethod
    def of(
        cls, options: Options, progress: StageProgress, lake: Lake, stack: ExitStack, lasting: Lasting | None = None
    ) -> "Work":
        """The work of one run, with the model and the rules of the home in force."""
        encoder, rules = encoder_for(options.model), activate_home_rules(options.home)
        return cls(
            options,
            progress,
            lake,
            stack,
            encoder,
            rules,
            _versions(encoder, rules),
            Packs(lake.packs),
            lasting,
        )

    def session(self) -> SparkSession:
        """Spark, started when it is first needed: a run with nothing to do never starts it."""
        if self._session is None:
            before, wanted = time.perf_counter(), self.options.spark
            if SparkSession.getActiveSession() is None:
                self.progress.stage("starting Spark")
                if self.lasting is not None:
                    self.lasting.spark.enter_context(spark_session(*wanted))
            self._session = self.stack.enter_context(spark_session(*wanted))
            self.spark_start = time.perf_counter() - before
        return self._session

    def bases(self, sources: Sequence[str]) -> dict[str, str]:
        """The base address of each source, with the one that was given for ``sources``.

        Raises `SourceError` for several sources: they cannot lie at one address.
        """
        known, base = dict(self.lake.manifest.bases), self.options.base
        if base is None:
            return known
        if len(sources) != 1:
            raise SourceError(f"a base address was given for {len(sources)} sources", cure="ingest each with its own")
        return known | {sources[0]: base} if base else {one: at for one, at in known.items() if one not in sources}

    def keep_all(self, sources: Sequence[str]) -> frozenset[str]:
        """Return the sources whose documents are all kept, with the decision for ``sources`` applied."""
        known = frozenset(self.lake.manifest.keep_all)
        if self.options.keep_all is None:
            return known
        return known | frozenset(sources) if self.options.keep_all else known - frozenset(sources)

    def is_published(self) -> bool:
        """Whether a snapshot of this very lake and store, made by this very code, is there and whole.

        An operator may have rolled back from it.
        """
        manifest = self.lake.manifest
        if manifest.snapshot is None or manifest.publisher != self.versions.publisher:
            return False
        try:
            current(self.options.home)
            built = verify(self.options.home / "snapshots" / manifest.snapshot)
        except SnapshotError:
            return False
        with opened(self.options.home, self.options.store) as store:
            return store is None or is_followed(Position.of(built.manifest), store)


def _versions(encoder: Encoder, rules: CustomRules) -> Versions:
    columns = (code_version(module) for module in ("index.entry", "ingest.shingles", "ingest.schemas"))
    made_by = (*columns, encoder.digest, rules.digest)
    indexer = hashlib.sha256(" ".join(filter(None, made_by)).encode()).hexdigest()[:16]
    reader = "-".join(filter(None, (code_version("ingest.reading"), extras(), rules.reading_digest)))
    publishing = (code_version(module) for module in ("ingest.duplicates", "ingest.publish"))
    return Versions(reader, indexer, "-".join((indexer, *publishing)))


def survey(places: Sequence[str], work: Work, state: pa.Table, unsettled: Hidden = ()) -> tuple[Listing, Plan]:
    """The listing of the sources, and what its difference from ``state`` asks for.

    What is ``unsettled`` (somebody is still writing it) stays as the lake knows it. Raises `SourceError` for a source that is
    not there, or that has suddenly become empty.
    """
    work.progress.stage("listing")
    listing = _list(places, work)
    listing = _without(listing, (*unsettled, *home_within(listing.sources, work.options.home)))
    plan = make_plan(listing, state, work.versions, full=work.options.full, keep_all=work.keep_all(listing.sources))
    _refuse_empty(listing, plan, full=work.options.full)
    return listing, plan


def home_within(sources: Sequence[str], home: Path) -> Hidden:
    """Where the home lies inside a source: what we wrote ourselves is no document."""
    root = home.resolve().as_posix()
    return tuple((source, f"{root[len(source) + 1 :]}/") for source in sources if root.startswith(f"{source}/"))


def _list(places: Sequence[str], work: Work) -> Listing:
    urls = list(dict.fromkeys(place for place in places if is_remote(place)))
    paths = [Path(local_path(place)) for place in places if not is_remote(place)]
    remembered = work.lasting.files if work.lasting else Remembered()
    found = (
        [list_local(paths, work.options.form, work.packs, remembered, follow_links=work.options.follow_links)]
        if paths
        else []
    )
    if urls:
        found.append(list_remote(work.session(), urls, work.options.form, work.packs))
    return Listing(
        pa.concat_tables([one.documents for one in found]),
        tuple(source for one in found for source in one.sources),
        tuple(blind for one in found for blind in one.blind),
    )


def _without(listing: Listing, hidden: Hidden) -> Listing:
    documents = listing.documents
    for source, prefix in hidden:
        below = pc.and_(pc.equal(documents["source"], source), pc.starts_with(documents["path"], prefix))
        documents = documents.filter(pc.invert(below))
    return replace(listing, documents=documents, blind=(*listing.blind, *hidden))


def _refuse_empty(listing: Listing, plan: Plan, *, full: bool) -> None:
    """An empty folder is most often a share that is not mounted: what it held is not thrown away for that."""
    full_of = {*pc.unique(listing.documents["source"]).to_pylist(), *(source for source, _ in listing.blind)}
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
