"""Restore a backup: unpack and check everything first, then put all of it in place or nothing (`index.storage.restoring`)."""

import hashlib
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from api.archive.contents import LARGEST, MEMBER, BackupError, Contents
from index.settings import HomeSettings
from index.storage.restoring import (
    WHOLE,
    Journal,
    RestoreError,
    Staging,
    finish,
    keep_private,
    privately,
    staging,
    without_ingest,
)
from kb import store as stores
from kb.errors import KbError
from kb.store import Actor
from kb.store import dump as dumps

_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Restored:
    """The result of a restore."""

    contents: Contents
    loaded: dumps.Loaded | None
    """None where the backup holds no store."""


def read(settings: HomeSettings, file: Path, *, actor: Actor, overwrite: bool = False) -> Restored:
    """Put a backup back into the home and the store that the settings name: all of it, or nothing, also when this process is killed.

    Refused when there is something already, unless ``overwrite``: then what is there is lost, but for other snapshots. A running
    service takes it up by itself: first the store, then the snapshot. BackupError when the file is damaged; nothing was done then.
    """
    home = settings.home
    keep_private(home)
    if not finish(home, settings.store):
        raise RestoreError(f"another `kb restore` is writing to {home}", cure="wait for it to end")
    if not overwrite and (there := [name for name in (*WHOLE, "snapshots", "CURRENT") if (home / name).exists()]):
        cure = "restore into another KB_HOME, or say --overwrite: what is there is lost"
        raise BackupError(f"{home} already holds {', '.join(there)}", cure=cure)
    with privately(), _as_backup_error(file), staging(home) as staged:
        contents = unpack(file, staged.new)
        with without_ingest(home):
            return Restored(contents, _install(settings, staged, contents, actor=actor, overwrite=overwrite))


def _install(
    settings: HomeSettings, staged: Staging, contents: Contents, *, actor: Actor, overwrite: bool
) -> dumps.Loaded | None:
    """Put what was laid down in its place."""
    folders = tuple(name for name in WHOLE if (staged.new / name).exists())
    if contents.store is None:
        staged.begin(Journal(contents.snapshot_id, folders, None, None))
        staged.end(settings.store)
        return None
    store_id, (name, _) = dumps.new_id(), stores.named(settings.store)
    staged.begin(Journal(contents.snapshot_id, folders, name, store_id))
    place, folder = settings.store, staged.new / "store"
    try:
        loaded = dumps.load(place, folder, contents.store, actor=actor, overwrite=overwrite, store_id=store_id)
    except BaseException:
        with suppress(KbError):  # a database that went away may have taken it: whoever opens the home next asks again
            staged.end(settings.store)
        raise
    staged.end(settings.store)
    return loaded


@contextmanager
def _as_backup_error(file: Path) -> Iterator[None]:
    """Translate errors of the system."""
    try:
        yield
    except OSError as error:
        cure = "see that it can be read, and the disk"
        raise BackupError(f"{file} cannot be restored: {error}", cure=cure) from error


def unpack(file: Path, folder: Path) -> Contents:
    """Write the members of a backup below a folder and hold each against its sum. BackupError for the first that does not agree."""
    try:
        with _as_backup_error(file), tarfile.open(file, mode="r:") as archive:
            members = {member.name: member for member in archive}  # of two of one name the last one counts
            contents = Contents.from_json(_description(archive, members[MEMBER]))
            for name, (size, digest) in contents.files.items():
                if _extract(archive, members.get(name), folder / name, size) != digest:
                    raise BackupError(f"{name} in {file} is damaged", cure="use another backup")
    except (tarfile.TarError, EOFError, KeyError, ValueError) as error:
        raise BackupError(f"{file} is no backup, or not a whole one", cure="use another backup") from error
    return contents


def _description(archive: tarfile.TarFile, member: tarfile.TarInfo) -> str:
    source = archive.extractfile(member) if member.isreg() and member.size <= LARGEST else None
    return source.read().decode() if source else ""


def _extract(archive: tarfile.TarFile, member: tarfile.TarInfo | None, path: Path, size: int) -> str | None:
    """Unpack a member; return its SHA-256, or None for what is no file or has another size."""
    source = archive.extractfile(member) if member and member.isreg() and member.size == size else None
    if source is None:
        return None
    digest = hashlib.sha256()
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as out:
        while block := source.read(_BLOCK):
            out.write(block)
            digest.update(block)
    return digest.hexdigest()
