"""`Client`: the service from Python. Written by `tools/unasync.py` from `async_client.py`; change that file instead."""

import time
from collections.abc import Iterable, Iterator, Mapping
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


class Client:
    """A client of one service. Use it in a `with` block, or close it.

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
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        where = ServiceAddress.of(url, key)
        self.name = where.url
        """The service, as people know it."""
        self._patience = patience
        try:
            self._http = httpx.Client(base_url=where.url, headers=where.headers, timeout=timeout, transport=transport)
        except httpx.InvalidURL as error:
            raise Unreachable(where.url, error) from error
        self.incidents = Incidents(self)
        """Read and write incidents."""
        self.triage = Triage(self)
        """Read the reports of `kb triage`."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def search(
        self,
        text: str,
        k: int = 5,
        filters: Mapping[str, str] | None = None,
        *,
        explain: bool = True,
        lang: Literal["zh", "en"] | None = None,
    ) -> Answer:
        """Return the closest known incidents of a paste, best first, at most ``k`` (1 to 50), told in a language (None: that of the paste)."""
        return self.ask(calls.search(text, k, filters, explain=explain, lang=lang))

    def search_batch(self, items: Iterable[tuple[str, str]], k: int = 5, *, explain: bool = True) -> list[BatchAnswer]:
        """Search up to 1,000 pastes, each with an id; return the answers in their order."""
        batch = self.ask(calls.search_batch(items, k, explain=explain))
        return batch["answers"]

    def parse(self, text: str) -> Reading:
        """Parse a text: traces, templates, fingerprints, redactions. Nothing is searched."""
        return self.ask(calls.parse(text))

    def ask(self, call: Call[T]) -> T:
        """Send one call, again where the service refuses it for now; return its answer."""
        sent, waited = 0, 0.0
        while True:
            sent += 1
            try:
                return cast("T", self._sent(call))
            except Declined as declined:
                wait = self._patience.wait(call, declined, sent, waited)
                if wait is None:
                    raise
            time.sleep(wait)
            waited += wait

    def _sent(self, call: Call[Any]) -> dict[str, Any]:
        try:
            response = self._http.request(
                call.method, call.path, params=call.params, headers=call.headers, content=call.content
            )
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise Unreachable(self.name, str(error) or type(error).__name__) from error
        return answer_of(response, self.name)


class Incidents:
    """The incidents of a service: `client.incidents`. An id may hold any character."""

    def __init__(self, client: Client) -> None:
        self._client = client

    @property
    def name(self) -> str:
        """The service, as people know it."""
        return self._client.name

    def get(self, incident_id: str) -> Incident:
        """Return an incident; of a merged one, the incident that it was merged into."""
        return self._client.ask(calls.get(incident_id))

    def find(self, incident_id: str) -> Incident | None:
        """Return an incident, or None where no incident has the id."""
        try:
            return self.get(incident_id)
        except Declined as declined:
            if declined.status == httpx.codes.NOT_FOUND:
                return None
            raise

    def listed(self, **wanted: Any) -> Iterator[Listed]:
        """Yield the lines of the list, page by page. Filters: ``status``, ``component``, ``text``, ``author``, ``place``, ``order``."""
        cursor: str | None = None
        while True:
            page = self._client.ask(calls.page(wanted, cursor))
            yield from page["incidents"]
            if (cursor := page["next"]) is None:
                return

    def history(self, incident_id: str) -> Iterator[RevisionHead]:
        """Yield the heads of its revisions, newest first."""
        before: int | None = None
        while True:
            page = self._client.ask(calls.history(incident_id, before))
            yield from page["revisions"]
            if (before := page["next"]) is None:
                return

    def revision(self, incident_id: str, number: int) -> Revision | None:
        """Return one revision with its content, or None where no revision has the number."""
        try:
            return self._client.ask(calls.revision(incident_id, number))
        except Declined as declined:
            if declined.status == httpx.codes.NOT_FOUND:
                return None
            raise

    def diff(self, incident_id: str, earlier: int, later: int) -> Diff:
        """Return the differences between two revisions."""
        return self._client.ask(calls.diff(incident_id, earlier, later))

    def create(self, content: Content, note: str = "") -> Saved:
        """Create an incident from a write-up in Markdown or from fields. Searches find it when this returns."""
        return self._client.ask(calls.create(content, note))

    def replace(self, incident_id: str, content: Content, expected: int, note: str = "") -> Saved:
        """Replace the content of an incident at revision ``expected``; raise `Declined` with status 412 when it is at another."""
        return self._client.ask(calls.replace(incident_id, content, expected, note))

    def retire(self, incident_id: str, expected: int, note: str = "") -> Saved:
        """Retire an incident: searches no longer find it; its history stays."""
        return self._client.ask(calls.retire(incident_id, expected, note))

    def move(self, incident_id: str, status: str, expected: int, note: str = "") -> Saved:
        """Change the status and nothing else."""
        return self._client.ask(calls.move(incident_id, status, expected, note))

    def restore(self, incident_id: str, number: int, expected: int) -> Saved:
        """Save the content of an old revision as a new one."""
        return self._client.ask(calls.restore(incident_id, number, expected))

    def attach(self, incident_id: str, trace: str, note: str = "") -> Saved:
        """Add a trace under which the incident was also seen."""
        return self._client.ask(calls.attach(incident_id, trace, note))

    def merge(self, incident_id: str, into: str, expected: tuple[int, int], note: str = "") -> Merge:
        """Merge one incident into another; ``expected``: the revisions of both."""
        return self._client.ask(calls.merge(incident_id, into, expected, note))

    def split(self, incident_id: str, note: str = "") -> Merge:
        """Undo a merge."""
        return self._client.ask(calls.split(incident_id, note))

    def similar(self, content: Content, k: int = 5, but: str | None = None) -> Answer:
        """Find known incidents that may be the same as a draft; ``but``: the id of the one being edited."""
        return self._client.ask(calls.similar(content, k, but))

    def draft(self, text: str) -> Draft:
        """Draft a write-up from a paste. Nothing is saved."""
        return self._client.ask(calls.draft(text))

    def feedback(self, incident_id: str, vote: str, answer: Answer, **query: Any) -> Votes:
        """Vote on a match of an answer: ``yes`` or ``no``. Give the query as ``text`` or ``fingerprints``.

        Raise ValueError when the answer has no such match.
        """
        return self._client.ask(calls.feedback(incident_id, vote, answer, query))

    def votes(self, incident_id: str) -> Votes:
        """Return the votes so far."""
        return self._client.ask(calls.votes(incident_id))

    def sightings(self, incident_id: str) -> Sightings:
        """Return the pastes that readers confirmed or denied, newest first. For curators."""
        return self._client.ask(calls.sightings(incident_id))

    def remove_sighting(self, incident_id: str, name: str) -> ChangedSighting:
        """Stop counting one of them."""
        return self._client.ask(calls.put_sighting(incident_id, name, removed=True))

    def put_back_sighting(self, incident_id: str, name: str) -> ChangedSighting:
        """Count a removed one again."""
        return self._client.ask(calls.put_sighting(incident_id, name, removed=False))


class Triage:
    """The reports of `kb triage`: `client.triage`. For curators."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def reports(self) -> Iterator[TriageRow]:
        """Yield the reports, the last first, with their figures; one that cannot be read has a `problem` instead."""
        start: int | None = 0
        while start is not None:
            page = self._client.ask(calls.triage_reports(start))
            yield from page["reports"]
            start = page["next"]

    def figures(self, run: str) -> TriageFigures:
        """Return the figures of a report; raise `Declined` with status 404 when it is not there or cannot be read."""
        return self._client.ask(calls.triage_figures(run))

    def groups(self, run: str, *, new: bool = False) -> Iterator[CrashGroup]:
        """Yield the groups of crashes that no incident explains, the most frequent first; ``new``: only those that no earlier report has."""
        start: int | None = 0
        while start is not None:
            page = self._client.ask(calls.crash_groups(run, start, new=new))
            yield from page["groups"]
            start = page["next"]

    def explained(self, run: str, verdict: LikelyVerdict | None = None) -> Iterator[Explained]:
        """Yield the incidents that explain crashes, the most frequent first: those that are known, or probable, or both."""
        start: int | None = 0
        while start is not None:
            page = self._client.ask(calls.explained_crashes(run, start, verdict))
            yield from page["incidents"]
            start = page["next"]

    def draft(self, run: str, group: str) -> Draft:
        """Return the draft write-up of a group, by its `id`: give its `markdown` to `incidents.create`. Nothing is saved."""
        return self._client.ask(calls.crash_draft(run, group))
