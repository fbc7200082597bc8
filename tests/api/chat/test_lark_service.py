"""Feishu and DingTalk from end to end: a real `kb serve` between processes that call and answer as the platforms do."""

import json
import re
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from api.chat.platform import WebhookRequest
from kb.store import Store
from tests.api.chat.dingtalk import calls as ding
from tests.api.chat.fakes.dingtalk import APP as DING
from tests.api.chat.fakes.dingtalk import SEC
from tests.api.chat.fakes.fake import Running, running
from tests.api.chat.fakes.feishu import APP as LARK
from tests.api.chat.feishu import calls as lark
from tests.api.fixtures import assert_problem, poll, serving, taking_at_most
from tests.api.knowledge import HDFS_TRACE, UNKNOWN_TRACE

_NUMBERS = count()
PUBLIC = "https://kb.example.org"


@dataclass(frozen=True)
class Service:
    """The service, and the two platforms it talks to."""

    client: httpx.Client
    store: Path
    feishu: Running
    dingtalk: Running

    def call(self, platform: str, call: WebhookRequest) -> httpx.Response:
        """A call of a platform."""
        return self.client.post(f"/v1/chat/{platform}", content=call.body, headers=dict(call.headers))

    def counted(self, metric: str) -> float:
        found = re.search(rf"^{re.escape(metric)} ([0-9.]+)$", self.client.get("/metrics").text, re.MULTILINE)
        return float(found[1]) if found else 0.0

    def feedback(self, incident: str) -> dict[str, int]:
        said = self.client.get(f"/v1/incidents/{incident}/feedback").raise_for_status().json()
        return {"yes": said["yes"], "no": said["no"]}


@pytest.fixture(scope="module")
def service(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("lark")
    with ExitStack() as stack:
        feishu = stack.enter_context(running("tests.api.chat.fakes.feishu", folder / "feishu.log"))
        dingtalk = stack.enter_context(running("tests.api.chat.fakes.dingtalk", folder / "dingtalk.log"))
        settings = {
            "KB_DATABASE_URL": f"sqlite:///{folder / 'store.db'}",
            "KB_PUBLIC_URL": PUBLIC,
            "KB_FEISHU_APP_ID": LARK["app_id"],
            "KB_FEISHU_APP_SECRET": LARK["app_secret"],
            "KB_FEISHU_ENCRYPT_KEY": lark.ENCRYPT_KEY,
            "KB_FEISHU_VERIFICATION_TOKEN": lark.TOKEN,
            "KB_FEISHU_API": feishu.url,
            "KB_DINGTALK_APP_KEY": DING["appKey"],
            "KB_DINGTALK_APP_SECRET": DING["appSecret"],
            "KB_DINGTALK_API": dingtalk.url,
            "KB_DINGTALK_ROBOT_WEBHOOK": f"{dingtalk.url}/robot/send?access_token=robot-token",
            "KB_DINGTALK_ROBOT_SECRET": SEC,
        }
        environment = stack.enter_context(pytest.MonkeyPatch.context())
        for name, value in settings.items():
            environment.setenv(name, value)
        server = stack.enter_context(serving(home, folder))
        client = stack.enter_context(httpx.Client(base_url=server.url, timeout=60))
        yield Service(client, folder / "store.db", feishu, dingtalk)


@pytest.fixture(autouse=True)
def forgetful(service: Service) -> None:
    """The platforms have seen nothing yet."""
    service.feishu.reset()
    service.dingtalk.reset()


def of_feishu(document: Any, **how: Any) -> WebhookRequest:
    """A call of Feishu as it is now."""
    return lark.signed(lark.sealed(json.dumps(document).encode()), **{"at": int(time.time()), **how})


def message(text: str, kind: str = "text", **more: Any) -> tuple[str, Any]:
    """A message of a person in a group, by a new id."""
    name = f"om_q{next(_NUMBERS)}"
    content = {"text": f"@_user_1 {text}"} if kind == "text" else {"file_key": text, "file_name": "a.log"}
    return name, lark.received(content, kind, message_id=name, **more)


def asked_feishu(service: Service, text: str, kind: str = "text", **more: Any) -> str:
    """Ask; it is acknowledged in time. The id of the question comes back."""
    name, document = message(text, kind, **more)
    with taking_at_most(3, str(service.client.base_url)):
        response = service.call("feishu", of_feishu(document))
    assert response.status_code == 200, response.text
    return name


def answers_feishu(service: Service, name: str) -> list[dict[str, Any]]:
    return [one for one in service.feishu.posted if one["message"] == name]


def answer_feishu(service: Service, name: str) -> dict[str, Any]:
    poll(lambda: bool(answers_feishu(service, name)))
    (one,) = answers_feishu(service, name)
    return one


def test_the_address_of_feishu_is_checked_within_a_second(service: Service) -> None:
    check = {"challenge": "abc123", "token": lark.TOKEN, "type": "url_verification"}
    for call in (lark.bare(check), lark.bare(lark.sealed(json.dumps(check).encode())), of_feishu(check)):
        with taking_at_most(1, str(service.client.base_url)):
            response = service.call("feishu", call)
        assert (response.status_code, response.json()) == (200, {"challenge": "abc123"})
        assert response.headers["content-type"].startswith("application/json")


def test_feishu_is_answered_in_a_thread_and_a_press_is_feedback(service: Service) -> None:
    name = asked_feishu(service, HDFS_TRACE)
    answer = answer_feishu(service, name)
    assert answer["thread"] is True
    said = json.dumps(answer["card"], ensure_ascii=False)
    assert "Known incident" in said
    assert f"{PUBLIC}/incidents/flink-checkpoint-hdfs-replicas" in said
    before = service.feedback("flink-checkpoint-hdfs-replicas")
    value = json.loads(re.search(r'"value": (\{[^{}]*"vote": "yes"\})', said)[1])  # type: ignore[index]
    for event in ("e1", "e1", "e2"):  # delivered twice, and pressed once more
        pressed = lark.pressed(value)
        pressed["header"]["event_id"] = event + name
        response = service.call("feishu", of_feishu(pressed))
        assert response.json()["toast"]["type"] == "success"
        marked = answer["card"] | {
            "body": json.loads(json.dumps(answer["card"]["body"]).replace('"This was it"', '"\u2713 This was it"'))
        }
        assert response.json()["card"] == {"type": "raw", "data": marked}
    for wrong in ({"ref": "forgotten"}, {"place": 99}, {"ref": asked_of_dingtalk(service)}):
        gone = service.call("feishu", of_feishu(lark.pressed({**value, **wrong}))).json()
        assert gone.keys() == {"toast"}
        assert gone["toast"]["type"] == "warning"
        assert gone["toast"]["i18n"]["en_us"].startswith("That answer is too old")
    poll(lambda: service.feedback("flink-checkpoint-hdfs-replicas") != before)
    other = asked_feishu(service, UNKNOWN_TRACE)  # the queue has come so far
    answer_feishu(service, other)
    assert service.feedback("flink-checkpoint-hdfs-replicas") == {"yes": before["yes"] + 1, "no": before["no"]}


def test_feishu_delivers_twice_and_is_answered_once(service: Service) -> None:
    name, document = message(HDFS_TRACE)
    for nonce in ("a", "b", "c"):
        assert service.call("feishu", of_feishu(document, nonce=nonce)).status_code == 200
    other = asked_feishu(service, UNKNOWN_TRACE)
    assert "No known incident" in json.dumps(answer_feishu(service, other)["card"])
    assert len(answers_feishu(service, name)) == 1


def test_feishu_speaks_chinese(service: Service) -> None:
    answer = answer_feishu(service, asked_feishu(service, f"检查点失败了，怎么办？\n{HDFS_TRACE}"))
    said = json.dumps(answer["card"], ensure_ascii=False)
    assert answer["card"]["header"]["title"]["content"] == "已知故障"
    assert "根因" in said


def test_feishu_a_mention_under_an_alert_asks_about_the_alert(service: Service) -> None:
    content = {"title": "FIRING", "elements": [[{"tag": "text", "text": HDFS_TRACE}]]}
    parent = {"message_id": "om_alert", "msg_type": "interactive", "body": {"content": json.dumps(content)}}
    service.feishu.note(messages={"om_alert": [parent]})
    name = asked_feishu(service, "", parent_id="om_alert", root_id="om_alert")
    assert "Known incident" in json.dumps(answer_feishu(service, name)["card"])


def test_feishu_a_file_is_read(service: Service) -> None:
    name, document = message("file_1", "file", chat="p2p")
    service.feishu.note(files={f"{name}/file_1": HDFS_TRACE})
    assert service.call("feishu", of_feishu(document)).status_code == 200
    answer = answer_feishu(service, name)
    assert "Known incident" in json.dumps(answer["card"])
    assert answer["thread"] is False


@pytest.mark.parametrize("mode", ["500", "429", "dropped"])
def test_feishu_in_trouble_nothing_is_lost_and_nothing_twice(service: Service, mode: str) -> None:
    if mode == "429":
        service.feishu.note(limit=1)
    else:
        service.feishu.switch(mode, path="/open-apis/im")
    name = asked_feishu(service, HDFS_TRACE)
    answer_feishu(service, name)
    calls = [call for call in service.feishu.seen if call["path"].endswith(f"{name}/reply")]
    poll(lambda: sum(call["path"].endswith(f"{name}/reply") for call in service.feishu.seen) >= 2)
    assert len({json.loads(call["body"])["uuid"] for call in calls}) == 1
    assert len(answers_feishu(service, name)) == 1


def of_dingtalk(service: Service, text: str, **more: Any) -> tuple[str, WebhookRequest]:
    """A message to the robot as it is now, in a chat of its own."""
    number = next(_NUMBERS)
    session = f"s{number}"
    told = {
        "msgId": f"msg{number}",
        "sessionWebhook": f"{service.dingtalk.url}/robot/sendBySession?session={session}",
        "sessionWebhookExpiredTime": round((time.time() + 60) * 1000),
    }
    return session, ding.signed(ding.received("text", text, **(told | more)), at=time.time())


def answer_dingtalk(service: Service, session: str) -> dict[str, Any]:
    def found() -> list[dict[str, Any]]:
        return [one for one in service.dingtalk.posted if one.get("session") == session]

    poll(lambda: bool(found()))
    (one,) = found()
    return one["said"]  # type: ignore[no-any-return]


def asked_of_dingtalk(service: Service) -> str:
    """The ref of an answer there."""
    session, call = of_dingtalk(service, HDFS_TRACE)
    assert service.call("dingtalk", call).status_code == 200
    button = answer_dingtalk(service, session)["actionCard"]["btns"][0]["actionURL"]
    return urlsplit(parse_qs(urlsplit(button).query)["url"][0]).path.removeprefix("/chat/")


def test_dingtalk_is_answered_where_it_asked_with_links_to_vote(service: Service) -> None:
    session, call = of_dingtalk(service, f" {HDFS_TRACE}")
    with taking_at_most(3, str(service.client.base_url)):
        for delivered in (call, ding.signed(call.body, at=time.time() + 1)):  # again, and signed again
            response = service.call("dingtalk", delivered)
            assert (response.status_code, response.json()) == (200, {"msgtype": "empty"})
    said = answer_dingtalk(service, session)
    assert "Known incident" in said["actionCard"]["text"]
    yes = parse_qs(urlsplit(said["actionCard"]["btns"][0]["actionURL"]).query)["url"][0]
    assert yes.startswith(f"{PUBLIC}/chat/")
    before = service.feedback("flink-checkpoint-hdfs-replicas")
    page = service.client.get(yes.removeprefix(PUBLIC))
    assert page.status_code == 200
    assert 'value="yes"' in page.text
    assert service.feedback("flink-checkpoint-hdfs-replicas") == before, "to look is no vote"


def test_dingtalk_answers_by_the_api_when_the_address_has_expired(service: Service) -> None:
    expired = {"sessionWebhookExpiredTime": round(time.time() * 1000) - 1}
    _, call = of_dingtalk(service, f"检查点失败\n{HDFS_TRACE}", conversationId="cidX==", **expired)
    assert service.call("dingtalk", call).status_code == 200
    poll(lambda: bool(service.dingtalk.posted))
    (one,) = service.dingtalk.posted
    assert (one["openConversationId"], one["filled"]["title"][:4]) == ("cidX==", "已知故障")


def test_dingtalk_sends_elsewhere_for_nobody(service: Service) -> None:
    """The same server by another name is not the platform's address."""
    elsewhere = service.dingtalk.url.replace("127.0.0.1", "localhost")
    _, call = of_dingtalk(service, HDFS_TRACE, sessionWebhook=f"{elsewhere}/robot/sendBySession?session=x")
    assert service.call("dingtalk", call).status_code == 200
    poll(lambda: bool(service.dingtalk.posted))
    assert [one["way"] for one in service.dingtalk.posted] == ["/v1.0/robot/groupMessages/send"]


def test_dingtalk_what_may_have_arrived_is_a_dead_letter(service: Service) -> None:
    service.dingtalk.switch("dropped")
    session, call = of_dingtalk(service, HDFS_TRACE)
    assert service.call("dingtalk", call).status_code == 200
    answer_dingtalk(service, session)
    with Store.open(service.store) as store:
        poll(lambda: bool(store.messages.listing()))
        (letter,) = store.messages.listing()
    assert (letter.platform, "may have been posted" in letter.why) == ("dingtalk", True)
    assert sum(one.get("session") == session for one in service.dingtalk.posted) == 1


FORGED = [
    ("feishu", of_feishu(message("x")[1], key="another"), "signature"),
    ("feishu", of_feishu(message("x")[1], at=int(time.time()) - 400), "too-old"),
    ("feishu", of_feishu(message("x")[1], at=int(time.time()) + 4000), "too-old"),
    ("feishu", lark.bare(message("x")[1]), "signature"),
    ("dingtalk", ding.signed(ding.received("text", "x"), secret="another", at=time.time()), "signature"),
    ("dingtalk", ding.signed(ding.received("text", "x"), at=time.time() - 4000), "too-old"),
]


@pytest.mark.parametrize(("platform", "call", "reason"), FORGED)
def test_who_is_not_the_platform_is_refused_and_counted(service: Service, platform: str, call: WebhookRequest, reason: str) -> None:  # fmt: skip
    metric = f'kb_chat_refused_total{{platform="{platform}",reason="{reason}"}}'
    before = service.counted(metric)
    assert_problem(service.call(platform, call), 401, "chat-refused")
    assert service.counted(metric) == before + 1


BODIES = [b"", b"\x00", b"[]", b"{", b'{"encrypt": "AAAA"}', b"[" * 100_000, b'{"a": ' + b"9" * 5_000 + b"}", b'"\xff"', b'{"schema": "2.0"}', b'{"msgtype": "text", "text": {"content": "\\ud800\\u0000"}, "msgId": "\\u0000"}']  # fmt: skip


@pytest.mark.parametrize("body", BODIES)
def test_hostile_calls_are_no_fault_of_ours(service: Service, body: bytes) -> None:
    now = time.time()
    for platform, call in (
        ("feishu", lark.bare(body)),
        ("feishu", lark.signed(body, at=int(now))),
        ("feishu", lark.signed(lark.sealed(body), at=int(now))),
        ("feishu", lark.signed(body, key=lark.TOKEN, kind="sha1", at=int(now))),
        ("dingtalk", ding.signed(body, at=now)),
    ):
        assert service.call(platform, call).status_code in {200, 400, 401}
