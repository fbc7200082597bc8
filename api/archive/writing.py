"""Write a backup while everything runs."""

import hashlib
import os
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from api.archive.contents import MEMBER, BackupError, Contents
from index.settings import HomeSettings
from index.storage.restoring import finish
from index.storage.snapshot import current, sync
from kb.errors import SnapshotError
from kb.store.dump import dump

TRIES = 5
"""How often a lake or snapshot is copied again when its pointer moves meanwhile."""
LEFT_OUT = ("packs/", ".")
"""Parts of the lake that can be rebuilt or are unfinished."""


def write(settings: HomeSettings, file: Path) -> Contents:
    """Copy home and store into ``file``, which is there whole or not at all. BackupError when it cannot be written."""
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    finish(settings.home, settings.store)
    try:
        with _private(part) as out, tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
            contents = _Writer(archive).write(settings)
        part.replace(file)
        sync(file.absolute().parent)
    except OSError as error:
        cure = "give a file in a folder with room that you may write to"
        raise BackupError(f"{file} cannot be written: {error}", cure=cure) from error
    finally:
        part.unlink(missing_ok=True)
    return contents


@contextmanager
def _private(path: Path) -> Iterator[BinaryIO]:
    """A new file that others cannot read: it holds write-ups and hashes of keys. On disk when it is closed."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
        yield out
        out.flush()
        os.fsync(out.fileno())


class _Writer:
    def __init__(self, archive: tarfile.TarFile) -> None:
        self._archive = archive
        self._files: dict[str, tuple[int, str]] = {}

    def write(self, settings: HomeSettings) -> Contents:
        home = settings.home
        self._while_still(lambda: _lake_pointer(home), lambda _: self._folder(home / "lake", "lake", LEFT_OUT))
        snapshot_id = self._while_still(lambda: _snapshot_id(home), lambda found: self._snapshot(home, found))
        self._folder(home / "rules", "rules", ())
        with TemporaryDirectory() as folder:
            store = dump(settings.store, Path(folder))
            self._folder(Path(folder), "store", ())
        made = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
        contents = Contents(made, snapshot_id, store, dict(self._files))
        text = contents.to_json().encode()
        Contents.from_json(text.decode())  # what could not be restored is told now
        info = tarfile.TarInfo(MEMBER)
        info.size, info.mode = len(text), 0o600
        self._archive.addfile(info, BytesIO(text))
        return contents

    def _while_still(self, pointer: Callable[[], str | None], copy: Callable[[str | None], None]) -> str | None:
        """Copy what a pointer names until it did not move meanwhile; of a member that is written twice the last one counts."""
        for _ in range(TRIES):
            found, before = pointer(), dict(self._files)
            try:
                copy(found)
                if pointer() == found:
                    return found
            except FileNotFoundError:
                pass  # what was there a moment ago was replaced
            self._files = before
        raise BackupError("the home changes faster than it can be copied", cure="try again when `kb ingest` is through")

    def _snapshot(self, home: Path, snapshot_id: str | None) -> None:
        if snapshot_id is not None:
            self._folder(home / "snapshots" / snapshot_id, f"snapshots/{snapshot_id}", ())

    def _folder(self, folder: Path, name: str, left_out: tuple[str, ...]) -> None:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            inner = path.relative_to(folder).as_posix()
            if not inner.startswith(left_out):
                self._file(path, f"{name}/{inner}")

    def _file(self, path: Path, name: str) -> None:
        digest = hashlib.sha256()
        with path.open("rb") as source:
            info = tarfile.TarInfo(name)
            info.size, info.mode = os.fstat(source.fileno()).st_size, 0o600
            info.mtime = int(os.fstat(source.fileno()).st_mtime)
            self._archive.addfile(info, _Summed(source, digest.update))
        self._files[name] = info.size, digest.hexdigest()


@dataclass(frozen=True, slots=True)
class _Summed:
    """A file that reports all bytes read from it."""

    source: BinaryIO
    on_bytes: Callable[[bytes], None]

    def read(self, size: int = -1, /) -> bytes:
        data = self.source.read(size)
        self.on_bytes(data)
        return data


def _lake_pointer(home: Path) -> str | None:
    try:
        return (home / "lake" / "manifest.json").read_text(encoding="utf-8")
    except FileNotFoundError:
        return None


def _snapshot_id(home: Path) -> str | None:
    try:
        return current(home).id
    except SnapshotError:
        if (home / "CURRENT").exists():
            raise
        return None
