"""List incidents: those in the store, then those that are only in the snapshot."""

from dataclasses import dataclass
from typing import Literal

from api.writing.incident_service import IncidentService
from kb.incident import Incident, Status
from kb.store import INGEST
from kb.store.listing import Wanted, sought
from kb.store.model import ListedIncident

_SCANNED, _TOGETHER = 2_000, 100
"""Rows of a snapshot that are looked at for one page; how many are read at once."""
Place = Literal["store", "snapshot"]


@dataclass(frozen=True, slots=True)
class ListingQuery:
    """Which incidents, and where the last page ended."""

    wanted: Wanted
    place: Place | None = None
    """None: both."""
    cursor: str | None = None
    """In the form of `api.writing.shapes.CURSOR`."""
    limit: int = 50


@dataclass(frozen=True, slots=True)
class ListingRow:
    """An incident in a list."""

    place: Place
    listed: ListedIncident | None = None
    incident: Incident | None = None
    """``place`` says which of the two is set."""


@dataclass(frozen=True, slots=True)
class Rows:
    """A page, and the mark of the next; None at the end."""

    rows: tuple[ListingRow, ...]
    cursor: str | None


def listing(service: IncidentService, query: ListingQuery) -> Rows:
    """A page of incidents as the caller may see them."""
    after, start = _read(query.cursor)
    rows: list[ListingRow] = []
    if start is None and query.place != "snapshot":
        page = service.store.listing(query.wanted, after=after, limit=query.limit)
        rows = [ListingRow("store", listed=one) for one in page.items]
        if page.after is not None:
            return Rows(tuple(rows), f"s:{page.after}")
    wanted = query.wanted
    is_ingested = wanted.status in {None, Status.PUBLISHED} and wanted.author in {None, INGEST.id}
    if query.place == "store" or service.engine is None or not is_ingested:
        return Rows(tuple(rows), None)
    more, behind = _ingested(service, wanted, start or 0, query.limit - len(rows))
    return Rows((*rows, *more), None if behind is None else f"r:{behind}")


def _read(cursor: str | None) -> tuple[str | None, int | None]:
    """Where to go on: behind which incident of the store, or from which row of the snapshot on."""
    if cursor is None:
        return None, None
    phase, _, place = cursor.partition(":")
    return (place, None) if phase == "s" else (None, int(place))


def _ingested(service: IncidentService, wanted: Wanted, start: int, room: int) -> tuple[list[ListingRow], int | None]:
    """Incidents of the snapshot that the store has not, and the row behind the last one that was looked at."""
    assert service.engine is not None
    text = None if wanted.text is None else wanted.text.casefold()
    rows: list[ListingRow] = []
    for at in range(start, start + _SCANNED, _TOGETHER):
        some = service.engine.ingested(at, _TOGETHER)
        known = service.store.incidents.among([one.id for one in some])
        for row, one in enumerate(some, at):
            if one.id in known or not wanted.is_about(one.component):
                continue
            if text is not None and text not in sought(one):
                continue
            if len(rows) >= room:
                return rows, row
            rows.append(ListingRow("snapshot", incident=one))
        if len(some) < _TOGETHER:
            return rows, None
    return rows, start + _SCANNED
