"""Who may what over `/mcp`: each tool is as open as its route, in every worker, from every place."""

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from api.access import Scope
from api.access.cookies import token_of
from api.app import create_app
from api.incidents.in_process import app_for_local_user
from api.observability import logs
from api.settings import ServiceSettings
from kb.incident import Status
from kb.store import Role
from tests.api.access.conftest import House, opened
from tests.api.fixtures import HERE, assert_problem
from tests.api.knowledge import HDFS_TRACE

from .agent import message, post, refused, result_of, text_of

READS: dict[str, tuple[str, dict[str, Any], Scope]] = {
    "search": ("search_incidents", {"text": HDFS_TRACE}, Scope.SEARCH),
    "parse": ("parse_trace", {"text": HDFS_TRACE}, Scope.SEARCH),
    "get": ("get_incident", {"id": "python-ascii-decode"}, Scope.INCIDENTS),
    "draft": ("draft_incident", {"text": HDFS_TRACE}, Scope.INCIDENTS),
}
EACH = pytest.mark.parametrize(("tool", "arguments", "scope"), READS.values(), ids=READS)


@EACH
def test_reading_is_for_everybody_where_it_is_open(
    house: House, closed: House, tool: str, arguments: dict[str, Any], scope: Scope
) -> None:
    assert not result_of(post(house.client, tool, arguments)).is_error
    assert_problem(post(closed.client, tool, arguments), 401, "no-key")
    for role in Role:
        assert not result_of(post(closed.client, tool, arguments, closed.key(role))).is_error
    assert not result_of(post(closed.client, tool, arguments, closed.key(Role.READER, scope))).is_error


@EACH
def test_a_key_that_is_limited_to_something_else_is_refused(
    house: House, tool: str, arguments: dict[str, Any], scope: Scope
) -> None:
    others = [one for one in Scope if one is not scope]
    told = refused(post(house.client, tool, arguments, house.key(Role.ADMIN, *others)), "scope-needed")
    assert f"This takes the scope {scope}" in told


@pytest.mark.parametrize("kind", ["expired-key", "revoked-key", "unknown-key"])
def test_a_key_that_opens_nothing_is_refused_before_anything_is_read(house: House, closed: House, kind: str) -> None:
    keys = {"expired-key": house.expired(), "revoked-key": house.revoked(), "unknown-key": "kb_" + "0" * 64}
    for at in (house, closed):
        response = post(at.client, "search_incidents", {"text": "x"}, keys[kind])
        assert_problem(response, 401, kind)
        assert response.headers["www-authenticate"].startswith('Bearer realm="dejastack"')


def save(house: House, title: str, key: str = "") -> Any:
    arguments = {"text": HDFS_TRACE, "title": title, "fix": "Mend it; password=Hunter2hunter2", "save": True}
    return post(house.client, "draft_incident", arguments, key)


def test_only_who_may_write_saves_a_draft(house: House, closed: House) -> None:
    assert "Cure: give this server a key" in refused(save(house, "by nobody"), "no-key")
    assert "This takes the role curator; yours is reader" in refused(
        save(house, "by a reader", house.key(Role.READER)), "role-needed"
    )
    refused(save(house, "limited", house.key(Role.ADMIN, Scope.SEARCH)), "scope-needed")
    for number, role in enumerate((Role.CURATOR, Role.REVIEWER, Role.ADMIN)):
        for at in (house, closed):
            result = result_of(save(at, f"by {role} {number} {at is house}", at.key(role)))
            assert not result.is_error
            assert result.structured_content is not None
            saved = result.structured_content["saved"]
            held = at.store.incidents.current(saved["id"])
            assert (held.status, held.note, held.author.name) == (Status.DRAFT, "drafted by an agent", role.value)
            assert held.incident.fix == "Mend it; password=<secret>"
            assert {one["field"] for one in result.structured_content["redactions"]} == {"/fix"}
            assert "Hunter2" not in text_of(result)
    titles = {row.title for row in house.store.listing().items}
    assert not titles & {"by nobody", "by a reader", "limited"}


def test_a_refused_change_of_somebody_known_is_in_the_audit_log(house: House) -> None:
    key = house.key(Role.READER, name="mallory")
    refused(save(house, "by mallory", key), "role-needed")
    told = [one for one in house.store.audit.listing(limit=10_000) if one.actor.name == "mallory"]
    assert [(one.object, one.details["status"]) for one in told] == [("door:POST /mcp", 403)]


def test_drafts_are_for_curators(house: House) -> None:
    house.add("a-draft", "Zwiebelkuchen", Status.DRAFT)
    house.add("published", "Apfelkuchen", Status.PUBLISHED)
    house.follow()

    def listed(key: str) -> list[str]:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        page = house.client.post("/mcp", json=message("resources/list"), headers=headers).json()["result"]
        return [one["name"] for one in page["resources"]]

    for key in ("", house.key(Role.READER)):
        assert "Zwiebelkuchen" not in refused(
            post(house.client, "get_incident", {"id": "a-draft"}, key), "no-such-incident"
        )
        assert "published" in listed(key)
        assert "a-draft" not in listed(key)
    assert "a-draft" not in listed(house.key(Role.CURATOR))  # a list is of what is published
    found = result_of(post(house.client, "get_incident", {"id": "a-draft"}, house.key(Role.CURATOR)))
    assert "Zwiebelkuchen" in text_of(found)


def test_each_key_has_its_rate(home: Path, place: str) -> None:
    for own in opened(home, place, rate_per_key=2):
        headers = {"Authorization": f"Bearer {own.key(Role.READER)}"}
        answers = [own.client.post("/mcp", json=message("ping"), headers=headers) for _ in range(9)]
        assert answers[0].status_code == 200
        assert_problem(answers[-1], 429, "too-many-requests")


def test_a_session_needs_its_token(house: House) -> None:
    client = house.client
    client.post("/login", data={"key": house.key(Role.CURATOR)})
    try:
        assert_problem(client.post("/mcp", json=message("ping")), 403, "from-elsewhere")
        token = {"X-CSRF-Token": token_of(client.cookies["kb_session"])}
        assert not result_of(post(client, "search_incidents", {"text": HDFS_TRACE}, **token)).is_error
        saved = {"text": HDFS_TRACE, "title": "By a session", "save": True}
        assert not result_of(post(client, "draft_incident", saved, **token)).is_error
    finally:
        client.cookies.clear()
    assert client.post("/mcp", json=message("ping")).status_code == 200


@pytest.fixture(scope="module")
def reached(home: Path) -> Iterator[TestClient]:
    settings = ServiceSettings(home=home, cors_origins=("https://wiki.example.org",), hosts=("kb.example.org",))
    with TestClient(create_app(settings), client=HERE) as client:
        yield client


@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        ("127.0.0.1:8420", None, 200),
        ("[::1]:8420", None, 200),
        ("kb.example.org", None, 200),
        ("evil.example:8420", None, 421),
        ("127.0.0.1.evil.example", None, 421),
        ("127.0.0.1:8420", "http://localhost:6274", 200),
        ("localhost:8420", "http://[::1]", 200),
        ("127.0.0.1:8420", "http://evil.example", 403),
        ("127.0.0.1:8420", "http://evil.example@x", 403),
        ("127.0.0.1:8420", "http://localhost.evil.example", 403),
        ("127.0.0.1:8420", "null", 403),
        ("127.0.0.1:8420", "http://[", 403),
        ("127.0.0.1:8420", "", 403),
        ("kb.example.org", "http://kb.example.org", 403),
        ("kb.example.org", "http://localhost", 403),
        ("kb.example.org", "https://wiki.example.org", 200),
        ("kb.example.org", "https://wiki.example.com", 403),
    ],
)
def test_pages_that_only_claim_to_be_from_here_are_refused(
    reached: TestClient, host: str, origin: str | None, status: int
) -> None:
    headers = {"host": host} | ({} if origin is None else {"origin": origin})
    response = reached.post("/mcp", json=message("ping"), headers=headers)
    assert response.status_code == status
    if status != 200:
        assert_problem(response, status, "unknown-host" if status == 421 else "origin-refused")


def test_kb_mcp_over_a_home_reads_without_a_key(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KB_HOOKS_POST", "slack:C0123456789")  # chats and alerts are the service's: neither is looked at
    monkeypatch.setenv("KB_SLACK_SIGNING_SECRET", "half of what Slack needs")
    with TestClient(app_for_local_user(ServiceSettings(home=home, reading="key")), client=HERE) as client:
        assert not result_of(post(client, "get_incident", {"id": "python-ascii-decode"})).is_error
        assert client.get("/v1/incidents").status_code == 200


def test_what_agents_in_browsers_send_passes_the_preflight(home: Path) -> None:
    app = create_app(ServiceSettings(home=home, cors_origins=("https://wiki.example.org",)))
    asks = {
        "Origin": "https://wiki.example.org",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization, content-type, mcp-protocol-version, mcp-method, mcp-name",
    }
    assert TestClient(app).options("/mcp", headers=asks).status_code == 200


def test_counts_and_log_lines_tell_of_tools_and_hold_no_text(house: House, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    caplog.handler.setFormatter(logs.formatter(is_json=True))
    post(house.client, "search_incidents", {"text": f"com.acme.SecretProject\n{HDFS_TRACE}"})
    post(house.client, "get_incident", {"id": "SecretProject"})
    post(house.client, "SecretProject", {})
    counts = house.client.get("/metrics", headers={"Authorization": f"Bearer {house.key(Role.ADMIN)}"}).text
    assert 'kb_verdicts_total{door="mcp",verdict="known"}' in counts
    assert 'kb_problems_total{kind="no-such-incident"}' in counts
    assert 'kb_requests_total{method="POST",route="/mcp",status="200"}' in counts
    lines = [json.loads(line) for line in caplog.text.splitlines() if '"route": "/mcp"' in line]
    assert [(line.get("tool"), line.get("verdict"), line.get("problem")) for line in lines] == [
        ("search_incidents", "known", None),
        ("get_incident", None, "no-such-incident"),
        (None, None, None),
    ]
    said = [json.dumps(one.__dict__, default=str) for one in caplog.records if not one.name.startswith("http")]
    assert not [line for line in [*said, *caplog.text.splitlines()] if "SecretProject" in line]
