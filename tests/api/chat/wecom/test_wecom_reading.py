"""What callbacks of WeCom say, as its documents show them."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.chat.platform import ButtonClick, Nothing, Question, RefusedRequest
from api.chat.wecom.reading import button, of_app, of_robot
from kb.store.model import Vote

URL = "https://qyapi.weixin.qq.com/cgi-bin/aibot/response?response_code=C"
BASE = {
    "msgid": "CAIQ",
    "aibotid": "B",
    "chatid": "C",
    "chattype": "group",
    "from": {"userid": "li"},
    "response_url": URL,
}
FILE = "https://ww-aibot.cos.ap-guangzhou.myqcloud.com/B/1?sign=q "
QUOTE = {"msgtype": "text", "text": {"content": "java.lang.OutOfMemoryError: Java heap space"}}
MIXED = {"msg_item": [{"msgtype": "text", "text": {"content": "@kb 这个"}}, {"msgtype": "image", "image": {"url": "u"}}, {"msgtype": "text", "text": {"content": "见过吗"}}]}  # fmt: skip

ROBOT: list[tuple[str, dict[str, Any], str, list[str]]] = [
    ("a text in a group", {"msgtype": "text", "text": {"content": "@kb NullPointerException"}}, "NullPointerException", []),
    ("the mention ends with a thin space", {"msgtype": "text", "text": {"content": "@知识库\u2005连接超时"}}, "连接超时", []),
    ("only the first mention is ours", {"msgtype": "text", "text": {"content": "@kb @Override fails"}}, "@Override fails", []),
    ("alone with the robot nobody is mentioned", {"chattype": "single", "msgtype": "text", "text": {"content": "@Override fails"}}, "@Override fails", []),
    ("a quote alone is the question", {"msgtype": "text", "text": {"content": "@kb "}, "quote": QUOTE}, QUOTE["text"]["content"], []),
    ("a quote under a remark", {"msgtype": "text", "text": {"content": "@kb 看看"}, "quote": QUOTE}, "看看\n\n" + QUOTE["text"]["content"], []),
    ("text and pictures", {"msgtype": "mixed", "mixed": MIXED}, "这个\n见过吗", []),
    ("what was spoken", {"chattype": "single", "msgtype": "voice", "voice": {"content": "连接超时"}}, "连接超时", []),
    ("a file", {"chattype": "single", "msgtype": "file", "file": {"url": FILE}}, "", [FILE.strip()]),
    ("a file that is quoted", {"msgtype": "text", "text": {"content": "@kb 看看"}, "quote": {"msgtype": "file", "file": {"url": FILE}}}, "看看", [FILE.strip()]),
    ("lines are kept", {"msgtype": "text", "text": {"content": "@kb a\n\tat b\n\tat c"}}, "a\n\tat b\n\tat c", []),
]  # fmt: skip


@pytest.mark.parametrize(("said", "text", "files"), [row[1:] for row in ROBOT], ids=[row[0] for row in ROBOT])
def test_what_a_robot_is_asked(said: dict[str, Any], text: str, files: list[str]) -> None:
    read = of_robot(json.dumps(BASE | said))
    assert read == Question("CAIQ", text, "li", {"robot": URL}, tuple({"url": url} for url in files))


NOTHING: list[dict[str, Any]] = [
    {"msgtype": "stream", "stream": {"id": "S"}},
    {"msgtype": "event", "event": {"eventtype": "enter_chat"}},
    {"msgtype": "image", "image": {"url": "u"}},
    {"msgtype": "text", "text": {"content": "@kb"}},
    {"msgtype": "text", "text": {"content": 5}},
    {"msgtype": "text", "text": []},
    {"msgtype": "mixed", "mixed": {"msg_item": "x"}},
    {"msgtype": "mixed", "mixed": {"msg_item": [1, None, {"msgtype": []}, {"msgtype": "mixed"}]}},
    {"msgtype": ["text"]},
    {"msgtype": "text", "text": {"content": "a"}, "msgid": ""},
    {"msgtype": "text", "text": {"content": "a"}, "msgid": 5},
    {"msgtype": "text", "text": {"content": "a"}, "response_url": None},
]


@pytest.mark.parametrize("said", NOTHING, ids=range(len(NOTHING)))
def test_what_asks_a_robot_nothing(said: dict[str, Any]) -> None:
    assert of_robot(json.dumps(BASE | said)) == Nothing()


HEAD = "<ToUserName><![CDATA[ww]]></ToUserName><FromUserName><![CDATA[li]]></FromUserName><CreateTime>1700000000</CreateTime>"
APP = [
    (
        "a text",
        "<MsgType>text</MsgType><Content><![CDATA[a <b> & c]]></Content><MsgId>12</MsgId><AgentID>7</AgentID>",
        Question("7:12", "a <b> & c", "li", {"user": "li"}),
    ),
    (
        "a file",
        "<MsgType>file</MsgType><MediaId><![CDATA[M_1-x]]></MediaId><FileName>a.log</FileName><MsgId>12</MsgId><AgentID>7</AgentID>",
        Question("7:12", "", "li", {"user": "li"}, ({"media": "M_1-x", "name": "a.log"},)),
    ),
    (
        "a button",
        "<MsgType>event</MsgType><Event>template_card_event</Event><EventKey>r3f:2:1</EventKey><TaskId>r3f-2</TaskId><ResponseCode>RC</ResponseCode><AgentID>7</AgentID>",
        ButtonClick("li:r3f-2:r3f:2:1:1700000000", "r3f", 2, Vote.YES, "li", {"pressed": "RC", "user": "li"}),
    ),
    (
        "a button of a card that cannot be changed",
        "<MsgType>event</MsgType><Event>template_card_event</Event><EventKey>r3f:0:0</EventKey><TaskId>t</TaskId>",
        ButtonClick("li:t:r3f:0:0:1700000000", "r3f", 0, Vote.NO, "li", {}),
    ),
    ("a picture", "<MsgType>image</MsgType><MediaId>M</MediaId><MsgId>1</MsgId>", Nothing()),
    ("a blank", "<MsgType>text</MsgType><Content> </Content><MsgId>1</MsgId>", Nothing()),
    ("no id", "<MsgType>text</MsgType><Content>a</Content>", Nothing()),
    ("a path for a file", "<MsgType>file</MsgType><MediaId>../a?b</MediaId><MsgId>1</MsgId>", Nothing()),
    ("somebody comes in", "<MsgType>event</MsgType><Event>enter_agent</Event>", Nothing()),
]
KEYS = ["", "r3f", "r3f:1", "r3f:1:1:1", ":1:1", "r3f:-1:1", "r3f:1:2", "r3f:x:1", "r3f:１:1", "r3f:9999:1"]


@pytest.mark.parametrize(("inside", "said"), [row[1:] for row in APP], ids=[row[0] for row in APP])
def test_what_an_app_is_told(inside: str, said: object) -> None:
    assert of_app(f"<xml>{HEAD}{inside}</xml>") == said


@pytest.mark.parametrize("key", KEYS)
def test_a_button_that_is_not_ours(key: str) -> None:
    inside = f"<MsgType>event</MsgType><Event>template_card_event</Event><EventKey>{key}</EventKey>"
    assert of_app(f"<xml>{HEAD}{inside}</xml>") == Nothing()


@given(st.from_regex(r"[A-Za-z0-9_-]{1,43}", fullmatch=True), st.integers(0, 999), st.sampled_from(Vote))
def test_a_button_comes_back_as_it_went(ref: str, place: int, vote: Vote) -> None:
    inside = (
        f"<MsgType>event</MsgType><Event>template_card_event</Event><EventKey>{button(ref, place, vote)}</EventKey>"
    )
    said = of_app(f"<xml>{HEAD}{inside}</xml>")
    assert isinstance(said, ButtonClick)
    assert (said.ref, said.place, said.vote) == (ref, place, vote)


HOSTILE = [
    '<!DOCTYPE a [<!ENTITY x "y">]><xml><MsgType>&x;</MsgType></xml>',
    '<!DOCTYPE a SYSTEM "file:///etc/passwd"><xml/>',
    "<xml>",
    "\x00",
    "<a>" * 100_000,
    "",
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_xml_that_is_none_or_wants_more_is_refused(text: str) -> None:
    with pytest.raises(RefusedRequest, match="unreadable"):
        of_app(text)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["msgtype", "text", "content", "quote", "mixed", "msg_item", "file", "url", "from", "userid"]), inner, max_size=5),
    max_leaves=12,
)  # fmt: skip


@given(st.dictionaries(st.sampled_from(["msgid", "msgtype", "text", "quote", "mixed", "voice", "file", "from", "chattype", "response_url", "event"]), _JSON))  # fmt: skip
def test_any_json_is_a_question_or_nothing(said: dict[str, Any]) -> None:
    assert isinstance(of_robot(json.dumps(said)), Question | Nothing)
