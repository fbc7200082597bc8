"""Who holds connections holds them from nobody else, and never from a probe."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from api.server.connection import SHARE, SPARE
from tests.api.fixtures import LiveServer, poll, serving

MOST = 40
POST = b"POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n"


@pytest.fixture(scope="module")
def small(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A service of few connections that heeds other addresses than this machine's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KB_CONNECTIONS", str(MOST))
        patch.setenv("KB_READING", "open")
        with serving(home, tmp_path_factory.mktemp("small"), "--host", "0.0.0.0") as server:
            yield server


def connect(server: LiveServer, source: str = "127.0.0.1") -> socket.socket:
    """A connection by that address of this machine."""
    port = int(server.url.rpartition(":")[2])
    return socket.create_connection((source, port), timeout=60, source_address=(source, 0))


def get(server: LiveServer, path: str, source: str = "127.0.0.1") -> int:
    """The status of an answer on a new connection."""
    with connect(server, source) as connection:
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        return int(connection.recv(65536).split()[1])


@pytest.mark.parametrize("sent", [b"", POST, b"GET /"], ids=["nothing", "a body begun", "a head begun"])
def test_a_probe_is_answered_however_many_hold_connections(small: LiveServer, sent: bytes) -> None:
    with ExitStack() as stack:
        for _ in range(MOST + 3 * SPARE):
            stack.enter_context(connect(small)).sendall(sent)
        for _ in range(3):
            assert (get(small, "/healthz"), get(small, "/readyz")) == (200, 200)
        assert get(small, "/openapi.json") == 503
    poll(lambda: get(small, "/openapi.json") == 200)


def test_one_address_holds_no_more_than_its_share(small: LiveServer) -> None:
    other = own_address()
    with ExitStack() as stack:
        for _ in range(MOST // SHARE):
            stack.enter_context(connect(small, other)).sendall(POST)
        assert get(small, "/openapi.json", other) == 503
        assert get(small, "/healthz", other) == 200
        assert get(small, "/openapi.json") == 200
    poll(lambda: get(small, "/openapi.json", other) == 200)


def own_address() -> str:
    """One of this machine that is not its loopback."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        try:
            asked.connect(("192.0.2.1", 9))  # nothing is sent: it says by which address it would be
        except OSError:
            pytest.skip("this machine has no address but its loopback")
        return str(asked.getsockname()[0])
