"""Entries to a snapshot: written beside, checked, renamed, and only then named by CURRENT."""

import fcntl
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from index.encoder import Encoder, Vectors
from index.entry import ENTRY_SCHEMA, hexadecimal
from index.entry import VERSION as ENTRY_VERSION
from index.live.saved import Position
from index.storage.documents import Documents, DocumentWriter
from index.storage.filling import fill
from index.storage.fingerprints import FingerprintWriter
from index.storage.lexical import LexicalWriter, distinct_tokens
from index.storage.place import CandidatePlace
from index.storage.segment import MARKS, RAGGED
from index.storage.snapshot import (
    FORMAT,
    SnapshotInfo,
    SnapshotManifest,
    Stored,
    file_digest,
    note,
    read_info,
    switch,
    sync,
    verify,
)
from index.storage.vectors import VectorFacts, VectorWriter
from index.terms import tokens
from index.terms.frequencies import FrequencyWriter
from index.terms.ragged import MARKED, RaggedWriter, marks, parts
from kb.errors import CandidatesError, SnapshotError
from kb.trace import VERSION as FINGERPRINT_VERSION
from kb.trace import Level
from kb.trace.in_force import rules_in_force

Progress = Callable[[str, int, int], None]
"""Called with (stage, done, total); total is 0 while it is not known."""

_STAGED = ".building-"
_QUESTIONS = 100
"""Titles by which the recall of the vectors is measured."""
_NOTHING = pa.scalar([], pa.list_(pa.int64()))


def build(  # noqa: PLR0913 - what it is made of, and where it goes
    batches: Iterable[pa.RecordBatch],
    home: Path,
    encoder: Encoder,
    *,
    sources: Mapping[str, object] | None = None,
    position: Position | None = None,
    progress: Progress | None = None,
    candidates: CandidatePlace | None = None,
) -> SnapshotInfo:
    """Build the snapshot of the entries and make it the current one.

    The id is a digest of the entries, in order, of the versions of code and model, and of the ``position`` that the store among them
    has: the same input gives the same id everywhere, and building what is there already only switches CURRENT. The rules in force are those that the entries were made
    under (`index.local_rules.activate_home_rules`). One builder works at a time, others wait. Where ``candidates`` are looked up elsewhere, they
    are put there before CURRENT names the snapshot.
    Raises SnapshotError when two entries have one id, or when what was written does not verify; CandidatesError when that server does not answer and nothing
    answers instead: the snapshot is there then, and the one before stays in use.
    """
    folder = Path(home) / "snapshots"
    folder.mkdir(parents=True, exist_ok=True)
    with _only_builder(folder):
        staged = folder / f"{_STAGED}{os.getpid()}"
        staged.mkdir()
        try:
            writer = _Writer(staged, encoder, position or Position())
            snapshot_id = _write(batches, writer, sources or {}, progress)
            info = _placed(staged, folder, snapshot_id)
            if candidates is not None:
                _fill(info, candidates, progress)
            switch(folder.parent, info.id)
            return info
        finally:
            shutil.rmtree(staged, ignore_errors=True)


def _write(
    batches: Iterable[pa.RecordBatch],
    writer: "_Writer",
    sources: Mapping[str, object],
    progress: Progress | None,
) -> str:
    try:
        for batch in batches:
            writer.add(batch)
            if progress:
                progress("index", writer.rows, 0)
        return writer.finish(sources, progress)
    finally:
        writer.close()


def _fill(info: SnapshotInfo, candidates: CandidatePlace, progress: Progress | None) -> None:
    """Put them where they are looked up. Where the snapshot's own index answers instead, a server that does not answer holds up nothing."""
    try:
        fill(info, candidates, progress and partial(progress, "candidates"))
    except CandidatesError:
        if not candidates.falls_back:
            raise


def _placed(staged: Path, folder: Path, snapshot_id: str) -> SnapshotInfo:
    final = folder / snapshot_id
    if final.exists() and not _sound(final):
        final.rename(folder / f"{_STAGED}broken-{snapshot_id}")  # cleared by the next build
    if not final.exists():
        verify(staged)
        staged.rename(final)
        sync(folder)
        note(read_info(final))
    return read_info(final)


def _sound(path: Path) -> bool:
    try:
        verify(path)
    except SnapshotError:
        return False
    return True


@contextmanager
def _only_builder(folder: Path) -> Iterator[None]:
    """Hold the builders' lock, which the system frees when a builder dies, and clear what dead builders left."""
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for left in folder.glob(f"{_STAGED}*"):
            shutil.rmtree(left, ignore_errors=True)
        yield


class _Writer:
    """Feeds every part of a snapshot from batches of entries."""

    def __init__(self, folder: Path, encoder: Encoder, position: Position) -> None:
        self.rows = 0
        self._folder = folder
        self._position = position
        self._encoder = encoder
        self._digest = sha256()
        self._counts = dict.fromkeys(("incidents", "searchable", "with_traces", "words", "frames"), 0)
        self._documents = DocumentWriter(folder)
        self._vectors = VectorWriter(folder, encoder.dim)
        self._lexical = LexicalWriter(folder / "lexical")
        self._fingerprints = FingerprintWriter()
        self._frequencies = {name: FrequencyWriter() for name in ("words", "frames")}
        self._ragged = {name: RaggedWriter(folder / name) for name in RAGGED}
        self._marks = (folder / MARKS).open("wb")

    def add(self, batch: pa.RecordBatch) -> None:
        """Index one batch."""
        if not batch.schema.equals(ENTRY_SCHEMA):
            raise SnapshotError("the entries were made by another version", cure="run `kb ingest --full`")
        searchable = _searchable(batch.column("document"))
        rows = self.rows + np.flatnonzero(searchable)
        found = batch.filter(pa.array(searchable))
        self._digest_rows(batch)
        self._documents.add(batch)
        columns = {name: batch.column(name) for name in RAGGED}
        columns["facets"] = pc.if_else(pa.array(searchable), columns["facets"], _NOTHING)
        for name, ragged in self._ragged.items():
            ragged.extend(columns[name])
        self._marks.write(marks(batch.column("terms"), [batch.column(name) for name in MARKED]).data)
        self._frequencies["words"].add(parts(found.column("terms"))[0])
        self._frequencies["frames"].add(parts(found.column("frames"))[0])
        for level in Level:
            self._fingerprints.add(level, found.column(level.value), rows)
        self._add_lexical(found, rows)
        self._vectors.add(self._vector_rows(batch, searchable))
        self._counts["incidents"] += batch.num_rows
        self._counts["searchable"] += found.num_rows
        self._counts["with_traces"] += int(np.count_nonzero(found.column("frames").value_lengths()))
        self.rows += batch.num_rows

    def finish(self, sources: Mapping[str, object], progress: Progress | None) -> str:
        """Write the rest and the manifest, have the disk hold it all; the snapshot's id."""
        self._documents.close()
        if progress:
            progress("vectors", self.rows, self.rows)
        vectors = self._vectors.write(self._encoder.encode(self._checked_titles()))
        self._lexical.commit()
        self._fingerprints.write(self._folder)
        for name, frequencies in self._frequencies.items():
            frequencies.write(self._folder, name)
        for ragged in self._ragged.values():
            ragged.close()
        self._marks.close()
        files = {path: self._stored(path) for path in self._files()}
        if progress:
            progress("verify", self.rows, self.rows)
        manifest = self._manifest(sources, files, vectors)
        (self._folder / "manifest.json").write_text(manifest.to_json(), encoding="utf-8")
        for path in (self._folder / "manifest.json", self._folder / "lexical", self._folder):
            sync(path)
        return self._snapshot_id(manifest)

    def close(self) -> None:
        """Let go of the files, finished or not; of each, also when a full disk does not take what another still held."""
        with ExitStack() as stack:
            stack.callback(self._marks.close)
            for ragged in self._ragged.values():
                stack.callback(ragged.close)
            for close in (self._lexical.close, self._vectors.close, self._documents.close):
                stack.callback(close)

    def _add_lexical(self, found: pa.RecordBatch, rows: npt.NDArray[np.intp]) -> None:
        facets, counts = parts(found.column("facets"))
        names = hexadecimal(facets.tolist()).split(" ")
        ends = np.cumsum(counts).tolist()
        word_texts, frame_texts = found.column("said").to_pylist(), found.column("called").to_pylist()
        for field, texts in (("words", word_texts), ("frames", frame_texts)):  # the lengths that BM25 goes by
            self._counts[field] += sum(len(distinct_tokens(text)) for text in texts)
        for row, words, frames, begin, end in zip(
            rows.tolist(), word_texts, frame_texts, [0, *ends], ends, strict=False
        ):
            self._lexical.add(row, words, frames, " ".join(names[begin:end]))

    def _vector_rows(self, batch: pa.RecordBatch, searchable: npt.NDArray[np.bool_]) -> Vectors:
        """The vectors of the batch; zero for duplicates, which nothing is near to."""
        found = batch.column("vector").flatten().to_numpy(zero_copy_only=False)
        if len(found) != batch.num_rows * self._encoder.dim:
            raise SnapshotError(
                f"the entries' vectors do not have {self._encoder.dim} numbers", cure="run `kb ingest --full`"
            )
        rows: Vectors = found.reshape(batch.num_rows, self._encoder.dim) * searchable[:, None]
        return rows

    def _checked_titles(self) -> list[str]:
        """Some titles, as questions to measure by. SnapshotError when two incidents have one id."""
        written = Documents(self._folder)
        repeated, titles = written.repeated(), written.some_titles(_QUESTIONS)
        written.close()
        if repeated is not None:
            raise SnapshotError(f"two incidents have the id {repeated!r}", cure="give one of them another id")
        return titles

    def _digest_rows(self, batch: pa.RecordBatch) -> None:
        """The id depends on what the incidents say and on the model, not on how rows were cut into batches."""
        for incident_id, document in zip(
            batch.column("id").to_pylist(), batch.column("document").to_pylist(), strict=True
        ):
            self._digest.update(f"{len(incident_id)} {len(document)}\n{incident_id}{document}".encode())

    def _files(self) -> list[str]:
        return sorted(str(path.relative_to(self._folder)) for path in self._folder.rglob("*") if path.is_file())

    def _stored(self, name: str) -> Stored:
        path = self._folder / name
        sync(path)
        return Stored(path.stat().st_size, file_digest(path))

    def _manifest(
        self, sources: Mapping[str, object], files: Mapping[str, Stored], vectors: VectorFacts
    ) -> SnapshotManifest:
        return SnapshotManifest(
            format=FORMAT,
            built=datetime.now(UTC).isoformat(timespec="microseconds"),
            model=self._encoder.name,
            model_digest=self._encoder.digest,
            dim=self._encoder.dim,
            fingerprint_version=FINGERPRINT_VERSION,
            entry_version=ENTRY_VERSION,
            tokens=tokens.scheme(),
            counts=self._counts,
            sources=sources,
            files=files,
            vectors=vectors,
            rules=rules_in_force().digest,
            store_id=self._position.store_id,
            store_sequence=self._position.sequence,
        )

    def _snapshot_id(self, manifest: SnapshotManifest) -> str:
        versions = (
            manifest.format,
            manifest.fingerprint_version,
            manifest.entry_version,
            manifest.tokens,
            manifest.model_digest,
            # without rules of the house and a store the id is that of the incidents and the code alone
            *filter(None, (manifest.rules, manifest.store_id, manifest.store_sequence)),
        )
        self._digest.update(repr(versions).encode())
        return self._digest.hexdigest()[:16]


def _searchable(documents: pa.StringArray) -> npt.NDArray[np.bool_]:
    """Which incidents are no duplicates of another: those that are found are searched by themselves."""
    searchable = np.ones(len(documents), dtype=np.bool_)
    likely = pc.match_substring(documents, '"duplicate_of"').to_numpy(zero_copy_only=False)
    for at in np.flatnonzero(likely).tolist():
        searchable[at] = json.loads(documents[at].as_py()).get("duplicate_of") is None
    return searchable
