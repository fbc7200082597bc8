"""`Store`: one database, and the rooms of it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from kb.store.audit import Audit
from kb.store.changes import Changes
from kb.store.database import Database, address
from kb.store.errors import StoreError
from kb.store.feedback import Opinions
from kb.store.incidents import Incidents
from kb.store.keys import Keys
from kb.store.listing import Page, Wanted, page
from kb.store.messages import Messages
from kb.store.model import Actor, Change, Head
from kb.store.redirects import Redirects
from kb.store.reviews import Reviews
from kb.store.scrubbing import Scrubbed, Scrubbing
from kb.store.sessions import Sessions
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
        self.redirects = Redirects(database, self.audit)
        self.reviews = Reviews(database, self.audit)
        self.feedback = Opinions(database, self.audit)
        self.keys = Keys(database, self.audit)
        self.sessions = Sessions(database, self.audit)
        self.messages = Messages(database, self.audit)

    @classmethod
    def open(cls, place: str | Path) -> Self:
        """The store in a file of SQLite or behind a URL; made when there is none, brought up when older code made it.

        StoreError when newer code has written it or it is no store, Unavailable when the database does not answer.
        """
        url = address(place)
        if url.get_backend_name() == "sqlite":
            _make_room(Path(str(url.database)))
        database = Database(url)
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

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """What this thread does inside is one transaction: all of it, or nothing when something is raised. Keep it short."""
        with self._database.writing():
            yield

    def head(self) -> Head:
        """Where it is. Cheap: every worker asks several times a second."""
        return self._changes.head()

    def changes(self, after: int, limit: int = 1000) -> list[Change]:
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

    def origin(self) -> Head | None:
        """Of a store that came back from a backup: what it was copied from, and how far that was. None of any other."""
        return self._changes.origin()

    def scrub(self, secrets: Sequence[str] = (), *, actor: Actor, dry: bool = False) -> Scrubbed:
        """Take out of all that is stored what the rules in force hide, and the ``secrets``. Refused when one of these is too short.

        Not one transaction but many: killed in the middle of it, it is to be called again. ``dry`` only counts.
        """
        return Scrubbing(self._database, self.audit, secrets, actor).go(dry=dry)

    def listing(self, wanted: Wanted | None = None, *, after: str | None = None, limit: int = 50) -> Page:
        """A page of incidents; the next one begins behind its ``after``."""
        return page(self._database, wanted or Wanted(), after, limit)


def _make_room(file: Path) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"{file.parent} cannot be made: {error.strerror}", cure="use a folder you may write to"
        ) from error
