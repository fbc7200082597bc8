"""A stop is announced, takes nothing away from anybody, and comes to an end; with real processes."""

import gc
import signal
import socket
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import ServiceSettings
from tests.api.fixtures import LiveServer, poll, serving
from tests.api.knowledge import KAFKA_TRACE, RECORDS, build_home

CLIENTS = 3


class Balancer:
    """Sends requests from several clients as long as the instance says that it is ready, as a load balancer does."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.is_ready = True
        self.answered: list[tuple[int, str]] = []
        self.failed: list[str] = []

    def client(self) -> None:
        with httpx.Client(timeout=30) as client:
            while self.is_ready:
                try:
                    response = client.post(f"{self.url}/v1/search", json={"text": KAFKA_TRACE, "k": 1})
                except httpx.HTTPError as error:
                    self.failed.append(repr(error))
                else:
                    self.answered.append((response.status_code, response.json().get("snapshot_id", "")))
                time.sleep(0.02)

    def probe(self) -> None:
        while self.is_ready:
            try:
                self.is_ready = httpx.get(f"{self.url}/readyz", timeout=5).is_success
            except httpx.HTTPError:
                self.is_ready = False
            time.sleep(0.05)


def test_what_is_loaded_is_left_out_of_the_collectors_rounds(tmp_path: Path) -> None:
    """But for what the last snapshot left behind."""
    build_home(tmp_path, RECORDS[:3])
    gc.unfreeze()
    app = create_app(ServiceSettings(home=tmp_path, poll_seconds=0.1))
    try:
        with TestClient(app):
            poll(lambda: gc.get_freeze_count() > 10_000)
            first = weakref.ref(app.state.service.live.engine)
            build_home(tmp_path, RECORDS[:4])
            poll(lambda: first() is None and gc.get_freeze_count() > 10_000)
    finally:
        gc.freeze()  # as `tests/conftest.py` left it


@pytest.mark.slow
def test_no_request_fails_during_a_snapshot_swap_and_a_stop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KB_DRAIN_SECONDS", "1.5")
    home = tmp_path / "home"
    build_home(home, RECORDS[:3])
    with serving(home, tmp_path, "--workers", "2") as server, ThreadPoolExecutor(CLIENTS + 1) as threads:
        balancer = Balancer(server.url)
        threads.submit(balancer.probe)
        for _ in range(CLIENTS):
            threads.submit(balancer.client)
        poll(lambda: len(balancer.answered) > 20)
        newer = build_home(home, RECORDS[:4])
        poll(lambda: any(snapshot == newer.id for _, snapshot in list(balancer.answered)))
        server.process.send_signal(signal.SIGTERM)
        poll(lambda: not balancer.is_ready)
        assert server.process.poll() is None, "it was gone before it had said so"
        server.process.wait(60)
    assert balancer.failed == []
    assert {status for status, _ in balancer.answered} == {200}


def test_a_search_under_way_is_answered_after_the_signal(tmp_path: Path, home: Path) -> None:
    """A long paste is sent, the stop comes while it is searched: the answer comes, whole."""
    text = "\n".join([KAFKA_TRACE, *(f"{number} word{number} checkpoint" for number in range(200_000))])
    answers: list[httpx.Response] = []
    with serving(home, tmp_path) as server:
        asking = threading.Thread(
            target=lambda: answers.append(httpx.post(f"{server.url}/v1/search", json={"text": text}, timeout=60))
        )
        asking.start()
        poll(lambda: 'kb_places{state="taken"} 1.0' in httpx.get(f"{server.url}/metrics").text)
        server.process.send_signal(signal.SIGTERM)
        asking.join(60)
        server.process.wait(60)
    assert [answer.status_code for answer in answers] == [200]
    assert answers[0].json()["matches"][0]["incident"]["id"] == "kafka-commit-rebalanced"


def test_a_stopping_service_is_not_ready_closes_connections_and_ends(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when somebody never sends the end of a body: it is waited for as long as for a search, not longer."""
    monkeypatch.setenv("KB_DRAIN_SECONDS", "20")
    monkeypatch.setenv("KB_SEARCH_SECONDS", "3")
    with serving(home, tmp_path) as server, half_a_request(server):
        assert "connection" not in httpx.get(f"{server.url}/readyz").headers
        server.process.send_signal(signal.SIGTERM)
        poll(lambda: httpx.get(f"{server.url}/readyz").status_code == 503)
        response = httpx.get(f"{server.url}/readyz")
        assert response.json()["type"].endswith(":stopping")
        assert response.headers["retry-after"]
        answer = httpx.post(f"{server.url}/v1/search", json={"text": KAFKA_TRACE})
        assert (answer.status_code, answer.headers["connection"]) == (200, "close")
        start = time.monotonic()
        server.process.send_signal(signal.SIGTERM)  # who cannot wait asks twice
        server.process.wait(60)
        assert time.monotonic() - start < 18, "it waited for KB_DRAIN_SECONDS"


def half_a_request(server: LiveServer) -> socket.socket:
    host, port = server.url.removeprefix("http://").split(":")
    connection = socket.create_connection((host, int(port)), timeout=60)
    connection.sendall(
        b"POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
    )
    return connection
