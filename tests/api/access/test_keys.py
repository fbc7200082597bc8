"""Keys: made, listed and revoked by `kb keys`, shown by the first start, told about when they open nothing."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from api.access import Scope
from api.commands.keys import span
from api.commands.serve import make_first_key
from api.settings import ServiceSettings
from kb.errors import SettingsError
from kb.store import Role, Store
from tests.api.command import failed, kb
from tests.api.fixtures import assert_problem

from .conftest import ROOT, House, opened


def as_key(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


def test_a_key_is_made_listed_and_revoked(tmp_path: Path) -> None:
    options = ("--role", "curator", "--name", "ci", "--scope", "search", "--scope", "feedback", "--expires", "90d")
    made = json.loads(kb("keys", "create", *options, "--json", home=tmp_path).stdout)
    assert set(made) == {"id", "key", "role"}
    listed = kb("keys", "list", "--json", home=tmp_path).stdout.decode()
    (row,) = json.loads(listed)
    assert made["key"] not in listed
    assert (row["id"], row["name"], row["role"], row["state"]) == (made["id"], "ci", "curator", "in force")
    assert row["scopes"] == ["search", "feedback"]
    left = datetime.fromisoformat(row["expires_at"]) - datetime.now(UTC)
    assert timedelta(days=89) < left <= timedelta(days=90)
    assert json.loads(kb("keys", "revoke", made["id"], "--json", home=tmp_path).stdout)["state"] == "revoked"
    plain = kb("keys", "list", home=tmp_path).stdout.decode()
    assert "revoked" in plain
    assert "no key 'nobody'" in failed(kb("keys", "revoke", "nobody", home=tmp_path))
    with Store.open(tmp_path / "store.db") as store:
        lines = store.audit.listing()
        assert [(line.action, line.actor.id) for line in lines] == [
            ("key.create", "console"),
            ("key.revoke", "console"),
        ]


def test_without_json_standard_output_is_the_secret_alone(tmp_path: Path) -> None:
    made = kb("keys", "create", "--role", "reader", home=tmp_path)
    secret = made.stdout.decode().strip()
    assert secret.startswith("kb_")
    assert secret not in made.stderr.decode()
    with Store.open(tmp_path / "store.db") as store:
        found = store.keys.find(secret)
        assert found is not None
        assert (found.name, found.role, found.scopes, found.expires_at) == ("reader", Role.READER, (), None)


@pytest.mark.parametrize("text", ["", "0d", "90", "d", "-1d", "1.5d", "90 d", "99999999d", "1y", "９0d"])
def test_a_time_that_is_none_is_told(tmp_path: Path, text: str) -> None:
    with pytest.raises(SettingsError, match="no time"):
        span(text)
    assert "90d" in failed(kb("keys", "create", "--role", "reader", f"--expires={text}", home=tmp_path))
    assert not (tmp_path / "store.db").exists()


def test_times() -> None:
    assert [span(text) for text in ("12h", "90d", "8w")] == [
        timedelta(hours=12),
        timedelta(days=90),
        timedelta(weeks=8),
    ]


def test_the_first_start_shows_one_key_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = ServiceSettings(home=tmp_path)
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda _: make_first_key(settings), range(4)))
    said = capsys.readouterr()
    (secret,) = [word for word in said.err.split() if word.startswith("kb_")]
    assert said.out == ""
    with Store.open(settings.store) as store:
        found = store.keys.find(secret)
        assert found is not None
        assert found.role is Role.ADMIN
        store.keys.revoke(found.id, actor=ROOT)
    make_first_key(settings)
    assert capsys.readouterr().err == ""


def test_the_holder_of_a_key_learns_that_it_expired_or_was_revoked(house: House) -> None:
    for secret, kind in (
        (house.expired(), "expired-key"),
        (house.revoked(), "revoked-key"),
        ("kb_" + "1" * 64, "unknown-key"),
        ("x" * 10_000, "unknown-key"),
    ):
        refused = house.client.get("/v1/incidents", headers=as_key(secret))
        document = assert_problem(refused, 401, kind)
        assert 'error="invalid_token"' in refused.headers["www-authenticate"]
        assert secret not in refused.text
        assert ("was revoked on" in str(document["detail"])) == (kind == "revoked-key")


def test_a_revoked_key_opens_nothing_from_the_next_request_on_in_any_worker(house: House, closed: House) -> None:
    key, secret = house.store.keys.create("brief", Role.ADMIN, actor=ROOT)
    assert {at.client.get("/v1/incidents", headers=as_key(secret)).status_code for at in (house, closed)} == {200}
    house.store.keys.revoke(key.id, actor=ROOT)
    for at in (closed, house):
        assert_problem(at.client.get("/v1/incidents", headers=as_key(secret)), 401, "revoked-key")


@pytest.mark.parametrize("header", ["Basic dXNlcjpwYXNz", "Digest x", "kb_1"])
def test_another_authorization_scheme_is_ignored(house: House, closed: House, header: str) -> None:
    given = {"Authorization": header}
    assert house.client.get("/v1/incidents", headers=given).status_code == 200
    assert_problem(house.client.post("/v1/incidents", json={"title": "x"}, headers=given), 401, "no-key")
    assert_problem(closed.client.get("/v1/incidents", headers=given), 401, "no-key")


def test_a_refusal_names_what_it_takes_and_what_is_held(house: House) -> None:
    refused = house.client.post("/v1/incidents", json={"title": "x"}, headers=as_key(house.key(Role.READER)))
    document = assert_problem(refused, 403, "role-needed")
    assert (document["needed"], document["held"]) == ("curator", "reader")
    limited = house.client.get("/v1/incidents", headers=as_key(house.key(Role.ADMIN, Scope.SEARCH, Scope.FEEDBACK)))
    document = assert_problem(limited, 403, "scope-needed")
    assert (document["needed"], document["held"]) == ("incidents", "search, feedback")


def test_a_refused_change_is_audited_once_per_person_and_route(house: House) -> None:
    key, secret = house.store.keys.create("Mallory", Role.READER, actor=ROOT)
    gone, gone_secret = house.store.keys.create("Gone", Role.ADMIN, actor=ROOT)
    house.store.keys.revoke(gone.id, actor=ROOT)
    before = house.store.audit.listing(limit=10_000)[-1].number
    for _ in range(3):
        for held in (secret, gone_secret):
            for incident_id in ("kafka-commit-rebalanced", "never-was"):
                headers = as_key(held) | {"If-Match": '"1"'}
                assert house.client.delete(f"/v1/incidents/{incident_id}", headers=headers).status_code in {401, 403}
        house.client.post("/v1/incidents", json={"title": "x"})
        house.client.get("/metrics", headers=as_key(secret))
    lines = house.store.audit.listing(after=before)
    assert [(line.action, line.actor.id, line.object, line.details) for line in lines] == [
        ("refused", f"key:{key.id}", "door:DELETE /v1/incidents/{incident_id:path}", {"status": 403}),
        ("refused", f"key:{gone.id}", "door:DELETE (any)", {"status": 401}),
    ]


def test_each_key_has_its_rate(home: Path, place: str) -> None:
    for house in opened(home, place, rate_per_key=1):
        one, other = as_key(house.key(Role.READER)), as_key(house.key(Role.READER))
        codes = [house.client.get("/v1/incidents", headers=one).status_code for _ in range(30)]
        assert codes[:2] == [200] * 2
        assert 429 in codes
        assert house.client.get("/v1/incidents", headers=other).status_code == 200
        assert house.client.get("/v1/incidents").status_code == 200
        answers = (house.client.get("/v1/incidents", headers=one) for _ in range(30))  # a second may have gone by
        refused = next(answer for answer in answers if answer.status_code == 429)
        assert refused.headers["retry-after"] == "1"


def test_who_asks_does_not_wait_for_searches_and_probes_not_for_the_store(house: House) -> None:
    service = house.client.app.state.service  # type: ignore[attr-defined]
    store, service._store = service._store, None
    try:
        assert house.client.get("/healthz", headers=as_key("kb_x")).status_code == 200
        assert house.client.get("/readyz", headers=as_key("kb_x")).status_code == 200
        assert_problem(house.client.get("/v1/incidents", headers=as_key("kb_x")), 503, "store-closed")
    finally:
        service._store = store
