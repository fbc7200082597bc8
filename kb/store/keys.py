"""API keys. A secret is 256 random bits and is shown once; the store keeps its SHA-256, and there is nothing to guess."""

import hashlib
import json
import secrets
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa

from kb.redact import redact
from kb.store import schema
from kb.store.audit import Audit
from kb.store.database import Database
from kb.store.errors import Missing, Refused, StoreError
from kb.store.model import Actor, Key, Role

_COARSE = timedelta(hours=1)
_MOMENT = 0.05
"""Seconds that a note of a use waits for whoever writes."""
_TABLE = schema.keys


class Keys:
    """Who may come in, and as what."""

    def __init__(self, database: Database, audit: Audit) -> None:
        self._database = database
        self._audit = audit

    def create(
        self, name: str, role: Role, *, actor: Actor, scopes: Sequence[str] = (), expires_at: datetime | None = None
    ) -> tuple[Key, str]:
        """A new key, and its secret, which is nowhere else."""
        now = datetime.now(UTC)
        if expires_at is not None and expires_at <= now:
            raise Refused("the key would have expired before it exists", cure="give a time to come")
        secret = f"kb_{secrets.token_hex(32)}"
        key = Key(secrets.token_hex(6), redact(name).text, role, tuple(scopes), now, expires_at, None, None)
        row = {
            "id": key.id,
            "digest": digest(secret),
            "name": key.name,
            "role": role.value,
            "scopes": json.dumps(list(scopes)),
            "created_at": now,
            "expires_at": expires_at,
        }
        with self._database.writing() as connection:
            number = self._database.next_number()
            connection.execute(sa.insert(_TABLE).values(**row))
            self._audit.note(number, actor, "key.create", f"key:{key.id}", {"role": role.value, "scopes": list(scopes)})
        return key, secret

    def find(self, secret: str) -> Key | None:
        """The key with that secret; None when there is none, or when it has expired or was revoked. Notes that it was used."""
        now = datetime.now(UTC)
        key = self.whatever(secret)
        if key is None or not is_in_force(key, now):
            return None
        if key.last_used is None or now - key.last_used >= _COARSE:
            self._used(key, now.replace(minute=0, second=0, microsecond=0))
        return key

    def _used(self, key: Key, hour: datetime) -> None:
        """Only a note: a store that cannot be written to now still says who may read, and who reads does not wait for it."""
        with suppress(StoreError), self._database.writing(wait=_MOMENT) as connection:
            connection.execute(sa.update(_TABLE).where(_TABLE.c.id == key.id).values(last_used=hour))

    def whatever(self, secret: str) -> Key | None:
        """The key with that secret, also when it opens nothing any more: who holds it may know what became of it."""
        with self._database.reading() as connection:
            row = connection.execute(sa.select(_TABLE).where(_TABLE.c.digest == digest(secret))).mappings().first()
        return None if row is None else key_of(row)

    def first(self, name: str, *, actor: Actor) -> tuple[Key, str] | None:
        """A key that may everything, where there has never been one; None where there is one. Of several who ask at once, one gets it."""
        if self.listing():
            return None
        with self._database.writing():
            return None if self.listing() else self.create(name, Role.ADMIN, actor=actor)

    def get(self, key_id: str) -> Key:
        """The key with that id, whatever became of it. Missing when there is none."""
        with self._database.reading() as connection:
            row = connection.execute(sa.select(_TABLE).where(_TABLE.c.id == key_id)).mappings().first()
        if row is None:
            raise Missing(f"there is no key {key_id!r}", cure="`kb keys list` shows them all")
        return key_of(row)

    def listing(self) -> list[Key]:
        """All keys, also those that no longer open anything, oldest first."""
        with self._database.reading() as connection:
            rows = connection.execute(sa.select(_TABLE).order_by(_TABLE.c.created_at, _TABLE.c.id)).mappings()
            return [key_of(row) for row in rows]

    def revoke(self, key_id: str, *, actor: Actor) -> Key:
        """From now on the key opens nothing; revoking it again changes nothing. Missing when there is none."""
        with self._database.writing() as connection:
            number = self._database.next_number()
            if self.get(key_id).revoked_at is None:
                values = {"revoked_at": datetime.now(UTC)}
                connection.execute(sa.update(_TABLE).where(_TABLE.c.id == key_id).values(**values))
                self._audit.note(number, actor, "key.revoke", f"key:{key_id}")
            return self.get(key_id)


def is_in_force(key: Key, now: datetime) -> bool:
    """Whether it opens anything."""
    return key.revoked_at is None and (key.expires_at is None or key.expires_at > now)


def digest(secret: str) -> str:
    """What is kept of a secret."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def key_of(row: sa.RowMapping) -> Key:
    """A row of the table."""
    times = (row["created_at"], row["expires_at"], row["revoked_at"], row["last_used"])
    return Key(row["id"], row["name"], Role(row["role"]), tuple(json.loads(row["scopes"])), *times)
