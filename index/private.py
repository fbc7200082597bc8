"""A home is its owner's: what others could read of it, they could read past every key."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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
