"""Answer a question of a chat: fetch its files, search, and compose the card."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace

import httpx

from api.chat.compose import AnswerContext, answer_card, cut, notice_card, reply_language, words_of
from api.chat.platform import PermanentError, Platform, Question, RetryableError
from api.chat.queue_codec import Answered, cleaned
from api.contract.problems import HttpProblem
from api.render import view
from api.server.service import Service
from index import Engine
from index.ranking.sightings import fingerprint_digests
from kb.errors import CandidatesError, SnapshotError
from kb.redact import redact

K = 5
TURN_SECONDS = 20.0
"""How long a question waits for its turn; less than the worker holds it."""
FETCH_SECONDS = 30.0
"""Time limit for fetching files; after it the question is retried later."""

_NAME, _NAMES = 80, 5
"""Characters of a file name in a note, and how many names it holds."""


class Answering:
    """Answers questions. ``searches`` limits how many run at once in this process, to leave room for the other doors."""

    def __init__(self, service: Service, public_url: str | None, searches: int = 1) -> None:
        self._service = service
        self._public_url = public_url
        self._turn = asyncio.Semaphore(searches)

    def about(self, ref: str, notes: tuple[str, ...] = (), alert: str = "") -> AnswerContext:
        """The context of an answer: its reference, links, notes, and the name of an alert."""
        return AnswerContext(ref, self._public_url, notes, alert)

    async def with_files(
        self, question: Question, platform: Platform, client: httpx.AsyncClient
    ) -> tuple[Question, list[str]]:
        """Return the question with the texts of its files, secrets removed, and notes on them. RetryableError when the files cannot be fetched now."""
        if not question.files:
            return question, []
        try:
            async with asyncio.timeout(FETCH_SECONDS):
                fetched = await platform.fetch(question, client)
        except PermanentError:
            return replace(question, files=()), [words_of(reply_language(question.text))("chat_no_file")]
        except TimeoutError:
            raise RetryableError("the files did not come in time") from None
        joined = "\n".join(filter(str.strip, (question.text, fetched.text)))
        with later_than_overloaded():
            text, notes = await self._service.run("parse", lambda: cleaned(joined))
        t = words_of(reply_language(text))
        for key, names in (("chat_file_unread", fetched.unread), ("chat_file_cut", fetched.cut)):
            if names:
                notes.append(t(key, names=", ".join(cut(redact(name).text, _NAME) for name in names[:_NAMES])))
        return replace(question, text=text, files=()), notes

    async def answer(self, text: str, about: AnswerContext) -> Answered:
        """Return the answer to a text whose secrets are removed already. RetryableError when no search slot frees up in time."""
        if not text.strip():
            return Answered(notice_card("empty", reply_language(text), about))
        try:
            with later_than_overloaded():
                async with self._a_turn():
                    seen, answered = await self._service.ask(lambda engine: _search(engine, text, about))
        except CandidatesError as error:
            raise RetryableError(error.problem) from None
        except SnapshotError:
            return Answered(notice_card("no_snapshot", reply_language(text), about))
        self._service.gave(seen.answer, "chat", text)
        return answered

    @asynccontextmanager
    async def _a_turn(self) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(TURN_SECONDS):
                await self._turn.acquire()
        except TimeoutError:
            raise RetryableError("too many questions at once") from None
        try:
            yield
        finally:
            self._turn.release()


@contextmanager
def later_than_overloaded() -> Iterator[None]:
    """Turn an overload (Problem 503) into a RetryableError."""
    try:
        yield
    except HttpProblem as problem:
        if problem.status_code != 503:
            raise
        seconds = (problem.headers or {}).get("Retry-After", "")
        raise RetryableError(problem.kind, float(seconds) if seconds.isdecimal() else None) from None


def _search(engine: Engine, text: str, about: AnswerContext) -> tuple[view.AnswerView, Answered]:
    reading, seen = view.find(engine, text, K)
    lang = "en" if seen.answer.query.lang == "en" else "zh"
    matches = tuple((match.incident.id, match.probability) for match in seen.answer.matches)
    return seen, Answered(
        answer_card(seen, lang, about), matches, fingerprint_digests(reading), seen.answer.snapshot_id
    )
