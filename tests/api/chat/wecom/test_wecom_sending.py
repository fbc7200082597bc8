"""What is sent to WeCom, with a process that answers as WeCom does: once, also when WeCom fails; and nowhere else."""

import base64
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from api.chat.platform import Fetched, PermanentError, Question, RetryableError
from api.chat.posting import FILE
from api.chat.wecom import Wecom, WecomSettings, make
from index.answer import Verdict
from tests.api.chat.acting import Act, acted
from tests.api.chat.fakes.fake import RETRY_AFTER, Running, running
from tests.api.chat.told import told
from tests.api.chat.wecom.calls import AES_KEY, CORP, TOKEN, padded, raw_encrypted

MESSAGE = told(Verdict.KNOWN, "zh")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running("tests.api.chat.fakes.wecom", tmp_path_factory.mktemp("wecom") / "fake.log") as started:
        yield started


@pytest.fixture
def fake(server: Running) -> Running:
    server.reset()
    return server


def wecom(url: str, **other: object) -> Wecom:
    given = {"wecom_token": TOKEN, "wecom_aes_key": AES_KEY, "wecom_corp_id": CORP, "wecom_app_secret": "app-secret", "wecom_agent_id": 7, "wecom_group_keys": "ops=key-0000001, db = other-key", "wecom_api": url}  # fmt: skip
    made = make(WecomSettings(**(given | other)))  # type: ignore[arg-type]
    assert made is not None
    return made


def sent(target: dict[str, Any], message: Any = MESSAGE, *, is_again: bool = False) -> Act[Wecom]:
    return lambda platform, client: platform.send(message, target, client, is_again=is_again)


def robot(fake: Running, code: str = "C") -> dict[str, Any]:
    return {"robot": f"{fake.url}/cgi-bin/aibot/response?response_code={code}"}


def test_a_robot_answers_once_at_the_address_of_the_question(fake: Running) -> None:
    first, again = acted(wecom(fake.url), sent(robot(fake)), sent(robot(fake)))
    assert first is None
    assert isinstance(again, PermanentError)
    assert "may have been" not in str(again), "the first try did not break off"
    assert [list(shown["robot"]) for shown in fake.posted] == [["msgtype", "markdown"]]
    assert "根本原因" in fake.posted[0]["robot"]["markdown"]["content"]


def test_an_app_sends_text_and_buttons_and_each_once(fake: Running) -> None:
    assert acted(wecom(fake.url), sent({"user": "li"}), sent({"user": "li"})) == [None, None]
    assert [shown["msgtype"] for shown in fake.posted] == ["markdown", "template_card"]
    assert all((shown["touser"], shown["agentid"]) == ("li", 7) for shown in fake.posted)
    assert sum(call["path"] == "/cgi-bin/gettoken" for call in fake.seen) == 1


def test_nothing_known_has_no_buttons(fake: Running) -> None:
    acted(wecom(fake.url), sent({"user": "li"}, told(Verdict.UNKNOWN, "en")))
    assert [shown["msgtype"] for shown in fake.posted] == ["markdown"]


def test_what_is_known_again(fake: Running) -> None:
    """What the process was at when it died is sent again only where that is not seen."""
    platform = wecom(fake.url)
    known = [platform.sends_once(target, 0) for target in (robot(fake), {"user": "li"}, platform.channel("ops"))]
    assert known == [True, True, False]


def test_a_group_is_told_through_its_robot(fake: Running) -> None:
    platform = wecom(fake.url)
    assert acted(platform, sent(dict(platform.channel("ops")))) == [None]
    assert [shown["group"] for shown in fake.posted] == ["key-0000001"]
    with pytest.raises(ValueError, match="KB_WECOM_GROUP_KEYS"):
        platform.channel("nowhere")
    gone, refused = acted(platform, sent({"group": "was-removed"}), sent({"group": "db"}))
    assert "names no group" in str(gone)
    assert "93000" in str(refused)


@pytest.mark.parametrize("mode", ["429", "500", "dropped", "slow"])
@pytest.mark.parametrize("kind", ["robot", "user"])
def test_what_fails_once_is_posted_once_when_it_is_tried_again(mode: str, kind: str, fake: Running) -> None:
    target = robot(fake) if kind == "robot" else {"user": "li"}
    path = "/cgi-bin/aibot" if kind == "robot" else "/cgi-bin/message"
    fake.switch(mode, path=path, seconds=1.5)
    first, again = acted(wecom(fake.url), sent(target), sent(target, is_again=True), seconds=1.0)
    assert isinstance(first, RetryableError)
    assert first.seconds == (float(RETRY_AFTER) if mode == "429" else None)
    was_posted = mode in {"dropped", "slow"} and kind == "robot"
    assert isinstance(again, PermanentError) == was_posted
    assert ("may have been posted" in str(again)) == was_posted
    assert len(fake.posted) == (1 if kind == "robot" else 2)


@pytest.mark.parametrize(("mode", "failure"), [("429", RetryableError), ("503", RetryableError), ("500", PermanentError), ("posted-500", PermanentError), ("posted-html", PermanentError), ("dropped", PermanentError), ("slow", PermanentError)])  # fmt: skip
def test_what_a_group_may_have_is_not_sent_again(mode: str, failure: type[Exception], fake: Running) -> None:
    fake.switch(mode, seconds=1.5)
    first, again = acted(wecom(fake.url), sent({"group": "ops"}), sent({"group": "ops"}), seconds=1.0)
    assert isinstance(first, failure)
    assert ("may have been posted" in str(first)) == (failure is PermanentError)
    assert again is None


def test_wecom_that_is_down() -> None:
    url = "http://127.0.0.1:9"
    for target in ({"robot": f"{url}/x"}, {"user": "li"}, {"group": "ops"}):
        assert isinstance(acted(wecom(url), sent(target))[0], RetryableError)


@pytest.mark.parametrize(("code", "failure", "seconds"), [(-1, RetryableError, None), (45009, RetryableError, 60.0), (45033, RetryableError, 5.0), (60020, PermanentError, None), (301002, PermanentError, None), (99999, PermanentError, None)])  # fmt: skip
def test_what_codes_mean(code: int, failure: type[Exception], seconds: float | None, fake: Running) -> None:
    fake.note(busy=code)
    first, again = acted(wecom(fake.url), sent({"user": "li"}), sent({"user": "li"}))
    assert isinstance(first, failure)
    assert getattr(first, "seconds", None) == seconds
    assert str(code) in str(first)
    assert "secret words" not in str(first)
    assert again is None


def test_a_token_that_ran_out_is_renewed_once(fake: Running) -> None:
    platform = wecom(fake.url)
    acted(platform, sent({"user": "li"}))
    fake.note(token="another")
    assert acted(platform, sent({"user": "li"}, replace(MESSAGE, ref="other"))) == [None]
    assert sum(call["path"] == "/cgi-bin/gettoken" for call in fake.seen) == 2
    assert len(fake.posted) == 4


def test_a_token_is_renewed_before_it_runs_out(fake: Running) -> None:
    fake.note(expires=300)
    acted(wecom(fake.url), sent({"user": "li"}))
    assert sum(call["path"] == "/cgi-bin/gettoken" for call in fake.seen) == 2


def test_who_cannot_be_answered(fake: Running) -> None:
    assert "40001" in str(acted(wecom(fake.url, wecom_app_secret="wrong"), sent({"user": "li"}))[0])
    assert "81013" in str(acted(wecom(fake.url), sent({"user": "stranger"}))[0])
    assert "KB_WECOM_APP_SECRET" in str(acted(wecom(fake.url, wecom_agent_id=None), sent({"user": "li"}))[0])
    assert isinstance(acted(wecom(fake.url), sent({"elsewhere": "li"}))[0], PermanentError)


ELSEWHERE = ["http://127.0.0.1:1/x", "https://evil.example/x", "file:///etc/passwd", "//x", "https://qyapi.weixin.qq.com.evil.example/", "https://qyapi.weixin.qq.com@evil.example/", "http://qyapi.weixin.qq.com/", "https://qyapi.weixin.qq.com:8443/", "https://evil.example\\@qyapi.weixin.qq.com/", "", "https://[", "https://qyapi.weixin.qq.com:99999/"]  # fmt: skip


@pytest.mark.parametrize("url", ELSEWHERE)
def test_nothing_is_sent_or_fetched_elsewhere(url: str) -> None:
    platform = wecom("https://qyapi.weixin.qq.com")
    asked = Question("1", "", "li", {}, ({"url": url},))
    posted, fetched = acted(platform, sent({"robot": url}), lambda it, client: it.fetch(asked, client))
    assert isinstance(posted, PermanentError)
    assert fetched.text == ""
    assert len(fetched.unread) == 1


def test_thanks_take_the_place_of_the_buttons(fake: Running) -> None:
    target = {"pressed": "RC", "user": "li"}
    assert acted(wecom(fake.url), lambda it, client: it.thank("谢谢", target, client)) == [None]
    assert fake.posted == [{"changed": {"userids": ["li"], "response_code": "RC", "button": {"replace_name": "谢谢"}, "agentid": 7}}]  # fmt: skip
    assert acted(wecom(fake.url), lambda it, client: it.thank("谢谢", {}, client)) == [None]


def test_files_of_an_app_and_of_a_robot_are_read(fake: Running) -> None:
    text = "java.lang.OutOfMemoryError: Java heap space\n堆内存\n"
    platform = wecom(fake.url)
    fake.note(file=text.encode("gb18030").hex())
    by_app = Question("1", "", "li", {}, ({"media": "M"},))
    assert acted(platform, lambda it, client: it.fetch(by_app, client)) == [Fetched(text)]
    fake.note(file=base64.b64decode(raw_encrypted(padded(text.encode()))).hex())
    by_robot = Question("1", "", "li", {}, ({"url": f"{fake.url}/file"},))
    assert acted(platform, lambda it, client: it.fetch(by_robot, client)) == [Fetched(text)]
    gone = Question("1", "", "li", {}, ({"media": "GONE"},))
    assert acted(platform, lambda it, client: it.fetch(gone, client)) == [Fetched(unread=("GONE",))]
    fake.note(file=b"not encrypted at all".hex())
    assert acted(platform, lambda it, client: it.fetch(by_robot, client)) == [Fetched(unread=("file",))]
    fake.note(file=(b"\x89PNG\r\n\x1a\n" + bytes(64)).hex())
    both = Question("1", "", "li", {}, ({"media": "M", "name": "a.png"}, {"media": "N", "name": "b.png"}))
    assert acted(platform, lambda it, client: it.fetch(both, client)) == [Fetched(unread=("a.png", "b.png"))]


def test_of_a_large_file_the_beginning_is_read(fake: Running) -> None:
    line = "\tat com.example.Ledger.b(A.java)\n"
    text = line * (FILE // len(line) + 1000)
    for named, data in (
        ({"media": "M"}, text.encode()),
        ({"url": f"{fake.url}/file"}, base64.b64decode(raw_encrypted(padded(text.encode())))),
    ):
        fake.note(file=data.hex())
        asked = Question("1", "", "li", {}, (named,))
        [read] = acted(wecom(fake.url), lambda it, client, asked=asked: it.fetch(asked, client))
        assert text.startswith(read.text)
        assert len(read.text) == FILE
        assert len(read.cut) == 1


def test_the_same_question_twice_has_two_answers(fake: Running) -> None:
    """WeCom swallows an app's text that says the same as an earlier one, so each has its number."""
    unknown = told(Verdict.UNKNOWN, "en")
    acted(wecom(fake.url), sent({"user": "li"}, unknown), sent({"user": "li"}, replace(unknown, ref="second")))
    assert len(fake.posted) == 2


def test_what_is_asked_of_a_private_deployment_goes_there(fake: Running) -> None:
    """KB_WECOM_API moves everything; the file hosts of WeCom stay."""
    acted(wecom(fake.url), sent({"user": "li"}))
    assert {call["path"] for call in fake.seen} == {"/cgi-bin/gettoken", "/cgi-bin/message/send"}
    with pytest.raises(ValueError, match="https"):
        wecom("http://wecom.example")
