"""`Store`: one database, and the rooms of it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from kb.store.audit import Audit
from kb.store.changes import Changes
from kb.store.database import MAKE_WRITABLE, WAIT, Database, address
from kb.store.drafts import Drafts
from kb.store.errors import StoreError
from kb.store.feedback import FeedbackStore
from kb.store.incidents import Incidents
from kb.store.keys import Keys
from kb.store.links import Links
from kb.store.listing import IncidentPage, Wanted, page, unpublished
from kb.store.messages import Messages
from kb.store.model import Actor, IncidentChange, StoreHead
from kb.store.people import People
from kb.store.redirects import Redirects
from kb.store.reviews import Reviews
from kb.store.scrubbing import Scrubbed, Scrubbing
from kb.store.sessions import Sessions
from kb.store.sightings import Sightings
from kb.store.tallies import Tallies
from kb.store.upgrade import upgrade


class Store:
    """Safe to use from any number of threads and processes; after a fork, open it again.

    Every method is one transaction: when it returns, what it did is on disk; when it raises, nothing was done. `StoreError` (and what
    is made of it) says why; `Unavailable` alone is worth trying again.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._changes = Changes(database)
        self.audit = Audit(database)
        self.incidents = Incidents(database, self.audit)
        self.sightings = Sightings(database, self.audit)
        self.redirects = Redirects(database, self.audit, self.sightings)
        self.reviews = Reviews(database, self.audit)
        self.feedback = FeedbackStore(database, self.audit, self.sightings)
        self.keys = Keys(database, self.audit)
        self.people = People(database)
        self.sessions = Sessions(database, self.audit, self.people)
        self.messages = Messages(database, self.audit)
        self.links = Links(database, self.audit)
        self.drafts = Drafts(database)
        self.tallies = Tallies(database)

    @classmethod
    def open(cls, place: str | Path, wait: float = WAIT) -> Self:
        """The store in a file of SQLite or behind a URL; made when there is none, brought up when older code made it. ``wait``: seconds that it waits for a lock, or for a server to answer.

        StoreError when newer code has written it or it is no store, Unavailable when the database does not answer.
        """
        url = address(place)
        if url.get_backend_name() == "sqlite":
            _make_room(Path(str(url.database)))
        database = Database(url, wait)
        try:
            upgrade(database)
            return cls(database)
        except BaseException:
            database.close()
            raise

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def name(self) -> str:
        """Where it is, without a password."""
        return self._database.name

    @property
    def is_full(self) -> bool:
        """Whether the last change found no room on the disk."""
        return self._database.is_full

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """What this thread does inside is one transaction: all of it, or nothing when something is raised. Keep it short."""
        with self._database.writing():
            yield

    def head(self) -> StoreHead:
        """Where it is. Cheap: every worker asks several times a second."""
        return self._changes.head()

    def changes(self, after: int, limit: int = 1000) -> list[IncidentChange]:
        """What became, in search, of the incidents that changed after that number: of each the last, in order of numbers.

        Fewer than ``limit``: there is nothing more up to a `head` that was asked for before.
        """
        return self._changes.after(after, limit)

    def decided(self) -> Sequence[str]:
        """The ids that the store decides about, searched or not: an article with one of them has no say."""
        return self._changes.decided()

    def published(self) -> Sequence[str]:
        """The ids of those that are to be searched."""
        return self._changes.published()

    def origin(self) -> StoreHead | None:
        """Of a store that came back from a backup: what it was copied from, and how far that was. None of any other."""
        return self._changes.origin()

    def scrub(self, secrets: Sequence[str] = (), *, actor: Actor, dry: bool = False) -> Scrubbed:
        """Take out of all that is stored what the rules in force hide, and the ``secrets``. Refused when one of these is too short.

        Not one transaction but many: killed in the middle of it, it is to be called again. ``dry`` only counts.
        """
        return Scrubbing(self._database, self.audit, secrets, actor).go(dry=dry)

    def listing(self, wanted: Wanted | None = None, *, after: str | None = None, limit: int = 50) -> IncidentPage:
        """A page of incidents; the next one begins behind its ``after``."""
        return page(self._database, wanted or Wanted(), after, limit)

    def unpublished(self, limit: int) -> list[tuple[str, str]]:
        """Id and record (JSON) of the incidents whose last words are not published, at most the newest ``limit``; the newest at the end."""
        return unpublished(self._database, limit)


def _make_room(file: Path) -> None:
    """Folder and file, for their owner alone: SQLite gives what it writes beside the file the modes of that."""
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        cure = "use a folder you may write to"
        raise StoreError(f"{file.parent} cannot be made: {error.strerror}", cure=cure) from error
    try:
        file.touch(mode=0o600)
        if file.stat().st_mode & 0o077:
            _close(file)
    except OSError as error:
        raise StoreError(f"the store {file} cannot be written to: {error.strerror}", cure=MAKE_WRITABLE) from error


def _close(file: Path) -> None:
    """Close it and what SQLite has beside it to others; what is somebody else's stays as they have it."""
    with suppress(PermissionError):
        for one in (file, *file.parent.glob(f"{file.name}?*")):
            one.chmod(0o600)
