"""Write incidents: one change at a time, by one caller, under the rule of who may publish."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from api.access import Caller, Scope, forbidden, key_needed
from api.contract.problems import HttpProblem, named_in_body
from api.writing.incident_input import Written, merged_over
from api.writing.shapes import MOST_TRACES
from index import Engine
from kb.incident import Incident, Status
from kb.record import to_record
from kb.redact import redact
from kb.store import INGEST, Actor, Author, Exists, Missing, Revision, Role, Stale, Store
from kb.store.incidents import Clean, clean
from kb.store.model import Redirect
from kb.store.voices import Voter, Weight

_ANY = -1
"""Stands for any revision, for changes that replace no content."""
_LIVE = frozenset((Status.PUBLISHED, Status.RETIRED))


@dataclass(frozen=True, slots=True)
class VisibleIncident:
    """An incident as the caller may see it."""

    incident: Incident
    """Its revision and status are those that are shown."""
    place: Literal["store", "snapshot"]
    """``snapshot``: no curator has touched it."""
    at: datetime | None = None
    author: Author | None = None


@dataclass(frozen=True, slots=True)
class SavedChange:
    """What became of a change."""

    revision: Revision
    notes: tuple[str, ...] = ()
    searched: bool = True
    """Whether searches of this process go by it."""


@dataclass(frozen=True, slots=True)
class IncidentService:
    """The store and the search engine, for one caller."""

    store: Store
    engine: Engine | None
    """None while there is no snapshot."""
    caller: Caller
    review: bool
    """Only reviewers publish."""

    @property
    def actor(self) -> Actor:
        """The author. Problem 401 for an anonymous caller."""
        if self.caller.actor is None:
            raise key_needed()
        return self.caller.actor

    @property
    def sees_drafts(self) -> bool:
        """Whether unpublished words are shown."""
        return self.caller.may(Role.CURATOR)

    @property
    def may_publish(self) -> bool:
        """Whether what the caller saves may be searched at once."""
        return self.caller.may(Role.REVIEWER if self.review else Role.CURATOR)

    @property
    def voter(self) -> Voter:
        """How much a vote of the caller counts. People of a chat have a name and no key."""
        if self.caller.actor is None or self.caller.via is None:
            return Voter(Weight.VOICE, self.caller.address)
        is_curator = self.sees_drafts and not self.caller.is_limited_from(Scope.INCIDENTS)
        return Voter(Weight.CURATOR if is_curator else Weight.KEY)

    def look(self, incident_id: str) -> VisibleIncident:
        """Return the incident of an id, after merges, as the caller may see it. Missing when there is none."""
        name = self.store.redirects.resolve(incident_id)
        try:
            revision = self.store.incidents.current(name) if self.sees_drafts else self.public(name)
        except Missing:
            revision = None
        if revision is not None:
            return VisibleIncident(revision.incident, "store", revision.at, revision.author)
        incident = self.in_snapshot(name)
        if incident is None:
            raise unknown_incident()
        return VisibleIncident(incident, "snapshot", author=Author(INGEST.id, INGEST.name))

    def in_snapshot(self, incident_id: str) -> Incident | None:
        """An incident that is searched, as it was ingested or saved last."""
        return self.engine.incident(incident_id) if self.engine else None

    def shown(self, revision: Revision) -> Revision | None:
        """A revision as the caller may read it; None when they may not."""
        return revision if self.sees_drafts else self.store.incidents.public(revision)

    def visible_redirect(self, merged: Redirect) -> Redirect:
        """Return a merge as the caller may read it: without the traces of drafts."""
        if self.sees_drafts:
            return merged
        into = self.public(merged.to_id)
        known = () if into is None else into.shown.traces
        return replace(merged, traces=tuple(one for one in merged.traces if one in known))

    def public(self, incident_id: str) -> Revision | None:
        """Return the public revision of an incident, or None."""
        live = self.store.incidents.live(incident_id)
        return None if live is None else self.store.incidents.public(live)

    def create(self, content: Written) -> SavedChange:
        """Create an incident. Exists when the store or the snapshot has the id."""
        if self.in_snapshot(content.incident.id) is not None:
            raise Exists(
                f"there is an incident {content.incident.id!r} already", cure="revise it, or choose another id"
            )
        status, notes = self._status(content.status or Status.PUBLISHED)
        revision = self.store.incidents.create(content.incident, actor=self.actor, status=status, note=content.note)
        return SavedChange(revision, (*content.notes, *notes))

    def replace(self, incident_id: str, content: Written, expected: int) -> SavedChange:
        """Replace the content of an incident. The problem `stale` holds both versions."""
        seen = self._seen(incident_id)
        ready = clean(merged_over(seen, content))

        def revise(before: Revision, number: int) -> SavedChange:
            status, notes = self._status(content.status or before.status, before)
            now = (
                ready if before.number == seen.revision else merged_over(before.shown, content)
            )  # else somebody saved just now
            written = self.store.incidents.revise(
                now, expected=number, actor=self.actor, status=status, note=content.note
            )
            return SavedChange(written, (*content.notes, *notes))

        yours = to_record(content.incident)
        return self._change(incident_id, expected, revise, yours)

    def move(self, incident_id: str, status: Status, expected: int, note: str) -> SavedChange:
        """Change the status alone."""

        def moved(before: Revision, number: int) -> SavedChange:
            allowed, notes = self._status(status, before)
            if allowed is not status:
                raise forbidden(Role.REVIEWER, self.caller.role)
            written = self.store.incidents.move(incident_id, status, expected=number, actor=self.actor, note=note)
            return SavedChange(written, notes)

        return self._change(incident_id, expected, moved)

    def restore(self, incident_id: str, number: int, status: Status | None, expected: int) -> SavedChange:
        """Save the content of an old revision as a new one."""

        def restored(before: Revision, at: int) -> SavedChange:
            allowed, notes = self._status(status or before.status, before)
            with named_in_body():
                self.store.incidents.revision(incident_id, number)
            written = self.store.incidents.restore(incident_id, number, expected=at, actor=self.actor, status=allowed)
            return SavedChange(written, notes)

        return self._change(incident_id, expected, restored)

    def attach(self, incident_id: str, trace: str, note: str) -> SavedChange:
        """Add a trace. Where the caller may not publish, it waits for a review like every change."""
        ready = redact(trace)

        def attached(before: Revision, _: int) -> SavedChange:
            if len(before.shown.traces) >= MOST_TRACES:
                detail = f"It has {len(before.shown.traces)} traces; {MOST_TRACES} are the most."
                raise HttpProblem(409, "refused", detail)
            status, notes = self._status(before.status, before)
            reason = note or "also seen as"
            written = self.store.incidents.attach(incident_id, ready, actor=self.actor, status=status, note=reason)
            known = () if written.number > before.number else ("it has this trace already",)
            return SavedChange(written, (*notes, *known))

        return self._change(incident_id, _ANY, attached)

    def merge(self, incident_id: str, into: str, expected: tuple[int, int], note: str) -> Redirect:
        """Merge one incident into another."""
        if not self.may_publish:
            raise forbidden(Role.REVIEWER, self.caller.role)
        self._ready(incident_id)
        with named_in_body():
            other = self._ready(into)
        try:
            with self.changing(incident_id) as before:
                after = self._adopted(into, other)
                numbers = {incident_id: _number(before, expected[0]), into: _number(after, expected[1])}
                return self.store.redirects.merge(incident_id, into, expected=numbers, actor=self.actor, note=note)
        except Stale as stale:
            raise outdated(stale.current) from None

    def split(self, incident_id: str, note: str) -> Redirect:
        """Undo a merge."""
        if not self.may_publish:
            raise forbidden(Role.REVIEWER, self.caller.role)
        self.look(incident_id)
        with named_in_body():
            return self.store.redirects.split(incident_id, actor=self.actor, note=note)

    @contextmanager
    def changing(self, incident_id: str) -> Iterator[Revision]:
        """Open a transaction on the last revision of an incident; adopt one that is only in the snapshot.

        Slow work is done before, since the transaction blocks other writers.
        """
        ready = self._ready(incident_id)
        with self.store.transaction():
            yield self._adopted(incident_id, ready)

    def _ready(self, incident_id: str) -> Clean | None:
        """Prepare an incident of the snapshot for adoption; None when the store has it. Missing when neither has it."""
        if self.store.incidents.among([incident_id]):
            return None
        incident = self.in_snapshot(incident_id)
        if incident is None:
            raise unknown_incident()
        return clean(incident)

    def _adopted(self, incident_id: str, ready: Clean | None) -> Revision:
        current = self.store.incidents.current
        return current(incident_id) if ready is None else self.store.incidents.adopt(ready, actor=self.actor)

    def _seen(self, incident_id: str) -> Incident:
        """Return the current incident, of the store or of the snapshot."""
        ready = self._ready(incident_id)
        return ready.incident if ready else self.store.incidents.current(incident_id).shown

    def _change(
        self, incident_id: str, expected: int, work: Callable[[Revision, int], SavedChange], yours: object = None
    ) -> SavedChange:
        """One transaction: the incident is adopted where it has to be, and changed. Problem 412 has ``yours`` when it is stale."""
        try:
            with self.changing(incident_id) as before:
                return work(before, _number(before, expected))
        except Stale as stale:
            raise outdated(stale.current, yours) from None

    def _status(self, wished: Status, before: Revision | None = None) -> tuple[Status, tuple[str, ...]]:
        """What a change becomes: of a curator's, where reviews are required, none that search goes by."""
        if wished not in _LIVE or self.may_publish:
            return wished, ()
        if wished is Status.RETIRED:
            if before and before.status is not wished and self.store.incidents.live(before.incident_id) is not None:
                raise forbidden(Role.REVIEWER, self.caller.role)
            return wished, ()
        return Status.IN_REVIEW, ("a reviewer publishes it",)


def _number(before: Revision, expected: int) -> int:
    """The revision that the last one is to be."""
    return before.number if expected == _ANY else expected


def unknown_incident() -> Missing:
    """Return the error of an unknown id. The id is not echoed: a URL can hold a paste."""
    return Missing("No incident has this id", cure="GET /v1/incidents lists them")


def revision_out(revision: Revision) -> dict[str, object]:
    """Return a revision as JSON."""
    return {
        "id": revision.incident_id,
        "revision": revision.number,
        "status": revision.status.value,
        "author": {"id": revision.author.id, "name": revision.author.name},
        "note": revision.note,
        "at": revision.at.isoformat(),
        "incident": dict(revision.record),
    }


def outdated(current: Revision, yours: object = None) -> HttpProblem:
    """Return the 412 when somebody else wrote in between: nothing was saved, and it holds both versions."""
    detail = f"It is at revision {current.number}, saved by {current.author.name}. Look at what changed, and save on top of it."
    members = {"current": revision_out(current)} | ({} if yours is None else {"yours": yours})
    return HttpProblem(412, "stale", detail, headers={"ETag": f'"{current.number}"'}, members=members)
