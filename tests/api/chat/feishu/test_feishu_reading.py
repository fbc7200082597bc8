"""What calls of Feishu say: every form of a message and of a press, and nothing that breaks us."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.chat.compose import words_of
from api.chat.feishu.card import card
from api.chat.feishu.reading import read, written
from api.chat.platform import ButtonClick, Nothing, Question, RefusedRequest, UrlVerification
from index.answer import Verdict
from kb.store.model import Vote
from tests.api.chat.feishu.calls import event, pressed, received
from tests.api.chat.told import told

MESSAGE_SENT = told(Verdict.KNOWN, "zh")
MESSAGE = "om_5ce6d572455d361153b7cb51da133945"
TRACE = "java.lang.NullPointerException: null\n\tat com.acme.Shop.pay(Shop.java:7)"


def text_of(said: Any) -> str:
    found = read(said)
    assert isinstance(found, Question), found
    return found.text


def test_a_mention_in_a_group_is_a_question() -> None:
    assert read(received({"text": f"@_user_1 {TRACE}"})) == Question(
        MESSAGE,
        TRACE,
        "ou_84aad35d084aa403a838cf73ee18467",
        {"message": MESSAGE, "chat": "oc_5ce6d572455d361153b7xx51da133945", "is_group": True},
    )


def test_everything_that_is_written_to_the_robot_alone_is_a_question() -> None:
    found = read(received({"text": "checkpoint 超时"}, chat="p2p"))
    assert isinstance(found, Question)
    assert (found.text, found.target["is_group"]) == ("checkpoint 超时", False)


POST = {
    "title": "线上报错",
    "content": [
        [{"tag": "at", "user_id": "@_user_1", "user_name": "kb"}, {"tag": "text", "text": " 请看："}],
        [{"tag": "img", "image_key": "img_1"}],
        [{"tag": "code_block", "language": "JAVA", "text": TRACE}],
        [{"tag": "text", "text": "a &lt; b", "un_escape": True}, {"tag": "text", "text": " a &lt; b"}, {"tag": "a", "text": "工单", "href": "https://x.example"}],
        [{"tag": "hr"}],
        [{"tag": "emotion", "emoji_type": "SMILE"}],
    ],
}  # fmt: skip


@pytest.mark.parametrize("content", [POST, {"zh_cn": POST}], ids=["flat", "in a language"])
def test_a_rich_text(content: Any) -> None:
    assert text_of(received(content, "post")) == f"线上报错\n 请看：\n\n{TRACE}\n\na < b a &lt; b工单"


MENTIONS = [
    ("only what stands in the list goes", "@_user_1 a @_user_2 @_user_12 @_all b", "a @_user_2 @_user_12  b"),
    ("a longer number is another", "@_user_1@_user_10 x", "@_user_10 x"),
    ("glued to a word", "@_user_1NullPointerException", "@_user_1NullPointerException"),
    ("in the middle", "why @_user_1 this", "why  this"),
]


@pytest.mark.parametrize(("typed", "kept"), [row[1:] for row in MENTIONS], ids=[row[0] for row in MENTIONS])
def test_mentions_are_taken_out(typed: str, kept: str) -> None:
    assert text_of(received({"text": typed})) == kept


def test_a_file_is_read_later() -> None:
    found = read(received({"file_key": "file_v3_0", "file_name": "thread dump.txt"}, "file", chat="p2p"))
    assert isinstance(found, Question)
    assert (found.text, found.files) == ("", ({"message": MESSAGE, "key": "file_v3_0", "name": "thread dump.txt"},))


def test_what_was_forwarded_together_is_read_later() -> None:
    found = read(received({"content": "Merged and Forwarded Message"}, "merge_forward", chat="p2p"))
    assert isinstance(found, Question)
    assert found.files == ({"message": MESSAGE},)


@pytest.mark.parametrize("typed", ["@_user_1", "@_user_1 ", "@_user_1 ?", "@_user_1 ？？！"])
def test_a_mention_alone_under_a_message_asks_about_that_one(typed: str) -> None:
    found = read(received({"text": typed}, parent_id="om_parent", root_id="om_root"))
    assert isinstance(found, Question)
    assert (found.text, found.files, found.target["message"]) == ("", ({"message": "om_parent"},), MESSAGE)


def test_a_question_under_a_message_asks_what_it_says() -> None:
    found = read(received({"text": "@_user_1 why does it hang"}, parent_id="om_parent"))
    assert isinstance(found, Question)
    assert (found.text, found.files) == ("why does it hang", ())


NOTHING = [
    ("a mention alone", received({"text": "@_user_1"})),
    ("nobody is mentioned", received({"text": "hello"}, mentions=[])),
    ("only people are mentioned", received({"text": "@_user_1 hi"}, mentions=[{"key": "@_user_1", "mentioned_type": "user"}])),
    ("everybody is mentioned", received({"text": "@_all hi"}, mentions=[{"key": "@_all", "id": {}, "name": "所有人"}])),
    ("a picture", received({"image_key": "img_1"}, "image", chat="p2p")),
    ("a voice", received({"file_key": "f", "duration": 1}, "audio", chat="p2p")),
    ("a file without a key", received({"file_name": "x"}, "file", chat="p2p")),
    ("content that is no JSON", received("hello", chat="p2p")),
    ("content that is too deep", received("[" * 100_000, chat="p2p")),
    ("another event", event("im.message.message_read_v1", {})),
    ("a message of an app", event("im.message.receive_v1", {"sender": {"sender_type": "app"}, "message": {"message_id": "om_1", "chat_type": "p2p", "message_type": "text", "content": '{"text": "x"}'}})),
    ("a button of another card", pressed({"action": "approve"})),
    ("a button with a text", pressed("approve")),
    ("a place that is none", pressed({"ref": "r", "place": -1, "vote": "yes"})),
    ("a place far away", pressed({"ref": "r", "place": 10**30, "vote": "yes"})),
    ("a vote that is none", pressed({"ref": "r", "place": 0, "vote": "maybe"})),
    ("a ref that is none", pressed({"ref": "../etc", "place": 0, "vote": "yes"})),
    ("nobody pressed", pressed({"ref": "r", "place": 0, "vote": "yes"}, operator={})),
    ("an event of the first version", {"uuid": "u", "type": "event_callback", "event": {"type": "app_open"}}),
]  # fmt: skip


@pytest.mark.parametrize("said", [row[1] for row in NOTHING], ids=[row[0] for row in NOTHING])
def test_events_that_are_ignored(said: Any) -> None:
    assert read(said) == Nothing()


def test_newer_events_say_that_a_robot_is_mentioned() -> None:
    assert text_of(received({"text": "@_user_1 hi"}, mentions=[{"key": "@_user_1", "mentioned_type": "bot"}])) == "hi"


@pytest.mark.parametrize("said", [{}, {"schema": "2.0"}, {"schema": "2.0", "header": []}, {"type": "?"}, received({"text": "x"}, message_id="../../x"), received({"text": "@_user_1 x"}, message_id=7)])  # fmt: skip
def test_payloads_of_unknown_form_are_unreadable(said: Any) -> None:
    with pytest.raises(RefusedRequest, match="unreadable"):
        read(said)


@pytest.mark.parametrize("challenge", ["abc123", 'a"b', "挑战\ud800"])
def test_a_check_is_answered(challenge: str) -> None:
    found = read({"type": "url_verification", "token": "t", "challenge": challenge})
    assert isinstance(found, UrlVerification)
    assert json.loads(found.reply.body)["challenge"] == challenge.replace("\ud800", "\ufffd")


@pytest.mark.parametrize("wrap", [lambda value: value, json.dumps], ids=["as it is", "as a text"])
@pytest.mark.parametrize(("vote", "toast"), [("yes", "success"), ("no", "info")])
def test_a_press(wrap: Any, vote: str, toast: str) -> None:
    found = read(pressed(wrap({"ref": "Ab_-9", "place": 2, "vote": vote})))
    assert isinstance(found, ButtonClick)
    assert (found.id, found.ref, found.place, found.vote, found.who) == (
        "5e3702a84e847582be8db7fb73283c02",
        "Ab_-9",
        2,
        Vote[vote.upper()],
        "ou_lisi",
    )
    shown = json.loads(found.reply.body)["toast"]
    assert shown["type"] == toast
    assert set(shown["i18n"]) == {"zh_cn", "en_us"}
    assert found.expired
    gone = json.loads(found.expired.body)
    assert (gone.keys(), gone["toast"]["type"]) == ({"toast"}, "warning")
    assert gone["toast"]["content"] == "这条回答已过期，未作记录"
    assert gone["toast"]["i18n"] == {"zh_cn": gone["toast"]["content"], "en_us": words_of("en")("chat_gone")}
    assert found.redrawn
    drawn = json.loads(found.redrawn(MESSAGE_SENT).body)
    assert drawn == {"toast": shown, "card": {"type": "raw", "data": card(MESSAGE_SENT, found.vote)}}


def test_a_press_without_an_event_has_a_name_of_its_own() -> None:
    said = pressed({"ref": "r", "place": 0, "vote": "yes"})
    del said["header"]["event_id"]
    first, again = read(said), read(said)
    said["event"]["operator"] = {"open_id": "ou_other"}
    other = read(said)
    assert isinstance(first, ButtonClick)
    assert isinstance(other, ButtonClick)
    assert first == again
    assert first.id != other.id


def test_a_press_on_an_old_card() -> None:
    value = {"ref": "r", "place": 0, "vote": "no"}
    said = {"open_id": "ou_1", "user_id": "u", "open_message_id": "om_1", "tenant_key": "t", "token": "c-9", "action": {"value": value, "tag": "button"}}  # fmt: skip
    found = read(said)
    assert isinstance(found, ButtonClick)
    assert (found.id, found.vote, found.who, found.target) == ("c-9", Vote.NO, "ou_1", {"message": "om_1"})
    assert found.redrawn is None
    assert found.expired
    assert json.loads(found.expired.body)["toast"]["type"] == "warning"


def old(**more: Any) -> Any:
    said = {"type": "message", "app_id": "cli_1", "open_chat_id": "oc_1", "chat_type": "group", "msg_type": "text", "open_id": "ou_1", "open_message_id": "om_1", "is_mention": True, "text": '<at open_id="ou_x">@kb</at> boom', "text_without_at_bot": " boom"}  # fmt: skip
    return {"uuid": "4116", "token": "t", "ts": "1550038112.1", "type": "event_callback", "event": said | more}


def test_the_first_version() -> None:
    assert read(old()) == Question("om_1", "boom", "ou_1", {"message": "om_1", "chat": "oc_1", "is_group": True})
    assert text_of(old(msg_type="post", title="报错", text_without_at_bot="boom")) == "报错\nboom"
    found = read(old(chat_type="private", msg_type="file", file_key="file_1", text_without_at_bot=""))
    assert isinstance(found, Question)
    assert found.files[0]["key"] == "file_1"
    assert read(old(is_mention=False)) == Nothing()


CARD = {
    "title": "FIRING: FlinkJobFailed",
    "elements": [
        [{"tag": "text", "text": "job "}, {"tag": "a", "text": "orders", "href": "https://x"}, {"tag": "at", "user_id": "ou_9", "user_name": "张三"}],
        [{"tag": "button", "text": "静默"}, {"tag": "button", "text": {"tag": "plain_text", "content": "静默"}}, {"tag": "img", "image_key": "i"}],
        [{"tag": "note", "elements": [{"tag": "text", "text": TRACE}]}],
        {"tag": "div", "text": {"tag": "lark_md", "content": "**severity** page"}},
        {"tag": "column_set", "columns": [{"tag": "column", "elements": [{"tag": "markdown", "content": "c1"}]}, {"tag": "column", "elements": [{"tag": "plain_text", "content": "c2"}]}]},
    ],
}  # fmt: skip


def test_cards_of_others_are_read() -> None:
    assert (
        written("interactive", CARD) == f"FIRING: FlinkJobFailed\njob orders@张三\n{TRACE}\n**severity** page\nc1\nc2"
    )


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(st.sampled_from(["tag", "text", "content", "elements", "columns", "title", "key", "ref", "place", "vote"]), inner, max_size=4),
    max_leaves=20,
)  # fmt: skip


@given(content=JSON, more=st.dictionaries(st.sampled_from(["message_id", "parent_id", "chat_id", "chat_type", "message_type", "mentions", "content"]), JSON), kind=st.sampled_from(["text", "post", "file", "interactive", "merge_forward"]))  # fmt: skip
def test_hostile_messages_break_nothing(content: Any, more: dict[str, Any], kind: str) -> None:
    written(kind, content if isinstance(content, dict) else {})
    try:
        found = read(
            event(
                "im.message.receive_v1", {"sender": {}, "message": received(content, kind)["event"]["message"] | more}
            )
        )
    except RefusedRequest:
        return
    assert isinstance(found, Question | Nothing)
    if isinstance(found, Question):
        found.text.encode()
        assert "\x00" not in found.text


@given(value=JSON, action=JSON, operator=JSON)
def test_hostile_presses_break_nothing(value: Any, action: Any, operator: Any) -> None:
    for said in (pressed(value), pressed({}, action=action), pressed({"ref": "r", "place": 0, "vote": "yes"}, operator=operator), event("card.action.trigger", action if isinstance(action, dict) else {})):  # fmt: skip
        assert isinstance(read(said), ButtonClick | Nothing)
