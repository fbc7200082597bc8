"""Merging incidents that are one problem, and taking exactly that back. An id that was given out leads somewhere for ever."""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

import sqlalchemy as sa

from kb.incident import Status
from kb.store import schema
from kb.store.audit import Audit
from kb.store.database import Database
from kb.store.errors import Missing, Refused
from kb.store.incidents import author_of
from kb.store.model import Actor, Redirect, Revision
from kb.store.revisions import Revisions
from kb.store.sightings import Sightings

_TABLE = schema.redirects


class Redirects:
    """Which incident stands for which."""

    def __init__(self, database: Database, audit: Audit, sightings: Sightings) -> None:
        self._database = database
        self._audit = audit
        self._sightings = sightings
        self._revisions = Revisions(database)

    def merge(
        self, incident_id: str, into: str, *, expected: Mapping[str, int], actor: Actor, note: str = ""
    ) -> Redirect:
        """Retire one incident in favour of another, which gets its traces in a new revision.

        ``expected`` has the revision of each that the writer saw. Refused where one of them was merged before (so there are no
        circles), and where what is searched now would be merged into what is not.
        """
        if incident_id == into:
            raise Refused(f"{into!r} cannot be merged into itself", cure="name two incidents")
        with self._database.writing() as connection:
            source, target = (self._revisions.open(one, expected[one]) for one in (incident_id, into))
            live = self._revisions.live(incident_id)
            if live is not None and live.status is Status.PUBLISHED and target.status is not Status.PUBLISHED:
                raise Refused(
                    f"{into!r} is {target.status}, and {incident_id!r} is searched", cure=f"publish {into!r} first"
                )
            traces = tuple(one for one in source.shown.traces if one not in target.shown.traces)
            joined = replace(target.shown, traces=(*target.shown.traces, *traces))
            by = author_of(actor)
            self._revisions.add(joined, target.status, by, note or f"{incident_id} was merged into this")
            written = self._revisions.add(source.shown, Status.RETIRED, by, note or f"merged into {into}")
            row = {
                "from_id": incident_id,
                "to_id": into,
                "from_revision": source.number,
                "from_live": None if live is None else live.number,
                "traces": schema.storable(json.dumps(traces, ensure_ascii=False)),
                "by_id": by.id,
                "by_name": by.name,
                "at": written.at,
            }
            number = connection.execute(sa.insert(_TABLE).values(**row).returning(_TABLE.c.number)).scalar_one()
            self._audit.note(written.sequence, actor, "incident.merge", f"incident:{incident_id}", {"into": into})
            self._sightings.touch(incident_id, written.sequence)
            return Redirect(number, incident_id, into, traces, by, written.at)

    def split(self, incident_id: str, *, actor: Actor, note: str = "") -> Redirect:
        """Take a merge back: the other loses the traces it got by it, this one stands where it stood. What was edited since stays.

        Missing when it was not merged; Refused while the other is merged into a third: that is to be split first.
        """
        with self._database.writing() as connection:
            row = self._in_force(connection, incident_id)
            redirect, by = _redirect(row), author_of(actor)
            target = self._revisions.open(redirect.to_id)
            left = tuple(one for one in target.shown.traces if one not in redirect.traces)
            self._revisions.add(
                replace(target.shown, traces=left), target.status, by, note or f"{incident_id} was split off"
            )
            now = datetime.now(UTC)
            values = {"undone_by_id": by.id, "undone_by_name": by.name, "undone_at": now}
            connection.execute(sa.update(_TABLE).where(_TABLE.c.number == redirect.number).values(**values))
            written = self._put_back(row, actor, note or f"split off {redirect.to_id}")
            self._audit.note(
                written.sequence, actor, "incident.split", f"incident:{incident_id}", {"from": redirect.to_id}
            )
            self._sightings.touch(incident_id, written.sequence)
            return replace(redirect, undone_by=by, undone_at=now)

    def resolve(self, incident_id: str) -> str:
        """The incident that stands for this one; itself when it was not merged, or is not known here."""
        while (other := self._revisions.merged_into(incident_id)) is not None:
            incident_id = other
        return incident_id

    def of(self, incident_id: str) -> list[Redirect]:
        """All merges of and into an incident, those that were taken back among them, oldest first."""
        mine = sa.or_(_TABLE.c.from_id == incident_id, _TABLE.c.to_id == incident_id)
        with self._database.reading() as connection:
            rows = connection.execute(sa.select(_TABLE).where(mine).order_by(_TABLE.c.number)).mappings()
            return [_redirect(row) for row in rows]

    def _in_force(self, connection: sa.Connection, incident_id: str) -> sa.RowMapping:
        query = sa.select(_TABLE).where(_TABLE.c.from_id == incident_id, _TABLE.c.undone_at.is_(None))
        row = connection.execute(query).mappings().first()
        if row is None:
            raise Missing(f"{incident_id!r} is not merged into another", cure="its redirects say what became of it")
        return row

    def _put_back(self, row: sa.RowMapping, actor: Actor, note: str) -> Revision:
        """What was searched before the merge is again, and what was worked on lies over it again."""
        before = self._revisions.at(row["from_id"], row["from_revision"])
        numbers = {row["from_live"], row["from_revision"]} - {None}
        for number in sorted(numbers):
            old = self._revisions.at(row["from_id"], number)
            before = self._revisions.add(old.shown, old.status, author_of(actor), note)
        return before


def _redirect(row: sa.RowMapping) -> Redirect:
    undone = None if row["undone_at"] is None else schema.author(row, "undone_by")
    columns = (row["number"], row["from_id"], row["to_id"], tuple(json.loads(row["traces"])), schema.author(row, "by"))
    return Redirect(*columns, row["at"], undone, row["undone_at"])
