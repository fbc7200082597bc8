"""Talk's server, and the service beside it."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.chat.settings import ChatSettings
from api.chat.worker import WorkerPace
from api.settings import ServiceSettings
from kb.store import Store
from tests.api.chat.fakes.talk import sign
from tests.api.chat.service import chats
from tests.api.fixtures import HERE, LOCAL, poll
from tests.api.forked import Forked, start
from tests.api.proof.service import free_port

ROOT = Path(__file__).resolve().parents[3]
_NUMBERS = count()
SOON = WorkerPace(poll=0.1, first_wait=0.4)
"""The next try comes sooner than outside of tests."""


class Vectors(dict[str, Any]):
    """Signed calls by platform; a test that wants one that is not there is skipped."""

    def __missing__(self, name: str) -> Any:
        pytest.skip(f"no signed call of {name}: neither ../shared nor a vector.json in tests/api/chat/{name}")


@pytest.fixture(scope="session")
def vectors() -> Vectors:
    """What platforms sign and how, by name: the vectors beside the checkout where they are, and the `vector.json` of a platform's folder here."""
    shared = ROOT.parent / "shared/facts/webhook_vectors.json"
    own = {path.parent.name: path for path in Path(__file__).parent.glob("*/vector.json")}
    found = json.loads(shared.read_text(encoding="utf-8")) if shared.is_file() else {}
    return Vectors(found | {name: json.loads(path.read_text(encoding="utf-8")) for name, path in own.items()})


@dataclass
class TalkServer:
    """The server of Talk."""

    port: int
    process: Forked

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def be(self, *modes: str, **more: object) -> None:
        """How the next posts are met."""
        httpx.post(f"{self.url}/be", json={"modes": modes, **more}).raise_for_status()

    def told(self) -> dict[str, Any]:
        return httpx.get(f"{self.url}/posted").json()  # type: ignore[no-any-return]

    def posted(self, thread: str) -> list[dict[str, Any]]:
        """What was posted to a thread."""
        return [one for one in self.told()["posted"] if one["thread"] == thread]


def start_talk(port: int) -> TalkServer:
    process = start(str(port), module="tests.api.chat.fakes.server", files=(0, 1, 2))
    server = TalkServer(port, process)

    def is_there() -> bool:
        try:
            return httpx.get(f"{server.url}/posted").is_success
        except httpx.HTTPError:
            return False

    poll(is_there, 60)
    return server


@contextmanager
def talking(port: int | None = None) -> Iterator[TalkServer]:
    server = start_talk(port or free_port())
    try:
        yield server
    finally:
        server.process.kill()
        server.process.wait()


@pytest.fixture(scope="session")
def talk() -> Iterator[TalkServer]:
    with talking() as server:
        yield server


@dataclass
class ChatHouse:
    """The service with Talk, in this process."""

    client: TestClient
    talk: TalkServer
    store: Store

    def call(self, told: dict[str, Any], platform: str = "talk", at: float | None = None) -> httpx.Response:
        """A signed call of the platform."""
        return call(self.client, told, platform, at)

    def ask(self, text: str, platform: str = "talk", **more: object) -> str:
        """Ask in a new thread, whose name comes back; the call is acknowledged."""
        thread = f"t{next(_NUMBERS)}"
        response = self.call(question(text, thread, **more), platform)
        assert response.status_code == 200, response.text
        return thread

    def answers(self, thread: str, number: int = 1) -> list[dict[str, Any]]:
        """What was posted to a thread, once there are so many."""
        poll(lambda: len(self.talk.posted(thread)) >= number)
        return self.talk.posted(thread)


def question(text: str, thread: str, **more: object) -> dict[str, Any]:
    return {"kind": "question", "id": f"id-{thread}", "text": text, "who": "ann", "thread": thread, **more}


def call(client: Any, told: dict[str, Any], platform: str = "talk", at: float | None = None) -> httpx.Response:
    body = json.dumps(told).encode()
    headers = sign(body, time.time() if at is None else at)
    return client.post(f"/v1/chat/{platform}", content=body, headers=headers)  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def house(home: Path, talk: TalkServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChatHouse]:
    """Over the six incidents, with a store of its own."""
    place = tmp_path_factory.mktemp("store") / "store.db"
    settings = ServiceSettings(home=home, database_url=f"sqlite:///{place}", reading="key")
    said = ChatSettings(public_url="https://kb.example.org", chat_tries=2)
    app = create_app(settings, replace(chats(talk.url, said), pace=SOON))
    with (
        TestClient(app, raise_server_exceptions=False, client=HERE, base_url=LOCAL) as client,
        Store.open(settings.store) as store,
    ):
        yield ChatHouse(client, talk, store)
