"""The lake: every document ever seen and what was read from it, as Parquet under ``KB_HOME/lake``.

    manifest.json           the pointer: which files below are in force, and which snapshot was built from them
    documents/<n>.parquet   the state of every document (`STATE_SCHEMA`)
    pairs/<n>.parquet       the near-duplicates among them (`PAIR_SCHEMA`), so that only what changed since is compared
    runs/<run>/*.parquet    what one run read (`DONE_SCHEMA`); a row counts while its document's state names the run
    rejected.parquet        the rejected documents alone, without secrets, which the dashboard lists
    packs/                  documents cut out of archives and exports (`ingest.sources.packs`); can always be made again

Files are written beside and never changed; only the manifest is replaced, by one rename. A process killed anywhere leaves the
former manifest and all it names; what it had begun is swept up by the next run.
"""

import errno
import fcntl
import json
import os
import secrets
import shutil
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from index.rejected import REJECTED, without_secrets
from index.storage.restoring import keep_private
from index.storage.snapshot import sync
from ingest.manifest import FORMAT, ComparedBuckets, LakeManifest, manifest_from
from ingest.schemas import PAIR_SCHEMA, STATE_SCHEMA
from kb.errors import KbError

_BATCH = 1024
_SWEPT = ("runs", "documents", "pairs")
_FULL = frozenset((errno.ENOSPC, errno.EDQUOT))
"""What `ingest.pipeline.disk_full_errors` reports."""
_HOLDER = 100  # bytes of the lock file that say who holds it


class LakeError(KbError):
    """The lake cannot be used as it is."""


class Lake:
    """The files of one lake. Use inside `locked`."""

    def __init__(self, home: Path) -> None:
        self.root = home / "lake"
        self.manifest = self._read_manifest()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keeps other runs out; the lock ends with the process, however it ends. Sweeps up what a killed run left.

        Raises `LakeError` when another run holds it.
        """
        with self._lock_file() as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                lock.seek(0)
                holder = lock.read(_HOLDER).strip() or "another process"
                problem = f"another run is writing to {self.root} ({holder})"
                raise LakeError(problem, cure="wait for it to end, or use another KB_HOME") from error
            lock.truncate(0)
            lock.write(f"process {os.getpid()}\n")
            lock.flush()
            self.manifest = self._read_manifest()
            self._sweep()
            yield

    def _lock_file(self) -> TextIO:
        try:
            keep_private(self.root.parent)
            self.root.mkdir(exist_ok=True)
            return (self.root / ".lock").open("a+", encoding="ascii")
        except OSError as error:
            if error.errno in _FULL:
                raise
            problem = f"{self.root} cannot be written to: {error.strerror}"
            raise LakeError(problem, cure="make KB_HOME writable, or set it to another folder") from error

    @classmethod
    def seen(cls, home: Path) -> tuple["Lake", pa.Table]:
        """The lake and the state of its documents for one who only looks: no lock is held, nothing is written.

        A run that commits in between removes the file that the pointer named: then the pointer is read again.
        """
        while True:
            lake = cls(home)
            try:
                return lake, lake.documents()
            except LakeError:
                if cls(home).manifest == lake.manifest:
                    raise

    def documents(self) -> pa.Table:
        """The state of every document, `STATE_SCHEMA`."""
        if self.manifest.documents is None:
            return STATE_SCHEMA.empty_table()
        return self._table(self.manifest.documents, STATE_SCHEMA)

    def compared(self, version: str) -> tuple[pa.Table, pa.Table] | None:
        """The documents that were last compared with each other, as they were then, and the pairs found.

        None where they were compared by another ``version``, or where what was found is damaged.
        """
        known = self.manifest.compared
        if known is None or known.version != version:
            return None
        try:
            return self._table(known.documents, STATE_SCHEMA), self._table(known.pairs, PAIR_SCHEMA)
        except LakeError:
            return None  # they can be found again

    def new_run(self) -> str:
        """A name for a run, not used before; names sort by time."""
        return f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"

    def run_path(self, run: str) -> Path:
        """The folder of a run's rows."""
        return self.root / "runs" / run

    @property
    def folders(self) -> list[Path]:
        """The folders of all runs in force."""
        return [self.run_path(run) for run in self.manifest.runs]

    def commit(self, documents: pa.Table) -> None:
        """Puts a new state in force: its runs are those its rows name. The snapshot is then out of date."""
        self._point(self._written(documents))
        self._sweep()

    def rewritten(self, documents: pa.Table) -> None:
        """Puts a state in force whose rows are what they were, and lie elsewhere: the snapshot stays, and so do the pairs."""
        fresh, former = self._written(documents), self.manifest
        known = former.compared and replace(former.compared, documents=str(fresh.documents), runs=fresh.runs)
        self._point(
            replace(former, generation=fresh.generation, documents=fresh.documents, runs=fresh.runs, compared=known)
        )
        self._sweep()

    def note_pairs(self, pairs: pa.Table, version: str) -> None:
        """Notes the near-duplicates (`PAIR_SCHEMA`) among the documents in force, found by the ``version`` of the code that compares."""
        now = self.manifest
        name = f"pairs/{now.generation:06d}.parquet"
        _write_table(pairs, self.root / name)
        self._point(replace(now, compared=ComparedBuckets(str(now.documents), now.runs, name, version)))
        self._sweep()

    def note_sources(self, bases: Mapping[str, str], keep_all: Collection[str]) -> None:
        """Notes the base addresses of all sources, and which of them keep all documents. Where they are others than before, the snapshot is out of date."""
        kept = tuple(sorted(keep_all))
        if (bases, kept) != (self.manifest.bases, self.manifest.keep_all):
            self._point(replace(self.manifest, bases=bases, keep_all=kept, snapshot=None))

    def note_snapshot(self, snapshot: str, publisher: str, duplicates: int) -> None:
        """Notes that ``snapshot`` was built from the state in force."""
        self._point(replace(self.manifest, snapshot=snapshot, publisher=publisher, duplicates=duplicates))

    def _written(self, documents: pa.Table) -> LakeManifest:
        """Writes a state; the manifest that would put it in force, everything it names being on the disk."""
        generation = self.manifest.generation + 1
        name = f"documents/{generation:06d}.parquet"
        _write_table(documents, self.root / name)
        rejected = documents.filter(pc.equal(documents["status"], "rejected"))
        order = [(one, "ascending") for one in ("source", "path", "line")]
        _write_table(without_secrets(rejected.sort_by(order)), self.rejected)
        runs = tuple(sorted(run for run in pc.unique(documents["run"]).to_pylist() if run))
        for run in runs:
            if run not in self.manifest.runs:
                _sync_folder(self.run_path(run))
        if runs:
            sync(self.root / "runs")
        now = self.manifest
        return LakeManifest(generation, name, runs, compared=now.compared, bases=now.bases, keep_all=now.keep_all)

    @property
    def packs(self) -> Path:
        """The folder of the documents that were cut out of files which hold many."""
        return self.root / "packs"

    @property
    def rejected(self) -> Path:
        """The table of rejected documents."""
        return self.root.parent / REJECTED

    def rows(self, documents: pa.Table, columns: list[str]) -> Iterator[pa.RecordBatch]:
        """The incidents in force of the accepted ``documents``, run by run, file by file."""
        for _, batch in self.rows_by_file(documents, columns):
            yield batch

    def rows_by_file(self, documents: pa.Table, columns: list[str]) -> Iterator[tuple[Path, pa.RecordBatch]]:
        """The same, each batch with the file that holds it."""
        accepted = documents.filter(pc.equal(documents["status"], "accepted"))
        wanted = list(dict.fromkeys(["doc", "status", *columns]))
        for run in sorted(pc.unique(accepted["run"]).to_pylist()):
            alive = accepted.filter(pc.equal(accepted["run"], run))["doc"].combine_chunks()
            files = sorted(self.run_path(run).glob("*.parquet"))
            if not files:
                raise LakeError(f"the rows of run {run} are missing in {self.root}", cure=self._cure)
            for file in files:
                for batch in pq.ParquetFile(file).iter_batches(batch_size=_BATCH, columns=wanted):
                    in_force = pc.and_(pc.is_in(batch["doc"], value_set=alive), pc.equal(batch["status"], "accepted"))
                    kept = batch.filter(in_force)
                    if kept.num_rows:
                        yield file, kept.select(columns)

    def outcomes(self, run: str) -> pa.Table:
        """What one run made of its documents, `STATE_SCHEMA`: accepted when any of its incidents was. Empty where no rows are seen here."""
        if not any(self.run_path(run).glob("*.parquet")):
            return STATE_SCHEMA.empty_table()
        columns = [name for name in STATE_SCHEMA.names if name != "run"]
        rows = pq.read_table(self.run_path(run), columns=columns)
        accepted = rows.filter(pc.equal(rows["status"], "accepted"))
        refused = rows.filter(pc.invert(pc.is_in(rows["doc"], value_set=accepted["doc"].combine_chunks())))
        both = pa.concat_tables([accepted, refused]).combine_chunks()
        _, first = np.unique(both["doc"].to_numpy(), return_index=True)
        documents = both.take(pa.array(np.sort(first)))
        return documents.append_column("run", pa.repeat(run, documents.num_rows)).cast(STATE_SCHEMA)

    def size(self) -> int:
        """How many rows the runs in force hold, those out of force included."""
        files = (file for folder in self.folders for file in folder.glob("*.parquet"))
        return sum(pq.read_metadata(file).num_rows for file in files)

    def _read_manifest(self) -> LakeManifest:
        path = self.root / "manifest.json"
        try:
            stored = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return LakeManifest()
        except (OSError, ValueError, RecursionError) as error:
            raise LakeError(f"{path} cannot be read: {error}", cure=self._cure) from error
        if not isinstance(stored, dict):
            raise LakeError(f"{path} is not a manifest", cure=self._cure)
        if stored.get("format") != FORMAT:
            problem = f"{path} has format {stored.get('format')!r}, this version reads {FORMAT}"
            raise LakeError(problem, cure=self._cure)
        try:
            return manifest_from(stored)
        except (KeyError, TypeError) as error:
            raise LakeError(f"{path} is not a whole manifest: {error!r}", cure=self._cure) from error

    @property
    def _cure(self) -> str:
        return f"remove {self.root} and ingest again"

    def _table(self, name: str, schema: pa.Schema) -> pa.Table:
        path = self.root / name
        try:
            return pq.read_table(path, schema=schema)
        except (OSError, pa.ArrowException) as error:
            raise LakeError(f"{path} cannot be read: {error}", cure=self._cure) from error

    def _point(self, manifest: LakeManifest) -> None:
        text = json.dumps(asdict(manifest), indent=1)
        _replace(self.root / "manifest.json", text.encode())
        self.manifest = manifest

    def _sweep(self) -> None:
        """Removes what the manifest does not name. Nothing is shared with a snapshot, so nobody can be reading it."""
        named = self.manifest.named
        for path in [*(path for kind in _SWEPT for path in self.root.glob(f"{kind}/*")), *self.root.glob("*.new")]:
            if path.relative_to(self.root).as_posix() in named:
                continue
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)  # the Java of a killed run may still be dying
            else:
                path.unlink(missing_ok=True)


def _write_table(table: pa.Table, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f"{path.name}.new")
    pq.write_table(table, fresh, compression="zstd")
    sync(fresh)
    fresh.replace(path)
    sync(path.parent)


def _replace(path: Path, data: bytes) -> None:
    fresh = path.with_name(f"{path.name}.new")
    fresh.write_bytes(data)
    sync(fresh)
    fresh.replace(path)
    sync(path.parent)


def _sync_folder(folder: Path) -> None:
    for file in folder.glob("*.parquet"):
        sync(file)
    sync(folder)
