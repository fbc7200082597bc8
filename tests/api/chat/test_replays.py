"""What was seen on the wire and is sent once more: the published vector of each platform at the door of a whole service."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from httpx import Response
from starlette.testclient import TestClient

from api.app import create_app
from api.chat import dingtalk, feishu, slack, teams, wecom
from api.chat.context import ChatSetup
from api.chat.platform import Platform, RefusedRequest, WebhookRequest
from api.chat.routes import accept_once
from api.chat.settings import ChatSettings, platform_names
from api.settings import ServiceSettings
from kb.store import Store
from tests.api.chat.wecom.calls import robot_call
from tests.api.fixtures import HERE, LOCAL, assert_problem

NOW = 1_700_000_000
"""When the vectors were signed."""
AWAY = "http://127.0.0.1:9"
"""Nobody answers there."""


@dataclass(frozen=True)
class SignedPlatform:
    """How a platform signs: one row for each, which all tests here go through."""

    make: Callable[[dict[str, Any], str], Platform | None]
    """Of its vector and of what is put behind the secret: nothing, or what makes it another's."""
    part: str = "body"
    """Where a changed byte breaks the signature: the body, or a header or parameter of this name."""
    window: int | None = 300
    """Seconds by which the time of a call may differ; None: no time is signed."""
    method: str = "POST"


SIGNED = {
    "slack": SignedPlatform(
        lambda of, other: slack.make(
            slack.SETTINGS(slack_signing_secret=of["secret"] + other, slack_bot_token="xoxb-1", slack_api=AWAY)
        ),
    ),
    "feishu": SignedPlatform(
        lambda of, other: feishu.make(
            feishu.SETTINGS(feishu_encrypt_key=of["encrypt_key"] + other, feishu_api=AWAY)
        ),
    ),
    "dingtalk": SignedPlatform(
        lambda of, other: dingtalk.make(
            dingtalk.SETTINGS(dingtalk_app_secret=of["app_secret"] + other, dingtalk_api=AWAY)
        ),
        part="sign",  # it signs no body
        window=3_600,
    ),
    "wecom": SignedPlatform(
        lambda of, other: wecom.make(
            wecom.SETTINGS(wecom_token=of["token"] + other, wecom_aes_key=of["encoding_aes_key"], wecom_corp_id=of["receiveid"])
        ),
        part="echostr",
        method="GET",
    ),
    "teams": SignedPlatform(
        lambda of, other: teams.make(teams.SETTINGS(teams_tokens="YW5vdGhlciBrZXk=" if other else of["security_token"])),  # type: ignore[arg-type]
        window=None,  # that its messages state a time is for `teams/test_teams.py`
    ),
}  # fmt: skip
EACH = pytest.mark.parametrize("name", SIGNED)


def test_every_platform_is_here() -> None:
    assert SIGNED.keys() == set(platform_names())


def call_of(name: str, vector: dict[str, Any]) -> WebhookRequest:
    """A published vector as a call."""
    body = vector.get("body", "")
    raw = body.encode() if isinstance(body, str) else json.dumps(body, ensure_ascii=False).encode()
    headers = {key.lower(): value for key, value in vector.get("headers", {}).items()}
    return WebhookRequest(SIGNED[name].method, vector.get("query", {}), headers, raw)


def platforms(of: dict[str, Any], *, is_another: bool = False) -> dict[str, Platform]:
    """Every platform with the secrets of the vectors, or with others."""
    made = {name: SIGNED[name].make(of[name], "another" if is_another else "") for name in SIGNED if name in of}
    return {name: one for name, one in made.items() if one is not None}


@dataclass
class Door:
    """A service with all platforms, and the vectors."""

    client: TestClient
    vectors: dict[str, Any]

    def call(self, name: str, what: WebhookRequest) -> Response:
        path = f"/v1/chat/{name}"
        return self.client.request(what.method, path, params=what.query, headers=what.headers, content=what.body)  # type: ignore[arg-type]

    def refused(self, name: str) -> dict[str, float]:
        """How many calls of the platform were refused, by reason."""
        start = f'kb_chat_refused_total{{platform="{name}",reason="'
        lines = [line for line in self.client.get("/metrics").text.splitlines() if line.startswith(start)]
        return {line[len(start) :].partition('"')[0]: float(line.rpartition(" ")[2]) for line in lines}


@pytest.fixture
def clock() -> SimpleNamespace:
    """The door's clock."""
    return SimpleNamespace(now=NOW)


@pytest.fixture
def door(
    vectors: dict[str, Any], tmp_path: Path, clock: SimpleNamespace, request: pytest.FixtureRequest
) -> Iterator[Door]:
    assert clock.now == NOW
    chats = ChatSetup(
        ChatSettings(),
        platforms(vectors, is_another=getattr(request, "param", "") == "another key"),
        clock=lambda: clock.now,
    )
    with TestClient(create_app(ServiceSettings(home=tmp_path), chats), client=HERE, base_url=LOCAL) as client:
        yield Door(client, vectors)


@EACH
def test_a_vector_is_taken_once(door: Door, clock: SimpleNamespace, name: str) -> None:
    what = call_of(name, door.vectors[name])
    taken = door.call(name, what)
    assert taken.status_code == 200, taken.text
    if name == "feishu":
        assert taken.json() == door.vectors[name]["reply"]
    if "reply_body" in door.vectors[name]:
        assert taken.text == door.vectors[name]["reply_body"]
    for later in (0, 1, 299):
        clock.now = NOW + later
        assert_problem(door.call(name, what), 401, "chat-refused")
    assert door.refused(name) == {"replayed": 3}


@EACH
def test_a_vector_with_a_byte_changed_is_refused(door: Door, name: str) -> None:
    what, part = call_of(name, door.vectors[name]), SIGNED[name].part
    bad = []
    for at in range(0, 40, 3):
        if part == "body":
            bad.append(replace(what, body=what.body[:at] + bytes([what.body[at] ^ 1]) + what.body[at + 1 :]))
        else:
            where = "query" if part in what.query else "headers"
            text = getattr(what, where)[part]
            changed = {part: text[:at] + ("A" if text[at] != "A" else "B") + text[at + 1 :]}
            bad.append(replace(what, **{where: getattr(what, where) | changed}))
    for one in bad:
        assert_problem(door.call(name, one), 401, "chat-refused")
    assert door.refused(name) == {"signature": len(bad)}
    assert door.call(name, what).status_code == 200, "what was refused is not remembered"


@pytest.mark.parametrize("late", [-1, 1])
@pytest.mark.parametrize(("name", "window"), [(name, one.window) for name, one in SIGNED.items() if one.window])
def test_a_vector_of_another_time_is_refused(
    door: Door, clock: SimpleNamespace, name: str, window: int, late: int
) -> None:
    clock.now = NOW + late * (window + 1)
    assert_problem(door.call(name, call_of(name, door.vectors[name])), 401, "chat-refused")
    assert door.refused(name) == {"too-old": 1}


@pytest.mark.parametrize("door", ["another key"], indirect=True)
@EACH
def test_a_vector_of_another_key_is_refused(door: Door, name: str) -> None:
    assert_problem(door.call(name, call_of(name, door.vectors[name])), 401, "chat-refused")
    assert door.refused(name) == {"signature": 1}


UNSIGNED = ("msg_signature", "sign", "x-slack-signature", "x-lark-signature", "authorization", "x-more")


@EACH
def test_unsigned_parameters_do_not_make_a_new_call(door: Door, name: str) -> None:
    """Headers and parameters of any name beside the signed ones."""
    what = call_of(name, door.vectors[name])
    assert door.call(name, what).status_code == 200
    again = [
        changed
        for one in UNSIGNED
        for changed in (
            replace(what, headers={one: "0"} | dict(what.headers)),
            replace(what, query={one: "0"} | dict(what.query)),
        )
    ]
    for one in again:
        assert_problem(door.call(name, one), 401, "chat-refused")
    assert door.refused(name) == {"replayed": len(again)}


def test_blanks_in_unsigned_parts_do_not_make_a_new_call(door: Door) -> None:
    """WeCom signs what is inside of the JSON."""
    secrets = door.vectors["wecom"]
    said = {"msgid": "m1", "chattype": "group", "chatid": "c", "from": {"userid": "li"}, "msgtype": "text", "text": {"content": "x"}, "response_url": f"{AWAY}/x"}  # fmt: skip
    what = robot_call(said, NOW, key=secrets["encoding_aes_key"], token=secrets["token"])
    assert door.call("wecom", what).status_code == 200
    assert_problem(door.call("wecom", replace(what, body=what.body + b" ")), 401, "chat-refused")
    assert door.refused("wecom") == {"replayed": 1}


def test_a_message_that_could_not_be_stored_is_accepted_when_sent_again(store: Store) -> None:
    with pytest.raises(OSError, match="gone"), accept_once(store, "slack", "n1"):
        raise OSError("gone")
    with accept_once(store, "slack", "n1"):
        pass
    with pytest.raises(RefusedRequest, match="replayed"), accept_once(store, "slack", "n1"):
        pytest.fail("taken twice")
    with accept_once(store, "feishu", "n1"), accept_once(store, "slack", "n2"):
        pass


def test_one_of_many_concurrent_copies_is_accepted(store: Store) -> None:
    def take(_: int) -> bool:
        try:
            with accept_once(store, "slack", "n1"):
                return True
        except RefusedRequest:
            return False

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(take, range(40))) == 1
