"""Pastes that somebody asked a link for: the text without its secrets, under an id that nobody guesses, until it expires or is deleted.

Nothing here is a change of the store: nobody follows it, and making a link waits for no curator. Only who deletes the link of another is
in the audit log.
"""

import secrets
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa

from kb.redact import redact
from kb.store import schema
from kb.store.audit import Audit
from kb.store.database import Database
from kb.store.errors import Missing, Refused
from kb.store.keys import digest
from kb.store.model import NOBODY, Actor, Role, SharedPaste

LONGEST = 100_000
"""Characters of a paste that is kept: what the page repeats in its box."""
MOST = 2_000
"""Links that are kept, 200 MB of text at the most; of more, the oldest give way."""
MOST_OF_ONE = 200
"""Links of one maker that are kept, so that a wave of links pushes out only its own."""
MOST_OF_NOBODY = 1_000
"""Links of all makers without a name that are kept."""
_TABLE = schema.links


class Links:
    """Shared pastes, made, found and deleted."""

    def __init__(self, database: Database, audit: Audit) -> None:
        self._database = database
        self._audit = audit

    def create(self, text: str, lasts: timedelta, *, actor: Actor) -> tuple[SharedPaste, str]:
        """Keep a paste for so long; return it with the secret by which its maker deletes it, which is nowhere else. Refused when it is too long."""
        text = redact(text).text
        if len(text) > LONGEST:
            raise Refused(f"the paste has more than {LONGEST:,} characters", cure="share the part around the error")
        now, secret = datetime.now(UTC), secrets.token_urlsafe(16)
        row = {
            "id": secrets.token_hex(16),
            "text": text,
            "secret": digest(secret),
            "by_id": actor.id,
            "by_name": actor.name,
            "created_at": now,
            "expires_at": now + lasts,
        }
        with self._database.aside() as connection:
            self._remove_expired(connection, now)
            connection.execute(sa.insert(_TABLE).values(**row))
            own = MOST_OF_NOBODY if actor.id == NOBODY.id else MOST_OF_ONE
            _prune(connection, own, _TABLE.c.by_id == actor.id)
            _prune(connection, MOST)
            kept = connection.execute(sa.select(_TABLE).where(_TABLE.c.id == row["id"])).mappings().one()
        return _paste(kept), secret

    def find(self, link_id: str) -> SharedPaste:
        """Return the paste behind a link. Missing when there is none, or it has expired."""
        query = sa.select(_TABLE).where(_TABLE.c.id == link_id, _TABLE.c.expires_at > datetime.now(UTC))
        with self._database.reading() as connection:
            row = connection.execute(query).mappings().first()
        if row is None:
            raise _gone()
        return _paste(row)

    def may_delete(self, paste: SharedPaste, actor: Actor, secret: str = "") -> bool:
        """Return whether somebody may delete a link: its maker, by name or by the secret, and curators."""
        is_maker = actor.id not in {NOBODY.id, ""} and actor.id == paste.by.id
        is_held = secrets.compare_digest(digest(secret).encode(), paste.secret.encode())
        return is_maker or is_held or actor.role.covers(Role.CURATOR)

    def delete(self, link_id: str, *, actor: Actor, secret: str = "") -> None:
        """Delete a link. Missing when there is none; Refused when it is another's."""
        paste = self.find(link_id)
        if not self.may_delete(paste, actor, secret):
            raise Refused("the link is another's", cure="ask whoever made it, or a curator")
        own = sa.delete(_TABLE).where(_TABLE.c.id == link_id)
        if actor.id in {NOBODY.id, paste.by.id}:
            with self._database.aside() as connection:
                connection.execute(own)
            return
        with self._database.writing() as connection:
            connection.execute(own)
            number = self._database.next_number()
            self._audit.note(number, actor, "link.delete", f"link:{paste.secret[:12]}", {"of": paste.by.id})

    def forget(self) -> int:
        """Delete what has expired; return how many there were."""
        with self._database.aside() as connection:
            return self._remove_expired(connection, datetime.now(UTC))

    @staticmethod
    def _remove_expired(connection: sa.Connection, now: datetime) -> int:
        return connection.execute(sa.delete(_TABLE).where(_TABLE.c.expires_at <= now)).rowcount


def _prune(connection: sa.Connection, most: int, *of: sa.ColumnElement[bool]) -> None:
    """Delete the oldest that are too many."""
    oldest = sa.select(_TABLE.c.id).where(*of).order_by(_TABLE.c.created_at.desc(), _TABLE.c.id).offset(most)
    gone = connection.execute(oldest.limit(most)).scalars().all()
    connection.execute(sa.delete(_TABLE).where(_TABLE.c.id.in_(gone)))


def _gone() -> Missing:
    return Missing("this link has expired, was deleted, or never was", cure="paste the text again")


def _paste(row: sa.RowMapping) -> SharedPaste:
    return SharedPaste(
        row["id"], row["text"], row["secret"], schema.author(row, "by"), row["created_at"], row["expires_at"]
    )
