"""The service over a home and a store in each of the databases, and somebody of each role."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import ServiceSettings
from kb.store import Actor, Role, Store
from tests.api.knowledge import build_home

ROOT = Actor("test", "test", Role.ADMIN)


@dataclass(frozen=True)
class Desk:
    """A running service, and one key of each role."""

    client: TestClient
    store: Store
    keys: dict[Role, str]

    def ask(
        self, method: str, path: str, *, by: Role | None = Role.CURATOR, etag: str | None = None, **options: Any
    ) -> httpx.Response:
        """One request to `/v1/incidents…` by somebody of a role (None: nobody in particular)."""
        headers = dict(options.pop("headers", {}))
        if by is not None:
            headers["Authorization"] = f"Bearer {self.keys[by]}"
        if etag is not None:
            headers["If-Match"] = etag
        return self.client.request(method, f"/v1/incidents{path}", headers=headers, **options)  # type: ignore[return-value]

    def add(self, incident_id: str, **record: object) -> httpx.Response:
        """A new incident."""
        response = self.ask("POST", "", json={"title": f"About {incident_id}", **record, "id": incident_id})
        assert response.status_code == 201, response.text
        return response

    def found(self, text: str) -> list[str]:
        """The ids that a search answers."""
        answer = self.client.post("/v1/search", json={"text": text}).json()
        return [match["incident"]["id"] for match in answer["matches"]]


def opened(home: Path, place: str, **settings: object) -> Iterator[Desk]:
    """A service with its store in that place."""
    app = create_app(ServiceSettings(home=home, database_url=place, **settings))  # type: ignore[arg-type]
    with TestClient(app, raise_server_exceptions=False) as client:
        store = app.state.service.store
        keys = {role: store.keys.create(role.value, role, actor=ROOT)[1] for role in Role}
        yield Desk(client, store, keys)


def a_place(request: pytest.FixtureRequest, folder: Path, database: str) -> str:
    """Where no store is yet."""
    if database == "sqlite":
        return f"sqlite:///{folder / 'store.db'}"
    address: str = request.getfixturevalue("postgresql").new_database()
    return address


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def desk(request: pytest.FixtureRequest, home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """One service for a module, in each of the databases; every test has incidents of its own."""
    yield from opened(home, a_place(request, tmp_path_factory.mktemp("store"), request.param))


@pytest.fixture(scope="module")
def strict(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """One where only reviewers publish, and the text of feedback is kept."""
    place = f"sqlite:///{tmp_path_factory.mktemp('strict') / 'store.db'}"
    yield from opened(home, place, review="required", feedback_text=True)


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Desk]:
    """One over a home of the test's own."""
    build_home(tmp_path)
    yield from opened(tmp_path, f"sqlite:///{tmp_path / 'store.db'}")
