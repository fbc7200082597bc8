"""Rules of the house at the doors: `kb rules`, `kb parse`, and a running service whose rules are changed."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.server.live import LiveEngine
from api.settings import ServiceSettings
from index.local_rules import activate_home_rules
from kb.trace.custom import NONE
from kb.trace.in_force import activate, rules_in_force
from tests.api.command import failed, kb, kb_program
from tests.api.knowledge import HDFS_TRACE, build_home

PATTERN = "<step> (checkpoint|operator) \\d+\n"


@pytest.fixture(autouse=True)
def _no_rules_are_left() -> Iterator[None]:
    yield
    activate(NONE)


def write(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    return folder


def test_list_and_check(tmp_path: Path) -> None:
    assert "There are no rules in" in kb("rules", "list", home=tmp_path).stdout.decode()
    named = {"components": "shop = web shop, com.acme.shop.\n!linux\n", "codes": "Shop * = SHOP-(\\d+)\n"}
    folder = write(tmp_path / "rules", in_app="com.acme.\n!com.acme.fw.\n", messages=PATTERN, **named)
    shown = kb("rules", "list", home=tmp_path).stdout.decode()
    assert "!com.acme.fw." in shown
    assert PATTERN.strip() in shown
    listed = json.loads(kb("rules", "list", "--json", home=tmp_path).stdout)
    assert (listed["in_app"], listed["messages"]) == (["com.acme.", "!com.acme.fw."], [PATTERN.strip()])
    assert {name: listed[name] for name in named} == {name: text.splitlines() for name, text in named.items()}
    checked = kb_program("rules", "check", home=tmp_path)
    assert (checked.returncode, checked.stdout) == (0, b"")
    assert b"2 in_app, 1 messages, 2 components, 1 codes" in checked.stderr
    write(folder, noise="# why\na b\n")
    for arguments in (("check",), ("list",), ("check", str(folder / "noise.txt"))):
        assert "noise.txt:2: 'a b' holds a blank" in failed(kb("rules", *arguments, home=tmp_path))
    write(folder, noise="# why\na b\nx\n", messages="<order> \\d\n")
    checked = kb("rules", "check", home=tmp_path)
    said = checked.stderr.decode()
    assert checked.returncode == 1
    assert "3 mistakes in the rules" in said
    assert [part for part in ("noise.txt:2:", "noise.txt:3:", "messages.txt:1:") if part not in said] == []


def test_try_shows_what_would_change_and_changes_nothing(home: Path, tmp_path: Path) -> None:
    tried = write(tmp_path / "tried", messages=PATTERN)
    result = kb("rules", "try", str(tried), "--over", "snapshot", home=home)
    shown = " ".join(result.stdout.decode().split())
    assert result.returncode == 0, result.stderr.decode()
    assert "2 of 6 incidents would change (6 traces)" in shown
    assert "Could not materialize <step> for operator Sink" in shown
    assert "To adopt" in shown
    trial = json.loads(kb("rules", "try", str(tried / "messages.txt"), "--json", home=home).stdout)
    assert trial["incidents"] == {"all": 6, "changed": 2}
    assert trial["levels"]["exact"]["changed"] == 2
    assert trial["levels"]["root_cause"]["changed"] == 0
    assert [example["incident"] for example in trial["examples"]] == [
        "flink-checkpoint-hdfs-replicas",
        "flink-checkpoint-disk-full",
    ]
    assert not (home / "rules").exists()


def test_try_says_what_it_does_not_show(home: Path, tmp_path: Path) -> None:
    tried = write(tmp_path / "tried", redact="internal *.corp.example\n")
    assert b"kb scrub --dry-run" in kb("rules", "try", str(tried), home=home).stderr
    (tmp_path / "tried" / "redact.txt").unlink()
    assert b"kb scrub" not in kb("rules", "try", str(write(tmp_path / "tried", noise="a.b.\n")), home=home).stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nowhere",), "there is no nowhere"),
        ((".", "--over", "feedfeedfeedfeed"), "is missing"),
    ],
)
def test_a_trial_that_cannot_be_says_why(home: Path, tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    folder = str(write(tmp_path / "tried", noise="a.b.\n"))
    assert said in failed(kb("rules", "try", *(folder if a == "." else a for a in arguments), home=home))


def test_search_refuses_a_snapshot_under_other_rules_and_parse_obeys_them(tmp_path: Path) -> None:
    build_home(tmp_path)
    before = json.loads(kb("parse", "--json", home=tmp_path, paste=HDFS_TRACE).stdout)
    write(tmp_path / "rules", messages=PATTERN)
    assert "kb ingest" in failed(kb("search", home=tmp_path, paste=HDFS_TRACE))
    after = json.loads(kb("parse", "--json", home=tmp_path, paste=HDFS_TRACE).stdout)
    assert after["chains"][0]["exceptions"][0]["template"].startswith("Could not materialize <step> for")
    changed = {level: before["chains"][0]["fingerprints"][level] != digest for level, digest in after["chains"][0]["fingerprints"].items()}  # fmt: skip
    assert changed == {"exact": True, "root_cause": False, "loose": False}


def test_a_running_service_says_that_its_rules_were_changed(tmp_path: Path) -> None:
    first = build_home(tmp_path)
    live = LiveEngine(tmp_path)
    assert live.refresh()
    folder = write(tmp_path / "rules", messages=PATTERN)
    assert not live.refresh()
    assert (live.snapshot_id, rules_in_force()) == (first.id, NONE)
    assert "was built under no rules of the house" in str(live.problem)
    write(folder, noise="a b\n")
    live.refresh()
    assert "noise.txt:1" in str(live.problem)
    (folder / "noise.txt").unlink()
    rules = activate_home_rules(tmp_path)
    second = build_home(tmp_path)
    activate(NONE)
    assert live.refresh()
    assert (live.snapshot_id, live.problem, rules_in_force()) == (second.id, None, rules)
    live.close()


def test_readyz_and_parse_over_http(tmp_path: Path) -> None:
    write(tmp_path / "rules", messages=PATTERN)
    with TestClient(create_app(ServiceSettings(home=tmp_path, poll_seconds=3600))) as client:
        said = client.post("/v1/parse", json={"text": HDFS_TRACE}).json()
        assert said["chains"][0]["exceptions"][0]["template"].startswith("Could not materialize <step>")
        assert client.get("/readyz").status_code == 503
    build_home(tmp_path)
    with TestClient(create_app(ServiceSettings(home=tmp_path, poll_seconds=0.05))) as client:
        assert client.get("/readyz").json()["problem"] is None
        (tmp_path / "rules" / "messages.txt").unlink()
        for _ in range(200):
            if problem := client.get("/readyz").json()["problem"]:
                break
        assert "run `kb ingest` again" in problem
        assert client.post("/v1/search", json={"text": HDFS_TRACE}).json()["verdict"] == "known"
