"""What one process holds for the chat: settings, platforms, worker, counters."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import anyio

from api.chat.answering import Answering
from api.chat.platform import Platform
from api.chat.settings import ChatSettings, platform_names, platforms_from_environment
from api.chat.worker import PACE, ChatCounters, Deliver, Worker, WorkerContext, WorkerPace
from api.contract.problems import HttpProblem
from api.server.service import Service
from api.settings import ServiceSettings, loaded


@dataclass(frozen=True, slots=True)
class ChatSetup:
    """Settings and configured platforms, with the clock and the limits of their doors."""

    settings: ChatSettings
    platforms: Mapping[str, Platform]
    pace: WorkerPace = PACE
    clock: Callable[[], float] = time.time
    """Seconds since 1970; the time in a platform's signature is compared with it."""
    calls: float = 100.0
    """Calls a second that an address may send to the doors of chat platforms, at the least: a platform sends what all people of a company
    write from a few addresses, and a limit that is right for one person's address must not lock it out. They are counted apart."""

    @classmethod
    def from_environment(cls) -> "ChatSetup":
        """Read them from `KB_*`. SettingsError names a wrong setting."""
        return cls(loaded(ChatSettings), platforms_from_environment())


@dataclass(frozen=True, slots=True)
class ChatContext:
    """The chat side of a running service."""

    service: Service
    settings: ChatSettings
    platforms: Mapping[str, Platform]
    answering: Answering
    counts: ChatCounters
    worker: Worker
    hold: float
    clock: Callable[[], float]
    threads: anyio.CapacityLimiter = field(default_factory=lambda: anyio.CapacityLimiter(8))

    def platform(self, name: str) -> Platform:
        """Return a platform by name. Problem 404 when it does not exist or is not set up."""
        if platform := self.platforms.get(name):
            return platform
        if name not in platform_names():
            raise HttpProblem(404, "not-found", "There is no such chat platform.")
        raise HttpProblem(404, "not-set-up", f"{name} is not set up here: `kb chat setup {name}` says how.")


def make_context(
    service: Service, settings: ServiceSettings, chats: ChatSetup, deliveries: Mapping[str, Deliver]
) -> ChatContext:
    """Build the context of a service. ``deliveries``: how events are sent that are no answers."""
    counts = ChatCounters(service.metrics.registry)
    for name in chats.platforms:
        counts.is_there(name)
    answering = Answering(service, chats.settings.public_url, max(1, settings.concurrency // 2))
    hold = chats.pace.hold + settings.search_seconds
    keeps = settings.feedback_text
    context = WorkerContext(
        service, chats.platforms, chats.settings, answering, counts, keeps, hold, deliveries, chats.pace
    )
    return ChatContext(service, chats.settings, chats.platforms, answering, counts, Worker(context), hold, chats.clock)
