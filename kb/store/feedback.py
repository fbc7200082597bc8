"""What readers said of matches: that this was it, or was not. The query is kept as fingerprints, its text only where it may be."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import sqlalchemy as sa

from kb.redact import redact
from kb.store import schema
from kb.store.audit import Audit
from kb.store.database import Database
from kb.store.incidents import author_of
from kb.store.model import NOBODY, Actor, Feedback, Vote, Votes

_TABLE = schema.feedback


class Opinions:
    """Feedback, added and read."""

    def __init__(self, database: Database, audit: Audit) -> None:
        self._database = database
        self._audit = audit

    def add(self, feedback: Feedback, *, actor: Actor) -> Feedback:
        """Keep it, as said by the actor, now. The incident may be one of the snapshot that the store does not know."""
        text = None if feedback.text is None else redact(feedback.text).text
        said = replace(feedback, text=text, by=author_of(actor), at=datetime.now(UTC))
        row = {
            "incident_id": said.incident_id,
            "vote": int(said.vote),
            "prints": json.dumps({level: list(digests) for level, digests in said.prints.items()}),
            "probability": said.probability,
            "snapshot_id": said.snapshot_id,
            "text": said.text,
            "by_id": actor.id,
            "by_name": actor.name,
            "at": said.at,
        }
        with self._database.writing() as connection:
            number = self._database.next_number()
            connection.execute(sa.insert(_TABLE).values(**row))
            thing = f"incident:{said.incident_id}"
            self._audit.note(number, actor, "incident.feedback", thing, {"vote": said.vote.name.lower()})
        return said

    def listing(self, *, after: int = 0, limit: int = 100, of: str | None = None) -> list[tuple[int, Feedback]]:
        """What was said, oldest first, each with its number; what is behind number ``after``, of one incident where it is named."""
        query = sa.select(_TABLE).where(_TABLE.c.number > after).order_by(_TABLE.c.number).limit(limit)
        if of is not None:
            query = query.where(_TABLE.c.incident_id == of)
        with self._database.reading() as connection:
            return [(row["number"], _feedback(row)) for row in connection.execute(query).mappings()]

    def votes(self, ids: Sequence[str]) -> dict[str, Votes]:
        """How many said what of some incidents; those of whom nobody said anything too.

        Each voter counts once for an incident, with what they said last; what `NOBODY` said counts each time: they are many.
        """
        of_ids, is_nobody = _TABLE.c.incident_id.in_(list(ids)), _TABLE.c.by_id == NOBODY.id
        latest = sa.select(sa.func.max(_TABLE.c.number)).where(of_ids).group_by(_TABLE.c.incident_id, _TABLE.c.by_id)
        yes = sa.func.coalesce(sa.func.sum(_TABLE.c.vote), 0)
        query = sa.select(_TABLE.c.incident_id, yes, sa.func.count()).group_by(_TABLE.c.incident_id)
        with self._database.reading() as connection:
            rows = connection.execute(query.where(of_ids, is_nobody | _TABLE.c.number.in_(latest))).all()
        return {one: Votes() for one in ids} | {
            name: Votes(int(agree), count - int(agree)) for name, agree, count in rows
        }


def _feedback(row: sa.RowMapping) -> Feedback:
    return Feedback(
        incident_id=row["incident_id"],
        vote=Vote(row["vote"]),
        prints={level: tuple(digests) for level, digests in json.loads(row["prints"]).items()},
        probability=row["probability"],
        snapshot_id=row["snapshot_id"],
        text=row["text"],
        by=schema.author(row, "by"),
        at=row["at"],
    )
