"""What calls of DingTalk say: every kind of message, quoted ones, and nothing that breaks us."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.chat.dingtalk.reading import QUIET, Expected, read
from api.chat.platform import Nothing, Question, RefusedRequest, WebhookRequest
from tests.api.chat.dingtalk.calls import received, signed

ANY = Expected()
TRACE = "java.lang.NullPointerException: null\n\tat com.acme.Shop.pay(Shop.java:7)"


def said(document: Any, expected: Expected = ANY) -> Any:
    return read(signed(document), expected)


def question(document: Any) -> Question:
    found = said(document)
    assert isinstance(found, Question), found
    return found


def test_a_message_is_a_question() -> None:
    assert said(received("text", f" {TRACE} ")) == Question(
        "msg0abc+/=",
        TRACE,
        "user123",
        {
            "webhook": "https://oapi.dingtalk.com/robot/sendBySession?session=xxxxx",
            "until": 1613635652738,
            "chat": "cid6KeBBLoveMJOGXoYKF5x7EeiodoA==",
            "is_group": True,
            "staff": "user123",
            "robot": "dingue4kfzdxbynxxxxxx",
        },
        (),
        QUIET,
    )


def test_the_shared_vector_is_a_question(vectors: dict[str, Any]) -> None:
    """It has no id, no sender, and nowhere to answer to; two deliveries of it are one question all the same."""
    body = vectors["dingtalk"]["body"]
    found, again = question(body), question(body)
    assert found.text == "NullPointerException"
    assert found.id == again.id != question({**body, "text": {"content": "another"}}).id


def test_a_single_chat() -> None:
    found = question(received("text", "超时", conversationType="1", senderStaffId=""))
    assert (found.who, found.target["is_group"]) == ("$:LWCP_v1:$Ff09GI", False)


RICH = {"richText": [{"text": "线上报错\n"}, {"downloadCode": "x", "type": "picture"}, {"text": TRACE}, {"text": ""}]}


def test_a_rich_text() -> None:
    assert question(received("richText", RICH)).text == f"线上报错\n{TRACE}"


def test_what_was_spoken_comes_as_words() -> None:
    assert question(received("audio", {"recognition": "检查点超时", "downloadCode": "x"})).text == "检查点超时"


def test_a_file_is_read_later() -> None:
    found = question(received("file", {"downloadCode": "mIof+/=", "fileName": "dump.txt"}))
    assert (found.text, found.files) == ("", ({"code": "mIof+/=", "name": "dump.txt"},))


def quoting(typed: str, content: Any, kind: str = "text") -> dict[str, Any]:
    replied = {"msgType": kind, "msgId": "m", "senderId": "s", "content": content}
    return received("text", None, text={"content": typed, "isReplyMsg": True, "repliedMsg": replied})


QUOTED = [
    ("text", {"text": TRACE}, TRACE),
    ("bare text", TRACE, TRACE),
    ("rich text", {"richText": [{"msgType": "text", "content": "a"}, {"type": "text", "text": "b"}, {"type": "picture", "downloadCode": "x"}]}, "a\nb"),
    ("spoken", {"recognition": "超时", "downloadCode": "x"}, "超时"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "expected"), [row[1:] for row in QUOTED], ids=[row[0] for row in QUOTED])
def test_a_mention_alone_under_a_message_asks_about_that_one(content: Any, expected: str) -> None:
    assert question(quoting(" ？ ", content)).text == expected


def test_a_quoted_file_is_read_later() -> None:
    found = question(quoting("", {"downloadCode": "c", "fileName": "a.log"}, "file"))
    assert (found.text, found.files) == ("", ({"code": "c", "name": "a.log"},))


def test_a_question_under_a_message_asks_what_it_says() -> None:
    assert question(quoting("why does it hang", {"text": TRACE})).text == "why does it hang"


NOTHING = [
    ("a mention alone", received("text", "  ")),
    ("a picture", received("picture", {"downloadCode": "x"})),
    ("a film", received("video", {"downloadCode": "x"})),
    ("a kind of tomorrow", received("hologram", {})),
    ("a quoted picture", quoting("", {"downloadCode": "x"}, "picture")),
    ("a quoted card", quoting("", None, "interactiveCard")),
    ("a file without a code", received("file", {"fileName": "x"})),
]


@pytest.mark.parametrize("document", [row[1] for row in NOTHING], ids=[row[0] for row in NOTHING])
def test_events_that_are_ignored(document: Any) -> None:
    assert said(document) == Nothing(QUIET)


def test_the_response_says_nothing_in_the_chat() -> None:
    assert json.loads(QUIET.body) == {"msgtype": "empty"}


@pytest.mark.parametrize("expected", [Expected(robot="other"), Expected(corp="other"), Expected("dingue4kfzdxbynxxxxxx", "other")])  # fmt: skip
def test_calls_for_another_robot_are_refused(expected: Expected) -> None:
    with pytest.raises(RefusedRequest, match="signature"):
        said(received("text", "boom"), expected)


def test_calls_for_ours_are_not() -> None:
    assert isinstance(said(received("text", "boom"), Expected("dingue4kfzdxbynxxxxxx", "dinge8a565")), Question)


@pytest.mark.parametrize("body", [b"", b"\x00", b"[]", b"{}", b"[" * 100_000, b'{"msgtype": 1}', b"\xff"])
def test_payloads_of_unknown_form_are_unreadable(body: bytes) -> None:
    with pytest.raises(RefusedRequest, match="unreadable"):
        read(signed(body), ANY)


def test_ids_that_are_none_are_left_out() -> None:
    found = question(received("text", "x", conversationId="a b", senderStaffId=5, robotCode="é", msgId="\x00", sessionWebhookExpiredTime="soon"))  # fmt: skip
    assert found.id.startswith("sha256:")
    assert found.who == "$:LWCP_v1:$Ff09GI"
    assert (found.target["chat"], found.target["robot"], found.target["until"]) == ("", "", 0)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(st.sampled_from(["text", "content", "richText", "repliedMsg", "downloadCode", "fileName", "recognition"]), inner, max_size=4),
    max_leaves=20,
)  # fmt: skip
KEYS = ["msgId", "text", "content", "sessionWebhook", "sessionWebhookExpiredTime", "conversationId", "conversationType", "senderStaffId", "robotCode"]  # fmt: skip


@given(
    more=st.dictionaries(st.sampled_from(KEYS), JSON), kind=st.sampled_from(["text", "richText", "file", "audio", "?"])
)
def test_hostile_messages_break_nothing(more: dict[str, Any], kind: str) -> None:
    document = received(kind, "x") | more
    found = read(WebhookRequest("POST", {}, {}, json.dumps(document).encode()), ANY)
    assert isinstance(found, Question | Nothing)
    if isinstance(found, Question):
        json.dumps([found.text, found.who, found.target, found.files], ensure_ascii=False).encode()
