"""Chat messages that were seen: platforms deliver one more than once, and it is answered once."""

from datetime import UTC, datetime

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from kb.store import schema
from kb.store.database import Database
from kb.store.model import MessageState

_TABLE = schema.messages


class Messages:
    """Which messages were seen, and how far they have come. Not audited, and no change of the store: nothing follows it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def first_time(self, platform: str, message_id: str) -> bool:
        """Whether nobody, in any worker, has seen the message before; from now on it was."""
        now = datetime.now(UTC)
        row = {"state": MessageState.SEEN.value, "tries": 1, "first_at": now, "updated_at": now}
        with self._database.writing() as connection:
            insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
            made = insert(_TABLE).values(platform=platform, message_id=message_id, **row)
            return connection.execute(made.on_conflict_do_nothing().returning(_TABLE.c.platform)).first() is not None

    def set_state(self, platform: str, message_id: str, state: MessageState) -> None:
        """Note how far a message has come; one that nobody saw is not noted."""
        with self._database.writing() as connection:
            connection.execute(
                sa.update(_TABLE)
                .where(*_is(platform, message_id))
                .values(state=state.value, updated_at=datetime.now(UTC))
            )

    def state(self, platform: str, message_id: str) -> tuple[MessageState, int] | None:
        """How far it has come, and how often it was tried; None when nobody saw it."""
        query = sa.select(_TABLE.c.state, _TABLE.c.tries).where(*_is(platform, message_id))
        with self._database.reading() as connection:
            row = connection.execute(query).first()
        return None if row is None else (MessageState(row[0]), row[1])

    def try_again(self, platform: str, message_id: str, *, most: int) -> bool:
        """Whether a message that failed is to be tried once more: one worker alone is told so, at most ``most`` times in all."""
        failed = (_TABLE.c.state == MessageState.FAILED.value, _TABLE.c.tries < most)
        values = {
            "state": MessageState.SEEN.value,
            "tries": _TABLE.c.tries + 1,
            "updated_at": datetime.now(UTC),
        }
        with self._database.writing() as connection:
            retried = sa.update(_TABLE).where(*_is(platform, message_id), *failed).values(**values)
            return connection.execute(retried).rowcount == 1

    def forget(self, before: datetime) -> int:
        """Drop what was first seen before a time; how many. No platform delivers a message again after a day."""
        with self._database.writing() as connection:
            return connection.execute(sa.delete(_TABLE).where(_TABLE.c.first_at < before)).rowcount


def _is(platform: str, message_id: str) -> tuple[sa.ColumnElement[bool], sa.ColumnElement[bool]]:
    return _TABLE.c.platform == platform, _TABLE.c.message_id == message_id
