"""KB_CANDIDATES at the doors: a server that is gone is said with its cure, what answers instead says so, and no password is shown."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import ServiceSettings
from index.storage.filling import fill
from index.storage.snapshot import current
from tests.api.command import kb, kb_program
from tests.api.knowledge import HDFS_TRACE, build_home
from tests.milvus import MilvusServer

HERE = ("127.0.0.1", 50_000)
SECRET = "hunter2"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MilvusServer]:
    with MilvusServer(tmp_path_factory.mktemp("milvus")) as held:
        yield held


@pytest.fixture
def gone(tmp_path: Path) -> str:
    """An address that nobody listens at, with a password."""
    port = MilvusServer(tmp_path).port
    return f"milvus://ann:{SECRET}@127.0.0.1:{port}/incidents"


def service(home: Path, **told: object) -> TestClient:
    settings = ServiceSettings(home=home, candidates_seconds=0.5, **told)  # type: ignore[arg-type]
    return TestClient(create_app(settings), raise_server_exceptions=False, client=HERE, base_url="http://127.0.0.1")


def test_without_the_server_a_search_is_503_with_cause_and_cure(home: Path, gone: str) -> None:
    with service(home, candidates=gone) as client:
        answer = client.post("/v1/search", json={"text": HDFS_TRACE})
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
        told = answer.json()
        assert told["type"].endswith(":no-candidates")
        assert "does not answer" in told["detail"]
        assert "127.0.0.1" not in told["detail"], "the address is nobody's but the operator's"
        assert "KB_CANDIDATES_FALLBACK=local" in told["detail"]
        ready = client.get("/readyz").json()
        assert "does not answer" in ready["problem"]
        assert "127.0.0.1" not in ready["problem"]
        metrics = client.get("/metrics").text
        assert "kb_candidates_down 1.0" in metrics
        page = client.post("/", data={"text": HDFS_TRACE}, headers={"Accept": "text/html"})
        for text in (answer.text, str(ready), metrics, page.text):
            assert SECRET not in text


def test_what_answers_instead_says_so(home: Path, gone: str) -> None:
    with service(home) as own, service(home, candidates=gone, candidates_fallback="local") as client:
        expected = own.post("/v1/search", json={"text": HDFS_TRACE}).json()
        answer = client.post("/v1/search", json={"text": HDFS_TRACE}).json()
        assert [m["incident"]["id"] for m in answer["matches"]] == [m["incident"]["id"] for m in expected["matches"]]
        assert {*answer["notes"]} - {*expected["notes"]} == {
            "Milvus does not answer: candidates come from the snapshot's own index"
        }
        assert "does not answer" in client.get("/readyz").json()["problem"]
        assert "kb_candidates_down 1.0" in client.get("/metrics").text


def test_a_service_answers_from_milvus_and_follows(server: MilvusServer, tmp_path: Path) -> None:
    """A snapshot that was just filled answers; while the server is gone it says so; it goes on when that is back."""
    build_home(tmp_path)
    fill(current(tmp_path), server.place())
    with service(tmp_path, candidates=server.url()) as client:

        def status() -> int:
            return client.post("/v1/search", json={"text": HDFS_TRACE}).status_code

        assert eventually(status, 200)
        assert "kb_candidates_down 0.0" in client.get("/metrics").text
        server.stop()
        assert status() == 503
        server.start()
        assert eventually(status, 200)
        assert client.get("/readyz").json()["problem"] is None


def eventually(asked: object, wanted: int) -> bool:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if asked() == wanted:  # type: ignore[operator]
            return True
        time.sleep(0.2)
    return False


def test_a_command_says_it_in_one_line(home: Path, gone: str) -> None:
    told = kb_program(
        "search", home=home, paste=HDFS_TRACE, env={"KB_CANDIDATES": gone, "KB_CANDIDATES_SECONDS": "0.5"}
    )
    assert told.returncode != 0
    lines = told.stderr.decode().splitlines()
    assert len(lines) == 1
    assert "does not answer" in lines[0]
    assert SECRET not in lines[0]


def test_a_command_fills_and_searches_there(server: MilvusServer, tmp_path: Path) -> None:
    build_home(tmp_path)
    env = {"KB_CANDIDATES": server.url("commands"), "KB_CANDIDATES_SECONDS": "30"}
    filled = kb("snapshots", "fill", home=tmp_path, env=env)
    assert b"6 incidents are in commands_" in filled.stderr, filled
    told = kb("search", "--json", home=tmp_path, paste=HDFS_TRACE, env=env)
    own = kb("search", "--json", home=tmp_path, paste=HDFS_TRACE)
    answer, expected = json.loads(told.stdout), json.loads(own.stdout)
    assert (answer["verdict"], answer["matches"]) == (expected["verdict"], expected["matches"])
    unset = kb("snapshots", "fill", home=tmp_path)
    assert (unset.returncode, b"KB_CANDIDATES is not set" in unset.stderr) == (1, True)


def test_settings_show_no_password_and_refuse_what_is_no_address(home: Path, gone: str) -> None:
    env = {"KB_CANDIDATES": gone, "KB_CANDIDATES_TOKEN": f"root:{SECRET}"}
    told = kb("settings", home=home, env=env)
    assert SECRET.encode() not in told.stdout + told.stderr
    wrong = kb("settings", home=home, env={"KB_CANDIDATES": f"milvus://ann:{SECRET}@host/a-b"})
    assert (wrong.returncode, SECRET.encode() in wrong.stderr) == (1, False)
    assert b"KB_CANDIDATES cannot be" in wrong.stderr


@pytest.mark.parametrize("command", ["ingest", "match", "doctor", "search"])
def test_no_command_shows_the_password_of_what_it_cannot_read(tmp_path: Path, command: str) -> None:
    env = {"KB_CANDIDATES": f"milvus://ann:{SECRET}@host/a-b"}
    arguments = [str(tmp_path)] if command in ("ingest", "match") else []
    told = kb(command, *arguments, home=tmp_path, paste=HDFS_TRACE, env=env)
    assert told.returncode != 0
    assert b"KB_CANDIDATES cannot be" in told.stderr
    assert b"Traceback" not in told.stderr
    assert SECRET.encode() not in told.stdout + told.stderr
