"""Somebody whom the service calls (the receiver of a webhook, a chat platform) answers without end or byte by byte: no more is read than is of use."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime

import httpx
import pytest

from api.chat import posting
from api.chat.platform import RetryableError
from api.hooks.webhook import Webhook
from kb.store.model import ChatMessage, MessageState

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"


@contextmanager
def endless(head: bytes, piece: bytes, pause: float = 0.0) -> Iterator[tuple[str, list[int]]]:
    """A server that sends a head and then a piece after the other until nobody reads on; its address, and how many bytes went to each client."""
    over, sent = threading.Event(), list[int]()

    def serve() -> None:
        while not over.is_set():
            with suppress(OSError):
                connection, _ = listener.accept()
                with connection:
                    connection.settimeout(5)
                    connection.recv(65_536)
                    sent.append(0)
                    connection.sendall(head)
                    while not over.wait(pause):
                        connection.sendall(piece)
                        sent[-1] += len(piece)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.2)
        thread = threading.Thread(target=serve)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/", sent
        over.set()
        thread.join()


_TIMEOUT = 0.6


async def answer_of(url: str, seconds: float = 5.0) -> httpx.Response:
    async with httpx.AsyncClient(timeout=seconds) as client:
        return await posting.request(client, "POST", url, is_repeatable=True)


def test_an_answer_without_end_is_cut() -> None:
    with endless(HEAD, b"x" * 65_536) as (url, sent):
        answer = asyncio.run(answer_of(url))
    assert answer.status_code == 200
    assert len(answer.content) == posting.ANSWER
    assert sent[0] < 16 << 20  # what the kernel's buffers took


def test_what_a_receiver_of_webhooks_answers_is_no_matter() -> None:
    """The event has arrived: its status says so."""
    now = datetime.now(UTC)
    message = ChatMessage(
        ref="event-1",
        platform="webhook",
        message_id="event-1",
        kind="event",
        state=MessageState.HELD,
        begun=False,
        question={"body": "{}"},
        answer=None,
        tries=1,
        why=None,
        holder=None,
        due_at=now,
        received_at=now,
    )

    async def send(url: str) -> None:
        async with httpx.AsyncClient() as client:
            await Webhook(url, "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz").send(message, client)

    with endless(HEAD, b"x" * 65_536) as (url, sent):
        asyncio.run(send(url))
    assert sent[0] < 16 << 20


@pytest.mark.parametrize(("head", "times"), [(HEAD, 1), (b"HTTP/1.1 200 OK\r\nX: ", 2)], ids=["body", "head"])
def test_an_answer_that_drips_is_waited_for_no_longer_than_is_said(head: bytes, times: int) -> None:
    """Each drop comes within the timeout of a read, all of them never."""

    async def timed(url: str) -> float:
        began = asyncio.get_running_loop().time()
        with suppress(RetryableError):
            await answer_of(url, _TIMEOUT)
        return asyncio.get_running_loop().time() - began

    with endless(head, b"x", pause=0.1) as (url, _):
        assert times * _TIMEOUT - 0.2 < asyncio.run(timed(url)) < times * _TIMEOUT + 2
