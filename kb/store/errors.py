"""What a store refuses, and why. None of them has changed anything."""

from kb.errors import KbError
from kb.store.model import Revision


class StoreError(KbError):
    """The store cannot do what was asked for."""


class Stale(StoreError):  # noqa: N818 - reads as what is the case
    """Somebody else wrote in between. ``current`` is what stands there now."""

    def __init__(self, current: Revision, expected: int) -> None:
        super().__init__(
            f"{current.incident_id!r} is at revision {current.number}, not at {expected}",
            cure="look at what changed, and save again on top of it",
        )
        self.current = current


class Missing(StoreError):  # noqa: N818 - reads as what is the case
    """There is nothing of that name."""


class Exists(StoreError):  # noqa: N818 - reads as what is the case
    """The id is taken."""


class Refused(StoreError):  # noqa: N818 - reads as what is the case
    """What was asked for does not go with how things stand."""


class Unavailable(StoreError):  # noqa: N818 - reads as what is the case
    """The database cannot be reached, or is busy for longer than anybody waits. The same may be tried again."""


class Full(Unavailable):
    """There is no room left for what was to be written. Nothing of it was."""


class Uncertain(Unavailable):
    """The database went away while a change was being put on disk: the change may be there. Look before it is made again."""
