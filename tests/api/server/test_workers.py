"""`kb serve --workers 2` as real processes: what one of them knows or was told, the other knows too."""

import json
import os
import re
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from api.observability.metrics import FOLDER
from kb.store import Actor, Role, Store
from tests.api.command import failed, kb
from tests.api.fixtures import LiveServer, poll, serving
from tests.api.knowledge import KAFKA_TRACE
from tests.api.mcp.agent import message
from tests.api.processes import workers_of


@dataclass(frozen=True)
class Pair:
    """A service with two workers, where reading takes a key."""

    server: LiveServer
    place: str
    said: str
    """All that it had written when it was ready."""
    key: str
    counts: Path
    """Where its workers count."""

    def figures(self) -> dict[str, float]:
        text = httpx.get(f"{self.server.url}/metrics").text
        return {name: float(value) for name, value in re.findall(r"^(\w+(?:\{[^}]*\})?) (\S+)$", text, re.MULTILINE)}


@pytest.fixture(scope="module")
def pair(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    folder = tmp_path_factory.mktemp("workers")
    place = f"sqlite:///{folder}/store.db"
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"DATABASE_URL": place, "READING": "key", "LOG_FORMAT": "json"}.items():
            patch.setenv(f"KB_{name}", value)
        with serving(home, folder, "--workers", "2") as server:
            said, counts = server.output.read_text(), _counts_of(server.process.pid)
            with Store.open(place) as store:
                _, key = store.keys.create("agent", Role.CURATOR, actor=Actor("test", "test", Role.ADMIN))
            yield Pair(server, place, said, key, counts)
    assert not counts.exists()


def _counts_of(pid: int) -> Path:
    """The folder that the workers of a server count into."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    for child in children:
        for entry in Path(f"/proc/{child}/environ").read_bytes().split(b"\0"):
            name, _, value = entry.decode().partition("=")
            if name == FOLDER:
                return Path(value)
    pytest.fail("no worker counts into a folder")


def with_key(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


@pytest.mark.slow
def test_the_first_key_is_shown_once_and_opens_every_worker(pair: Pair) -> None:
    url = pair.server.url
    (secret,) = [word for word in pair.said.split() if word.startswith("kb_")]
    assert all(secret not in line for line in pair.said.splitlines() if line.startswith("{"))
    assert httpx.get(f"{url}/v1/incidents").status_code == 401
    asked = ("search", "-", "--json")
    found = kb(*asked, paste="boom", env={"KB_URL": url, "KB_KEY": secret})
    assert json.loads(found.stdout)["verdict"] == "unknown"
    assert "KB_KEY" in failed(kb(*asked, paste="boom", env={"KB_URL": url}))
    assert httpx.get(f"{url}/metrics").status_code == 200
    assert httpx.get(f"{url}/metrics", headers={"x-forwarded-for": "192.0.2.1"}).status_code == 401
    codes = {httpx.get(f"{url}/v1/incidents", headers=with_key(secret)).status_code for _ in range(10)}
    assert codes == {200}
    here = {"KB_DATABASE_URL": pair.place}
    (shown,) = [row for row in json.loads(kb("keys", "list", "--json", env=here).stdout) if row["name"] != "agent"]
    kb("keys", "revoke", shown["id"], env=here)
    codes = {httpx.get(f"{url}/v1/incidents", headers=with_key(secret)).status_code for _ in range(10)}
    assert codes == {401}, "revoked at once, in every worker"


def test_both_answer_agents_without_a_session(pair: Pair) -> None:
    seen: set[int] = set()
    for number in range(200):
        headers = {"X-Request-ID": f"w{number}", **with_key(pair.key)}
        response = httpx.post(f"{pair.server.url}/mcp", json=message("tools/list"), headers=headers)
        assert len(response.json()["result"]["tools"]) == 4
        assert "mcp-session-id" not in response.headers
        lines = [line for line in pair.server.output.read_text().splitlines() if '"route": "/mcp"' in line]
        seen = {json.loads(line)["worker"] for line in lines}
        if len(seen) == 2:
            return
    pytest.fail(f"only {seen} answered")


@pytest.mark.slow
def test_workers_share_counts_and_those_of_a_dead_worker_are_dropped(pair: Pair) -> None:
    asked = 0

    def both_asked() -> bool:
        nonlocal asked
        asked += 1
        body = {"text": KAFKA_TRACE}
        httpx.post(f"{pair.server.url}/v1/search", json=body, headers=with_key(pair.key), timeout=30)
        return len(list(pair.counts.glob("counter_*.db"))) == 2

    poll(both_asked)
    verdicts = 'kb_verdicts_total{door="http",verdict="known"}'
    assert [pair.figures()[verdicts] for _ in range(6)] == [asked] * 6
    workers = next(name for name in pair.figures() if name.startswith("kb_snapshot_workers"))
    assert pair.figures()[workers] == 2
    os.kill(min(workers_of(pair.server)), signal.SIGKILL)
    poll(lambda: pair.figures()[workers] == 1)
    poll(lambda: pair.figures()[workers] == 2, 40)
    assert pair.figures()[verdicts] == asked


def test_feedback_in_one_worker_is_searched_in_the_other(pair: Pair) -> None:
    paste = "com.acme.QuokkaException: quokka chewed the blue cable\n\tat com.acme.Quokka.chew(Quokka.java:7)"
    url, headers = pair.server.url, with_key(pair.key)
    name = httpx.post(f"{url}/v1/incidents", json={"title": "Power fails at night"}, headers=headers).json()["id"]
    said = {"vote": "yes", "text": paste, "probability": 0.1, "snapshot_id": "s"}
    assert httpx.post(f"{url}/v1/incidents/{name}/feedback", json=said, headers=headers).status_code == 201

    def is_first() -> bool:
        """Asked by many connections, so that both workers answer."""
        body = {"text": paste}
        found = [httpx.post(f"{url}/v1/search", json=body, headers=headers).json()["matches"] for _ in range(12)]
        return all(matches and matches[0]["incident"]["id"] == name for matches in found)

    poll(is_first)
