"""What votes teach: the pastes that readers confirmed or denied of an incident, as fingerprints, and how many of them count.

Rows are voices: one for each voter, paste and incident, with what they said last. What counts is worked out when they are read, so that
a rule that changes needs no migration.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from hashlib import blake2b

import sqlalchemy as sa

from kb.store import schema
from kb.store.audit import Audit
from kb.store.database import Database
from kb.store.errors import Missing
from kb.store.incidents import author_of
from kb.store.model import NOBODY, Actor, Feedback, Vote
from kb.store.revisions import Revisions
from kb.store.voices import Latest, LearnedSightings, Sighting, Voter, Weight, agreed
from kb.trace.fingerprint import VERSION

WORDS = "message"
"""In the place of a level: names of words instead of digests."""
LEVELS = ("exact", "root_cause", WORDS)
"""What of a query is kept; the loose fingerprint is one top frame, which too many problems share."""
MOST = 200
"""Sightings of an incident that are kept; the newest, and first those that somebody with a key spoke of."""
MOST_PENDING = 20
"""Sightings of one voter without a key that are kept, so that a wave of votes pushes out only its own."""
MOST_VOICES = 50
"""Voices without a key of one sighting that are kept: more of them change nothing."""
_BYTES = 3
"""Of an address's hash: some 250 addresses of IPv4 share each, so none can be read off it; two of three voters do once in 5 million."""
_TABLE = schema.sightings


class Sightings:
    """Voices, added, counted and removed."""

    def __init__(self, database: Database, audit: Audit) -> None:
        self._database = database
        self._audit = audit
        self._revisions = Revisions(database)

    def latest(self, feedback: Feedback, voter: Voter) -> Latest | None:
        """What a voter without a name said last of the same paste and incident."""
        prints = _kept_prints(feedback)
        with self._database.reading() as connection:
            own = (_TABLE.c.incident_id == feedback.incident_id, _TABLE.c.name == _named(prints))
            who = self._who(connection, NOBODY, voter)
            found = connection.execute(sa.select(_TABLE.c.vote, _TABLE.c.at).where(*own, _TABLE.c.voter == who)).first()
        return None if found is None else Latest(Vote(found.vote), found.at)

    def add_voice(self, feedback: Feedback, actor: Actor, voter: Voter, number: int) -> Sequence[datetime]:
        """Add a voice, inside the transaction of the change that has this number. Nothing when the query has nothing to find it by.

        Answers when the voices of the same voter were raised that gave way to it.
        """
        prints = _kept_prints(feedback)
        if not prints:
            return ()
        with self._database.writing() as connection:
            name = _named(prints)
            own = (_TABLE.c.incident_id == feedback.incident_id, _TABLE.c.name == name)
            who = self._who(connection, actor, voter)
            removed = (
                connection.execute(sa.select(_TABLE).where(*own, _TABLE.c.removed_at.is_not(None))).mappings().first()
            )
            row = {
                "incident_id": feedback.incident_id,
                "name": name,
                "voter": who,
                "weight": int(voter.weight),
                "vote": int(feedback.vote),
                "prints": json.dumps({level: list(digests) for level, digests in prints.items()}),
                "version": VERSION,
                "at": feedback.at or datetime.now(UTC),
                "sequence": number,
                **{column: removed[column] if removed else None for column in _REMOVAL},
            }
            connection.execute(sa.delete(_TABLE).where(*own, _TABLE.c.voter == who))
            connection.execute(sa.insert(_TABLE).values(**row))
            return self._tidy(connection, feedback.incident_id, name, who)

    def learned(self, after: int, limit: int = 256) -> list[LearnedSightings]:
        """What counts of the incidents whose sightings changed after that number, all of each, in the order of numbers.

        Fewer than ``limit``: there is nothing more up to a `head` that was asked for before.
        """
        changed = sa.func.max(_TABLE.c.sequence).label("sequence")
        query = sa.select(_TABLE.c.incident_id, changed).where(_TABLE.c.sequence > after).group_by(_TABLE.c.incident_id)
        with self._database.reading() as connection:
            found = connection.execute(query.order_by(changed).limit(limit)).all()
            return [
                LearnedSightings(
                    sequence,
                    incident_id,
                    self._resolved(incident_id),
                    tuple(one for one in _read(connection, [incident_id]) if one.vote is not None),
                )
                for incident_id, sequence in found
            ]

    def of(self, incident_id: str) -> list[Sighting]:
        """All sightings of an incident and of what was merged into it, the newest first; those that do not count among them."""
        with self._database.reading() as connection:
            return _read(connection, self._with_merged(connection, incident_id))

    def remove(self, incident_id: str, name: str, *, actor: Actor) -> Sighting:
        """It counts no more, whoever votes, until it is put back. Missing when the incident has none of that name."""
        by = author_of(actor)
        values = {"removed_by_id": by.id, "removed_by_name": by.name, "removed_at": datetime.now(UTC)}
        return self._change(incident_id, name, values, "incident.sighting.remove", actor)

    def put_back(self, incident_id: str, name: str, *, actor: Actor) -> Sighting:
        """A removed one counts again as its voices say. Missing when the incident has none of that name."""
        return self._change(incident_id, name, dict.fromkeys(_REMOVAL), "incident.sighting.put_back", actor)

    def touch(self, incident_id: str, number: int) -> None:
        """Have those of an incident, and of what was merged into it, followed again: other incidents are found by them now."""
        with self._database.writing() as connection:
            names = self._with_merged(connection, incident_id)
            connection.execute(sa.update(_TABLE).where(_TABLE.c.incident_id.in_(names)).values(sequence=number))

    def _change(self, incident_id: str, name: str, values: Mapping[str, object], action: str, actor: Actor) -> Sighting:
        with self._database.writing() as connection:
            number = self._database.next_number()
            own = (_TABLE.c.incident_id.in_(self._with_merged(connection, incident_id)), _TABLE.c.name == name)
            if not connection.execute(sa.update(_TABLE).where(*own).values(**values, sequence=number)).rowcount:
                raise Missing("the incident has no such sighting", cure="`kb incidents seen` lists them")
            self._audit.note(number, actor, action, f"incident:{incident_id}", {"sighting": name})
            return next(one for one in self.of(incident_id) if one.name == name)

    def _who(self, connection: sa.Connection, actor: Actor, voter: Voter) -> str:
        if actor.id != NOBODY.id:
            return actor.id
        key = connection.execute(sa.select(schema.sequence.c.voter_key)).scalar_one()
        hashed = blake2b((voter.address or "").encode(), key=str(key).encode(), digest_size=_BYTES)
        return f"{NOBODY.id}:{hashed.hexdigest()}"

    def _tidy(self, connection: sa.Connection, incident_id: str, name: str, who: str) -> Sequence[datetime]:
        """Take away what is beyond the bounds; answers when the voter said what of it was their own."""
        of, pending = _TABLE.c.incident_id == incident_id, _TABLE.c.weight == int(Weight.VOICE)
        kept = _TABLE.c.removed_at.is_(None)
        newest, own = sa.select(_TABLE.c.number, _TABLE.c.at).order_by(_TABLE.c.number.desc()), []
        for within, most in (
            ((of, kept, pending, _TABLE.c.voter == who), MOST_PENDING),
            ((of, pending, _TABLE.c.name == name), MOST_VOICES),
        ):
            beyond = connection.execute(newest.where(*within).offset(most).limit(MOST)).all()
            connection.execute(sa.delete(_TABLE).where(_TABLE.c.number.in_([row.number for row in beyond])))
            own += [row.at for row in beyond if most == MOST_PENDING]
        highest, last = sa.func.max(_TABLE.c.weight), sa.func.max(_TABLE.c.number)
        names = sa.select(_TABLE.c.name).where(of, kept).group_by(_TABLE.c.name).order_by(highest.desc(), last.desc())
        gone = connection.execute(names.offset(MOST).limit(MOST)).scalars().all()
        connection.execute(sa.delete(_TABLE).where(of, _TABLE.c.name.in_(gone)))
        return own

    def _resolved(self, incident_id: str) -> str:
        while (other := self._revisions.merged_into(incident_id)) is not None:
            incident_id = other
        return incident_id

    def _with_merged(self, connection: sa.Connection, incident_id: str) -> list[str]:
        """An incident, and all that were merged into it, one after the other."""
        table, names = schema.redirects, [incident_id]
        for name in names:
            query = sa.select(table.c.from_id).where(table.c.to_id == name, table.c.undone_at.is_(None))
            names += connection.execute(query).scalars()
        return names


_REMOVAL = ("removed_by_id", "removed_by_name", "removed_at")


def _kept_prints(feedback: Feedback) -> Mapping[str, tuple[str, ...]]:
    return {level: feedback.prints[level] for level in LEVELS if feedback.prints.get(level)}


def _named(prints: Mapping[str, Sequence[str]]) -> str:
    """The name of a paste: of all that it is found by, in any order. Nobody can add to what others said."""
    parts = [str(VERSION), *(f"{level} {one}" for level in LEVELS for one in sorted(prints.get(level, ())))]
    return blake2b("\n".join(parts).encode(), digest_size=8).hexdigest()


def _read(connection: sa.Connection, ids: Sequence[str]) -> list[Sighting]:
    query = sa.select(_TABLE).where(_TABLE.c.incident_id.in_(ids)).order_by(_TABLE.c.number)
    voices: dict[tuple[str, str], list[sa.RowMapping]] = {}
    for row in connection.execute(query).mappings():
        voices.setdefault((row["incident_id"], row["name"]), []).append(row)
    found = [_sighting(name, rows) for (_, name), rows in voices.items()]
    return sorted(found, key=lambda one: (one.last, one.name), reverse=True)


def _sighting(name: str, rows: Sequence[sa.RowMapping]) -> Sighting:
    last = rows[-1]
    removed = None if last["removed_at"] is None else schema.author(last, "removed_by")
    yes = sum(row["vote"] for row in rows)
    return Sighting(
        name=name,
        vote=None if removed else agreed((row["weight"], row["vote"]) for row in rows),
        prints={level: tuple(digests) for level, digests in json.loads(last["prints"]).items()},
        version=last["version"],
        yes=yes,
        no=len(rows) - yes,
        first=rows[0]["at"],
        last=last["at"],
        removed_by=removed,
        removed_at=last["removed_at"],
    )
