"""The service, asked from Python: `AsyncClient`, the same as `asking.Client` with methods that are awaited."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from types import TracebackType
from typing import Any, Literal, Self, TypeVar, cast

import httpx

from kb.client import calls
from kb.client.answered import Patience, answer_of
from kb.client.asking import SECONDS
from kb.client.calls import Call, Said
from kb.client.failures import Declined, Unreachable
from kb.client.records import (
    ChangedSighting,
    Diff,
    Draft,
    Incident,
    Listed,
    Merge,
    Revision,
    RevisionHead,
    Saved,
    Sightings,
    Votes,
)
from kb.client.shapes import Answer, BatchAnswer, Reading
from kb.client.where import ServiceAddress

T = TypeVar("T")


class AsyncClient:
    """A service that is asked. To be used in an `async with` block, or closed.

    ``url`` and ``key``: None for `KB_URL` (else this machine's port 8420) and `KB_KEY`. ``timeout`` in seconds, for each step of a
    request. Calls raise `Unreachable`, `Foreign` or `Declined`, which are `KbError`; what is refused for now is asked again with ``patience``.
    """

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        timeout: float = SECONDS,
        patience: Patience = Patience(),  # noqa: B008 - frozen
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        where = ServiceAddress.of(url, key)
        self.name = where.url
        """Of the service, for people."""
        self._patience = patience
        try:
            self._http = httpx.AsyncClient(
                base_url=where.url, headers=where.headers, timeout=timeout, transport=transport
            )
        except httpx.InvalidURL as error:
            raise Unreachable(where.url, error) from error
        self.incidents = AsyncIncidents(self)
        """What is known, read and written."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Let go of the connections."""
        await self._http.aclose()

    async def search(
        self,
        text: str,
        k: int = 5,
        filters: Mapping[str, str] | None = None,
        *,
        explain: bool = True,
        lang: Literal["zh", "en"] | None = None,
    ) -> Answer:
        """The closest known incidents of a paste, at most ``k`` (1 to 50), told in a language (None: that of the paste)."""
        return await self.ask(calls.search(text, k, filters, explain=explain, lang=lang))

    async def search_batch(
        self, items: Iterable[tuple[str, str]], k: int = 5, *, explain: bool = True
    ) -> list[BatchAnswer]:
        """The same of up to 1,000 pastes, each with an id of its own; answers in their order."""
        return (await self.ask(calls.search_batch(items, k, explain=explain)))["answers"]

    async def parse(self, text: str) -> Reading:
        """What is understood of a text: traces, templates, fingerprints, redactions."""
        return await self.ask(calls.parse(text))

    async def ask(self, call: Call[T]) -> T:
        """Send one call; again where it is refused for now."""
        sent, waited = 0, 0.0
        while True:
            sent += 1
            try:
                return cast("T", await self._sent(call))
            except Declined as declined:
                wait = self._patience.wait(call, declined, sent, waited)
                if wait is None:
                    raise
            await asyncio.sleep(wait)
            waited += wait

    async def _sent(self, call: Call[Any]) -> dict[str, Any]:
        try:
            response = await self._http.request(
                call.method, call.path, params=call.params, headers=call.headers, content=call.content
            )
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise Unreachable(self.name, str(error) or type(error).__name__) from error
        return answer_of(response, self.name)


class AsyncIncidents:
    """What is known, read and written by somebody: `client.incidents`. An id may hold anything."""

    def __init__(self, client: AsyncClient) -> None:
        self._client = client

    @property
    def name(self) -> str:
        """Of the service, for people."""
        return self._client.name

    async def get(self, incident_id: str) -> Incident:
        """An incident as it stands; of a merged one, the other."""
        return await self._client.ask(calls.get(incident_id))

    async def find(self, incident_id: str) -> Incident | None:
        """The same; None where there is none."""
        try:
            return await self.get(incident_id)
        except Declined as declined:
            if declined.status == httpx.codes.NOT_FOUND:
                return None
            raise

    async def listed(self, **wanted: Any) -> AsyncIterator[Listed]:
        """The lines of a list, page by page: ``status``, ``component``, ``text``, ``author``, ``place``, ``order``."""
        cursor: str | None = None
        while True:
            page = await self._client.ask(calls.page(wanted, cursor))
            for one in page["incidents"]:
                yield one
            if (cursor := page["next"]) is None:
                return

    async def history(self, incident_id: str) -> AsyncIterator[RevisionHead]:
        """The heads of its revisions, the newest first."""
        before: int | None = None
        while True:
            page = await self._client.ask(calls.history(incident_id, before))
            for one in page["revisions"]:
                yield one
            if (before := page["next"]) is None:
                return

    async def revision(self, incident_id: str, number: int) -> Revision | None:
        """One revision with its words; None where there is none of that number."""
        try:
            return await self._client.ask(calls.revision(incident_id, number))
        except Declined as declined:
            if declined.status == httpx.codes.NOT_FOUND:
                return None
            raise

    async def diff(self, incident_id: str, earlier: int, later: int) -> Diff:
        """What two revisions say differently."""
        return await self._client.ask(calls.diff(incident_id, earlier, later))

    async def create(self, said: Said, note: str = "") -> Saved:
        """A new incident from a write-up in Markdown or from fields. It is searched when this returns."""
        return await self._client.ask(calls.create(said, note))

    async def replace(self, incident_id: str, said: Said, expected: int, note: str = "") -> Saved:
        """New words for an incident that is at revision ``expected``; `Declined` with status 412 where it is not."""
        return await self._client.ask(calls.replace(incident_id, said, expected, note))

    async def retire(self, incident_id: str, expected: int, note: str = "") -> Saved:
        """It is searched no more; nothing is lost."""
        return await self._client.ask(calls.retire(incident_id, expected, note))

    async def move(self, incident_id: str, status: str, expected: int, note: str = "") -> Saved:
        """The same words in another state."""
        return await self._client.ask(calls.move(incident_id, status, expected, note))

    async def restore(self, incident_id: str, number: int, expected: int) -> Saved:
        """The words of an old revision once more."""
        return await self._client.ask(calls.restore(incident_id, number, expected))

    async def attach(self, incident_id: str, trace: str, note: str = "") -> Saved:
        """One trace more: also seen as."""
        return await self._client.ask(calls.attach(incident_id, trace, note))

    async def merge(self, incident_id: str, into: str, expected: tuple[int, int], note: str = "") -> Merge:
        """Retire one in favour of another; ``expected``: the revisions of both."""
        return await self._client.ask(calls.merge(incident_id, into, expected, note))

    async def split(self, incident_id: str, note: str = "") -> Merge:
        """Take a merge back."""
        return await self._client.ask(calls.split(incident_id, note))

    async def similar(self, said: Said, k: int = 5, but: str | None = None) -> Answer:
        """What is known that may be the same as what is being written; ``but``: the one that is edited."""
        return await self._client.ask(calls.similar(said, k, but))

    async def draft(self, text: str) -> Draft:
        """A write-up to begin with, of a paste. Nothing is saved."""
        return await self._client.ask(calls.draft(text))

    async def feedback(self, incident_id: str, vote: str, answer: Answer, **told: Any) -> Votes:
        """That a match of an answer was it (``yes``) or was not (``no``); ``text`` or ``fingerprints`` tell the query.

        ValueError when the answer has no such match.
        """
        return await self._client.ask(calls.feedback(incident_id, vote, answer, told))

    async def votes(self, incident_id: str) -> Votes:
        """What was voted so far."""
        return await self._client.ask(calls.votes(incident_id))

    async def sightings(self, incident_id: str) -> Sightings:
        """The pastes that readers confirmed or denied, the newest first. For curators."""
        return await self._client.ask(calls.sightings(incident_id))

    async def remove_sighting(self, incident_id: str, name: str) -> ChangedSighting:
        """Have one of them count no more."""
        return await self._client.ask(calls.put_sighting(incident_id, name, removed=True))

    async def put_back_sighting(self, incident_id: str, name: str) -> ChangedSighting:
        """Have a removed one count again."""
        return await self._client.ask(calls.put_sighting(incident_id, name, removed=False))
