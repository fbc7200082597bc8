"""A restore as one step: a home is what it was, or what the backup holds, wherever the process that restores is killed.

Everything is laid down and checked in ``<home>/.restore`` first. Then a journal is written there, then the store is loaded in one
transaction under a new name. That transaction decides: where the store has the name that the journal gives, the folders are moved
(again, if need be); where it has another, nothing happened, and what was laid down is removed. Without a store in the backup the
journal itself decides. Whoever opens the home next ends what was cut off: `Engine.open`, the service, `kb ingest`, `kb backup`, `kb restore`.
"""

import fcntl
import json
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from index.storage.snapshot import switch, sync
from kb import store as stores  # SQLAlchemy is imported when there is something to end, not before
from kb.errors import KbError

OTHERS = 0o077
"""What group and others may, of the bits of a mode."""
_OURS = frozenset(("lake", "snapshots", "store.db", "CURRENT", "rules", "up.json"))
"""What makes a folder a home, and not one in which somebody keeps other things as well."""


def keep_private(home: Path) -> None:
    """Make the home where there is none, and close it and all that is in it to group and others: once, since its own mode is asked first.

    Left as it is where it belongs to somebody else (a volume that is shared by group), and where it is no home (`/tmp`).
    """
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = home.stat()
    if status.st_uid != os.geteuid() or not status.st_mode & OTHERS or status.st_mode & stat.S_ISVTX:
        return
    names = {path.name for path in home.iterdir()}
    if names and not names & _OURS:
        return
    for folder, folders, files in os.walk(home):
        for name in (*folders, *files):
            _close(Path(folder, name))
    _close(home)  # last: one that was cut off begins anew


def _close(path: Path) -> None:
    mode = path.lstat().st_mode
    if not stat.S_ISLNK(mode) and mode & OTHERS:
        path.chmod(stat.S_IMODE(mode) & ~OTHERS)


@contextmanager
def privately() -> Iterator[None]:
    """What this process and those that it starts write meanwhile is for its owner alone."""
    before = os.umask(OTHERS)
    try:
        yield
    finally:
        os.umask(before)


FOLDER = ".restore"
WHOLE = ("lake", "rules")
"""Folders of the home that are replaced whole; of the snapshots one is added."""
_JOURNAL, _NEW, _OLD = "journal.json", "new", "old"


class RestoreError(KbError):
    """A restore cannot begin, or one that was cut off cannot be ended."""


@dataclass(frozen=True, slots=True)
class Journal:
    """What a restore is about to do."""

    snapshot_id: str | None
    folders: tuple[str, ...]
    """Those of WHOLE that the backup has; the others are gone afterwards."""
    store: str | None
    """Which store, as `kb.store.named` calls it; None where the backup has none: the one that is there stays."""
    store_id: str | None
    """The name that the store has from then on."""


@dataclass(frozen=True, slots=True)
class Staging:
    """A restore under way, which no other process meets."""

    home: Path

    @property
    def new(self) -> Path:
        """Where the parts of a backup are laid down, each by the name it has in the home."""
        return self.home / FOLDER / _NEW

    def begin(self, journal: Journal) -> None:
        """Have the disk hold all that was laid down, then what is to be done with it. From here on it is ended, not forgotten."""
        for folder, _, files in os.walk(self.new):
            for name in (*files, ""):
                sync(Path(folder, name))
        place = self.home / FOLDER / _JOURNAL
        beside = place.with_suffix(".new")
        beside.write_text(json.dumps(asdict(journal)), encoding="utf-8")
        sync(beside)
        beside.replace(place)
        sync(place.parent)
        sync(self.home)

    def end(self, place: str | Path) -> bool:
        """Finish what was begun, or remove what was laid down; whether the home is the backup's now."""
        journal = self._journal()
        done = journal is not None and _is_decided(journal, place)
        if journal is not None and done:
            self._move(journal)
        (self.home / FOLDER / _JOURNAL).unlink(missing_ok=True)
        sync(self.home / FOLDER)
        shutil.rmtree(self.home / FOLDER)
        return done

    def _journal(self) -> Journal | None:
        try:
            journal = json.loads((self.home / FOLDER / _JOURNAL).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        return Journal(journal["snapshot_id"], tuple(journal["folders"]), journal["store"], journal["store_id"])

    def _move(self, journal: Journal) -> None:
        """Put each part in its place. What is in its place already is not to be moved any more."""
        for name in WHOLE:
            self._replace(name, is_new=name in journal.folders)
        if journal.snapshot_id is None:
            (self.home / "CURRENT").unlink(missing_ok=True)
            return
        (self.home / "snapshots").mkdir(exist_ok=True)
        self._replace(
            f"snapshots/{journal.snapshot_id}", is_new=True
        )  # its name is what is in it; but that may be damaged
        sync(self.home / "snapshots")
        switch(self.home, journal.snapshot_id)

    def _replace(self, name: str, *, is_new: bool) -> None:
        new, there, old = self.new / name, self.home / name, self.home / FOLDER / _OLD / name
        if is_new and not new.exists():
            return
        if there.exists():
            shutil.rmtree(old, ignore_errors=True)
            old.parent.mkdir(parents=True, exist_ok=True)
            there.rename(old)
        if is_new:
            new.rename(there)
        sync(self.home)


@contextmanager
def staging(home: Path) -> Iterator[Staging]:
    """The place to restore in, empty. What was laid down is gone afterwards, unless it was begun and not ended.

    RestoreError while another restore is at work, or where one that was cut off waits for its store.
    """
    folder = home / FOLDER
    folder.mkdir()
    with _held(folder) as is_ours:
        if not is_ours:
            raise RestoreError(f"another `kb restore` is writing to {home}", cure="wait for it to end")
        staged = Staging(home)
        staged.new.mkdir()
        try:
            yield staged
        finally:
            if folder.exists() and not (folder / _JOURNAL).exists():
                shutil.rmtree(folder)


def finish(home: Path, place: str | Path | None = None) -> bool:
    """End a restore that was cut off: whatever was decided is done, else all is as before. False while one is at work.

    ``place`` is where the store is (None: in the home).

    One look at the disk where there is nothing to end. RestoreError where the store that decides is another than the one at ``place``, or the
    home cannot be written to; StoreError where it does not answer.
    """
    folder = home / FOLDER
    if not folder.exists():
        return True
    try:
        with _held(folder) as is_ours:
            if is_ours:
                with without_ingest(home):
                    Staging(home).end(place or home / "store.db")
            return is_ours or not folder.exists()
    except OSError as error:
        problem = f"a restore into {home} was cut off, and cannot be ended: {error}"
        raise RestoreError(problem, cure="make the folder writable and do this once more") from error


@contextmanager
def _held(folder: Path) -> Iterator[bool]:
    """Whether the folder is there and ours alone; so it is until this ends, or the process."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except FileNotFoundError:
        yield False
        return
    try:
        yield _locked(handle) and os.fstat(handle).st_nlink > 0
    finally:
        os.close(handle)


def _locked(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def without_ingest(home: Path) -> Iterator[None]:
    """Keep `kb ingest` out, as it keeps a second one out. RestoreError while one is at work."""
    lake = home / "lake"
    if not lake.is_dir():
        yield
        return
    with (lake / ".lock").open("a") as lock:
        if not _locked(lock.fileno()):
            raise RestoreError(f"`kb ingest` is writing to {home}", cure="wait for it to end")
        yield


def _is_decided(journal: Journal, place: str | Path) -> bool:
    if journal.store is None:
        return True
    address, store_id = stores.named(place)
    if address != journal.store:
        problem = f"a restore into {journal.store} was cut off, and KB_DATABASE_URL names {address}"
        raise RestoreError(problem, cure=f"set KB_DATABASE_URL to {journal.store}, then do this once more")
    return store_id == journal.store_id
