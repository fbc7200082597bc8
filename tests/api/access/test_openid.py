"""Logins at a real provider of OpenID Connect, run as a process: code, PKCE, state, nonce, roles."""

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from starlette.testclient import TestClient

from api.access.openid import COOKIE, name_of
from api.access.provider import provider
from api.settings import ServiceSettings
from kb.errors import SettingsError
from kb.store import Role
from tests.api.fixtures import assert_problem, poll

from .conftest import House, opened

ROLES = "groups:oncall=curator, realm_access.roles:sre=admin, groups:all=reader"
PEOPLE = (
    {"sub": "ann", "name": "Ann 安", "email": "ann@example.org", "groups": ["all", "oncall"]},
    {"sub": "root", "preferred_username": "root@example.org", "groups": "all", "realm_access": {"roles": ["x", "sre"]}},
    {"sub": "eve", "name": "Eve", "groups": ["visitors"]},
)


@pytest.fixture(scope="module")
def issuer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A running provider that knows three people."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    people = [option for one in PEOPLE for option in ("--user-claims", json.dumps(one))]
    script = Path(__file__).with_name("provider.py")
    log = tmp_path_factory.mktemp("provider") / "log"
    with log.open("wb") as out:
        process = subprocess.Popen([sys.executable, script, str(port), *people], stdout=out, stderr=out)
    url = f"http://127.0.0.1:{port}"

    def answers() -> bool:
        assert process.poll() is None, log.read_text()
        try:
            return httpx.get(f"{url}/.well-known/openid-configuration").is_success
        except httpx.HTTPError:
            return False

    try:
        poll(answers, 60)
        yield url
    finally:
        process.terminate()
        process.wait(60)


def house_of(home: Path, place: str, issuer: str, **more: object) -> Iterator[House]:
    known = {"oidc_issuer": issuer, "oidc_client_id": "kb", "oidc_client_secret": "s3cr3t", "oidc_roles": ROLES}
    yield from opened(home, place, **(known | more))


@pytest.fixture(scope="module")
def known(home: Path, place: str, issuer: str) -> Iterator[House]:
    """A service that sends people to the provider."""
    yield from house_of(home, place, issuer)


@pytest.fixture
def browser(known: House) -> Iterator[TestClient]:
    known.client.cookies.clear()
    yield known.client
    known.client.cookies.clear()


def at_provider(browser: TestClient, who: str | None, goes_to: str = "/") -> str:
    """Begin, log in at the provider (None: say no there); the address that it sends the browser back to."""
    begun = browser.get("/login/openid", params={"next": goes_to})
    assert begun.status_code == 302, begun.text
    asked = parse_qs(urlsplit(begun.headers["location"]).query)
    assert asked["code_challenge_method"] == ["S256"]
    assert asked["redirect_uri"] == ["http://testserver/login/openid/back"]
    assert {len(asked[name]) for name in ("state", "nonce", "code_challenge")} == {1}
    form = {"action": "deny"} if who is None else {"sub": who}
    return str(httpx.post(begun.headers["location"], data=form).headers["location"])


def test_somebody_with_a_role_is_let_in_and_writes_under_their_name(known: House, browser: TestClient) -> None:
    goes_to = "/incidents/kafka-commit-rebalanced"
    assert "/login/openid?next=%2Fincidents" in browser.get("/login", params={"next": goes_to}).text
    back = browser.get(at_provider(browser, "ann", goes_to))
    assert (back.status_code, back.headers["location"]) == (303, goes_to)
    assert COOKIE not in browser.cookies
    page = browser.get(goes_to)
    assert "Ann 安 (curator)" in page.text
    assert page.headers["cache-control"] == "no-store"
    token = page.text.partition('name="csrf" value="')[2].partition('"')[0]
    made = browser.post("/v1/incidents", json={"id": "by-ann", "title": "By Ann"}, headers={"X-CSRF-Token": token})
    assert made.status_code == 201, made.text
    assert known.store.incidents.current("by-ann").author.id == "openid:ann"
    begun = [line for line in known.store.audit.listing() if line.action == "session.begin"][-1]
    assert (begun.actor.id, begun.actor.role) == ("openid:ann", Role.CURATOR)
    reviewers = browser.get("/v1/reviewers").json()["reviewers"]
    assert {"id": "openid:ann", "name": "Ann 安", "role": "curator"} in reviewers


def test_nested_claims_give_the_highest_role(browser: TestClient) -> None:
    browser.get(at_provider(browser, "root"))
    page = browser.get("/").text
    assert "root (administrator)" in page
    assert "root@example.org" not in page


def test_who_has_no_role_is_not_let_in(browser: TestClient) -> None:
    refused = browser.get(at_provider(browser, "eve"))
    assert_problem(refused, 403, "login-no-role")
    assert "kb_session" not in browser.cookies


def test_who_says_no_at_the_provider_is_not_let_in(browser: TestClient) -> None:
    assert_problem(browser.get(at_provider(browser, None)), 403, "login-refused")


def test_what_was_not_begun_in_this_browser_is_not_ended_in_it(browser: TestClient) -> None:
    """Somebody else's code in a link: it would log the victim in as the attacker."""
    back = at_provider(browser, "ann")
    held = browser.cookies[COOKIE]
    browser.cookies.clear()
    assert_problem(browser.get(back), 400, "login-not-begun")
    browser.cookies.set(COOKIE, held[:-2] + "AA", path="/login/openid")
    assert_problem(browser.get(back), 400, "login-not-begun")
    browser.cookies.clear()
    at_provider(browser, "eve")
    assert_problem(browser.get(back), 400, "login-not-begun")
    assert "kb_session" not in browser.cookies
    browser.cookies.clear()
    browser.cookies.set(COOKIE, held, path="/login/openid")
    assert browser.get(back).status_code == 303
    browser.cookies.set(COOKIE, held, path="/login/openid")
    assert_problem(browser.get(back), 403, "login-refused")  # a code is good once


@pytest.mark.parametrize("part", ["nonce", "code_verifier"])
def test_a_wrong_nonce_or_verifier_is_refused(known: House, browser: TestClient, part: str) -> None:
    back = at_provider(browser, "ann")
    signer = known.client.app.state.openid._signer  # type: ignore[attr-defined]
    held = signer.loads(browser.cookies[COOKIE])
    (pending,) = held["pending"].values()
    pending["data"][part] = "another" * 10
    browser.cookies.clear()
    browser.cookies.set(COOKIE, signer.dumps(held), path="/login/openid")
    assert_problem(browser.get(back), 403, "login-refused")


@pytest.mark.parametrize("more", [{"oidc_issuer": "http://127.0.0.1:1"}, {"oidc_issuer": "{issuer}/"}])
def test_a_provider_that_does_not_answer_or_is_another_is_told(
    home: Path, place: str, issuer: str, more: dict[str, str]
) -> None:
    changed = {name: value.format(issuer=issuer) for name, value in more.items()}
    for house in house_of(home, place, issuer, **changed):
        assert_problem(house.client.get("/login/openid"), 503, "login-unavailable")
        key = house.key(Role.READER)
        assert house.client.get("/v1/incidents", headers={"Authorization": f"Bearer {key}"}).status_code == 200


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"oidc_issuer": "https://id.example.org"}, "KB_OIDC_CLIENT_ID and KB_OIDC_CLIENT_SECRET"),
        ({"oidc_client_secret": "s3cr3t"}, "KB_OIDC_ISSUER and KB_OIDC_CLIENT_ID"),
        (
            {"oidc_issuer": "http://id.example.org", "oidc_client_id": "a", "oidc_client_secret": "s3cr3t"},
            "KB_OIDC_ISSUER",
        ),
        ({"oidc_issuer": "id.example.org", "oidc_client_id": "a", "oidc_client_secret": "s3cr3t"}, "KB_OIDC_ISSUER"),
        *(
            (
                {
                    "oidc_issuer": "https://a.b",
                    "oidc_client_id": "a",
                    "oidc_client_secret": "s3cr3t",
                    "oidc_roles": roles,
                },
                "KB_OIDC_ROLES",
            )
            for roles in ("groups:x=root", "groups=admin", "admin", "*:x=admin", ":x=admin", "groups:=admin", "=admin")
        ),
    ],
)
def test_a_provider_set_by_half_is_refused_with_the_cure(given: dict[str, str], says: str) -> None:
    with pytest.raises(SettingsError, match=says) as raised:
        provider(ServiceSettings(**given))  # type: ignore[arg-type]
    assert "s3cr3t" not in f"{raised.value.problem}{raised.value.cure}"


@pytest.mark.parametrize(
    ("claims", "expected"),
    [
        ({}, None),
        ({"groups": "oncall"}, Role.CURATOR),
        ({"groups": ["oncall", "all"]}, Role.CURATOR),
        ({"groups": {"oncall": True}}, None),
        ({"groups": ["ONCALL", 7, None, ["oncall"]]}, None),
        ({"realm_access": {"roles": ["sre"]}, "groups": ["all"]}, Role.ADMIN),
        ({"realm_access.roles": ["sre"]}, Role.ADMIN),
        ({"realm_access": ["sre"]}, None),
        ({"https://example.org/team": "a=b"}, Role.REVIEWER),
        ({"https": {"//example": {"org/team": "a=b"}}}, None),
    ],
)
def test_roles_by_claims(claims: dict[str, object], expected: Role | None) -> None:
    roles = f"{ROLES}, https://example.org/team:a=b=reviewer"
    given = {"oidc_issuer": "https://a.b", "oidc_client_id": "a", "oidc_client_secret": "b", "oidc_roles": roles}
    house = provider(ServiceSettings(**given))  # type: ignore[arg-type]
    assert house is not None
    assert house.role_of(claims) == expected


@pytest.mark.parametrize(
    ("claims", "expected"),
    [
        ({"name": "  Ann\n\x1b[31m Bo ", "preferred_username": "x"}, "Ann [31m Bo"),
        ({"name": "", "preferred_username": "ann"}, "ann"),
        ({"name": ["x"]}, "somebody"),
        ({"name": "ann@example.org"}, "ann"),
        ({"name": "@ann"}, "somebody"),
        ({"name": "x" * 500}, "x" * 100),
    ],
)
def test_names(claims: dict[str, object], expected: str) -> None:
    assert name_of(claims) == expected
