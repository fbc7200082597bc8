"""From a question in WeCom or Teams to its answer and a vote, and from an alert into their channels: a real `kb serve`, and fakes beside it."""

import base64
import hashlib
import hmac
import json
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest

from api.chat.platform import WebhookRequest
from kb.store import Store
from kb.store.model import MessageState
from tests.api.chat.fakes.fake import Running, running
from tests.api.chat.wecom.calls import AES_KEY, CORP, TOKEN, app_call, padded, query, raw_encrypted, robot_call, sealed
from tests.api.fixtures import assert_problem, matched_ids, poll, serving, taking_at_most
from tests.api.knowledge import DISK_TRACE, HDFS_TRACE, HIVE_TRACE, KAFKA_TRACE, PYTHON_TRACE, build_home

PAGE = "https://kb.example.org"
TEAMS = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
TRACES = {"hdfs": HDFS_TRACE, "disk": DISK_TRACE, "kafka": KAFKA_TRACE, "python": PYTHON_TRACE, "hive": HIVE_TRACE}
_NUMBERS = count(1)


@dataclass
class House:
    """The service, WeCom and a workflow of Teams."""

    url: str
    home: Path
    wecom: Running
    workflow: Running
    http: httpx.Client

    def call(self, what: WebhookRequest) -> httpx.Response:
        """A call of WeCom."""
        path = f"{self.url}/v1/chat/wecom"
        return self.http.request(what.method, path, params=dict(what.query), content=what.body)

    def ask_robot(self, text: str, code: str, **more: object) -> None:
        """A question to the smart robot, acknowledged in time."""
        said = {"msgid": f"m-{code}", "chattype": "group", "chatid": "c", "from": {"userid": "li"}, "msgtype": "text", "text": {"content": f"@kb {text}"}, "response_url": f"{self.wecom.url}/cgi-bin/aibot/response?response_code={code}", **more}  # fmt: skip
        self._acknowledged(robot_call(said, int(time.time())))

    def ask_app(self, inside: str) -> None:
        xml = f"<xml><ToUserName>{CORP}</ToUserName><CreateTime>1</CreateTime>{inside}<AgentID>7</AgentID></xml>"
        self._acknowledged(app_call(xml, int(time.time()), nonce=f"n{next(_NUMBERS)}"))

    def _acknowledged(self, what: WebhookRequest) -> None:
        with taking_at_most(5, self.url):
            response = self.call(what)
        assert (response.status_code, response.content) == (200, b""), response.text

    def posted(self, number: int) -> list[Any]:
        """What WeCom shows, once there is so much."""
        poll(lambda: len(self.wecom.posted) >= number, 60)
        return self.wecom.posted

    def ask_teams(self, text: str, token: str = TEAMS, **more: object) -> httpx.Response:
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        said = {"type": "message", "id": f"t{next(_NUMBERS)}", "timestamp": stamp, "text": f"<at>kb</at> {text}", "conversation": {"id": "19:c"}, "from": {"id": "29:li"}, **more}  # fmt: skip
        body = json.dumps(said).encode()
        made = base64.b64encode(hmac.new(base64.b64decode(token), body, hashlib.sha256).digest()).decode()
        return self.http.post(f"{self.url}/v1/chat/teams", content=body, headers={"Authorization": f"HMAC {made}"})

    def metric(self, line: str) -> float:
        found = [one for one in self.http.get(f"{self.url}/metrics").text.splitlines() if one.startswith(f"{line} ")]
        return float(found[0].rpartition(" ")[2]) if found else 0


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    home, folder = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("serve")
    build_home(home)
    fakes = "tests.api.chat.fakes"
    with (
        running(f"{fakes}.wecom", folder / "w.log") as wecom,
        running(f"{fakes}.workflow", folder / "t.log") as workflow,
    ):
        settings = {
            "KB_WECOM_TOKEN": TOKEN, "KB_WECOM_AES_KEY": AES_KEY, "KB_WECOM_CORP_ID": CORP, "KB_WECOM_APP_SECRET": "app-secret", "KB_WECOM_AGENT_ID": "7",
            "KB_WECOM_GROUP_KEYS": "ops=key-0000001", "KB_WECOM_API": wecom.url,
            "KB_TEAMS_TOKENS": TEAMS, "KB_TEAMS_CHANNEL_SECRETS": f"ops={workflow.url}/workflows/W/run?sig=S",
            "KB_HOOKS_POST": "wecom:ops, teams:ops", "KB_ALERTMANAGER_TOKEN": "am-token", "KB_PUBLIC_URL": PAGE,
        }  # fmt: skip
        with pytest.MonkeyPatch.context() as patch:
            for name, value in settings.items():
                patch.setenv(name, value)
            with serving(home, folder) as server, httpx.Client(verify=False, timeout=30) as client:
                yield House(server.url, home, wecom, workflow, client)


@pytest.fixture
def house(built: House) -> House:
    built.wecom.reset()
    built.workflow.reset()
    return built


def ids(text: str) -> list[str]:
    """The incidents that a message links to, in its order."""
    return list(dict.fromkeys(re.findall(rf"{PAGE}/incidents/([\w-]+)", text)))


def test_wecom_is_told_that_the_address_is_ours(house: House) -> None:
    for receiver in ("", CORP):
        encrypted = sealed("echo-5566", receiver)
        what = WebhookRequest("GET", query(encrypted, int(time.time())) | {"echostr": encrypted}, {}, b"")
        answered = house.call(what)
        assert (answered.status_code, answered.content) == (200, b"echo-5566")
        assert answered.headers["content-type"].startswith("text/plain")
        assert_problem(house.call(what), 401, "chat-refused")
    assert house.metric('kb_chat_refused_total{platform="wecom",reason="replayed"}') == 2


@pytest.mark.parametrize("name", TRACES)
def test_a_trace_has_the_answer_of_every_door(name: str, house: House) -> None:
    expected = matched_ids(house.url, TRACES[name])
    assert expected
    house.ask_robot(TRACES[name], f"door-{name}")
    by_robot = ids(house.posted(1)[0]["robot"]["markdown"]["content"])
    by_teams = ids(house.ask_teams(TRACES[name].replace("<", "&lt;")).text)
    assert by_robot == by_teams == expected[: len(by_robot)]
    assert len(by_robot) == min(4, len(expected))


def test_a_quoted_message_is_the_question(house: House) -> None:
    house.ask_robot("这个见过吗？", "quote", quote={"msgtype": "text", "text": {"content": HDFS_TRACE}})
    text = house.posted(1)[0]["robot"]["markdown"]["content"]
    assert "已知故障" in text
    assert ids(text)[0] == "flink-checkpoint-hdfs-replicas"


def test_a_log_file_is_read(house: House) -> None:
    house.wecom.note(file=base64.b64decode(raw_encrypted(padded(KAFKA_TRACE.encode()))).hex())
    house.ask_robot("", "file", chattype="single", msgtype="file", file={"url": f"{house.wecom.url}/file?sign=x"})
    assert ids(house.posted(1)[0]["robot"]["markdown"]["content"])[0] == "kafka-commit-rebalanced"


def test_what_wecom_delivers_again_is_answered_once(house: House) -> None:
    for _ in range(3):
        house.ask_robot(HDFS_TRACE, "again")
    house.posted(1)
    house.ask_robot(HDFS_TRACE, "another")
    assert len(house.posted(2)) == 2


@pytest.mark.parametrize("mode", ["500", "429", "dropped"])
def test_while_wecom_fails_nothing_is_lost_and_nothing_comes_twice(mode: str, house: House) -> None:
    house.wecom.switch(mode, times=1, path="/cgi-bin/message/send")
    house.ask_app(f"<FromUserName>li</FromUserName><MsgType>text</MsgType><Content><![CDATA[{PYTHON_TRACE}]]></Content><MsgId>{mode}</MsgId>")  # fmt: skip
    shown = house.posted(2)
    poll(lambda: _waiting(house) == 0, 60)
    assert [one["msgtype"] for one in shown] == ["markdown", "template_card"]
    assert len(house.wecom.posted) == 2


def _waiting(house: House) -> int:
    with Store.open(house.home / "store.db") as store:
        return sum(number for (_, state), number in store.messages.counts().items() if state in {MessageState.WAITING, MessageState.HELD})  # fmt: skip


def test_a_question_to_the_app_a_button_a_vote(house: House) -> None:
    house.ask_app(f"<FromUserName>wang</FromUserName><MsgType>text</MsgType><Content><![CDATA[{HIVE_TRACE}]]></Content><MsgId>77</MsgId>")  # fmt: skip
    _, card = house.posted(2)
    key = card["template_card"]["button_list"][0]["key"]
    for number in range(2):
        house.ask_app(f"<FromUserName>wang</FromUserName><MsgType>event</MsgType><Event>template_card_event</Event><EventKey>{key}</EventKey><TaskId>t{number}</TaskId><ResponseCode>RC{number}</ResponseCode>")  # fmt: skip
    changed = house.posted(3)[2]["changed"]
    assert (changed["userids"], changed["response_code"]) == (["wang"], "RC0")
    incident = matched_ids(house.url, HIVE_TRACE)[0]
    votes = house.http.get(f"{house.url}/v1/incidents/{incident}/feedback").json()
    assert votes["yes"] == 1


def test_teams_is_answered_in_the_response(house: House) -> None:
    with taking_at_most(5, house.url):
        answered = house.ask_teams(f"消费者提交失败\n{KAFKA_TRACE}")
    card = answered.json()["attachments"][0]["content"]
    assert card["lang"] == "zh"
    opinion = next(one["url"] for one in card["actions"] if "/chat/" in one["url"])
    ref = re.search(r"/chat/([\w-]+)", opinion)
    assert ref
    page = house.http.get(f"{house.url}/chat/{ref[1]}")
    assert page.status_code == 200
    assert "消费者提交位移失败" in page.text
    assert_problem(house.ask_teams("x", token=base64.b64encode(b"another").decode()), 401, "chat-refused")
    assert house.metric('kb_chat_refused_total{platform="teams",reason="signature"}') == 1


def test_an_alert_comes_into_both_channels_once(house: House) -> None:
    told = {"version": "4", "groupKey": "g", "alerts": [{"status": "firing", "labels": {"alertname": "DiskFull"}, "annotations": {"log": DISK_TRACE}, "startsAt": "2026-01-01T00:00:00Z", "fingerprint": "f"}]}  # fmt: skip
    for _ in range(2):
        answered = house.http.post(f"{house.url}/v1/hooks/alertmanager", json=told, headers={"Authorization": "Bearer am-token"})  # fmt: skip
        assert answered.json()["answers"][0]["verdict"] == "known"
    expected = matched_ids(house.url, DISK_TRACE)[0]
    text = house.posted(1)[0]["markdown"]["content"]
    poll(lambda: len(house.workflow.posted) >= 1)
    poll(lambda: _waiting(house) == 0)
    assert text.startswith("**DiskFull**")
    assert ids(text)[0] == ids(json.dumps(house.workflow.posted))[0] == expected
    assert (len(house.wecom.posted), len(house.workflow.posted)) == (1, 1)
