"""Fixtures that the tests of the doors share: a home, the service in this process, the service as a program."""

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

import httpx
import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import ServiceSettings
from tests.api.forked import Forked, start
from tests.api.knowledge import build_home
from tests.api.terminal import kb_on

STARTUP_SECONDS = 120
HERE = ("127.0.0.1", 50_000)
LOCAL = "http://127.0.0.1"
"""Whence somebody on this machine asks, and what they ask; `TestClient` calls both otherwise."""


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the six incidents. Tests read it; one that changes its home builds its own."""
    folder = tmp_path_factory.mktemp("home")
    build_home(folder)
    return folder


@pytest.fixture(scope="session", autouse=True)
def known_as_testserver() -> Iterator[None]:
    """The name that `TestClient` asks by."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KB_HOSTS", "testserver")
        yield


@pytest.fixture(autouse=True)
def no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests see no KB_* of whoever runs them."""
    for name in [name for name in os.environ if name.startswith("KB_") and name != "KB_HOSTS"]:
        monkeypatch.delenv(name)


@pytest.fixture(scope="module")
def client(home: Path) -> Iterator[TestClient]:
    """The service over the six incidents, in this process."""
    settings = ServiceSettings(home=home, max_body_bytes=200_000)
    with TestClient(create_app(settings), raise_server_exceptions=False, client=HERE, base_url=LOCAL) as running:
        yield running


@dataclass(frozen=True, slots=True)
class LiveServer:
    """A real `kb serve`."""

    url: str
    process: subprocess.Popen[bytes] | Forked
    output: Path


@contextmanager
def serving(
    home: Path,
    folder: Path,
    *options: str,
    command: str = "serve",
    seconds: float = STARTUP_SECONDS,
) -> Iterator[LiveServer]:
    """Run `kb serve` (or `kb up`) on a free port until the block ends; its output is shown when it dies.

    One process that serves is forked off (`tests.api.forked`); one with workers starts from nothing, as they do.
    """
    output = folder / "serve.log"
    environment = {**os.environ, "KB_HOME": str(home), "KB_POLL_SECONDS": "0.1", "PYTHONUNBUFFERED": "1"}
    arguments = [command, "--port", "0", *options]
    process: subprocess.Popen[bytes] | Forked
    with output.open("wb") as log:
        if command == "serve" and "--workers" not in options:
            with Path(os.devnull).open("rb") as nothing:
                files = (nothing.fileno(), log.fileno(), log.fileno())
                process = start(*arguments, env=environment, files=files)
        else:
            process = subprocess.Popen(kb_on(*arguments), stdout=log, stderr=subprocess.STDOUT, env=environment)
    try:
        yield LiveServer(_wait(process, output, seconds), process, output)
    finally:
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait(process: subprocess.Popen[bytes] | Forked, output: Path, seconds: float) -> str:
    """The address it prints when it is ready."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        text = output.read_text(encoding="utf-8", errors="replace")
        for line in text.splitlines():
            if "dejastack is ready at " in line or "dejastack listens at " in line:
                return line.partition(" at ")[2].split()[0].rstrip(",")
        if process.poll() is not None:
            pytest.fail(f"kb serve ended with {process.returncode}:\n{text}")
        time.sleep(0.05)
    pytest.fail(f"kb serve was not ready after {seconds:.0f} s:\n{output.read_text(errors='replace')}")


@pytest.fixture(scope="module")
def live_server(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """One `kb serve` for the tests of a module."""
    with serving(home, tmp_path_factory.mktemp("serve")) as server:
        yield server


@contextmanager
def taking_at_most(seconds: float, url: str) -> Iterator[None]:
    """Check how long the block takes, beside ten bare calls to the service just before and after: a busy machine makes every call slow."""
    bare = [_seconds_of_a_bare_call(url)]
    started = time.monotonic()
    yield
    took = time.monotonic() - started
    bare.append(_seconds_of_a_bare_call(url))
    assert took < seconds + 10 * max(bare)


def _seconds_of_a_bare_call(url: str) -> float:
    started = time.monotonic()
    httpx.get(f"{url}/healthz", timeout=60).raise_for_status()
    return time.monotonic() - started


def poll(condition: Callable[[], bool], seconds: float = 60) -> None:
    """Wait until ``condition`` holds; fail when it does not in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come to be in time"
        time.sleep(0.05)


def matched_ids(url: str, text: str) -> list[str]:
    """The ids that a running service answers, in order."""
    answer = httpx.post(f"{url}/v1/search", json={"text": text}, timeout=30).raise_for_status().json()
    return [match["incident"]["id"] for match in answer["matches"]]


def assert_problem(response: httpx.Response, status: int, kind: str) -> dict[str, object]:
    """The response is the one problem document there is, of this status and kind; its members come back."""
    assert response.status_code == status, response.text[:300]
    assert response.headers["content-type"] == "application/problem+json"
    document: dict[str, object] = response.json()
    assert document["type"] == f"urn:dejastack:problem:{kind}"
    assert document["status"] == status
    assert document["title"] == HTTPStatus(status).phrase
    assert document["instance"] == response.request.url.path
    assert document["request_id"] == response.headers["x-request-id"]
    assert document["detail"]
    return document
