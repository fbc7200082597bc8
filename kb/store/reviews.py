"""Who was asked to look at an incident, and what was said about it."""

from collections.abc import Sequence
from datetime import UTC, datetime

import sqlalchemy as sa

from kb.redact import redact
from kb.store import schema
from kb.store.audit import Audit
from kb.store.database import Database
from kb.store.errors import Missing
from kb.store.incidents import author_of
from kb.store.model import Actor, Author, Comment, Reviewer
from kb.store.revisions import Revisions

_REVIEWERS, _COMMENTS = schema.reviewers, schema.comments


class Reviews:
    """Reviewers and comments."""

    def __init__(self, database: Database, audit: Audit) -> None:
        self._database = database
        self._audit = audit
        self._revisions = Revisions(database)

    def assign(self, incident_id: str, reviewers: Sequence[Author], *, actor: Actor) -> list[Reviewer]:
        """These, and nobody else, are asked to look at an incident. Missing when the store has none of that id."""
        with self._database.writing() as connection:
            number = self._database.next_number()
            self._revisions.last(incident_id)
            before = {one.id for one in self.reviewers(incident_id)}
            named = {one.id: Author(one.id, redact(one.name).text) for one in reviewers}
            gone = sa.delete(_REVIEWERS).where(
                _REVIEWERS.c.incident_id == incident_id, _REVIEWERS.c.id.not_in(list(named))
            )
            connection.execute(gone)
            fresh = [
                {
                    "incident_id": incident_id,
                    "id": one.id,
                    "name": one.name,
                    "assigned_by_id": actor.id,
                    "assigned_by_name": actor.name,
                    "at": datetime.now(UTC),
                }
                for one in named.values()
                if one.id not in before
            ]
            if fresh:
                connection.execute(sa.insert(_REVIEWERS), fresh)
            self._audit.note(number, actor, "incident.assign", f"incident:{incident_id}", {"reviewers": sorted(named)})
            return self.reviewers(incident_id)

    def reviewers(self, incident_id: str) -> list[Reviewer]:
        """Who is asked to look at it, by id."""
        query = sa.select(_REVIEWERS).where(_REVIEWERS.c.incident_id == incident_id).order_by(_REVIEWERS.c.id)
        with self._database.reading() as connection:
            rows = connection.execute(query).mappings()
            return [Reviewer(row["id"], row["name"], schema.author(row, "assigned_by"), row["at"]) for row in rows]

    def comment(
        self, incident_id: str, revision: int, text: str, *, actor: Actor, answers: int | None = None
    ) -> Comment:
        """A remark on a revision, or on another remark. Missing when there is no such revision or remark."""
        with self._database.writing() as connection:
            number = self._database.next_number()
            self._revisions.at(incident_id, revision)
            if answers is not None and answers not in {one.number for one in self.comments(incident_id)}:
                raise Missing(
                    f"{incident_id!r} has no comment {answers}", cure="its comments list those that there are"
                )
            clean, now = schema.storable(redact(text).text), datetime.now(UTC)
            row = {
                "incident_id": incident_id,
                "revision": revision,
                "answers": answers,
                "text": clean,
                "by_id": actor.id,
                "by_name": actor.name,
                "at": now,
            }
            made = connection.execute(sa.insert(_COMMENTS).values(**row).returning(_COMMENTS.c.number)).scalar_one()
            details = {"comment": made, "revision": revision}
            self._audit.note(number, actor, "incident.comment", f"incident:{incident_id}", details)
            return Comment(made, incident_id, revision, answers, clean, author_of(actor), now)

    def comments(self, incident_id: str) -> list[Comment]:
        """All remarks on an incident, oldest first; ``answers`` says which hang together."""
        query = sa.select(_COMMENTS).where(_COMMENTS.c.incident_id == incident_id).order_by(_COMMENTS.c.number)
        with self._database.reading() as connection:
            return [_comment(row) for row in connection.execute(query).mappings()]


def _comment(row: sa.RowMapping) -> Comment:
    where = (row["number"], row["incident_id"], row["revision"], row["answers"])
    return Comment(*where, row["text"], schema.author(row, "by"), row["at"])
