"""The door of the chat platforms: who is let in, what is acknowledged, what is answered in the thread."""

import json
import time
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.chat.platform import Question
from api.chat.queue_codec import question_to_json
from api.settings import ServiceSettings
from kb.store import Actor, Role
from kb.store.model import MessageState
from tests.api.chat.conftest import ChatHouse, TalkServer, call, question
from tests.api.chat.fakes.talk import sign
from tests.api.chat.service import chats
from tests.api.fixtures import HERE, LOCAL, assert_problem, poll
from tests.api.knowledge import HDFS_TRACE, KAFKA_TRACE, RECORDS, UNKNOWN_TRACE


def metric(house: ChatHouse, line: str) -> float:
    text = house.client.get("/metrics").text
    return next((float(one.rpartition(" ")[2]) for one in text.splitlines() if one.startswith(line)), 0.0)


def test_a_question_is_answered_in_its_thread(house: ChatHouse) -> None:
    thread = house.ask(HDFS_TRACE)
    (posted,) = house.answers(thread)
    said = posted["message"]
    assert (said["verdict"], said["lang"], said["headline"]) == ("known", "en", "Known incident")
    best = said["best"]
    assert (best["title"], best["component"], best["place"]) == (
        "Checkpoint fails because HDFS cannot close the last block",
        "flink",
        0,
    )
    assert best["link"] == "https://kb.example.org/incidents/flink-checkpoint-hdfs-replicas?lang=en"
    assert best["cause"].startswith("The **NameNode** waits")
    assert best["fix"].startswith("1. Raise")
    assert [one["pasted"] for one in best["frames"]] == [
        "org.apache.hadoop.hdfs.DFSOutputStream.completeFile",
        "org.apache.hadoop.hdfs.DFSOutputStream.closeImpl",
    ]
    assert said["words"]["this_was_it"] == "This was it"
    assert said["opinion"] == f"https://kb.example.org/chat/{said['ref']}?lang=en"
    assert said["write_up"] == f"https://kb.example.org/write?chat={said['ref']}&lang=en"
    kept = house.store.messages.get(said["ref"])
    poll(lambda: house.store.messages.get(said["ref"]).state is MessageState.DONE)
    assert kept.message_id == f"id-{thread}"
    assert set(house.store.messages.get(said["ref"]).question) == {"text"}


def test_a_chinese_question_gets_a_chinese_answer(house: ChatHouse) -> None:
    said = house.answers(house.ask(f"消费者提交位移失败，怎么处理？\n{KAFKA_TRACE}"))[0]["message"]
    assert (said["lang"], said["headline"], said["words"]["this_was_it"]) == ("zh", "已知故障", "就是这个问题")
    assert said["best"]["likelihood"] == "几乎可以确定"


def test_what_is_delivered_again_is_answered_once(house: ChatHouse) -> None:
    thread = house.ask(HDFS_TRACE)
    for _ in range(3):
        response = house.call(question(HDFS_TRACE, thread))
        assert (response.status_code, response.json()) == (200, {"ok": True})
    house.answers(thread)
    other = house.ask("java.io.IOException: No space left on device")
    house.answers(other)
    assert len(house.talk.posted(thread)) == 1
    assert metric(house, 'kb_chat_received_total{platform="talk",what="seen"}') >= 3


@pytest.mark.parametrize("told", [{"kind": "check", "challenge": "c"}, {"kind": "typing"}, question("x", "replayed")])
def test_the_same_bytes_again_are_refused(house: ChatHouse, told: dict[str, object]) -> None:
    line = 'kb_chat_refused_total{platform="talk",reason="replayed"}'
    before, body = metric(house, line), json.dumps(told).encode()
    headers = sign(body, time.time())
    assert house.client.post("/v1/chat/talk", content=body, headers=headers).status_code == 200
    again = house.client.post("/v1/chat/talk", content=body, headers=headers)
    assert_problem(again, 401, "chat-refused")  # type: ignore[arg-type]
    assert metric(house, line) == before + 1


def test_who_is_not_the_platform_is_refused(house: ChatHouse) -> None:
    body = json.dumps(question("x", "refused")).encode()
    now = time.time()
    before = {
        reason: metric(house, f'kb_chat_refused_total{{platform="talk",reason="{reason}"}}')
        for reason in ("signature", "too-old")
    }
    wrong = (
        (body + b" ", sign(body, now)),
        (body, sign(body, now, b"other")),
        (body, {}),
        (body, sign(body, now) | {"X-Talk-At": str(int(now) - 1)}),
    )
    for sent, headers in wrong:
        response = house.client.post("/v1/chat/talk", content=sent, headers=headers)
        told = assert_problem(response, 401, "chat-refused")  # type: ignore[arg-type]
        assert "signature" not in str(told)
    for age in (-301, 302):
        old = house.client.post("/v1/chat/talk", content=body, headers=sign(body, now + age))
        assert_problem(old, 401, "chat-refused")  # type: ignore[arg-type]
    for reason, count in (("signature", 4), ("too-old", 2)):
        line = f'kb_chat_refused_total{{platform="talk",reason="{reason}"}}'
        assert metric(house, line) == before[reason] + count
    assert all(one.message_id != "id-refused" for state in MessageState for one in house.store.messages.listing(state))


def test_other_calls(house: ChatHouse) -> None:
    assert house.call({"kind": "check", "challenge": "c0ffee"}).text == "c0ffee"
    assert house.call({"kind": "typing"}).status_code == 200
    assert_problem(house.call({"kind": "question"}), 400, "chat-unreadable")
    assert_problem(house.client.post("/v1/chat/nowhere"), 404, "not-found")  # type: ignore[arg-type]
    large = house.call({"kind": "typing", "more": "x" * (1 << 20)})
    assert_problem(large, 413, "body-too-large")


def test_an_answer_at_once_is_in_the_response(house: ChatHouse) -> None:
    response = house.call(question(HDFS_TRACE, "at-once"), "instant")
    said = response.json()["message"]
    assert said["best"]["title"] == "Checkpoint fails because HDFS cannot close the last block"
    kept = house.store.messages.get(said["ref"])
    assert (kept.state, kept.question["text"].strip()) == (MessageState.DONE, HDFS_TRACE.strip())
    again = house.call(question(HDFS_TRACE, "at-once"), "instant")
    assert again.json() == {"ok": True}


@pytest.mark.parametrize(("text", "headline"), [("  ", "Nothing to look up"), ("", "Nothing to look up")])
def test_nothing_asked(house: ChatHouse, text: str, headline: str) -> None:
    assert house.answers(house.ask(text))[0]["message"]["headline"] == headline


def test_long_pastes_in_files_are_read(house: ChatHouse) -> None:
    house.talk.be(files={"trace.log": HDFS_TRACE})
    said = house.answers(house.ask("what is this?", files=["trace.log", "gone.bin"]))[0]["message"]
    assert said["best"]["title"] == "Checkpoint fails because HDFS cannot close the last block"
    assert said["notes"] == ["Could not be read: gone.bin. The rest was searched."]
    kept = house.store.messages.get(said["ref"]).question["text"]
    assert kept.startswith("what is this?\njava.lang.Exception")


def test_secrets_stay_out_of_the_queue_and_of_the_chat(house: ChatHouse) -> None:
    secret = "AKIAIOSFODNN7EXAMPLE"
    said = house.answers(house.ask(f"aws_access_key_id={secret} fails\n{HDFS_TRACE}"))[0]
    assert secret not in json.dumps(said)
    assert said["message"]["notes"][0].startswith("Secrets taken out before searching: 1 (")
    message = house.store.messages.get(said["message"]["ref"])
    assert secret not in json.dumps([message.question, message.answer])
    house.talk.be(files={"s.log": f"key {secret}\n{HDFS_TRACE}"})
    said = house.answers(house.ask("why?", files=["s.log"]))[0]
    assert secret not in json.dumps(said)
    assert said["message"]["notes"][0].startswith("Secrets taken out")
    named = {"key": "k1", "name": f"{secret}.log"}
    told = question_to_json(Question("q1", "why?", "ann", {}, (named, {"url": "https://files.example/1"})))
    assert told["files"] == [{"key": "k1", "name": "<secret>.log"}, {"url": "https://files.example/1"}]
    said = house.answers(house.ask(f"why?\n{HDFS_TRACE}", files=[f"{secret}.bin"]))[0]
    assert said["message"]["notes"] == ["Could not be read: <secret>.bin. The rest was searched."]


@pytest.mark.parametrize(("least", "expected"), [(100.0, {200}), (1.0, {200, 429})])
def test_a_platform_with_few_addresses_is_not_locked_out(
    home: Path, talk: TalkServer, tmp_path: Path, least: float, expected: set[int]
) -> None:
    """A limit for people's addresses is not one for a platform, whose calls are counted apart, and limited too."""
    settings = ServiceSettings(home=home, database_url=f"sqlite:///{tmp_path}/store.db", rate_per_address=1)
    app = create_app(settings, replace(chats(talk.url), calls=least))
    with TestClient(app, raise_server_exceptions=False, client=("203.0.113.9", 443), base_url=LOCAL) as client:
        assert [client.get("/").status_code for _ in range(4)].count(429) >= 1
        assert {call(client, {"kind": "typing"}).status_code for _ in range(60)} == expected


def test_before_there_is_a_snapshot_it_says_so_in_the_thread(talk: TalkServer, tmp_path: Path) -> None:
    app = create_app(ServiceSettings(home=tmp_path), chats(talk.url))
    with TestClient(app, client=HERE, base_url=LOCAL) as client:
        assert call(client, question("为什么任务失败？", "no-snapshot")).status_code == 200
        poll(lambda: bool(talk.posted("no-snapshot")))
    (posted,) = talk.posted("no-snapshot")
    assert posted["message"]["headline"] == "还没有可搜索的内容"


@pytest.mark.parametrize("text", [*(str(one["traces"][0]) for one in RECORDS if one.get("traces")), UNKNOWN_TRACE])  # type: ignore[index]
def test_the_chat_finds_what_the_other_doors_find(house: ChatHouse, text: str) -> None:
    key = house.store.keys.create("r", Role.READER, actor=Actor("t", "t", Role.ADMIN))[1]
    found = house.client.post("/v1/search", json={"text": text}, headers={"Authorization": f"Bearer {key}"}).json()
    said = house.answers(house.ask(text))[0]["message"]
    kept = house.store.messages.get(said["ref"]).answer
    assert kept is not None
    assert said["verdict"] == found["verdict"]
    assert [name for name, _ in kept["matches"]] == [match["incident"]["id"] for match in found["matches"]]
    titles = [match["incident"]["title"] for match in found["matches"]]
    shown = [one["title"] for one in (said["best"], *said["others"]) if one]
    assert len(shown) == len(titles[: 3 + bool(said["best"])])
    assert all(one.startswith(title) for one, title in zip(shown, titles, strict=False)), (
        "behind it at most: in which language alone"
    )
