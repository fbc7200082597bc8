"""The map under many readers: it is drawn once, never an error, not for names that nobody has, and not when the service ends."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from threading import Event

import numpy as np
import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from api.app import create_app
from api.pages.docs import _groups
from api.pages.maps import KEPT, MapPages, Places
from api.settings import ServiceSettings
from index.encoder import Vectors
from tests.api.fixtures import HERE, LOCAL, poll
from tests.api.knowledge import RECORDS, build_home


class Pencil:
    """Draws when it is let, and remembers how many incidents each map had."""

    def __init__(self) -> None:
        self.drawn: list[int] = []
        self.may, self.breaks = Event(), False

    def __call__(self, vectors: Vectors) -> Places:
        assert self.may.wait(30)
        self.drawn.append(len(vectors))
        if self.breaks:
            raise ValueError(self.drawn)
        return np.zeros((len(vectors), 2), np.float32)


@contextmanager
def served(home: Path, store: Path, pencil: Pencil) -> Iterator[TestClient]:
    app = create_app(ServiceSettings(home=home, database_url=f"sqlite:///{store}"))  # type: ignore[call-arg]
    app.state.maps = MapPages(pencil)
    with TestClient(app, raise_server_exceptions=False, client=HERE, base_url=LOCAL) as client:
        yield client


def is_drawn(client: TestClient, component: str = "") -> bool:
    """Whether the map is shown; what is not shown yet is asked for again."""
    page = client.get("/map", params={"component": component, "lang": "en"})
    assert page.status_code == HTTPStatus.OK, page.text
    is_waiting = "Refresh" in page.headers
    assert is_waiting == ("being drawn" in page.text)
    return not is_waiting


def test_many_readers_of_many_maps_get_a_page_each(tmp_path: Path) -> None:
    """More maps than are remembered: none that waits to be drawn is given up for another."""
    pencil, asked = Pencil(), [f"part-{number}" for number in range(20)]
    build_home(tmp_path, [{**RECORDS[0], "id": one, "component": one} for one in asked])
    with served(tmp_path, tmp_path / "store.db", pencil) as client, ThreadPoolExecutor(40) as readers:
        assert not any(readers.map(lambda one: is_drawn(client, one), asked * 2))
        pencil.may.set()
        poll(lambda: len(pencil.drawn) == KEPT)  # those that had room, each once; nobody asks meanwhile
        for one in asked:
            while not is_drawn(client, one):
                pass
    assert len(pencil.drawn) <= KEPT + len(asked)


def test_invented_components_are_not_drawn_and_push_no_map_out(home: Path, tmp_path: Path) -> None:
    pencil = Pencil()
    pencil.may.set()
    with served(home, tmp_path / "store.db", pencil) as client:
        while not is_drawn(client):
            pass
        assert all(is_drawn(client, f"invented-{number}") for number in range(20))
        assert is_drawn(client, "")
    assert pencil.drawn == [6]


def test_a_map_that_could_not_be_drawn_is_drawn_again(
    home: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    pencil = Pencil()
    pencil.breaks = True
    pencil.may.set()
    with served(home, tmp_path / "store.db", pencil) as client:
        assert not is_drawn(client)
        assert "a map cannot be drawn" in caplog.text
        pencil.breaks = False
        while not is_drawn(client):
            pass
    assert pencil.drawn[0] == pencil.drawn[-1] == 6


def test_maps_that_wait_are_not_drawn_when_the_service_ends(home: Path, tmp_path: Path) -> None:
    pencil = Pencil()
    with served(home, tmp_path / "store.db", pencil) as client:
        assert not any(is_drawn(client, one) for one in ("", "flink", "kafka"))
        maps = client.app.state.maps  # type: ignore[attr-defined]
    pencil.may.set()
    maps._pencil.shutdown(wait=True)
    assert pencil.drawn == [6], "the one that was begun"


def test_the_description_of_the_routes_is_made_once(home: Path, tmp_path: Path) -> None:
    with served(home, tmp_path / "store.db", Pencil()) as client:
        app = client.app
        assert isinstance(app, FastAPI)
        client.get("/docs")
        before = _groups(app)
        app.openapi_schema = {"paths": {}}
        assert client.get("/docs").status_code == HTTPStatus.OK
        assert _groups(app) is before
