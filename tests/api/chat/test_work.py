"""The worker against a platform that is down, slow, busy or broken: nothing is lost, nothing is posted twice."""

import time
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.chat.worker import TOGETHER
from api.settings import ServiceSettings
from kb.store import Actor, Role
from kb.store.model import ChatMessage, MessageState
from tests.api.chat.conftest import SOON, ChatHouse, TalkServer, call, question, start_talk
from tests.api.chat.service import chats
from tests.api.fixtures import HERE, LOCAL, assert_problem, poll
from tests.api.knowledge import HDFS_TRACE

ROOT = Actor("test", "test", Role.ADMIN)


def dead(house: ChatHouse, thread: str) -> ChatMessage | None:
    return next((one for one in house.store.messages.listing() if one.message_id == f"id-{thread}"), None)


@pytest.mark.parametrize(
    ("modes", "least"),
    [(("429", "ok"), 1), (("500", "ok"), SOON.first_wait / 2), (("slow", "ok"), 1)],
)
def test_a_refused_message_is_posted_later_and_once(house: ChatHouse, modes: tuple[str, ...], least: float) -> None:
    house.talk.be(*modes, forget=True)
    asked = time.monotonic()
    thread = house.ask(HDFS_TRACE)
    poll(lambda: len(house.talk.told()["tried"]) == 2)
    (posted,) = house.answers(thread)
    assert time.monotonic() - asked >= least
    poll(lambda: house.store.messages.get(posted["message"]["ref"]).state is MessageState.DONE)
    assert house.talk.told()["tried"] == list(modes)
    assert len(house.talk.posted(thread)) == 1
    assert house.store.messages.get(posted["message"]["ref"]).tries == 2


def test_a_platform_is_given_the_time_it_asks_for(house: ChatHouse) -> None:
    house.talk.be("wait")
    thread = house.ask(HDFS_TRACE)
    poll(lambda: any(one.why == "Talk asks to wait" for one in house.store.messages.listing(MessageState.WAITING)))
    (waits,) = [one for one in house.store.messages.listing(MessageState.WAITING) if one.message_id == f"id-{thread}"]
    assert 30 <= (waits.due_at - waits.received_at).total_seconds() < 60
    assert not waits.begun
    house.store.messages.done(waits.ref, waits.due_at, question={})


def test_what_may_have_arrived_is_remembered_at_the_next_try(house: ChatHouse) -> None:
    """Else a platform that cannot tell any more (a right that was taken away, an hour that is over) would post it twice."""
    house.talk.be("slow", "ok", forget=True)
    thread = house.ask(HDFS_TRACE)
    found: list[ChatMessage] = []
    poll(
        lambda: bool(
            found.extend(one for one in house.store.messages.listing(MessageState.WAITING) if one.why) or found
        )
    )
    assert [(one.message_id, one.why, one.begun) for one in found] == [(f"id-{thread}", "Talk does not answer", True)]
    assert len(house.answers(thread)) == 1


def test_an_undeliverable_answer_becomes_a_dead_letter_that_can_be_retried(house: ChatHouse) -> None:
    house.talk.be("500", "500", "500", forget=True)
    thread = house.ask(HDFS_TRACE)
    poll(lambda: dead(house, thread) is not None)
    letter = dead(house, thread)
    assert letter is not None
    assert (letter.why, letter.tries, house.talk.posted(thread)) == ("Talk says 500", 2, [])
    house.talk.be()
    with house.store._database.writing() as connection:  # what was noted is posted, not what is found by now
        connection.exec_driver_sql("UPDATE messages SET answer = replace(answer, 'Known incident', 'As noted')")
    house.store.messages.again(letter.ref, letter.received_at, actor=ROOT)
    said = house.answers(thread)[0]["message"]
    assert (said["ref"], said["headline"]) == (letter.ref, "As noted")


def test_what_cannot_be_posted_is_dead_at_once(house: ChatHouse) -> None:
    house.talk.be("404", forget=True)
    thread = house.ask(HDFS_TRACE)
    poll(lambda: dead(house, thread) is not None)
    assert house.talk.told()["tried"] == ["404"]


def test_a_message_that_may_be_posted_is_not_sent_twice(house: ChatHouse) -> None:
    house.talk.be("slow", forget=True)
    thread = house.ask(HDFS_TRACE, "shout")
    poll(lambda: dead(house, thread) is not None)
    letter = dead(house, thread)
    assert letter is not None
    assert letter.why == "Talk does not answer, it may have been posted"
    assert len(house.talk.posted(thread)) == 1


def test_a_platform_that_is_down_gets_its_answers_when_it_is_back(house: ChatHouse) -> None:
    house.talk.process.kill()
    house.talk.process.wait()
    thread = house.ask(HDFS_TRACE)
    poll(lambda: any(one.why == "Talk is down" for one in house.store.messages.listing(MessageState.WAITING)))
    house.talk.process = start_talk(house.talk.port).process
    assert house.answers(thread)[0]["message"]["verdict"] == "known"


def test_while_the_store_is_away_the_platform_is_told_to_try_again(house: ChatHouse) -> None:
    told = question(HDFS_TRACE, "away")
    with house.store.transaction():
        asked = time.monotonic()
        response = call(house.client, told)
        assert 2 < time.monotonic() - asked < 20
    assert_problem(response, 503, "store-busy")
    assert call(house.client, told).status_code == 200
    house.answers("away")
    other = house.ask(HDFS_TRACE)
    house.answers(other)
    assert len(house.talk.posted("away")) == 1


def test_a_fault_in_a_platform_is_tried_again_and_told(house: ChatHouse) -> None:
    thread = house.ask(HDFS_TRACE, files=["fault"])
    poll(lambda: dead(house, thread) is not None)
    letter = dead(house, thread)
    assert letter is not None
    assert (letter.why, letter.tries) == ("a fault in dejastack: RuntimeError", 2)


def test_more_messages_than_one_process_is_at_together(house: ChatHouse) -> None:
    house.talk.be()
    threads = [house.ask(HDFS_TRACE) for _ in range(TOGETHER + 4)]
    poll(lambda: all(house.talk.posted(thread) for thread in threads), 60)
    assert [len(house.talk.posted(thread)) for thread in threads] == [1] * len(threads)


def test_a_stop_and_a_start_lose_nothing_and_repeat_nothing(home: Path, talk: TalkServer, tmp_path: Path) -> None:
    """Asked in the last moment; what the stopped service has not begun is not held by it any more."""
    settings = ServiceSettings(home=home, database_url=f"sqlite:///{tmp_path}/store.db")
    threads = [f"stop{at}" for at in range(8)]
    for some in (threads, []):
        with TestClient(create_app(settings, chats(talk.url)), client=HERE, base_url=LOCAL) as client:
            for thread in some:
                assert call(client, question(HDFS_TRACE, thread)).status_code == 200
            if not some:
                poll(lambda: all(talk.posted(thread) for thread in threads), 30)
    assert [len(talk.posted(thread)) for thread in threads] == [1] * 8
