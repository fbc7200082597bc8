"""How a file and the store stand to each other. The revision that the file was written from tells who changed what."""

from enum import StrEnum


class SyncState(StrEnum):
    """What became of an incident on both sides since the file was written."""

    SAME = "same"
    AGREED = "agreed"
    """They say the same; the file has another number or state."""
    FILE_CHANGED = "file changed"
    STORE_CHANGED = "store changed"
    CONFLICT = "conflict"
    """Both changed, or the file names a revision that there never was."""


def sync_state(base: int, current: int, *, from_current: bool, from_base: bool | None) -> SyncState:
    """``base`` is the file's revision, ``current`` the store's; the file differs ``from_current`` and ``from_base`` (None: no such)."""
    if not from_current:
        return SyncState.SAME if base == current else SyncState.AGREED
    if base == current:
        return SyncState.FILE_CHANGED
    return SyncState.STORE_CHANGED if from_base is False and base < current else SyncState.CONFLICT
