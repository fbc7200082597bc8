"""What readers said of matches: that this was it, or was not. The query is kept as fingerprints, its text only where it may be."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa

from kb.redact import redact
from kb.store import schema
from kb.store.audit import Audit
from kb.store.database import Database
from kb.store.incidents import author_of
from kb.store.model import NOBODY, Actor, Feedback, Vote, Votes
from kb.store.sightings import WORDS, Sightings
from kb.store.voices import Voter

NAMELESS = 500
"""Votes without a key on one incident that are kept, the newest."""
NAMELESS_IN_ALL = 20_000
"""The same of all incidents."""
EVERY = 100
"""All are counted once in so many votes: it reads each row."""
AGAIN = timedelta(days=1)
"""After so long an address may say the same of the same paste once more."""
_TABLE = schema.feedback


class FeedbackStore:
    """Feedback, added and read."""

    def __init__(self, database: Database, audit: Audit, sightings: Sightings) -> None:
        self._database = database
        self._audit = audit
        self._sightings = sightings

    def add(self, feedback: Feedback, *, actor: Actor, voter: Voter | None = None) -> Feedback:
        """Keep it, as said by the actor, now, and count it as a voice. The incident may be one of the snapshot that the store does not know.

        ``voter`` says how much the voice counts; left out: as one of several that have to agree. Without a key, an address has one vote a
        day on a paste and an incident: the same again changes nothing, another replaces it.
        """
        text = None if feedback.text is None else redact(feedback.text).text
        now = datetime.now(UTC)
        signed = replace(feedback, text=text, by=author_of(actor), at=now)
        row = {
            "incident_id": signed.incident_id,
            "vote": int(signed.vote),
            "prints": json.dumps({level: list(digests) for level, digests in signed.prints.items() if level != WORDS}),
            "probability": signed.probability,
            "snapshot_id": signed.snapshot_id,
            "text": signed.text,
            "by_id": actor.id,
            "by_name": actor.name,
            "at": now,
        }
        who, is_nameless = voter or Voter(), actor.id == NOBODY.id
        with self._database.writing() as connection:
            if is_nameless and (before := self._sightings.latest(signed, who)) and abs(now - before.at) < AGAIN:
                if before.vote is signed.vote:
                    return replace(signed, at=before.at)
                self._forget(connection, signed.incident_id, [before.at])
            number = self._database.next_number()
            kept = connection.execute(sa.insert(_TABLE).values(**row)).inserted_primary_key
            beyond = self._sightings.add_voice(signed, actor, who, number)
            if is_nameless:  # the row says all that a line of the log would, which nobody could take away again
                self._forget(connection, signed.incident_id, beyond)
                _keep(connection, NAMELESS, _TABLE.c.incident_id == signed.incident_id)
                if kept is not None and kept[0] % EVERY == 0:
                    _keep(connection, NAMELESS_IN_ALL)
            else:
                thing = f"incident:{signed.incident_id}"
                self._audit.note(number, actor, "incident.feedback", thing, {"vote": signed.vote.name.lower()})
        return signed

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
        return {one: Votes() for one in ids} | self._counted(_TABLE.c.incident_id.in_(list(ids)))

    def all_votes(self) -> dict[str, Votes]:
        """The same of every incident of which somebody said something. Each row is read: keep it until the store changes."""
        return self._counted(sa.true())

    def _counted(self, of_ids: sa.ColumnElement[bool]) -> dict[str, Votes]:
        is_nobody = _TABLE.c.by_id == NOBODY.id
        latest = sa.select(sa.func.max(_TABLE.c.number)).where(of_ids).group_by(_TABLE.c.incident_id, _TABLE.c.by_id)
        yes = sa.func.coalesce(sa.func.sum(_TABLE.c.vote), 0)
        query = sa.select(_TABLE.c.incident_id, yes, sa.func.count()).group_by(_TABLE.c.incident_id)
        with self._database.reading() as connection:
            rows = connection.execute(query.where(of_ids, is_nobody | _TABLE.c.number.in_(latest))).all()
        return {name: Votes(int(agree), count - int(agree)) for name, agree, count in rows}

    @staticmethod
    def _forget(connection: sa.Connection, incident_id: str, moments: Sequence[datetime]) -> None:
        """Take away what nobody in particular said of an incident at these moments."""
        own = (_TABLE.c.incident_id == incident_id, _TABLE.c.by_id == NOBODY.id)
        if moments:
            connection.execute(sa.delete(_TABLE).where(*own, _TABLE.c.at.in_(moments)))


def _keep(connection: sa.Connection, most: int, *of: sa.ColumnElement[bool]) -> None:
    """Take away the oldest votes without a key that are too many."""
    newest = sa.select(_TABLE.c.number).where(_TABLE.c.by_id == NOBODY.id, *of).order_by(_TABLE.c.number.desc())
    first = connection.execute(newest.offset(most).limit(1)).scalar()
    if first is not None:
        connection.execute(sa.delete(_TABLE).where(_TABLE.c.by_id == NOBODY.id, *of, _TABLE.c.number <= first))


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
