"""Snapshots on disk: immutable folders under ``<home>/snapshots``; ``<home>/CURRENT`` names the one in use.

A snapshot is written beside the others under a name that begins with a dot, checked, and renamed; then CURRENT is
replaced. Whatever is cut off in between leaves the old snapshot answering.
"""

import json
import os
import re
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

from index.encoder import Encoder
from index.entry import VERSION as ENTRY_VERSION
from index.storage.vectors import VectorFacts
from index.terms import tokens
from kb.errors import SnapshotError
from kb.trace import VERSION as FINGERPRINT_VERSION

FORMAT = 5
"""The layout of the folder; raised whenever a file of it is written otherwise."""

MANIFEST = "manifest.json"
_ID = re.compile(r"[0-9a-f]{16}")
CURE = "`kb snapshots rollback` takes the one before; `kb ingest` builds this one anew"
"""Of a snapshot that is damaged."""
_REBUILD = "run `kb ingest` again to build one with this version"


@dataclass(frozen=True, slots=True)
class Stored:
    """One file of a snapshot."""

    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class SnapshotManifest:
    """What a snapshot is made of. Nothing in it but ``built`` depends on when or where it was built."""

    format: int
    built: str
    """ISO 8601, UTC. Not part of the id."""
    model: str
    model_digest: str
    dim: int
    fingerprint_version: int | str
    entry_version: int
    tokens: str
    counts: Mapping[str, int]
    sources: Mapping[str, object]
    files: Mapping[str, Stored]
    vectors: VectorFacts
    rules: str = ""
    """Digest of the rules of the house that it was built under; empty for none."""
    store_id: str = ""
    """The store whose incidents are in it; empty for none."""
    store_sequence: int = 0
    """The number of the store's last change that is in it."""

    def to_json(self) -> str:
        """The text of manifest.json."""
        return json.dumps(asdict(self), indent=1, ensure_ascii=False, sort_keys=True) + "\n"


@dataclass(frozen=True, slots=True)
class SnapshotInfo:
    """A snapshot, unopened."""

    id: str
    path: Path
    manifest: SnapshotManifest


def current(home: Path | str) -> SnapshotInfo:
    """The snapshot in use. SnapshotError when there is none, or none that can be read."""
    pointer = Path(home) / "CURRENT"
    try:
        name = pointer.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        raise SnapshotError(f"there is no snapshot in {home} yet", cure="build one with `kb ingest SOURCE`") from None
    except (OSError, UnicodeDecodeError) as error:
        raise SnapshotError(
            f"{pointer} cannot be read: {error}", cure="`kb snapshots rollback` writes it anew"
        ) from None
    if not _ID.fullmatch(name):
        raise SnapshotError(
            f"{pointer} names no snapshot: {name[:40]!r}", cure="`kb snapshots rollback` writes it anew"
        )
    return read_info(Path(home) / "snapshots" / name)


def read_info(path: Path) -> SnapshotInfo:
    """The snapshot in a folder; only its manifest is read. SnapshotError when that is missing or of another format."""
    try:
        raw = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
        if raw["format"] != FORMAT:
            raise SnapshotError(
                f"snapshot {path.name} has format {raw['format']}, this version reads {FORMAT}", cure=_REBUILD
            )
        files = {name: Stored(**stored) for name, stored in raw.pop("files").items()}
        vectors = VectorFacts(**raw.pop("vectors"))
        return SnapshotInfo(path.name, path, SnapshotManifest(**raw, files=files, vectors=vectors))
    except FileNotFoundError:
        cure = "`kb snapshots list` shows what there is; `kb snapshots rollback` takes another; `kb ingest` builds one"
        raise SnapshotError(f"snapshot {path.name} is missing in {path.parent}", cure=cure) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SnapshotError(f"the manifest of snapshot {path.name} cannot be read: {error}", cure=_REBUILD) from None


def list_snapshots(home: Path | str) -> tuple[SnapshotInfo, ...]:
    """Every readable snapshot, newest first."""
    folder = Path(home) / "snapshots"
    found: list[SnapshotInfo] = []
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        if _ID.fullmatch(path.name):
            try:
                found.append(read_info(path))
            except SnapshotError:
                continue  # a foreign or broken folder is not a snapshot; `verify` says what is wrong with it
    return tuple(sorted(found, key=lambda info: (info.manifest.built, info.id), reverse=True))


def verify(path: Path) -> SnapshotInfo:
    """The snapshot, after every file was read and compared with its checksum. SnapshotError names the first that differs."""
    info = read_info(path)
    check_files(info)
    for name, stored in sorted(info.manifest.files.items()):
        if file_digest(path / name) != stored.sha256:
            raise SnapshotError(f"snapshot {info.id}: {name} is not what was written", cure=f"{_REBUILD}, or roll back")
    return info


def check_files(info: SnapshotInfo) -> None:
    """SnapshotError when a file is missing or has another size: quick enough for every start."""
    for name, stored in sorted(info.manifest.files.items()):
        path = info.path / name
        size = path.stat().st_size if path.is_file() else -1
        if size != stored.size:
            state = "is missing" if size < 0 else f"has {size} bytes, not {stored.size}"
            raise SnapshotError(
                f"snapshot {info.id}: {name} {state}", cure="`kb snapshots rollback`, or `kb ingest` again"
            )


def check_code(info: SnapshotInfo, encoder: Encoder) -> None:
    """SnapshotError when the snapshot was built by other code or another model than would search it."""
    manifest = info.manifest
    for what, built, ours in (
        ("fingerprint version", manifest.fingerprint_version, FINGERPRINT_VERSION),
        ("entry version", manifest.entry_version, ENTRY_VERSION),
        ("word scheme", manifest.tokens, tokens.scheme()),
    ):
        if built != ours:
            raise SnapshotError(
                f"snapshot {info.id} was built with {what} {built}, this version has {ours}", cure=_REBUILD
            )
    if (manifest.model_digest, manifest.dim) != (encoder.digest, encoder.dim):
        raise SnapshotError(
            f"snapshot {info.id} was built with the model {manifest.model} ({manifest.model_digest[:8]}, {manifest.dim}"
            f" numbers), not with {encoder.name} ({encoder.digest[:8]}, {encoder.dim} numbers)",
            cure="set KB_MODEL to the model it was built with, or run `kb ingest` again to build one with this model",
        )


def rollback(
    home: Path | str, snapshot_id: str | None = None, before: Callable[[SnapshotInfo], object] | None = None
) -> SnapshotInfo:
    """Make CURRENT name that snapshot, or the one built before the current one. SnapshotError when there is none.

    ``before`` is called with it first: what lies elsewhere of it is put there.
    """
    known = list_snapshots(home)
    if snapshot_id is not None:
        chosen = next((info for info in known if info.id == snapshot_id), None)
    else:
        in_use = _pointer(Path(home))
        at = next((i for i, info in enumerate(known) if info.id == in_use), -1)
        chosen = known[at + 1] if at + 1 < len(known) else None
    if chosen is None:
        what = f"no snapshot {snapshot_id}" if snapshot_id else "no older snapshot"
        raise SnapshotError(f"there is {what} in {home}", cure="`kb snapshots list` shows what there is")
    check_files(chosen)
    if before is not None:
        before(chosen)
    switch(Path(home), chosen.id)
    return chosen


def prune(home: Path | str, keep: int, before: Callable[[str], object] | None = None) -> tuple[str, ...]:
    """Delete all but the newest ``keep`` snapshots and the current one; the ids that went, oldest first.

    ``before`` is called with the id of each that goes: what lies elsewhere of it goes first, and where that fails the snapshot stays for the next time.
    """
    in_use = _pointer(Path(home))
    doomed = [info for info in list_snapshots(home)[max(keep, 0) :] if info.id != in_use]
    for info in reversed(doomed):
        if before is not None:
            before(info.id)
        grave = info.path.with_name(f".pruned-{info.id}")
        info.path.rename(grave)  # first out of sight, so that half a snapshot is never listed
        shutil.rmtree(grave)
        note_of(info.path).unlink(missing_ok=True)
    return tuple(info.id for info in reversed(doomed))


def switch(home: Path, snapshot_id: str) -> None:
    """Make CURRENT name a snapshot, at once or not at all."""
    beside = home / f".CURRENT-{os.getpid()}"
    beside.write_text(snapshot_id + "\n", encoding="ascii")
    sync(beside)
    beside.replace(home / "CURRENT")
    sync(home)


def note_of(path: Path) -> Path:
    """Where it is noted that a snapshot was found whole (`index.storage.snapshot`)."""
    return path.with_name(f".whole-{path.name}")


def sync(path: Path) -> None:
    """Have the disk hold what was written: of a file its contents, of a folder its names."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def file_digest(path: Path) -> str:
    """SHA-256 of a file's bytes."""
    whole = sha256()
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            whole.update(piece)
    return whole.hexdigest()


def _pointer(home: Path) -> str | None:
    try:
        return (home / "CURRENT").read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return None


Signature = list[int]
"""Size, times of modification and of change in nanoseconds, inode."""
Seal = Mapping[str, Signature]


def sealed(info: SnapshotInfo) -> Seal:
    """What the files are that were found to be whole. SnapshotError names the first that is not."""
    check_files(info)
    known = _noted(info)
    if known.get(MANIFEST, sha := _manifest(info)) != sha:
        raise _damaged(info, MANIFEST)
    now = _signatures(info)
    changed = [name for name, signature in now.items() if known.get(name) != signature]
    for name in changed:
        _compare(info, name)
    if changed:
        _note(info, now)
    return now


def note(info: SnapshotInfo) -> None:
    """Note that every file was just held against its sum."""
    _note(info, _signatures(info))


def untouched(info: SnapshotInfo, seal: Seal) -> Seal:
    """What the files are now that were open all along. SnapshotError when one was written to, and holds something else.

    A reader that holds a file open goes on reading it after it was removed or replaced.
    """
    now = dict(seal)
    for name, signature in seal.items():
        with suppress(FileNotFoundError, NotADirectoryError):
            found = _signature(info.path / name)
            if found[-1] == signature[-1] and found != signature:
                _compare(info, name)
                now[name] = found
    return now


def _compare(info: SnapshotInfo, name: str) -> None:
    try:
        is_whole = file_digest(info.path / name) == info.manifest.files[name].sha256
    except OSError as error:
        raise SnapshotError(f"snapshot {info.id}: {name} cannot be read: {error.strerror}", cure=CURE) from error
    if not is_whole:
        raise _damaged(info, name)


def _damaged(info: SnapshotInfo, name: str) -> SnapshotError:
    return SnapshotError(f"snapshot {info.id}: {name} is not what was written", cure=CURE)


def _signatures(info: SnapshotInfo) -> dict[str, Signature]:
    return {name: _signature(info.path / name) for name in sorted(info.manifest.files)}


def _signature(path: Path) -> Signature:
    status = path.stat()
    return [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]


def _manifest(info: SnapshotInfo) -> str:
    return sha256((info.path / MANIFEST).read_bytes()).hexdigest()


def _noted(info: SnapshotInfo) -> dict[str, object]:
    try:
        noted = json.loads(note_of(info.path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return noted if isinstance(noted, dict) else {}


def _note(info: SnapshotInfo, now: Mapping[str, Signature]) -> None:
    """Where nothing can be written, every opening reads every file."""
    place = note_of(info.path)
    beside = place.with_name(f"{place.name}.{os.getpid()}")
    with suppress(OSError):
        beside.write_text(json.dumps({MANIFEST: _manifest(info), **now}), encoding="utf-8")
        beside.replace(place)
