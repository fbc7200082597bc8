"""`/incidents`: which there are, those changed last first."""

from functools import partial
from typing import Any

from fastapi import APIRouter, Request
from pydantic import ValidationError
from starlette.responses import Response

from api.contract.paths import IncidentRoute
from api.contract.problems import HttpProblem
from api.pages.calls import OF_INCIDENTS
from api.pages.rendering import shown, the_pages
from api.pages.start import Count, components
from api.writing.calls import Reading
from api.writing.listing import ListingQuery, listing
from api.writing.shapes import ListIn
from index import Engine, Match
from kb.incident import Status
from kb.store import Role
from kb.store.listing import Order, Wanted
from kb.translations import in_language

router = APIRouter(include_in_schema=False, route_class=IncidentRoute)
_ROWS = 50
_NEAREST = 8
_LEAST = 0.15
"""Less probable ones are not shown: they share a word or two."""
_FIELDS = ("text", "status", "component", "place")


@router.get("/incidents", dependencies=OF_INCIDENTS)
async def incidents(request: Request, desk: Reading) -> Response:
    """A page of them. A filter that is left empty takes all."""
    given = {name: value.strip() for name, value in request.query_params.items() if value.strip()}
    try:
        query = ListIn.model_validate({name: given[name] for name in (*_FIELDS, "cursor") if name in given})
    except ValidationError as error:
        raise HttpProblem(
            422, "invalid-request", f"{error.errors()[0]['loc'][0]}: cannot be looked for like this."
        ) from None
    live = not desk.caller.may(Role.CURATOR)
    status = Status(query.status) if query.status else None
    wanted = Wanted(status, query.component, query.text, None, live, Order.RECENT)
    page = await desk.do(lambda at: listing(at, ListingQuery(wanted, query.place, query.cursor, _ROWS)))
    lang = the_pages(request).strings(request).lang
    known: tuple[Count, ...] = ()
    nearest: tuple[Match, ...] = ()
    if desk.service.live.snapshot_id:
        known, nearest = await desk.service.ask(lambda engine: _around(engine, query, lang))
    values: dict[str, Any] = {name: given.get(name, "") for name in _FIELDS}
    kept = {name: value for name, value in values.items() if value}
    return await shown(
        request,
        desk.service,
        "incidents.html",
        page=page,
        query=values,
        kept={**kept, "cursor": query.cursor} if query.cursor else kept,
        filters=kept,
        statuses=[one.value for one in Status],
        components=known,
        in_language=partial(in_language, lang=lang),
        nearest=nearest if query.cursor is None else (),
    )


def _around(engine: Engine, query: ListIn, lang: str) -> tuple[tuple[Count, ...], tuple[Match, ...]]:
    """The components with their counts; what the words mean, where somebody looks for some: `HikariPool timed out` stands in no title."""
    filters = {"component": query.component} if query.component else None
    found = engine.search(query.text, _NEAREST, filters, lang=lang).matches if query.text else ()
    return components(engine), tuple(match for match in found if match.probability >= _LEAST)
