"""What one process holds for the chat: settings, platforms, worker, counters."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import anyio

from api.chat.answering import Answering
from api.chat.platform import Platform
from api.chat.settings import ChatSettings, platform_names, platforms_from_environment
from api.chat.worker import HOLD_SECONDS, ChatCounters, Deliver, Worker, WorkerContext
from api.contract.problems import HttpProblem
from api.server.service import Service
from api.settings import ServiceSettings, loaded


@dataclass(frozen=True, slots=True)
class ChatSetup:
    """Settings and configured platforms."""

    settings: ChatSettings
    platforms: Mapping[str, Platform]

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
    hold = HOLD_SECONDS + settings.search_seconds
    keeps = settings.feedback_text
    context = WorkerContext(service, chats.platforms, chats.settings, answering, counts, keeps, hold, deliveries)
    return ChatContext(service, chats.settings, chats.platforms, answering, counts, Worker(context), hold)
