"""The queue of chat messages: taken once, held by one, never lost; on both databases."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest

from kb.store import Missing, Store
from kb.store.model import ChatMessage, MessageState

from .processes import run
from .told import BEN, incident

NOW = datetime(2026, 11, 21, 22, 0, tzinfo=UTC)


def after(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


def taken(store: Store, name: str = "m1", at: datetime = NOW, hold: float = 0) -> ChatMessage:
    message = store.messages.take("slack", name, "question", {"text": "锁 \0 \ud800"}, at, hold=hold)
    assert message is not None
    return message


def test_a_notice_is_sent_once_per_interval(store: Store) -> None:
    news = store.messages
    assert news.is_news("group:incident", "first", NOW, after(-60))
    assert news.is_news("group:incident", "first", after(1), after(-59)), "the one that tells it may try again"
    assert not news.is_news("group:incident", "second", after(2), after(-58))
    assert news.is_news("other:incident", "second", after(2), after(-58))
    assert not news.is_news("group:incident", "second", after(61), after(1))
    assert news.is_news("group:incident", "second", after(61), after(1.1))
    assert not news.is_news("group:incident", "first", after(62), after(2))
    assert (news.is_due(after(99)), news.listing(MessageState.WAITING)) == (False, [])
    assert news.forget(after(1000)) == 2


def test_a_mark_is_set_once_and_forgotten(store: Store) -> None:
    marks = store.messages
    with ThreadPoolExecutor(6) as threads:
        assert sorted(threads.map(lambda _: marks.mark("hook:x", "a", NOW, after(-60)), range(12)))[-2:] == [
            False,
            True,
        ]
    assert (marks.is_marked("hook:x", "a", NOW), marks.is_marked("hook:x", "a", after(1))) == (True, False)
    assert not marks.is_marked("hook:y", "a", after(-60))
    assert marks.mark("hook:y", "a", NOW, after(-60))
    assert marks.mark("hook:x", "b", after(61), after(1))
    assert not marks.is_marked("hook:x", "a", NOW), "older than it may be"
    assert (marks.is_due(after(99)), marks.forget(after(1000))) == (False, 2)


def test_one_of_many_concurrent_workers_sends_a_notice(store: Store) -> None:
    with ThreadPoolExecutor(6) as threads:
        told = threads.map(lambda number: store.messages.is_news("g:i", f"ref{number}", NOW, after(-60)), range(12))
        assert sorted(told) == [False] * 11 + [True]


def test_a_message_is_claimed_once(store: Store) -> None:
    first = taken(store)
    assert store.messages.take("slack", "m1", "question", {"text": "other"}, after(9)) is None
    other = store.messages.take("feishu", "m1", "press", {}, NOW)
    assert other is not None
    assert other.ref != first.ref
    assert len(first.ref) >= 20
    assert store.messages.get(first.ref) == first
    assert (first.state, first.tries, first.begun, first.answer) == (MessageState.WAITING, 0, False, None)
    assert first.question == {"text": "锁 \0 ?"}
    assert store.head().sequence == 0


def test_what_waits_is_claimed_by_one_until_its_hold_ends(store: Store) -> None:
    message = taken(store)
    assert not store.messages.is_due(after(-1))
    assert store.messages.is_due(NOW)
    (held,) = store.messages.claim(NOW, 60, 10)
    assert (held.ref, held.state, held.tries, held.received_at) == (message.ref, MessageState.HELD, 1, NOW)
    assert not store.messages.is_due(after(59))
    assert store.messages.claim(after(59), 60, 10) == []
    (again,) = store.messages.claim(after(61), 60, 10)
    assert (again.tries, again.begun) == (2, False)
    assert again.holder != held.holder


def test_a_claimed_message_is_not_claimed_by_another_worker(store: Store) -> None:
    held = taken(store, hold=60)
    assert (held.state, held.tries) == (MessageState.HELD, 1)
    assert store.messages.claim(after(59), 60, 10) == []
    assert store.messages.begin(held, after(1), 60, answer={"a": 1}, question={"text": "x"})
    store.messages.done(held.ref, after(2), question={"text": "x"})
    assert store.messages.claim(after(999), 60, 10) == []


def test_a_worker_whose_claim_expired_writes_nothing(store: Store) -> None:
    taken(store)
    (late,) = store.messages.claim(NOW, 60, 10)
    (now,) = store.messages.claim(after(61), 60, 10)
    assert not store.messages.begin(late, after(62), 60, answer={}, question={})
    assert not store.messages.later(late, after(62), after(70), "slow")
    assert not store.messages.dead(late, after(62), "slow")
    assert store.messages.get(late.ref) == now
    assert store.messages.begin(now, after(62), 60, answer={"said": "是"}, question={"text": "b"})
    found = store.messages.get(now.ref)
    assert (found.begun, found.answer, found.question, found.due_at) == (
        True,
        {"said": "是"},
        {"text": "b"},
        after(122),
    )


def test_what_had_begun_says_so_to_the_next(store: Store) -> None:
    taken(store)
    (held,) = store.messages.claim(NOW, 60, 10)
    store.messages.begin(held, after(1), 60, answer={"said": "a"}, question={"text": "b"})
    (next_one,) = store.messages.claim(after(62), 60, 10)
    assert (next_one.begun, next_one.answer) == (True, {"said": "a"})
    assert store.messages.later(next_one, after(63), after(100), "x" * 999)
    put_off = store.messages.get(held.ref)
    assert (put_off.begun, put_off.state, put_off.due_at, put_off.why) == (
        False,
        MessageState.WAITING,
        after(100),
        "x" * 300,
    )
    assert store.messages.claim(after(99), 60, 10) == []
    assert [one.ref for one in store.messages.claim(after(100), 60, 10)] == [held.ref]


def test_a_done_message_stays_done_whoever_holds_it(store: Store) -> None:
    taken(store)
    (late,) = store.messages.claim(NOW, 60, 10)
    store.messages.claim(after(61), 60, 10)
    store.messages.done(late.ref, after(62), question={"text": "kept"})
    found = store.messages.get(late.ref)
    assert (found.state, found.question, found.holder) == (MessageState.DONE, {"text": "kept"}, None)
    assert store.messages.claim(after(9_999), 60, 10) == []


def test_the_oldest_come_first_and_no_more_than_asked_for(store: Store) -> None:
    for at in (3, 1, 2):
        taken(store, f"m{at}", after(at))
    assert [one.message_id for one in store.messages.claim(after(5), 60, 2)] == ["m1", "m2"]
    assert [one.message_id for one in store.messages.claim(after(5), 60, 2)] == ["m3"]


def test_a_dead_letter_is_tried_again_or_dropped(store: Store) -> None:
    for at, name in enumerate(("m1", "m2")):
        taken(store, name, after(at - 2))
    for held in store.messages.claim(NOW, 60, 10):
        store.messages.begin(held, NOW, 60, answer={"said": 1}, question={"text": "b"})
        assert store.messages.dead(held, NOW, "gone")
    one, two = store.messages.listing()
    assert (one.why, one.state) == ("gone", MessageState.DEAD)
    assert not store.messages.is_due(after(9_999))
    again = store.messages.again(one.ref, after(5), actor=BEN)
    assert (again.state, again.tries, again.begun, again.due_at) == (MessageState.WAITING, 0, False, after(5))
    dropped = store.messages.drop(two.ref, after(5), actor=BEN)
    assert (dropped.state, dropped.question, dropped.answer) == (MessageState.DROPPED, {}, None)
    assert store.messages.listing() == []
    for gone in (one.ref, two.ref, "no such"):
        with pytest.raises(Missing):
            store.messages.drop(gone, NOW, actor=BEN)
    assert store.messages.take("slack", "m2", "question", {}, NOW) is None
    lines = store.audit.listing()
    assert [(line.action, line.object, line.details) for line in lines] == [
        ("chat.again", "chat:slack", {"message": "m1"}),
        ("chat.drop", "chat:slack", {"message": "m2"}),
    ]


def test_counts_and_forgetting(store: Store) -> None:
    old, new = taken(store, "old", after(-100)), taken(store, "new")
    store.messages.done(old.ref, NOW, question={})
    assert store.messages.counts() == {("slack", MessageState.DONE): 1, ("slack", MessageState.WAITING): 1}
    assert store.messages.forget(after(-100)) == 0
    assert store.messages.forget(after(-99)) == 1
    with pytest.raises(Missing):
        store.messages.get(old.ref)
    assert store.messages.get(new.ref) == new


def test_a_nested_write_joins_the_open_transaction(store: Store) -> None:
    message = taken(store)

    def broken_off() -> None:
        with store.transaction():
            store.messages.done(message.ref, NOW, question={})
            raise RuntimeError

    with pytest.raises(RuntimeError):
        broken_off()
    assert store.messages.get(message.ref) == message


def test_taking_waits_for_no_writer_on_a_server(place: str | Path) -> None:
    """On SQLite a file has one writer; a server's writers hold a row that the queue does not need."""
    if isinstance(place, Path):
        pytest.skip("SQLite has one writer")
    with Store.open(place) as writer, Store.open(place) as other, writer.transaction():
        writer.incidents.create(incident("a"), actor=BEN)
        message = taken(other)
        (held,) = other.messages.claim(NOW, 60, 10)
        assert held.ref == message.ref
        assert other.messages.begin(held, NOW, 60, answer={}, question={})
        other.messages.done(held.ref, NOW, question={})
        assert other.messages.forget(after(1)) == 1


def work(place: str | Path, folder: Path, name: str, ready: Barrier) -> None:
    """Take all of forty messages, and answer whatever can be claimed."""
    with Store.open(place) as store, (folder / name).open("w") as done:
        ready.wait()
        for at in range(40):
            store.messages.take("slack", f"{at}", "question", {}, NOW)
            for held in store.messages.claim(after(1), 600, 3):
                done.write(f"{held.message_id}\n")
                store.messages.done(held.ref, after(2), question={})


def test_several_processes_answer_each_message_once(place: str | Path, tmp_path: Path) -> None:
    with Store.open(place) as store:
        folder = tmp_path / "done"
        folder.mkdir()
        assert run(work, *((place, folder, f"{at}") for at in range(3))) == [0, 0, 0]
        each = [(folder / f"{at}").read_text().split() for at in range(3)]
        answered = [name for one in each for name in one] + [
            m.message_id for m in store.messages.claim(after(1), 1, 99)
        ]
        assert Counter(answered) == Counter(str(at) for at in range(40))
        assert len(answered) == 40
