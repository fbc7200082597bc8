"""Use teaches, over HTTP: who confirms is believed by what they are, curators see it and take it out, and at once it is searched."""

import json
from itertools import count
from pathlib import Path

import pytest

from api.writing.answers import PutSightingOut, SightingsOut
from kb.store import Role
from tests.api.command import failed, kb
from tests.api.fixtures import assert_problem
from tests.api.writing.conftest import Desk

_UNUSED = count()
WAVE = 60


@pytest.fixture
def case(desk: Desk) -> tuple[str, str]:
    """An incident, and a paste that nothing of it is like."""
    number = next(_UNUSED)
    name = f"seen{number}"
    desk.add(name, title=f"Walrus {number} sleeps on the pump", symptom="No pressure in the morning.")
    word = "abcdefghij"[number % 10] * 3
    return name, (
        f"com.acme.{word}.Valve{word}Exception: {word}valve refused pressure token {word}lock\n"
        f"\tat com.acme.{word}.Core.{word}(Core.java:7)\n\tat com.acme.{word}.Main.main(Main.java:3)"
    )


def said(text: str, vote: str = "yes") -> dict[str, object]:
    return {"vote": vote, "text": text, "probability": 0.1, "snapshot_id": "s"}


def odds(desk: Desk, name: str, text: str) -> float:
    matches = desk.client.post("/v1/search", json={"text": text, "k": 50}).json()["matches"]
    return next((match["probability"] for match in matches if match["incident"]["id"] == name), 0.0)


def told_by(desk: Desk, address: str, name: str, paste: str, times: int = 1) -> None:
    """Somebody elsewhere confirms it. The same client: another one would have another event loop."""
    transport = desk.client._transport
    before, transport.client = transport.client, (address, 1)  # type: ignore[attr-defined]
    try:
        for _ in range(times):
            assert desk.ask("POST", f"/{name}/feedback", by=None, json=said(paste)).status_code == 201
    finally:
        transport.client = before  # type: ignore[attr-defined]


@pytest.mark.parametrize("role", [Role.READER, Role.CURATOR])
def test_a_vote_with_a_key_is_searched_at_once(desk: Desk, case: tuple[str, str], role: Role) -> None:
    name, paste = case
    before = odds(desk, name, paste)
    assert desk.ask("POST", f"/{name}/feedback", by=role, json=said(paste)).status_code == 201
    assert odds(desk, name, paste) > max(before, 0.8)
    assert desk.found(paste)[0] == name


def test_a_wave_of_votes_by_one_address_moves_nothing(own: Desk) -> None:
    own.add("wave", title="A walrus sleeps on the pump")
    paste = "com.acme.WalrusException: pump refused\n\tat com.acme.Core.run(Core.java:7)"
    before = own.client.post("/v1/search", json={"text": paste, "k": 50}).json()["matches"]
    told_by(own, "192.0.2.9", "wave", paste, WAVE)
    assert own.client.post("/v1/search", json={"text": paste, "k": 50}).json()["matches"] == before
    (one,) = own.store.sightings.of("wave")
    assert (one.yes, one.vote) == (1, None)


def test_addresses_are_counted_once_and_an_ipv6_network_is_one(desk: Desk, case: tuple[str, str]) -> None:
    name, paste = case
    before = odds(desk, name, paste)
    for address in ("2001:db8::1", "2001:db8::2", "2001:db8::3", "192.0.2.1"):
        told_by(desk, address, name, paste)
    assert odds(desk, name, paste) == before
    told_by(desk, "192.0.2.2", name, paste)
    assert odds(desk, name, paste) > max(before, 0.8)
    desk.ask("POST", f"/{name}/feedback", json=said(paste, "no"))
    assert odds(desk, name, paste) <= before, "a curator says otherwise"


def test_curators_list_and_remove_sightings(desk: Desk, case: tuple[str, str]) -> None:
    name, paste = case
    before = odds(desk, name, paste)
    desk.ask("POST", f"/{name}/feedback", by=Role.READER, json=said(paste))
    confirmed = odds(desk, name, paste)
    listed = SightingsOut.model_validate_json(desk.ask("GET", f"/{name}/sightings").content)
    (one,) = listed.sightings
    assert (listed.id, one.counts, one.yes, one.no, one.current, one.removed_at) == (name, "yes", 1, 0, True, None)
    assert "valve" not in desk.ask("GET", f"/{name}/sightings").text
    path = f"/{name}/sightings/{one.name}"
    removed = PutSightingOut.model_validate_json(desk.ask("PUT", path, json={"removed": True}).content)
    assert (removed.counts, removed.searched, removed.removed_by and removed.removed_by.name) == (None, True, "curator")
    assert odds(desk, name, paste) == before
    desk.ask("PUT", path, json={"removed": False})
    assert odds(desk, name, paste) == confirmed
    assert desk.ask("PUT", f"/{name}/sightings/{'0' * 16}", json={"removed": True}).status_code == 404
    assert desk.ask("PUT", path, by=Role.READER, json={"removed": True}).status_code == 403
    assert_problem(desk.ask("PUT", f"/{name}/sightings/x", json={"removed": True}), 422, "invalid-request")


def test_the_command_lists_removes_and_puts_back(own: Desk, tmp_path: Path) -> None:
    own.add("told", title="A walrus sleeps on the pump")
    own.ask("POST", "/told/feedback", json=said("com.acme.WalrusException: pump refused"))
    env = {"KB_HOME": str(tmp_path)}
    assert b"yes" in kb("incidents", "seen", "told", env=env).stdout
    ((one,),) = [json.loads(kb("incidents", "seen", "told", "--json", env=env).stdout)["sightings"]]
    assert b"removed by" in kb("incidents", "seen", "told", "--remove", one["name"], env=env).stdout
    back = json.loads(kb("incidents", "seen", "told", "--put-back", one["name"], "--json", env=env).stdout)
    assert back["sightings"] == [one]
    assert "cannot be used together" in failed(
        kb("incidents", "seen", "told", "--remove", "a", "--put-back", "b", env=env)
    )
