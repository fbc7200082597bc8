"""What each call of Slack says; nothing that can be in one breaks anything."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.chat.platform import (
    ButtonClick,
    InboundMessage,
    Nothing,
    Question,
    RefusedRequest,
    UrlVerification,
    WebhookRequest,
)
from api.chat.slack.reading import SlackReader, button_value, pressed_button
from kb.store.model import Vote
from tests.api.chat.slack.calls import (
    BOT,
    command,
    direct,
    event,
    interaction,
    mention,
    piece,
    press,
    rich,
    run,
    shortcut,
    signed,
)

READER = SlackReader(in_channel=False)


def read(body: bytes) -> InboundMessage:
    return READER.read(signed(body))


def question(body: bytes) -> Question:
    said = read(body)
    assert isinstance(said, Question)
    assert json.loads(json.dumps([said.target, said.files])) == [said.target, list(said.files)]  # both are stored
    return said


def test_the_check_of_the_address_is_answered_with_its_challenge() -> None:
    said = read(b'{"token": "x", "challenge": "3eZbrw1aB10FEMAGAZd4FyFQ", "type": "url_verification"}')
    assert isinstance(said, UrlVerification)
    assert json.loads(said.reply.body) == {"challenge": "3eZbrw1aB10FEMAGAZd4FyFQ"}
    assert said.reply.media == "application/json"


def test_a_mention_is_answered_in_a_thread_below_it() -> None:
    asked = question(event(mention(f"<@{BOT}> a &lt; b?")))
    assert asked.id == "T1:C1:1700000000.000100"
    assert (asked.text, asked.who, asked.files) == ("a < b?", "U1", ())
    assert asked.target == {"channel": "C1", "thread": "1700000000.000100", "since": "1700000000.000100", "user": "U1"}


def test_a_mention_in_a_thread_is_answered_there() -> None:
    asked = question(event(mention(thread_ts="1699999999.000001")))
    assert asked.target["thread"] == "1699999999.000001"
    assert asked.target["since"] == "1700000000.000100"
    assert asked.files == ()


@pytest.mark.parametrize("text", [f"<@{BOT}>", f"<@{BOT}> ?", f"<@{BOT}|kb>  👀", f" <@{BOT}>\n！"])
def test_a_mention_alone_in_a_thread_is_about_its_first_message(text: str) -> None:
    asked = question(event(mention(text, thread_ts="1699999999.000001")))
    assert (asked.text, asked.files) == ("", ({"channel": "C1", "ts": "1699999999.000001"},))


def test_a_mention_alone_elsewhere_asks_nothing() -> None:
    asked = question(event(mention(f"<@{BOT}>")))
    assert (asked.text, asked.files) == ("", ())


def test_a_direct_message_is_answered_in_its_channel() -> None:
    assert question(event(direct())).target == {"channel": "D1", "since": "1700000000.000200", "user": "U1"}
    assert question(event(direct(thread_ts="1699999999.000001"))).target["thread"] == "1699999999.000001"


@pytest.mark.parametrize("subtype", ["file_share", "thread_broadcast", "me_message", None])
def test_whatever_kind_of_message_somebody_writes_is_answered(subtype: str | None) -> None:
    assert question(event(direct(subtype=subtype))).text == "why?"


def test_the_same_message_has_one_name_whatever_event_tells_of_it() -> None:
    ts = "1700000000.000100"
    twice = [event(mention()), event(mention(), event_id="Ev2"), event(direct(f"<@{BOT}> x", channel="C1", channel_type="channel", ts=ts, subtype="file_share"))]  # fmt: skip
    assert {question(body).id for body in twice} == {f"T1:C1:{ts}"}


def test_the_first_mention_of_an_app_mention_is_the_bot() -> None:
    asked = question(event(mention("<@U0KBOT> and <@U2>"), authorizations=None))
    assert asked.text == "and @U2"


@pytest.mark.parametrize(
    "inner",
    [
        mention(bot_id="B1"),
        mention(bot_profile={"id": "B1"}),
        mention(user=BOT),
        mention(user="USLACKBOT"),
        mention(user=""),
        mention(edited={"user": "U1", "ts": "1"}),
        mention(hidden=True),
        direct(bot_id="B1", subtype="bot_message"),
        direct(subtype="message_changed", message={"text": "x"}),
        direct(subtype="message_deleted"),
        direct(subtype="channel_join"),
        direct(subtype="group_topic"),
        direct(subtype="assistant_app_thread"),
        direct(channel_type="channel", channel="C1"),
        direct(channel_type="group", channel="G1", text="<@U2> x"),
        direct(channel_type=None),
        {"type": "reaction_added", "user": "U1"},
        {"type": "app_home_opened", "user": "U1", "channel": "D1"},
        {"type": 7},
        {},
    ],
)
def test_messages_not_addressed_to_the_bot_are_ignored(inner: dict[str, Any]) -> None:
    assert read(event(inner)) == Nothing()


@pytest.mark.parametrize(
    "document",
    [
        {"type": "app_rate_limited", "minute_rate_limited": 1},
        {"type": "event_callback"},
        {"type": "event_callback", "event": [1]},
        {"type": None},
        {},
    ],
)
def test_unknown_calls_are_acknowledged(document: dict[str, Any]) -> None:
    assert read(json.dumps(document).encode()) == Nothing()


def test_shared_channels_get_no_answer() -> None:
    call = signed(event(mention(), is_ext_shared_channel=True))
    assert READER.read(call) == Nothing()
    assert isinstance(replace(READER, outside=True).read(call), Question)


def test_a_file_is_fetched_from_where_slack_says() -> None:
    shared = {
        "id": "F1", "name": "crash.log", "mimetype": "text/plain", "size": 12, "mode": "snippet",
        "url_private": "https://files.slack.com/files-pri/T1-F1/crash.log",
        "url_private_download": "https://files.slack.com/files-pri/T1-F1/download/crash.log",
    }  # fmt: skip
    for body in (event(mention(f"<@{BOT}>", files=[shared])), event(direct("", files=[shared], subtype="file_share"))):
        (file,) = question(body).files
        assert file == {
            "id": "F1",
            "name": "crash.log",
            "type": "text/plain",
            "url": shared["url_private_download"],
            "ask": False,
        }
    asked = question(event(mention(f"<@{BOT}>", files=[shared], thread_ts="1699999999.000001")))
    assert [file.get("id") for file in asked.files] == ["F1"]  # a file is something of its own: the thread is not read
    connected = question(
        event(direct("", files=[{"id": "F2", "mode": "file_access", "file_access": "check_file_info"}]))
    )
    assert connected.files == ({"id": "F2", "name": "F2", "type": "", "url": "", "ask": True},)


def test_the_slash_command() -> None:
    asked = question(command("a &lt; b &amp; Foo.<init>\nx"))
    assert (asked.id, asked.text, asked.who) == ("command:1.2.ab", "a < b & Foo.<init>\nx", "U1")
    assert asked.target == {
        "channel": "C1", "since": "1700000000.000000", "user": "U1", "respond": "https://hooks.slack.com/commands/T1/2/abc",
        "privately": True, "command": True,
    }  # fmt: skip
    assert (asked.reply.body, asked.reply.media) == (b"", "text/plain")
    assert question(command("")).text == ""
    bare = [question(b"command=%2Fkb&text=x&user_id=U1"), question(b"command=%2Fkb&text=y&user_id=U1")]
    assert bare[0].id != bare[1].id
    assert bare[0].target == {"channel": "U1", "since": "1700000000.000000", "user": "U1", "privately": True}


def test_where_everybody_sees_the_answer_everybody_sees_the_command() -> None:
    said = replace(READER, in_channel=True).read(signed(command("x")))
    assert isinstance(said, Question)
    assert json.loads(said.reply.body) == {"response_type": "in_channel"}
    assert "privately" not in said.target


def test_the_shortcut_asks_about_the_message_and_answers_in_its_thread() -> None:
    asked = question(
        interaction(shortcut({"text": "boom &lt;x&gt;", "bot_id": "B1", "attachments": [{"text": "trace"}]}))
    )
    assert (asked.id, asked.text, asked.who) == ("shortcut:9.8.cd", "boom <x>\n\ntrace", "U1")
    assert asked.target == {
        "channel": "C1", "thread": "1699999999.000001", "since": "1700000000.000000", "user": "U1",
        "respond": "https://hooks.slack.com/app/T1/3/def",
    }  # fmt: skip
    reply = question(interaction(shortcut({"text": "x", "thread_ts": "1699999000.000001"})))
    assert reply.target["thread"] == "1699999000.000001"
    code = rich(piece("preformatted", run("java.lang.E: x\n\tat a.B.c(B.java:1)")))
    assert question(interaction(shortcut({"text": "java", "blocks": code}))).text.startswith("java.lang.E: x\n\tat a.B")


def test_another_shortcut_is_not_ours() -> None:
    assert read(interaction(shortcut({"text": "x"}, callback_id="other"))) == Nothing()
    assert read(interaction(shortcut({"text": "x"}, type="shortcut"))) == Nothing()


@pytest.mark.parametrize("vote", list(Vote))
def test_a_button_is_a_vote(vote: Vote) -> None:
    said = read(interaction(press(button_value("Ab-_9", 2, vote))))
    assert isinstance(said, ButtonClick)
    assert (said.id, said.ref, said.place, said.vote, said.who) == ("press:7.6.ef", "Ab-_9", 2, vote, "U2")
    assert said.target == {
        "channel": "C1", "thread": "1700000000.000100", "user": "U2", "respond": "https://hooks.slack.com/actions/T1/4/ghi"
    }  # fmt: skip
    assert said.reply.body == b""


@pytest.mark.parametrize(
    "written",
    [
        "",
        "maybe:0:ref",
        "yes:0:",
        "yes:-1:ref",
        "yes:0000:ref",
        "yes:0:a b",
        "YES:0:ref",
        "yes:0:" + "a" * 201,
        "yes:٣:ref",
        "yes:0:ref\n",
    ],
)
def test_a_button_of_another_kind_is_no_vote(written: str) -> None:
    assert pressed_button(written) is None
    assert read(interaction(press(written))) == Nothing()


@given(st.from_regex(r"[A-Za-z0-9_-]{1,200}", fullmatch=True), st.integers(0, 999), st.sampled_from(Vote))
def test_button_values_survive_the_round_trip(ref: str, place: int, vote: Vote) -> None:
    written = button_value(ref, place, vote)
    said = pressed_button(written)
    assert said is not None
    assert (said.ref, said.place, said.vote) == (ref, place, vote)
    assert len(written) <= 2000


@pytest.mark.parametrize("body", [b"", b"{", b"{}x", b"[1]", b"null", b"\xff\xfe{", b'{"a": \xff}', b"payload=", b"payload=%5B1%5D", b"payload={", b"text=x", b"&" * 100, b"a=1&" * 1000, b'{"a":' * 5000, b'{"n": ' + b"9" * 5000 + b"}", command("x", user_id=""), event(mention(ts="")), event(mention(channel=None)), event(mention(channel="C1\x00")), interaction(press("yes:0:r", user=None)), interaction(shortcut({}, user={"id": 7}))])  # fmt: skip
def test_payloads_of_unknown_form_are_unreadable(body: bytes) -> None:
    with pytest.raises(RefusedRequest) as refused:
        read(body)
    assert refused.value.reason == "unreadable"


@pytest.mark.parametrize(
    "body",
    [
        b"ssl_check=1&token=x",
        interaction({"type": "view_submission", "user": {"id": "U1"}}),
        interaction({}),
        interaction(shortcut({"ts": None}, message_ts=None)),
        interaction(press("", actions=7)),
        b'{"type": 1e999}',
        b'{"type": NaN}',
    ],
)
def test_what_is_of_no_interest_is_acknowledged(body: bytes) -> None:
    assert read(body) == Nothing()


def test_characters_that_cannot_be_stored_are_replaced() -> None:
    asked = question(event(mention(f"<@{BOT}> a\x00b\ud800c")))
    assert asked.text == "a\ufffdb\ufffdc"
    assert question(command("a\x00b")).text == "a\ufffdb"
    assert question(command("").replace(b"text=", b"text=%FF%FE")).text == "\ufffd\ufffd"


def test_forty_thousand_characters_are_a_question_like_any_other() -> None:
    text = "x" * 40_000
    assert question(event(mention(text))).text == text
    assert question(command(text)).text == text


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from([BOT, "U1", "C1", "1.1"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
WHOLE = [
    json.loads(event(mention(files=[{"id": "F1"}], blocks=rich(piece("section", run("x"))), thread_ts="1.1"))),
    json.loads(event(direct(attachments=[{"text": "x", "fields": [{"title": "t", "value": "v"}]}]))),
    shortcut({"text": "x", "files": [{"id": "F1"}], "attachments": [{"blocks": []}]}),
    press("yes:0:ref"),
]


def spots(document: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a document."""
    inner = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    return [path, *(spot for key, one in inner for spot in spots(one, (*path, key)))]


@given(st.data())
def test_any_json_anywhere_is_read_or_refused(data: st.DataObject) -> None:
    document = json.loads(json.dumps(data.draw(st.sampled_from(WHOLE))))
    path = data.draw(st.sampled_from([spot for spot in spots(document) if spot]))
    holder = document
    for key in path[:-1]:
        holder = holder[key]
    if data.draw(st.booleans()):
        del holder[path[-1]]
    else:
        holder[path[-1]] = data.draw(JSON)
    body = json.dumps(document).encode() if "event" in document else interaction(document)
    said = read_or_refused(body)
    if isinstance(said, Question | ButtonClick):
        assert said.id
        assert said.who
        assert "\\u0000" not in json.dumps(said.target)


@given(st.binary(max_size=200))
def test_whatever_bytes_come_they_are_read_or_refused(body: bytes) -> None:
    read_or_refused(body)


def read_or_refused(body: bytes) -> InboundMessage | None:
    """What it says; None when it is unreadable. Nothing else may come of it."""
    try:
        return READER.read(WebhookRequest("POST", {}, {}, body))
    except RefusedRequest as refused:
        return None if refused.reason == "unreadable" else pytest.fail(refused.reason)
