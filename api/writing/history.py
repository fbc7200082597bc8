"""The history of an incident as the caller may see it; of one that is only in the snapshot, one ingested revision."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from api.writing.incident_service import IncidentService, unknown_incident
from kb.record import to_record
from kb.store import INGEST, Author, Missing, Revision


@dataclass(frozen=True, slots=True)
class RevisionView:
    """One revision as it is shown."""

    number: int
    status: str
    author: Author
    note: str
    at: datetime | None
    """None for an ingested one."""
    record: Mapping[str, Any]


def history(
    service: IncidentService, incident_id: str, before: int | None, limit: int
) -> tuple[list[RevisionView], int | None]:
    """Return revisions, newest first, and the number before which the next page begins. Missing when there is no such incident."""
    shown: list[RevisionView] = []
    is_first = before is None
    while len(shown) <= limit:
        page = service.store.incidents.history(incident_id, before=before, limit=limit + 1)
        shown += [_of(one) for one in map(service.shown, page) if one is not None]
        if len(page) <= limit:
            break
        before = page[-1].number
    if not shown and is_first:
        shown = [_ingested(service, incident_id)]
    return shown[:limit], shown[limit - 1].number if len(shown) > limit else None


def revision_view(service: IncidentService, incident_id: str, number: int) -> RevisionView:
    """Return one revision. Missing when the caller sees none of that number."""
    if not service.sees_drafts and not _was_live(service, incident_id):
        raise unknown_incident()  # that there is a draft is nothing for readers either
    try:
        revision = service.store.incidents.revision(incident_id, number)
    except Missing:
        ingested = _ingested(service, incident_id) if not service.store.incidents.among([incident_id]) else None
        if ingested is None or ingested.number != number:
            raise
        return ingested
    shown = service.shown(revision)
    if shown is None:
        raise Missing(f"{incident_id!r} has no revision {number}", cure="its history lists those that there are")
    return _of(shown)


def _was_live(service: IncidentService, incident_id: str) -> bool:
    return service.public(incident_id) is not None or service.in_snapshot(incident_id) is not None


def _ingested(service: IncidentService, incident_id: str) -> RevisionView:
    incident = service.in_snapshot(incident_id)
    if incident is None:
        raise unknown_incident()
    return RevisionView(
        incident.revision, incident.status.value, Author(INGEST.id, INGEST.name), "", None, to_record(incident)
    )


def _of(one: Revision) -> RevisionView:
    return RevisionView(one.number, one.status.value, one.author, one.note, one.at, one.record)
