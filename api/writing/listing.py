"""Lists of incidents: those that curators have touched, then those that only stand in the snapshot."""

from dataclasses import dataclass
from typing import Literal

from api.writing.desk import Desk
from kb.incident import Incident, Status
from kb.store import INGEST
from kb.store.listing import Wanted, sought
from kb.store.model import Listed

_SCANNED = 2_000
"""Rows of a snapshot that are looked at for one page."""
Place = Literal["store", "snapshot"]


@dataclass(frozen=True, slots=True)
class Asked:
    """Which incidents, and where the last page ended."""

    wanted: Wanted
    place: Place | None = None
    """None: both."""
    cursor: str | None = None
    """In the form of `api.writing.shapes.CURSOR`."""
    limit: int = 50


@dataclass(frozen=True, slots=True)
class Row:
    """An incident in a list."""

    place: Place
    listed: Listed | None = None
    incident: Incident | None = None
    """One of the two is there, as ``place`` says."""


@dataclass(frozen=True, slots=True)
class Rows:
    """A page, and the mark of the next; None at the end."""

    rows: tuple[Row, ...]
    cursor: str | None


def listing(desk: Desk, asked: Asked) -> Rows:
    """A page of incidents as the caller may see them."""
    after, start = _read(asked.cursor)
    rows: list[Row] = []
    if start is None and asked.place != "snapshot":
        page = desk.store.listing(asked.wanted, after=after, limit=asked.limit)
        rows = [Row("store", listed=one) for one in page.items]
        if page.after is not None:
            return Rows(tuple(rows), f"s:{page.after}")
    wanted = asked.wanted
    is_ingested = wanted.status in {None, Status.PUBLISHED} and wanted.author in {None, INGEST.id}
    if asked.place == "store" or desk.engine is None or not is_ingested:
        return Rows(tuple(rows), None)
    more, behind = _ingested(desk, wanted, start or 0, asked.limit - len(rows))
    return Rows((*rows, *more), None if behind is None else f"r:{behind}")


def _read(cursor: str | None) -> tuple[str | None, int | None]:
    """Where to go on: behind which incident of the store, or from which row of the snapshot on."""
    if cursor is None:
        return None, None
    phase, _, place = cursor.partition(":")
    return (place, None) if phase == "s" else (None, int(place))


def _ingested(desk: Desk, wanted: Wanted, start: int, room: int) -> tuple[list[Row], int | None]:
    """Incidents of the snapshot that the store has not, and the row behind the last one that was looked at."""
    assert desk.engine is not None
    found = desk.engine.ingested(start, _SCANNED)
    text = None if wanted.text is None else wanted.text.casefold()
    fits = [
        (at, one)
        for at, one in enumerate(found, start)
        if wanted.component in {None, one.component} and (text is None or text in sought(one))
    ]
    rows: list[Row] = []
    for chunk in range(0, len(fits), 200):
        some = fits[chunk : chunk + 200]
        known = desk.store.incidents.among([one.id for _, one in some])
        for at, one in some:
            if one.id in known:
                continue
            if len(rows) >= room:
                return rows, at
            rows.append(Row("snapshot", incident=one))
    return rows, start + _SCANNED if len(found) == _SCANNED else None
