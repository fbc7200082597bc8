"""People who sign in at the provider of the house: the store's only list of them, for whoever looks for a reviewer."""

from datetime import UTC, datetime, timedelta

import sqlalchemy as sa

from kb.store import schema
from kb.store.database import Database
from kb.store.model import Actor, Person, Role

MOST = 1_000
"""People who are kept, those who signed in last; a list to choose from is of no use beyond that."""
_FORGOTTEN = timedelta(days=365)
"""After so long without a sign-in somebody is taken off the list: they have left, and their name need not stay."""
_TABLE = schema.people


class People:
    """Who signed in as a curator or more."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def signed_in(self, actor: Actor) -> None:
        """Keep somebody's name and role as of this sign-in; drop them when they are no curator any more."""
        now = datetime.now(UTC)
        newest = sa.select(_TABLE.c.id).order_by(_TABLE.c.seen_at.desc(), _TABLE.c.id).limit(MOST)
        with self._database.writing() as connection:
            is_gone = sa.or_(_TABLE.c.id == actor.id, _TABLE.c.seen_at < now - _FORGOTTEN)
            connection.execute(sa.delete(_TABLE).where(is_gone))
            if actor.role.covers(Role.CURATOR):
                row = {"id": actor.id, "name": actor.name, "role": actor.role.value, "seen_at": now}
                connection.execute(sa.insert(_TABLE).values(**row))
            connection.execute(sa.delete(_TABLE).where(_TABLE.c.id.not_in(newest)))

    def listing(self) -> list[Person]:
        """All of them, by id."""
        with self._database.reading() as connection:
            rows = connection.execute(sa.select(_TABLE).order_by(_TABLE.c.id)).mappings()
            return [Person(row["id"], row["name"], Role(row["role"])) for row in rows]
