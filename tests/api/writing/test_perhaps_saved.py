"""A change that is out of time may have been made: who sent it is told so, and how to look."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import ServiceSettings
from kb.store import Role, Store
from tests.api.fixtures import assert_problem, poll
from tests.api.writing.conftest import ROOT, Desk

SECONDS = 0.5
"""What a change may take here."""


@pytest.fixture
def busy(home: Path, tmp_path: Path) -> Iterator[tuple[Desk, Store]]:
    """A service with one thread that gives up soon, and another writer of its store."""
    place = tmp_path / "store.db"
    settings = ServiceSettings(home=home, database_url=f"sqlite:///{place}", search_seconds=SECONDS, concurrency=1)
    app = create_app(settings)
    with TestClient(app, raise_server_exceptions=False) as client, Store.open(place) as other:
        keys = {role: other.keys.create(role.value, role, actor=ROOT)[1] for role in Role}
        yield Desk(client, app.state.service.store, keys), other


@contextmanager
def held(store: Store) -> Iterator[None]:
    """Somebody else writes, and takes their time."""
    let_go, is_held = threading.Event(), threading.Event()

    def hold() -> None:
        with store.transaction():
            is_held.set()
            let_go.wait(20)

    thread = threading.Thread(target=hold)
    thread.start()
    assert is_held.wait(20)
    try:
        yield
    finally:
        let_go.set()
        thread.join()


def test_what_may_have_been_saved_is_not_told_as_if_it_was_not(busy: tuple[Desk, Store]) -> None:
    desk, other = busy
    desk.add("patient", title="Patient")
    with held(other):
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
    with held(other):
        assert_problem(desk.ask("POST", path, json=body), 503, "perhaps-saved")


def test_the_page_says_so_beside_what_was_typed(busy: tuple[Desk, Store]) -> None:
    desk, other = busy
    form = {"do": "publish", "text": "---\ntitle: Typed once\nid: typed\n---\n\n## Symptom\n\nWords that were typed.\n"}
    headers = {"Authorization": f"Bearer {desk.keys[Role.CURATOR]}", "accept-language": "en"}
    with held(other):
        page = desk.client.post("/write", data=form, headers=headers)
    assert page.status_code == 503
    assert "It may have been saved" in page.text
    assert "Words that were typed." in page.text


def test_what_never_began_was_surely_not_saved(busy: tuple[Desk, Store]) -> None:
    desk, other = busy
    with held(other), ThreadPoolExecutor(2) as threads:  # both are read by the one thread, then one waits for the other
        answers = list(threads.map(lambda name: desk.ask("POST", "", json={"id": name, "title": name}), ("m", "n")))
    kinds = sorted(answer.json()["type"].rpartition(":")[2] for answer in answers)
    assert kinds == ["perhaps-saved", "too-slow"]
    poll(lambda: len(other.incidents.among(["m", "n"])) == 1)
    (refused,) = [name for name, answer in zip("mn", answers, strict=True) if "too-slow" in answer.text]
    assert not other.incidents.among([refused])


def test_what_does_not_follow_is_told_with_what_was_saved(busy: tuple[Desk, Store]) -> None:
    desk, _ = busy
    assert desk.add("first", title="First").json()["searched"] is True
    service = desk.client.app.state.service  # type: ignore[attr-defined]
    engine = service.live.engine
    engine._encoder, encoder = None, engine._encoder
    engine._overlay._encoder, overlay = None, engine._overlay._encoder
    try:
        saved = desk.ask("PUT", "/first", etag='"1"', json={"title": "Second"}).json()
    finally:
        engine._encoder, engine._overlay._encoder = encoder, overlay
    assert (saved["revision"], saved["searched"]) == (2, False)
    assert saved["notes"] == ["it is saved; searches do not go by it yet, and will as soon as they can"]
