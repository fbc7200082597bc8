"""One incident, whole."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.contract.paths import IncidentRoute, page_of
from api.pages.calls import OF_INCIDENTS
from api.pages.rendering import redirect_to, shown, the_pages
from api.writing.calls import Reading
from api.writing.incident_service import IncidentService, VisibleIncident
from kb.incident import Status
from kb.kinds import LANGUAGES
from kb.redact import redact
from kb.store import Role
from kb.store.model import Comment, Votes
from kb.store.tallies import TimesFound
from kb.store.voices import Sighting
from kb.translations import in_language, lagging, languages

router = APIRouter(include_in_schema=False, route_class=IncidentRoute)


@router.get("/incidents/{incident_id:path}", dependencies=OF_INCIDENTS)
async def incident(request: Request, incident_id: str, desk: Reading) -> Response:
    """As the reader may see it; the id of a merged one leads to the other."""

    def look(
        at: IncidentService,
    ) -> tuple[VisibleIncident, TimesFound | None, Votes | None, list[Sighting], list[Comment]]:
        visible = at.look(incident_id)
        name = visible.incident.id
        times = at.store.tallies.found([name]).get(name)
        if not at.caller.may(Role.CURATOR):
            return visible, times, None, [], []
        votes = at.store.feedback.votes([name])[name]
        return visible, times, votes, at.store.sightings.of(name), at.store.reviews.comments(name)

    found, times, votes, seen, comments = await desk.do(look)
    if found.incident.id != incident_id:
        return redirect_to(request, page_of(found.incident.id), merged=incident_id)
    shown_one = in_language(found.incident, the_pages(request).strings(request).lang)
    curates = desk.caller.may(Role.CURATOR)
    values = {
        "incident": shown_one,
        "snapshot_id": desk.service.live.snapshot_id,
        "times": times,
        "days": desk.settings.insight_days,
        "votes": votes,
        "seen": seen,
        "comments": comments,
        "late": list(lagging(found.incident)) if curates else [],
        "untranslated": [lang for lang in LANGUAGES if lang not in languages(found.incident)],
    }
    return await shown(request, desk.service, "incident.html", **values, **_what_was_done(request))


def _what_was_done(request: Request) -> dict[str, object]:
    """Why the reader is here, as the address has it: anybody can write one, so only known words of it are shown."""
    query = request.query_params
    saved, attached = query.get("saved"), query.get("attached")
    hidden, merged = query.get("taken", ""), query.get("merged")
    return {
        "saved": saved if saved in frozenset(Status) else None,
        "attached": attached if attached in frozenset(Status) else None,
        "taken": int(hidden) if hidden.isascii() and hidden.isdigit() and len(hidden) < 7 else 0,
        "merged": redact(merged[:200]).text if merged else None,
    }
