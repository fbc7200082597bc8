"""Revisions as rows: read, and added. What may be added is decided in the rooms."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from kb.incident import Incident, Status
from kb.record import stored, to_record
from kb.redact import redact
from kb.store import schema
from kb.store.database import Database
from kb.store.errors import Missing, Refused, Stale
from kb.store.listing import sought
from kb.store.model import Author, Revision

LIVE = frozenset((Status.PUBLISHED, Status.RETIRED))
"""A revision with one of these decides what is searched; what comes after it in draft or in review does not."""
_INCIDENTS, _REVISIONS, _REDIRECTS = schema.incidents, schema.revisions, schema.redirects


class Revisions:
    """The rows of incidents and their revisions. Writes are to be made inside of a transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def last(self, incident_id: str) -> Revision:
        """The last revision of an incident. Missing when the store has none."""
        found = self._revision(incident_id, _INCIDENTS.c.revision)
        if found is None:
            raise Missing(f"the store has no incident {incident_id!r}", cure="look for it with `kb incidents list`")
        return found

    def live(self, incident_id: str) -> Revision | None:
        """The revision that decides what is searched; None while none was published or retired."""
        return self._revision(incident_id, _INCIDENTS.c.live_revision)

    def published(self, incident_id: str, upto: int) -> Revision | None:
        """The last revision that was published, of those up to a number; None when none of them was."""
        own = (_REVISIONS.c.incident_id == incident_id, _REVISIONS.c.number <= upto)
        query = sa.select(_REVISIONS).where(*own, _REVISIONS.c.status == Status.PUBLISHED.value)
        with self._database.reading() as connection:
            row = connection.execute(query.order_by(_REVISIONS.c.number.desc()).limit(1)).mappings().first()
        return None if row is None else revision_of(row)

    def at(self, incident_id: str, number: int) -> Revision:
        """One revision. Missing when there is none of that number."""
        found = self._revision(incident_id, sa.literal(number))
        if found is None:
            raise Missing(f"{incident_id!r} has no revision {number}", cure="its history lists those that there are")
        return found

    def holds(self, incident_id: str) -> bool:
        """Whether the store has the incident."""
        with self._database.reading() as connection:
            query = sa.select(_INCIDENTS.c.id).where(_INCIDENTS.c.id == incident_id)
            return connection.execute(query).first() is not None

    def among(self, ids: Sequence[str]) -> frozenset[str]:
        """Those of some ids that the store has."""
        query = sa.select(_INCIDENTS.c.id).where(_INCIDENTS.c.id.in_(list(ids)))
        with self._database.reading() as connection:
            return frozenset(connection.execute(query).scalars())

    def merged_into(self, incident_id: str) -> str | None:
        """The incident that this one was merged into; None when it was not."""
        query = sa.select(_REDIRECTS.c.to_id).where(
            _REDIRECTS.c.from_id == incident_id, _REDIRECTS.c.undone_at.is_(None)
        )
        with self._database.reading() as connection:
            found: str | None = connection.execute(query).scalar()
            return found

    def open(self, incident_id: str, expected: int | None = None) -> Revision:
        """The last revision, to be followed by another.

        Missing when there is none, Refused when the incident was merged, Stale when the last one is not the ``expected``.
        """
        last = self.last(incident_id)
        if (other := self.merged_into(incident_id)) is not None:
            raise Refused(f"{incident_id!r} was merged into {other!r}", cure=f"change {other!r}, or split them first")
        if expected is not None and last.number != expected:
            raise Stale(last, expected)
        return last

    def add(
        self, incident: Incident, status: Status, author: Author, note: str, *, first: int | None = None
    ) -> Revision:
        """A new revision behind the last one; of an incident that the store has not, the one with the number ``first`` (None: the least)."""
        with self._database.writing() as connection:
            number = self._database.next_number()
            query = sa.select(_INCIDENTS.c.revision).where(_INCIDENTS.c.id == incident.id)
            before: int | None = connection.execute(query).scalar()
            given = first if before is None and first is not None else max((before or 0) + 1, self._least())
            text = _json(replace(incident, revision=given, status=status))
            record = json.loads(text)
            revision = Revision(
                incident_id=incident.id,
                number=record["revision"],
                status=status,
                record=record,
                author=author,
                note=schema.storable(redact(note).text),
                at=datetime.now(UTC),
                sequence=number,
            )
            if before is None:
                connection.execute(
                    sa.insert(_INCIDENTS).values(id=incident.id, created_at=revision.at, **_listing_values(revision))
                )
            else:
                connection.execute(
                    sa.update(_INCIDENTS).where(_INCIDENTS.c.id == incident.id).values(**_listing_values(revision))
                )
            connection.execute(sa.insert(_REVISIONS).values(**_row(revision, text)))
            return revision

    def history(self, incident_id: str, *, before: int | None = None, limit: int = 50) -> list[Revision]:
        """The revisions of an incident, the newest first; those before number ``before`` where it is given."""
        query = sa.select(_REVISIONS).where(_REVISIONS.c.incident_id == incident_id)
        if before is not None:
            query = query.where(_REVISIONS.c.number < before)
        query = query.order_by(_REVISIONS.c.number.desc()).limit(limit)
        with self._database.reading() as connection:
            return [revision_of(row) for row in connection.execute(query).mappings()]

    def _least(self) -> int:
        """The least number of a new revision: in a restored store, beyond all that were given out before it came back."""
        with self._database.reading() as connection:
            return connection.execute(sa.select(schema.sequence.c.least_revision)).scalar() or 1

    def _revision(self, incident_id: str, number: sa.ColumnElement[Any]) -> Revision | None:
        own = sa.and_(_REVISIONS.c.incident_id == _INCIDENTS.c.id, _REVISIONS.c.number == number)
        query = sa.select(_REVISIONS).join(_INCIDENTS, own).where(_INCIDENTS.c.id == incident_id)
        with self._database.reading() as connection:
            row = connection.execute(query).mappings().first()
        return None if row is None else revision_of(row)


def revision_of(row: sa.RowMapping) -> Revision:
    """A row of `revisions`."""
    return Revision(
        incident_id=row["incident_id"],
        number=row["number"],
        status=Status(row["status"]),
        record=json.loads(row["record"]),
        author=schema.author(row, "author"),
        note=row["note"],
        at=row["at"],
        sequence=row["sequence"],
    )


def _json(incident: Incident) -> str:
    return schema.storable(json.dumps(to_record(incident), ensure_ascii=False, separators=(",", ":")))


def _row(revision: Revision, text: str) -> dict[str, object]:
    return {
        "incident_id": revision.incident_id,
        "number": revision.number,
        "status": revision.status.value,
        "record": text,
        "author_id": revision.author.id,
        "author_name": revision.author.name,
        "note": revision.note,
        "at": revision.at,
        "sequence": revision.sequence,
    }


def _listing_values(revision: Revision) -> Mapping[str, object]:
    """How an incident stands after a revision."""
    shown = stored(revision.record)
    standing: dict[str, object] = {
        "revision": revision.number,
        "status": revision.status.value,
        "sequence": revision.sequence,
        "title": shown.title,
        "lang": shown.lang,
        "component": shown.component,
        "sought": sought(shown),
        "updated_at": revision.at,
        "updated_by_id": revision.author.id,
        "updated_by_name": revision.author.name,
    }
    if revision.status in LIVE:
        standing |= {
            "live_revision": revision.number,
            "live_status": revision.status.value,
            "live_sequence": revision.sequence,
        }
    return standing
