"""Incidents: written, revised, moved through their life. Each of these is one transaction, and one revision is never changed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kb.ids import alike, lost
from kb.incident import Incident, Status
from kb.record import RecordError, scrub
from kb.redact import Redacted, redact
from kb.store import schema
from kb.store.audit import Audit
from kb.store.database import Database
from kb.store.errors import Exists, Refused
from kb.store.model import INGEST, Actor, Author, Revision
from kb.store.revisions import Revisions

MOVES: dict[Status, frozenset[Status]] = {
    Status.DRAFT: frozenset((Status.IN_REVIEW, Status.PUBLISHED, Status.RETIRED)),
    Status.IN_REVIEW: frozenset((Status.DRAFT, Status.PUBLISHED, Status.RETIRED)),
    Status.PUBLISHED: frozenset((Status.RETIRED,)),
    Status.RETIRED: frozenset((Status.PUBLISHED,)),
}
"""Where an incident may go from where it stands, its words unchanged. Who may move it is decided at the doors."""


@dataclass(frozen=True, slots=True)
class Clean:
    """An incident as it may be stored, made by `clean` alone."""

    incident: Incident


def clean(incident: Incident) -> Clean:
    """Without secrets, under an id that a database takes. RecordError for one that can be no id.

    Some text takes a second a megabyte: whoever begins a transaction of their own does this before.
    """
    scrubbed = scrub(replace(incident, chains=(), id=schema.storable(incident.id)))
    if problem := lost(scrubbed.id):
        raise RecordError("id", problem, cure="choose another id")
    return Clean(scrubbed)


def _clean(incident: Incident | Clean) -> Incident:
    return (incident if isinstance(incident, Clean) else clean(incident)).incident


class Incidents:
    """What curators write. ``expected`` is the revision that the writer saw last: where it is not the last one, Stale is raised."""

    def __init__(self, database: Database, audit: Audit) -> None:
        self._database = database
        self._audit = audit
        self._revisions = Revisions(database)

    def create(
        self, incident: Incident | Clean, *, actor: Actor, status: Status = Status.DRAFT, note: str = ""
    ) -> Revision:
        """A new incident, as revision 1 (in a restored store a later one). Exists when its id is taken; RecordError when it can be no id."""
        scrubbed = _clean(incident)
        if problem := alike(scrubbed.id):
            raise RecordError("id", problem, cure="choose another id")
        with self._database.writing():
            if self._revisions.holds(scrubbed.id):
                raise Exists(
                    f"there is an incident {scrubbed.id!r} already", cure="revise it, or give this one another id"
                )
            return self._noted("create", self._revisions.add(scrubbed, status, author_of(actor), note), actor)

    def adopt(self, incident: Incident | Clean, *, actor: Actor) -> Revision:
        """Take over an incident that stands in the snapshot alone, under the revision it has there; its author is `INGEST`.

        One that the store has already stays as it is: the last revision of it is returned. To be followed by what it is
        adopted for, in one `Store.transaction`.
        """
        scrubbed = _clean(incident)
        with self._database.writing():
            if self._revisions.holds(scrubbed.id):
                return self._revisions.last(scrubbed.id)
            first = self._revisions.add(scrubbed, Status.PUBLISHED, author_of(INGEST), "", first=scrubbed.revision)
            return self._noted("adopt", first, actor)

    def revise(
        self, incident: Incident | Clean, *, expected: int, actor: Actor, status: Status = Status.DRAFT, note: str = ""
    ) -> Revision:
        """A new revision with these words. A draft over a published one leaves that searched until it is published itself."""
        scrubbed = _clean(incident)
        with self._database.writing():
            before = self._revisions.open(scrubbed.id, expected)
            if not scrubbed.reposts:  # not the writer's to change
                scrubbed = replace(scrubbed, reposts=before.shown.reposts)
            return self._noted("revise", self._revisions.add(scrubbed, status, author_of(actor), note), actor)

    def move(self, incident_id: str, status: Status, *, expected: int, actor: Actor, note: str = "") -> Revision:
        """A new revision with the same words in another state. Refused where `MOVES` does not allow it."""
        with self._database.writing():
            before = self._revisions.open(incident_id, expected)
            if status not in MOVES[before.status]:
                allowed = ", ".join(sorted(MOVES[before.status]))
                raise Refused(f"{incident_id!r} is {before.status} and cannot become {status}", cure=f"use {allowed}")
            return self._noted("move", self._revisions.add(before.shown, status, author_of(actor), note), actor)

    def restore(self, incident_id: str, number: int, *, expected: int, actor: Actor, status: Status) -> Revision:
        """A new revision with the words of an old one. Missing when there is none of that number."""
        with self._database.writing():
            self._revisions.open(incident_id, expected)
            old = self._revisions.at(incident_id, number).shown
            note = f"restored revision {number}"
            return self._noted("restore", self._revisions.add(old, status, author_of(actor), note), actor)

    def attach(
        self,
        incident_id: str,
        trace: str | Redacted,
        *,
        actor: Actor,
        status: Status | None = None,
        note: str = "also seen as",
    ) -> Revision:
        """A new revision with one trace more, in the state of the last one unless a ``status`` is given.

        One that it has already changes nothing. It needs no ``expected``: nobody's words are replaced.
        """
        text = (redact(trace) if isinstance(trace, str) else trace).text  # the others are what the store holds
        with self._database.writing():
            before = self._revisions.open(incident_id)
            if not text.strip() or text in before.shown.traces:
                return before
            more = replace(before.shown, traces=(*before.shown.traces, text))
            return self._noted(
                "attach", self._revisions.add(more, status or before.status, author_of(actor), note), actor
            )

    def current(self, incident_id: str) -> Revision:
        """The last revision, in whatever state. Missing when the store has no such incident."""
        return self._revisions.last(incident_id)

    def among(self, ids: Sequence[str]) -> frozenset[str]:
        """Those of some ids that the store has incidents of."""
        return self._revisions.among(ids)

    def live(self, incident_id: str) -> Revision | None:
        """The last revision that was published or retired: the one that search goes by. None when there is none."""
        return self._revisions.live(incident_id)

    def public(self, revision: Revision) -> Revision | None:
        """A revision for those who see no drafts: a retired one has the words that were published last, and not a draft's.

        None of a draft, and of one that was retired without ever having been published.
        """
        if revision.status is not Status.RETIRED:
            return revision if revision.status is Status.PUBLISHED else None
        shown = self._revisions.published(revision.incident_id, revision.number)
        kept = {"revision": revision.number, "status": revision.status.value}
        return None if shown is None else replace(revision, record={**shown.record, **kept})

    def revision(self, incident_id: str, number: int) -> Revision:
        """One revision. Missing when there is none of that number."""
        return self._revisions.at(incident_id, number)

    def history(self, incident_id: str, *, before: int | None = None, limit: int = 50) -> list[Revision]:
        """The revisions, the newest first, those before number ``before`` where it is given; none of an unknown incident."""
        return self._revisions.history(incident_id, before=before, limit=limit)

    def _noted(self, action: str, written: Revision, actor: Actor) -> Revision:
        details = {"revision": written.number, "status": written.status.value}
        self._audit.note(written.sequence, actor, f"incident.{action}", f"incident:{written.incident_id}", details)
        return written


def author_of(actor: Actor) -> Author:
    """An actor as they are named in what they wrote."""
    return Author(actor.id, actor.name)
