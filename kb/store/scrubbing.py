"""Secrets that were stored are taken out: the one thing that changes what was written.

What is stored went through the rules of its day. After a leak, or under new rules of the house, every text is read again: of a revision
the record and the note, and beside that remarks, feedback, merges, names of keys, questions of chats. Numbers, authors and times stay; the
log says which revisions were changed and by whom, never what stood there. Pages of rows are read outside of a transaction, and written in
one of their own, so that others write meanwhile.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from kb.incident import Incident
from kb.record import scrub, stored, to_record
from kb.redact import PLACEHOLDER, redact
from kb.store import schema
from kb.store.audit import Audit
from kb.store.database import Database
from kb.store.errors import Refused
from kb.store.listing import sought
from kb.store.model import Actor

LEAST = 6
"""Characters of a secret that is named: a shorter one would take words out of every text."""
_TOGETHER = 50  # rows
_UNREADABLE = (ValueError, KeyError, TypeError, AttributeError)
"""What a record that no code of ours wrote comes to."""
_REVISIONS, _INCIDENTS = schema.revisions, schema.incidents
_TEXTS: Mapping[sa.Table, tuple[str, ...]] = {
    schema.comments: ("text",),
    schema.feedback: ("text",),
    schema.redirects: ("traces",),
    schema.keys: ("name",),
    schema.people: ("name",),
    schema.messages: ("asked", "answer", "why"),
    schema.links: ("text",),
    schema.drafts: ("title", "text", "note"),
    schema.questions: ("type", "template", "text"),
}
"""What people wrote beside revisions."""


@dataclass(frozen=True, slots=True)
class Scrubbed:
    """What was changed, or would be."""

    rows: Mapping[str, int]
    """How many, by table."""
    incidents: tuple[str, ...]
    """Whose revisions were among them."""
    is_gone: bool = True
    """Whether nothing of it is left in the files of SQLite; False while somebody read them, and of PostgreSQL, which has its own ways."""


@dataclass(frozen=True, slots=True)
class _Changed:
    incident_id: str
    number: int
    record: str
    note: str


class Scrubbing:
    """One round over a store."""

    def __init__(self, database: Database, audit: Audit, secrets: Sequence[str], actor: Actor) -> None:
        if short := [one for one in secrets if len(one) < LEAST]:
            raise Refused(f"{len(short)} of the secrets have fewer than {LEAST} characters", cure="leave them out")
        self._database, self._audit, self._actor = database, audit, actor
        self._secrets = sorted(secrets, key=len, reverse=True)

    def go(self, *, dry: bool) -> Scrubbed:
        """Take out what the rules in force hide, and the secrets that were named. ``dry``: only count."""
        rows = {table.name: self._texts(table, columns, dry=dry) for table, columns in _TEXTS.items()}
        names: dict[str, None] = {}
        rows[_REVISIONS.name] = 0
        for page in self._pages():
            changed = [one for row in page if (one := self._revision(row)) is not None]
            rows[_REVISIONS.name] += len(changed)
            names |= dict.fromkeys(one.incident_id for one in changed)
            if changed and not dry:
                self._write(changed)
        found = {name: count for name, count in rows.items() if count}
        if dry or not found:
            return Scrubbed(found, tuple(names))
        with self._database.writing():
            self._audit.note(self._database.next_number(), self._actor, "store.scrub", "store", found)
        return Scrubbed(found, tuple(names), self._is_gone())

    def _pages(self) -> Iterator[Sequence[sa.RowMapping]]:
        last: tuple[str, int] = ("", 0)
        key = sa.tuple_(_REVISIONS.c.incident_id, _REVISIONS.c.number)
        while True:
            query = sa.select(_REVISIONS).where(key > sa.tuple_(*map(sa.literal, last))).order_by(*key.clauses)
            with self._database.reading() as connection:
                page = connection.execute(query.limit(_TOGETHER)).mappings().all()
            if not page:
                return
            yield page
            last = page[-1]["incident_id"], page[-1]["number"]

    def _revision(self, row: sa.RowMapping) -> _Changed | None:
        text, note = self._record(row["record"]), self._text(row["note"])
        if text is None and note == row["note"]:
            return None
        return _Changed(row["incident_id"], row["number"], row["record"] if text is None else text, note)

    def _record(self, text: str) -> str | None:
        """What a record is to be; None where it stays."""
        try:
            before = json.loads(text)
            scrubbed = _walked(before, self._named) | {"id": before["id"]}  # addresses lead there: an id never changes
            after = to_record(scrub(stored(scrubbed))) | {"id": before["id"]}
        except _UNREADABLE:
            cleaned = self._maybe_json(text)
            return None if cleaned == text else cleaned
        if after == before:
            return None
        return schema.storable(json.dumps(after, ensure_ascii=False, separators=(",", ":")))

    def _write(self, changed: Sequence[_Changed]) -> None:
        with self._database.writing() as connection:
            _overwrite(connection)
            with _thawed(connection):
                for one in changed:
                    own = (_REVISIONS.c.incident_id == one.incident_id, _REVISIONS.c.number == one.number)
                    values = {"record": one.record, "note": one.note}
                    connection.execute(sa.update(_REVISIONS).where(*own).values(**values))
            for name in dict.fromkeys(one.incident_id for one in changed):
                self._update_listing(connection, name, [one for one in changed if one.incident_id == name])

    def _update_listing(self, connection: sa.Connection, name: str, changed: Sequence[_Changed]) -> None:
        """What a list shows of the incident; and who follows it takes it again, where it is searched."""
        own = _INCIDENTS.c.id == name
        last, live = connection.execute(sa.select(_INCIDENTS.c.revision, _INCIDENTS.c.live_revision).where(own)).one()
        number = self._database.next_number()
        for one in changed:
            values: dict[str, object] = {}
            if one.number == last and (shown := _shown(one.record)) is not None:
                values = {"title": shown.title, "component": shown.component, "sought": sought(shown)}
            if one.number == live:
                values["live_sequence"] = number
            if values:
                connection.execute(sa.update(_INCIDENTS).where(own).values(**values))
        numbers = [str(one.number) for one in changed]
        self._audit.note(number, self._actor, "incident.scrub", f"incident:{name}", {"revisions": numbers})

    def _texts(self, table: sa.Table, columns: Sequence[str], *, dry: bool) -> int:
        key = next(iter(table.primary_key.columns))
        with self._database.reading() as connection:
            rows = connection.execute(sa.select(key, *(table.c[name] for name in columns))).mappings().all()
        count = 0
        for row in rows:
            texts = {name: self._maybe_json(row[name]) for name in columns if row[name] is not None}
            if changed := {name: text for name, text in texts.items() if text != row[name]}:
                count += 1
                if not dry:
                    with self._database.writing() as connection:
                        _overwrite(connection)
                        connection.execute(sa.update(table).where(key == row[key.name]).values(**changed))
        return count

    def _maybe_json(self, text: str) -> str:
        """A text, or what some tables keep as JSON."""
        try:
            value = json.loads(text)
        except ValueError:
            return self._text(text)
        cleaned = _walked(value, self._text)
        return text if cleaned == value else json.dumps(cleaned, ensure_ascii=False)

    def _text(self, text: str) -> str:
        return redact(self._named(text)).text

    def _named(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, PLACEHOLDER)
        return text

    def _is_gone(self) -> bool:
        """Whether SQLite's log was written back and emptied: what was overwritten stands in it until then."""
        if self._database.url.get_backend_name() != "sqlite":
            return False
        with self._database.engine.connect() as connection:
            raw: Any = connection.connection.driver_connection
            busy, *_ = raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return not busy


def _shown(record: str) -> Incident | None:
    try:
        return stored(json.loads(record))
    except _UNREADABLE:
        return None


def _walked(value: Any, clean: Callable[[str], str]) -> Any:
    """A value of JSON with every text in it cleaned."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_walked(one, clean) for one in value]
    if isinstance(value, dict):
        return {clean(name): _walked(one, clean) for name, one in value.items()}
    return value


def _overwrite(connection: sa.Connection) -> None:
    """SQLite writes zeros where something was taken away."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("PRAGMA secure_delete = ON")


@contextmanager
def _thawed(connection: sa.Connection) -> Iterator[None]:
    """Revisions can be changed, in this transaction alone."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("ALTER TABLE revisions DISABLE TRIGGER frozen_revisions")
        yield
        connection.exec_driver_sql("ALTER TABLE revisions ENABLE TRIGGER frozen_revisions")
        return
    query = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'revisions'"
    triggers = connection.exec_driver_sql(query).all()
    for name, _ in triggers:
        connection.exec_driver_sql(f'DROP TRIGGER "{name}"')
    yield
    for _, sql in triggers:
        connection.exec_driver_sql(sql)
