"""What tells whether a source of crash reports has changed since a report has read it, and under which name a rotated file is now."""

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from pyspark.sql import SparkSession

from ingest.sources.remote import is_remote, look_remote
from ingest.triage.crashes import CrashFiles
from ingest.triage.lines import PACKED, opened
from kb.redact import redact

_HEAD = 4096
"""Bytes by which a file is known again: a log begins with the times of its first lines."""
_LEAST_HEAD = 64
"""Fewer bytes are anybody's beginning."""
_MOST_ROTATED = 400
"""Names of one log, a year of days, among which a file is looked for."""
_PACKED_SIZE = 4
"""Bytes at the end of a gzip file that hold the size of what is packed (RFC 1952, ISIZE)."""


@dataclass(frozen=True, slots=True)
class FileState:
    """The state of a file; one that compares equal is not read again."""

    size: int
    """Bytes."""
    changed: int | str
    """Nanoseconds of the last change; ``unreadable`` where it may not be opened; of a URL the digest of its content, or of sizes and times below it where Spark reads it."""
    etag: str = field(default="", compare=False)
    """What its server calls this content, so that it need not be fetched again."""
    modified: str = field(default="", compare=False)
    """When it was changed, as its server writes it."""
    head: str = field(default="", compare=False)
    """Of a local file, unpacked: how many bytes its beginning has, and their SHA-256; empty for a short one and for a URL."""


def name_of(source: str) -> str:
    """Return what a source is noted as: without the secrets of a URL."""
    return redact(source).text if is_remote(source) else source


def local_states(files: CrashFiles) -> dict[str, FileState]:
    """Return the state of each local file that is there."""
    found = {}
    for name in files.local:
        try:
            state = Path(name).stat()
        except OSError:
            continue
        # One that becomes readable has changed.
        changed = state.st_mtime_ns if os.access(name, os.R_OK) else "unreadable"
        found[name] = FileState(state.st_size, changed, head=_head(name))
    return found


class Rotation:
    """Where rotated files are now: `app.log` as `app.log.1` or `app.log.2.gz`."""

    def __init__(self, now: Mapping[str, FileState]) -> None:
        self._now = now
        self._head = cache(_head)
        self._slots: dict[str, list[str]] = {}
        for name, state in now.items():
            if state.head:
                self._slots.setdefault(_slot(name), []).append(name)

    def is_same(self, name: str, state: FileState) -> bool:
        """Return whether the file that was noted stands under its name still, whatever was written behind its beginning."""
        return self._now.get(name) == state or self._begins(name, state.head)

    def name_of(self, name: str, state: FileState) -> str | None:
        """Return the name that a file has since it was rotated; None where there is none, or more than one.

        It begins as the file did, and it has grown, or is as large and as old as a file that was only renamed, or is packed.
        """
        places = self._slots.get(_slot(name), [])
        found = [
            place
            for place in places[:_MOST_ROTATED]
            if place != name and self._may_continue(place, state) and self._begins(place, state.head)
        ]
        return found[0] if len(found) == 1 else None

    def _may_continue(self, place: str, state: FileState) -> bool:
        now = self._now[place]
        return now == state or now.size > state.size or place.lower().endswith(PACKED)

    def _begins(self, name: str, head: str) -> bool:
        return self._head(name, int(head.partition(":")[0])) == head


def _slot(name: str) -> str:
    """Return what the names of a rotated file have in common: without how it is packed, and its number or date."""
    for ending in PACKED:
        name = name.removesuffix(ending)
    bare = name.rstrip("0123456789.-")
    return bare if name[len(bare) :].startswith((".", "-")) else name


def is_packed_from(name: str, size: int) -> bool:
    """Return whether a gzip file holds as many bytes as a file had before it was packed."""
    if not name.lower().endswith(".gz"):
        return False
    try:
        with Path(name).open("rb") as file:
            file.seek(-_PACKED_SIZE, os.SEEK_END)
            return int.from_bytes(file.read(), "little") == size % (1 << 8 * _PACKED_SIZE)
    except OSError:
        return False


def _head(name: str, length: int = _HEAD) -> str:
    """Return the length of the beginning of a file and its digest; empty where it is short or cannot be read."""
    try:
        if name.lower().endswith(PACKED):
            with opened(os.fsencode(name)) as file:
                begin = file.read(length)
        else:
            with Path(name).open("rb", buffering=0) as plain:
                begin = plain.read(length) or b""
    except (OSError, EOFError, ValueError):  # a name with NUL
        return ""
    return f"{len(begin)}:{hashlib.sha256(begin).hexdigest()}" if len(begin) >= _LEAST_HEAD else ""


def spark_state(session: SparkSession, url: str) -> FileState:
    """Return the state of what is behind a URL that Spark reads, by size and time of each file. Raises `SourceError` where nothing is."""
    found = look_remote(session, url)
    listing = "\n".join(f"{path} {state}" for path, state in sorted(found.items()))
    size = sum(int(state.partition("@")[0]) for state in found.values())
    return FileState(size, f"sha256:{hashlib.sha256(listing.encode()).hexdigest()}")
