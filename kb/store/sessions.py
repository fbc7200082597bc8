"""Logins of the page. A session is a row here and 256 random bits in a cookie, of which the store keeps the SHA-256.

So it ends everywhere at once, when it is ended or when the key that it was begun with is revoked, and nothing has to be signed.
"""

import secrets
from datetime import UTC, datetime

import sqlalchemy as sa

from kb.store import schema
from kb.store.audit import Audit
from kb.store.database import MOST_SKEW, Database
from kb.store.keys import digest, is_in_force, key_of
from kb.store.model import Actor, Key, Role, Session
from kb.store.people import People

_TABLE = schema.sessions


class Sessions:
    """Who is logged in."""

    def __init__(self, database: Database, audit: Audit, people: People) -> None:
        self._database = database
        self._audit = audit
        self._people = people

    def begin(self, actor: Actor, expires_at: datetime, *, key: Key | None = None) -> str:
        """A new session, by its secret, which is nowhere else. With a ``key`` it may what the key may, as long as that is in force."""
        now = datetime.now(UTC)
        secret = secrets.token_urlsafe(32)
        row = {
            "digest": digest(secret),
            "actor_id": actor.id,
            "actor_name": actor.name,
            "role": actor.role.value,
            "key_id": key.id if key else None,
            "created_at": now,
            "expires_at": expires_at,
        }
        with self._database.writing() as connection:
            number = self._database.next_number()
            is_over = sa.or_(_TABLE.c.expires_at <= now, _TABLE.c.created_at > now + MOST_SKEW)
            connection.execute(sa.delete(_TABLE).where(is_over))
            connection.execute(sa.insert(_TABLE).values(**row))
            self._audit.note(number, actor, "session.begin", _name(secret))
            if key is None:  # whoever has a key is listed by it
                self._people.signed_in(actor)
        return secret

    def find(self, secret: str) -> Session | None:
        """The session with that secret; None when there is none, when it is over, or when it begins hours from now: the clock was set back."""
        now = datetime.now(UTC)
        is_now = (_TABLE.c.expires_at > now, _TABLE.c.created_at <= now + MOST_SKEW)
        query = sa.select(_TABLE).where(_TABLE.c.digest == digest(secret), *is_now)
        with self._database.reading() as connection:
            row = connection.execute(query).mappings().first()
            if row is None:
                return None
            if row["key_id"] is None:
                return Session(Actor(row["actor_id"], row["actor_name"], Role(row["role"])), (), row["expires_at"])
            held = connection.execute(sa.select(schema.keys).where(schema.keys.c.id == row["key_id"])).mappings().one()
        key = key_of(held)
        return Session(key.actor, key.scopes, row["expires_at"]) if is_in_force(key, now) else None

    def end(self, secret: str) -> None:
        """From now on the secret opens nothing; of one that opened nothing, nothing becomes."""
        with self._database.writing() as connection:
            number = self._database.next_number()
            found = self.find(secret)
            connection.execute(sa.delete(_TABLE).where(_TABLE.c.digest == digest(secret)))
            if found is not None:
                self._audit.note(number, found.actor, "session.end", _name(secret))


def _name(secret: str) -> str:
    """By which the log tells one session from another; it opens nothing."""
    return f"session:{digest(secret)[:12]}"
