"""Only Slack's own calls, and only fresh ones, are taken; slack_sdk's verifier is the judge where it can be."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from slack_sdk.signature import Clock, SignatureVerifier

from api.chat.platform import RefusedRequest, WebhookRequest
from api.chat.slack.reading import STAMP, signature, verify
from tests.api.chat.slack.calls import NOW, SECRET, event, mention, signed

VECTOR_SECRET = "test-signing-secret"
VECTOR = WebhookRequest(
    "POST",
    {},
    {
        "x-slack-request-timestamp": "1700000000",
        "x-slack-signature": "v0=355b9d23282700880d56c933d12455ff2f24a579fe85063975d76e3ddd5df99d",
    },
    b"token=x&team_id=T1&command=%2Fincident&text=NullPointerException&user_id=U1",
)


class Fixed(Clock):
    def __init__(self, now: float) -> None:
        self._now = now

    def now(self) -> float:
        return self._now


def reason(call: WebhookRequest, now: float = NOW, secret: str = SECRET) -> str:
    """Why it is refused; '' when it is taken."""
    try:
        verify(secret, call, now)
    except RefusedRequest as refused:
        return refused.reason
    return ""


def test_the_vector_is_the_published_one(vectors: dict[str, Any]) -> None:
    told = vectors["slack"]
    assert told["secret"] == VECTOR_SECRET
    assert {name.lower(): value for name, value in told["headers"].items()} == VECTOR.headers
    assert told["body"].encode() == VECTOR.body


@pytest.mark.parametrize(("seconds", "expected"), [(0, ""), (100, ""), (300, ""), (300.9, "too-old"), (301, "too-old"), (86_400, "too-old"), (-300, ""), (-301, "too-old")])  # fmt: skip
def test_the_vector_holds_for_five_minutes_to_both_sides(seconds: float, expected: str) -> None:
    assert reason(VECTOR, NOW + seconds, VECTOR_SECRET) == expected


def test_another_key_is_refused() -> None:
    assert reason(VECTOR, NOW, "test-signing-secreT") == "signature"
    assert reason(VECTOR, NOW, VECTOR_SECRET + " ") == "signature"


@pytest.mark.parametrize("call", [(VECTOR, VECTOR_SECRET), (signed(event(mention())), SECRET)], ids=["form", "json"])
def test_one_byte_changed_anywhere_is_refused(call: tuple[WebhookRequest, str]) -> None:
    right, secret = call
    assert reason(right, NOW, secret) == ""
    for at in range(len(right.body)):
        for change in (1, 0x20, 0x80):
            body = bytearray(right.body)
            body[at] ^= change
            assert reason(WebhookRequest("POST", {}, right.headers, bytes(body)), NOW, secret) == "signature"
    for body in (right.body + b" ", right.body[:-1], b"\n" + right.body, b""):
        assert reason(WebhookRequest("POST", {}, right.headers, body), NOW, secret) == "signature"
    for name, value in right.headers.items():
        for at in range(len(value)):
            for other in {chr(ord(value[at]) ^ 1), value[at].upper(), "0"} - {value[at]}:
                headers = {**right.headers, name: value[:at] + other + value[at + 1 :]}
                assert reason(WebhookRequest("POST", {}, headers, right.body), NOW, secret) == "signature"


@pytest.mark.parametrize("name", list(VECTOR.headers))
@pytest.mark.parametrize("value", [None, "", " ", "é", "\udce9", "-1700000000", "+1700000000", " 1700000000", "1_700_000_000", "１７００００００００", "1700000000.0", "9" * 5000, "v0=", "v1=355b9d23282700880d56c933d12455ff2f24a579fe85063975d76e3ddd5df99d", "355b9d23282700880d56c933d12455ff2f24a579fe85063975d76e3ddd5df99d"])  # fmt: skip
def test_odd_headers_are_refused_and_never_raise(name: str, value: str | None) -> None:
    headers = {key: one for key, one in {**VECTOR.headers, name: value}.items() if one is not None}
    assert reason(WebhookRequest("POST", {}, headers, VECTOR.body), NOW, VECTOR_SECRET) == "signature"


@pytest.mark.parametrize(
    "stamp", ["1700000000x", "x", "-1700000000", "1700000000.5", " 1700000000", "\uff11" * 10, "1" * 13, ""]
)
def test_a_time_that_is_no_number_is_refused_though_it_is_signed(stamp: str) -> None:
    signed_so = {STAMP: stamp, "x-slack-signature": signature(SECRET, stamp, b"x") if stamp.isascii() else "v0="}
    assert reason(WebhookRequest("POST", {}, signed_so, b"x")) == "signature"


@given(body=st.text(max_size=200), now=st.integers(NOW - 400, NOW + 400), secret=st.sampled_from([SECRET, "other"]))
def test_slack_sdk_judges_the_same(body: str, now: int, secret: str) -> None:
    call = signed(body.encode("utf-8", "replace"), NOW)
    judge = SignatureVerifier(secret, Fixed(now))
    assert judge.is_valid_request(call.body, dict(call.headers)) == (reason(call, now, secret) == "")
    assert signature(secret, str(NOW), call.body) == judge.generate_signature(timestamp=str(NOW), body=call.body)


def test_a_body_that_is_no_utf8_is_verified_as_it_came() -> None:
    assert reason(signed(b"text=\xff\xfe")) == ""
    assert reason(WebhookRequest("POST", {}, signed(b"text=\xff\xfe").headers, b"text=\xff\xff")) == "signature"
