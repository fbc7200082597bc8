"""Who may tell of alerts: the published vectors, and each of them changed, late, or under another key."""

import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.chat.platform import RefusedRequest, WebhookRequest
from api.hooks.routes import Signed, signed
from api.hooks.settings import HookSettings
from kb.errors import SettingsError

NOW = 1_700_000_000
SETTINGS = HookSettings(alertmanager_token="test-token", grafana_secret="test-grafana-secret", sentry_secret="test-client-secret")  # fmt: skip
VECTORS = ("sentry", "grafana", "grafana with a time")


def post(body: bytes | str, headers: Mapping[str, str]) -> WebhookRequest:
    sent = body if isinstance(body, bytes) else body.encode()
    return WebhookRequest("POST", {}, {name.lower(): value for name, value in headers.items()}, sent)


@pytest.fixture
def vectors(shared_data: Path) -> dict[str, WebhookRequest]:
    told: dict[str, Any] = json.loads((shared_data / "facts" / "webhook_vectors.json").read_text())
    grafana = told["grafana"]
    return {
        "sentry": post(told["sentry"]["body"], told["sentry"]["headers"]),
        "grafana": post(grafana["body"], grafana["no_timestamp"]),
        "grafana with a time": post(grafana["body"], grafana["with_timestamp"]),
        "alertmanager": post(json.dumps(told["alertmanager"]["body"]), told["alertmanager"]["headers"]),
    }


def found(name: str, call: WebhookRequest, now: float = NOW, settings: HookSettings = SETTINGS) -> Signed | str | None:
    try:
        return signed(name.partition(" ")[0], call, settings, now)
    except RefusedRequest as refused:
        return refused.reason


@pytest.mark.parametrize("name", VECTORS)
def test_the_published_vectors(name: str, vectors: dict[str, WebhookRequest]) -> None:
    call = vectors[name]
    proof = found(name, call)
    assert isinstance(proof, Signed)
    assert proof.mark in call.headers.values()
    other = SETTINGS.model_copy(update={"grafana_secret": "another", "sentry_secret": "another"})
    assert found(name, call, settings=other) == "signature"


@pytest.mark.parametrize("name", VECTORS)
def test_each_changed_byte_is_refused(name: str, vectors: dict[str, WebhookRequest]) -> None:
    call = vectors[name]
    for place in range(len(call.body)):
        changed = call.body[:place] + bytes([call.body[place] ^ 1]) + call.body[place + 1 :]
        assert found(name, replace(call, body=changed)) == "signature"
    for header, value in call.headers.items():
        if header in {"sentry-hook-timestamp", "sentry-hook-resource"}:
            continue  # not signed
        for place in range(len(value)):
            changed_value = value[:place] + ("0" if value[place] != "0" else "1") + value[place + 1 :]
            assert found(name, replace(call, headers={**call.headers, header: changed_value})) == "signature"


@pytest.mark.parametrize("name", ["sentry", "grafana with a time"])
@pytest.mark.parametrize("late", [301, -301, 10**9])
def test_a_call_of_another_time_is_refused(name: str, late: int, vectors: dict[str, WebhookRequest]) -> None:
    assert found(name, vectors[name], NOW + late) == "too-old"
    assert isinstance(found(name, vectors[name], NOW + 300), Signed)


def test_a_time_cannot_be_left_out(vectors: dict[str, WebhookRequest]) -> None:
    """Without its header the signature of time and body is none of the body."""
    call = vectors["grafana with a time"]
    kept = {name: value for name, value in call.headers.items() if "timestamp" not in name}
    assert found("grafana", replace(call, headers=kept)) == "signature"


def test_the_header_of_the_time_has_the_name_that_the_house_gives_it() -> None:
    body = b"{}"
    made = hmac.new(b"s", f"{NOW}:".encode() + body, hashlib.sha256).hexdigest()
    call = post(body, {"X-Grafana-Alerting-Signature": made, "X-Our-Time": str(NOW)})
    settings = HookSettings(grafana_secret="s", grafana_timestamp_header="X-Our-Time")
    assert isinstance(found("grafana", call, settings=settings), Signed)
    assert found("grafana", call, settings=HookSettings(grafana_secret="s")) == "signature"
    bare = post(body, {"X-Grafana-Alerting-Signature": hmac.new(b"s", body, hashlib.sha256).hexdigest()})
    assert found("grafana", bare, settings=settings) == "too-old", "where the house names it, it has to be there"
    assert isinstance(found("grafana", bare, settings=HookSettings(grafana_secret="s")), Signed)


def test_alertmanager_shows_a_token(vectors: dict[str, WebhookRequest]) -> None:
    call = vectors["alertmanager"]
    assert found("alertmanager", call) == Signed(None)
    for shown in ("Bearer test-toke", "Bearer test-tokem", "Bearer", "Basic dGVzdC10b2tlbg==", ""):
        other = replace(call, headers={"authorization": shown})
        assert found("alertmanager", other) is None, "it may be a key of ours, or is none at all"
    assert found("grafana", call) is None


@pytest.mark.parametrize("name", [*VECTORS, "alertmanager"])
def test_without_a_secret_here_it_takes_a_key(name: str, vectors: dict[str, WebhookRequest]) -> None:
    assert found(name, vectors[name], settings=HookSettings()) is None


@given(st.sampled_from(["alertmanager", "grafana", "sentry", "generic", "otlp"]), st.dictionaries(st.sampled_from(["authorization", "x-grafana-alerting-signature", "x-grafana-alerting-signature-timestamp", "sentry-hook-signature", "sentry-hook-timestamp"]), st.text()), st.binary(max_size=20))  # fmt: skip
def test_whatever_is_not_signed_proves_nothing(system: str, headers: dict[str, str], body: bytes) -> None:
    assert found(system, WebhookRequest("POST", {}, headers, body)) in {None, "signature"}


@pytest.mark.parametrize(("name", "value"), [("hooks_post", "slack"), ("hooks_post", ":x"), ("hooks_generic_text", "a["), ("hooks_most", 0), ("hooks_quiet", -1)])  # fmt: skip
def test_settings_that_cannot_be(name: str, value: object) -> None:
    from api.settings import loaded

    with pytest.raises(SettingsError, match=f"KB_{name.upper()}"):
        loaded(HookSettings, **{name: value})
