"""Messages of chats as a queue on disk: what was acknowledged is answered, by one worker, however often it was delivered.

A message is queued once, under the platform's own name of it. Whoever works on it holds it for a while; when that ends (the worker is gone) another
may. Nothing here is a change of the store: nobody follows it, and taking one waits for no curator.
"""

import json
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from kb.store import schema
from kb.store.audit import Audit
from kb.store.database import MOST_SKEW, Database
from kb.store.errors import Missing
from kb.store.model import Actor, ChatMessage, MessageState

_TABLE = schema.messages
_OPEN = (MessageState.WAITING.value, MessageState.HELD.value)
NEWS = "news"
"""In the place of a platform: what was reported, and when."""
_BRIEF = 300  # characters of a reason


class Messages:
    """The queue. Times are given by whoever calls, in UTC: those of several machines must agree to within a few seconds."""

    def __init__(self, database: Database, audit: Audit) -> None:
        self._database = database
        self._audit = audit

    @contextmanager
    def together(self) -> Iterator[None]:
        """What is queued and marked inside is on disk afterwards, all of it, or nothing when something was raised."""
        with self._database.aside():
            yield

    def take(
        self, platform: str, message_id: str, kind: str, question: Mapping[str, Any], now: datetime, *, hold: float = 0
    ) -> ChatMessage | None:
        """Queue a question, secrets out of it already; None when it was queued before, by any worker.

        With ``hold`` the caller works on it itself for so many seconds.
        """
        row = {
            "ref": secrets.token_hex(16),
            "platform": platform,
            "message_id": message_id,
            "kind": kind,
            "state": (MessageState.HELD if hold else MessageState.WAITING).value,
            "begun": False,
            "asked": _dumped(question),
            "tries": 1 if hold else 0,
            "holder": secrets.token_hex(8) if hold else None,
            "due_at": now + timedelta(seconds=hold),
            "received_at": now,
            "updated_at": now,
        }
        with self._database.aside() as connection:
            insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
            made = insert(_TABLE).values(**row).on_conflict_do_nothing(index_elements=["platform", "message_id"])
            found = connection.execute(made.returning(_TABLE)).mappings().first()
        return None if found is None else _message(found)

    def is_news(self, name: str, ref: str, now: datetime, since: datetime) -> bool:
        """Note that the message ``ref`` reports ``name``, in one step for all workers; False when another message did so since then."""
        row = _noted(NEWS, name, {"by": ref}, now)
        with self._database.aside() as connection:
            insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
            noted = insert(_TABLE).values(**row)
            is_free = sa.or_(_TABLE.c.received_at < since, _TABLE.c["asked"] == row["asked"])
            noted = noted.on_conflict_do_update(
                index_elements=["platform", "message_id"],
                set_={"received_at": now, "asked": row["asked"]},
                where=is_free,
            )
            return connection.execute(noted.returning(_TABLE.c.ref)).first() is not None

    def mark(self, platform: str, name: str, now: datetime, since: datetime) -> bool:
        """Note ``name``, in one step for all workers; False when it was noted since then. Older ones of the platform are forgotten."""
        old = sa.delete(_TABLE).where(_TABLE.c.platform == platform, _TABLE.c.received_at < since)
        with self._database.aside() as connection:
            connection.execute(old)
            insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
            noted = insert(_TABLE).values(**_noted(platform, name, {}, now))
            noted = noted.on_conflict_do_nothing(index_elements=["platform", "message_id"])
            return connection.execute(noted.returning(_TABLE.c.ref)).first() is not None

    def is_marked(self, platform: str, name: str, since: datetime) -> bool:
        """Whether a worker has noted ``name`` since then."""
        is_it = (_TABLE.c.platform == platform, _TABLE.c.message_id == name, _TABLE.c.received_at >= since)
        with self._database.reading() as connection:
            return connection.execute(sa.select(_TABLE.c.ref).where(*is_it)).first() is not None

    def is_due(self, now: datetime) -> bool:
        """Whether there is anything to claim: one look into an index, and no lock."""
        query = sa.select(_TABLE.c.ref).where(*_due(now)).limit(1)
        with self._database.reading() as connection:
            return connection.execute(query).first() is not None

    def claim(self, now: datetime, hold: float, limit: int) -> list[ChatMessage]:
        """Up to ``limit`` messages that wait, or whose hold has ended, the oldest first; each is held for so many seconds by the caller alone."""
        found = sa.select(_TABLE.c.ref).where(*_due(now)).order_by(_TABLE.c.due_at).limit(limit)
        values = {
            "state": MessageState.HELD.value,
            "tries": _TABLE.c.tries + 1,
            "holder": secrets.token_hex(8),
            "due_at": now + timedelta(seconds=hold),
            "updated_at": now,
        }
        with self._database.aside() as connection:
            if connection.dialect.name == "postgresql":
                found = found.with_for_update(skip_locked=True)
            claimed = sa.update(_TABLE).where(_TABLE.c.ref.in_(found)).values(**values).returning(_TABLE)
            rows = [_message(row) for row in connection.execute(claimed).mappings()]
        return sorted(rows, key=lambda one: one.received_at)

    def begin(
        self, held: ChatMessage, now: datetime, hold: float, *, answer: Mapping[str, Any], question: Mapping[str, Any]
    ) -> bool:
        """Note what the answer is, and that it is on its way from now on; False when the caller does not hold it any more."""
        values = {"begun": True, "answer": _dumped(answer), "asked": _dumped(question)}
        return self._set(held, now, **values, due_at=now + timedelta(seconds=hold))

    def later(self, held: ChatMessage, now: datetime, at: datetime, why: str, *, begun: bool = False) -> bool:
        """Try again at that time; nothing has left unless ``begun``. False when the caller does not hold it any more."""
        waiting = MessageState.WAITING.value
        return self._set(held, now, state=waiting, begun=begun, holder=None, due_at=at, why=why[:_BRIEF])

    def dead(self, held: ChatMessage, now: datetime, why: str) -> bool:
        """Give it up. False when the caller does not hold it any more."""
        return self._set(held, now, state=MessageState.DEAD.value, holder=None, why=why[:_BRIEF])

    def done(self, ref: str, now: datetime, *, question: Mapping[str, Any]) -> None:
        """Mark it as answered, whoever holds it now; ``question`` is what is kept of its question."""
        values = {"state": MessageState.DONE.value, "holder": None, "why": None, "asked": _dumped(question)}
        with self._database.aside() as connection:
            connection.execute(sa.update(_TABLE).where(_TABLE.c.ref == ref).values(**values, updated_at=now))

    def get(self, ref: str) -> ChatMessage:
        """The message of that name. Missing when there is none, or when it was forgotten."""
        with self._database.reading() as connection:
            row = connection.execute(sa.select(_TABLE).where(_TABLE.c.ref == ref)).mappings().first()
        if row is None:
            raise Missing("there is no such message any more", cure="ask again in the chat")
        return _message(row)

    def listing(self, state: MessageState = MessageState.DEAD, *, limit: int = 100) -> list[ChatMessage]:
        """Messages in a state, those that came first first."""
        query = sa.select(_TABLE).where(_TABLE.c.state == state.value).order_by(_TABLE.c.received_at, _TABLE.c.ref)
        with self._database.reading() as connection:
            return [_message(row) for row in connection.execute(query.limit(limit)).mappings()]

    def counts(self) -> dict[tuple[str, MessageState], int]:
        """How many there are of each platform and state."""
        query = sa.select(_TABLE.c.platform, _TABLE.c.state, sa.func.count()).group_by(
            _TABLE.c.platform, _TABLE.c.state
        )
        with self._database.reading() as connection:
            return {(platform, MessageState(state)): count for platform, state, count in connection.execute(query)}

    def again(self, ref: str, now: datetime, *, actor: Actor) -> ChatMessage:
        """Have a dead one tried again, as often as a new one. Missing when there is no dead one of that name."""
        values = {"state": MessageState.WAITING.value, "begun": False, "tries": 0, "due_at": now}
        return self._settle(ref, now, actor, "chat.again", values)

    def drop(self, ref: str, now: datetime, *, actor: Actor) -> ChatMessage:
        """Have a dead one never tried again; its question is deleted. Missing when there is no dead one of that name."""
        values = {"state": MessageState.DROPPED.value, "asked": None, "answer": None}
        return self._settle(ref, now, actor, "chat.drop", values)

    def forget(self, before: datetime) -> int:
        """Remove what came before a time; how many. To be a day ago at least: until then platforms deliver again."""
        with self._database.aside() as connection:
            return connection.execute(sa.delete(_TABLE).where(_TABLE.c.received_at < before)).rowcount

    def _set(self, held: ChatMessage, now: datetime, **values: Any) -> bool:
        """Write into a message that the caller holds."""
        is_held = (_TABLE.c.ref == held.ref, _TABLE.c.holder == held.holder)
        with self._database.aside() as connection:
            written = sa.update(_TABLE).where(*is_held).values(**values, updated_at=now)
            return connection.execute(written).rowcount == 1

    def _settle(self, ref: str, now: datetime, actor: Actor, action: str, values: Mapping[str, Any]) -> ChatMessage:
        with self._database.writing() as connection:
            is_dead = (_TABLE.c.ref == ref, _TABLE.c.state == MessageState.DEAD.value)
            settled = sa.update(_TABLE).where(*is_dead).values(**values, updated_at=now).returning(_TABLE)
            row = connection.execute(settled).mappings().first()
            if row is None:
                raise Missing(f"no dead letter is called {ref[:40]!r}", cure="`kb chat dead` lists them")
            number = self._database.next_number()
            self._audit.note(number, actor, action, f"chat:{row['platform']}", {"message": row["message_id"]})
        return _message(row)


def _noted(platform: str, name: str, content: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """A row that nobody works on."""
    return {
        "ref": secrets.token_hex(16),
        "platform": platform,
        "message_id": name,
        "kind": platform,
        "state": MessageState.DONE.value,
        "begun": False,
        "asked": _dumped(content),
        "tries": 0,
        "due_at": now,
        "received_at": now,
        "updated_at": now,
    }


def _due(now: datetime) -> tuple[sa.ColumnElement[bool], ...]:
    # what a clock wrote that was hours ahead and was set right is due now, not when that hour comes
    is_ahead = _TABLE.c.updated_at > now + MOST_SKEW
    return _TABLE.c.state.in_(_OPEN), sa.or_(_TABLE.c.due_at <= now, is_ahead)


def _dumped(value: Mapping[str, Any]) -> str:
    return json.dumps(dict(value), ensure_ascii=False)


def _message(row: sa.RowMapping) -> ChatMessage:
    return ChatMessage(
        ref=row["ref"],
        platform=row["platform"],
        message_id=row["message_id"],
        kind=row["kind"],
        state=MessageState(row["state"]),
        begun=row["begun"],
        question=json.loads(row["asked"] or "{}"),
        answer=None if row["answer"] is None else json.loads(row["answer"]),
        tries=row["tries"],
        why=row["why"],
        holder=row["holder"],
        due_at=row["due_at"],
        received_at=row["received_at"],
    )
