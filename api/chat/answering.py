"""A question of a chat → what is answered: its files fetched, all of it searched as at every other door."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace

import httpx

from api import view
from api.chat.compose import About, answer_card, cut, notice_card, reply_language, words_of
from api.chat.platform import Later, Never, Platform, Question
from api.chat.queue_codec import Answered, cleaned
from api.problems import HttpProblem
from api.service import Service
from index import Engine
from index.live.sightings import fingerprint_digests
from kb.errors import SnapshotError
from kb.redact import redact

K = 5
TURN_SECONDS = 20.0
"""A question waits so long for its turn, so that it is searched while it is held."""
FETCH_SECONDS = 30.0
"""A platform's files are there by then, or the question is tried again later."""

_NAME, _NAMES = 80, 5
"""Characters of a file's name that are told, and of how many files."""


class Answering:
    """Answers questions, of which so many are searched at once in this process: chats leave room for the other doors."""

    def __init__(self, service: Service, public_url: str | None, searches: int = 1) -> None:
        self._service = service
        self._public_url = public_url
        self._turn = asyncio.Semaphore(searches)

    def about(self, ref: str, notes: tuple[str, ...] = (), alert: str = "") -> About:
        """What a message is about, beside what was found."""
        return About(ref, self._public_url, notes, alert)

    async def whole(self, asked: Question, platform: Platform, client: httpx.AsyncClient) -> tuple[Question, list[str]]:
        """The question with the texts of its files, secrets out, and what is to be said of them. Later when they are not to be had now."""
        if not asked.files:
            return asked, []
        try:
            async with asyncio.timeout(FETCH_SECONDS):
                fetched = await platform.fetch(asked, client)
        except Never:
            return replace(asked, files=()), [words_of(reply_language(asked.text))("chat_no_file")]
        except TimeoutError:
            raise Later("the files did not come in time") from None
        joined = "\n".join(filter(str.strip, (asked.text, fetched.text)))
        with later_than_overloaded():
            text, notes = await self._service.run("parse", lambda: cleaned(joined))
        t = words_of(reply_language(text))
        for key, names in (("chat_file_unread", fetched.unread), ("chat_file_cut", fetched.cut)):
            if names:
                notes.append(t(key, names=", ".join(cut(redact(name).text, _NAME) for name in names[:_NAMES])))
        return replace(asked, text=text, files=()), notes

    async def answer(self, text: str, about: About) -> Answered:
        """The answer to a text, secrets out of it already; Later when there is no place or no time for a search."""
        if not text.strip():
            return Answered(notice_card("empty", reply_language(text), about))
        try:
            with later_than_overloaded():
                async with self._a_turn():
                    found, answered = await self._service.ask(lambda engine: _search(engine, text, about))
        except SnapshotError:
            return Answered(notice_card("no_snapshot", reply_language(text), about))
        self._service.gave(found.answer, "chat")
        return answered

    @asynccontextmanager
    async def _a_turn(self) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(TURN_SECONDS):
                await self._turn.acquire()
        except TimeoutError:
            raise Later("too many questions at once") from None
        try:
            yield
        finally:
            self._turn.release()


@contextmanager
def later_than_overloaded() -> Iterator[None]:
    """No place and no time now is a reason to try again."""
    try:
        yield
    except HttpProblem as problem:
        if problem.status_code != 503:
            raise
        seconds = (problem.headers or {}).get("Retry-After", "")
        raise Later(problem.kind, float(seconds) if seconds.isdecimal() else None) from None


def _search(engine: Engine, text: str, about: About) -> tuple[view.AnswerView, Answered]:
    reading, seen = view.find(engine, text, K)
    lang = "en" if seen.answer.query.lang == "en" else "zh"
    matches = tuple((match.incident.id, match.probability) for match in seen.answer.matches)
    return seen, Answered(
        answer_card(seen, lang, about), matches, fingerprint_digests(reading), seen.answer.snapshot_id
    )
