"""The real program: `kb serve` in its own process, its doors, its reload, its end."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from selectolax.lexbor import LexborHTMLParser

from tests.api.command import Ended, kb
from tests.api.fixtures import LiveServer, assert_problem, poll, serving
from tests.api.knowledge import HDFS_TRACE, HIVE_TRACE, KAFKA_TRACE, PYTHON_TRACE, RECORDS, UNKNOWN_TRACE, build_home

QUESTIONS = {
    "trace": HDFS_TRACE,
    "inner cause": HDFS_TRACE[HDFS_TRACE.index("Caused by") :],
    "in a log": f"2026-01-01 ERROR x\n{KAFKA_TRACE}2026-01-01 INFO y\n",
    "python": PYTHON_TRACE,
    "hive": HIVE_TRACE,
    "question": "flink checkpoint 失败，磁盘满了",
    "unknown": UNKNOWN_TRACE,
    "with a secret": f"password=Hunter2hunter2\n{KAFKA_TRACE}",
}


def ids_of_json(url: str, text: str) -> tuple[str, str, list[str]]:
    """The verdict on the wire, the one in words, which has a fourth value, and the incidents."""
    answer = httpx.post(f"{url}/v1/search", json={"text": text}).raise_for_status().json()
    fine = "probable" if answer["headline"].startswith("Probably") else answer["verdict"]
    return answer["verdict"], fine, [match["incident"]["id"] for match in answer["matches"]]


def ids_of_page(url: str, text: str) -> tuple[str, list[str]]:
    html = httpx.post(f"{url}/?lang=en", data={"text": text}).raise_for_status().text
    page = LexborHTMLParser(html)
    verdict = page.css_first(".verdict")
    assert verdict is not None
    links = page.css(".best h2 a, .candidate .more a[href^='/incidents/']")
    ids = [str(link.attributes["href"]).split("/")[2].partition("?")[0] for link in links]
    return str(verdict.attributes["class"]).split()[1], ids


def ids_of_cli(result: Ended) -> tuple[str, list[str]]:
    answer = json.loads(result.stdout)
    return answer["verdict"], [match["incident"]["id"] for match in answer["matches"]]


@pytest.mark.parametrize("text", QUESTIONS.values(), ids=QUESTIONS)
def test_the_doors_agree(live_server: LiveServer, home: Path, text: str) -> None:
    """JSON, page, command line here and command line through the service: the same incidents in the same order."""
    verdict, fine, ids = ids_of_json(live_server.url, text)
    expected = (verdict, ids)
    assert ids_of_page(live_server.url, text) == (fine, ids)
    assert ids_of_cli(kb("search", "--json", home=home, paste=text)) == expected
    there = {"KB_URL": live_server.url}
    assert ids_of_cli(kb("search", "--json", home=Path("/nonexistent"), paste=text, env=there)) == expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("INFO all is well, nothing to see\n" * 150_000, id="5 MB of log"),
        pytest.param("java.io.IOException: x\n" + "\tat a.b.c(D.java:1)\n" * 100_000, id="100,000 frames"),
        pytest.param("x" * 5_000_000, id="one line of 5 MB"),
        pytest.param("\x00\x01\x02\ufffd" * 10_000, id="binary"),
        pytest.param("检查点失败" * 100_000, id="half a million Chinese characters"),
        pytest.param("Caused by: " * 100_000, id="only Caused by"),
    ],
)
def test_hostile_pastes_are_answered_in_bounded_time(live_server: LiveServer, text: str) -> None:
    start = time.monotonic()
    verdict, *_ = ids_of_json(live_server.url, text)
    assert verdict == "unknown"
    assert ids_of_page(live_server.url, text)[0] == "unknown"
    assert time.monotonic() - start < 30


def test_a_body_over_the_limit_is_refused_by_the_real_server(live_server: LiveServer) -> None:
    response = httpx.post(f"{live_server.url}/v1/search", json={"text": "x" * 40_000_000}, timeout=30)
    assert_problem(response, 413, "body-too-large")


@pytest.mark.parametrize(
    "raw",
    [b"\x00\x01\x02\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"POST /v1/search HTTP/1.1\r\nContent-Length: x\r\n\r\n"],
)
def test_rubbish_on_the_wire_does_not_stop_it(live_server: LiveServer, raw: bytes) -> None:
    host, port = live_server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        connection.sendall(raw)
        connection.recv(100)
    assert httpx.get(f"{live_server.url}/healthz").status_code == 200


def test_the_log_names_requests_but_never_what_was_pasted(live_server: LiveServer) -> None:
    httpx.get(live_server.url, params={"text": "com.acme.SecretProject failed"}, headers={"x-request-id": "find-me-1"})
    poll(lambda: "find-me-1" in live_server.output.read_text())
    assert "SecretProject" not in live_server.output.read_text()


@pytest.mark.slow
def test_a_new_snapshot_is_taken_up_under_load_without_a_failed_request(tmp_path: Path) -> None:
    """Of two workers, and a stop after it: test_lifespan.py."""
    home = tmp_path / "home"
    known = {build_home(home, RECORDS[:2]).id}
    seen: list[tuple[int, str, str]] = []
    stop = threading.Event()

    def load(url: str) -> None:
        with httpx.Client(timeout=30) as client:
            while not stop.is_set():
                response = client.post(f"{url}/v1/search", json={"text": KAFKA_TRACE, "k": 1})
                answer = response.json()
                seen.append(
                    (response.status_code, answer.get("snapshot_id", ""), answer["matches"][0]["incident"]["id"])
                )

    with serving(home, tmp_path) as server, ThreadPoolExecutor(4) as threads:
        clients = [threads.submit(load, server.url) for _ in range(4)]
        try:
            for size in (3, 4, 5):
                built = build_home(home, RECORDS[:size])
                known.add(built.id)
                poll(lambda wanted=built.id: any(snapshot == wanted for _, snapshot, _ in list(seen)))  # type: ignore[misc]
            poll(lambda: {snapshot for _, snapshot, _ in seen[-40:]} == {built.id})
        finally:
            stop.set()
        for client in clients:
            client.result()
    assert {(status, best) for status, _, best in seen} == {(200, "kafka-commit-rebalanced")}
    assert {snapshot for _, snapshot, _ in seen} == known


def test_it_starts_without_a_snapshot_and_answers_once_there_is_one(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    with serving(home, tmp_path) as server:
        assert httpx.get(f"{server.url}/healthz").status_code == 200
        for response in (
            httpx.get(f"{server.url}/readyz"),
            httpx.post(f"{server.url}/v1/search", json={"text": "x"}),
        ):
            document = assert_problem(response, 503, "no-snapshot")
            assert "kb ingest" in str(document["detail"])
            assert "retry-after" in response.headers
        assert httpx.post(f"{server.url}/v1/parse", json={"text": KAFKA_TRACE}).status_code == 200
        assert httpx.get(f"{server.url}/v1/incidents").json()["incidents"] == []  # curators may begin
        assert httpx.get(server.url).status_code == 200
        build_home(home)
        poll(lambda: httpx.get(f"{server.url}/readyz").status_code == 200)
        assert ids_of_json(server.url, KAFKA_TRACE)[2][0] == "kafka-commit-rebalanced"


def test_readyz_says_when_a_newer_snapshot_cannot_be_used(tmp_path: Path) -> None:
    home = tmp_path / "home"
    build_home(home, RECORDS[:2])
    with serving(home, tmp_path) as server:
        (home / "CURRENT").write_text("feedfeedfeedfeed\n")
        poll(lambda: httpx.get(f"{server.url}/readyz").json()["problem"] is not None)
        assert httpx.get(f"{server.url}/readyz").status_code == 200
        assert ids_of_json(server.url, KAFKA_TRACE)[2][0] == "kafka-commit-rebalanced"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_quietly_when_told_to(tmp_path: Path, home: Path, number: signal.Signals) -> None:
    with serving(home, tmp_path) as server:
        server.process.send_signal(number)
        server.process.wait(60)
        assert "Traceback" not in server.output.read_text()


def test_a_port_that_is_taken_is_told_with_the_cure(home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        environment = {**os.environ, "KB_HOME": str(home)}
        command = [sys.executable, "-m", "api.cli", "serve", "--port", port]
        done = subprocess.run(command, capture_output=True, env=environment, timeout=60, check=False)
    assert done.returncode == 1
    (line,) = done.stderr.decode().splitlines()
    assert f"cannot listen on 127.0.0.1:{port}: Address already in use" in line
    assert "--port" in line
