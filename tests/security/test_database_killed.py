"""PostgreSQL is killed under curators who write: nothing acknowledged is lost, searches go on, and nobody starts the service again."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from kb.store import Role, Store
from tests.api.fixtures import poll, serving
from tests.api.proof.service import SECONDS, a_key, alive
from tests.api.proof.test_killed import whole
from tests.api.proof.writers import Writer
from tests.databases import Server, running_postgresql

WRITERS = 4


@pytest.fixture
def database() -> Iterator[Server]:
    """A PostgreSQL of this test, so that nobody else misses it."""
    with running_postgresql() as server:
        yield server


def kill_server(server: Server) -> None:
    """Kill the parent of its processes; the others end by themselves."""
    parent = int((server.data / "postmaster.pid").read_text().split()[0])
    children = [int(one) for one in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]
    os.kill(parent, signal.SIGKILL)
    poll(lambda: not any(alive(pid) for pid in (parent, *children)), SECONDS)
    for lock in (server.data / "postmaster.pid", *server.folder.glob(".s.*.lock")):
        lock.unlink()  # a container without an init keeps the dead process's number, and the next start believes that it runs


def kill_connections(server: Server) -> None:
    """Kill a process that serves a connection: PostgreSQL ends all others and mends itself."""
    parent = int((server.data / "postmaster.pid").read_text().split()[0])
    children = [int(one) for one in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]
    busy = [pid for pid in children if b"[local]" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    os.kill(max(busy), signal.SIGKILL)


HOW: dict[str, tuple[Callable[[Server], None], bool]] = {
    "stopped": (lambda server: server.stop("fast"), True),
    "ended at once": (lambda server: server.stop("immediate"), True),
    "a connection killed": (kill_connections, False),
    "killed": (kill_server, True),
}
"""By what happens: how, and whether it stays away until it is started."""


@pytest.mark.bench
@pytest.mark.timeout(600)
@pytest.mark.parametrize("workers", [1, 2])
def test_what_was_acknowledged_outlives_a_killed_database(
    database: Server, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    place = database.new_database()
    key = a_key(place, Role.CURATOR)
    monkeypatch.setenv("KB_DATABASE_URL", place)
    several = ("--workers", str(workers)) if workers > 1 else ()
    with ExitStack() as running:
        server = running.enter_context(serving(home, tmp_path, *several, seconds=SECONDS))
        writers = [Writer(server.url, key, f"w{number}") for number in range(WRITERS)]
        for writer in writers:
            writer.start()
        acknowledged = lambda: sum(len(one.told.acknowledged) for one in writers)  # noqa: E731
        for how, (kill, is_away) in HOW.items():
            before = acknowledged()
            poll(lambda before=before: acknowledged() >= before + 5, SECONDS)  # type: ignore[misc]
            kill(database)
            if is_away:
                _while_it_is_away(server.url, key)
                database.start()
            before = acknowledged()
            poll(lambda before=before: acknowledged() >= before + 5, SECONDS)  # type: ignore[misc]
            print(f"{how}: {before} acknowledged before, writes go on after")
            assert server.process.poll() is None
        for writer in writers:
            writer.end()
    with Store.open(place) as store:
        whole(store, [writer.told for writer in writers])
    unsure = sum(len(one.told.unsure) for one in writers)
    print(f"{acknowledged()} acknowledged, 0 lost, {unsure} not answered")


def _while_it_is_away(url: str, key: str) -> None:
    """Who writes is told so and to come again; searches and probes answer."""
    headers = {"Authorization": f"Bearer {key}"}
    answer = httpx.post(f"{url}/v1/incidents", json={"id": "away", "title": "Away"}, headers=headers, timeout=60)
    assert (answer.status_code, answer.json()["type"].rpartition(":")[2]) == (503, "store-busy"), answer.text
    assert "retry-after" in answer.headers
    assert "Traceback" not in answer.text
    assert httpx.get(f"{url}/healthz").status_code == 200
    found = httpx.post(f"{url}/v1/search", json={"text": "kafka RecordTooLargeException"}, timeout=60)
    assert found.status_code == 200, found.text
