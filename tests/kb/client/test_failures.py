"""What the clients do when the service is busy, away, somebody else, or says no."""

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from kb.client import AsyncClient, Client, Declined, Foreign, Patience, Unreachable
from kb.client.protocol import ServiceAddress
from kb.errors import KbError, SettingsError
from tests.kb.client.story import declined

BUSY = b'{"type": "urn:dejastack:problem:overloaded", "title": "x", "status": 503, "detail": "Too many.", "request_id": "r1"}'
SLOW = BUSY.replace(b"overloaded", b"too-slow")
Reply = tuple[int, dict[str, str], bytes]
DONE: Reply = (200, {}, b'{"ok": true}')


class Server(ThreadingHTTPServer):
    """A server that gives one reply after the other, the last one again and again."""

    replies: list[Reply]
    asked: list[tuple[str, str | None]]


class _Handler(BaseHTTPRequestHandler):
    server: Server

    def _reply(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.asked.append((f"{self.command} {self.path}", self.headers.get("Authorization")))
        replies = self.server.replies
        status, headers, body = replies.pop(0) if len(replies) > 1 else replies[0]
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_PUT = do_DELETE = _reply  # noqa: N815

    def log_message(self, *_: Any) -> None:
        """Nothing."""


@contextmanager
def answering(*replies: Reply) -> Iterator[Server]:
    with Server(("127.0.0.1", 0), _Handler) as server:
        server.replies, server.asked = list(replies), []
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def url_of(server: Server) -> str:
    return f"http://127.0.0.1:{server.server_address[1]}"


def both(url: str, call: Any, **options: Any) -> list[dict[str, Any]]:
    """What the error of a call says with either client; {} where it is done."""

    async def waiting() -> dict[str, Any]:
        async with AsyncClient(url, "k", **options) as client:
            return await declined(lambda: call(client))

    with Client(url, "k", **options) as client:
        return [asyncio.run(declined(lambda: call(client))), asyncio.run(waiting())]


def again(status: int, body: bytes, after: str = "0") -> Reply:
    return status, {"Retry-After": after}, body


@pytest.mark.parametrize(
    ("reply", "call", "is_repeated"),
    [
        pytest.param(again(429, BUSY), "search", True, id="a question too many"),
        pytest.param(again(429, BUSY), "create", True, id="a write too many"),
        pytest.param(again(503, BUSY), "search", True, id="a question while busy"),
        pytest.param(again(503, BUSY), "create", True, id="a write refused before it began"),
        pytest.param(again(503, SLOW), "search", True, id="a question out of time"),
        pytest.param(again(503, SLOW), "create", False, id="a write out of time: it may have been done"),
        pytest.param((503, {}, b"<html>gateway</html>"), "create", False, id="a write that a gateway lost"),
        pytest.param(again(503, BUSY, "3600"), "search", False, id="longer than anybody waits"),
        pytest.param(again(503, BUSY, "9" * 400), "search", True, id="a wait that is no number: a second"),
        pytest.param(again(500, BUSY), "search", False, id="broken"),
        pytest.param(again(412, BUSY), "create", False, id="stale"),
    ],
)
def test_only_a_temporary_refusal_is_retried(reply: Reply, call: str, is_repeated: bool) -> None:  # noqa: FBT001
    def ask(client: Any) -> Any:
        return client.search("x") if call == "search" else client.incidents.create({"title": "x"})

    with answering(reply, DONE, reply, DONE) as server:
        told = both(url_of(server), ask, patience=Patience(times=2, seconds=2.0))
        asked = len(server.asked)
    assert (told, asked) == ([{}, {}], 4) if is_repeated else (not told[0], asked) == (False, 2)


def test_the_client_waits_for_retry_after() -> None:
    with answering(again(503, BUSY, "1"), DONE) as server, Client(url_of(server), "") as client:
        started = time.monotonic()
        client.search("x")
        assert 1.0 <= time.monotonic() - started < 10.0


def test_the_client_gives_up_with_the_problem_of_the_service() -> None:
    with answering(again(503, BUSY)) as server:
        told = both(url_of(server), lambda client: client.search("x"), patience=Patience(times=2))
        assert len(server.asked) == 6
    for error in told:
        assert (error["status"], error["kind"], error["problem"]) == (503, "overloaded", "Too many")
        assert error["cure"]


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param((200, {}, b"<html>hello</html>"), id="a page"),
        pytest.param((200, {}, b"[1, 2]"), id="a list"),
        pytest.param((200, {}, b"[" * 100_000), id="nested without end"),
        pytest.param((404, {}, b"not found"), id="an error of somebody else"),
        pytest.param(
            (302, {"Location": "https://evil.example/"}, b""), id="a redirect, which is not followed with the key"
        ),
    ],
)
def test_an_answer_of_another_server_is_named_in_the_error(reply: Reply) -> None:
    with answering(reply) as server, Client(url_of(server), "secret") as client:
        with pytest.raises(Foreign, match="is not dejastack"):
            client.search("x")
        assert len(server.asked) == 1


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:9", "http://[::1", "http://no.such.host.invalid", "https://127.0.0.1:9"]
)
def test_an_unreachable_service_is_an_error_with_its_address(url: str) -> None:
    with pytest.raises(Unreachable, match="no service answers at"), Client(url) as client:
        client.search("x")


@pytest.mark.parametrize("url", ["localhost:8420", "ftp://x", "kb"])
def test_an_invalid_url_is_an_error_with_a_cure(url: str) -> None:
    with pytest.raises(SettingsError, match="is no address of a service"):
        Client(url)


def test_an_answer_that_does_not_come_is_given_up() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        Client(f"http://127.0.0.1:{silent.getsockname()[1]}", timeout=0.2) as client,
        pytest.raises(Unreachable),
    ):
        client.search("x")


def test_address_and_key_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KB_URL", "https://kb.example.org/")
    monkeypatch.setenv("KB_KEY", "from-outside")
    assert ServiceAddress.of(None, None) == ServiceAddress("https://kb.example.org", "from-outside")
    assert ServiceAddress.of("http://here:1", "given").headers == {"Authorization": "Bearer given"}
    assert ServiceAddress.of(None, "").headers == {}
    monkeypatch.delenv("KB_URL")
    assert ServiceAddress.of(None, None).url == "http://127.0.0.1:8420"
    assert "from-outside" not in repr(ServiceAddress.of(None, None))
    with pytest.raises(SettingsError):
        ServiceAddress.of(None, "a\nb")


def test_the_key_travels_and_errors_are_the_operators() -> None:
    assert issubclass(Declined, KbError)
    with answering(DONE) as server:
        both(url_of(server), lambda client: client.incidents.get("a/b c?"))
        assert server.asked == [("GET /v1/incidents/a%2Fb%20c%3F", "Bearer k")] * 2


def test_a_vote_is_about_a_match_of_the_answer() -> None:
    answer: Any = {"matches": [], "snapshot_id": "s"}
    with Client("http://127.0.0.1:9") as client, pytest.raises(ValueError, match="no match"):
        client.incidents.feedback("a", "yes", answer, text="x")


def test_what_may_have_been_done_is_not_to_be_sent_again_blindly() -> None:
    """Neither by the client, which sends what changes something once, nor by who reads its cure."""
    document = {"type": "urn:dejastack:problem:perhaps-saved", "detail": "No answer in time."}
    refused = Declined(503, document, 0.0)
    assert "kb incidents history" in str(refused)
    assert "try again" not in str(refused)
    assert "try again" in str(Declined(503, document | {"type": "urn:dejastack:problem:overloaded"}))
