"""A real service with a store that may be written."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from kb.store import Actor, Role, Store
from tests.api.fixtures import home, no_settings_from_outside, serving  # noqa: F401
from tests.api.knowledge import build_home

ROOT = Actor("test", "test", Role.ADMIN)


@dataclass(frozen=True)
class Service:
    """Where a service is, and a key to it for everything."""

    url: str
    key: str


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """One `kb serve` over the six incidents and a store of its own."""
    folder = tmp_path_factory.mktemp("client")
    build_home(folder / "home")
    with Store.open(Path(folder / "home" / "store.db")) as store:
        key = store.keys.create("client", Role.ADMIN, actor=ROOT)[1]
    with serving(folder / "home", folder) as server:
        yield Service(server.url, key)
