"""All of a store as lines of JSON, whichever database it is in: for a backup, and to move from one database to the other."""

import json
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from kb.store import schema
from kb.store.database import WAIT, address, single, store_error
from kb.store.errors import Refused, StoreError
from kb.store.model import Actor
from kb.store.upgrade import LOCK, alone, migrate, set_up, version_of

_TOGETHER = 1000  # rows
_LAST = 1 << 60
"""No store counts as far, and both databases have room behind it."""
_BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)
"""The first revision after a restore has the number of minutes since: no incident has had as many, and no two restores have the same."""


@dataclass(frozen=True, slots=True)
class Dumped:
    """What a dump holds."""

    version: str
    """The migration that the store was at."""
    head: int
    """The number of its last change."""
    rows: Mapping[str, int]
    """How many rows, by table."""


def dump(place: str | Path, folder: Path) -> Dumped | None:
    """Write each table to ``<folder>/<table>.jsonl``, all as they stand at one moment; writers are not held up.

    The first line of a file names the columns. None where there is no store.
    """
    url = address(place)
    if url.get_backend_name() == "sqlite" and not Path(str(url.database)).exists():
        return None
    engine = single(url)
    try:
        if engine.dialect.name == "postgresql":
            engine = engine.execution_options(isolation_level="REPEATABLE READ")
        with engine.begin() as connection:
            version = version_of(connection)
            if version is None:
                return None
            head = int(connection.execute(sa.select(schema.sequence.c.value)).scalar_one())
            rows = {table.name: _write(connection, table, folder) for table in _tables(connection)}
    except DBAPIError as error:
        raise store_error(error, url.render_as_string()) from error
    finally:
        engine.dispose()
    return Dumped(version, head, rows)


@dataclass(frozen=True, slots=True)
class Loaded:
    """What became of the store that was there before."""

    revoked: int | None
    """How many keys of the dump are revoked as they were there; None when there was none, so that nothing is known of them."""


def load(
    place: str | Path, folder: Path, dumped: Dumped, *, actor: Actor, overwrite: bool = False, store_id: str = ""
) -> Loaded:
    """Make a store out of a dump, as one transaction, and bring it up to this version.

    Its count of changes gets another name (``store_id``, or one that nobody has had), so that whoever followed the one before begins anew; new revisions get numbers that
    were never given out; sessions are over; keys that were revoked in the store that was there stay so. Refused when there is a store
    with anything in it, unless ``overwrite``; StoreError when newer code made the dump, or its rows are not what ``dumped`` says.
    """
    url = address(place)
    if url.get_backend_name() == "sqlite":
        Path(str(url.database)).parent.mkdir(parents=True, exist_ok=True)
    engine = single(url)
    name = url.render_as_string()
    try:
        with alone(url), engine.connect() as connection:
            set_up(connection)
            with connection.execution_options(kb_writes=WAIT).begin():
                if connection.dialect.name == "postgresql":
                    connection.execute(sa.select(sa.func.pg_advisory_xact_lock(LOCK)))
                before = _make_room(connection, name, overwrite=overwrite)
                migrate(connection, name, dumped.version)
                for table in _tables(connection):
                    _read(connection, table, folder, dumped.rows.get(table.name, 0))
                migrate(connection, name)
                _agree(connection, dumped)
                return _renewed(connection, before, actor, store_id or new_id())
    except DBAPIError as error:
        raise store_error(error, name) from error
    finally:
        engine.dispose()


def _tables(connection: sa.Connection) -> list[sa.Table]:
    """The store's tables as the database has them, those that are referred to first."""
    found = sa.MetaData()
    there = set(sa.inspect(connection).get_table_names())
    found.reflect(connection, only=sorted(there & set(schema.metadata.tables)))
    return found.sorted_tables


def _write(connection: sa.Connection, table: sa.Table, folder: Path) -> int:
    count = 0
    query = sa.select(table).order_by(*table.primary_key.columns)
    with (folder / f"{table.name}.jsonl").open("w", encoding="utf-8") as file:
        file.write(json.dumps([column.name for column in table.columns]) + "\n")
        for row in connection.execution_options(yield_per=_TOGETHER).execute(query):
            file.write(json.dumps(list(row), ensure_ascii=False) + "\n")
            count += 1
    return count


def _read(connection: sa.Connection, table: sa.Table, folder: Path, expected: int) -> None:
    count = 0
    for rows in _rows(folder / f"{table.name}.jsonl"):
        connection.execute(sa.insert(table), rows)
        count += len(rows)
    if count != expected:
        raise StoreError(f"{table.name} has {count} rows in the backup, not {expected}", cure="use another backup")
    if connection.dialect.name == "postgresql" and "number" in table.primary_key.columns:
        counter = connection.execute(sa.func.pg_get_serial_sequence(table.name, "number")).scalar()
        if counter:
            last = connection.execute(sa.select(sa.func.max(table.c.number))).scalar()
            connection.execute(sa.select(sa.func.setval(counter, last or 1, last is not None)))


def _rows(file: Path) -> Iterator[list[dict[str, Any]]]:
    if not file.exists():
        return
    with file.open(encoding="utf-8") as lines:
        columns = json.loads(next(lines))
        batch: list[dict[str, Any]] = []
        for line in lines:
            batch.append(dict(zip(columns, json.loads(line), strict=True)))
            if len(batch) == _TOGETHER:
                yield batch
                batch = []
        if batch:
            yield batch


@dataclass(frozen=True, slots=True)
class _Before:
    """What a store that is dropped leaves to the one that takes its place."""

    highest: int
    """The highest number of a revision."""
    revoked: Mapping[str, str]
    """When which key was revoked, as it is stored."""


def new_id() -> str:
    """A name for a store that no other has."""
    return secrets.token_hex(8)


def _agree(connection: sa.Connection, dumped: Dumped) -> None:
    """StoreError when the rows were counted otherwise than the dump says, or have numbers that are none."""
    counted = connection.execute(sa.select(schema.sequence.c.value)).scalars().all()
    highest = max((_most(connection, table) for table in (schema.revisions, schema.audit)), default=0)
    if counted != [dumped.head] or not 0 <= dumped.head <= _LAST or highest > dumped.head:
        problem = f"the backup's store counts up to {counted}, its rows up to {highest}, and it says {dumped.head}"
        raise StoreError(problem, cure="use another backup")


def _most(connection: sa.Connection, table: sa.Table) -> int:
    return int(connection.scalar(sa.select(sa.func.max(table.c.sequence))) or 0)


def _renewed(connection: sa.Connection, before: _Before | None, actor: Actor, store_id: str) -> Loaded:
    """What a store that came back must not take from its past."""
    head, former = connection.execute(sa.select(schema.sequence.c.value, schema.sequence.c.store_id)).one()
    highest = max(_highest(connection), before.highest if before else 0)
    minutes = int((datetime.now(UTC) - _BEGINNING).total_seconds()) // 60
    renewed = {"least_revision": max(highest + 1, minutes), "restored_from": former, "restored_upto": head}
    connection.execute(sa.update(schema.sequence).values(value=head + 1, store_id=store_id, **renewed))
    connection.execute(sa.delete(schema.sessions))
    again = sa.text("UPDATE keys SET revoked_at = :at WHERE id = :id AND revoked_at IS NULL")
    known = before.revoked if before else {}
    revoked = sum(connection.execute(again, {"id": key, "at": at}).rowcount for key, at in known.items())
    line = {
        "sequence": head + 1,
        "at": datetime.now(UTC),
        "actor_id": actor.id,
        "actor_name": actor.name,
        "role": actor.role.value,
        "action": "store.restore",
        "object": "store",
        "details": json.dumps({"keys_revoked_again": revoked, "upto": head}, sort_keys=True),
    }
    connection.execute(sa.insert(schema.audit).values(**line))
    return Loaded(revoked if before else None)


def _highest(connection: sa.Connection) -> int:
    return int(connection.scalar(sa.select(sa.func.max(schema.revisions.c.number))) or 0)


def _make_room(connection: sa.Connection, name: str, *, overwrite: bool) -> _Before | None:
    if version_of(connection) is None:
        return None
    head = connection.execute(sa.select(schema.sequence.c.value)).scalar()
    if head and not overwrite:
        cure = "restore into another place (KB_HOME, KB_DATABASE_URL), or say --overwrite: what is there is lost"
        raise Refused(f"the store {name} holds {head} changes", cure=cure)
    revoked = connection.execute(sa.text("SELECT id, revoked_at FROM keys WHERE revoked_at IS NOT NULL"))
    before = _Before(_highest(connection), {row.id: row.revoked_at for row in revoked})
    for table in reversed(_tables(connection)):
        table.drop(connection)
    connection.execute(sa.text(f"DROP TABLE {schema.VERSION_TABLE}"))
    if connection.dialect.name == "postgresql":
        for frozen in schema.APPEND_ONLY:
            connection.execute(sa.text(f"DROP FUNCTION IF EXISTS frozen_{frozen}()"))
    return before if head else None
