"""Who may reach the service, from where, and what a browser is told about it."""

from pathlib import Path
from typing import Literal

import httpx
import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.commands.up import STAMP
from api.server.exposure import check, is_loopback
from api.server.middleware import SECURITY
from api.settings import ServiceSettings
from kb.errors import SettingsError
from tests.api.command import failed, kb
from tests.api.fixtures import assert_problem, serving
from tests.api.knowledge import KAFKA_TRACE

WIKI = "https://wiki.example.org"


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"KB_WECOM_TOKEN": "t", "KB_WECOM_AES_KEY": "short"}, "KB_WECOM_AES_KEY cannot be"),
        ({"KB_SLACK_SIGNING_SECRET": "s"}, "KB_SLACK_BOT_TOKEN is not set"),
        ({"KB_HOOKS_POST": "slack:C0123456789"}, "KB_HOOKS_POST names slack, which is not set up"),
    ],
)
def test_wrong_chats_and_alerts_are_told_before_there_are_workers(
    settings: dict[str, str], problem: str, tmp_path: Path
) -> None:
    """Each worker would end by it, and be started again, for ever."""
    assert problem in failed(kb("serve", "--port", "0", "--workers", "2", home=tmp_path, env=settings))


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.1.2.3", True),
        ("localhost", True),
        ("::1", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.0.2.7", False),
        ("", False),
        ("no such host.", False),
    ],
)
def test_which_addresses_only_this_machine_reaches(host: str, expected: bool) -> None:  # noqa: FBT001
    assert is_loopback(host) == expected


@pytest.mark.parametrize("command", ["serve", "up"])
def test_a_public_address_is_refused_until_reading_is_configured(tmp_path: Path, command: str) -> None:
    line = failed(kb(command, "--host", "0.0.0.0", "--port", "0", home=tmp_path))
    assert "without a key" in line
    assert "KB_READING=key" in line
    assert "KB_READING=open" in line
    assert not (tmp_path / STAMP).exists()


@pytest.mark.parametrize(
    ("host", "reading"), [("0.0.0.0", "open"), ("192.0.2.7", "key"), ("127.0.0.1", None), ("127.0.0.1", "key")]
)
def test_explicitly_open_with_keys_or_on_loopback_it_serves(host: str, reading: Literal["open", "key"] | None) -> None:
    check(ServiceSettings(host=host, reading=reading))


def test_every_answer_has_the_security_headers(client: TestClient) -> None:
    for response in (client.get("/"), client.get("/nothing"), client.post("/v1/search", json={"text": KAFKA_TRACE})):
        assert {name: response.headers.get(name) for name in SECURITY} == SECURITY
        assert "strict-transport-security" not in response.headers
        assert "access-control-allow-origin" not in response.headers


def test_strict_transport_security_only_where_the_browser_came_by_tls(home: Path) -> None:
    app = create_app(ServiceSettings(home=home))
    with TestClient(app, base_url="https://testserver") as client:
        assert client.get("/healthz").headers["strict-transport-security"] == "max-age=31536000"


@pytest.fixture
def shared_with_the_wiki(home: Path) -> TestClient:
    return TestClient(create_app(ServiceSettings(home=home, cors_origins=(WIKI,), max_body_bytes=1000)))


@pytest.mark.parametrize(
    ("origin", "allowed"),
    [(WIKI, True), ("https://evil.example.org", False), (f"{WIKI}.evil.example.org", False), ("null", False)],
)
def test_pages_of_named_origins_alone_may_call(shared_with_the_wiki: TestClient, origin: str, *, allowed: bool) -> None:
    asked = {
        "origin": origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization",
    }
    preflight = shared_with_the_wiki.options("/v1/search", headers=asked)
    assert (preflight.headers.get("access-control-allow-origin") == origin) == allowed
    assert "access-control-allow-credentials" not in preflight.headers
    for response in (
        shared_with_the_wiki.get("/healthz", headers={"origin": origin}),
        shared_with_the_wiki.post("/v1/search", json={"text": "x" * 2000}, headers={"origin": origin}),
    ):
        assert (response.headers.get("access-control-allow-origin") == origin) == allowed


def test_without_configured_origins_no_cross_origin_request_is_allowed(client: TestClient) -> None:
    asked = {"origin": WIKI, "access-control-request-method": "POST"}
    assert "access-control-allow-origin" not in client.options("/v1/search", headers=asked).headers


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("KB_CORS_ORIGINS", "*"),
        ("KB_CORS_ORIGINS", "https://a.example.org/path"),
        ("KB_CORS_ORIGINS", "a.example.org"),
        ("KB_TRUSTED_PROXIES", "*"),
        ("KB_TRUSTED_PROXIES", "10.0.0.0/8, proxy.example.org"),
        ("KB_READING", "everybody"),
        ("KB_RATE_PER_ADDRESS", "-1"),
    ],
)
def test_a_word_that_opens_too_much_is_refused(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError, match=name):
        ServiceSettings.load()


def test_lists_are_read_with_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KB_TRUSTED_PROXIES", "10.0.0.0/8, 2001:db8::/32,192.0.2.7")
    monkeypatch.setenv("KB_CORS_ORIGINS", f" {WIKI},http://localhost:3000 ")
    settings = ServiceSettings.load()
    assert settings.trusted_proxies == ("10.0.0.0/8", "2001:db8::/32", "192.0.2.7")
    assert settings.cors_origins == (WIKI, "http://localhost:3000")


@pytest.mark.parametrize("trusted", [True, False])
@pytest.mark.slow
def test_a_proxy_is_believed_only_where_it_is_named(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, *, trusted: bool
) -> None:
    """Behind a named proxy each address has its own rate and TLS is known; else the header is only a claim."""
    monkeypatch.setenv("KB_RATE_PER_ADDRESS", "1")
    if trusted:
        monkeypatch.setenv("KB_TRUSTED_PROXIES", "127.0.0.0/8")
    one, other = (
        {"x-forwarded-for": f"{address}, 127.0.0.1", "x-forwarded-proto": "https"}
        for address in ("192.0.2.1", "192.0.2.2")
    )
    with serving(home, tmp_path) as server, httpx.Client(base_url=server.url) as client:
        answers = [client.get("/openapi.json", headers=one) for _ in range(6)]
        refused = [answer for answer in answers if answer.status_code == 429]
        assert bool(refused) == trusted
        for answer in refused:
            assert_problem(answer, 429, "too-many-requests")
            assert answer.headers["retry-after"] == "1"
        assert client.get("/openapi.json", headers=other).status_code == 200
        assert client.get("/healthz", headers=one).status_code == 200, "probes are not counted"
        assert ("strict-transport-security" in answers[0].headers) == trusted
