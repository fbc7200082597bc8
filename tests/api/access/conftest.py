"""A service over the six incidents and a store of its own, and somebody of every kind."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from api.access import Scope
from api.app import create_app
from api.settings import ServiceSettings
from kb.incident import Status
from kb.record import from_record
from kb.store import Actor, Role, Store

ROOT = Actor("test", "test", Role.ADMIN)
SOON = timedelta(seconds=0.05)


@dataclass(frozen=True)
class House:
    """A running service, as another machine reaches it."""

    client: TestClient
    store: Store
    place: str

    def key(self, role: Role = Role.ADMIN, *scopes: Scope, name: str = "") -> str:
        """The secret of a new key."""
        return self.store.keys.create(name or role.value, role, actor=ROOT, scopes=scopes)[1]

    def expired(self, role: Role = Role.ADMIN) -> str:
        """One that has expired."""
        ends = datetime.now(UTC) + SOON
        secret = self.store.keys.create("expired", role, actor=ROOT, expires_at=ends)[1]
        while datetime.now(UTC) <= ends:
            pass
        return secret

    def revoked(self, role: Role = Role.ADMIN) -> str:
        """One that was revoked."""
        key, secret = self.store.keys.create("revoked", role, actor=ROOT)
        self.store.keys.revoke(key.id, actor=ROOT)
        return secret

    def follow(self) -> None:
        """Search what was saved since; a worker does so five times a second."""
        self.client.app.state.service.try_to_follow()  # type: ignore[attr-defined]

    def add(self, incident_id: str, title: str, status: Status) -> None:
        """An incident of somebody else's."""
        self.store.incidents.create(from_record({"id": incident_id, "title": title}), actor=ROOT, status=status)


def opened(home: Path, place: str, **settings: object) -> Iterator[House]:
    """A service with its store in that place."""
    options = {"rate_per_key": 0, "rate_per_address": 0, **settings}
    app = create_app(ServiceSettings(home=home, database_url=place, **options))  # type: ignore[arg-type]
    with TestClient(app, raise_server_exceptions=False, follow_redirects=False) as client:
        yield House(client, app.state.service.store, place)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Where the store of a module is."""
    return f"sqlite:///{tmp_path_factory.mktemp('access') / 'store.db'}"


@pytest.fixture(scope="module")
def house(home: Path, place: str) -> Iterator[House]:
    """Reading is open."""
    yield from opened(home, place)


@pytest.fixture(scope="module")
def closed(home: Path, place: str) -> Iterator[House]:
    """The same with KB_READING=key, and another worker of the same store."""
    yield from opened(home, place, reading="key")
