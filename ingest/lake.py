"""The lake: every document ever seen and what was read from it, as Parquet under ``KB_HOME/lake``.

    manifest.json           the pointer: which files below are in force, and which snapshot was built from them
    documents/<n>.parquet   the state of every document (`STATE_SCHEMA`)
    runs/<run>/*.parquet    what one run read (`DONE_SCHEMA`); a row counts while its document's state names the run
    rejected.parquet        the rejected documents alone, for people
    packs/                  documents cut out of archives and exports (`ingest.sources.packs`); can always be made again

Files are written beside and never changed; only the manifest is replaced, by one rename. A process killed anywhere leaves the
former manifest and all it names; what it had begun is swept up by the next run.
"""

import fcntl
import json
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from index.snapshot import sync
from ingest.schemas import STATE_SCHEMA
from kb.errors import KbError

FORMAT = 1
_BATCH = 1024
_HOLDER = 100  # bytes of the lock file that say who holds it


class LakeError(KbError):
    """The lake cannot be used as it is."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The pointer of the lake."""

    generation: int = 0
    documents: str | None = None
    """The state file in force, relative to the lake."""
    runs: tuple[str, ...] = ()
    """The runs whose rows are in force, oldest first."""
    snapshot: str | None = None
    """The snapshot that was built from this generation; None while none was."""
    publisher: str = ""
    """Version of the code and model that the snapshot was built with."""
    duplicates: int = 0
    """Near-duplicates in that snapshot."""
    format: int = field(default=FORMAT)


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
        self.root.mkdir(parents=True, exist_ok=True)
        with (self.root / ".lock").open("a+", encoding="ascii") as lock:
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
        path = self.root / self.manifest.documents
        try:
            return pq.read_table(path, schema=STATE_SCHEMA)
        except (OSError, pa.ArrowException) as error:
            raise LakeError(f"{path} cannot be read: {error}", cure=self._cure) from error

    def new_run(self) -> str:
        """A name for a run, not used before; names sort by time."""
        return f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"

    def run_path(self, run: str) -> Path:
        """The folder of a run's rows."""
        return self.root / "runs" / run

    def commit(self, documents: pa.Table) -> None:
        """Puts a new state in force: its runs are those its rows name. The snapshot is then out of date."""
        generation = self.manifest.generation + 1
        name = f"documents/{generation:06d}.parquet"
        _write_table(documents, self.root / name)
        _write_table(documents.filter(pc.equal(documents["status"], "rejected")), self.rejected)
        runs = tuple(sorted(run for run in pc.unique(documents["run"]).to_pylist() if run))
        for run in runs:
            if run not in self.manifest.runs:
                _sync_folder(self.run_path(run))
        if runs:
            sync(self.root / "runs")
        self._point(Manifest(generation, name, runs))
        self._sweep()

    def published(self, snapshot: str, publisher: str, duplicates: int) -> None:
        """Notes that ``snapshot`` was built from the state in force."""
        self._point(replace(self.manifest, snapshot=snapshot, publisher=publisher, duplicates=duplicates))

    @property
    def packs(self) -> Path:
        """The folder of the documents that were cut out of files which hold many."""
        return self.root / "packs"

    @property
    def rejected(self) -> Path:
        """The table of rejected documents."""
        return self.root / "rejected.parquet"

    def rows(self, documents: pa.Table, columns: list[str]) -> Iterator[pa.RecordBatch]:
        """The incidents in force of the accepted ``documents``, run by run, file by file."""
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
                        yield kept.select(columns)

    def outcomes(self, run: str) -> pa.Table:
        """What one run made of its documents, `STATE_SCHEMA`: accepted when any of its incidents was."""
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
        files = (file for run in self.manifest.runs for file in self.run_path(run).glob("*.parquet"))
        return sum(pq.read_metadata(file).num_rows for file in files)

    def _read_manifest(self) -> Manifest:
        path = self.root / "manifest.json"
        try:
            stored = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return Manifest()
        except (OSError, ValueError, RecursionError) as error:
            raise LakeError(f"{path} cannot be read: {error}", cure=self._cure) from error
        if not isinstance(stored, dict):
            raise LakeError(f"{path} is not a manifest", cure=self._cure)
        if stored.get("format") != FORMAT:
            problem = f"{path} has format {stored.get('format')!r}, this version reads {FORMAT}"
            raise LakeError(problem, cure=self._cure)
        try:
            return _manifest(stored)
        except (KeyError, TypeError) as error:
            raise LakeError(f"{path} is not a whole manifest: {error!r}", cure=self._cure) from error

    @property
    def _cure(self) -> str:
        return f"remove {self.root} and ingest again"

    def _point(self, manifest: Manifest) -> None:
        text = json.dumps(asdict(manifest), indent=1)
        _replace(self.root / "manifest.json", text.encode())
        self.manifest = manifest

    def _sweep(self) -> None:
        """Removes what the manifest does not name. Nothing is shared with a snapshot, so nobody can be reading it."""
        named = {self.manifest.documents, *(f"runs/{run}" for run in self.manifest.runs)}
        for path in [*self.root.glob("runs/*"), *self.root.glob("documents/*"), *self.root.glob("*.new")]:
            if path.relative_to(self.root).as_posix() in named:
                continue
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)  # the Java of a killed run may still be dying
            else:
                path.unlink(missing_ok=True)


def _manifest(stored: Mapping[str, Any]) -> Manifest:
    """The manifest as stored. KeyError when a member is missing, TypeError when one is of another kind."""
    if missing := sorted({part.name for part in fields(Manifest)} - stored.keys()):
        raise KeyError(*missing)
    runs, documents = stored["runs"], stored["documents"]
    if not isinstance(runs, list) or not all(isinstance(run, str) for run in runs):
        raise TypeError("runs must be a list of names")
    if not isinstance(documents, str | None) or not isinstance(stored["generation"], int):
        raise TypeError("documents must be a name, generation a number")
    return Manifest(**{**stored, "runs": tuple(runs)})


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
