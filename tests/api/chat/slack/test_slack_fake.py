"""The fake Slack answers slack_sdk's own clients as Slack does: what holds against it is not made up."""

import pytest
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError
from slack_sdk.webhook import WebhookClient

from tests.api.chat.fakes.fake import RETRY_AFTER, Running
from tests.api.chat.fakes.slack import TOKEN


@pytest.fixture
def web(fake_slack: Running) -> WebClient:
    return WebClient(TOKEN, base_url=f"{fake_slack.url}/api/", retry_handlers=[])


def test_who_we_are(web: WebClient) -> None:
    assert web.auth_test()["user_id"] == "U0KBOT"


def test_a_post_is_found_in_its_thread_with_its_metadata(web: WebClient) -> None:
    head = web.chat_postMessage(channel="C1", text="alert")["ts"]
    metadata = {"event_type": "e", "event_payload": {"ref": "r"}}
    reply = web.chat_postMessage(channel="C1", text="answer", thread_ts=head, metadata=metadata)
    found = web.conversations_replies(channel="C1", ts=head, include_all_metadata=True)["messages"]
    assert [(one["ts"], one.get("metadata")) for one in found] == [(head, None), (reply["ts"], metadata)]
    assert "metadata" not in web.conversations_replies(channel="C1", ts=head)["messages"][1]
    assert [one["ts"] for one in web.conversations_replies(channel="C1", ts=head, oldest=reply["ts"])["messages"]] == [
        head
    ]
    assert [one["text"] for one in web.conversations_history(channel="C1")["messages"]] == ["alert"]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda web: web.api_call("chat.postMessage", json={"channel": "C1"}), "no_text"),
        (lambda web: web.chat_postMessage(channel="C9", text="x"), "not_in_channel"),
        (lambda web: web.conversations_replies(channel="C1", ts="1.1"), "thread_not_found"),
        (lambda web: web.files_info(file="F9"), "file_not_found"),
        (lambda web: web.api_call("chat.fly"), "unknown_method"),
        (lambda web: web.api_call("conversations.history", json={"channel": "C1"}), "invalid_arguments"),
        (lambda web: web.chat_postMessage(channel="C1", blocks=[{"type": "section", "text": {"type": "mrkdwn", "text": "x" * 3001}}], text="x"), "invalid_blocks"),
        (lambda web: WebClient("xoxb-other", base_url=web.base_url).auth_test(), "invalid_auth"),
    ],
)  # fmt: skip
def test_what_slack_refuses_is_refused_by_the_same_name(
    web: WebClient, fake_slack: Running, call: object, error: str
) -> None:
    fake_slack.note(away=["C9"])
    with pytest.raises(SlackApiError) as refused:
        call(web)  # type: ignore[operator]
    assert refused.value.response["error"] == error


def test_too_many_calls_are_told_when_to_come_back(web: WebClient, fake_slack: Running) -> None:
    fake_slack.switch("429")
    with pytest.raises(SlackApiError) as refused:
        web.auth_test()
    assert refused.value.response.status_code == 429
    assert refused.value.response.headers["Retry-After"] == RETRY_AFTER


def test_a_response_url_takes_five_messages(fake_slack: Running) -> None:
    hook = WebhookClient(f"{fake_slack.url}/commands/T1/2/abc")
    answers = [hook.send(text=str(n), response_type="ephemeral") for n in range(6)]
    assert [(one.status_code, one.body) for one in answers[:5]] == [(200, "ok")] * 5
    assert (answers[5].status_code, "used_url" in answers[5].body) == (404, True)
    assert [one["text"] for one in fake_slack.posted] == list("01234")
