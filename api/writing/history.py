"""The past of an incident, as somebody may see it; of one that only stands in the snapshot, that it does."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from api.writing.incident_service import IncidentService, unknown_incident
from kb.record import to_record
from kb.store import INGEST, Author, Missing, Revision


@dataclass(frozen=True, slots=True)
class RevisionView:
    """One state of an incident."""

    number: int
    status: str
    author: Author
    note: str
    at: datetime | None
    """None: ingested, nobody knows when."""
    record: Mapping[str, Any]


def history(
    desk: IncidentService, incident_id: str, before: int | None, limit: int
) -> tuple[list[RevisionView], int | None]:
    """Revisions, the newest first, and the number before which the next page begins. Missing when there is no such incident."""
    shown: list[RevisionView] = []
    is_first = before is None
    while len(shown) <= limit:
        page = desk.store.incidents.history(incident_id, before=before, limit=limit + 1)
        shown += [_of(one) for one in map(desk.shown, page) if one is not None]
        if len(page) <= limit:
            break
        before = page[-1].number
    if not shown and is_first:
        shown = [_ingested(desk, incident_id)]
    return shown[:limit], shown[limit - 1].number if len(shown) > limit else None


def revision_view(desk: IncidentService, incident_id: str, number: int) -> RevisionView:
    """One revision. Missing when there is none of that number that the caller may see."""
    if not desk.sees_drafts and not _was_live(desk, incident_id):
        raise unknown_incident()  # that there is a draft is nothing for readers either
    try:
        found = desk.store.incidents.revision(incident_id, number)
    except Missing:
        ingested = _ingested(desk, incident_id) if not desk.store.incidents.among([incident_id]) else None
        if ingested is None or ingested.number != number:
            raise
        return ingested
    shown = desk.shown(found)
    if shown is None:
        raise Missing(f"{incident_id!r} has no revision {number}", cure="its history lists those that there are")
    return _of(shown)


def _was_live(desk: IncidentService, incident_id: str) -> bool:
    return desk.public(incident_id) is not None or desk.in_snapshot(incident_id) is not None


def _ingested(desk: IncidentService, incident_id: str) -> RevisionView:
    found = desk.in_snapshot(incident_id)
    if found is None:
        raise unknown_incident()
    return RevisionView(found.revision, found.status.value, Author(INGEST.id, INGEST.name), "", None, to_record(found))


def _of(one: Revision) -> RevisionView:
    return RevisionView(one.number, one.status.value, one.author, one.note, one.at, one.record)
