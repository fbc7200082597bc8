"""What the service counts, and that several workers count together."""

import os
import re
import signal
from pathlib import Path

import httpx
import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.metrics import FOLDER, counted_together
from api.settings import ServiceSettings
from tests.api.fixtures import HERE, LOCAL, poll, serving
from tests.api.knowledge import KAFKA_TRACE, RECORDS, UNKNOWN_TRACE, build_home
from tests.api.processes import workers_of

STAGES = {"wait", "search", "parse", "embed", "candidates", "compare", "rank", "explain"}


def samples(text: str) -> dict[str, float]:
    """Every sample by its name and labels."""
    return {
        name: float(value)
        for name, value in re.findall(r"^(\w+(?:\{[^}]*\})?) (\S+)$", text, re.MULTILINE)
        if not name.startswith("#")
    }


def test_every_stage_of_a_search_is_timed_and_the_state_is_told(tmp_path: Path) -> None:
    built = build_home(tmp_path, RECORDS[:3])
    with TestClient(
        create_app(ServiceSettings(home=tmp_path, concurrency=2, queue=3)), client=HERE, base_url=LOCAL
    ) as client:
        client.post("/v1/search", json={"text": KAFKA_TRACE})
        client.post("/", data={"text": UNKNOWN_TRACE})
        client.post("/v1/search", json={"text": 1})
        found = samples(client.get("/metrics").text)
    counted = {stage: found[f'kb_stage_seconds_count{{stage="{stage}"}}'] for stage in STAGES}
    assert min(counted.values()) >= 2
    assert found['kb_stage_seconds_count{stage="render"}'] == 1
    inner = sum(found[f'kb_stage_seconds_sum{{stage="{stage}"}}'] for stage in STAGES - {"wait", "search"})
    assert 0 < inner <= found['kb_stage_seconds_sum{stage="search"}']
    expected = {
        'kb_verdicts_total{door="http",verdict="known"}': 1,
        'kb_verdicts_total{door="page",verdict="unknown"}': 1,
        'kb_problems_total{kind="invalid-request"}': 1,
        'kb_requests_total{method="POST",route="/v1/search",status="422"}': 1,
        f'kb_snapshot_workers{{id="{built.id}"}}': 1,
        "kb_overlay_incidents": 0,
        'kb_places{state="taken"}': 0,
        'kb_places{state="free"}': 5,
        "kb_searches_out_of_time": 0,
        "kb_requests_in_flight": 1,
    }
    assert {name: found[name] for name in expected} == expected
    assert found["kb_snapshot_built_timestamp_seconds"] == pytest.approx(built.path.stat().st_mtime, abs=60)


def test_a_replaced_snapshot_is_not_counted_any_more(tmp_path: Path) -> None:
    old = build_home(tmp_path, RECORDS[:1])
    with TestClient(
        create_app(ServiceSettings(home=tmp_path, poll_seconds=0.05)), client=HERE, base_url=LOCAL
    ) as client:
        new = build_home(tmp_path, RECORDS[:2])
        poll(lambda: new.id in client.get("/metrics").text)
        assert old.id not in client.get("/metrics").text


def test_two_workers_count_together_and_what_a_dead_one_held_is_dropped(tmp_path: Path, home: Path) -> None:
    def now() -> dict[str, float]:
        return samples(httpx.get(f"{server.url}/metrics").text)

    with serving(home, tmp_path, "--workers", "2") as server:
        folder = counts_of(server.process.pid)
        asked = 0

        def both_asked() -> bool:
            nonlocal asked
            asked += 1
            httpx.post(f"{server.url}/v1/search", json={"text": KAFKA_TRACE}, timeout=30)
            return len(list(folder.glob("counter_*.db"))) == 2

        poll(both_asked)
        verdicts = 'kb_verdicts_total{door="http",verdict="known"}'
        assert [now()[verdicts] for _ in range(6)] == [asked] * 6
        workers = next(name for name in now() if name.startswith("kb_snapshot_workers"))
        assert now()[workers] == 2
        os.kill(min(workers_of(server)), signal.SIGKILL)
        poll(lambda: now()[workers] == 1)
        poll(lambda: now()[workers] == 2, 40)
        assert now()[verdicts] == asked
    assert not folder.exists()


def counts_of(pid: int) -> Path:
    """The folder that the workers of a server count into."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    for child in children:
        for entry in Path(f"/proc/{child}/environ").read_bytes().split(b"\0"):
            name, _, value = entry.decode().partition("=")
            if name == FOLDER:
                return Path(value)
    pytest.fail("no worker counts into a folder")


def test_the_folder_is_only_made_where_several_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(FOLDER, raising=False)
    with counted_together(1):
        assert FOLDER not in os.environ
    with counted_together(2):
        folder = Path(os.environ[FOLDER])
        assert folder.is_dir()
    assert not folder.exists()
    assert FOLDER not in os.environ
