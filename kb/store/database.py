"""The database under the store: connections, transactions, and the number that every change takes.

In SQLite a writer holds the whole file (BEGIN IMMEDIATE); in PostgreSQL it holds the one row of `sequence`, before anything else.
In both, the order of commits is the order of the numbers: who has read up to a number has missed nothing.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import NullPool

from kb.store import schema
from kb.store.errors import Full, StoreError, Unavailable, Uncertain

_SQLITE_FULL, _SQLITE_READONLY = 13, 8
"""Result codes of SQLite; `sqlite3` itself stays unnamed here."""
MAKE_WRITABLE = "make its folder writable (SQLite needs that to read, too), or set KB_DATABASE_URL to another store"
WAIT = 30
"""Seconds that anybody waits for a lock, or for a server to answer."""
MOST_SKEW = timedelta(hours=1)
"""How far the clocks of those who share a store may differ. What lies further in the future was written by a clock that was wrong."""
_CONNECTIONS = 8
_BRIEF = 300  # characters of what a driver says


def address(place: str | Path) -> sa.URL:
    """The address of a database: a file of SQLite, or a URL. StoreError when it is neither SQLite's nor PostgreSQL's."""
    if isinstance(place, Path):
        return sa.URL.create("sqlite", database=str(place.absolute()))
    try:
        url = sa.make_url(
            place.replace("postgres://", "postgresql://", 1) if place.startswith("postgres://") else place
        )
    except ArgumentError:
        raise StoreError(
            "KB_DATABASE_URL is no address of a database", cure=_CURE
        ) from None  # its words hold a password
    if url.get_backend_name() == "postgresql":
        return url.set(drivername="postgresql+psycopg")
    if url.drivername != "sqlite" or url.database in {None, "", ":memory:"}:
        raise StoreError(f"{url.render_as_string()} is no database that a store can be in", cure=_CURE)
    return url


_CURE = "use sqlite:////path/to/store.db or postgresql://user:password@host/database"


class Database:
    """One database, used by any number of threads; each has its own connection. Not to be used on both sides of a fork."""

    def __init__(self, url: sa.URL, wait: float = WAIT) -> None:
        """``wait``: seconds that anybody waits for a lock, or for a server to answer."""
        self.url, self.wait = url, wait
        self._here = threading.local()
        self.is_full = False
        """Whether the last change found no room on the disk."""
        self._writing = threading.Lock()  # SQLite's own waiting is a lottery: in one process it is a queue
        self.engine = connect(url, wait, pool_size=_CONNECTIONS, max_overflow=4 * _CONNECTIONS, pool_timeout=wait)

    @property
    def name(self) -> str:
        """The address, without a password."""
        return self.url.render_as_string()

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A connection to read by; inside of `writing`, the one that writes."""
        if (held := self._held) is not None:
            yield held
            return
        with self._as_store_error(), self.engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self, *, wait: float | None = None) -> Iterator[sa.Connection]:
        """One transaction, and no other at the same time: what is read in it stays so until it ends.

        Unavailable when others have not let it begin within ``wait`` seconds (None: as long as anybody waits).

        All of it is on disk afterwards, or nothing when something was raised; Uncertain alone leaves that open. Inside of
        another it is part of that.
        """
        wait = self.wait if wait is None else wait
        with self._transaction(wait) as (connection, is_outermost):
            if is_outermost:
                _lock(connection, None if wait == self.wait else wait)
            yield connection

    @contextmanager
    def aside(self) -> Iterator[sa.Connection]:
        """One transaction on tables that nobody follows: in PostgreSQL it waits for no writer, and no writer for it."""
        with self._transaction(self.wait) as (connection, _):
            yield connection

    @contextmanager
    def _transaction(self, wait: float) -> Iterator[tuple[sa.Connection, bool]]:
        """A transaction, and whether it is one of its own."""
        if (held := self._held) is not None:
            yield held, False
            return
        with self._as_store_error(), self._turn(wait), self.engine.connect() as connection:
            writer = connection.execution_options(**{_WRITES: wait})
            with writer.begin() as transaction:
                self._here.connection = writer
                try:
                    yield writer, True
                finally:
                    self._here.connection = None
                self._commit(transaction)

    def _commit(self, transaction: sa.Transaction) -> None:
        """A server that is gone before it says whether it has committed may have."""
        try:
            transaction.commit()
            self.is_full = False
        except DBAPIError as error:
            classified = self._classified(error)
            if (
                isinstance(classified, Unavailable)
                and not isinstance(classified, Full)
                and self.url.get_backend_name() != "sqlite"
            ):
                raise Uncertain(classified.problem, cure="look whether it is there before you do it again") from error
            raise classified from error

    def next_number(self) -> int:
        """The number of the next change."""
        step = sa.update(schema.sequence).values(value=schema.sequence.c.value + 1).returning(schema.sequence.c.value)
        with self.writing() as connection:
            return int(connection.execute(step).scalar_one())

    def close(self) -> None:
        """Let go of all connections."""
        self.engine.dispose()

    @property
    def _held(self) -> sa.Connection | None:
        return getattr(self._here, "connection", None)

    @contextmanager
    def _turn(self, wait: float) -> Iterator[None]:
        if self.url.get_backend_name() != "sqlite":
            yield
            return
        if not self._writing.acquire(timeout=wait):
            raise Unavailable(f"{self.name} is busy", cure="try again")
        try:
            yield
        finally:
            self._writing.release()

    @contextmanager
    def _as_store_error(self) -> Iterator[None]:
        """What a driver says, in our words."""
        try:
            yield
        except PoolTimeout:
            raise Unavailable(f"{self.name} has no connection free", cure="try again") from None
        except DBAPIError as error:
            raise self._classified(error) from error

    def _classified(self, error: DBAPIError) -> StoreError:
        problem = store_error(error, self.name)
        self.is_full = self.is_full or isinstance(problem, Full)
        return problem


def store_error(error: DBAPIError, name: str) -> StoreError:
    """An error of a driver in our words. Statements and their parameters stay out of it: they hold texts."""
    reason = " ".join(str(error.orig).split())[:_BRIEF]
    if _is_full(error):
        return Full(f"the store {name} has no room left: {reason}", cure="make room on its disk")
    if getattr(error.orig, "sqlite_errorcode", 0) & 0xFF == _SQLITE_READONLY:
        return Unavailable(f"the store {name} cannot be written to: {reason}", cure=MAKE_WRITABLE)
    if isinstance(error, sa.exc.OperationalError | sa.exc.InterfaceError):
        return Unavailable(
            f"the store {name} does not answer: {reason}", cure="see that the database runs and has room"
        )
    cure = "`kb doctor` looks at it; if it is whole, this is a fault in dejastack"
    return StoreError(f"the store {name} does not work: {reason}", cure=cure)


def _is_full(error: DBAPIError) -> bool:
    """Whether the disk is: SQLITE_FULL, or the SQLSTATE of PostgreSQL (disk_full)."""
    codes = (getattr(error.orig, "sqlite_errorcode", None), getattr(error.orig, "sqlstate", None))
    return codes[0] == _SQLITE_FULL or codes[1] == "53100"


def connect(url: sa.URL, wait: float = WAIT, **pool: Any) -> sa.Engine:
    """Connections to a database, each set up as the store needs it. StoreError when its driver is not installed."""
    options: dict[str, Any] = {"hide_parameters": True, **pool}
    if url.get_backend_name() == "sqlite":
        options["connect_args"] = {"timeout": wait}
    else:
        options["pool_pre_ping"] = "poolclass" not in pool
        options["connect_args"] = {"connect_timeout": int(wait // 3) or 1, "application_name": "dejastack"}
    try:
        engine = sa.create_engine(url, **options)
    except (ImportError, NoSuchModuleError) as error:
        raise StoreError(f"{url.drivername} is not installed: {error}", cure="pip install 'psycopg[binary]'") from error
    if url.get_backend_name() == "sqlite":
        sa.event.listen(engine, "connect", _set_up_sqlite)
        sa.event.listen(engine, "begin", partial(_begin_sqlite, wait))
    else:
        sa.event.listen(engine, "connect", _set_up_postgresql)
        if "poolclass" not in pool:  # migrations and dumps take their time
            sa.event.listen(engine, "connect", partial(_bound_postgresql, wait))
    return engine


def single(url: sa.URL) -> sa.Engine:
    """Connections that end when they are closed."""
    return connect(url, poolclass=NullPool)


_WRITES = "kb_writes"


def _set_up_sqlite(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # transactions are begun here, not guessed by the driver
    for pragma in ("foreign_keys = ON", "synchronous = FULL"):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(usual: float, connection: sa.Connection) -> None:
    wait = connection.get_execution_options().get(_WRITES)
    if wait is None:
        connection.exec_driver_sql("BEGIN")
        return
    raw: Any = connection.connection.driver_connection
    try:
        raw.execute(f"PRAGMA busy_timeout = {int(1000 * wait)}")
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    finally:
        raw.execute(f"PRAGMA busy_timeout = {int(1000 * usual)}")


def _lock(connection: sa.Connection, wait: float | None) -> None:
    """Take the turn of a writer, and wait ``wait`` seconds for it; None: as long as the connection does."""
    if connection.dialect.name == "postgresql":
        if wait is not None:
            connection.exec_driver_sql(f"SET LOCAL lock_timeout = {int(1000 * wait)}")
        connection.execute(sa.select(schema.sequence.c.value).with_for_update())


def _set_up_postgresql(connection: Any, _record: object) -> None:
    connection.execute("SET synchronous_commit = on")  # acknowledged means on disk, whatever the server's default is
    connection.commit()


def _bound_postgresql(wait: float, connection: Any, _record: object) -> None:
    """A writer waits for the one before it as long as for SQLite's; one that was cut off or stopped in the middle is ended, or all would wait for it."""
    connection.execute(f"SET lock_timeout = {int(1000 * wait)}")
    connection.execute(f"SET idle_in_transaction_session_timeout = {int(2000 * wait)}")
    connection.commit()
