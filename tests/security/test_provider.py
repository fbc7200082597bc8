"""Logins at a provider of OpenID Connect that lies, is slow or sends without end."""

import base64
import json
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from joserfc.jwk import OctKey

from tests.api.access.conftest import House, opened
from tests.api.fixtures import assert_problem
from tests.security.lying_provider import CLIENT, SECRET, LyingProvider, new_key, running, signed


@pytest.fixture(scope="module")
def liar() -> Iterator[LyingProvider]:
    with running() as provider:
        yield provider


@pytest.fixture(autouse=True)
def tells_the_truth(liar: LyingProvider) -> None:
    liar.claims, liar.sign, liar.shown = {}, None, None
    liar.replies.clear()


def house_of(home: Path, place: Path, liar: LyingProvider) -> Iterator[House]:
    known = {"oidc_issuer": liar.url, "oidc_client_id": CLIENT, "oidc_client_secret": SECRET}
    yield from opened(home, f"sqlite:///{place / 'store.db'}", oidc_roles="groups:all=reader", **known)


@pytest.fixture(scope="module")
def known(home: Path, tmp_path_factory: pytest.TempPathFactory, liar: LyingProvider) -> Iterator[House]:
    yield from house_of(home, tmp_path_factory.mktemp("known"), liar)


@pytest.fixture
def house(known: House) -> House:
    """A service that has met the provider."""
    known.client.cookies.clear()
    return known


@pytest.fixture
def fresh(home: Path, tmp_path: Path, liar: LyingProvider) -> Iterator[House]:
    """A service that asks the provider for the first time."""
    yield from house_of(home, tmp_path, liar)


def login(house: House, liar: LyingProvider) -> httpx.Response:
    """Begin, and come back as the provider would send the browser."""
    begun = house.client.get("/login/openid")
    if begun.status_code != 302:
        return begun
    asked = parse_qs(urlsplit(begun.headers["location"]).query)
    liar.nonce = asked["nonce"][0]
    return house.client.get("/login/openid/back", params={"code": "c", "state": asked["state"][0]})


def is_in(house: House) -> bool:
    return "kb_session" in house.client.cookies


def test_a_true_identity_is_let_in(house: House, liar: LyingProvider) -> None:
    assert login(house, liar).status_code == 303
    assert is_in(house)


def _without_signature(_: LyingProvider, said: dict[str, Any]) -> str:
    parts = [json.dumps(one).encode() for one in ({"alg": "none", "typ": "JWT"}, said)]
    return ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts) + "."


def _by_secret(_: LyingProvider, said: dict[str, Any]) -> str:
    return signed(OctKey.import_key(SECRET), said, "HS256")


def _by_public_key(liar: LyingProvider, said: dict[str, Any]) -> str:
    public = base64.urlsafe_b64encode(liar.key.as_pem(private=False)).decode().rstrip("=")
    return signed(OctKey.import_key({"kty": "oct", "k": public}), said, "HS256", kid="one")


def _by_own_key(liar: LyingProvider, said: dict[str, Any]) -> str:
    """Another key of the same name, sent along in the head."""
    return signed(new_key(str(liar.key.kid)), said)


def _altered(liar: LyingProvider, said: dict[str, Any]) -> str:
    head, _, mark = signed(liar.key, said).split(".")
    body = base64.urlsafe_b64encode(json.dumps({**said, "sub": "root"}).encode()).decode().rstrip("=")
    return f"{head}.{body}.{mark}"


SIGNED = {
    "no signature": _without_signature,
    "the client's secret": _by_secret,
    "the public key as a secret": _by_public_key,
    "another key of the same name": _by_own_key,
    "altered": _altered,
    "no token": lambda *_: "",
    "not a token": lambda *_: "a.b.c",
}


@pytest.mark.parametrize("sign", SIGNED.values(), ids=SIGNED)
def test_an_identity_that_the_provider_did_not_sign_is_refused(
    house: House, liar: LyingProvider, sign: Callable[[LyingProvider, dict[str, Any]], str]
) -> None:
    liar.sign = sign
    assert login(house, liar).status_code in {403, 503}
    assert not is_in(house)


NOW = int(time.time())
CLAIMS: dict[str, dict[str, Any]] = {
    "another issuer": {"iss": "https://evil.example"},
    "no issuer": {"iss": None},
    "another audience": {"aud": "other"},
    "other audiences": {"aud": ["a", "b"]},
    "no audience": {"aud": None},
    "for another party": {"aud": [CLIENT, "other"], "azp": "other"},
    "expired": {"exp": NOW - 3_600},
    "never expires": {"exp": None},
    "of the future": {"iat": NOW + 86_400, "nbf": NOW + 86_400},
    "another nonce": {"nonce": "x"},
    "no nonce": {"nonce": None},
    "nobody": {"sub": None},
    "an empty name": {"sub": ""},
    "a list for a name": {"sub": ["ann"]},
    "words for a time": {"exp": "tomorrow"},
    "no role": {"groups": []},
    "an object for roles": {"groups": {"all": True}},
}


@pytest.mark.parametrize("claims", CLAIMS.values(), ids=CLAIMS)
def test_an_identity_of_another_kind_is_refused(house: House, liar: LyingProvider, claims: dict[str, Any]) -> None:
    liar.claims = claims
    assert login(house, liar).status_code in {400, 403}
    assert not is_in(house)


def test_a_key_that_is_turned_over_is_fetched_and_the_old_one_holds_no_more(house: House, liar: LyingProvider) -> None:
    assert login(house, liar).status_code == 303
    old, liar.key = liar.key, new_key("two")
    house.client.cookies.clear()
    assert login(house, liar).status_code == 303
    house.client.cookies.clear()
    liar.key, liar.shown = old, liar.key
    assert login(house, liar).status_code == 403
    assert not is_in(house)


def test_a_provider_of_another_name_is_not_asked(fresh: House, liar: LyingProvider) -> None:
    """Its own description says that it is somebody else."""
    true = liar.answer("/.well-known/openid-configuration")
    liar.replies["/.well-known/openid-configuration"] = _sends(
        json.dumps({**true, "issuer": "https://evil.example"}).encode()
    )
    assert_problem(login(fresh, liar), 503, "login-unavailable")


def _sends(body: bytes, times: int = 1) -> Callable[[BaseHTTPRequestHandler], None]:
    def reply(door: BaseHTTPRequestHandler) -> None:
        door.send_response(200)
        door.send_header("content-type", "application/json")
        door.end_headers()
        try:
            for _ in range(times):
                door.wfile.write(body)
        except OSError:
            pass  # it hung up, as it should

    return reply


def _redirects(door: BaseHTTPRequestHandler) -> None:
    door.send_response(302)
    door.send_header("location", door.path)
    door.end_headers()


def _drips(door: BaseHTTPRequestHandler) -> None:
    door.send_response(200)
    door.end_headers()
    try:
        for _ in range(60):
            door.wfile.write(b" ")
            time.sleep(1)
    except OSError:
        pass


PLACES = ["/.well-known/openid-configuration", "/keys", "/token"]
ENDLESS = {
    "endless": _sends(b" " * (1 << 20), 512),
    "many keys": _sends(b'{"keys":[' + b'{"kty":"oct"},' * 2_000_000 + b"{}]}"),
    "redirects": _redirects,
}


@pytest.mark.parametrize("reply", ENDLESS.values(), ids=ENDLESS)
@pytest.mark.parametrize("place", PLACES)
def test_what_a_provider_sends_without_end_is_not_read(
    fresh: House, liar: LyingProvider, place: str, reply: Callable[[BaseHTTPRequestHandler], None]
) -> None:
    """What is read of it is bounded, so there is an answer: who reads on has none."""
    liar.replies[place] = reply
    started = time.monotonic()
    refused = login(fresh, liar)
    assert refused.status_code in {403, 503}, refused.text
    assert not is_in(fresh)
    assert time.monotonic() - started < 30


@pytest.mark.bench
@pytest.mark.parametrize("place", PLACES)
def test_a_provider_that_drips_is_given_up(fresh: House, liar: LyingProvider, place: str) -> None:
    """A byte now and then keeps every limit of a single read."""
    liar.replies[place] = _drips
    started = time.monotonic()
    assert_problem(login(fresh, liar), 503, "login-unavailable")
    assert time.monotonic() - started < 20
