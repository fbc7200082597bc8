"""Who was asked to look at an incident, and what was said about it."""

from collections.abc import Sequence
from datetime import UTC, datetime

import sqlalchemy as sa

from kb.incident import Status
from kb.redact import redact
from kb.store import schema
from kb.store.audit import Audit
from kb.store.database import Database
from kb.store.errors import Missing
from kb.store.incidents import author_of
from kb.store.model import Actor, Author, Comment, Reviewer, WaitingReview
from kb.store.revisions import Revisions

_REVIEWERS, _COMMENTS = schema.reviewers, schema.comments
_INCIDENTS, _REVISIONS = schema.incidents, schema.revisions


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
            return [_reviewer(row) for row in rows]

    def waiting(self, limit: int, *, reviewer: str | None = None, but: str | None = None) -> list[WaitingReview]:
        """Return incidents that wait for a review, the oldest first: those in review, and those of which somebody was asked.

        ``reviewer``: those alone that wait for this one; ``but``: those alone that do not. A request waits until the reviewer
        comments on the last revision or writes it, or until somebody publishes or retires the incident.
        """
        live = sa.select(_REVISIONS.c.number).where(_is_live()).scalar_subquery()
        query = sa.select(_INCIDENTS, live.label("since")).where(_is_waiting(reviewer, but))
        query = query.order_by(_INCIDENTS.c.updated_at, _INCIDENTS.c.id).limit(limit)
        with self._database.reading() as connection:
            rows = connection.execute(query).mappings().all()
            named = [row["id"] for row in rows]
            wanted = sa.select(_REVIEWERS).join(_INCIDENTS, _INCIDENTS.c.id == _REVIEWERS.c.incident_id)
            wanted = wanted.where(_REVIEWERS.c.incident_id.in_(named), _is_unanswered()).order_by(_REVIEWERS.c.at)
            requests = connection.execute(wanted).mappings().all()
        return [_waiting(row, [one for one in requests if one["incident_id"] == row["id"]]) for row in rows]

    def waiting_count(self, *, reviewer: str | None = None, but: str | None = None) -> int:
        """Return how many incidents `waiting` has, without a limit."""
        query = sa.select(sa.func.count()).select_from(_INCIDENTS).where(_is_waiting(reviewer, but))
        with self._database.reading() as connection:
            return int(connection.scalar(query) or 0)

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


def _is_live() -> sa.ColumnElement[bool]:
    """Of a revision: that readers see it."""
    own = _REVISIONS.c.incident_id == _INCIDENTS.c.id
    return sa.and_(own, _REVISIONS.c.number == _INCIDENTS.c.live_revision)


def _is_unanswered() -> sa.ColumnElement[bool]:
    """Of a row of reviewers and its incident: that the review is still to come."""
    # Named, because SQLAlchemy finds tables of the next query outwards alone, and would compare with every incident.
    outer = (_INCIDENTS, _REVIEWERS)
    is_published = sa.exists().where(_is_live(), _REVISIONS.c.at > _REVIEWERS.c.at).correlate(*outer)
    wrote_last = sa.and_(_INCIDENTS.c.updated_by_id == _REVIEWERS.c.id, _INCIDENTS.c.updated_at > _REVIEWERS.c.at)
    own = (_COMMENTS.c.incident_id == _INCIDENTS.c.id, _COMMENTS.c.by_id == _REVIEWERS.c.id)
    since = _COMMENTS.c.at >= _REVIEWERS.c.at, _COMMENTS.c.at >= _INCIDENTS.c.updated_at
    commented = sa.exists().where(*own, *since).correlate(*outer)
    return sa.and_(~is_published, ~wrote_last, ~commented)


def _is_waiting(reviewer: str | None, but: str | None) -> sa.ColumnElement[bool]:
    """Of an incident: that it waits for a review."""

    def is_requested(*more: sa.ColumnElement[bool]) -> sa.ColumnElement[bool]:
        return sa.exists().where(_REVIEWERS.c.incident_id == _INCIDENTS.c.id, *more, _is_unanswered())

    if reviewer is not None:
        return is_requested(_REVIEWERS.c.id == reviewer)
    everybody = sa.or_(_INCIDENTS.c.status == Status.IN_REVIEW.value, is_requested())
    return everybody if but is None else sa.and_(everybody, ~is_requested(_REVIEWERS.c.id == but))


def _waiting(row: sa.RowMapping, requests: Sequence[sa.RowMapping]) -> WaitingReview:
    status, by = Status(row["status"]), schema.author(row, "updated_by")
    of = (row["id"], row["title"], row["lang"], status, row["revision"], row["since"], by, row["updated_at"])
    return WaitingReview(*of, tuple(map(_reviewer, requests)))


def _reviewer(row: sa.RowMapping) -> Reviewer:
    return Reviewer(row["id"], row["name"], schema.author(row, "assigned_by"), row["at"])


def _comment(row: sa.RowMapping) -> Comment:
    where = (row["number"], row["incident_id"], row["revision"], row["answers"])
    return Comment(*where, row["text"], schema.author(row, "by"), row["at"])
