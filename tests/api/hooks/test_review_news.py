"""Reviewers are told: an event for each who is new, a card for each channel, and nothing of what must not leave."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from api.hooks.review_news import ReviewNews
from api.writing.reviewing import ReviewRequest
from kb.incident import Incident, Source, Status
from kb.store import Actor, Author, Role, Store
from kb.store.model import Key, MessageState
from tests.api.chat.conftest import TalkServer
from tests.api.fixtures import poll
from tests.api.hooks.test_webhook import TOKEN, House, _talk, house, receiver, talk  # noqa: F401

ROOT = Actor("test", "test", Role.ADMIN)


def add(store: Store, title: str, *, is_live: bool = False) -> None:
    """An incident to be reviewed, with a revision that readers see or without."""
    one = Incident("a/pool", title, "en", Source("a/pool", "a/pool"))
    store.incidents.create(one, actor=ROOT, status=Status.PUBLISHED if is_live else Status.IN_REVIEW)
    if is_live:
        store.incidents.revise(one, expected=1, actor=ROOT, status=Status.IN_REVIEW)


def ask(house: House, by: str, *reviewers: Key) -> None:  # noqa: F811 - the fixture
    named = {"reviewers": [{"id": one.actor.id} for one in reviewers]}
    headers = {"Authorization": f"Bearer {by}"}
    answer = house.clients[-1].put("/v1/incidents/a%2Fpool/reviewers", json=named, headers=headers)
    assert answer.status_code == 200, answer.text


def test_each_new_reviewer_is_told_once_and_again_when_asked_again(house: House) -> None:  # noqa: F811
    store = house.start(public_url="https://kb.example.org")
    add(store, f"The pool is empty, token {TOKEN}", is_live=True)
    ann, secret = store.keys.create("Ann", Role.CURATOR, actor=ROOT)
    bob, cy = (store.keys.create(name, Role.REVIEWER, actor=ROOT)[0] for name in ("Bob", "Cy"))
    ask(house, secret, bob)
    poll(lambda: len(house.receiver.calls) == 1)
    ask(house, secret, bob, cy)
    poll(lambda: len(house.receiver.calls) == 2)
    first, second = (event["data"] for event in house.events())
    assert {event["type"] for event in house.events()} == {"review.requested"}
    assert first == {
        "id": "a/pool",
        "title": "The pool is empty, token <secret>",
        "revision": 2,
        "status": "in_review",
        "url": "https://kb.example.org/incidents/a%2Fpool/history?from=1&to=2#diff",
        "reviewer": {"id": bob.actor.id, "name": "Bob"},
        "requested_by": {"id": ann.actor.id, "name": "Ann"},
    }
    assert second == {**first, "reviewer": {"id": cy.actor.id, "name": "Cy"}}  # type: ignore[dict-item]
    ask(house, secret, cy)
    ask(house, secret, bob, cy)
    poll(lambda: len(house.receiver.calls) == 3)
    assert house.events()[2]["data"] == first
    assert TOKEN not in json.dumps(house.events())


def test_what_was_saved_under_older_rules_is_scrubbed_before_it_leaves(tmp_path: Path) -> None:
    with Store.open(tmp_path / "store.db") as store:
        add(store, "The pool is empty")
        saved = store.incidents.current("a/pool")
        older = replace(saved, record={**saved.record, "title": f"token {TOKEN}"})
        people = (Author("u:bo", f"Bo {TOKEN}"), Author("u:ann", f"Ann {TOKEN}"))
        request = ReviewRequest(older, None, people[:1], people[1], datetime.now(UTC))
        ReviewNews(None, has_webhook=True, to=()).queue(store, request)
        (message,) = store.messages.listing(MessageState.WAITING)
        data = json.loads(message.question["body"])["data"]
    assert (data["title"], data["url"]) == ("token <secret>", None)
    assert (data["reviewer"]["name"], data["requested_by"]["name"]) == ("Bo <secret>", "Ann <secret>")
    assert TOKEN not in json.dumps(message.question)


def test_what_is_not_saved_is_not_told(house: House) -> None:  # noqa: F811
    store = house.start()
    add(store, "The pool is empty")
    _, secret = store.keys.create("Ann", Role.CURATOR, actor=ROOT)
    bob, _ = store.keys.create("Bob", Role.REVIEWER, actor=ROOT)
    named = {"reviewers": [{"id": bob.actor.id}, {"id": "u:nobody"}]}
    headers = {"Authorization": f"Bearer {secret}"}
    assert house.clients[-1].put("/v1/incidents/a%2Fpool/reviewers", json=named, headers=headers).status_code == 422
    assert store.messages.counts() == {}


def test_a_channel_gets_one_card_for_a_request(house: House, talk: TalkServer) -> None:  # noqa: F811
    """Whoever asks for many is one voice; a title in Chinese makes the card Chinese."""
    store = house.start(talk, public_url="https://kb.example.org")
    add(store, "连接池耗尽")
    _, secret = store.keys.create(f"Ann {TOKEN}", Role.CURATOR, actor=ROOT)
    people = [store.keys.create(name, Role.REVIEWER, actor=ROOT)[0] for name in ("Bo", "Cy", "Di", "Ed")]
    ask(house, secret, people[0])
    ask(house, secret, *people)
    poll(lambda: len(talk.posted("crashes")) == 4)  # two requests, two platforms
    poll(lambda: {state for _, state in store.messages.counts()} == {MessageState.DONE})
    cards = {card["message"]["headline"]: card["message"] for card in talk.posted("crashes")}
    assert set(cards) == {"请审核：Bo", "请审核：Cy, Di, Ed"}
    one = cards["请审核：Bo"]
    assert (one["lang"], one["text"]) == ("zh", "Ann <secret> 请你审核修订 1。")
    assert [match["title"] for match in one["others"]] == ["连接池耗尽"]
    assert one["others"][0]["link"] == "https://kb.example.org/incidents/a%2Fpool"
    assert one["write_up"] == "https://kb.example.org/incidents/a%2Fpool"
    assert (one["words"]["write_up"], one["opinion"]) == ("查看改动", None)
    assert house.receiver.calls == []
