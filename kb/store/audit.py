"""The audit log: who did what to what, without any of the texts. Rows are only ever added (a trigger sees to it)."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime

import sqlalchemy as sa

from kb.store import schema
from kb.store.database import Database
from kb.store.model import Actor, Entry, Role

Detail = str | int | float | bool | None | list[str]


class Audit:
    """Reads the log. It is written by the other rooms, in the very transaction of what they do."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def note(
        self, number: int, actor: Actor, action: str, thing: str, details: Mapping[str, Detail] | None = None
    ) -> None:
        """Add a line, inside the transaction of the change that has this ``number``."""
        line = {
            "sequence": number,
            "at": datetime.now(UTC),
            "actor_id": actor.id,
            "actor_name": actor.name,
            "role": actor.role.value,
            "action": action,
            "object": thing,
            "details": json.dumps(details or {}, sort_keys=True),
        }
        with self._database.writing() as connection:
            connection.execute(sa.insert(schema.audit).values(**line))

    def refused(self, actor: Actor, door: str, details: Mapping[str, Detail]) -> None:
        """Add a line about what ``actor`` wanted to change and must not; it is a change of its own, of nothing but this log."""
        with self._database.writing():
            self.note(self._database.next_number(), actor, "refused", f"door:{door}", details)

    def listing(self, *, after: int = 0, limit: int = 100, of: str | None = None) -> list[Entry]:
        """The lines behind line ``after``, oldest first; of one object (``incident:<id>``) alone where it is named."""
        table = schema.audit
        query = sa.select(table).where(table.c.number > after).order_by(table.c.number).limit(limit)
        if of is not None:
            query = query.where(table.c.object == of)
        with self._database.reading() as connection:
            return [_entry(row) for row in connection.execute(query).mappings()]


def _entry(row: sa.RowMapping) -> Entry:
    actor = Actor(row["actor_id"], row["actor_name"], Role(row["role"]))
    columns = (row["number"], row["sequence"], row["at"], actor, row["action"], row["object"])
    return Entry(*columns, details=json.loads(row["details"]))
