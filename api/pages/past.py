"""`/incidents/{id}/history`: its revisions, what they say differently, what was said about it, and what can be done."""

from collections.abc import Sequence
from dataclasses import dataclass

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.contract.paths import IncidentRoute
from api.pages.alike import LikeIncident, alike, like, named
from api.pages.calls import OF_INCIDENTS
from api.pages.rendering import shown, the_pages
from api.render.language import UNLIKELY
from api.writing.calls import Reading
from api.writing.differences import FieldDifference, differences
from api.writing.history import RevisionView, history, revision_view
from api.writing.incident_service import IncidentService
from api.writing.reviewing import people
from kb.incident import Incident, Status
from kb.store import Missing, Role
from kb.store.model import Comment, Person, Redirect, Reviewer, Votes
from kb.translations import in_language

router = APIRouter(include_in_schema=False, route_class=IncidentRoute)
_ROWS = 100
_MOVES = {
    Status.DRAFT: (Status.IN_REVIEW, Status.PUBLISHED, Status.RETIRED),
    Status.IN_REVIEW: (Status.PUBLISHED, Status.DRAFT),
    Status.PUBLISHED: (Status.RETIRED,),
    Status.RETIRED: (Status.PUBLISHED,),
}
"""What can become of an incident at one step."""


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """All that the page shows."""

    incident: Incident
    translated: Incident
    """The same in the reader's language, where there is a translation."""
    revisions: list[RevisionView]
    before: int | None
    """Where the next page of them begins."""
    sides: tuple[RevisionView, RevisionView] | None
    """The two that are compared."""


@dataclass(frozen=True, slots=True)
class Talk:
    """What curators see beside it."""

    comments: list[Comment]
    reviewers: list[Reviewer]
    candidates: list[Person]
    """Who can be asked, and is not yet."""
    merges: list[Redirect]
    votes: Votes
    into: Incident | None
    """What it may be merged into, when an id was asked for."""
    gains: int
    """Traces that the other would get by it."""


@router.get("/incidents/{incident_id:path}/history", dependencies=OF_INCIDENTS)
async def history_page(request: Request, incident_id: str, desk: Reading) -> Response:
    """The newest first; any two side by side with ``?from=&to=``. The id of a merged one shows its own."""
    before, earlier, later = (_number(request, name) for name in ("before", "from", "to"))
    into, lang = request.query_params.get("into", "").strip(), the_pages(request).strings(request).lang

    def read(at: IncidentService) -> tuple[HistoryPage, Talk | None]:
        rows, behind = history(at, incident_id, before, _ROWS)
        sides = (
            (revision_view(at, incident_id, earlier), revision_view(at, incident_id, later))
            if earlier and later
            else None
        )
        current = _current(at, incident_id)
        found = HistoryPage(current, in_language(current, lang), rows, behind, sides)
        return found, _talk(at, found.incident, into) if at.caller.may(Role.CURATOR) else None

    found, talk = await desk.do(read)
    candidates: Sequence[LikeIncident] = ()
    if talk and not into:
        candidates = [like(match) for match in await alike(desk, found.incident, lang, UNLIKELY)]
    elif talk and talk.into is None:
        candidates = await named(desk, into, found.incident.id, lang)
    fields: tuple[FieldDifference, ...] | None = None
    if found.sides:
        one, other = found.sides
        fields = await desk.service.run("diff", lambda: differences(one.record, other.record))
    kept = {name: request.query_params[name] for name in ("before", "from", "to") if name in request.query_params}
    values = {"past": found, "talk": talk, "fields": fields, "moves": _MOVES[found.incident.status], "kept": kept}
    return await shown(request, desk.service, "history.html", **values, into=into, alike=candidates)


def _current(at: IncidentService, incident_id: str) -> Incident:
    """The incident itself, also when another stands for its id."""
    try:
        seen = at.store.incidents.current(incident_id) if at.sees_drafts else at.public(incident_id)
    except Missing:
        seen = None
    return seen.shown if seen else at.look(incident_id).incident


def _talk(at: IncidentService, one: Incident, into: str) -> Talk:
    incident_id, other = one.id, _named(at, into) if into else None
    reviewers = at.store.reviews.reviewers(incident_id)
    named = {one.id for one in reviewers}
    return Talk(
        at.store.reviews.comments(incident_id),
        reviewers,
        [one for one in people(at) if one.id not in named],
        at.store.redirects.of(incident_id),
        at.store.feedback.votes([incident_id])[incident_id],
        other,
        len(set(one.traces).difference(other.traces)) if other else 0,
    )


def _named(at: IncidentService, incident_id: str) -> Incident | None:
    try:
        return at.look(incident_id).incident
    except Missing:  # words of a title, then
        return None


def _number(request: Request, name: str) -> int | None:
    text = request.query_params.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 and int(text) else None
