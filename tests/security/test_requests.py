"""Single requests that are not what they seem: heads of any size, forms of other sites, names that are texts."""

import socket
import struct
import subprocess
import sys

import pytest
from starlette.testclient import TestClient

from api.server.connection import HEAD_BYTES
from tests.api.fixtures import LiveServer


def connect(server: LiveServer) -> socket.socket:
    return socket.create_connection(("127.0.0.1", int(server.url.rpartition(":")[2])), timeout=60)


def status(server: LiveServer, head: bytes) -> int:
    with connect(server) as connection:
        connection.sendall(head)
        return int(connection.recv(65536).split()[1])


@pytest.mark.parametrize(("more", "answer"), [(-200, 200), (200, 431), (4_000, 431), (40_000, 431)])
@pytest.mark.parametrize("where", ["one header", "many headers"])
def test_a_head_is_at_most_as_large_as_is_said(live_server: LiveServer, where: str, more: int, answer: int) -> None:
    size = HEAD_BYTES + more
    long = f"X-Long: {'x' * size}\r\n" if where == "one header" else f"X-Long: {'x' * 90}\r\n" * (size // 100)
    assert status(live_server, f"GET /healthz HTTP/1.1\r\nHost: localhost\r\n{long}\r\n".encode()) == answer


@pytest.mark.parametrize("read", [0, 1, 20_000])
@pytest.mark.parametrize("is_cut", [True, False])
def test_clients_that_ask_much_and_go_away_leave_no_errors(live_server: LiveServer, read: int, *, is_cut: bool) -> None:
    """Each sends forty requests at once, reads a part, and closes: what is written to it then is nobody's fault."""
    before = live_server.output.stat().st_size
    for _ in range(20):
        with connect(live_server) as connection:
            connection.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 40)
            if is_cut:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            got = 0
            while got < read:
                got += len(connection.recv(read - got))
    assert status(live_server, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n") == 200
    log = live_server.output.read_bytes()[before:].decode()
    assert log.count('"event": "request"') > 0
    assert [line for line in log.splitlines() if '"level": "info"' not in line] == []


@pytest.mark.parametrize(
    ("site", "answer"),
    [("cross-site", 403), ("same-site", 200), ("same-origin", 200), ("none", 200), (None, 200)],
)
def test_a_page_of_another_site_searches_nothing(client: TestClient, site: str | None, answer: int) -> None:
    headers = {"Sec-Fetch-Site": site} if site else {}
    assert client.post("/", data={"text": "boom"}, headers=headers).status_code == answer


@pytest.mark.parametrize(("said", "kept"), [("0123456789abcdef", "0123456789abcdef"), ("pw=Zq28hunter", ""), ("s", "")])
def test_a_vote_keeps_of_a_snapshot_its_name_alone(client: TestClient, said: str, kept: str) -> None:
    store = client.app.state.service.store  # type: ignore[attr-defined]
    known = client.post("/v1/search", json={"text": "kafka RecordTooLargeException"}).json()["matches"][0]["incident"]
    vote = {"vote": "no", "fingerprints": {"exact": [said.encode().hex().ljust(32, "0")]}, "probability": 0.5}
    answer = client.post(f"/v1/incidents/{known['id']}/feedback", json={**vote, "snapshot_id": said})
    assert answer.status_code == 201
    assert store.feedback.listing(limit=10_000)[-1][1].snapshot_id == kept


def test_little_room_is_told_before_anything_ends_without_a_word() -> None:
    script = f"ulimit -v 900000; exec {sys.executable} -m api.cli --help"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0
    assert "only 878 MB of address space may be used" in done.stderr
    assert "ulimit -v" in done.stderr
