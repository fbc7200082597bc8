"""What would cost the others is refused, early and with a time to come back; over real connections."""

import json
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from api.server.connection import HEAD_BYTES, HEAD_SECONDS
from tests.api.fixtures import LiveServer, assert_problem, poll, serving
from tests.api.knowledge import KAFKA_TRACE

LIMITS = {
    "KB_MAX_BODY_BYTES": "200000",
    "KB_BODY_SECONDS": "1",
    "KB_CONNECTIONS": "40",
    "KB_CONCURRENCY": "1",
    "KB_QUEUE": "2",
    "KB_LOG_FORMAT": "json",
}
POST = "POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


@pytest.fixture(scope="module")
def limited(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A service with small limits."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in LIMITS.items():
            patch.setenv(name, value)
        with serving(home, tmp_path_factory.mktemp("limited")) as server:
            yield server


def connect(server: LiveServer) -> socket.socket:
    host, port = server.url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=60)


def rest_of(connection: socket.socket) -> bytes:
    """Everything until the server closes."""
    received = b""
    try:
        while data := connection.recv(65536):
            received += data
    except ConnectionResetError:
        pass  # it closed while we were still sending
    return received


def problem_of(received: bytes) -> tuple[int, str, dict[str, str]]:
    """Status, kind and headers of a problem on the wire."""
    head, _, body = received.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    assert headers["content-type"] == "application/problem+json"
    assert headers["connection"] == "close"
    document = json.loads(body)
    assert document["status"] == int(first.split()[1])
    return document["status"], document["type"].rpartition(":")[2], headers


def answers(server: LiveServer) -> bool:
    return httpx.post(f"{server.url}/v1/search", json={"text": KAFKA_TRACE}, timeout=60).status_code == 200


@pytest.mark.parametrize(
    ("sent", "expected", "within"),
    [
        pytest.param(f"{POST}Content-Length: 100\r\n\r\n{{", (408, "body-too-slow"), (0.9, 20), id="body stops"),
        pytest.param(
            f'{POST}Transfer-Encoding: chunked\r\n\r\n5\r\n{{"tex', (408, "body-too-slow"), (0.9, 20), id="chunk stops"
        ),
        pytest.param(f"{POST}Content-Length: 200001\r\n\r\n", (413, "body-too-large"), (0, 20), id="body is announced too large"),
        pytest.param(
            f"{POST}Transfer-Encoding: chunked\r\n\r\n" + f"10000\r\n{'x' * 65536}\r\n" * 4,
            (413, "body-too-large"),
            (0, 20),
            id="chunks without end",
        ),
        pytest.param(f"GET / HTTP/1.1\r\nX: {'x' * HEAD_BYTES}", (431, "head-too-large"), (0, 20), id="a header without end"),
        pytest.param(
            "GET / HTTP/1.1\r\n" + "".join(f"X-{n}: y\r\n" for n in range(HEAD_BYTES // 8)),
            (431, "head-too-large"),
            (0, 20),
            id="headers without end",
        ),
        pytest.param(f"GET /{'x' * HEAD_BYTES}", (431, "head-too-large"), (0, 20), id="an address without end"),
    ],
)  # fmt: skip
def test_slow_and_endless_requests_are_cut(
    limited: LiveServer, sent: str, expected: tuple[int, str], within: tuple[float, float]
) -> None:
    start = time.monotonic()
    with connect(limited) as connection:
        connection.sendall(sent.encode())
        status, kind, _ = problem_of(rest_of(connection))
    took = time.monotonic() - start
    assert (status, kind) == expected
    assert within[0] <= took <= within[1]


def test_a_slow_head_is_cut(limited: LiveServer) -> None:
    heads = ["", "GET / HTTP/1.1\r\nHost: ", "\r\n", "GET / HT"]
    start = time.monotonic()
    with ExitStack() as stack:
        slow = [stack.enter_context(connect(limited)) for _ in heads]
        slow[-1].sendall(
            b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        )  # a second request is no freer than a first
        assert slow[-1].recv(65536).startswith(b"HTTP/1.1 200")
        for connection, head in zip(slow, heads, strict=True):
            connection.sendall(head.encode())
        received = [rest_of(connection) for connection in slow]
    assert HEAD_SECONDS * 0.9 <= time.monotonic() - start <= HEAD_SECONDS + 20
    assert {problem_of(one)[:2] for one in received} == {(408, "head-too-slow")}


def test_a_request_answered_before_its_body_ends_is_cut(limited: LiveServer) -> None:
    """Also when a byte comes after the answer, which ends uvicorn's own time."""
    with connect(limited) as connection:
        connection.sendall(b"POST /nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{")
        received = connection.recv(65536)
        start = time.monotonic()
        connection.sendall(b"{")
        assert received.startswith(b"HTTP/1.1 404")
        rest_of(connection)
    assert HEAD_SECONDS * 0.9 <= time.monotonic() - start <= HEAD_SECONDS + 20


def test_a_body_in_drops_is_cut_by_its_whole_time_and_holds_no_place(limited: LiveServer) -> None:
    """Thirty at once, a byte each tenth of a second: cut after a second, while a search beside them is answered."""
    with ExitStack() as stack:
        slow = [stack.enter_context(connect(limited)) for _ in range(30)]
        for connection in slow:
            connection.sendall(f"{POST}Content-Length: 1000\r\n\r\n".encode())
        for drop in range(8):
            for connection in slow:
                connection.sendall(b" ")
            if drop == 4:
                assert answers(limited)
            time.sleep(0.1)
        assert {problem_of(rest_of(connection))[:2] for connection in slow} == {(408, "body-too-slow")}


def test_one_connection_too_many_gets_retry_after(limited: LiveServer) -> None:
    with ExitStack() as stack:
        held = [stack.enter_context(connect(limited)) for _ in range(int(LIMITS["KB_CONNECTIONS"]))]
        time.sleep(0.3)
        with connect(limited) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            status, kind, headers = problem_of(rest_of(connection))
        assert (status, kind, headers["retry-after"]) == (503, "overloaded", "1")
        assert held
    poll(lambda: answers(limited))


def test_overload_is_refused_before_the_body_is_read(limited: LiveServer) -> None:
    """While long pastes take all places, a request is refused on its head alone, and who has a place is answered."""
    slow = "\n".join([KAFKA_TRACE, *(f"{number} w{number} checkpoint" for number in range(6_000))])
    statuses: list[int] = []
    is_over = threading.Event()

    def ask() -> None:
        while not is_over.is_set():
            response = httpx.post(f"{limited.url}/v1/search", json={"text": slow}, timeout=60)
            statuses.append(response.status_code)

    def refused_by_its_head() -> bool:
        with connect(limited) as connection:
            connection.settimeout(0.5)
            connection.sendall(f"{POST}Content-Length: 1000\r\nConnection: close\r\n\r\n".encode())
            try:
                head = connection.recv(65536).lower()
            except TimeoutError:  # a place was free: it waits for the body
                return False
        return head.startswith(b"http/1.1 503") and b"retry-after: 1" in head and b"problem:overloaded" in head

    with ThreadPoolExecutor(6) as threads:
        try:
            for _ in range(6):
                threads.submit(ask)
            poll(refused_by_its_head)
        finally:
            is_over.set()
    assert set(statuses) == {200, 503}


@pytest.mark.slow
def test_a_search_without_an_answer_in_time_is_refused_and_the_worker_goes_on(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KB_SEARCH_SECONDS", "0.2")
    monkeypatch.setenv("KB_CONCURRENCY", "1")
    long = "\n".join([KAFKA_TRACE, *(f"{number} word{number} checkpoint 检查点" for number in range(400_000))])
    with serving(home, tmp_path) as server:
        poll(lambda: answers(server))
        start = time.monotonic()
        response = httpx.post(f"{server.url}/v1/search", json={"text": long}, timeout=60)
        assert_problem(response, 503, "too-slow")
        assert response.headers["retry-after"]
        assert time.monotonic() - start < 40
        assert httpx.get(f"{server.url}/healthz").status_code == 200
        poll(lambda: httpx.get(f"{server.url}/readyz").status_code == 200)
        poll(lambda: answers(server))
        assert 'kb_problems_total{kind="too-slow"}' in httpx.get(f"{server.url}/metrics").text


def test_bodies_in_memory_are_bounded_together(limited: LiveServer) -> None:
    """Each of eight sends all of a large body but its end: four are held, the others are refused."""
    size = int(LIMITS["KB_MAX_BODY_BYTES"])
    with ExitStack() as stack:
        senders = [stack.enter_context(connect(limited)) for _ in range(8)]
        for sender in senders:
            sender.sendall(f"{POST}Content-Length: {size}\r\n\r\n".encode() + b" " * (size - 1))
        kinds = [problem_of_any(rest_of(sender)) for sender in senders]
    assert sorted(kinds) == ["body-too-slow"] * 4 + ["overloaded"] * 4
    poll(lambda: answers(limited))


def problem_of_any(received: bytes) -> str:
    body = received.partition(b"\r\n\r\n")[2]
    return str(json.loads(body)["type"]).rpartition(":")[2]
