"""Connections to each worker of a service, one by one: the system knows which process holds the other end."""

import json
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

_ATTEMPTS = 500
SECONDS = 60


@dataclass
class Door:
    """One connection that stays open."""

    connection: HTTPConnection
    key: str

    def close(self) -> None:
        """Disconnect."""
        self.connection.close()

    @classmethod
    def open(cls, port: int, key: str = "") -> "Door":
        """Connect."""
        connection = HTTPConnection("127.0.0.1", port, timeout=SECONDS)
        connection.connect()
        return cls(connection, key)

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """Status and JSON of the answer."""
        sent = {"Content-Type": "application/json", **headers}
        if method != "GET" and path.startswith("/v1/incidents"):
            sent["Authorization"] = f"Bearer {self.key}"
        data = None if body is None else json.dumps(body)
        self.connection.request(method, path, data, sent)
        answer = self.connection.getresponse()
        return answer.status, json.loads(answer.read() or b"null")

    def search(self, text: str) -> list[str]:
        """The ids that are named in the answer."""
        status, answer = self.ask("POST", "/v1/search", {"text": text})
        assert status == 200, answer
        return named(answer)

    @property
    def worker(self) -> int:
        """The process at the other end."""
        here = self.connection.sock.getsockname()[1]
        return _holder(here, self.connection.port)


def named(answer: Any) -> list[str]:
    """The ids of an answer, those of one problem one after the other."""
    return [one["id"] for match in answer["matches"] for one in (match["incident"], *match["also"])]


def each_worker(port: int, workers: int, key: str = "") -> list[Door]:
    """A connection to each of so many workers."""
    found: dict[int, Door] = {}
    for _ in range(_ATTEMPTS):
        door = Door.open(port, key)
        door.ask("GET", "/healthz")
        pid = door.worker
        if pid in found:
            door.close()
            continue
        found[pid] = door
        if len(found) == workers:
            return [found[pid] for pid in sorted(found)]
    raise AssertionError(f"of {workers} workers only {len(found)} take connections")


def cpu_seconds(pid: int) -> float:
    """What a process has used so far."""
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / 100


def _holder(client: int, server: int) -> int:
    """The process whose socket is at the server's port and goes to the client's."""
    ends = f"0100007F:{server:04X} 0100007F:{client:04X}"
    lines = Path("/proc/net/tcp").read_text().splitlines()
    socket = next(line.split()[9] for line in lines if ends in line)
    for link in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            if link.readlink().name == f"socket:[{socket}]":
                return int(link.parts[2])
        except OSError:
            continue
    raise AssertionError("nobody holds the connection")
