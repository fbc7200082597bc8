"""A full disk is told as that: to whoever saves, in the log, in `/readyz`."""

import logging
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import ServiceSettings
from kb.store import Actor, Full, Role, Store
from kb.store.model import Feedback, Vote
from tests.api.fixtures import HERE, LOCAL, assert_problem
from tests.databases import emptied

ROOT = Actor("test", "test", Role.ADMIN)


@pytest.fixture
def client(home: Path, tmp_path: Path) -> Iterator[TestClient]:
    """A service with a store of its own."""
    settings = ServiceSettings(home=home, database_url=f"sqlite:///{tmp_path / 'store.db'}", reading="open")
    with TestClient(create_app(settings), raise_server_exceptions=False, client=HERE, base_url=LOCAL) as running:
        yield running


def no_more_pages(store: Store, most: int | None) -> None:
    """SQLite itself says that the disk is full once its file has so many pages."""
    engine = store._database.engine
    engine.dispose()

    @sa.event.listens_for(engine, "connect")
    def limited(connection: object, _: object) -> None:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]  # type: ignore[attr-defined]
        connection.execute(f"PRAGMA max_page_count = {most or pages}")  # type: ignore[attr-defined]


def test_a_full_disk_is_told(client: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    store: Store = client.app.state.service.store  # type: ignore[attr-defined]
    key = {"Authorization": f"Bearer {store.keys.create('admin', Role.ADMIN, actor=ROOT)[1]}"}
    record = {"title": "Disk", "symptom": "lines of it\n" * 10_000}
    no_more_pages(store, None)
    with caplog.at_level(logging.ERROR):
        assert_problem(client.post("/v1/incidents", json={"id": "full", **record}, headers=key), 503, "store-full")
    assert "no room left" in caplog.text
    ready = client.get("/readyz")
    assert (ready.status_code, "disk" in ready.json()["problem"]) == (200, True)
    assert client.post("/v1/search", json={"text": "kafka RecordTooLargeException"}).status_code == 200
    no_more_pages(store, 1_000_000)
    assert client.post("/v1/incidents", json={"id": "full", **record}, headers=key).status_code == 201
    assert client.get("/readyz").json()["problem"] is None


@pytest.mark.parametrize("code", ["53100", "disk_full"])
def test_a_full_disk_of_postgresql_is_told(made_postgresql: str, code: str) -> None:
    """Its server says so by the class of the error; here it does for whatever is voted."""
    with Store.open(emptied(made_postgresql)) as store, psycopg.connect(made_postgresql, autocommit=True) as connection:
        connection.execute(
            f"CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '{code}'; END $$"
        )
        connection.execute("CREATE TRIGGER full_disk BEFORE INSERT ON feedback EXECUTE FUNCTION full_disk()")
        try:
            with pytest.raises(Full, match="no room left"):
                store.feedback.add(Feedback("a", Vote.YES, {}, 0.5, "s"), actor=ROOT)
            assert store.head().sequence == 0
        finally:
            connection.execute("DROP FUNCTION full_disk CASCADE")
        store.feedback.add(Feedback("a", Vote.YES, {}, 0.5, "s"), actor=ROOT)
