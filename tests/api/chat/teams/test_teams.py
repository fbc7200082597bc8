"""Teams: what its outgoing webhook sends is verified and read, what it is answered is a card with links alone."""

import asyncio
import base64
import hashlib
import hmac
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.chat.platform import (
    AnswersAtOnce,
    Nothing,
    PermanentError,
    Platform,
    Question,
    RefusedRequest,
    RetryableError,
    WebhookRequest,
)
from api.chat.teams import TeamsSettings, make, read_activity
from api.chat.teams.card import LINES, MOST, card
from index.answer import Verdict
from tests.api.chat.fakes.fake import Running, running
from tests.api.chat.told import KINDS, told

GOLDEN = Path(__file__).parents[3] / "golden" / "chat" / "teams"
TOKEN = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
OTHER = base64.b64encode(b"another key").decode()
NOW = 1_700_000_000


def teams(*tokens: str, **other: object) -> Platform:
    made = make(TeamsSettings(teams_tokens=",".join(tokens or (TOKEN,)), **other))  # type: ignore[arg-type]
    assert made is not None
    return made


def call(said: object, token: str = TOKEN) -> WebhookRequest:
    """A call as the public page describes it."""
    body = said if isinstance(said, bytes) else json.dumps(said, ensure_ascii=False).encode()
    digest = hmac.new(base64.b64decode(token), body, hashlib.sha256).digest()
    return WebhookRequest("POST", {}, {"authorization": f"HMAC {base64.b64encode(digest).decode()}"}, body)


def refusal(platform: Platform, what: WebhookRequest, now: float = NOW) -> str | None:
    try:
        platform.verify(what, now)
    except RefusedRequest as refused:
        return refused.reason
    return None


def stamp(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.1234567Z")


def activity(written: str, **more: object) -> dict[str, Any]:
    return {"type": "message", "id": "1700000000001", "timestamp": stamp(NOW), "from": {"id": "29:x", "name": "Li", "aadObjectId": "aad"}, "conversation": {"id": "19:c@thread.tacv2;messageid=17"}, "text": written, **more}  # fmt: skip


@pytest.fixture
def vector(vectors: dict[str, Any]) -> tuple[WebhookRequest, str]:
    told_so = vectors["teams"]
    return WebhookRequest("POST", {}, {"authorization": told_so["headers"]["Authorization"]}, told_so["body"].encode()), told_so["security_token"]  # fmt: skip


def test_the_published_vector(vector: tuple[WebhookRequest, str]) -> None:
    what, token = vector
    platform = teams(token)
    platform.verify(what, NOW)
    said = platform.read(what)
    assert isinstance(said, Question)
    assert said.text == "连接超时"
    assert platform.read(what) == said, "it is known by its id"
    assert refusal(teams(OTHER), what) == "signature"
    assert refusal(teams(OTHER, token), what) is None, "each team has a token of its own"


def test_each_changed_byte_of_the_vector_is_refused(vector: tuple[WebhookRequest, str]) -> None:
    what, token = vector
    header = what.headers["authorization"]
    for place in range(len(what.body)):
        changed = what.body[:place] + bytes([what.body[place] ^ 1]) + what.body[place + 1 :]
        assert refusal(teams(token), replace(what, body=changed)) == "signature"
    for place in range(len(header)):
        changed_header = header[:place] + ("A" if header[place] != "A" else "B") + header[place + 1 :]
        assert refusal(teams(token), replace(what, headers={"authorization": changed_header})) == "signature"
    for other in ("", "HMAC", "HMAC ", "Bearer x", header.replace("HMAC ", ""), header + "=", "HMAC \udcff中"):
        assert refusal(teams(token), replace(what, headers={"authorization": other})) == "signature"
    assert refusal(teams(token), replace(what, headers={})) == "signature"
    assert refusal(teams(token), replace(what, method="GET")) == "signature"


@pytest.mark.parametrize(("at", "reason"), [(NOW - 300, None), (NOW + 299, None), (NOW - 302, "too-old"), (NOW + 302, "too-old"), (0, "too-old")])  # fmt: skip
def test_the_time_that_a_message_states(at: float, reason: str | None) -> None:
    assert refusal(teams(), call(activity("a", timestamp=stamp(at)))) == reason


@pytest.mark.parametrize("stated", [None, 5, "", "now", "2023-11-14T22:13:20", "9999-12-31T23:59:59Z" * 9, "0001-01-01T00:00:00+14:00"])  # fmt: skip
def test_a_time_that_is_none_stops_nothing(stated: object) -> None:
    assert refusal(teams(), call(activity("a", timestamp=stated))) in {None, "too-old"}


HTML = (
    '<div><div><span itemscope="" itemtype="http://schema.skype.com/Mention" itemid="0">kb</span>&nbsp;%s</div>\n</div>'
)
READ = [
    ("<at>kb</at> 连接超时", {}, "连接超时"),
    ("<at>kb</at>&nbsp;a &amp; b", {}, "a & b"),
    ('<at id="0">kb</at>\n\njava.io.IOException: x\n\tat a.b(C.java:1)\n', {}, "java.io.IOException: x\n\tat a.b(C.java:1)"),
    ("<at>kb</at> List<String> fails", {}, "List<String> fails"),
    ("<p><at>kb</at> a</p><p>b</p>", {}, "a\nb"),
    ("<at>kb</at> x", {"attachments": [{"contentType": "text/html", "content": HTML % "List&lt;String&gt; fails<br>at a<br>at b"}]}, "List<String> fails\nat a\nat b"),
    ("", {"attachments": [{"contentType": "text/html", "content": "<pre><code>a\n  at b</code></pre><p>why</p>"}]}, "a\n  at b\nwhy"),
    ("<at>kb</at> x", {"attachments": [{"contentType": "image/png"}, 5, None]}, "x"),
    ("<at>kb</at>", {}, ""),
]  # fmt: skip


@pytest.mark.parametrize(("written", "more", "asked"), READ, ids=range(len(READ)))
def test_what_is_asked(written: str, more: dict[str, Any], asked: str) -> None:
    said = read_activity(json.dumps(activity(written, **more)).encode())
    assert isinstance(said, Question)
    assert said.text.replace("\xa0", " ").strip() == asked
    assert (said.id, said.who) == ("19:c@thread.tacv2;messageid=17:1700000000001", "aad")


def test_a_message_without_an_id_is_known_by_what_it_says() -> None:
    bodies = [json.dumps({"type": "message", "text": text}).encode() for text in ("a", "a", "b")]
    ids = [said.id for said in map(read_activity, bodies) if isinstance(said, Question)]
    assert ids[0] == ids[1] != ids[2]


def test_other_activities_ask_nothing() -> None:
    assert isinstance(read_activity(b'{"type": "conversationUpdate"}'), Nothing)


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"\xff", b"[" * 100_000, b"5"])
def test_a_body_that_is_none_is_refused(body: bytes) -> None:
    assert refusal(teams(), call(body)) == "unreadable"


@given(st.dictionaries(st.sampled_from(["type", "text", "id", "from", "conversation", "attachments", "timestamp"]), st.recursive(st.text(max_size=9) | st.integers() | st.just("message") | st.just("text/html"), lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["id", "contentType", "content", "aadObjectId"]), inner, max_size=3), max_leaves=6)))  # fmt: skip
def test_any_activity_is_read(said: dict[str, Any]) -> None:
    platform, what = teams(), call(said)
    if refusal(platform, what) is None:
        assert isinstance(platform.read(what), Question | Nothing)


@given(st.text())
def test_any_html_is_read(written: str) -> None:
    drawn = {"attachments": [{"contentType": "text/html", "content": "<p>" + written}]}
    assert isinstance(read_activity(json.dumps(activity("", **drawn)).encode()), Question)


@pytest.mark.parametrize(("verdict", "lang"), KINDS)
def test_golden_cards(verdict: Verdict, lang: str, golden: Callable[[Path, str], None]) -> None:
    golden(
        GOLDEN / f"{verdict}.{lang}.json", json.dumps(card(told(verdict, lang)), ensure_ascii=False, indent=1) + "\n"
    )


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_card_is_never_too_large(lang: str) -> None:
    message = told(Verdict.KNOWN, lang)
    assert message.best
    best = replace(message.best, cause='`"` \\' * 240, fix="修\n" * 600, title="😀" * 150)
    for text in ("\\" * 1200, "`a`" * 400, "😀" * 1200, "**a** " * 200):
        shown = card(
            replace(
                message, best=replace(best, cause=text, fix=text), others=message.others * 9, notes=("注" * 9999,) * 9
            )
        )
        assert len(json.dumps(shown["attachments"][0]["content"], ensure_ascii=False).encode()) <= MOST


def test_actions_are_links_and_texts_are_runs() -> None:
    """An outgoing webhook may answer with no other actions; a run is read as Markdown by no client."""
    shown = json.dumps(card(told(Verdict.RELATED, "en")))
    assert set(_values(json.loads(shown), "type")) <= {
        "message",
        "AdaptiveCard",
        "RichTextBlock",
        "TextRun",
        "Action.OpenUrl",
    }
    assert "mention" not in shown


def _values(what: Any, key: str) -> Iterator[Any]:
    if isinstance(what, dict):
        yield from ([what[key]] if key in what else [])
        for inner in what.values():
            yield from _values(inner, key)
    elif isinstance(what, list):
        for inner in what:
            yield from _values(inner, key)


def test_code_bold_and_lines_of_a_cause() -> None:
    message = told(Verdict.KNOWN, "en")
    assert message.best
    cause = "a `b` **c**\n```java\nd `e`\n```\n\n" + "x\n" * 40
    body = card(replace(message, best=replace(message.best, cause=cause)))["attachments"][0]["content"]["body"]
    lines = [[(run["text"], run.get("fontType"), run.get("weight")) for run in block["inlines"]] for block in body]
    at = lines.index([("Root cause", None, "Bolder")])
    assert lines[at + 1] == [("a ", None, None), ("b", "Monospace", None), (" ", None, None), ("c", None, "Bolder")]
    assert lines[at + 2] == [("d `e`", "Monospace", None)]
    assert lines[at + 1 + LINES] == [("…", None, None)]


def test_the_answer_is_the_response() -> None:
    platform, message = teams(), told(Verdict.KNOWN, "zh")
    assert isinstance(platform, AnswersAtOnce)
    assert platform.seconds == 5
    reply = platform.answered(message, Question("1", "", "", {}))
    assert (reply.status, reply.media, json.loads(reply.body)) == (200, "application/json", card(message))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running("tests.api.chat.fakes.workflow", tmp_path_factory.mktemp("teams") / "fake.log") as started:
        yield started


def sent(platform: Platform, target: dict[str, Any]) -> Exception | None:
    async def run() -> Exception | None:
        async with httpx.AsyncClient(trust_env=False, timeout=1.0) as client:
            try:
                await platform.send(told(Verdict.KNOWN, "en"), target, client)
            except (RetryableError, PermanentError) as error:
                return error
        return None

    return asyncio.run(run())


@pytest.mark.parametrize(("mode", "failure"), [("ok", None), ("429", RetryableError), ("503", RetryableError), ("500", PermanentError), ("posted-500", PermanentError), ("dropped", PermanentError), ("slow", PermanentError)])  # fmt: skip
def test_a_channel_is_told_through_its_workflow(mode: str, failure: type[Exception] | None, server: Running) -> None:
    server.reset()
    platform = teams(teams_channel_secrets=f"ops={server.url}/workflows/W/run?sig=S")
    server.switch(mode, seconds=1.5)
    assert type(sent(platform, dict(platform.channel("ops")))) is (failure or type(None))
    assert len(server.posted) == (0 if mode in {"429", "500", "503"} else 1)
    if mode == "ok":
        assert server.posted == [card(told(Verdict.KNOWN, "en"))]


def test_a_channel_that_is_not_there(server: Running) -> None:
    platform = teams(teams_channel_secrets=f"ops={server.url}/gone")
    assert "404" in str(sent(platform, {"channel": "ops"}))
    assert isinstance(sent(platform, {"channel": "other"}), PermanentError)
    with pytest.raises(ValueError, match="KB_TEAMS_CHANNEL_SECRETS"):
        platform.channel("other")


@pytest.mark.parametrize("url", ["https://evil.example/x", "http://a.logic.azure.com/x", "https://logic.azure.com.evil.example/x", "ftp://127.0.0.1/x", "x", "https://evil.example/.logic.azure.com"])  # fmt: skip
def test_a_workflow_elsewhere_is_a_mistake(url: str) -> None:
    with pytest.raises(ValueError, match="workflow"):
        teams(teams_channel_secrets=f"ops={url}")


def test_settings() -> None:
    assert make(TeamsSettings()) is None
    assert (
        make(TeamsSettings(teams_channel_secrets="a=https://prod-1.westeurope.logic.azure.com/workflows/x?sig=y"))
        is not None
    )  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="base64"):
        TeamsSettings(teams_tokens="no base64!")  # type: ignore[arg-type]
