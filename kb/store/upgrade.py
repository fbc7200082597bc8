"""A database brought up to what this code needs. Several may try at once; one does it."""

import fcntl
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from kb.store import schema
from kb.store.database import WAIT, Database, single, store_error
from kb.store.errors import StoreError

if TYPE_CHECKING:
    from alembic.config import Config
    from alembic.script import ScriptDirectory

_MIGRATIONS = Path(__file__).parent / "migrations"
LOCK = 0x6B62_7374
"""Of PostgreSQL's advisory lock, held while tables are made: any number that is ours."""


def upgrade(database: Database) -> None:
    """Make the tables, or bring them up. StoreError when newer code has written the store."""
    if _is_ready(database):
        return
    engine = single(database.url)
    try:
        with alone(database.url), engine.connect() as connection:
            set_up(connection)
            with connection.execution_options(kb_writes=WAIT).begin():
                if connection.dialect.name == "postgresql":
                    connection.execute(sa.select(sa.func.pg_advisory_xact_lock(LOCK)))
                migrate(connection, database.name)
                _number(connection)
    except DBAPIError as error:
        raise store_error(error, database.name) from error
    finally:
        engine.dispose()


def _is_ready(database: Database) -> bool:
    """Whether there is nothing to do: as at every opening but the first, and that of a copy made by other means."""
    with database.reading() as connection:
        if connection.dialect.name == "sqlite" and connection.exec_driver_sql("PRAGMA journal_mode").scalar() != "wal":
            return False
        return version_of(connection) == schema.VERSION


def version_of(connection: sa.Connection) -> str | None:
    """The migration that a database is at; None where there is no store in it."""
    if not sa.inspect(connection).has_table(schema.VERSION_TABLE):
        return None
    found: str | None = connection.execute(sa.text(f"SELECT version_num FROM {schema.VERSION_TABLE}")).scalar()  # noqa: S608
    return found


def migrate(connection: sa.Connection, name: str, version: str = "head") -> None:
    """Bring the tables up to a version, within the transaction that is open. StoreError when newer code has written them, or asks for one."""
    from alembic.runtime.environment import EnvironmentContext  # noqa: PLC0415 - a third of a second, and needed once in a store's life

    config, scripts = _scripts()
    found = version_of(connection)
    known = {"head", *(script.revision for script in scripts.walk_revisions())}
    if unknown := {found or version, version} - known:
        raise StoreError(
            f"the store {name} was written by a newer version of dejastack (its format is {min(unknown)}, this one's {schema.VERSION})",
            cure="update dejastack, or use the backup that was made before the update",
        )
    with EnvironmentContext(config, scripts, fn=lambda rev, _: scripts._upgrade_revs(version, rev)) as context:  # noqa: SLF001 - as alembic.command does
        context.configure(connection=connection, target_metadata=schema.metadata, version_table=schema.VERSION_TABLE)
        context.run_migrations()
    if connection.dialect.name == "sqlite" and (
        broken := connection.exec_driver_sql("PRAGMA foreign_key_check").first()
    ):
        raise StoreError(f"the store {name} does not hold together: {tuple(broken)}", cure="use the last backup")


def known_versions() -> frozenset[str]:
    """The versions that this code opens."""
    return frozenset(script.revision for script in _scripts()[1].walk_revisions())


def _scripts() -> "tuple[Config, ScriptDirectory]":
    from alembic.config import Config  # noqa: PLC0415 - as above
    from alembic.script import ScriptDirectory  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    return config, ScriptDirectory.from_config(config)


def _number(connection: sa.Connection) -> None:
    """The one row of `sequence`, in a new store."""
    if connection.execute(sa.select(schema.sequence.c.value)).first() is None:
        names = {"store_id": secrets.token_hex(8), "voter_key": secrets.token_hex(16)}
        connection.execute(sa.insert(schema.sequence).values(one=1, value=0, **names))


def set_up(connection: sa.Connection) -> None:
    """What SQLite takes outside of transactions only. Foreign keys are off while tables are made anew, and checked afterwards."""
    if connection.dialect.name == "sqlite":
        raw = connection.connection.driver_connection
        assert raw is not None
        raw.execute("PRAGMA journal_mode = WAL")
        raw.execute("PRAGMA foreign_keys = OFF")


@contextmanager
def alone(url: sa.URL) -> Iterator[None]:
    """Of all processes of this machine, one at a time; the lock ends with the process, however it ends."""
    if url.get_backend_name() != "sqlite":
        yield
        return
    file = Path(str(url.database))
    beside = file.with_name(f"{file.name}.lock")
    beside.touch(mode=0o600)
    with beside.open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
