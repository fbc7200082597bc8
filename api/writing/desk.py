"""Where incidents are written: one change each, by somebody, under the rule of who may publish."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from api.access import Caller, forbidden, key_needed
from api.problems import Problem, named_in_body
from api.writing.shapes import MOST_TRACES
from api.writing.taken import Written, onto
from index import Engine
from kb.incident import Incident, Status
from kb.record import to_record
from kb.store import INGEST, Actor, Author, Exists, Missing, Revision, Role, Stale, Store
from kb.store.model import Redirect

ANY = -1
"""In the place of a revision: whatever it is at."""
_LIVE = frozenset((Status.PUBLISHED, Status.RETIRED))


@dataclass(frozen=True, slots=True)
class Standing:
    """An incident as somebody may see it."""

    incident: Incident
    """Its revision and status are those that are shown."""
    place: Literal["store", "snapshot"]
    """``snapshot``: no curator has touched it."""
    at: datetime | None = None
    author: Author | None = None


@dataclass(frozen=True, slots=True)
class Saved:
    """What became of a change."""

    revision: Revision
    notes: tuple[str, ...] = ()
    searched: bool = True
    """Whether searches of this process go by it."""


@dataclass(frozen=True, slots=True)
class Desk:
    """The store and what is searched, for one caller."""

    store: Store
    engine: Engine | None
    """None while there is no snapshot."""
    caller: Caller
    review: bool
    """Only reviewers publish."""

    @property
    def actor(self) -> Actor:
        """Who writes. Problem 401 when nobody in particular does."""
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

    def look(self, incident_id: str) -> Standing:
        """The incident that stands for an id, as the caller may see it. Missing when there is none."""
        name = self.store.redirects.resolve(incident_id)
        try:
            revision = self.store.incidents.current(name) if self.sees_drafts else self.public(name)
        except Missing:
            revision = None
        if revision is not None:
            return Standing(revision.incident, "store", revision.at, revision.author)
        found = self.in_snapshot(name)
        if found is None:
            raise no_such(incident_id)
        return Standing(found, "snapshot", author=Author(INGEST.id, INGEST.name))

    def in_snapshot(self, incident_id: str) -> Incident | None:
        """An incident that is searched, as it was ingested or saved last."""
        return self.engine.incident(incident_id) if self.engine else None

    def shown(self, revision: Revision) -> Revision | None:
        """A revision as the caller may read it; None when they may not."""
        return revision if self.sees_drafts else self.store.incidents.public(revision)

    def told(self, merged: Redirect) -> Redirect:
        """A merge as the caller may read it: its traces may be those of a draft, and have gone into one."""
        if self.sees_drafts:
            return merged
        into = self.public(merged.to_id)
        known = () if into is None else into.shown.traces
        return replace(merged, traces=tuple(one for one in merged.traces if one in known))

    def public(self, incident_id: str) -> Revision | None:
        """What the store tells everybody of an incident; None when that is nothing."""
        live = self.store.incidents.live(incident_id)
        return None if live is None else self.store.incidents.public(live)

    def create(self, said: Written) -> Saved:
        """A new incident. Exists when the id is taken, in the store or in the snapshot."""
        if self.in_snapshot(said.incident.id) is not None:
            raise Exists(f"there is an incident {said.incident.id!r} already", cure="revise it, or choose another id")
        status, notes = self._status(said.status or Status.PUBLISHED)
        revision = self.store.incidents.create(said.incident, actor=self.actor, status=status, note=said.note)
        return Saved(revision, (*said.notes, *notes))

    def replace(self, incident_id: str, said: Written, expected: int) -> Saved:
        """New words for an incident. `Stale` as a problem holds both: what stands there, and what was sent."""

        def revise(before: Revision, number: int) -> Saved:
            status, notes = self._status(said.status or before.status, before)
            now = onto(before.shown, said)
            written = self.store.incidents.revise(now, expected=number, actor=self.actor, status=status, note=said.note)
            return Saved(written, (*said.notes, *notes))

        yours = to_record(said.incident)
        return self._change(incident_id, expected, revise, yours)

    def move(self, incident_id: str, status: Status, expected: int, note: str) -> Saved:
        """The same words in another state."""

        def moved(before: Revision, number: int) -> Saved:
            allowed, notes = self._status(status, before)
            if allowed is not status:
                raise forbidden(Role.REVIEWER, self.caller.role)
            written = self.store.incidents.move(incident_id, status, expected=number, actor=self.actor, note=note)
            return Saved(written, notes)

        return self._change(incident_id, expected, moved)

    def restore(self, incident_id: str, number: int, status: Status | None, expected: int) -> Saved:
        """The words of an old revision once more."""

        def restored(before: Revision, at: int) -> Saved:
            allowed, notes = self._status(status or before.status, before)
            with named_in_body():
                self.store.incidents.revision(incident_id, number)
            written = self.store.incidents.restore(incident_id, number, expected=at, actor=self.actor, status=allowed)
            return Saved(written, notes)

        return self._change(incident_id, expected, restored)

    def attach(self, incident_id: str, trace: str, note: str) -> Saved:
        """One trace more. Where the caller may not publish, it waits for a review like every other change."""

        def attached(before: Revision, number: int) -> Saved:
            if len(before.shown.traces) >= MOST_TRACES:
                detail = f"It has {len(before.shown.traces)} traces; {MOST_TRACES} are the most."
                raise Problem(409, "refused", detail)
            status, notes = self._status(before.status, before)
            told = note or "also seen as"
            if status is before.status:
                written = self.store.incidents.attach(incident_id, trace, actor=self.actor, note=told)
            else:
                more = replace(before.shown, traces=(*before.shown.traces, trace))
                written = self.store.incidents.revise(more, expected=number, actor=self.actor, status=status, note=told)
            known = () if written.number > before.number else ("it has this trace already",)
            return Saved(written, (*notes, *known))

        return self._change(incident_id, ANY, attached)

    def merge(self, incident_id: str, into: str, expected: tuple[int, int], note: str) -> Redirect:
        """Retire one incident in favour of another."""
        if not self.may_publish:
            raise forbidden(Role.REVIEWER, self.caller.role)
        try:
            with self.store.transaction():
                numbers = {incident_id: self._open(incident_id, expected[0])[1]}
                with named_in_body():
                    numbers |= {into: self._open(into, expected[1])[1]}
                return self.store.redirects.merge(incident_id, into, expected=numbers, actor=self.actor, note=note)
        except Stale as stale:
            raise outdated(stale.current) from None

    def split(self, incident_id: str, note: str) -> Redirect:
        """Take a merge back."""
        if not self.may_publish:
            raise forbidden(Role.REVIEWER, self.caller.role)
        self.look(incident_id)
        with named_in_body():
            return self.store.redirects.split(incident_id, actor=self.actor, note=note)

    def adopted(self, incident_id: str) -> Revision:
        """The last revision, of an incident that only stood in the snapshot the first; to be used inside a transaction."""
        try:
            return self.store.incidents.current(incident_id)
        except Missing:
            found = self.in_snapshot(incident_id)
            if found is None:
                raise no_such(incident_id) from None
            return self.store.incidents.adopt(found, actor=self.actor)

    def _open(self, incident_id: str, expected: int) -> tuple[Revision, int]:
        """The last revision, and the number that it is to have had."""
        before = self.adopted(incident_id)
        return before, before.number if expected == ANY else expected

    def _change(
        self, incident_id: str, expected: int, work: Callable[[Revision, int], Saved], yours: object = None
    ) -> Saved:
        """One transaction: the incident is adopted where it has to be, and changed. Problem 412 has ``yours`` when it is stale."""
        try:
            with self.store.transaction():
                return work(*self._open(incident_id, expected))
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


def no_such(incident_id: str) -> Missing:
    """Nothing has the id, in the store or in the snapshot."""
    return Missing(f"No incident has the id {incident_id[:100]!r}", cure="GET /v1/incidents lists them")


def revision_out(revision: Revision) -> dict[str, object]:
    """A revision on the wire."""
    return {
        "id": revision.incident_id,
        "revision": revision.number,
        "status": revision.status.value,
        "author": {"id": revision.author.id, "name": revision.author.name},
        "note": revision.note,
        "at": revision.at.isoformat(),
        "incident": dict(revision.record),
    }


def outdated(current: Revision, yours: object = None) -> Problem:
    """412: somebody else wrote in between. Nothing was saved; both versions are told."""
    detail = f"It is at revision {current.number}, saved by {current.author.name}. Look at what changed, and save on top of it."
    members = {"current": revision_out(current)} | ({} if yours is None else {"yours": yours})
    return Problem(412, "stale", detail, headers={"ETag": f'"{current.number}"'}, members=members)
