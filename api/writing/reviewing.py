"""Ask for reviews: who can be asked, what becomes of a list of them, and where their changes are shown."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlencode

from fastapi import Request

from api.access import Scope
from api.contract.paths import page_of
from api.contract.problems import HttpProblem
from api.writing.incident_service import IncidentService
from kb.store import Author, Revision, Role, Store
from kb.store.keys import is_in_force
from kb.store.model import Person, Reviewer

_LISTED = 10
"""Unknown reviewers that a problem points at; one shows the mistake, and all of 50 bury it."""


@dataclass(frozen=True, slots=True)
class ReviewRequest:
    """That people are newly asked to look at an incident."""

    revision: Revision
    """The one that is to be reviewed."""
    since: int | None
    """The revision that readers see; None while there is none."""
    reviewers: tuple[Author, ...]
    requested_by: Author
    at: datetime


Announce = Callable[[Store, ReviewRequest], None]
"""Queues the news of a request, within the transaction that is open."""


def announcing(request: Request) -> Announce:
    """Return what tells people of a review, as the app that got the request is set up."""
    found: Announce = request.app.state.hooks.reviews.queue
    return found


def people(at: IncidentService) -> list[Person]:
    """Return who can be asked for a review, by name: keys in force of curators and above, and people who signed in as such."""
    now = datetime.now(UTC)
    held = [
        Person(key.actor.id, key.name, key.role)
        for key in at.store.keys.listing()
        if is_in_force(key, now)
        and key.role.covers(Role.CURATOR)
        and (not key.scopes or Scope.INCIDENTS.value in key.scopes)
    ]
    return sorted((*held, *at.store.people.listing()), key=lambda one: (one.name.casefold(), one.id))


def assign(at: IncidentService, incident_id: str, ids: Sequence[str], announce: Announce) -> list[Reviewer]:
    """Ask these, and nobody else, to look at an incident; return all who are asked. Problem `unknown-reviewer` for an id that nobody has.

    Who was asked before may stay, whatever became of them, and gets no second message. Everybody is called what the service knows them by.
    """
    with at.changing(incident_id) as revision:
        before = {one.id: Author(one.id, one.name) for one in at.store.reviews.reviewers(incident_id)}
        known = {one.id: Author(one.id, one.name) for one in people(at)} | before
        _check(ids, known)
        named = at.store.reviews.assign(incident_id, [known[one] for one in ids], actor=at.actor)
        by_id = {one.id: one for one in named}
        if fresh := [by_id[one] for one in dict.fromkeys(ids) if one not in before]:
            live = at.store.incidents.live(incident_id)
            reviewers = tuple(Author(one.id, one.name) for one in fresh)
            since = live.number if live else None
            announce(at.store, ReviewRequest(revision, since, reviewers, fresh[0].assigned_by, fresh[0].at))
        return named


def changes_address(incident_id: str, since: int | None, number: int, **query: str) -> str:
    """Return the path that shows what is to be reviewed: the changes since a revision, or all of it where readers have seen none."""
    if since is None or since >= number:
        return page_of(incident_id) + (f"?{urlencode(query)}" if query else "")
    return page_of(incident_id, f"/history?{urlencode({'from': since, 'to': number, **query})}#diff")


def _check(ids: Sequence[str], known: Mapping[str, Author]) -> None:
    unknown = [number for number, one in enumerate(ids) if one not in known]
    if unknown:
        errors = [
            {"pointer": f"#/reviewers/{number}/id", "detail": "nobody here has this id"} for number in unknown[:_LISTED]
        ]
        detail = (
            f"reviewers/{unknown[0]}: nobody here has this id. GET /v1/reviewers lists who can be asked. "
            "Whoever is missing signs in once, or gets a key: `kb keys create --role curator`."
        )
        raise HttpProblem(422, "unknown-reviewer", detail, errors=errors, members={"reviewers": "/v1/reviewers"})


def person_out(one: Person) -> dict[str, str]:
    """Return somebody who can be asked, as JSON."""
    return {"id": one.id, "name": one.name, "role": one.role.value}
