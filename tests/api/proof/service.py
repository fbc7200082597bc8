"""A real `kb serve` that is killed and started again at the same address, and the keys to it."""

import os
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from api.commands.serve import STARTUP_SECONDS
from kb.store import Actor, Role, Store
from tests.api.fixtures import LiveServer, poll, serving
from tests.api.processes import workers_of

SECONDS = 240.0
"""What a start may take: the machine may be busy with other tests."""
WORKERS = 2
ROOT = Actor("test", "test", Role.ADMIN)


def a_key(place: str, role: Role = Role.CURATOR) -> str:
    """The secret of a new key in the store at an address."""
    with Store.open(place) as store:
        return store.keys.create("proof", role, actor=ROOT)[1]


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Killed:
    """A service that can be killed. Every start listens at the same port, so none may be left of the one before."""

    def __init__(self, home: Path, folder: Path, *, workers: int = WORKERS) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.workers = workers
        self._home, self._folder = home, folder
        self._running = ExitStack()
        self._server: LiveServer | None = None

    @property
    def server(self) -> LiveServer:
        """The one that runs."""
        assert self._server is not None
        return self._server

    def start(self) -> None:
        """Start it, and wait until all of its workers are there."""
        several = ("--workers", str(self.workers)) if self.workers > 1 else ()
        options = ("--port", str(self.port), *several)
        self._server = self._running.enter_context(serving(self._home, self._folder, *options, seconds=SECONDS))
        if self.workers > 1:
            poll(lambda: len(workers_of(self.server)) == self.workers, SECONDS)

    def kill_worker(self) -> None:
        """Kill one worker while its parent waits for a sign of it; the parent starts another."""
        victim = min(workers_of(self.server))
        os.kill(victim, signal.SIGSTOP)
        time.sleep(1)
        os.kill(victim, signal.SIGKILL)
        poll(lambda: len(workers_of(self.server) - {victim}) == self.workers, STARTUP_SECONDS / 2)

    def kill_parent(self) -> None:
        """Kill the parent alone: its workers end by themselves."""
        left = workers_of(self.server)
        self.server.process.kill()
        self.server.process.wait()
        poll(lambda: not any(alive(pid) for pid in left), SECONDS)

    def kill_all(self) -> None:
        """Kill the parent and all of its workers."""
        left = workers_of(self.server)
        for pid in (self.server.process.pid, *left):
            os.kill(pid, signal.SIGKILL)
        self.server.process.wait()
        poll(lambda: not any(alive(pid) for pid in left), SECONDS)

    def close(self) -> None:
        """End what runs."""
        self._running.close()


@contextmanager
def killed(home: Path, folder: Path, *, workers: int = WORKERS) -> Iterator[Killed]:
    """A service that runs, to be killed."""
    service = Killed(home, folder, workers=workers)
    try:
        service.start()
        yield service
    finally:
        service.close()


def alive(pid: int) -> bool:
    """Whether a process runs: not gone, and no zombie."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    return False
