"""What a thread dump says of one thread, whichever tool printed it."""

from dataclasses import dataclass, field

from kb.trace.model import Frame


@dataclass(frozen=True, slots=True)
class Lock:
    """A lock that a thread waits for or holds."""

    how: str
    """``waiting to lock``, ``waiting on``, ``parking to wait for``; ``locked`` for a monitor it holds, ``owned`` for a
    synchronizer it owns (which only ``jstack -l`` tells, so it is no part of what identifies a thread)."""
    type: str | None
    """The class of the lock."""
    address: str | None = None
    owner: str | None = None
    """Who holds it, where the line says so: ``"settler"`` or ``7``."""


_HELD = ("locked", "owned")


@dataclass(slots=True)
class Thread:
    """One thread while its lines are being read."""

    name: str
    begin: int
    """Where its first line begins in the text."""
    end: int
    state: str | None = None
    """``BLOCKED``, ``WAITING``, ``TIMED_WAITING``, … in the words of ``java.lang.Thread.State``."""
    number: str | None = None
    """The number that other threads name it by: Android's ``tid=7``."""
    frames: list[Frame] = field(default_factory=list)
    locks: list[Lock] = field(default_factory=list)
    cut: int = 0
    """Frames beyond the limit."""
    is_headless: bool = False
    """Whether its first line is cut off."""

    @property
    def waits_for(self) -> Lock | None:
        """The lock it waits for; the first one printed."""
        return next((lock for lock in self.locks if lock.how not in _HELD), None)

    @property
    def holds(self) -> list[Lock]:
        """The locks it holds, without one that it gave back while it waits for it (``Object.wait``)."""
        waited = {lock.address for lock in self.locks if lock.how not in _HELD and lock.address}
        return [lock for lock in self.locks if lock.how == "locked" and lock.address not in waited]

    @property
    def owned(self) -> list[Lock]:
        """The ownable synchronizers it holds, where they were asked for."""
        return [lock for lock in self.locks if lock.how == "owned"]


@dataclass(slots=True)
class Deadlock:
    """A ``Found one Java-level deadlock`` section."""

    begin: int
    end: int
    waits: list[tuple[str, Lock]] = field(default_factory=list)
    """Who waits for which lock, in the order of the ring."""
    threads: list[Thread] = field(default_factory=list)
    """Their stacks, where they were printed."""


@dataclass(slots=True)
class Dump:
    """A whole dump."""

    threads: list[Thread] = field(default_factory=list)
    deadlocks: list[Deadlock] = field(default_factory=list)
