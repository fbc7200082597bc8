"""The worker of the queue: a task in each process that claims what is due, answers it and posts the answer, with retries."""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import anyio
import httpx
from anyio import to_thread
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from api.chat.answering import FETCH_SECONDS, Answering, later_than_overloaded
from api.chat.platform import AnswersAtOnce, PermanentError, Platform, RetryableError
from api.chat.queue_codec import (
    CARD,
    EVENT,
    GROUP,
    PRESS,
    QUESTION,
    QUIET,
    Answered,
    card_from_json,
    click_from_json,
    question_from_json,
)
from api.chat.settings import ChatSettings
from api.chat.votes import record_vote
from api.server.service import Service
from index.answer import Verdict
from kb.errors import KbError
from kb.store import Store
from kb.store.model import ChatMessage, MessageState

SECONDS = (0.1, 0.25, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0)


class ChatCounters:
    """Calls by platform, and what became of the questions in them."""

    def __init__(self, registry: CollectorRegistry) -> None:
        def counter(name: str, meaning: str, *labels: str) -> Counter:
            return Counter(name, meaning, ("platform", *labels), registry=registry)

        self._received = counter(
            "kb_chat_received", "Calls taken: check, question, press, nothing; seen: again.", "what"
        )
        self._refused = counter("kb_chat_refused", "Calls refused.", "reason")
        self._answered = counter("kb_chat_answered", "Questions answered in the chat.")
        self._retries = counter("kb_chat_retries", "Tries that were put off.")
        self._dead = counter("kb_chat_dead", "Questions given up.")
        self._took = Histogram(
            "kb_chat_seconds",
            "From taking a question to its answer.",
            ("platform",),
            buckets=SECONDS,
            registry=registry,
        )
        self._platforms = Gauge(
            "kb_chat_platforms",
            "Chat platforms that are set up.",
            ("platform",),
            registry=registry,
            multiprocess_mode="livemax",
        )
        self._letters = Gauge(
            "kb_chat_dead_letters",
            "Questions given up that nobody has settled.",
            ("platform",),
            registry=registry,
            multiprocess_mode="livemostrecent",
        )

    def is_there(self, platform: str) -> None:
        """The platform is set up in this process."""
        self._platforms.labels(platform).set(1)

    def received(self, platform: str, what: str) -> None:
        """A call that its platform has sent."""
        self._received.labels(platform, what).inc()

    def refused(self, platform: str, reason: str) -> None:
        """A call that is not what it claims to be; ``reason`` is one of `api.chat.platform.REASONS`."""
        self._refused.labels(platform, reason).inc()

    def answered(self, platform: str, seconds: float) -> None:
        """Count an answered question and the seconds since it came."""
        self._answered.labels(platform).inc()
        self._took.labels(platform).observe(seconds)

    def retried(self, platform: str) -> None:
        """A try that was put off."""
        self._retries.labels(platform).inc()

    def gave_up(self, platform: str) -> None:
        """A question that became a dead letter."""
        self._dead.labels(platform).inc()

    def dead_letters(self, now: Mapping[str, int]) -> None:
        """Set the number of dead letters, by platform."""
        for platform, count in now.items():
            self._letters.labels(platform).set(count)


log = logging.getLogger(__name__)

Result = TypeVar("Result")
Deliver = Callable[[ChatMessage, httpx.AsyncClient], Awaitable[None]]
"""Sends an event. Raises RetryableError or PermanentError; the same event may be sent again."""
TOGETHER = 16
"""Messages that one process handles at once; they mostly wait for a platform."""
SEND_SECONDS = 30.0
LONGEST_WAIT, MOST_WAIT = 300.0, 3600.0
"""Seconds: between two tries at most, and what a platform may ask for at most."""
GRACE_SECONDS = 2.0
HOUSEKEEPING_SECONDS = 60.0
MAY_BE_THERE = "may have been posted: it was on its way when it broke off, and the platform does not tell"


@dataclass(frozen=True, slots=True)
class WorkerPace:
    """How soon a worker looks and tries again, in seconds."""

    poll: float = 1.0
    """Between two looks for due messages of other processes; its own wake it."""
    first_wait: float = 2.0
    """Before the second try, doubled each time."""
    hold: float = FETCH_SECONDS + SEND_SECONDS
    """After so long and the longest search another process takes over a message whose process died."""


PACE = WorkerPace()


@dataclass(frozen=True, slots=True)
class WorkerContext:
    """What the worker needs."""

    service: Service
    platforms: Mapping[str, Platform]
    settings: ChatSettings
    answering: Answering
    counts: ChatCounters
    keeps_text: bool
    """Whether feedback keeps the text of the question."""
    hold: float
    """Seconds that a message is held for before each of its steps."""
    deliveries: Mapping[str, Deliver]
    """How events are sent, by their place in the queue."""
    pace: WorkerPace = PACE


class Worker:
    """Processes the queue in one process."""

    def __init__(self, context: WorkerContext) -> None:
        self._context = context
        self._woken = asyncio.Event()
        self._idle = asyncio.Event()
        self._running = 0
        self._stops = False
        self._failed = False
        self._threads = anyio.CapacityLimiter(4)

    def wake(self) -> None:
        """Wake the worker: this process has queued a message."""
        self._woken.set()

    async def keep_working(self) -> None:
        """Run until cancelled. A failure with one message does not end it."""
        if not self._context.platforms and not self._context.deliveries:
            return
        async with (
            httpx.AsyncClient(timeout=10.0, follow_redirects=False) as client,
            anyio.create_task_group() as tasks,
        ):
            tasks.start_soon(self._keep_house)
            while True:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._woken.wait(), self._context.pace.poll)
                self._woken.clear()
                for message in await self._claimed():
                    self._running += 1
                    tasks.start_soon(self._work, message, client)

    async def finish(self) -> None:
        """Claim nothing new, and give running messages a moment to end."""
        self._stops = True
        self._idle.clear()
        if not self._running:
            return
        with anyio.move_on_after(GRACE_SECONDS):
            await self._idle.wait()

    async def in_store(self, work: Callable[[Store], Result]) -> Result:
        """Run ``work`` on the store in a thread and return its result."""
        return await to_thread.run_sync(lambda: work(self._context.service.store), limiter=self._threads)

    async def _claimed(self) -> list[ChatMessage]:
        free = TOGETHER - self._running
        if free <= 0 or self._stops:
            return []

        def claim(store: Store) -> list[ChatMessage]:
            queue = store.messages
            return queue.claim(_now(), self._context.hold, free) if queue.is_due(_now()) else []

        try:
            claimed = await self.in_store(claim)
        except Exception:  # the store is away: what is in it waits
            if not self._failed:
                log.exception("chat messages cannot be looked for")
            self._failed = True
            return []
        self._failed = False
        return claimed

    async def _work(self, message: ChatMessage, client: httpx.AsyncClient) -> None:
        """Handle one message."""
        job = _Job(self, self._context, message, client)
        try:
            await job.do()
        except asyncio.CancelledError:
            if not job.has_begun:
                with anyio.CancelScope(shield=True), suppress(Exception):
                    await self.in_store(
                        lambda store: store.messages.later(message, _now(), _now(), "the service ended")
                    )
            raise
        except Exception:  # the store is away: another try when the hold ends
            log.exception("a chat message is left for later")
        finally:
            self._running -= 1
            if not self._running:
                self._idle.set()
            self.wake()

    async def _keep_house(self) -> None:
        """Delete expired messages and count dead letters."""
        while True:
            with suppress(Exception):
                await self.in_store(self._tidied)
            await anyio.sleep(HOUSEKEEPING_SECONDS)

    def _tidied(self, store: Store) -> None:
        store.messages.forget(_now() - timedelta(days=self._context.settings.chat_days))
        counted = store.messages.counts()
        names = set(self._context.platforms) | {platform for platform, _ in counted}
        self._context.counts.dead_letters({name: counted.get((name, MessageState.DEAD), 0) for name in names})


class _Job:
    """One message being handled."""

    def __init__(self, worker: Worker, context: WorkerContext, message: ChatMessage, client: httpx.AsyncClient) -> None:
        self._worker = worker
        self._context = context
        self._message = message
        self._client = client
        self.has_begun = message.begun

    async def do(self) -> None:
        """Handle it, and store the outcome."""
        message, platform = self._message, self._context.platforms.get(self._message.platform)
        deliver = self._context.deliveries.get(message.platform)
        steps = {QUESTION: self._answer, PRESS: self._note}
        try:
            if message.kind == EVENT and deliver:
                await self._deliver(deliver)
                return
            if platform is None or message.kind not in steps:
                raise PermanentError(f"{message.platform} is not set up")  # noqa: TRY301 - one place decides what becomes of it
            await steps[message.kind](platform)
        except RetryableError as later:
            await self._put_off(str(later), later.seconds, begun=message.begun or later.may_be_there)
        except PermanentError as never:
            await self._give_up(str(never))
        except TimeoutError:
            await self._broke_off("it did not end in time", platform)
        except KbError as error:
            await self._broke_off(error.problem, platform)
        except Exception as error:
            log.exception("a chat message failed")
            await self._broke_off(f"a fault in dejastack: {type(error).__name__}", platform)

    async def _answer(self, platform: Platform) -> None:
        message = self._message
        is_alert = GROUP in message.question
        is_in_response = isinstance(platform, AnswersAtOnce) and not (is_alert or CARD in message.question)
        if message.begun and not (self._sends_once(platform) or is_in_response):
            raise PermanentError(MAY_BE_THERE)
        question = question_from_json(message)
        notes, alert = tuple(message.question.get("notes", ())), str(message.question.get("alert", ""))
        if message.answer is not None:
            answered = Answered.from_json(message.answer)
        elif CARD in message.question:
            answered = Answered(replace(card_from_json(message.question[CARD]), ref=message.ref))
        else:
            question, more = await self._context.answering.with_files(question, platform, self._client)
            about = self._context.answering.about(message.ref, (*notes, *more), alert)
            answered = await self._context.answering.answer(question.text, about)
            if is_alert and not await self._is_news(answered):
                await self._done({"text": question.text})
                return
        content = {**message.question, "text": question.text, "files": question.files}
        if not await self._begin(answered.to_json(), content):
            return
        if not is_in_response:
            async with asyncio.timeout(SEND_SECONDS):
                await platform.send(answered.message, question.target, self._client, is_again=message.begun)
        await self._done({"text": question.text})
        self._context.counts.answered(message.platform, (_now() - message.received_at).total_seconds())

    def _sends_once(self, platform: Platform) -> bool:
        age = (_now() - self._message.received_at).total_seconds()
        return platform.sends_once(self._message.question["target"], age)

    async def _is_news(self, answered: Answered) -> bool:
        """Whether to post an alert: it is a known incident that its group has not seen lately."""
        message, now = self._message, _now()
        if answered.message.verdict is not Verdict.KNOWN:
            return False
        name = f"{message.question[GROUP]}:{answered.matches[0][0]}"
        since = now - timedelta(seconds=float(message.question[QUIET]))
        return await self._worker.in_store(lambda store: store.messages.is_news(name, message.ref, now, since))

    async def _note(self, platform: Platform) -> None:
        """Store a vote and thank for it; a failed thank-you is no dead letter."""
        message, press = self._message, click_from_json(self._message)
        if message.answer is None:
            keeps, hold = self._context.keeps_text, self._context.hold
            with later_than_overloaded():
                thanks = await self._context.service.in_store(
                    lambda store, engine: record_vote(store, engine, message, hold, keeps_text=keeps)
                )
        else:
            thanks = str(message.answer["thanks"])
        with suppress(RetryableError, PermanentError, TimeoutError):
            async with asyncio.timeout(SEND_SECONDS):
                await platform.thank(thanks, press.target, self._client)
        await self._done({})

    async def _deliver(self, deliver: Deliver) -> None:
        """Send an event; one that broke off is sent again, under the same name."""
        async with asyncio.timeout(SEND_SECONDS):
            await deliver(self._message, self._client)
        await self._done({})

    async def _begin(self, answer: dict[str, Any], question: dict[str, Any]) -> bool:
        def begin(store: Store) -> bool:
            return store.messages.begin(self._message, _now(), self._context.hold, answer=answer, question=question)

        is_held = await self._worker.in_store(begin)
        self.has_begun = self.has_begun or is_held
        return is_held

    async def _done(self, kept: dict[str, Any]) -> None:
        await self._worker.in_store(lambda store: store.messages.done(self._message.ref, _now(), question=kept))

    async def _broke_off(self, why: str, platform: Platform | None) -> None:
        """Retry, or give up where the message may have been posted."""
        if self.has_begun and not (platform and self._sends_once(platform)):
            await self._give_up(f"{why}; {MAY_BE_THERE}")
        else:
            await self._put_off(why, None, begun=True)

    async def _put_off(self, why: str, seconds: float | None, *, begun: bool) -> None:
        """``begun``: if sending has begun, that stays noted, for it may have arrived; never where that is the end of it."""
        if self._message.tries >= self._context.settings.chat_tries:
            await self._give_up(why)
            return
        at = _now() + timedelta(seconds=wait(self._message.tries, seconds, self._context.pace.first_wait))
        platform = self._context.platforms.get(self._message.platform)
        stays = begun and self.has_begun and platform is not None and self._sends_once(platform)
        await self._worker.in_store(lambda store: store.messages.later(self._message, _now(), at, why, begun=stays))
        self._context.counts.retried(self._message.platform)

    async def _give_up(self, why: str) -> None:
        if await self._worker.in_store(lambda store: store.messages.dead(self._message, _now(), why)):
            self._context.counts.gave_up(self._message.platform)


def wait(tries: int, requested: float | None, first: float) -> float:
    """Return the seconds before the next try: what the platform asks for, else ``first`` and longer each time, with jitter."""
    jitter = random.random()  # noqa: S311 - nothing is guessed by it
    if requested is not None:
        return min(max(requested, 0.0), MOST_WAIT) + jitter
    return float(min(LONGEST_WAIT, first * 2 ** max(0, tries - 1))) * (0.5 + jitter / 2)


def _now() -> datetime:
    return datetime.now(UTC)
