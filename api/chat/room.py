"""Everything of the chat doors that one process has."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import anyio

from api.chat.answering import Answering
from api.chat.counts import ChatCounters
from api.chat.platform import Platform
from api.chat.platforms import from_environment, names
from api.chat.settings import ChatSettings
from api.chat.work import HOLD_SECONDS, Worker, WorkerContext
from api.problems import HttpProblem
from api.service import Service
from api.settings import ServiceSettings, loaded


@dataclass(frozen=True, slots=True)
class Chats:
    """How the chat doors are set up."""

    settings: ChatSettings
    platforms: Mapping[str, Platform]

    @classmethod
    def from_environment(cls) -> "Chats":
        """As `KB_*` say. SettingsError names what is wrong."""
        return cls(loaded(ChatSettings), from_environment())


@dataclass(frozen=True, slots=True)
class Room:
    """The chat doors of a running service."""

    service: Service
    settings: ChatSettings
    platforms: Mapping[str, Platform]
    answering: Answering
    counts: ChatCounters
    worker: Worker
    hold: float
    threads: anyio.CapacityLimiter = field(default_factory=lambda: anyio.CapacityLimiter(8))

    def platform(self, name: str) -> Platform:
        """The platform of that name; Problem 404 when there is none, or when it is not set up."""
        if platform := self.platforms.get(name):
            return platform
        if name not in names():
            raise HttpProblem(404, "not-found", "There is no such chat platform.")
        raise HttpProblem(404, "not-set-up", f"{name} is not set up here: `kb chat setup {name}` says how.")


def made(service: Service, settings: ServiceSettings, chats: Chats) -> Room:
    """The room of a service."""
    counts = ChatCounters(service.metrics.registry)
    for name in chats.platforms:
        counts.is_there(name)
    answering = Answering(service, chats.settings.public_url, max(1, settings.concurrency // 2))
    hold = HOLD_SECONDS + settings.search_seconds
    keeps = settings.feedback_text
    worker = Worker(WorkerContext(service, chats.platforms, chats.settings, answering, counts, keeps, hold))
    return Room(service, chats.settings, chats.platforms, answering, counts, worker, hold)
