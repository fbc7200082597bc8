"""What is sent to DingTalk, with a process that answers as DingTalk does: at most once, and to nobody else."""

import asyncio
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import httpx
import pytest

from api.chat import dingtalk
from api.chat.dingtalk import DingTalkSettings, sending
from api.chat.dingtalk.card import card, composed
from api.chat.dingtalk.sending import LATER, NAMED_LATER, NAMED_NEVER, NEVER, STALE, is_own, is_session
from api.chat.platform import (
    Fetched,
    PermanentError,
    Platform,
    Question,
    RefusedRequest,
    RetryableError,
    WebhookRequest,
)
from api.chat.posting import FILE
from index.answer import Verdict
from kb.errors import SettingsError
from tests.api.chat.acting import Act, acted
from tests.api.chat.dingtalk.calls import received, signed
from tests.api.chat.fakes.dingtalk import APP, SEC
from tests.api.chat.fakes.fake import RETRY_AFTER, Running, running
from tests.api.chat.told import told

MESSAGE = told(Verdict.KNOWN, "zh")
CHAT = "cid6KeBB=="


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running("tests.api.chat.fakes.dingtalk", tmp_path_factory.mktemp("dingtalk") / "fake.log") as started:
        yield started


@pytest.fixture
def fake(server: Running) -> Running:
    server.reset()
    return server


def platform(url: str, **other: object) -> Platform:
    given = {"dingtalk_app_secret": APP["appSecret"], "dingtalk_app_key": APP["appKey"], "dingtalk_api": url, "dingtalk_robot_webhook": f"{url}/robot/send?access_token=robot-token", "dingtalk_robot_secret": SEC}  # fmt: skip
    made = dingtalk.make(DingTalkSettings(**(given | other)))  # type: ignore[arg-type]
    assert made is not None
    return made


def sent(target: Any, message: Any = MESSAGE) -> Act[Platform]:
    return lambda made, client: made.send(message, target, client)


def asked(url: str, seconds: float = 60, **more: Any) -> dict[str, Any]:
    """Where a question was asked, whose address lasts so long."""
    until = round((time.time() + seconds) * 1000)
    return {"webhook": f"{url}/robot/sendBySession?session=s1", "until": until, "chat": CHAT, "is_group": True, "staff": "user123", "robot": "dingrobot", **more}  # fmt: skip


def test_the_address_in_the_question_is_used_while_it_lasts(fake: Running) -> None:
    assert acted(platform(fake.url), sent(asked(fake.url))) == [None]
    assert fake.posted == [{"way": "/robot/sendBySession", "session": "s1", "said": card(MESSAGE)}]
    assert [call["path"] for call in fake.seen] == ["/robot/sendBySession"]


def test_an_address_that_does_not_say_how_long_it_lasts_is_tried(fake: Running) -> None:
    assert acted(platform(fake.url), sent(asked(fake.url, until=0))) == [None]
    assert [one["way"] for one in fake.posted] == ["/robot/sendBySession"]


def test_then_the_api_is_asked(fake: Running) -> None:
    assert acted(platform(fake.url), sent(asked(fake.url, seconds=1))) == [None]
    (one,) = fake.posted
    assert (one["way"], one["openConversationId"], one["robotCode"]) == ("/v1.0/robot/groupMessages/send", CHAT, "dingrobot")  # fmt: skip
    assert one["filled"]["text"] == composed(MESSAGE).text


def test_and_when_the_address_turns_out_to_have_expired(fake: Running) -> None:
    fake.note(errcode=300005, errmsg="robot session is expired")
    assert acted(platform(fake.url), sent(asked(fake.url))) == [None]
    assert [one["way"] for one in fake.posted] == ["/v1.0/robot/groupMessages/send"]


def test_to_a_person_the_api_sends_by_their_id(fake: Running) -> None:
    assert acted(platform(fake.url), sent(asked(fake.url, seconds=-1, is_group=False, robot=""))) == [None]
    (one,) = fake.posted
    assert (one["way"], one["userIds"], one["robotCode"]) == ("/v1.0/robot/oToMessages/batchSend", ["user123"], "dingkey")  # fmt: skip


@pytest.mark.parametrize("lost", [{"chat": ""}, {"is_group": False, "staff": ""}, {"chat": "", "is_group": None}])
def test_who_does_not_say_where_gets_no_answer(fake: Running, lost: dict[str, Any]) -> None:
    (found,) = acted(platform(fake.url), sent(asked(fake.url, seconds=-1, **lost)))
    assert isinstance(found, PermanentError)
    assert fake.posted == []


def test_without_the_app_an_expired_address_is_the_end(fake: Running) -> None:
    made = platform(fake.url, dingtalk_app_key=None)
    fake.note(errcode=300005, errmsg="session expired")
    for found in acted(made, sent(asked(fake.url)), sent(asked(fake.url, seconds=-1))):
        assert isinstance(found, PermanentError)
    assert fake.posted == []


FOREIGN = ["https://evil.example/robot/sendBySession", "http://oapi.dingtalk.com/x", "https://oapi.dingtalk.com.evil.example/x", "https://evil.example\\@oapi.dingtalk.com/", "https://oapi.dingtalk.com@evil.example/", "https://u:p@oapi.dingtalk.com/", "https://oapi.dingtalk.com:8443/", "//oapi.dingtalk.com/", "https://xoapi.dingtalk.com/", "https://[::1", "https://[oapi.dingtalk.com]/", "http://169.254.169.254/", "http://127.0.0.1:1/", "file:///etc/passwd", "", "https://oapi.dingtalk.com\n.evil.example/"]  # fmt: skip


@pytest.mark.parametrize("address", FOREIGN)
def test_an_address_that_is_not_the_platforms(address: str) -> None:
    assert not is_own(address, "https://api.dingtalk.com")
    assert not is_session(address, "https://api.dingtalk.com")


NO_SESSIONS = ["/robot/send?access_token=EVIL", "/robot/sendBySession/?session=1", "/robot/sendBySession/../send?access_token=EVIL", "/robot/sendBySession;x?session=1", "/robot/sendbysession?session=1", "//robot/sendBySession?session=1", "/robot/send#/robot/sendBySession", "/robot%2FsendBySession?session=1", "/", ""]  # fmt: skip


@pytest.mark.parametrize("path", NO_SESSIONS)
@pytest.mark.parametrize("origin", ["https://oapi.dingtalk.com", "http://127.0.0.1:8080"])
def test_a_public_place_is_not_the_target_of_a_question(origin: str, path: str) -> None:
    """A custom robot of anybody's is at the same host."""
    assert is_session(f"{origin}/robot/sendBySession?session=1", "http://127.0.0.1:8080")
    assert not is_session(origin + path, "http://127.0.0.1:8080")


def test_an_address_that_is_not_the_platforms_is_not_asked(fake: Running) -> None:
    """The body of a question is not signed: its address is anybody's."""
    elsewhere = fake.url.replace("127.0.0.1", "localhost")
    found = acted(platform(fake.url), sent(asked(elsewhere)), sent(asked(fake.url, webhook="https://evil.example/")), sent(asked(fake.url, webhook=f"{fake.url}/robot/send?access_token=EVIL")))  # fmt: skip
    assert found == [None, None, None]
    assert [one["way"] for one in fake.posted] == ["/v1.0/robot/groupMessages/send"] * 3


@pytest.mark.parametrize("host", ["oapi.dingtalk.com", "api.dingtalk.com", "oapi.dingtalk.io", "api.dingtalk.io"])
def test_the_platforms_own_addresses(host: str) -> None:
    assert is_session(f"https://{host}/robot/sendBySession?session=1", "https://api.dingtalk.com")


def test_what_may_have_arrived_is_not_sent_again(fake: Running) -> None:
    made = platform(fake.url)
    fake.switch("dropped", times=2)
    first, second = acted(made, sent(asked(fake.url)), sent(asked(fake.url)))
    assert isinstance(first, PermanentError)
    assert isinstance(second, PermanentError)
    assert "may have been posted" in str(first)
    assert len(fake.posted) == 2, "each was sent once"


def test_a_request_that_may_have_succeeded_is_not_sent_again(fake: Running) -> None:
    fake.switch("dropped", path="/v1.0/robot")
    (found,) = acted(platform(fake.url), sent(asked(fake.url, seconds=-1)))
    assert isinstance(found, PermanentError)
    assert len(fake.posted) == 1


def test_slow_may_have_arrived(fake: Running) -> None:
    fake.switch("slow", seconds=1.5)
    (found,) = acted(platform(fake.url), sent(asked(fake.url)), seconds=1.0)
    assert isinstance(found, PermanentError)


@pytest.mark.parametrize(("mode", "seconds"), [("503", None), ("429", float(RETRY_AFTER))])
@pytest.mark.parametrize("lasts", [60, -1])
def test_trouble_is_later(fake: Running, mode: str, seconds: float | None, lasts: int) -> None:
    fake.switch(mode)
    first, second = acted(platform(fake.url), sent(asked(fake.url, lasts)), sent(asked(fake.url, lasts)))
    assert isinstance(first, RetryableError)
    assert first.seconds == seconds
    assert second is None
    assert len(fake.posted) == 1


def test_down_is_later() -> None:
    (found,) = acted(platform("http://127.0.0.1:9"), sent(asked("http://127.0.0.1:9")))
    assert isinstance(found, RetryableError)


def test_an_idle_connection_is_not_kept(fake: Running) -> None:
    """It may be gone by the next message, and nobody would know whether that one arrived."""
    acted(platform(fake.url), sent(asked(fake.url)), sent(asked(fake.url, seconds=-1)), sent({"custom": True}))
    assert {call["headers"]["connection"] for call in fake.seen} == {"close"}


class Answered(httpx.AsyncBaseTransport):
    """A platform that answers one thing."""

    def __init__(self, status: int, said: dict[str, Any]) -> None:
        self._answer = httpx.Response(status, json=said)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        del request
        return self._answer


def by_webhook(said: dict[str, Any], status: int = 200) -> None:
    async def run() -> None:
        async with httpx.AsyncClient(transport=Answered(status, said)) as client:
            await sending.by_session(client, "https://oapi.dingtalk.com/x", composed(MESSAGE))

    asyncio.run(run())


@pytest.mark.parametrize("code", sorted({*LATER, *NEVER, 4711}))
def test_codes(code: int) -> None:
    with pytest.raises(RetryableError if code in LATER else PermanentError, match=str(code)) as raised:
        by_webhook({"errcode": code, "errmsg": "no"})
    if code in LATER:
        assert raised.value.seconds == LATER[code][1]  # type: ignore[attr-defined]


@pytest.mark.parametrize(("status", "expected"), [(429, RetryableError), (500, PermanentError), (501, PermanentError), (502, PermanentError), (503, RetryableError), (504, PermanentError), (599, PermanentError), (404, PermanentError)])  # fmt: skip
def test_what_was_answered_with_a_fault_may_have_arrived(status: int, expected: type[Exception]) -> None:
    with pytest.raises(
        expected, match="may have been posted" if status >= 500 and status != 503 else "answered|errcode"
    ):
        by_webhook({}, status)


@pytest.mark.parametrize("said", [{}, {"errcode": "x"}, {"errcode": None}, {"errcode": True}])
def test_an_answer_without_a_code_is_an_end(said: dict[str, Any]) -> None:
    with pytest.raises(PermanentError):
        by_webhook(said)


@pytest.mark.parametrize("said", [{"errcode": 0}, {"errcode": "0", "errmsg": "ok"}])
def test_a_code_of_zero_is_done(said: dict[str, Any]) -> None:
    by_webhook(said)


@pytest.mark.parametrize("code", sorted({*NAMED_LATER, *NAMED_NEVER, *STALE, "what.is.this"}))
def test_named_errors(code: str) -> None:
    found = sending._named({"code": code}, httpx.Response(400))
    assert isinstance(found, RetryableError if code in NAMED_LATER else PermanentError)
    assert code in str(found)


@pytest.mark.parametrize(("code", "expected"), [("send.too.fast", RetryableError), ("group.disbanded", PermanentError), ("Forbidden.AccessDenied.QpsLimitForApi", RetryableError), ("system.error", PermanentError)])  # fmt: skip
def test_an_error_of_the_api_is_looked_up(fake: Running, code: str, expected: type) -> None:
    fake.note(error=code)
    (found,) = acted(platform(fake.url), sent(asked(fake.url, seconds=-1)))
    assert isinstance(found, expected)
    assert fake.posted == []


def test_no_error_is_in_two_tables() -> None:
    assert not LATER.keys() & NEVER.keys()
    assert not NAMED_LATER.keys() & NAMED_NEVER.keys()
    assert not STALE & (NAMED_LATER.keys() | NAMED_NEVER.keys())


def test_a_token_is_asked_for_once_and_again_when_it_is_refused(fake: Running) -> None:
    made, late = platform(fake.url), asked(fake.url, seconds=-1)
    assert acted(made, sent(late), sent(late)) == [None, None]
    fake.note(revoked=["T1"])
    assert acted(made, sent(late)) == [None]
    assert [call["path"].rpartition("/")[2] for call in fake.seen] == ["accessToken", "send", "send", "send", "accessToken", "send"]  # fmt: skip
    assert len(fake.posted) == 3


def test_wrong_credentials_are_an_end_that_says_so(fake: Running) -> None:
    (found,) = acted(platform(fake.url, dingtalk_app_key="wrong"), sent(asked(fake.url, seconds=-1)))
    assert isinstance(found, PermanentError)
    assert "Client ID" in str(found)


def test_the_custom_robot_posts_alerts_signed_and_once(fake: Running) -> None:
    made = platform(fake.url)
    fake.switch("dropped")
    first, second, third = acted(made, *[sent(made.channel("robot"))] * 2, sent(made.channel("robot"), replace(MESSAGE, ref="other")))  # fmt: skip
    assert isinstance(first, RetryableError)
    assert (second, third) == (None, None)
    assert len(fake.posted) == 2


def test_another_secret_of_the_custom_robot_is_an_end_that_says_so(fake: Running) -> None:
    made = platform(fake.url, dingtalk_robot_secret="SECother")
    (found,) = acted(made, sent(made.channel("robot")))
    assert isinstance(found, PermanentError)
    assert "KB_DINGTALK_ROBOT_SECRET" in str(found)
    assert "SECother" not in str(found)


def test_a_group_by_its_id_is_a_channel(fake: Running) -> None:
    made = platform(fake.url, dingtalk_robot_code="dingcode")
    assert acted(made, sent(made.channel("cidABC=="))) == [None]
    assert (fake.posted[0]["openConversationId"], fake.posted[0]["robotCode"]) == ("cidABC==", "dingcode")


@pytest.mark.parametrize("name", ["", "ops", "cid\n", "cidé", "c" * 300])
def test_other_names_are_no_channels(name: str) -> None:
    with pytest.raises(ValueError, match="cid"):
        platform("https://api.dingtalk.com", dingtalk_robot_webhook=None).channel(name)
    with pytest.raises(ValueError, match="cid"):
        platform("https://api.dingtalk.com", dingtalk_robot_webhook=None).channel("robot")


def fetched(*codes: str) -> Act[Platform]:
    files = tuple({"code": code, "name": f"{code}.log"} for code in codes)
    return lambda made, client: made.fetch(Question("m", "", "u", {"robot": "dingrobot"}, files), client)


def test_files_are_read(fake: Running) -> None:
    fake.note(files={"c1": "栈：boom", "c2": "b", "picture": "GIF89a\x00"})
    found = acted(platform(fake.url), fetched("c1", "gone", "picture", "c2"))
    assert found == [Fetched("栈：boom\n\nb", ("gone.log", "picture.log"))]


def test_of_a_long_file_the_beginning_is_read(fake: Running) -> None:
    fake.note(files={"c1": "x" * 499 + "\n" + "y" * FILE})
    assert acted(platform(fake.url), fetched("c1")) == [Fetched("x" * 499, (), ("c1.log",))]


def test_of_many_files_some_are_read(fake: Running) -> None:
    fake.note(files={f"c{number}": str(number) for number in range(7)})
    found = acted(platform(fake.url), fetched(*[f"c{number}" for number in range(7)]))
    assert found == [Fetched("0\n\n1\n\n2\n\n3\n\n4", ("c5.log", "c6.log"))]


@pytest.mark.parametrize("elsewhere", ["http://169.254.169.254", "https://evil.example", "file://", "http://x.dingtalk.com@evil.example"])  # fmt: skip
def test_a_file_elsewhere_is_not_asked_for(fake: Running, elsewhere: str) -> None:
    fake.note(files={"c1": "x"}, elsewhere=elsewhere)
    assert acted(platform(fake.url), fetched("c1")) == [Fetched("", ("c1.log",))]


def test_an_address_of_a_file_is_asked_for_by_https() -> None:
    """The platform gives it with http: ``http://wukong-file.oss-cn-zhangjiakou.aliyuncs.com/…``."""
    asked: list[str] = []

    async def answer(request: httpx.Request) -> httpx.Response:
        asked.append(str(request.url))
        if request.url.path.endswith("accessToken"):
            return httpx.Response(200, json={"accessToken": "T", "expireIn": 7200})
        if request.url.path.endswith("download"):
            return httpx.Response(
                200, json={"downloadUrl": "http://wukong.oss-cn-zhangjiakou.aliyuncs.com/a?Signature=x"}
            )
        return httpx.Response(200, text="boom")

    async def run() -> Fetched:
        async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as client:
            return await fetched("c1")(platform("https://api.dingtalk.com", dingtalk_robot_webhook=None), client)  # type: ignore[no-any-return]

    assert asyncio.run(run()) == Fetched("boom")
    assert asked[-1] == "https://wukong.oss-cn-zhangjiakou.aliyuncs.com/a?Signature=x"


def test_without_the_app_no_file_is_read(fake: Running) -> None:
    assert acted(platform(fake.url, dingtalk_app_key=None), fetched("c1")) == [Fetched("", ("c1.log",))]
    assert fake.seen == []


@pytest.mark.parametrize("path", ["/v1.0/oauth2", "/v1.0/robot", "/files"])
@pytest.mark.parametrize("mode", ["500", "429", "dropped"])
def test_a_file_that_does_not_come_is_for_later(fake: Running, mode: str, path: str) -> None:
    fake.note(files={"c1": "x"})
    fake.switch(mode, path=path)
    first, second = acted(platform(fake.url), fetched("c1"), fetched("c1"))
    assert isinstance(first, RetryableError)
    assert second == Fetched("x")


def test_votes_are_thanked_for_on_their_page(fake: Running) -> None:
    assert acted(platform(fake.url), lambda made, client: made.thank("谢谢", {}, client)) == [None]
    assert fake.seen == []


def test_what_is_not_set_up_is_no_platform() -> None:
    assert dingtalk.make(DingTalkSettings(dingtalk_app_key="k", dingtalk_app_secret="")) is None  # type: ignore[call-arg]


def test_a_custom_robot_alone_is_called_by_nobody() -> None:
    made = platform("https://api.dingtalk.com", dingtalk_app_secret=None, dingtalk_robot_webhook="https://oapi.dingtalk.com/robot/send?access_token=x")  # fmt: skip
    with pytest.raises(RefusedRequest, match="not-set-up"):
        made.verify(signed(received("text", "x")), 1_700_000_000)
    with pytest.raises(RefusedRequest, match="not-set-up"):
        made.verify(WebhookRequest("POST", {}, {}, b""), 0)


@pytest.mark.parametrize("webhook", ["https://evil.example/robot/send?access_token=x", "https://oapi.dingtalk.com/robot/send", "http://oapi.dingtalk.com/robot/send?access_token=x"])  # fmt: skip
def test_a_webhook_of_others_is_named_with_the_cure(webhook: str) -> None:
    with pytest.raises(SettingsError) as raised:
        dingtalk.make(DingTalkSettings(dingtalk_robot_webhook=webhook))  # type: ignore[call-arg]
    assert "KB_DINGTALK_ROBOT_WEBHOOK" in raised.value.problem
    assert "access_token=x" not in raised.value.problem
