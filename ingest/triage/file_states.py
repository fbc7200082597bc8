"""What tells whether a source of crash reports has changed since a report has read it."""

import hashlib
import os
from dataclasses import dataclass, field
from pathlib import Path

from pyspark.sql import SparkSession

from ingest.sources.remote import is_remote, look_remote
from ingest.triage.crashes import CrashFiles
from kb.redact import redact


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
        found[name] = FileState(state.st_size, state.st_mtime_ns if os.access(name, os.R_OK) else "unreadable")
    return found


def spark_state(session: SparkSession, url: str) -> FileState:
    """Return the state of what is behind a URL that Spark reads, by size and time of each file. Raises `SourceError` where nothing is."""
    found = look_remote(session, url)
    listing = "\n".join(f"{path} {state}" for path, state in sorted(found.items()))
    size = sum(int(state.partition("@")[0]) for state in found.values())
    return FileState(size, f"sha256:{hashlib.sha256(listing.encode()).hexdigest()}")
