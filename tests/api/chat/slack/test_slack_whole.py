"""From a question in Slack to its answer in the thread, a vote and thanks: a real `kb serve`, and the fake Slack beside it."""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest

from api.chat.slack.reading import STAMP, signature
from kb.store import Store
from kb.store.model import MessageState, Votes
from tests.api.chat.fakes.fake import Running
from tests.api.chat.fakes.slack import TOKEN
from tests.api.chat.slack.calls import BOT, SECRET, command, direct, event, interaction, mention, press, shortcut
from tests.api.chat.slack.test_signing import VECTOR
from tests.api.fixtures import assert_problem, matched_ids, poll, serving, taking_at_most
from tests.api.knowledge import DISK_TRACE, HDFS_TRACE, HIVE_TRACE, KAFKA_TRACE, PYTHON_TRACE, build_home

PAGE = "https://kb.example.org"
_NUMBERS = count(1)


@dataclass
class House:
    """The service, and Slack."""

    url: str
    home: Path
    slack: Running
    http: httpx.Client
    sent: set[tuple[int, bytes]] = field(default_factory=set)

    def call(self, body: bytes, at: float | None = None, secret: str = SECRET, **headers: str) -> httpx.Response:
        """A call of Slack's. What it delivers again it signs again, later."""
        now = int(time.time() if at is None else at)
        while (now, body) in self.sent:
            now += 1
        self.sent.add((now, body))
        stamp = str(now)
        signed = {STAMP: stamp, "x-slack-signature": signature(secret, stamp, body), **headers}
        return self.http.post(f"{self.url}/v1/chat/slack", content=body, headers=signed)

    def acknowledged(self, body: bytes, **headers: str) -> httpx.Response:
        """The response to a call, in time."""
        with taking_at_most(3, self.url):
            response = self.call(body, **headers)
        assert response.status_code == 200, response.text
        return response

    def in_thread(self, thread: str, number: int = 1) -> list[dict[str, Any]]:
        """What is posted in a thread, once there is so much."""
        poll(lambda: len(self._posted(thread)) >= number, 60)
        return self._posted(thread)

    def through(self, path: str) -> dict[str, Any]:
        """What was posted through a response_url."""
        poll(lambda: any(one["via"] == path for one in self.slack.posted), 60)
        (found,) = [one for one in self.slack.posted if one["via"] == path]
        return found  # type: ignore[no-any-return]

    def _posted(self, thread: str) -> list[dict[str, Any]]:
        return [one for one in self.slack.posted if one.get("thread_ts") == thread and one["via"] == "chat.postMessage"]

    def metric(self, line: str) -> float:
        """One figure of /metrics."""
        found = [one for one in self.http.get(f"{self.url}/metrics").text.splitlines() if one.startswith(f"{line} ")]
        return float(found[0].rpartition(" ")[2]) if found else 0


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory, slack_server: Running) -> Iterator[House]:
    home, folder = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("serve")
    build_home(home)
    slack_server.reset()
    settings = {
        "KB_SLACK_SIGNING_SECRET": SECRET,
        "KB_SLACK_BOT_TOKEN": TOKEN,
        "KB_SLACK_API": slack_server.url,
        "KB_PUBLIC_URL": PAGE,
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in settings.items():
            patch.setenv(name, value)
        with serving(home, folder) as server, httpx.Client(verify=False, timeout=30) as client:
            yield House(server.url, home, slack_server, client)


def new_ts() -> str:
    return f"17000{next(_NUMBERS):05d}.000100"


def ids(posted: dict[str, Any]) -> list[str]:
    """The incidents of a card, in its order."""
    parts = json.dumps(posted["blocks"]).split(f"<{PAGE}/incidents/")[1:]
    return [part.partition("?")[0] for part in parts]


def buttons(posted: dict[str, Any]) -> dict[str, str]:
    (row,) = (block["elements"] for block in posted["blocks"] if block["type"] == "actions")
    return {one["action_id"]: one["value"] for one in row if "value" in one}


def test_slack_is_told_that_the_address_is_ours(house: House) -> None:
    told = house.acknowledged(b'{"token": "x", "challenge": "3eZbrw1aB10FEMAGAZd4FyFQ", "type": "url_verification"}')
    assert told.json() == {"challenge": "3eZbrw1aB10FEMAGAZd4FyFQ"}


@pytest.mark.parametrize(
    "trace",
    [HDFS_TRACE, DISK_TRACE, KAFKA_TRACE, PYTHON_TRACE, HIVE_TRACE],
    ids=["hdfs", "disk", "kafka", "python", "hive"],
)
def test_a_trace_is_answered_in_its_thread_as_at_every_door(house: House, trace: str) -> None:
    ts = new_ts()
    escaped = trace.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    house.acknowledged(event(mention(f"<@{BOT}> ```{escaped}```", ts=ts)))
    (posted,) = house.in_thread(ts)
    expected = matched_ids(house.url, trace)
    assert expected
    assert ids(posted) == expected[: len(ids(posted))]
    assert len(ids(posted)) == min(4, len(expected))


def test_a_chinese_question_has_a_chinese_answer(house: House) -> None:
    ts = new_ts()
    house.acknowledged(event(mention(f"<@{BOT}> 检查点失败，HDFS 无法关闭文件怎么办？\n{HDFS_TRACE}", ts=ts)))
    (posted,) = house.in_thread(ts)
    assert posted["blocks"][0]["text"]["text"] == "已知故障"


def test_what_is_delivered_again_is_answered_once(house: House) -> None:
    ts = new_ts()
    body = event(mention(f"<@{BOT}> {KAFKA_TRACE}", ts=ts))
    house.acknowledged(body)
    house.acknowledged(body, **{"X-Slack-Retry-Num": "1", "X-Slack-Retry-Reason": "http_timeout"})
    house.acknowledged(event(mention(f"<@{BOT}> {KAFKA_TRACE}", ts=ts), event_id="Ev2"), **{"X-Slack-Retry-Num": "2"})
    house.in_thread(ts)
    later = new_ts()
    house.acknowledged(event(mention(f"<@{BOT}> {KAFKA_TRACE}", ts=later)))
    house.in_thread(later)  # whatever came before has been worked off
    assert len(house.in_thread(ts)) == 1
    assert house.metric('kb_chat_received_total{platform="slack",what="seen"}') >= 2


def test_a_button_keeps_a_vote_that_counts_once_and_is_thanked_for(house: House) -> None:
    ts = new_ts()
    house.acknowledged(event(mention(f"<@{BOT}> {HDFS_TRACE}", ts=ts)))
    (posted,) = house.in_thread(ts)
    votes = buttons(posted)
    first = ids(posted)[0]
    yes = votes["vote_yes"], "U7"
    for at, (value, who) in ((0, yes), (0, yes), (1, yes), (2, (votes["vote_no"], "U8"))):  # the first delivered twice
        url = f"{house.slack.url}/actions/T1/{ts}/{at}"
        house.acknowledged(interaction(press(value, trigger_id=f"{ts}.{at}", user={"id": who}, response_url=url)))
    thanks = house.through(f"/actions/T1/{ts}/0")
    assert thanks["response_type"] == "ephemeral"
    assert thanks["text"].startswith("Thank you")
    for at in (1, 2):
        house.through(f"/actions/T1/{ts}/{at}")
    with Store.open(house.home / "store.db") as store:
        kept = [one for _, one in store.feedback.listing(of=first)]
        assert store.feedback.votes([first])[first] == Votes(1, 1)
    said = sorted((one.by.id, one.vote.name) for one in kept if one.by)
    assert said == [("slack:U7", "YES"), ("slack:U7", "YES"), ("slack:U8", "NO")]
    assert all(one.text is None and one.prints for one in kept)


def test_a_file_a_snippet_and_the_head_of_a_thread_are_read(house: House) -> None:
    log = {
        "id": "F1",
        "name": "crash.log",
        "mimetype": "text/plain",
        "url_private_download": f"{house.slack.url}/files/F1/x",
    }
    picture = {
        "id": "F2",
        "name": "screen.png",
        "mimetype": "image/png",
        "url_private_download": f"{house.slack.url}/files/F2/x",
    }
    head = {"type": "message", "ts": new_ts(), "bot_id": "B9", "text": "", "attachments": [{"text": DISK_TRACE}]}
    house.slack.note(
        files={"F1": {"about": log, "text": KAFKA_TRACE}, "F2": {"about": picture, "hex": "89504e47"}},
        messages={"C1": [head]},
    )
    ts = new_ts()
    house.acknowledged(event(mention(f"<@{BOT}>", ts=ts, files=[picture, log])))
    (posted,) = house.in_thread(ts)
    assert ids(posted)[0] == matched_ids(house.url, KAFKA_TRACE)[0]
    assert "screen.png" in json.dumps(posted["blocks"][-1])
    house.acknowledged(event(mention(f"<@{BOT}>", ts=new_ts(), thread_ts=head["ts"])))
    (posted,) = house.in_thread(str(head["ts"]))
    assert ids(posted)[0] == matched_ids(house.url, DISK_TRACE)[0]


def test_command_shortcut_and_direct_message(house: House) -> None:
    house.slack.note(away=["C66"])
    base = house.slack.url
    acknowledged = house.acknowledged(command(PYTHON_TRACE, trigger_id=new_ts(), response_url=f"{base}/commands/1"))
    assert acknowledged.content == b""
    answer = house.through("/commands/1")
    assert (answer["response_type"], ids(answer)[0]) == ("ephemeral", matched_ids(house.url, PYTHON_TRACE)[0])
    asked = shortcut({"text": HIVE_TRACE}, trigger_id=new_ts(), channel={"id": "C66"}, response_url=f"{base}/app/1")
    house.acknowledged(interaction(asked))
    assert ids(house.through("/app/1"))[0] == matched_ids(house.url, HIVE_TRACE)[0]
    house.acknowledged(event(direct(HIVE_TRACE, ts=new_ts())))
    poll(lambda: any(one["channel"] == "D1" for one in house.slack.posted), 60)


def test_nothing_is_lost_and_nothing_comes_twice_when_slack_fails(house: House) -> None:
    threads = [new_ts() for _ in range(4)]
    for thread, (mode, path) in zip(threads, [("dropped", "chat.postMessage"), ("500", "chat.postMessage"), ("dropped", "conversations"), ("429", "chat.postMessage")], strict=True):  # fmt: skip
        house.slack.switch(mode, path=f"/api/{path}")
        before = len(house.slack.seen)
        house.acknowledged(event(mention(f"<@{BOT}> {HDFS_TRACE}", ts=thread)))
        poll(lambda before=before: len(house.slack.seen) > before + 1 or house.slack.posted == [], 30)  # type: ignore[misc]
    for thread in threads:
        house.in_thread(thread)
    poll(lambda: house.metric('kb_chat_answered_total{platform="slack"}') >= 4, 60)
    with Store.open(house.home / "store.db") as store:
        poll(lambda: not any(store.messages.listing(state) for state in (MessageState.WAITING, MessageState.HELD)), 60)
        assert store.messages.listing(MessageState.DEAD) == []
    assert [len(house.in_thread(thread)) for thread in threads] == [1] * 4
    assert house.metric('kb_chat_retries_total{platform="slack"}') >= 4


def test_a_call_that_is_not_slacks_is_refused_and_counted(house: House) -> None:
    refused = 'kb_chat_refused_total{{platform="slack",reason="{}"}}'.format
    before = {reason: house.metric(refused(reason)) for reason in ("signature", "too-old")}
    posted = len(house.slack.posted)
    now = time.time()
    right = event(mention(ts=new_ts()))
    stamp = str(int(now))
    bad = [
        house.call(right, secret="another key"),
        house.http.post(f"{house.url}/v1/chat/slack", content=right),
        *(
            house.http.post(
                f"{house.url}/v1/chat/slack",
                content=right[:at] + bytes([right[at] ^ 1]) + right[at + 1 :],
                headers={STAMP: stamp, "x-slack-signature": signature(SECRET, stamp, right)},
            )
            for at in range(0, len(right), 17)
        ),
    ]
    for response in bad:
        assert_problem(response, 401, "chat-refused")
    for at in (now - 310, now + 310):
        assert_problem(house.call(right, at=at), 401, "chat-refused")
    assert house.metric(refused("signature")) == before["signature"] + len(bad)
    assert house.metric(refused("too-old")) == before["too-old"] + 2
    assert len(house.slack.posted) == posted


def test_the_vector_is_too_old_by_now_and_its_body_is_read_when_it_is_fresh(house: House) -> None:
    response = house.http.post(f"{house.url}/v1/chat/slack", content=VECTOR.body, headers=dict(VECTOR.headers))
    assert_problem(response, 401, "chat-refused")
    house.acknowledged(VECTOR.body)


@pytest.mark.parametrize(
    "body",
    [
        b"{" * 50_000,
        b'{"a":' * 20_000,
        b"\xff" * 100,
        b'{"n": ' + b"9" * 10_000 + b"}",
        b"payload=" + b"[" * 10_000,
        b"",
        b"{}",
        b'{"type": "event_callback", "event": {"type": ["x"]}}',
        b"&" * 50_000,
        b"command=%00&user_id=U1&text=%00",
        event(mention("\x00\ud800", ts="9.9")),
        event(mention("x" * 40_000, ts="9.8")),
        b"x" * (1 << 20),
    ],
    ids=range(13),
)
def test_hostile_bodies_never_break_it(house: House, body: bytes) -> None:
    assert house.call(body).status_code in {200, 400}
    assert house.http.get(f"{house.url}/healthz").status_code == 200
