"""`AsyncClient`: the service from Python, with methods that are awaited.

`tools/unasync.py` writes `sync_client.py` from this file, so change both by changing this one.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from types import TracebackType
from typing import Any, Literal, Self, TypeVar, cast

import httpx

from kb.client import calls
from kb.client.calls import Call, Content
from kb.client.parse_shapes import Reading
from kb.client.protocol import SECONDS, Declined, Patience, ServiceAddress, Unreachable, answer_of
from kb.client.shapes import (
    Answer,
    BatchAnswer,
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
from kb.client.triage_shapes import CrashGroup, Explained, LikelyVerdict, TriageFigures, TriageRow

T = TypeVar("T")


class AsyncClient:
    """A client of one service. Use it in an `async with` block, or close it.

    ``url`` and ``key``: None for `KB_URL` (else port 8420 of this machine) and `KB_KEY`. ``timeout``: seconds for each step of a
    request. Calls raise `Unreachable`, `Foreign` or `Declined`, which are `KbError`. ``patience`` says how often a call is sent again
    that the service refuses for now.
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
        """The service, as people know it."""
        self._patience = patience
        try:
            self._http = httpx.AsyncClient(
                base_url=where.url, headers=where.headers, timeout=timeout, transport=transport
            )
        except httpx.InvalidURL as error:
            raise Unreachable(where.url, error) from error
        self.incidents = AsyncIncidents(self)
        """Read and write incidents."""
        self.triage = AsyncTriage(self)
        """Read the reports of `kb triage`."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
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
        """Return the closest known incidents of a paste, best first, at most ``k`` (1 to 50), told in a language (None: that of the paste)."""
        return await self.ask(calls.search(text, k, filters, explain=explain, lang=lang))

    async def search_batch(
        self, items: Iterable[tuple[str, str]], k: int = 5, *, explain: bool = True
    ) -> list[BatchAnswer]:
        """Search up to 1,000 pastes, each with an id; return the answers in their order."""
        batch = await self.ask(calls.search_batch(items, k, explain=explain))
        return batch["answers"]

    async def parse(self, text: str) -> Reading:
        """Parse a text: traces, templates, fingerprints, redactions. Nothing is searched."""
        return await self.ask(calls.parse(text))

    async def ask(self, call: Call[T]) -> T:
        """Send one call, again where the service refuses it for now; return its answer."""
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
    """The incidents of a service: `client.incidents`. An id may hold any character."""

    def __init__(self, client: AsyncClient) -> None:
        self._client = client

    @property
    def name(self) -> str:
        """The service, as people know it."""
        return self._client.name

    async def get(self, incident_id: str) -> Incident:
        """Return an incident; of a merged one, the incident that it was merged into."""
        return await self._client.ask(calls.get(incident_id))

    async def find(self, incident_id: str) -> Incident | None:
        """Return an incident, or None where no incident has the id."""
        try:
            return await self.get(incident_id)
        except Declined as declined:
            if declined.status == httpx.codes.NOT_FOUND:
                return None
            raise

    async def listed(self, **wanted: Any) -> AsyncIterator[Listed]:
        """Yield the lines of the list, page by page. Filters: ``status``, ``component``, ``text``, ``author``, ``place``, ``order``."""
        cursor: str | None = None
        while True:
            page = await self._client.ask(calls.page(wanted, cursor))
            for one in page["incidents"]:
                yield one
            if (cursor := page["next"]) is None:
                return

    async def history(self, incident_id: str) -> AsyncIterator[RevisionHead]:
        """Yield the heads of its revisions, newest first."""
        before: int | None = None
        while True:
            page = await self._client.ask(calls.history(incident_id, before))
            for one in page["revisions"]:
                yield one
            if (before := page["next"]) is None:
                return

    async def revision(self, incident_id: str, number: int) -> Revision | None:
        """Return one revision with its content, or None where no revision has the number."""
        try:
            return await self._client.ask(calls.revision(incident_id, number))
        except Declined as declined:
            if declined.status == httpx.codes.NOT_FOUND:
                return None
            raise

    async def diff(self, incident_id: str, earlier: int, later: int) -> Diff:
        """Return the differences between two revisions."""
        return await self._client.ask(calls.diff(incident_id, earlier, later))

    async def create(self, content: Content, note: str = "") -> Saved:
        """Create an incident from a write-up in Markdown or from fields. Searches find it when this returns."""
        return await self._client.ask(calls.create(content, note))

    async def replace(self, incident_id: str, content: Content, expected: int, note: str = "") -> Saved:
        """Replace the content of an incident at revision ``expected``; raise `Declined` with status 412 when it is at another."""
        return await self._client.ask(calls.replace(incident_id, content, expected, note))

    async def retire(self, incident_id: str, expected: int, note: str = "") -> Saved:
        """Retire an incident: searches no longer find it; its history stays."""
        return await self._client.ask(calls.retire(incident_id, expected, note))

    async def move(self, incident_id: str, status: str, expected: int, note: str = "") -> Saved:
        """Change the status and nothing else."""
        return await self._client.ask(calls.move(incident_id, status, expected, note))

    async def restore(self, incident_id: str, number: int, expected: int) -> Saved:
        """Save the content of an old revision as a new one."""
        return await self._client.ask(calls.restore(incident_id, number, expected))

    async def attach(self, incident_id: str, trace: str, note: str = "") -> Saved:
        """Add a trace under which the incident was also seen."""
        return await self._client.ask(calls.attach(incident_id, trace, note))

    async def merge(self, incident_id: str, into: str, expected: tuple[int, int], note: str = "") -> Merge:
        """Merge one incident into another; ``expected``: the revisions of both."""
        return await self._client.ask(calls.merge(incident_id, into, expected, note))

    async def split(self, incident_id: str, note: str = "") -> Merge:
        """Undo a merge."""
        return await self._client.ask(calls.split(incident_id, note))

    async def similar(self, content: Content, k: int = 5, but: str | None = None) -> Answer:
        """Find known incidents that may be the same as a draft; ``but``: the id of the one being edited."""
        return await self._client.ask(calls.similar(content, k, but))

    async def draft(self, text: str) -> Draft:
        """Draft a write-up from a paste. Nothing is saved."""
        return await self._client.ask(calls.draft(text))

    async def feedback(self, incident_id: str, vote: str, answer: Answer, **query: Any) -> Votes:
        """Vote on a match of an answer: ``yes`` or ``no``. Give the query as ``text`` or ``fingerprints``.

        Raise ValueError when the answer has no such match.
        """
        return await self._client.ask(calls.feedback(incident_id, vote, answer, query))

    async def votes(self, incident_id: str) -> Votes:
        """Return the votes so far."""
        return await self._client.ask(calls.votes(incident_id))

    async def sightings(self, incident_id: str) -> Sightings:
        """Return the pastes that readers confirmed or denied, newest first. For curators."""
        return await self._client.ask(calls.sightings(incident_id))

    async def remove_sighting(self, incident_id: str, name: str) -> ChangedSighting:
        """Stop counting one of them."""
        return await self._client.ask(calls.put_sighting(incident_id, name, removed=True))

    async def put_back_sighting(self, incident_id: str, name: str) -> ChangedSighting:
        """Count a removed one again."""
        return await self._client.ask(calls.put_sighting(incident_id, name, removed=False))


class AsyncTriage:
    """The reports of `kb triage`: `client.triage`. For curators."""

    def __init__(self, client: AsyncClient) -> None:
        self._client = client

    async def reports(self) -> AsyncIterator[TriageRow]:
        """Yield the reports, the last first, with their figures; one that cannot be read has a `problem` instead."""
        start: int | None = 0
        while start is not None:
            page = await self._client.ask(calls.triage_reports(start))
            for one in page["reports"]:
                yield one
            start = page["next"]

    async def figures(self, run: str) -> TriageFigures:
        """Return the figures of a report; raise `Declined` with status 404 when it is not there or cannot be read."""
        return await self._client.ask(calls.triage_figures(run))

    async def groups(self, run: str, *, new: bool = False) -> AsyncIterator[CrashGroup]:
        """Yield the groups of crashes that no incident explains, the most frequent first; ``new``: only those that no earlier report has."""
        start: int | None = 0
        while start is not None:
            page = await self._client.ask(calls.crash_groups(run, start, new=new))
            for one in page["groups"]:
                yield one
            start = page["next"]

    async def explained(self, run: str, verdict: LikelyVerdict | None = None) -> AsyncIterator[Explained]:
        """Yield the incidents that explain crashes, the most frequent first: those that are known, or probable, or both."""
        start: int | None = 0
        while start is not None:
            page = await self._client.ask(calls.explained_crashes(run, start, verdict))
            for one in page["incidents"]:
                yield one
            start = page["next"]

    async def draft(self, run: str, group: str) -> Draft:
        """Return the draft write-up of a group, by its `id`: give its `markdown` to `incidents.create`. Nothing is saved."""
        return await self._client.ask(calls.crash_draft(run, group))
