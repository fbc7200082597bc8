"""Whether the files of a snapshot are what was written: asked at every opening, at the price of a look at each.

Whoever has held all sums against the manifest notes what each file was then: size, inode, and the times of the inode, of which the kernel
sets one at every change. Files that are still so are not read again; others are (SHA-256 of a gigabyte in memory: 0.9 to 1.1 s, 2026-11-23).
What a disk forgets by itself changes no time: `kb snapshots verify` and `kb doctor` read every byte. The note lies beside the snapshot; one that is lost is made again.
"""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from index.snapshot import CURE, MANIFEST, SnapshotInfo, check_files, file_digest, note_of
from kb.errors import SnapshotError

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
        told = json.loads(note_of(info.path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


def _note(info: SnapshotInfo, now: Mapping[str, Signature]) -> None:
    """Where nothing can be written, every opening reads every file."""
    place = note_of(info.path)
    beside = place.with_name(f"{place.name}.{os.getpid()}")
    with suppress(OSError):
        beside.write_text(json.dumps({MANIFEST: _manifest(info), **now}), encoding="utf-8")
        beside.replace(place)
