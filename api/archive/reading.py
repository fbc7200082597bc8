"""A backup is put back: everything is unpacked and checked first, then each part takes its place."""

import fcntl
import hashlib
import shutil
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from api.archive.contents import MEMBER, BackupError, Contents
from index.settings import HomeSettings
from index.snapshot import switch
from kb.store import Actor
from kb.store import dump as dumps

_BLOCK = 1 << 20
_WHOLE = ("lake", "rules")
"""Folders of the home that are replaced whole; of the snapshots one is added."""


@dataclass(frozen=True, slots=True)
class Restored:
    """What came back, and what became of what was there."""

    contents: Contents
    loaded: dumps.Loaded | None
    """None where the backup holds no store."""


def read(settings: HomeSettings, file: Path, *, actor: Actor, overwrite: bool = False) -> Restored:
    """Put a backup back into the home and the store that the settings name.

    Refused when there is something already, unless ``overwrite``: then what is there is lost, but for other snapshots. A running
    service takes it up by itself: first the store, then the snapshot. BackupError when the file is damaged; nothing was done then.
    """
    home = settings.home
    home.mkdir(parents=True, exist_ok=True)
    if not overwrite and (there := [name for name in (*_WHOLE, "snapshots", "CURRENT") if (home / name).exists()]):
        cure = "restore into another KB_HOME, or say --overwrite: what is there is lost"
        raise BackupError(f"{home} already holds {', '.join(there)}", cure=cure)
    with TemporaryDirectory(prefix=".restore-", dir=home) as unpacked:
        contents = unpack(file, Path(unpacked))
        with _no_ingest(home):
            loaded = None
            if contents.store is not None:
                folder = Path(unpacked, "store")
                loaded = dumps.load(settings.store, folder, contents.store, actor=actor, overwrite=overwrite)
            for name in _WHOLE:
                _replace(Path(unpacked, name), home / name, Path(unpacked, f"old-{name}"))
            _put_snapshot(home, Path(unpacked), contents.snapshot_id)
    return Restored(contents, loaded)


def unpack(file: Path, folder: Path) -> Contents:
    """Write the members of a backup below a folder and hold each against its sum. BackupError for the first that does not agree."""
    try:
        with tarfile.open(file, mode="r:") as archive:
            members = {member.name: member for member in archive}  # of two of one name the last one counts
            told = archive.extractfile(members[MEMBER])
            contents = Contents.from_json(told.read().decode() if told else "")
            for name, expected in contents.files.items():
                if _extract(archive, members.get(name), folder / name, folder) != expected:
                    raise BackupError(f"{name} in {file} is damaged", cure="use another backup")
    except (tarfile.TarError, EOFError, KeyError, UnicodeDecodeError) as error:
        raise BackupError(f"{file} is no backup, or not a whole one", cure="use another backup") from error
    except OSError as error:
        raise BackupError(
            f"{file} cannot be restored: {error}", cure="see that it can be read, and the disk"
        ) from error
    return contents


def _extract(
    archive: tarfile.TarFile, member: tarfile.TarInfo | None, path: Path, folder: Path
) -> tuple[int, str] | None:
    """Size and SHA-256 of what was written; None for what is no file, or would leave the folder."""
    source = archive.extractfile(member) if member else None
    if source is None or ".." in path.parts or not path.is_relative_to(folder):
        return None
    digest, size = hashlib.sha256(), 0
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as out:
        while block := source.read(_BLOCK):
            out.write(block)
            digest.update(block)
            size += len(block)
    return size, digest.hexdigest()


@contextmanager
def _no_ingest(home: Path) -> Iterator[None]:
    """Keep `kb ingest` out, as it keeps a second one out."""
    lake = home / "lake"
    if not lake.is_dir():
        yield
        return
    with (lake / ".lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BackupError(f"`kb ingest` is writing to {home}", cure="wait for it to end") from None
        yield


def _replace(new: Path, there: Path, grave: Path) -> None:
    if there.exists():
        there.rename(grave)
    if new.exists():
        new.rename(there)


def _put_snapshot(home: Path, unpacked: Path, snapshot_id: str | None) -> None:
    if snapshot_id is None:
        (home / "CURRENT").unlink(missing_ok=True)
        return
    place = home / "snapshots" / snapshot_id
    place.parent.mkdir(exist_ok=True)
    if place.exists():  # its name is what is in it; but that may have been damaged
        place.rename(unpacked / "old-snapshot")
    shutil.move(unpacked / "snapshots" / snapshot_id, place)
    switch(home, snapshot_id)
