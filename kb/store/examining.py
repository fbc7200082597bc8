"""A store looked at from outside, as `kb doctor` does: nothing in it is changed, not even brought up."""

from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from kb.store import schema
from kb.store.database import address, single, store_error
from kb.store.errors import StoreError, Unavailable
from kb.store.upgrade import known_versions, version_of

_BROKEN = "stop the service, keep the file, and bring back the last backup with `kb restore`"


def examine(place: str | Path) -> str:
    """What there is at a place, in a line. StoreError when it does not answer, is of newer code, or does not hold together."""
    url = address(place)
    file = Path(str(url.database)) if url.get_backend_name() == "sqlite" else None
    name = url.render_as_string()
    if file is not None and not file.exists():
        return f"none yet in {file}: it is made when something is saved"
    engine = single(url)
    try:
        with engine.connect() as connection:
            version = version_of(connection)
            if version is None:
                return f"none yet in {name}: it is made when the service starts"
            if version not in known_versions():
                raise StoreError(
                    f"the store {name} was written by a newer version of dejastack (its format is {version}, this one's {schema.VERSION})",
                    cure="update dejastack, or use the backup that was made before the update",
                )
            if file is not None:
                _check(connection, name)
            return f"{_counts(connection)} in {name}" + ("" if version == schema.VERSION else f", format {version}")
    except DBAPIError as error:
        failure = store_error(error, name)
        raise (failure if isinstance(failure, Unavailable) else StoreError(failure.problem, cure=_BROKEN)) from error
    finally:
        engine.dispose()


def named(place: str | Path) -> tuple[str, str | None]:
    """What a place is called, without a password, and the name of the store there; None where there is none.

    A file of SQLite is called by its name alone: a home may be moved. Unavailable when the database does not answer.
    """
    url = address(place)
    name = place.name if isinstance(place, Path) else url.render_as_string()
    if url.get_backend_name() == "sqlite" and not Path(str(url.database)).exists():
        return name, None
    engine = single(url)
    try:
        with engine.connect() as connection:
            if version_of(connection) is None:
                return name, None
            return name, connection.scalar(sa.select(schema.sequence.c.store_id))
    except DBAPIError as error:
        raise store_error(error, url.render_as_string()) from error
    finally:
        engine.dispose()


def is_current(place: str | Path) -> bool:
    """Whether there is a store of this code's version, which opening does not change."""
    url = address(place)
    if url.get_backend_name() == "sqlite" and not Path(str(url.database)).exists():
        return False
    engine = single(url)
    try:
        with engine.connect() as connection:
            return version_of(connection) == schema.VERSION
    except DBAPIError:
        return False
    finally:
        engine.dispose()


def _check(connection: sa.Connection, name: str) -> None:
    """SQLite's own look at every page, index and reference."""
    verdict = connection.exec_driver_sql("PRAGMA integrity_check(1)").scalar()
    if verdict != "ok":
        raise StoreError(f"the store {name} is damaged: {verdict}", cure=_BROKEN)
    if connection.exec_driver_sql("PRAGMA foreign_key_check").first() is not None:
        raise StoreError(f"the store {name} does not hold together", cure=_BROKEN)


def _counts(connection: sa.Connection) -> str:
    return f"{_count(connection, schema.incidents)} incidents, {_count(connection, schema.revisions)} revisions"


def _count(connection: sa.Connection, table: sa.Table) -> int:
    return connection.scalar(sa.select(sa.func.count()).select_from(table)) or 0
