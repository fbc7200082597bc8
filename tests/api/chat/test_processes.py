"""Several services over one store, as real processes: each question is answered once, also when they are killed."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from api.chat.worker import MAY_BE_THERE
from kb.store import Store
from kb.store.model import MessageState
from tests.api.chat.conftest import TalkServer, call, question
from tests.api.fixtures import poll
from tests.api.forked import Forked, start
from tests.api.knowledge import HDFS_TRACE
from tests.api.proof.service import free_port
from tests.databases import Server

WAIT = 90


@dataclass
class Talking:
    """One service."""

    port: int
    process: Forked

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(self, thread: str, platform: str = "talk") -> None:
        """Ask in a thread; it is acknowledged."""
        with httpx.Client(base_url=self.url, timeout=60) as client:
            assert call(client, question(HDFS_TRACE, thread), platform).status_code == 200

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@contextmanager
def service(home: Path, place: str | Path, talk: TalkServer) -> Iterator[Talking]:
    port = free_port()
    place = place if isinstance(place, str) else f"sqlite:///{place}"
    settings = {"KB_HOME": str(home), "KB_DATABASE_URL": place, "KB_SEARCH_SECONDS": "2", "KB_LOG_LEVEL": "error"}
    process = start(str(port), talk.url, env=settings, files=(0, 1, 2), module="tests.api.chat.service")
    running = Talking(port, process)

    def is_ready() -> bool:
        assert process.poll() is None
        try:
            return httpx.get(f"{running.url}/readyz").is_success
        except httpx.HTTPError:
            return False

    try:
        poll(is_ready, WAIT)
        yield running
    finally:
        process.kill()
        process.wait()


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.bench)])
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str | Path:
    if request.param == "sqlite":
        return tmp_path_factory.mktemp("store") / "store.db"
    server: Server = request.getfixturevalue("postgresql")
    return server.new_database()


@pytest.fixture(scope="module")
def both(home: Path, place: str | Path, talk: TalkServer) -> Iterator[list[Talking]]:
    """Two services; the last test kills the second."""
    with ExitStack() as running:
        yield [running.enter_context(service(home, place, talk)) for _ in range(2)]


def test_two_services_answer_what_both_were_told_once(both: list[Talking], talk: TalkServer) -> None:
    talk.be(forget=True)
    for at in range(12):
        for one in both:
            one.ask(f"both{at}")
    poll(lambda: all(talk.posted(f"both{at}") for at in range(12)), WAIT)
    assert [len(talk.posted(f"both{at}")) for at in range(12)] == [1] * 12


def test_what_a_killed_service_has_left_is_answered_by_another(
    place: str | Path, both: list[Talking], talk: TalkServer
) -> None:
    """Killed while its first answers are on their way: those may be there, the others have not begun."""
    lasts, victim = both
    talk.be("hang", "hang", forget=True)
    for name in ("talk", "shout"):
        victim.ask(f"killed-{name}", name)
    poll(lambda: len(talk.told()["tried"]) >= 2, WAIT)
    talk.be()
    for at in range(6):
        victim.ask(f"left{at}")
    victim.kill()
    poll(lambda: all(talk.posted(f"left{at}") for at in range(6)), WAIT)
    with Store.open(place) as store:
        poll(lambda: bool(store.messages.listing()), WAIT)
        (letter,) = store.messages.listing()
        assert (letter.platform, letter.message_id) == ("shout", "id-killed-shout")
        assert letter.why == MAY_BE_THERE
        poll(lambda: store.messages.counts().get(("talk", MessageState.DONE)) == 12 + 7, WAIT)
    threads = ["killed-talk", "killed-shout", *(f"left{at}" for at in range(6))]
    assert [len(talk.posted(thread)) for thread in threads] == [1] * 8
    assert lasts.process.poll() is None
