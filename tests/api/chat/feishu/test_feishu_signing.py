"""Calls that Feishu made are taken; with one byte changed, too old, from the future or under another key they are not."""

import base64
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.chat.feishu.signing import SECONDS, VerificationKeys, opened, verify
from api.chat.platform import RefusedRequest, WebhookRequest
from tests.api.chat.feishu.calls import ENCRYPT_KEY, NOW, TOKEN, bare, event, pressed, received, sealed, signed

BOTH, ENCRYPTED, PLAIN = (
    VerificationKeys(ENCRYPT_KEY, TOKEN),
    VerificationKeys(ENCRYPT_KEY, None),
    VerificationKeys(None, TOKEN),
)
MESSAGE = received({"text": "@_user_1 NullPointerException"})
CHECK = {"challenge": "abc123", "token": TOKEN, "type": "url_verification"}
OLD_PRESS = {
    "open_id": "ou_1",
    "open_message_id": "om_1",
    "token": "c-1",
    "action": {"value": {"ref": "r"}, "tag": "button"},
}


def dumped(document: object) -> bytes:
    return json.dumps(document).encode()


def refusal(call: WebhookRequest, keys: VerificationKeys, now: float = NOW) -> str | None:
    """Why it is refused; None when it is taken."""
    try:
        verify(call, now, keys)
    except RefusedRequest as refused:
        return refused.reason
    return None


def test_the_shared_vector(vectors: dict[str, Any]) -> None:
    told = vectors["feishu"]
    call = WebhookRequest(
        "POST", {}, {name.lower(): value for name, value in told["headers"].items()}, told["body"].encode()
    )
    for keys in (VerificationKeys(told["encrypt_key"], None), VerificationKeys(told["encrypt_key"], "vtok")):
        verify(call, NOW, keys)
        assert opened(call.body, keys) == json.loads(told["plaintext"])
    assert refusal(call, VerificationKeys("another", None)) == "signature"
    assert refusal(call, VerificationKeys(told["encrypt_key"], None), NOW + SECONDS + 1) == "too-old"
    for place in range(len(call.body)):
        changed = bytes([*call.body[:place], call.body[place] ^ 1, *call.body[place + 1 :]])
        assert refusal(replace(call, body=changed), VerificationKeys(told["encrypt_key"], None)) == "signature"


TAKEN = [
    ("event, encrypted and signed", signed(sealed(dumped(MESSAGE))), BOTH),
    ("no token set", signed(sealed(dumped(MESSAGE))), ENCRYPTED),
    ("press, encrypted and signed", signed(sealed(dumped(pressed({"ref": "r"})))), BOTH),
    ("no Encrypt Key", bare(MESSAGE), PLAIN),
    ("no Encrypt Key, a hash that proves nothing is not looked at", signed(dumped(MESSAGE), key=""), PLAIN),
    ("first version", bare({"uuid": "u", "token": TOKEN, "type": "event_callback", "event": {}}), PLAIN),
    ("check, plain", bare(CHECK), PLAIN),
    ("check, plain, while the Encrypt Key is being set", bare(CHECK), BOTH),
    ("check, encrypted, unsigned", bare(sealed(dumped(CHECK))), BOTH),
    ("check, encrypted, unsigned, no token set", bare(sealed(dumped(CHECK))), ENCRYPTED),
    (
        "check under an empty signature",
        WebhookRequest("POST", {}, {"x-lark-signature": ""}, sealed(dumped(CHECK))),
        BOTH,
    ),
    ("check, encrypted, signed", signed(sealed(dumped(CHECK))), BOTH),
    ("old press", signed(dumped(OLD_PRESS), key=TOKEN, kind="sha1"), PLAIN),
    ("old press, encrypted", signed(sealed(dumped(OLD_PRESS)), key=TOKEN, kind="sha1"), BOTH),
    ("at the end of the window", signed(sealed(dumped(MESSAGE)), at=NOW - SECONDS), BOTH),
    ("ahead, at the end of the window", signed(sealed(dumped(MESSAGE)), at=NOW + SECONDS), BOTH),
]


@pytest.mark.parametrize(("call", "keys"), [row[1:] for row in TAKEN], ids=[row[0] for row in TAKEN])
def test_what_is_taken(call: WebhookRequest, keys: VerificationKeys) -> None:
    assert refusal(call, keys) is None


SIGNED = signed(sealed(dumped(MESSAGE)))
REFUSED = [
    ("another key", signed(sealed(dumped(MESSAGE)), key="another"), BOTH, "signature"),
    ("sealed with another key", signed(sealed(dumped(MESSAGE), key="another")), BOTH, "unreadable"),
    ("another token inside", signed(sealed(dumped(received({"text": "x"}) | {"header": {"token": "no"}}))), BOTH, "signature"),
    ("too old", signed(sealed(dumped(MESSAGE)), at=NOW - SECONDS - 1), BOTH, "too-old"),
    ("from the future", signed(sealed(dumped(MESSAGE)), at=NOW + SECONDS + 1), BOTH, "too-old"),
    ("time of other length", signed(sealed(dumped(MESSAGE)), at=f"{NOW}0", nonce="abc"), BOTH, "signature"),
    ("figures of the nonce moved into the time", WebhookRequest("POST", {}, SIGNED.headers | {"x-lark-request-timestamp": f"{NOW}n", "x-lark-request-nonce": "0nce"}, SIGNED.body), BOTH, "signature"),
    ("no time", WebhookRequest("POST", {}, {"x-lark-signature": SIGNED.headers["x-lark-signature"]}, SIGNED.body), BOTH, "signature"),
    ("time in other figures", signed(sealed(dumped(MESSAGE)), at="１７００００００００"), BOTH, "signature"),
    ("signature that is no ASCII", WebhookRequest("POST", {}, SIGNED.headers | {"x-lark-signature": "é" * 64}, SIGNED.body), BOTH, "signature"),
    ("capitals in the signature", WebhookRequest("POST", {}, SIGNED.headers | {"x-lark-signature": SIGNED.headers["x-lark-signature"].upper()}, SIGNED.body), BOTH, "signature"),
    ("unsigned event where there is an Encrypt Key", bare(sealed(dumped(MESSAGE))), BOTH, "signature"),
    ("plain event where there is an Encrypt Key", bare(MESSAGE), BOTH, "signature"),
    ("SHA-1 of an event: the token alone signs none", signed(dumped(MESSAGE), key=TOKEN, kind="sha1"), BOTH, "signature"),
    ("SHA-1 of a check", signed(dumped(CHECK), key=TOKEN, kind="sha1"), BOTH, "signature"),
    ("SHA-1 without a token to make it with", signed(dumped(OLD_PRESS), key="", kind="sha1"), ENCRYPTED, "signature"),
    ("old press under another token", signed(dumped(OLD_PRESS), key="no", kind="sha1"), PLAIN, "signature"),
    ("old press, too old", signed(dumped(OLD_PRESS), key=TOKEN, kind="sha1", at=NOW - 301), PLAIN, "too-old"),
    ("old press, unsigned", bare(OLD_PRESS), PLAIN, "signature"),
    ("old press, unsigned, with the token beside it", bare(OLD_PRESS | {"token": TOKEN}), BOTH, "signature"),
    ("another token", bare(received({"text": "x"}) | {"header": {"token": "no"}}), PLAIN, "signature"),
    ("no token", bare({"schema": "2.0", "header": {}}), PLAIN, "signature"),
    ("a token that is no text", bare({"schema": "2.0", "header": {"token": {"a": 1}}}), PLAIN, "signature"),
    ("the token beside the header of the second version", bare({"schema": "2.0", "header": {}, "token": TOKEN}), PLAIN, "signature"),
    ("check under another token", bare(CHECK | {"token": "no"}), PLAIN, "signature"),
    ("plain check, no token set", bare(CHECK), ENCRYPTED, "signature"),
    ("check that is sealed with another key", bare(sealed(dumped(CHECK), key="no")), BOTH, "signature"),
    ("check with bad padding", bare(sealed(dumped(CHECK)[:64], padding=b"\x00" * 16)), BOTH, "signature"),
    ("event under an empty signature", WebhookRequest("POST", {}, {"x-lark-signature": ""}, sealed(dumped(MESSAGE))), BOTH, "signature"),
    ("no JSON", bare(b"\x00"), BOTH, "signature"),
    ("a list", bare(b"[]"), PLAIN, "signature"),
    ("signed, no JSON", signed(b"{"), BOTH, "unreadable"),
    ("signed, something behind the JSON", signed(sealed(dumped(MESSAGE)) + b"\x80"), BOTH, "unreadable"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "keys", "reason"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_what_is_refused(call: WebhookRequest, keys: VerificationKeys, reason: str) -> None:
    assert refusal(call, keys) == reason


@pytest.mark.parametrize("header", ["x-lark-request-timestamp", "x-lark-request-nonce", "x-lark-signature"])
def test_every_part_of_what_is_signed_counts(header: str) -> None:
    for place in range(len(SIGNED.headers[header])):
        told = SIGNED.headers[header]
        changed = told[:place] + chr(ord(told[place]) ^ 1) + told[place + 1 :]
        assert refusal(WebhookRequest("POST", {}, SIGNED.headers | {header: changed}, SIGNED.body), BOTH) == "signature"


UNREADABLE = [
    ("no Base64", b'{"encrypt": "*"}'),
    ("Base64 with blanks", json.dumps({"encrypt": base64.b64encode(bytes(48)).decode() + "\n"}).encode()),
    ("a sign among the Base64 that is none", sealed(b'{"a": 1}').replace(b'": "', b'": "!')),
    ("a vector alone", json.dumps({"encrypt": base64.b64encode(bytes(16)).decode()}).encode()),
    ("no whole block", json.dumps({"encrypt": base64.b64encode(bytes(33)).decode()}).encode()),
    ("empty", b'{"encrypt": ""}'),
    ("a number", b'{"encrypt": 1}'),
    ("padding of 0", sealed(b"{}" + b" " * 14, padding=bytes(16))),
    ("padding of 17", sealed(b"{}" + b" " * 14, padding=bytes([17]) * 16)),
    ("padding that disagrees", sealed(b"{}" + b" " * 12, padding=b"\x01\x02")),
    ("no JSON inside", sealed(b"hello")),
    ("a list inside", sealed(b"[]")),
    ("no UTF-8 inside", sealed(b"\xff\xfe{}")),
    ("too deep inside", sealed(b"[" * 200_000)),
    ("a number of thousands of figures", sealed(b'{"a": ' + b"9" * 10_000 + b"}")),
]


@pytest.mark.parametrize("body", [row[1] for row in UNREADABLE], ids=[row[0] for row in UNREADABLE])
def test_what_cannot_be_decrypted_is_unreadable(body: bytes) -> None:
    with pytest.raises(RefusedRequest, match="unreadable"):
        opened(body, ENCRYPTED)


def test_without_the_key_nothing_is_decrypted() -> None:
    with pytest.raises(RefusedRequest, match="unreadable"):
        opened(sealed(dumped(CHECK)), PLAIN)


@given(st.binary(max_size=200), st.binary(min_size=16, max_size=16))
def test_what_was_sealed_opens(data: bytes, iv: bytes) -> None:
    document = {"data": base64.b64encode(data).decode()}
    assert opened(sealed(dumped(document), iv=iv), ENCRYPTED) == document


@given(
    st.dictionaries(
        st.sampled_from(["x-lark-request-timestamp", "x-lark-request-nonce", "x-lark-signature"]), st.text(max_size=70)
    ),
    st.binary(max_size=300),
)
def test_hostile_calls_are_refused_and_break_nothing(headers: dict[str, str], body: bytes) -> None:
    for keys in (BOTH, ENCRYPTED, PLAIN):
        assert refusal(WebhookRequest("POST", {}, headers, body), keys) in {"signature", "too-old", "unreadable"}


def test_keys_are_not_shown() -> None:
    assert ENCRYPT_KEY not in repr(BOTH)
    assert TOKEN not in repr(BOTH)


def test_an_event_made_of_a_check_is_a_check() -> None:
    """Who knows the token alone gets no further than the check of the address, whatever stands beside it."""
    from api.chat.feishu.reading import read
    from api.chat.platform import UrlVerification

    mixed = event("im.message.receive_v1", MESSAGE["event"]) | {"type": "url_verification", "challenge": "c"}
    assert refusal(bare(mixed), BOTH) is None
    assert isinstance(read(opened(dumped(mixed), BOTH)), UrlVerification)
