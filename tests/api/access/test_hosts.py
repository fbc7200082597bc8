"""The service answers to its own names: a site that lets its name lead here reads nothing (DNS rebinding)."""

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from api.access.hosts import is_this_machine, name_of
from api.app import create_app
from api.settings import ServiceSettings
from kb.errors import SettingsError
from tests.api.fixtures import HERE, assert_problem

OWN = "kb.example.org"


def asked_by(name: str, home: Path, **settings: object) -> int:
    app = create_app(ServiceSettings(home=home, **{"hosts": (), **settings}))  # type: ignore[arg-type]
    client = TestClient(app, client=HERE)
    response = client.post("/v1/search", json={"text": "boom"}, headers={"host": name})
    if response.status_code == 421:
        document = assert_problem(response, 421, "unknown-host")  # type: ignore[arg-type]
        assert "KB_HOSTS" in str(document["detail"])
        assert name == "1" or name not in response.text
    return response.status_code


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("127.0.0.1:8420", 503),  # there is nothing to search before the app has begun
        ("localhost:8420", 503),
        ("LocalHost.", 503),
        ("kb.localhost", 503),
        ("[::1]:8420", 503),
        ("192.0.2.7", 503),
        ("[2001:db8::1]", 503),
        ("rebound.evil.example:8420", 421),
        ("localhost.evil.example", 421),
        ("127.0.0.1.evil.example", 421),
        ("notlocalhost", 421),
        ("1", 421),
        ("0x7f000001", 421),
        (OWN, 421),
        ("[::1", 421),
        ("[evil.example]", 421),
    ],
)
def test_names_where_everybody_on_this_machine_may_read(name: str, status: int, home: Path) -> None:
    assert asked_by(name, home) == status


@pytest.mark.parametrize(
    ("settings", "own", "other"),
    [
        ({}, 421, 421),
        ({"reading": "open"}, 421, 421),
        ({"hosts": (OWN,)}, 503, 421),
        ({"hosts": (OWN,), "reading": "key"}, 401, 421),
        ({"hosts": (OWN,), "host": "0.0.0.0", "reading": "open"}, 503, 421),
        ({"reading": "key"}, 401, 401),  # a key is the guard: no page of another site has one
        ({"host": "0.0.0.0", "reading": "open"}, 503, 503),  # whoever opens it to a network opens it
    ],
)
def test_where_it_looks(settings: dict[str, object], own: int, other: int, home: Path) -> None:
    assert asked_by(f"{OWN}:443", home, **settings) == own
    assert asked_by(f"{OWN.upper()}.", home, **settings) == own
    assert asked_by("rebound.evil.example", home, **settings) == other


def test_the_public_address_names_the_service_too(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KB_PUBLIC_URL", f"https://{OWN.upper()}:8443/kb")
    assert (asked_by(OWN, home), asked_by("rebound.evil.example", home)) == (503, 421)


def test_a_browser_gets_a_page(home: Path) -> None:
    client = TestClient(create_app(ServiceSettings(home=home, hosts=())), client=HERE)
    page = client.get("/", headers={"host": OWN, "accept": "text/html", "accept-language": "zh"})
    assert (page.status_code, "KB_HOSTS" in page.text) == (421, True)


@pytest.mark.parametrize(("name", "status"), [("127.0.0.1", 200), ("localhost:1", 200), ("[::1]", 200), (OWN, 401)])
def test_who_comes_through_a_proxy_of_this_machine_is_not_of_this_machine(name: str, status: int, home: Path) -> None:
    """As far as the proxy hands the name on; it need not say for whom it asks."""
    client = TestClient(create_app(ServiceSettings(home=home, hosts=(OWN,))), client=HERE)
    assert client.get("/metrics", headers={"host": name}).status_code == status


@pytest.mark.parametrize("value", ["*", "https://kb.example.org", "kb.example.org:8420", "a b", "a..b"])
def test_what_is_no_name_is_refused(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KB_HOSTS", value)
    with pytest.raises(SettingsError, match="KB_HOSTS"):
        ServiceSettings.load()


def test_names_are_read_with_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KB_HOSTS", "KB.example.org., intranet")
    assert ServiceSettings.load().hosts == ("kb.example.org", "intranet")


@pytest.mark.parametrize(
    ("host", "name", "near"),
    [
        ("", "", False),
        ("127.0.0.1:80", "127.0.0.1", True),
        ("[::1]:80", "::1", True),
        ("10.0.0.1", "10.0.0.1", False),
        ("A.B.:1", "a.b", False),
    ],
)
def test_the_name_in_a_header(host: str, name: str, near: bool) -> None:  # noqa: FBT001
    assert (name_of(host), is_this_machine(name)) == (name, near)
