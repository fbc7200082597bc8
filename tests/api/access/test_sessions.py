"""Logging in and out on the page, and what keeps other sites from using a login."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from api.access import Scope
from api.pages.login import inside
from kb.store import Role
from tests.api.fixtures import assert_problem

from .conftest import ROOT, House, opened

WORDS = {"id": "x", "title": "A title"}


@pytest.fixture
def browser(house: House) -> Iterator[TestClient]:
    house.client.cookies.clear()
    yield house.client
    house.client.cookies.clear()


def log_in(browser: TestClient, secret: str, **headers: str) -> str:
    """Log in; the token of the session's forms."""
    done = browser.post("/login", data={"key": secret, "next": "/"}, headers=headers)
    assert (done.status_code, done.headers["location"]) == (303, "/"), done.text
    return token(browser)


def token(browser: TestClient) -> str:
    return str(browser.get("/").text.partition('name="csrf" value="')[2].partition('"')[0])


def test_a_key_is_exchanged_for_a_session_and_the_session_ends(house: House, browser: TestClient) -> None:
    secret = house.key(Role.CURATOR, name="Ann")
    assert 'href="/login?next=%2F' in browser.get("/").text
    csrf = log_in(browser, secret)
    page = browser.get("/?lang=zh")
    assert "Ann（维护者）" in page.text
    assert page.headers["cache-control"] == "no-store"
    assert secret not in page.text + str(dict(browser.cookies))
    assert browser.get("/login", params={"next": "/incidents/hostile"}).headers["location"] == "/incidents/hostile"
    held = browser.cookies["kb_session"]
    out = browser.post("/logout", data={"csrf": csrf})
    assert (out.status_code, "kb_session" in browser.cookies) == (303, False)
    browser.cookies.set("kb_session", held)
    assert "Ann" not in browser.get("/").text
    assert_problem(browser.post("/v1/incidents", json=WORDS, headers={"X-CSRF-Token": csrf}), 401, "no-key")
    lines = [line for line in house.store.audit.listing(limit=1000) if line.actor.name == "Ann"]
    assert [line.action for line in lines] == ["session.begin", "session.end"]
    assert lines[0].object == lines[1].object
    assert held not in str(lines)


def test_the_cookie_is_for_this_site_alone_and_not_for_scripts(house: House, browser: TestClient) -> None:
    (plain,) = browser.post("/login", data={"key": house.key()}).headers.get_list("set-cookie")
    (secure,) = browser.post("https://testserver/login", data={"key": house.key()}).headers.get_list("set-cookie")
    for cookie, name in ((plain, "kb_session="), (secure, "__Host-kb_session=")):
        assert cookie.startswith(name)
        parts = {part.strip().lower() for part in cookie.split(";")[1:]}
        assert parts >= {"httponly", "samesite=lax", "path=/", "max-age=43200"}
        assert not any(part.startswith("domain") for part in parts)
        assert ("secure" in parts) == name.startswith("__Host-")


def test_each_login_is_another_session_and_ends_the_one_before(house: House, browser: TestClient) -> None:
    browser.cookies.set("kb_session", "chosen-by-somebody-else")
    log_in(browser, house.key(Role.READER))
    first = browser.cookies.get("kb_session", domain="testserver.local")
    assert first != "chosen-by-somebody-else"
    assert house.store.sessions.find("chosen-by-somebody-else") is None
    log_in(browser, house.key(Role.CURATOR))
    assert house.store.sessions.find(str(first)) is None


def test_a_session_is_over_when_its_key_is(house: House, browser: TestClient) -> None:
    key, secret = house.store.keys.create("Ben", Role.ADMIN, actor=ROOT)
    log_in(browser, secret)
    assert "Ben (administrator)" in browser.get("/").text
    house.store.keys.revoke(key.id, actor=ROOT)
    assert "Ben" not in browser.get("/").text


def test_a_session_lasts_no_longer_than_it_may(home: Path, place: str) -> None:
    for house in opened(home, place, session_hours=1 / 3600, reading="key"):
        house.client.post("/login", data={"key": house.key()})
        held = str(house.client.cookies["kb_session"])
        assert house.client.get("/v1/incidents").status_code == 200
        while house.store.sessions.find(held) is not None:
            pass
        house.client.cookies.set("kb_session", held)
        assert_problem(house.client.get("/v1/incidents"), 401, "no-key")


@pytest.mark.parametrize("state", ["unknown", "expired", "revoked"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_key_that_opens_nothing_is_no_login(house: House, browser: TestClient, state: str, lang: str) -> None:
    secret = "kb_nothing" if state == "unknown" else getattr(house, state)()
    refused = browser.post(f"/login?lang={lang}", data={"key": secret, "next": "/incidents/hostile"})
    assert refused.status_code == 401
    assert 'role="alert"' in refused.text
    assert 'value="/incidents/hostile"' in refused.text
    assert secret not in refused.text
    assert "set-cookie" not in refused.headers
    assert refused.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("/", "/"),
        ("/incidents/a%2Fb?lang=zh", "/incidents/a%2Fb?lang=zh"),
        ("", "/"),
        ("https://evil.example.org/", "/"),
        ("//evil.example.org/", "/"),
        ("///evil.example.org/", "/"),
        ("/\\evil.example.org/", "/"),
        ("/\t/evil.example.org/", "/"),
        ("\t//evil.example.org/", "/"),
        ("/a\r\nSet-Cookie: x=y", "/"),
        ("javascript:alert(1)", "/"),
        ("incidents", "/"),
        ("/事故", "/"),
        ("/" + "x" * 5000, "/" + "x" * 1999),
        ("//[", "/"),
    ],
)
def test_a_login_leads_to_this_site_alone(address: str, expected: str) -> None:
    assert inside(address) == expected


HERE = {"origin": "http://testserver"}


@pytest.mark.parametrize(
    ("headers", "has_token", "allowed"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"sec-fetch-site": "same-origin"}, True, True),
        ({"sec-fetch-site": "same-origin"}, False, False),
        ({"sec-fetch-site": "same-site"}, True, False),
        ({"sec-fetch-site": "cross-site"}, True, False),
        ({"sec-fetch-site": "cross-site", **HERE}, True, False),
        (HERE, True, True),
        (HERE, False, False),
        ({"origin": "null"}, True, False),
        ({"origin": "https://testserver"}, True, False),
        ({"origin": "http://testserver:8080"}, True, False),
        ({"origin": "http://testserver.evil.example.org"}, True, False),
    ],
)
@pytest.mark.parametrize("door", ["json", "form"])
def test_a_change_of_a_session_comes_from_this_site_and_has_its_token(
    house: House, browser: TestClient, headers: dict[str, str], *, has_token: bool, allowed: bool, door: str
) -> None:
    csrf = log_in(browser, house.key(Role.CURATOR))
    if door == "json":
        sent = {"X-CSRF-Token": csrf} if has_token else {}
        done = browser.post("/v1/incidents", json={"title": "From a page"}, headers=headers | sent)
        kind = 201 if allowed else 403
    else:
        done = browser.post("/logout", data={"csrf": csrf} if has_token else {"csrf": "x"}, headers=headers)
        kind = 303 if allowed else 403
    assert done.status_code in ({kind, 409} if kind == 201 else {kind}), done.text
    if not allowed:
        assert_problem(done, 403, "from-elsewhere")


def test_the_token_of_another_session_is_none(house: House, browser: TestClient) -> None:
    other = log_in(browser, house.key(Role.CURATOR))
    log_in(browser, house.key(Role.CURATOR))
    assert_problem(browser.post("/v1/incidents", json=WORDS, headers={"X-CSRF-Token": other}), 403, "from-elsewhere")


@pytest.mark.parametrize("headers", [{"sec-fetch-site": "cross-site"}, {"origin": "https://evil.example.org"}])
def test_nobody_is_logged_in_from_another_site(house: House, browser: TestClient, headers: dict[str, str]) -> None:
    assert_problem(browser.post("/login", data={"key": house.key()}, headers=headers), 403, "from-elsewhere")


def test_a_key_needs_no_token_and_searching_by_a_form_of_this_site_neither(house: House, browser: TestClient) -> None:
    elsewhere = {"sec-fetch-site": "cross-site"}
    secret = house.key(Role.CURATOR)
    log_in(browser, secret)
    assert browser.post("/", data={"text": "boom"}, headers={"sec-fetch-site": "same-origin"}).status_code == 200
    assert browser.post("/", data={"text": "boom"}, headers=elsewhere).status_code == 403
    headers = elsewhere | {"Authorization": f"Bearer {secret}"}
    assert browser.post("/v1/incidents", json={"title": "By a key"}, headers=headers).status_code == 201


def test_a_session_may_what_its_key_may(house: House, browser: TestClient) -> None:
    log_in(browser, house.key(Role.ADMIN, Scope.SEARCH))
    assert browser.get("/").status_code == 200
    assert_problem(browser.get("/v1/incidents"), 403, "scope-needed")


def test_where_reading_takes_a_key_a_browser_is_sent_to_log_in(closed: House) -> None:
    page = {"accept": "text/html"}
    closed.client.cookies.clear()
    sent = closed.client.get("/incidents/kafka-commit-rebalanced", headers=page)
    address = "/login?next=%2Fincidents%2Fkafka-commit-rebalanced"
    assert (sent.status_code, sent.headers["location"]) == (303, f"{address}&needed=yes")
    reason = "The page that you asked for needs a key: /incidents/kafka-commit-rebalanced."
    assert reason in closed.client.get(sent.headers["location"], headers=page).text
    assert reason not in closed.client.get(address, headers=page).text, "whoever chose to log in knows why"
    assert closed.client.get(sent.headers["location"], headers=page).status_code == 200
    assert closed.client.post("/", data={"text": "boom"}, headers=page).status_code == 401
    for path in ("/static/page.css", "/healthz", "/readyz"):
        assert closed.client.get(path).status_code == 200
    assert_problem(closed.client.get("/no-such-page"), 401, "no-key")
