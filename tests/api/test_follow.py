"""Searches go on while a worker takes in a long backlog, whoever saves meanwhile."""

import threading
from pathlib import Path

import httpx
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import ServiceSettings
from kb.incident import Status
from kb.store import Actor, Role, Store
from tests.api.fixtures import poll
from tests.api.knowledge import KAFKA_TRACE
from tests.kb.store.told import incident

ROOT = Actor("test", "test", Role.ADMIN)
BACKLOG, RUNNING = 60, 2
OWN = {"own0": "The freezer door stays ajar", "own1": "A lamp flickers twice before dusk"}


def test_who_saves_during_a_backlog_holds_up_no_search(home: Path, tmp_path: Path) -> None:
    place = tmp_path / "store.db"
    app = create_app(ServiceSettings(home=home, database_url=f"sqlite:///{place}", concurrency=RUNNING))
    with TestClient(app) as client, Store.open(place) as other:
        headers = {"Authorization": f"Bearer {other.keys.create('test', Role.CURATOR, actor=ROOT)[1]}"}
        answers: list[httpx.Response] = []

        def save(name: str) -> None:
            record = {"id": name, "title": OWN[name]}
            answers.append(client.post("/v1/incidents", json=record, headers=headers))  # type: ignore[arg-type]

        with other.transaction():  # as another worker would leave it
            for number in range(BACKLOG):
                other.incidents.create(incident(f"i{number}"), actor=ROOT, status=Status.PUBLISHED)
        saving = [threading.Thread(target=save, args=(name,)) for name in OWN]
        for thread in saving:
            thread.start()
        poll(
            lambda: other.head().sequence >= BACKLOG + 1 + RUNNING
        )  # they are written, and wait until they are searched
        for _ in range(3):
            assert client.post("/v1/search", json={"text": KAFKA_TRACE}).json()["matches"]
        assert answers == [], "the searches were answered first"
        for thread in saving:
            thread.join()
        assert [answer.status_code for answer in answers] == [201] * RUNNING
        for name, title in OWN.items():
            found = client.post("/v1/search", json={"text": title}).json()["matches"]
            assert found[0]["incident"]["id"] == name
