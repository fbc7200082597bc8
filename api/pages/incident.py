"""One incident, whole."""

import re
from urllib.parse import parse_qsl, urlencode

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.contract.paths import IncidentRoute, page_of
from api.pages.alike import alike
from api.pages.answer import LONGEST_QUESTION
from api.pages.browsing import LEAST
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
_SHARED = re.compile(r"/a/[\w-]{8,64}", re.ASCII)
_LONGEST_ADDRESS = 9 * LONGEST_QUESTION + 100
"""Characters of an answer's address; a Chinese character takes nine when it is percent-encoded."""


@router.get("/incidents/{incident_id:path}", dependencies=OF_INCIDENTS)
async def incident(request: Request, incident_id: str, desk: Reading) -> Response:
    """As the reader may see it; the id of a merged one leads to the other."""

    def look(at: IncidentService) -> tuple[VisibleIncident, TimesFound | None, Votes, list[Sighting], list[Comment]]:
        visible = at.look(incident_id)
        name = visible.incident.id
        times, votes = at.store.tallies.found([name]).get(name), at.store.feedback.votes([name])[name]
        if not at.caller.may(Role.CURATOR):
            return visible, times, votes, [], []
        return visible, times, votes, at.store.sightings.of(name), at.store.reviews.comments(name)

    found, times, votes, seen, comments = await desk.do(look)
    if found.incident.id != incident_id:
        return redirect_to(request, page_of(found.incident.id), merged=incident_id)
    lang, whence = the_pages(request).strings(request).lang, _answer(request)
    shown_one = in_language(found.incident, lang)
    curates = desk.caller.may(Role.CURATOR)
    related = await alike(desk, found.incident, lang, LEAST)
    values = {
        "incident": shown_one,
        "snapshot_id": desk.service.live.snapshot_id,
        "times": times,
        "days": desk.settings.insight_days,
        "votes": votes,
        "seen": seen,
        "comments": comments,
        "related": related,
        "answer_address": whence,
        "kept": {"answer": whence} if whence else {},
        "late": list(lagging(found.incident)) if curates else [],
        "untranslated": [lang for lang in LANGUAGES if lang not in languages(found.incident)],
    }
    return await shown(request, desk.service, "incident.html", **values, **_what_was_done(request))


def _answer(request: Request) -> str:
    """Return the address of the answer that led here; '' where there is none. Anybody can write the parameter, so the address is built anew.

    A vote counts for the fingerprints of a paste, and this page has no paste: a vote by the incident's own fingerprints would teach
    nothing. So the page links to the answer, where the vote belongs.
    """
    path, _, query = request.query_params.get("answer", "")[:_LONGEST_ADDRESS].partition("?")
    if _SHARED.fullmatch(path):
        return path
    question = dict(parse_qsl(query)).get("q", "") if path == "/" else ""
    return "/?" + urlencode({"q": redact(question[:LONGEST_QUESTION]).text}, errors="replace") if question else ""


def _what_was_done(request: Request) -> dict[str, object]:
    """Why the reader is here, as the address has it: anybody can write one, so only known words of it are shown."""
    query = request.query_params
    saved, attached = query.get("saved"), query.get("attached")
    hidden, merged = query.get("taken", ""), query.get("merged")
    return {
        "saved": saved if saved in frozenset(Status) else None,
        "attached": attached if attached in frozenset(Status) else None,
        "redacted": int(hidden) if hidden.isascii() and hidden.isdigit() and len(hidden) < 7 else 0,
        "merged": redact(merged[:200]).text if merged else None,
    }
