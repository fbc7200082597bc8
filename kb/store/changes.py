"""What became of incidents in search, in order: what every worker follows, and what the next snapshot is built with."""

import json
from collections.abc import Sequence

import sqlalchemy as sa

from kb.incident import Status
from kb.record import stored
from kb.store import schema
from kb.store.database import Database
from kb.store.model import IncidentChange, StoreHead

_INCIDENTS, _REVISIONS, _SEQUENCE = schema.incidents, schema.revisions, schema.sequence


class Changes:
    """Reads them; `Store` shows it to the world."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def head(self) -> StoreHead:
        """Where the store is. One row is read."""
        with self._database.reading() as connection:
            number, store_id = connection.execute(sa.select(_SEQUENCE.c.value, _SEQUENCE.c.store_id)).one()
        return StoreHead(int(number), str(store_id))

    def after(self, number: int, limit: int) -> list[IncidentChange]:
        """What is searched of the incidents that changed in search after that number: of each the last, in order."""
        live = sa.and_(_REVISIONS.c.incident_id == _INCIDENTS.c.id, _REVISIONS.c.number == _INCIDENTS.c.live_revision)
        query = (
            sa.select(_INCIDENTS.c.id, _INCIDENTS.c.live_sequence, _INCIDENTS.c.live_status, _REVISIONS.c.record)
            .join(_REVISIONS, live)
            .where(_INCIDENTS.c.live_sequence > number)
            .order_by(_INCIDENTS.c.live_sequence)
            .limit(limit)
        )
        with self._database.reading() as connection:
            rows = connection.execute(query).all()
        return [_change(*row) for row in rows]

    def decided(self) -> Sequence[str]:
        """The ids of all incidents that the store decides about: an article with one of them is not searched."""
        query = sa.select(_INCIDENTS.c.id).where(_INCIDENTS.c.live_revision.is_not(None)).order_by(_INCIDENTS.c.id)
        with self._database.reading() as connection:
            return connection.execute(query).scalars().all()

    def published(self) -> Sequence[str]:
        """The ids of all incidents that are to be searched."""
        query = sa.select(_INCIDENTS.c.id).where(_INCIDENTS.c.live_status == Status.PUBLISHED.value)
        with self._database.reading() as connection:
            return connection.execute(query.order_by(_INCIDENTS.c.id)).scalars().all()

    def origin(self) -> StoreHead | None:
        """Of a restored store: the one that the backup was made of, and how far it was then. None of any other."""
        with self._database.reading() as connection:
            query = sa.select(_SEQUENCE.c.restored_upto, _SEQUENCE.c.restored_from)
            number, store_id = connection.execute(query).one()
        return None if store_id is None else StoreHead(int(number), str(store_id))


def _change(incident_id: str, number: int, status: str, record: str) -> IncidentChange:
    if status != Status.PUBLISHED:
        return IncidentChange(number, incident_id, None)
    try:
        return IncidentChange(number, incident_id, stored(json.loads(record)))
    except (ValueError, KeyError, TypeError, AttributeError) as error:  # no code of ours wrote it; the others go on
        return IncidentChange(number, incident_id, None, type(error).__name__)
