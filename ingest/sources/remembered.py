"""What single files were when they were listed last, so that a watch opens only what has changed since.

The kernel sets the time of an inode's last change (``ctime``) at every write, rename and touch; unlike the modification time nobody
can carry it along or set it back. Clocks tick, though: a file may change twice within one tick. What has changed just now is not
remembered (as git does with its index), so it is opened again.
"""

import os
import time
from dataclasses import dataclass

import pyarrow as pa

from ingest.sources.listing import ListedDocument

Signature = tuple[int, int, int, int]
"""Size in bytes, times of modification and of change in nanoseconds, inode."""

CLOCK_TICK = 2_000_000_000
"""Nanoseconds; the coarsest clock of a file system in use."""


def signature(status: os.stat_result) -> Signature:
    """What differs when a file has changed."""
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


_Place = tuple[str, bytes]
"""Source and location: two sources may hold one file."""


@dataclass(frozen=True, slots=True)
class _Known:
    signature: Signature
    listed: ListedDocument


class Remembered:
    """The single files of local sources, those of the last listing and of the one under way.

    What changed within the last ``clock_tick`` nanoseconds is not remembered.
    """

    def __init__(self, *, clock_tick: int = CLOCK_TICK) -> None:
        self._clock_tick = clock_tick
        self._former: dict[_Place, _Known] = {}
        self._now: dict[_Place, _Known] = {}

    def turn(self) -> None:
        """Begins a listing: what the one before this one has not met is forgotten."""
        self._former, self._now = self._now, {}

    def known(self, file: ListedDocument, status: os.stat_result) -> ListedDocument | None:
        """What the file was found to be, if nothing has touched it since."""
        place = (file.source, file.location)
        known = self._former.get(place)
        if known is None or known.signature != signature(status):
            return None
        self._now[place] = known
        return known.listed

    def kept(self, found: ListedDocument | pa.Table, status: os.stat_result) -> ListedDocument | pa.Table:
        """The same, remembered if it is one document. ``status`` is from before the file was opened."""
        if isinstance(found, ListedDocument) and abs(time.time_ns() - status.st_ctime_ns) > self._clock_tick:
            self._now[found.source, found.location] = _Known(signature(status), found)
        return found
