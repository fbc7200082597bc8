"""What is asked of Feishu, with a process that answers as Feishu does: answers are posted once, also when Feishu fails."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from api.chat import feishu
from api.chat.feishu import FeishuSettings, sending
from api.chat.feishu.card import card
from api.chat.feishu.sending import LATER, NEVER, STALE, once
from api.chat.platform import Fetched, PermanentError, Platform, Question, RetryableError
from api.chat.posting import FILE
from index.answer import Verdict
from tests.api.chat.acting import Act, acted
from tests.api.chat.fakes.fake import RETRY_AFTER, Running, running
from tests.api.chat.fakes.feishu import APP
from tests.api.chat.told import told

MESSAGE = told(Verdict.KNOWN, "zh")
GROUP = {"message": "om_1", "chat": "oc_1", "is_group": True}
ALONE = {"message": "om_2", "chat": "oc_2", "is_group": False}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running("tests.api.chat.fakes.feishu", tmp_path_factory.mktemp("feishu") / "fake.log") as started:
        yield started


@pytest.fixture
def fake(server: Running) -> Running:
    server.reset()
    return server


def platform(url: str, **other: object) -> Platform:
    given = {"feishu_app_id": APP["app_id"], "feishu_app_secret": APP["app_secret"], "feishu_encrypt_key": "k", "feishu_api": url}  # fmt: skip
    made = feishu.make(FeishuSettings(**(given | other)))  # type: ignore[arg-type]
    assert made is not None
    return made


def sent(target: dict[str, Any], message: Any = MESSAGE) -> Act[Platform]:
    return lambda made, client: made.send(message, target, client)


def fetched(*files: dict[str, Any]) -> Act[Platform]:
    return lambda made, client: made.fetch(Question("om_1", "", "ou_1", GROUP, files), client)


def test_in_groups_the_answer_goes_into_a_thread(fake: Running) -> None:
    assert acted(platform(fake.url), sent(GROUP), sent(ALONE)) == [None, None]
    assert [(one["message"], one["thread"]) for one in fake.posted] == [("om_1", True), ("om_2", False)]
    assert fake.posted[0]["card"] == fake.posted[1]["card"] == card(MESSAGE)


def test_where_there_can_be_no_thread_it_goes_beside_the_question(fake: Running) -> None:
    fake.note(no_thread=True)
    assert acted(platform(fake.url), sent(GROUP)) == [None]
    assert [(one["message"], one["thread"]) for one in fake.posted] == [("om_1", False)]


def test_a_message_without_a_thread_goes_to_the_chat_or_the_person(fake: Running) -> None:
    made = platform(fake.url)
    assert acted(made, sent(dict(made.channel("oc_9a"))), sent(dict(made.channel("ou_7b")))) == [None, None]
    assert [(one["chat"], one["kind"]) for one in fake.posted] == [("oc_9a", "chat_id"), ("ou_7b", "open_id")]


@pytest.mark.parametrize("name", ["", "general", "oc_", "oc_../x", "oc_a b", "#oc_1", "oc_é"])
def test_other_names_are_no_chats(name: str) -> None:
    with pytest.raises(ValueError, match="oc_"):
        platform("https://open.feishu.cn").channel(name)


def test_a_token_is_asked_for_once_and_again_when_it_is_refused(fake: Running) -> None:
    made = platform(fake.url)
    assert acted(made, sent(GROUP), sent(ALONE)) == [None, None]
    fake.note(revoked=["t-1"])
    assert acted(made, sent(GROUP, told(Verdict.UNKNOWN, "en"))) == [None]
    assert [call["path"].rpartition("/")[2] for call in fake.seen] == ["internal", "reply", "reply", "reply", "internal", "reply"]  # fmt: skip


def test_a_token_that_is_refused_twice_is_an_end(fake: Running) -> None:
    fake.note(revoked=[f"t-{number}" for number in range(9)])
    (found,) = acted(platform(fake.url), sent(GROUP))
    assert isinstance(found, PermanentError)
    assert "99991663" in str(found)
    assert len(fake.seen) == 4


def test_wrong_credentials_are_an_end_that_says_so(fake: Running) -> None:
    (found,) = acted(platform(fake.url, feishu_app_secret="wrong"), sent(GROUP))
    assert isinstance(found, PermanentError)
    assert "App Secret" in str(found)
    assert "wrong" not in str(found).split("(")[1]


def test_what_is_sent_again_is_posted_once(fake: Running) -> None:
    fake.switch("dropped", path="/open-apis/im")
    first, second = acted(platform(fake.url), sent(GROUP), sent(GROUP))
    assert isinstance(first, RetryableError)
    assert second is None
    assert len(fake.posted) == 1
    names = {json.loads(call["body"])["uuid"] for call in fake.seen if call["path"].endswith("/reply")}
    assert names == {once(MESSAGE.ref, "om_1")}


def test_slow_is_later(fake: Running) -> None:
    made = platform(fake.url)
    assert acted(made, sent(ALONE)) == [None]
    fake.switch("slow", path="/open-apis/im", seconds=1.5)
    first, second = acted(made, sent(GROUP), sent(GROUP), seconds=1.0)
    assert isinstance(first, RetryableError)
    assert second is None
    assert [one["message"] for one in fake.posted] == ["om_2", "om_1"]


@pytest.mark.parametrize("path", ["/open-apis/im", "/open-apis/auth"])
@pytest.mark.parametrize(("mode", "seconds"), [("500", None), ("429", float(RETRY_AFTER))])
def test_trouble_is_later(fake: Running, mode: str, seconds: float | None, path: str) -> None:
    fake.switch(mode, path=path)
    first, second = acted(platform(fake.url), sent(GROUP), sent(GROUP))
    assert isinstance(first, RetryableError)
    assert first.seconds == seconds
    assert second is None
    assert len(fake.posted) == 1


def test_too_many_requests_in_the_older_form(fake: Running) -> None:
    fake.note(limit=52)
    (found,) = acted(platform(fake.url), sent(GROUP))
    assert isinstance(found, RetryableError)
    assert found.seconds == 52


def test_down_is_later() -> None:
    (found,) = acted(platform("http://127.0.0.1:9"), sent(GROUP))
    assert isinstance(found, RetryableError)


@pytest.mark.parametrize("code", sorted({*LATER, *NEVER, *STALE, 4711}))
def test_codes(code: int) -> None:
    with pytest.raises(RetryableError if code in LATER else PermanentError, match=str(code)):
        sending._is_well({"code": code}, httpx.Response(400), "answering", renewable=False)


@pytest.mark.parametrize(("code", "expected"), [(230020, RetryableError), (230002, PermanentError)])
def test_a_code_of_an_answer_is_looked_up(fake: Running, code: int, expected: type) -> None:
    fake.note(code=code)
    (found,) = acted(platform(fake.url), sent(ALONE))
    assert isinstance(found, expected)
    assert fake.posted == []


@pytest.mark.parametrize("said", [{}, {"code": "x"}, {"code": None}, {"code": True}])
def test_an_answer_without_a_code_is_an_end(said: dict[str, Any]) -> None:
    with pytest.raises(PermanentError, match="without a code"):
        sending._is_well(said, httpx.Response(200), "answering", renewable=True)


def test_no_code_is_in_two_tables() -> None:
    assert not LATER.keys() & NEVER.keys()
    assert not STALE & (LATER.keys() | NEVER.keys())


def item(kind: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"message_id": "om_p", "msg_type": kind, "body": {"content": json.dumps(content)}, "deleted": False, **more}


def test_a_quoted_message_is_read(fake: Running) -> None:
    mentions = [{"key": "@_user_1", "id": "ou_1", "id_type": "open_id", "name": "li"}]
    fake.note(messages={"om_p": [item("text", {"text": "@_user_1 java.lang.OutOfMemoryError"}, mentions=mentions)]})
    assert acted(platform(fake.url), fetched({"message": "om_p"})) == [Fetched("java.lang.OutOfMemoryError")]


def test_a_quoted_card_of_an_alert_is_read(fake: Running) -> None:
    content = {"title": "FIRING", "elements": [[{"tag": "text", "text": "OutOfMemoryError: Java heap space"}]]}
    fake.note(messages={"om_p": [item("interactive", content)]})
    assert acted(platform(fake.url), fetched({"message": "om_p"})) == [
        Fetched("FIRING\nOutOfMemoryError: Java heap space")
    ]


def test_a_quoted_file_is_read(fake: Running) -> None:
    fake.note(messages={"om_p": [item("file", {"file_key": "file_1"})]}, files={"om_p/file_1": "栈：boom"})
    assert acted(platform(fake.url), fetched({"message": "om_p"})) == [Fetched("栈：boom")]


def test_messages_forwarded_together_are_read_but_their_files(fake: Running) -> None:
    inner = [item("text", {"text": "a"}, upper_message_id="om_p"), item("file", {"file_key": "f"}, upper_message_id="om_p"), item("text", {"text": "gone"}, deleted=True), item("text", {"text": "b"}, upper_message_id="om_p")]  # fmt: skip
    fake.note(messages={"om_p": [item("merge_forward", {"content": "Merged and Forwarded Message"}), *inner]})
    assert acted(platform(fake.url), fetched({"message": "om_p"})) == [Fetched("a\n\nb", ("f",))]


def test_a_file_that_was_sent_is_read(fake: Running) -> None:
    fake.note(files={"om_1/file_1": "x" * 100}, revoked=["t-1"])
    assert acted(platform(fake.url), fetched({"message": "om_1", "key": "file_1"})) == [Fetched("x" * 100)]


def test_of_a_long_file_the_beginning_is_read(fake: Running) -> None:
    fake.note(files={"om_1/file_1": "x" * 499 + "\n" + "y" * FILE})
    found = acted(platform(fake.url), fetched({"message": "om_1", "key": "file_1", "name": "a.log"}))
    assert found == [Fetched("x" * 499, (), ("a.log",))]


def test_a_picture_that_is_called_a_log_has_no_text(fake: Running) -> None:
    fake.note(files={"om_1/file_1": "GIF89a" + "\x00" * 50})
    assert acted(platform(fake.url), fetched({"message": "om_1", "key": "file_1", "name": "a.log"})) == [
        Fetched("", ("a.log",))
    ]


def test_a_quoted_message_that_is_gone_is_an_end(fake: Running) -> None:
    (found,) = acted(platform(fake.url), fetched({"message": "om_gone"}))
    assert isinstance(found, PermanentError)


def test_a_file_that_is_gone_is_named(fake: Running) -> None:
    fake.note(files={"om_1/file_1": "x"})
    gone, there = ({"message": "om_1", "key": f"file_{number}", "name": f"{number}.log"} for number in (0, 1))
    assert acted(platform(fake.url), fetched(gone, there)) == [Fetched("x", ("0.log",))]


def test_of_many_files_some_are_read(fake: Running) -> None:
    files = [{"message": "om_1", "key": f"f{number}", "name": f"{number}.log"} for number in range(7)]
    fake.note(files={f"om_1/f{number}": str(number) for number in range(7)})
    found = acted(platform(fake.url), fetched(*files))
    assert found == [Fetched("0\n\n1\n\n2\n\n3\n\n4", ("5.log", "6.log"))]


@pytest.mark.parametrize(("mode", "seconds"), [("500", None), ("429", float(RETRY_AFTER)), ("dropped", None)])
def test_a_file_that_does_not_come_is_for_later(fake: Running, mode: str, seconds: float | None) -> None:
    fake.note(files={"om_1/file_1": "x"})
    fake.switch(mode, path="/open-apis/im")
    first, second = acted(platform(fake.url), *[fetched({"message": "om_1", "key": "file_1"})] * 2)
    assert isinstance(first, RetryableError)
    assert first.seconds == seconds
    assert second == Fetched("x")


def test_thanks_were_shown_with_the_press(fake: Running) -> None:
    assert acted(platform(fake.url), lambda made, client: made.thank("谢谢", {"message": "om_1"}, client)) == [None]
    assert fake.seen == []


SET = {"feishu_app_id": "a", "feishu_app_secret": "b", "feishu_encrypt_key": "c", "feishu_verification_token": "d"}


@pytest.mark.parametrize("given", [{}, {"feishu_encrypt_key": "", "feishu_verification_token": ""}])
def test_without_a_key_and_a_token_there_is_no_platform(given: dict[str, str]) -> None:
    rest = {name: value for name, value in SET.items() if "app" in name}
    assert feishu.make(FeishuSettings(**(rest | given))) is None  # type: ignore[arg-type]


@pytest.mark.parametrize("missing", ["feishu_app_id", "feishu_app_secret"])
def test_without_the_app_calls_are_taken_and_answers_say_what_is_missing(fake: Running, missing: str) -> None:
    (found,) = acted(platform(fake.url, **{missing: None}), sent(GROUP))
    assert isinstance(found, PermanentError)
    assert "KB_FEISHU_APP_ID" in str(found)
    assert fake.seen == []


@pytest.mark.parametrize("one", ["feishu_encrypt_key", "feishu_verification_token"])
def test_one_of_key_and_token_is_enough(one: str) -> None:
    kept = {name: value for name, value in SET.items() if name == one or "app" in name}
    assert feishu.make(FeishuSettings(**kept)) is not None  # type: ignore[arg-type]


@pytest.mark.parametrize("base", ["http://open.feishu.cn", "https://u:p@open.feishu.cn", "https://open.feishu.cn/x", "open.feishu.cn", "https://", "ftp://127.0.0.1"])  # fmt: skip
def test_the_address_of_the_platform_is_checked(base: str) -> None:
    with pytest.raises(ValueError, match=r"https"):
        FeishuSettings(feishu_api=base)  # type: ignore[call-arg]
    assert FeishuSettings(feishu_api="https://open.larksuite.com/").feishu_api == "https://open.larksuite.com"  # type: ignore[call-arg]


def test_feishu_knows_a_message_again_for_an_hour() -> None:
    """After it what broke off is for a person to decide, since the same ``uuid`` would be posted again."""
    made = platform("https://open.feishu.cn")
    assert [made.sends_once({}, age) for age in (0, 3500, 3600, 90_000)] == [True, True, False, False]
