"""What was seen on the wire and is sent once more: the published vector of each platform at the door of a whole service."""

import json
from collections.abc import Iterator
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
from api.chat.settings import ChatSettings
from api.settings import ServiceSettings
from kb.store import Store
from tests.api.chat.wecom.calls import robot_call
from tests.api.fixtures import HERE, LOCAL, assert_problem

NOW = 1_700_000_000
"""When the vectors were signed."""
AWAY = "http://127.0.0.1:9"
"""Nobody answers there."""
NAMES = ("slack", "feishu", "dingtalk", "wecom", "teams")


def call_of(name: str, vector: dict[str, Any]) -> WebhookRequest:
    """A published vector as a call."""
    body = vector.get("body", "")
    raw = body.encode() if isinstance(body, str) else json.dumps(body, ensure_ascii=False).encode()
    headers = {key.lower(): value for key, value in vector.get("headers", {}).items()}
    return WebhookRequest("GET" if name == "wecom" else "POST", vector.get("query", {}), headers, raw)


def platforms(of: dict[str, Any], *, is_another: bool = False) -> dict[str, Platform]:
    """Every platform with the secrets of the vectors, or with others."""
    other = "another" if is_another else ""
    key = of["wecom"]["encoding_aes_key"]
    made = (
        slack.make(
            slack.SETTINGS(slack_signing_secret=of["slack"]["secret"] + other, slack_bot_token="xoxb-1", slack_api=AWAY)
        ),
        feishu.make(feishu.SETTINGS(feishu_encrypt_key=of["feishu"]["encrypt_key"] + other, feishu_api=AWAY)),
        dingtalk.make(dingtalk.SETTINGS(dingtalk_app_secret=of["dingtalk"]["app_secret"] + other, dingtalk_api=AWAY)),
        wecom.make(
            wecom.SETTINGS(
                wecom_token=of["wecom"]["token"] + other, wecom_aes_key=key, wecom_corp_id=of["wecom"]["receiveid"]
            )
        ),
        teams.make(teams.SETTINGS(teams_tokens="YW5vdGhlciBrZXk=" if is_another else of["teams"]["security_token"])),  # type: ignore[arg-type]
    )
    return {one.name: one for one in made if one is not None}


@dataclass
class Door:
    """A service with all five, and the vectors."""

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
def door(shared_data: Path, tmp_path: Path, clock: SimpleNamespace, request: pytest.FixtureRequest) -> Iterator[Door]:
    assert clock.now == NOW
    vectors = json.loads((shared_data / "facts" / "webhook_vectors.json").read_text())
    chats = ChatSetup(
        ChatSettings(),
        platforms(vectors, is_another=getattr(request, "param", "") == "another key"),
        clock=lambda: clock.now,
    )
    with TestClient(create_app(ServiceSettings(home=tmp_path), chats), client=HERE, base_url=LOCAL) as client:
        yield Door(client, vectors)


@pytest.mark.parametrize("name", NAMES)
def test_a_vector_is_taken_once(door: Door, clock: SimpleNamespace, name: str) -> None:
    what = call_of(name, door.vectors[name])
    taken = door.call(name, what)
    assert taken.status_code == 200, taken.text
    if name == "feishu":
        assert taken.json() == door.vectors[name]["reply"]
    if name == "wecom":
        assert taken.text == door.vectors[name]["reply_body"]
    for later in (0, 1, 299):
        clock.now = NOW + later
        assert_problem(door.call(name, what), 401, "chat-refused")
    assert door.refused(name) == {"replayed": 3}


@pytest.mark.parametrize("name", NAMES)
def test_a_vector_with_a_byte_changed_is_refused(door: Door, name: str) -> None:
    """DingTalk signs no body: the byte is one of its sign."""
    what = call_of(name, door.vectors[name])
    places = {"slack": "body", "feishu": "body", "teams": "body", "dingtalk": "sign", "wecom": "echostr"}
    bad = []
    for at in range(0, 40, 3):
        if places[name] == "body":
            bad.append(replace(what, body=what.body[:at] + bytes([what.body[at] ^ 1]) + what.body[at + 1 :]))
        else:
            part = {**what.headers, **what.query}[places[name]]
            changed = {places[name]: part[:at] + ("A" if part[at] != "A" else "B") + part[at + 1 :]}
            bad.append(replace(what, **({"query": what.query | changed} if name == "wecom" else {"headers": what.headers | changed})))  # type: ignore[operator]  # fmt: skip
    for one in bad:
        assert_problem(door.call(name, one), 401, "chat-refused")
    assert door.refused(name) == {"signature": len(bad)}
    assert door.call(name, what).status_code == 200, "what was refused is not remembered"


@pytest.mark.parametrize("late", [-1, 1])
@pytest.mark.parametrize("name", [name for name in NAMES if name != "teams"])
def test_a_vector_of_another_time_is_refused(door: Door, clock: SimpleNamespace, name: str, late: int) -> None:
    """Teams signs no time; that its messages state one is for `teams/test_teams.py`."""
    clock.now = NOW + late * (3_601 if name == "dingtalk" else 301)
    assert_problem(door.call(name, call_of(name, door.vectors[name])), 401, "chat-refused")
    assert door.refused(name) == {"too-old": 1}


@pytest.mark.parametrize("door", ["another key"], indirect=True)
@pytest.mark.parametrize("name", NAMES)
def test_a_vector_of_another_key_is_refused(door: Door, name: str) -> None:
    assert_problem(door.call(name, call_of(name, door.vectors[name])), 401, "chat-refused")
    assert door.refused(name) == {"signature": 1}


UNSIGNED = ("msg_signature", "sign", "x-slack-signature", "x-lark-signature", "authorization", "x-more")


@pytest.mark.parametrize("name", NAMES)
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
