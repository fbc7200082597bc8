"""A change that is out of time may have been made: who sent it is told so, and how to look."""

import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import ServiceSettings
from api.writing.calls import NOT_INDEXED, NOT_YET
from kb.store import Role, Store
from tests.api.fixtures import assert_problem, poll
from tests.api.writing.conftest import ROOT, Desk

SECONDS = 1.6
"""What a change may take while somebody else writes."""


@pytest.fixture
def busy(home: Path, tmp_path: Path) -> Iterator[tuple[Desk, Store]]:
    """A service with one thread, and another writer of its store."""
    place = tmp_path / "store.db"
    settings = ServiceSettings(home=home, database_url=f"sqlite:///{place}", search_seconds=30, concurrency=1)
    app = create_app(settings)
    with TestClient(app, raise_server_exceptions=False) as client, Store.open(place) as other:
        keys = {role: other.keys.create(role.value, role, actor=ROOT)[1] for role in Role}
        yield Desk(client, app.state.service.store, keys), other


@contextmanager
def held(desk: Desk, store: Store) -> Iterator[None]:
    """Somebody else writes, and takes their time; nobody waits for it long."""
    service = desk.client.app.state.service  # type: ignore[attr-defined]
    service._seconds, seconds = SECONDS, service._seconds
    let_go, is_held = threading.Event(), threading.Event()

    def hold() -> None:
        with store.transaction():
            is_held.set()
            let_go.wait(60)

    thread = threading.Thread(target=hold)
    thread.start()
    assert is_held.wait(60)
    try:
        yield
    finally:
        let_go.set()
        thread.join()
        service._seconds = seconds


def test_an_uncertain_save_is_not_reported_as_failed(busy: tuple[Desk, Store]) -> None:
    desk, other = busy
    desk.add("patient", title="Patient")
    with held(desk, other):
        answer = desk.ask("PUT", "/patient", etag='"1"', json={"title": "Patient no more"})
        document = assert_problem(answer, 503, "perhaps-saved")
        assert "may have been saved" in str(document["detail"])
        assert answer.headers["retry-after"] == "5"
        assert other.incidents.current("patient").number == 1
    poll(lambda: other.incidents.current("patient").number == 2)
    (newest, _) = desk.ask("GET", "/patient/history").json()["revisions"]
    assert (newest["revision"], newest["author"]["name"]) == (2, "curator")
    again = desk.ask("PUT", "/patient", etag='"1"', json={"title": "Patient no more"})
    assert assert_problem(again, 412, "stale")["current"]["revision"] == 2  # type: ignore[index]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/patient/comments", {"text": "Yes", "revision": 1}),
        ("/patient/traces", {"trace": "java.io.IOException: x\n\tat a.B.c(B.java:1)"}),
        ("/patient/feedback", {"vote": "yes", "probability": 0.5, "snapshot_id": "s", "text": "boom"}),
    ],
)
def test_every_way_of_writing_says_so(busy: tuple[Desk, Store], path: str, body: dict[str, object]) -> None:
    desk, other = busy
    desk.add("patient", title="Patient")
    with held(desk, other):
        assert_problem(desk.ask("POST", path, json=body), 503, "perhaps-saved")


def test_the_page_says_so_beside_what_was_typed(busy: tuple[Desk, Store]) -> None:
    desk, other = busy
    form = {"do": "publish", "text": "---\ntitle: Typed once\nid: typed\n---\n\n## Symptom\n\nWords that were typed.\n"}
    headers = {"Authorization": f"Bearer {desk.keys[Role.CURATOR]}", "accept-language": "en"}
    with held(desk, other):
        page = desk.client.post("/write", data=form, headers=headers)
    assert page.status_code == 503
    assert "It may have been saved" in page.text
    assert "Words that were typed." in page.text


def test_what_never_began_was_surely_not_saved(busy: tuple[Desk, Store]) -> None:
    desk, other = busy
    with (
        held(desk, other),
        ThreadPoolExecutor(2) as threads,
    ):  # both are read by the one thread, then one waits for the other
        answers = list(threads.map(lambda name: desk.ask("POST", "", json={"id": name, "title": name}), ("m", "n")))
    kinds = sorted(answer.json()["type"].rpartition(":")[2] for answer in answers)
    assert kinds == ["perhaps-saved", "too-slow"]
    poll(lambda: len(other.incidents.among(["m", "n"])) == 1)
    (refused,) = [name for name, answer in zip("mn", answers, strict=True) if "too-slow" in answer.text]
    assert not other.incidents.among([refused])


def test_a_save_says_when_it_is_not_searched_yet(busy: tuple[Desk, Store]) -> None:
    desk, _ = busy
    assert desk.add("first", title="First").json()["searched"] is True
    engine = desk.client.app.state.service.live.engine  # type: ignore[attr-defined]
    desk.client.app.state.service._seconds = SECONDS  # type: ignore[attr-defined]
    with engine._following._lock:  # as while a long backlog is taken in
        saved = desk.ask("PUT", "/first", etag='"1"', json={"title": "Second"}).json()
    assert (saved["revision"], saved["searched"], saved["notes"]) == (2, False, [NOT_YET])


def test_a_change_that_cannot_be_indexed_is_reported_and_skipped(busy: tuple[Desk, Store], tmp_path: Path) -> None:
    """A trigger stands for whatever else writes into the database: it spoils what is saved of one incident."""
    desk, _ = busy
    with sqlite3.connect(tmp_path / "store.db") as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        spoils = "UPDATE revisions SET record = '{}' WHERE incident_id = 'bad' AND number = NEW.number;"
        connection.execute(f"CREATE TRIGGER spoil AFTER INSERT ON revisions BEGIN {spoils} END")
    saved = desk.add("bad", title="Spoilt").json()
    assert (saved["searched"], saved["notes"]) == (False, [NOT_INDEXED])
    assert desk.add("good", title="The freezer door stays ajar").json()["searched"] is True
    assert desk.found("The freezer door stays ajar")[0] == "good"
    ready = desk.client.get("/readyz")
    assert (ready.status_code, ready.json()["set_aside"], ready.json()["behind_seconds"]) == (200, 1, 0.0)
    metrics = desk.client.get("/metrics", headers={"Authorization": f"Bearer {desk.keys[Role.ADMIN]}"}).text
    assert "kb_changes_set_aside 1.0" in metrics
    assert "kb_overlay_behind_seconds 0.0" in metrics


def test_the_state_says_how_long_the_store_was_unreachable(busy: tuple[Desk, Store], tmp_path: Path) -> None:
    desk, _ = busy
    with sqlite3.connect(tmp_path / "store.db") as connection:
        connection.execute("ALTER TABLE sequence RENAME TO elsewhere")
    poll(lambda: desk.client.get("/readyz").json()["behind_seconds"] > 0)
    with sqlite3.connect(tmp_path / "store.db") as connection:
        connection.execute("ALTER TABLE elsewhere RENAME TO sequence")
    poll(lambda: desk.client.get("/readyz").json()["behind_seconds"] == 0)
