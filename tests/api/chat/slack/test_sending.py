"""Answers reach Slack once, or it is said why not: against a server that is slow, full, broken, away, or hangs up."""

import asyncio
import hashlib
from collections.abc import Coroutine
from typing import Any

import httpx
import pytest

from api.chat.platform import PermanentError, Platform, Question, RetryableError
from api.chat.posting import FILE
from api.chat.slack import SlackSettings, make
from api.chat.slack.card import card
from api.chat.slack.reading import SlackTarget
from api.chat.slack.sending import AWAY, PASSING, UNSURE, SlackApi
from api.chat.slack.writing import files_of, parent
from tests.api.chat.fakes.fake import RETRY_AFTER, Running
from tests.api.chat.fakes.slack import TOKEN
from tests.api.chat.slack.calls import SECRET
from tests.api.chat.slack.messages import KNOWN, PINGS, stuffed

THREAD = SlackTarget("C1", thread="1700000000.000100", since="1700000000.000100", user="U1")
HEAD = {"type": "message", "ts": "1700000000.000100", "text": "alert", "user": "U1"}
POST = "/api/chat.postMessage"


def run(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(work)


@pytest.fixture
def slack(fake_slack: Running) -> Platform:
    fake_slack.note(messages={"C1": [HEAD], "D1": []})
    return made(fake_slack.url)


def made(url: str) -> Platform:
    settings = SlackSettings(slack_signing_secret=SECRET, slack_bot_token=TOKEN, slack_api=url)
    platform = make(settings)
    assert platform is not None
    return platform


def send(
    slack: Platform, target: SlackTarget, message: Any = KNOWN, *, is_again: bool = False, seconds: float = 10.0
) -> None:
    async def sent() -> None:
        async with httpx.AsyncClient(verify=False, timeout=seconds) as client:
            await slack.send(message, target.wire(), client, is_again=is_again)

    run(sent())


def thank(slack: Platform, target: SlackTarget) -> None:
    async def thanked() -> None:
        async with httpx.AsyncClient(verify=False) as client:
            await slack.thank("Thank you <3", target.wire(), client)

    run(thanked())


def test_an_answer_is_posted_into_its_thread(slack: Platform, fake_slack: Running) -> None:
    send(slack, THREAD)
    (posted,) = fake_slack.posted
    assert (posted["channel"], posted["thread_ts"]) == ("C1", THREAD.thread)
    assert {key: posted[key] for key in ("text", "blocks")} == card(KNOWN)
    assert posted["unfurl_links"] is False
    assert posted["metadata"]["event_payload"] == {"ref": hashlib.sha256(KNOWN.ref.encode()).hexdigest()[:32]}
    assert KNOWN.ref not in str(posted["metadata"])
    assert {call["headers"]["authorization"] for call in fake_slack.seen} == {f"Bearer {TOKEN}"}


GONE = SlackTarget("C1", thread="1600000000.000100", since="1600000000.000100", user="U1")


@pytest.mark.parametrize(
    "target", [THREAD, GONE, SlackTarget("D1", since="1700000000.000100", user="U1"), SlackTarget("C0123456789")]
)
def test_whatever_became_of_the_first_try_there_is_one_answer(
    slack: Platform, fake_slack: Running, target: SlackTarget
) -> None:
    fake_slack.switch("dropped", path=POST)
    with pytest.raises(RetryableError):
        send(slack, target)
    assert len(fake_slack.posted) == 1
    send(slack, target)
    assert len(fake_slack.posted) == 1
    send(slack, target, stuffed("another answer"))
    assert len(fake_slack.posted) == 2


@pytest.mark.parametrize(
    ("mode", "path", "posted"),
    [("500", POST, 0), ("429", POST, 0), ("500", "/api/conversations", 0), ("dropped", "/api/conversations", 0)],
)
def test_what_failed_is_tried_again(slack: Platform, fake_slack: Running, mode: str, path: str, posted: int) -> None:
    fake_slack.switch(mode, path=path)
    with pytest.raises(RetryableError) as later:
        send(slack, THREAD)
    assert later.value.seconds == (float(RETRY_AFTER) if mode == "429" else None)
    assert len(fake_slack.posted) == posted
    send(slack, THREAD)
    assert len(fake_slack.posted) == 1


def test_a_slow_slack_has_posted_it(slack: Platform, fake_slack: Running) -> None:
    fake_slack.switch("slow", path=POST, seconds=1.5)
    with pytest.raises(RetryableError):
        send(slack, THREAD, seconds=1.0)
    send(slack, THREAD)
    assert len(fake_slack.posted) == 1


def test_slack_is_down() -> None:
    with pytest.raises(RetryableError):
        send(made("http://127.0.0.1:9"), THREAD)


@pytest.mark.parametrize("error", sorted(PASSING | UNSURE))
def test_errors_that_pass_are_waited_for(slack: Platform, fake_slack: Running, error: str) -> None:
    fake_slack.note(error={"chat.postMessage": error})
    with pytest.raises(RetryableError):
        send(slack, THREAD)


@pytest.mark.parametrize(
    ("error", "cure"),
    [
        ("invalid_auth", "KB_SLACK_BOT_TOKEN"),
        ("missing_scope", "channels:history"),
        ("is_archived", "invite"),
        ("msg_too_long", "msg_too_long"),
        ("never_heard_of", "never_heard_of"),
    ],
)
def test_errors_that_stay_are_told_with_the_cure(slack: Platform, fake_slack: Running, error: str, cure: str) -> None:
    fake_slack.note(error={"chat.postMessage": error})
    with pytest.raises(PermanentError, match=cure) as never:
        send(slack, THREAD)
    assert TOKEN not in str(never.value)


def test_without_permission_to_read_history_nothing_is_sent_twice(slack: Platform, fake_slack: Running) -> None:
    fake_slack.note(error={"conversations.replies": "missing_scope"})
    send(slack, THREAD)
    fake_slack.switch("dropped", path=POST)
    with pytest.raises(PermanentError, match="may have been posted"):
        send(slack, THREAD, stuffed("b"))
    for mode in ("posted-500", "posted-html"):
        fake_slack.switch(mode, path=POST)
        with pytest.raises(PermanentError, match="may have been posted"):
            send(slack, THREAD, stuffed(mode))
    fake_slack.note(error={"conversations.replies": "missing_scope", "chat.postMessage": "internal_error"})
    with pytest.raises(PermanentError, match="may have been posted"):
        send(slack, THREAD, stuffed("c"))
    assert len(fake_slack.posted) == 4


@pytest.mark.parametrize("error", ["missing_scope", "not_in_channel"])
def test_what_broke_off_where_we_may_not_look_is_not_posted_again(
    slack: Platform, fake_slack: Running, error: str
) -> None:
    """The process was killed in mid-post; nobody can tell whether it arrived."""
    send(slack, THREAD)
    send(slack, THREAD, is_again=True)
    fake_slack.note(error={"conversations.replies": error})
    with pytest.raises(PermanentError, match="may have been posted"):
        send(slack, THREAD, is_again=True)
    assert len(fake_slack.posted) == 1


@pytest.mark.parametrize("error", sorted(AWAY))
def test_the_shortcut_answers_who_asked_where_we_are_no_member(
    slack: Platform, fake_slack: Running, error: str
) -> None:
    fake_slack.note(error={"chat.postMessage": error})
    send(slack, SlackTarget("C1", thread=THREAD.thread, user="U1", respond=f"{fake_slack.url}/app/T1/3/def"))
    (posted,) = fake_slack.posted
    assert (posted["via"], posted["response_type"], posted["replace_original"]) == ("/app/T1/3/def", "ephemeral", False)
    with pytest.raises(PermanentError, match="invite"):
        send(slack, THREAD)


def command(fake: Running, **more: Any) -> SlackTarget:
    return SlackTarget("C1", user="U1", respond=f"{fake.url}/commands/T1/2/abc", command=True, **more)


@pytest.mark.parametrize(("privately", "kind"), [(True, "ephemeral"), (False, "in_channel")])
def test_a_command_is_answered_through_its_response_url(
    slack: Platform, fake_slack: Running, *, privately: bool, kind: str
) -> None:
    send(slack, command(fake_slack, privately=privately))
    (posted,) = fake_slack.posted
    assert posted["response_type"] == kind
    assert {key: posted[key] for key in ("text", "blocks")} == card(KNOWN)
    (call,) = fake_slack.seen
    assert "authorization" not in call["headers"]


def test_a_response_url_that_is_over_is_no_loss(slack: Platform, fake_slack: Running) -> None:
    fake_slack.note(spent=["/commands/T1/2/abc"])
    send(slack, command(fake_slack, privately=True))
    (posted,) = fake_slack.posted
    assert (posted["via"], posted["channel"], posted["user"]) == ("chat.postEphemeral", "C1", "U1")
    fake_slack.switch("dropped", path="/api/chat.postEphemeral")
    with pytest.raises(PermanentError, match="may have been posted"):
        send(slack, command(fake_slack, privately=True))


def test_what_went_through_a_response_url_is_not_sent_twice(slack: Platform, fake_slack: Running) -> None:
    fake_slack.switch("dropped", path="/commands")
    with pytest.raises(PermanentError, match="may have been posted"):
        send(slack, command(fake_slack))
    fake_slack.switch("429", path="/commands")
    with pytest.raises(RetryableError) as later:
        send(slack, command(fake_slack))
    assert later.value.seconds == float(RETRY_AFTER)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:1/x",
        "https://hooks.slack.com.evil.io/x",
        "https://evil.io/hooks.slack.com",
        "http://hooks.slack.com/x",
        "https://user:pw@hooks.slack.com/x",
        "https://hooks.slack.com:8443/x",
        "https://slack.com@evil.io/",
        "https://notslack.com/",
        "file:///etc/passwd",
        "//hooks.slack.com/x",
        "https://[::1",
        "https://hooks.slack.com\\@evil.io/",
        "gopher://x",
        "",
        "https://169.254.169.254/latest/meta-data",
    ],
)
def test_nobody_else_is_called(url: str) -> None:
    web = SlackApi("https://slack.com", TOKEN)
    assert not web.owns(url)
    platform = made("https://slack.com")
    with pytest.raises(PermanentError, match="does not lead to Slack"):
        send(platform, SlackTarget("C1", user="U1", respond=url, command=True))


@pytest.mark.parametrize(
    "url",
    [
        "https://hooks.slack.com/commands/T1/2/abc",
        "https://files.slack.com/files-pri/T1-F1/a.txt",
        "https://acme.slack.com/files/x",
        "https://slack.com/x",
    ],
)
def test_slack_itself_is_called(url: str) -> None:
    assert SlackApi("https://slack.com", TOKEN).owns(url)


def test_only_the_person_who_clicked_sees_the_thank_you(slack: Platform, fake_slack: Running) -> None:
    url = f"{fake_slack.url}/actions/T1/4/ghi"
    target = SlackTarget("C1", thread=THREAD.thread, user="U2", respond=url)
    thank(slack, target)
    fake_slack.note(spent=["/actions/T1/4/ghi"])
    thank(slack, target)
    thank(slack, SlackTarget("C1", thread=THREAD.thread, user="U2"))
    first, *others = fake_slack.posted
    assert first == {"via": "/actions/T1/4/ghi", "channel": "", "text": "Thank you &lt;3", "thread_ts": THREAD.thread, "response_type": "ephemeral", "replace_original": False}  # fmt: skip
    assert [(one["via"], one["user"], one["thread_ts"]) for one in others] == [
        ("chat.postEphemeral", "U2", THREAD.thread)
    ] * 2


@pytest.mark.parametrize("text", ["&", "```", "\U0001f525", PINGS, "*a* ", "\n"])
def test_the_worst_texts_are_taken(slack: Platform, fake_slack: Running, text: str) -> None:
    send(slack, THREAD, stuffed(text))
    assert len(fake_slack.posted) == 1


def test_a_channel_is_named_by_its_id(slack: Platform, fake_slack: Running) -> None:
    target = slack.channel("C0123456789")
    send(slack, SlackTarget.of(target))
    assert fake_slack.posted[0]["channel"] == "C0123456789"
    for name in ("#alerts", "alerts", "", "C1\n", "c0123456789", "U0123456789"):
        with pytest.raises(ValueError, match="C0123456789"):
            slack.channel(name)


# --- files and the message that a thread is about


def fetch(slack: Platform, *files: Any) -> Any:
    async def fetched() -> Any:
        async with httpx.AsyncClient(verify=False) as client:
            return await slack.fetch(Question("i", "", "U1", {}, tuple(files)), client)

    return run(fetched())


def shared(fake: Running, id_: str, **about: Any) -> dict[str, Any]:
    url = f"{fake.url}/files/{id_}/download"
    return {"id": id_, "name": f"{id_}.log", "mimetype": "text/plain", "url_private_download": url, **about}


def test_files_are_read_with_our_token(slack: Platform, fake_slack: Running) -> None:
    one, two = shared(fake_slack, "F1"), shared(fake_slack, "F2")
    fake_slack.note(
        files={
            "F1": {"about": one, "text": "java.lang.E: x"},
            "F2": {"about": two, "hex": "错误：空指针".encode("gb18030").hex()},
        }
    )
    assert fetch(slack, *files_of({"files": [one, two]})).text == "java.lang.E: x\n\n错误：空指针"


@pytest.mark.parametrize(
    ("content", "about"),
    [
        ({"hex": "89504e470d0a1a0a0000"}, {}),
        ({"hex": "0102030405" * 100}, {}),
        ({"text": "x"}, {"mimetype": "image/png"}),
        ({"text": "x"}, {"url_private_download": "https://evil.io/x"}),
        ({"text": "x"}, {"url_private_download": "", "mode": "tombstone"}),
        ({"text": "<html>", "about": {"mimetype": "text/html"}}, {}),
        ({"text": "x", "elsewhere": "https://evil.io/"}, {}),
        ({"text": ""}, {}),
        (None, {}),
    ],
)
def test_attachments_that_are_not_text_are_only_named(
    slack: Platform, fake_slack: Running, content: dict[str, Any] | None, about: dict[str, Any]
) -> None:
    right, wrong = shared(fake_slack, "F1"), shared(fake_slack, "F2", **about)
    files = {"F1": {"about": right, "text": "whole"}, "F2": {"about": wrong, **(content or {})}}
    fake_slack.note(files=files if content else {"F1": files["F1"]})
    fetched = fetch(slack, *files_of({"files": [right, wrong]}))
    assert (fetched.text, fetched.unread, fetched.cut) == ("whole", ("F2.log",), ())


def test_a_page_is_read_where_a_page_was_shared(slack: Platform, fake_slack: Running) -> None:
    page = shared(fake_slack, "F1", mimetype="text/html")
    fake_slack.note(files={"F1": {"about": page, "text": "<html>report"}})
    assert fetch(slack, *files_of({"files": [page]})).text == "<html>report"


def test_of_a_long_file_the_beginning_is_read_and_of_many_files_five(slack: Platform, fake_slack: Running) -> None:
    files = [shared(fake_slack, f"F{n}") for n in range(7)]
    long = "a line\n" * (FILE // 7 + 100)
    fake_slack.note(
        files={one["id"]: {"about": one, "text": long if one["id"] == "F0" else one["id"]} for one in files}
    )
    fetched = fetch(slack, *files_of({"files": files}))
    assert fetched.unread == ("F5.log", "F6.log")
    assert fetched.cut == ("F0.log",)
    texts = fetched.text.split("\n\n")
    assert texts[1:] == ["F1", "F2", "F3", "F4"]
    assert len(texts[0]) <= FILE
    assert set(texts[0].split("\n")) == {"a line"}


def test_a_file_of_another_workspace_is_asked_for(slack: Platform, fake_slack: Running) -> None:
    fake_slack.note(files={"F1": {"about": shared(fake_slack, "F1"), "text": "whole"}})
    asked = files_of(
        {"files": [{"id": "F1", "file_access": "check_file_info"}, {"id": "F9", "file_access": "check_file_info"}]}
    )
    fetched = fetch(slack, *asked)
    assert (fetched.text, fetched.unread) == ("whole", ("F9",))


@pytest.mark.parametrize("mode", ["500", "429", "dropped"])
def test_a_file_that_does_not_come_is_tried_again(slack: Platform, fake_slack: Running, mode: str) -> None:
    fake_slack.note(files={"F1": {"about": shared(fake_slack, "F1"), "text": "whole"}})
    fake_slack.switch(mode, path="/files")
    with pytest.raises(RetryableError):
        fetch(slack, *files_of({"files": [shared(fake_slack, "F1")]}))


def test_the_message_that_a_thread_is_about_is_read_with_its_files(slack: Platform, fake_slack: Running) -> None:
    log = shared(fake_slack, "F1")
    head = {**HEAD, "attachments": [{"title": "OrdersDown", "text": "java.lang.E: &lt;x&gt;"}], "files": [log]}
    answer = {"ts": "1700000001.1", "thread_ts": HEAD["ts"], "text": "no idea"}
    fake_slack.note(messages={"C1": [head, answer]}, files={"F1": {"about": log, "text": "the log"}})
    assert fetch(slack, parent("C1", HEAD["ts"])).text == "alert\n\nOrdersDown\n\njava.lang.E: <x>\n\nthe log"
    with pytest.raises(PermanentError, match="thread_not_found"):
        fetch(slack, parent("C1", "1.1"))
