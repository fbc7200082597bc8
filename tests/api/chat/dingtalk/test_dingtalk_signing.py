"""Calls whose headers DingTalk made are taken, for an hour; the body is not signed, and that is all the platform gives."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.chat.dingtalk.reading import SECONDS, sign, verify
from api.chat.platform import RefusedRequest, WebhookRequest
from tests.api.chat.dingtalk.calls import NOW, SECRET, received, signed

CALL = signed(received("text", "boom"))


def refusal(call: WebhookRequest, secret: str = SECRET, now: float = NOW) -> str | None:
    """Why it is refused; None when it is taken."""
    try:
        verify(secret, call, now)
    except RefusedRequest as refused:
        return refused.reason
    return None


def test_the_shared_vector(vectors: dict[str, Any]) -> None:
    told = vectors["dingtalk"]
    call = WebhookRequest("POST", {}, told["headers"], json.dumps(told["body"]).encode())
    assert refusal(call, told["app_secret"]) is None
    assert refusal(call, "another") == "signature"
    assert refusal(call, told["app_secret"], NOW + SECONDS + 1) == "too-old"
    assert told["headers"]["sign"] == sign(told["app_secret"], told["headers"]["timestamp"])


def test_a_changed_body_cannot_be_told() -> None:
    """The sign covers the time alone: who has seen one call may send another body under it for an hour. TLS and an allow-list are what is left."""
    changed = WebhookRequest("POST", {}, CALL.headers, b'{"msgtype": "text", "text": {"content": "forged"}}')
    assert refusal(changed) is None


@pytest.mark.parametrize("header", ["timestamp", "sign"])
def test_every_sign_of_the_headers_counts(header: str) -> None:
    told = CALL.headers[header]
    for place in range(len(told)):
        changed = told[:place] + chr(ord(told[place]) ^ 1) + told[place + 1 :]
        assert refusal(WebhookRequest("POST", {}, CALL.headers | {header: changed}, CALL.body)) == "signature"


REFUSED = [
    ("another secret", signed(b"{}", secret="another"), "signature"),
    ("too old", signed(b"{}", at=NOW - SECONDS - 1), "too-old"),
    ("from the future", signed(b"{}", at=NOW + SECONDS + 1), "too-old"),
    ("seconds", signed(b"{}", at=str(NOW)), "signature"),
    ("other figures", signed(b"{}", at="１７００００００００００００"), "signature"),
    ("no time", WebhookRequest("POST", {}, {"sign": CALL.headers["sign"]}, b"{}"), "signature"),
    ("no sign", WebhookRequest("POST", {}, {"timestamp": CALL.headers["timestamp"]}, b"{}"), "signature"),
    ("no headers", WebhookRequest("POST", {}, {}, b"{}"), "signature"),
    ("a sign that is no ASCII", WebhookRequest("POST", {}, CALL.headers | {"sign": "é"}, b"{}"), "signature"),
    ("a sign as in an address", WebhookRequest("POST", {}, CALL.headers | {"sign": CALL.headers["sign"].replace("=", "%3D")}, b"{}"), "signature"),
    ("a sign without its padding", WebhookRequest("POST", {}, CALL.headers | {"sign": CALL.headers["sign"].rstrip("=")}, b"{}"), "signature"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "reason"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_what_is_refused(call: WebhookRequest, reason: str) -> None:
    assert refusal(call) == reason


@pytest.mark.parametrize("at", [NOW - SECONDS, NOW, NOW + SECONDS])
def test_the_window_is_an_hour_to_both_sides(at: float) -> None:
    assert refusal(signed(b"{}", at=at)) is None


@given(st.dictionaries(st.sampled_from(["timestamp", "sign"]), st.text(max_size=60)), st.binary(max_size=50))
def test_hostile_headers_are_refused(headers: dict[str, str], body: bytes) -> None:
    assert refusal(WebhookRequest("POST", {}, headers, body)) == "signature"
