"""Opening a store: made, brought up, refused; in whatever is there already."""

import sqlite3
import time
from contextlib import suppress
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from kb.errors import KbError
from kb.store import Role, Store, StoreError, Unavailable, schema
from kb.store.database import address, single

from .processes import run
from .told import ANN, incident

MIGRATIONS = Path(schema.__file__).parent / "migrations"


def test_a_reopened_store_has_what_was_written(place: str | Path) -> None:
    with Store.open(place) as first:
        written = first.incidents.create(incident("a"), actor=ANN)
        named = first.head().store_id
    with Store.open(place) as again:
        assert (again.incidents.current("a"), again.head().store_id, again.head().sequence) == (written, named, 1)


def test_two_stores_have_two_ids(tmp_path: Path) -> None:
    with Store.open(tmp_path / "a.db") as one, Store.open(tmp_path / "b.db") as other:
        assert one.head().store_id != other.head().store_id


def test_the_migrations_make_the_tables_that_the_code_knows(place: str | Path) -> None:
    Store.open(place).close()
    with single(address(place)).connect() as connection:
        options = {"version_table": schema.VERSION_TABLE, "compare_type": connection.dialect.name == "sqlite"}
        assert compare_metadata(MigrationContext.configure(connection, opts=options), schema.metadata) == []


def test_texts_are_sorted_by_their_bytes(place: str | Path) -> None:
    with Store.open(place) as store:
        for one in ("b", "B", "ä", "a", "é", "Z", "死", "~"):
            store.incidents.create(incident(one), actor=ANN)
        assert [one.id for one in store.listing().items] == ["B", "Z", "a", "b", "~", "ä", "é", "死"]


def test_the_code_needs_the_last_migration() -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    assert ScriptDirectory.from_config(config).get_heads() == [schema.VERSION]


def test_a_store_of_newer_code_is_refused_and_left_alone(place: str | Path) -> None:
    with Store.open(place) as store:
        store.incidents.create(incident("a"), actor=ANN)
    set_version(place, "9999")
    with pytest.raises(StoreError, match=r"newer version of dejastack \(its format is 9999.*update dejastack"):
        Store.open(place)
    set_version(place, schema.VERSION)
    with Store.open(place) as store:
        assert store.head().sequence == 1


def open_and_write(place: str | Path, name: str, ready: Barrier) -> None:
    ready.wait()
    with Store.open(place) as store:
        store.incidents.create(incident(name), actor=ANN)


def test_several_workers_open_a_new_store_at_once(place: str | Path) -> None:
    assert run(open_and_write, *((place, f"i{at}") for at in range(4))) == [0] * 4
    with Store.open(place) as store:
        assert store.head().sequence == 4
        assert [one.id for one in store.listing().items] == ["i0", "i1", "i2", "i3"]


def test_sqlite_is_set_up_to_keep_what_it_acknowledged(tmp_path: Path) -> None:
    with Store.open(tmp_path / "store.db") as store, store._database.reading() as connection:
        assert (
            connection.exec_driver_sql("SELECT value FROM sequence").scalar() == 0
        )  # before it has read a page SQLite does not know how the file is written
        asked = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys")
        }
    assert asked == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1}


def test_postgresql_commits_synchronously_whatever_its_default(postgresql: object) -> None:
    place = postgresql.new_database()  # type: ignore[attr-defined]
    with Store.open(place) as store, store._database.writing() as connection:
        database = sa.make_url(place).database
        connection.exec_driver_sql(f"ALTER DATABASE {database} SET synchronous_commit = off")
    with Store.open(place) as store, store._database.reading() as connection:
        assert connection.exec_driver_sql("SHOW synchronous_commit").scalar() == "on"


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("", "no address"),
        ("no url", "no address"),
        ("mysql://u:hunter2hunter2@h/db", "mysql"),
        ("sqlite://", "no database that a store can be in"),
        ("sqlite:///:memory:", "no database that a store can be in"),
        ("postgresql://u:hunter2hunter2@127.0.0.1:1/db", "does not answer"),
        ("postgres://u:hunter2hunter2@127.0.0.1:1/db", "does not answer"),
    ],
)
def test_addresses_that_are_none(place: str, said: str) -> None:
    with pytest.raises(StoreError, match=said) as refused:
        Store.open(place)
    assert "hunter2" not in f"{refused.value}{refused.value.cure}"
    assert isinstance(refused.value, Unavailable) == (said == "does not answer")


@pytest.mark.parametrize("what", ["a text", "a folder", "below a file", "cut off"])
def test_files_that_are_no_store(tmp_path: Path, what: str) -> None:
    path = tmp_path / "store.db"
    if what == "a text":
        path.write_text("no database\n" * 500)
    elif what == "a folder":
        path.mkdir()
    elif what == "below a file":
        path.write_text("")
        path /= "store.db"
    else:
        Store.open(path).close()
        path.write_bytes(path.read_bytes()[:9000])
    with pytest.raises(KbError) as refused:
        Store.open(path)
    assert str(tmp_path) in str(refused.value)
    assert refused.value.cure


def set_version(place: str | Path, version: str) -> None:
    with single(address(place)).connect() as connection, connection.begin():
        connection.execute(sa.text(f"UPDATE {schema.VERSION_TABLE} SET version_num = :v"), {"v": version})


def test_a_busy_store_says_so(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with Store.open(path, wait=0.05) as store:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Unavailable, match="locked"):
            store.incidents.create(incident("a"), actor=ANN)
        assert store.head().sequence == 0  # readers do not wait
        other.execute("ROLLBACK")
        other.close()
        assert store.incidents.create(incident("a"), actor=ANN).number == 1


def test_a_key_opens_while_the_store_cannot_be_written_to(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with Store.open(path, wait=0.05) as store:
        key, secret = store.keys.create("reader", Role.READER, actor=ANN)
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        found = store.keys.find(secret)
        other.execute("ROLLBACK")
        other.close()
        assert found == key
        store.keys.find(secret)
        assert store.keys.get(key.id).last_used is not None


def test_a_writer_that_stops_in_the_middle_holds_up_no_other(postgresql: object) -> None:
    place = postgresql.new_database()  # type: ignore[attr-defined]
    with Store.open(place) as store, Store.open(place, wait=0.5) as stopped:
        stuck = stopped._database.engine.connect()
        stuck.begin()
        stuck.exec_driver_sql("SELECT value FROM sequence FOR UPDATE")
        with suppress(Unavailable):
            store.incidents.create(incident("a"), actor=ANN)
        time.sleep(1.1)
        assert store.incidents.create(incident("b"), actor=ANN).number == 1
        with pytest.raises(sa.exc.DBAPIError):
            stuck.exec_driver_sql("SELECT 1")
        stuck.invalidate()
        stuck.close()


def test_a_writer_of_postgresql_does_not_wait_for_ever(postgresql: object) -> None:
    place = postgresql.new_database()  # type: ignore[attr-defined]
    with Store.open(place, wait=0.2) as store:
        engine = single(address(place))
        with engine.connect() as other, other.begin():
            other.exec_driver_sql("SELECT value FROM sequence FOR UPDATE")
            with pytest.raises(Unavailable, match="lock timeout"):
                store.incidents.create(incident("a"), actor=ANN)
        assert store.incidents.create(incident("a"), actor=ANN).number == 1
