"""Ask for reviews: who can be asked, and what becomes of a list of them."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from api.access import Scope
from api.contract.problems import HttpProblem
from api.writing.incident_service import IncidentService
from kb.store import Author, Role
from kb.store.keys import is_in_force
from kb.store.model import Person, Reviewer

_LISTED = 10
"""Unknown reviewers that a problem points at; one shows the mistake, and all of 50 bury it."""


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


def assign(at: IncidentService, incident_id: str, ids: Sequence[str]) -> list[Reviewer]:
    """Ask these, and nobody else, to look at an incident; return all who are asked. Problem `unknown-reviewer` for an id that nobody has.

    Who was asked before may stay, whatever became of them. Everybody is called what the service knows them by.
    """
    with at.changing(incident_id):
        before = {one.id: Author(one.id, one.name) for one in at.store.reviews.reviewers(incident_id)}
        known = {one.id: Author(one.id, one.name) for one in people(at)} | before
        _check(ids, known)
        return at.store.reviews.assign(incident_id, [known[one] for one in ids], actor=at.actor)


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
