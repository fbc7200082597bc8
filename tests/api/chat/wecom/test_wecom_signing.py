"""A callback of WeCom is taken when it is whole, ours, new and lately sent; whatever else comes is refused."""

import base64
import json
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.chat.platform import Question, RefusedRequest, UrlVerification, WebhookRequest
from api.chat.wecom import Wecom, WecomSettings, make
from tests.api.chat.wecom.calls import (
    AES_KEY,
    CORP,
    NOW,
    TOKEN,
    app_call,
    padded,
    query,
    raw_encrypted,
    robot_call,
    sealed,
)

TEXT = {"msgid": "m1", "chattype": "single", "from": {"userid": "u"}, "response_url": "https://x/", "msgtype": "text", "text": {"content": "hi"}}  # fmt: skip
XML = "<xml><FromUserName>u</FromUserName><MsgType>text</MsgType><Content>hi</Content><MsgId>1</MsgId><AgentID>2</AgentID></xml>"


def wecom(token: str = TOKEN, key: str = AES_KEY, corp: str | None = CORP) -> Wecom:
    made = make(WecomSettings(wecom_token=token, wecom_aes_key=key, wecom_corp_id=corp))
    assert made is not None
    return made


def refusal(platform: Wecom, call: WebhookRequest, now: float = NOW) -> str | None:
    try:
        platform.verify(call, now)
    except RefusedRequest as refused:
        return refused.reason
    return None


@pytest.fixture
def vector(vectors: dict[str, Any]) -> tuple[WebhookRequest, Mapping[str, Any]]:
    told = vectors["wecom"]
    return WebhookRequest("GET", told["query"], {}, b""), told


def test_the_published_vector(vector: tuple[WebhookRequest, Mapping[str, Any]]) -> None:
    call, told = vector
    platform = wecom(told["token"], told["encoding_aes_key"], told["receiveid"])
    platform.verify(call, NOW)
    said = platform.read(call)
    assert isinstance(said, UrlVerification)
    assert said.reply.body == told["reply_body"].encode()


def test_each_changed_byte_of_the_vector_is_refused(vector: tuple[WebhookRequest, Mapping[str, Any]]) -> None:
    call, _ = vector
    for name, value in call.query.items():
        for place in range(len(value)):
            other = value[:place] + ("A" if value[place] != "A" else "B") + value[place + 1 :]
            changed = replace(call, query={**call.query, name: other})
            assert refusal(wecom(), changed) in _reasons(name), (name, place)
        assert refusal(wecom(), replace(call, query={**call.query, name: value[:-1]})) in _reasons(name)
        assert refusal(wecom(), replace(call, query={k: v for k, v in call.query.items() if k != name})) in _reasons(
            name
        )


def _reasons(name: str) -> set[str]:
    """The time is looked at first."""
    return {"signature", "too-old"} if name == "timestamp" else {"signature"}


@pytest.mark.parametrize(("now", "reason"), [(NOW - 300, None), (NOW + 300, None), (NOW + 301, "too-old"), (NOW - 301, "too-old"), (NOW + 7200, "too-old")])  # fmt: skip
def test_the_time_of_a_call(now: float, reason: str | None, vector: tuple[WebhookRequest, Mapping[str, Any]]) -> None:
    assert refusal(wecom(), vector[0], now) == reason
    assert refusal(wecom(), robot_call(TEXT), now) == reason
    assert refusal(wecom(), app_call(XML), now) == reason


@pytest.mark.parametrize(
    "time", ["", "x", "-1700000000", "1700000000.0", "9" * 400, "１７００００００００", " 1700000000"]
)
def test_a_time_that_is_none(time: str) -> None:
    call = robot_call(TEXT)
    encrypted = json.loads(call.body)["encrypt"]
    signed = query(encrypted) | {"timestamp": time}
    signed["msg_signature"] = _signature(time, signed["nonce"], encrypted)
    assert refusal(wecom(), replace(call, query=signed)) == "too-old"


def _signature(time: str, nonce: str, encrypted: str) -> str:
    import hashlib

    return hashlib.sha1("".join(sorted([TOKEN, time, nonce, encrypted])).encode()).hexdigest()


def test_other_keys() -> None:
    other = base64.b64encode(bytes(range(32))).decode()[:43]
    assert refusal(wecom(token="another"), robot_call(TEXT)) == "signature"
    assert refusal(wecom(key=other), robot_call(TEXT)) == "unreadable"
    assert refusal(wecom(), robot_call(TEXT, token="another")) == "signature"


@pytest.mark.parametrize("place", range(0, 200, 7))
def test_each_changed_byte_of_a_message_is_refused(place: int) -> None:
    for call in (robot_call(TEXT), app_call(XML)):
        body = bytearray(call.body)
        body[place % len(body)] ^= 1
        reason = refusal(wecom(), replace(call, body=bytes(body)))
        assert reason in {"signature", "unreadable"} or _same(wecom(), bytes(body), call)


def _same(platform: Wecom, body: bytes, call: WebhookRequest) -> bool:
    """What is changed outside the ciphertext (a name in XML that nobody reads) changes nothing that is read."""
    return platform.read(replace(call, body=body)) == platform.read(call)


def test_who_it_is_for() -> None:
    assert refusal(wecom(), app_call(XML, receiver="wwOTHER")) == "unreadable"
    assert refusal(wecom(corp=None), app_call(XML)) == "unreadable"
    assert refusal(wecom(corp=None), app_call(XML, receiver="")) is None
    encrypted = sealed(json.dumps(TEXT), CORP)
    call = WebhookRequest("POST", query(encrypted), {}, json.dumps({"encrypt": encrypted}).encode())
    assert refusal(wecom(), call) == "unreadable"


@pytest.mark.parametrize(
    "plain",
    [
        padded(bytes(16) + (2).to_bytes(4, "big") + b"{}")[:-1] + b"\x21",
        padded(bytes(16) + (2).to_bytes(4, "big") + b"{}")[:-2] + b"\x00\x0a",
        bytes(64),
        padded(bytes(16) + (2**31).to_bytes(4, "big") + b"{}"),
        padded(bytes(8)),
        padded(bytes(16) + (2).to_bytes(4, "big") + b"\xff\xfe"),
        b"\x10" * 32,
    ],
)
def test_a_plaintext_that_is_not_whole(plain: bytes) -> None:
    encrypted = raw_encrypted(plain)
    call = WebhookRequest("POST", query(encrypted), {}, json.dumps({"encrypt": encrypted}).encode())
    assert refusal(wecom(), call) == "unreadable"


@pytest.mark.parametrize("block", [16, 32])
def test_padding_to_either_block_is_read(block: int) -> None:
    """The public libraries pad to 32; the mobile ones were seen to pad to 16."""
    data = json.dumps(TEXT).encode()
    encrypted = raw_encrypted(padded(bytes(16) + len(data).to_bytes(4, "big") + data, block))
    call = WebhookRequest("POST", query(encrypted), {}, json.dumps({"encrypt": encrypted}).encode())
    platform = wecom()
    platform.verify(call, NOW)
    assert isinstance(platform.read(call), Question)


def test_a_message_that_is_delivered_again_is_the_same() -> None:
    platform = wecom()
    assert platform.read(robot_call(TEXT)) == platform.read(robot_call(TEXT, NOW + 5))


BODIES = [b"", b"{", b"{}", b"[]", b"null", b'{"encrypt": 1}', b'{"encrypt": ""}', b"[" * 100_000, b'{"a":' * 100_000, b"<xml>", b"<xml/>", b"\xff\xfe<\x00", b"<a>" * 50_000, b'<!DOCTYPE x [<!ENTITY e "ee">]><xml><Encrypt>&e;</Encrypt></xml>', b'<?xml version="1.0" encoding="nonsense"?><xml/>', b"{" + b" " * (4 * 1024 * 1024), b'{"encrypt": "' + b"A" * 100_000 + b'"}', '{"encrypt": "中"}'.encode(), b'{"encrypt": "\\ud800"}']  # fmt: skip


@pytest.mark.parametrize("body", BODIES, ids=range(len(BODIES)))
def test_a_hostile_body_is_refused(body: bytes) -> None:
    assert refusal(wecom(), WebhookRequest("POST", query("x"), {}, body)) in {"unreadable", "signature"}


@pytest.mark.parametrize("body", [b"<a>" * 340_000, b"<xml>" + b"<a/>" * 250_000 + b"</xml>", b"<a>" * 40_000, b"<xml>" + b"<a/>" * 30_000 + b"</xml>", b"<xml><Encrypt>" + b"&lt;" * 30_000 + b"</Encrypt></xml>", b"<xml>" + b"<!---->" * 18_000 + b"</xml>"], ids=range(6))  # fmt: skip
def test_an_unsigned_body_is_refused_quickly(body: bytes) -> None:
    """It is looked at on the loop that serves everybody: 1 MB of tags took seconds as a tree."""
    platform, began = wecom(), time.process_time()
    assert refusal(platform, WebhookRequest("POST", query("x"), {}, body)) in {"unreadable", "signature"}
    assert time.process_time() - began < 0.2


def test_what_comes_too_late_is_not_read_at_all() -> None:
    assert refusal(wecom(), WebhookRequest("POST", query("x"), {}, b"<a>"), NOW + 301) == "too-old"


def test_elements_within_elements_of_an_app() -> None:
    xml = "<xml><FromUserName>u</FromUserName><MsgType>text</MsgType><Content>a<b>no</b>&lt;<![CDATA[<i>]]></Content><MsgId>1</MsgId><Deep><Content>other</Content></Deep></xml>"  # fmt: skip
    said = wecom().read(app_call(xml))
    assert isinstance(said, Question)
    assert said.text == "a<<i>"


@given(st.dictionaries(st.sampled_from(["msg_signature", "timestamp", "nonce", "echostr", "x"]), st.text()), st.binary(), st.sampled_from(["GET", "POST"]))  # fmt: skip
def test_whatever_is_not_signed_is_refused(values: dict[str, str], body: bytes, method: str) -> None:
    assert refusal(wecom(), WebhookRequest(method, values, {}, body)) in {"signature", "unreadable", "too-old"}


@given(st.binary(max_size=200))
def test_whatever_is_inside_a_signed_call_is_read_or_refused(inside: bytes) -> None:
    encrypted = raw_encrypted(padded(inside))
    for body in (json.dumps({"encrypt": encrypted}).encode(), f"<xml><Encrypt>{encrypted}</Encrypt></xml>".encode()):
        assert refusal(wecom(), WebhookRequest("POST", query(encrypted), {}, body)) in {None, "unreadable"}


def test_without_its_settings_there_is_no_wecom() -> None:
    assert make(WecomSettings(wecom_token=None, wecom_aes_key=AES_KEY)) is None
    assert make(WecomSettings(wecom_token=TOKEN, wecom_aes_key=None)) is None
    with pytest.raises(ValueError, match="43 letters"):
        WecomSettings(wecom_aes_key="short")
