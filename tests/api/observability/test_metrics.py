"""What the service counts; that several workers count together: test_workers.py."""

import json
import os
import re
from datetime import datetime
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.observability.metrics import FOLDER, counted_together
from api.settings import ServiceSettings
from tests.api.fixtures import HERE, LOCAL, poll
from tests.api.knowledge import KAFKA_TRACE, RECORDS, UNKNOWN_TRACE, build_home

STAGES = {"wait", "search", "parse", "embed", "candidates", "compare", "rank", "explain"}


def samples(text: str) -> dict[str, float]:
    """Every sample by its name and labels."""
    return {
        name: float(value)
        for name, value in re.findall(r"^(\w+(?:\{[^}]*\})?) (\S+)$", text, re.MULTILINE)
        if not name.startswith("#")
    }


def built_at(snapshot: Path) -> float:
    manifest = json.loads((snapshot / "manifest.json").read_text(encoding="utf-8"))
    return datetime.fromisoformat(manifest["built"]).timestamp()


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
    assert found["kb_snapshot_built_timestamp_seconds"] == pytest.approx(built_at(built.path), abs=1)


def test_a_replaced_snapshot_is_not_counted_any_more(tmp_path: Path) -> None:
    old = build_home(tmp_path, RECORDS[:1])
    with TestClient(
        create_app(ServiceSettings(home=tmp_path, poll_seconds=0.05)), client=HERE, base_url=LOCAL
    ) as client:
        new = build_home(tmp_path, RECORDS[:2])
        poll(lambda: new.id in client.get("/metrics").text)
        assert old.id not in client.get("/metrics").text


def test_the_folder_is_only_made_where_several_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(FOLDER, raising=False)
    with counted_together(1):
        assert FOLDER not in os.environ
    with counted_together(2):
        folder = Path(os.environ[FOLDER])
        assert folder.is_dir()
    assert not folder.exists()
    assert FOLDER not in os.environ
