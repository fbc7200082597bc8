"""`/v1/incidents`: incidents listed, read, written, replaced and retired."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response
from starlette.responses import PlainTextResponse

from api.access import Scope, within
from api.contract.description import LINKS
from api.contract.jsontext import WireResponse
from api.contract.paths import INCIDENTS, IncidentRoute, address
from api.contract.responses import IncidentOut, problems
from api.writing.answers import ListOut, SavedOut, StaleOut
from api.writing.calls import (
    ETAG,
    IF_MATCH,
    Expected,
    Reading,
    Writing,
    author_out,
    body,
    moment,
    saved_out,
    takes,
    wants_markdown,
)
from api.writing.incident_input import MARKDOWN, Written, parse_incident
from api.writing.listing import ListingQuery, ListingRow, listing
from api.writing.shapes import LINE, IncidentIn, ListIn
from kb.article.writeups.writeup import render
from kb.incident import Status
from kb.record import to_record
from kb.store import Role
from kb.store.listing import Wanted

router = APIRouter(
    prefix=INCIDENTS,
    tags=["incidents"],
    route_class=IncidentRoute,
    dependencies=[Depends(within(Scope.INCIDENTS))],
)

STALE: dict[int | str, dict[str, Any]] = {
    412: {
        "description": "Somebody else wrote in between: both versions; nothing was saved",
        "content": {"application/problem+json": {"schema": {"$ref": f"#/components/schemas/{StaleOut.__name__}"}}},
    }
}
SAVED: dict[int | str, dict[str, Any]] = {200: {"headers": ETAG, "links": LINKS}}
READ = problems(401, 403, 404, 422, 429, 503)
WRITE = problems(400, 401, 403, 404, 408, 409, 413, 415, 422, 428, 429, 503) | STALE


@router.get(
    "", response_model=ListOut, responses=problems(401, 403, 422, 429, 503), summary="List incidents, a page at a time"
)
async def incidents(desk: Reading, query: Annotated[ListIn, Query()]) -> WireResponse:
    """Those that curators have touched, then those that only stand in the snapshot. A page can be short: go on while there is a `next`.

    Readers see what is searched or retired; drafts are for curators.
    """
    status = Status(query.status) if query.status else None
    live = not desk.caller.may(Role.CURATOR)
    wanted = Wanted(status, query.component, query.text, query.author, live, query.order)
    page = await desk.do(lambda at: listing(at, ListingQuery(wanted, query.place, query.cursor, query.limit)))
    return WireResponse({"incidents": [_row_out(row) for row in page.rows], "next": page.cursor})


@router.post(
    "",
    status_code=201,
    response_model=SavedOut,
    responses=problems(400, 401, 403, 408, 409, 413, 415, 422, 429, 503)
    | {
        201: {
            "headers": ETAG
            | {"Location": {"description": "Where it is.", "schema": {"type": "string"}, "required": True}},
            "links": LINKS,
        }
    },
    openapi_extra=takes(IncidentIn, MARKDOWN),
    summary="Create an incident",
)
async def create(
    request: Request, desk: Writing, note: Annotated[str | None, Query(max_length=2_000, pattern=LINE)] = None
) -> WireResponse:
    """Fields in the shape of JSON lines, or a write-up in Markdown with a front matter. It is searched when this answers.

    Where reviews are required, a curator's is in review until a reviewer publishes it.
    """
    written = await _body_of(request, desk, note)
    saved = await desk.save(lambda at: at.create(written))
    return saved_out(saved, written.redactions, 201)


@router.get(
    "/{incident_id:path}",
    response_model=IncidentOut,
    responses=READ
    | {
        200: {
            "content": {MARKDOWN: {"schema": {"type": "string"}}},
            "headers": ETAG
            | {"Content-Location": {"description": "Of a merged one: the other.", "schema": {"type": "string"}}},
        }
    },
    summary="Get an incident",
)
async def incident(request: Request, incident_id: str, desk: Reading) -> Response:
    """As it stands: texts, traces, tags, source. The id of a merged one gives the other. `Accept: text/markdown` gives the write-up.

    Curators see the last revision, readers the last one that was published or retired.
    """
    found = (await desk.do(lambda at: at.look(incident_id))).incident
    headers = {"ETag": f'"{found.revision}"', "Vary": "Accept, Authorization, Cookie"}
    if found.id != incident_id:
        headers["Content-Location"] = address(found.id)
    if wants_markdown(request):
        text = await desk.service.run("render", lambda: render(found))
        return PlainTextResponse(text.encode("utf-8", "replace"), headers=headers, media_type=MARKDOWN)
    return WireResponse(to_record(found), headers=headers)


@router.put(
    "/{incident_id:path}",
    response_model=SavedOut,
    responses=WRITE | SAVED,
    openapi_extra=takes(IncidentIn, MARKDOWN) | IF_MATCH,
    summary="Replace the text of an incident",
)
async def replace(
    request: Request,
    incident_id: str,
    desk: Writing,
    revision: Expected,
    note: Annotated[str | None, Query(max_length=2_000, pattern=LINE)] = None,
) -> WireResponse:
    """A new revision. Left out, the status stays as it is. One that only stands in the snapshot is taken over into the store.

    412 has what stands there now and what was sent.
    """
    await desk.do(lambda at: at.look(incident_id))
    written = await _body_of(request, desk, note, incident_id)
    saved = await desk.save(lambda at: at.replace(incident_id, written, revision))
    return saved_out(saved, written.redactions)


@router.delete(
    "/{incident_id:path}",
    response_model=SavedOut,
    responses=problems(401, 403, 404, 409, 422, 428, 429, 503) | STALE | SAVED,
    openapi_extra=IF_MATCH,
    summary="Retire an incident",
)
async def retire(
    incident_id: str,
    desk: Writing,
    revision: Expected,
    note: Annotated[str, Query(max_length=2_000, pattern=LINE)] = "",
) -> WireResponse:
    """It is searched no more; its words and its history stay, and it can be published again."""
    return saved_out(await desk.save(lambda at: at.move(incident_id, Status.RETIRED, revision, note)))


async def _body_of(request: Request, desk: Writing, note: str | None, incident_id: str | None = None) -> Written:
    media, data = await body(request, MARKDOWN)
    is_markdown = media == MARKDOWN
    work = lambda: parse_incident(data, markdown=is_markdown, note=note, incident_id=incident_id)  # noqa: E731
    return await desk.service.run("parse", work)


def _row_out(row: ListingRow) -> dict[str, object]:
    """One line of a list on the wire."""
    one = row.listed or row.incident
    assert one is not None
    listed = row.listed
    return {
        "id": one.id,
        "title": one.title,
        "status": one.status.value,
        "revision": one.revision,
        "lang": one.lang,
        "component": one.component,
        "place": row.place,
        "is_live": listed.is_live if listed else True,
        "created_at": moment(listed.created_at) if listed else None,
        "updated_at": moment(listed.updated_at) if listed else None,
        "updated_by": author_out(listed.updated_by) if listed else None,
        "merged_into": listed.merged_into if listed else None,
    }
