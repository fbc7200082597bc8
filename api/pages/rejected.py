"""`/rejected`: the documents that `kb ingest` rejected, with reason and detail, for curators."""

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.pages.calls import OF_INCIDENTS
from api.pages.rendering import beside, paged, shown
from api.writing.calls import Writing
from index.rejected import RejectedDocuments, RejectedError, RejectedPage

router = APIRouter(include_in_schema=False)
_ROWS = 50
_REPEATING = frozenset(
    (
        "no trace, no cause with its fix, no word of failure",
        "its front matter says that it is no incident",
        "the document has no words",
        "the document is empty",
    )
)
"""Details that say what the reason beside them says."""
_LONGEST = 200
"""Characters of a filter."""


def rejected_of(request: Request) -> RejectedDocuments:
    """Return the rejected documents of the home that the app serves."""
    found: RejectedDocuments = request.app.state.rejected
    return found


def rejected_reasons(request: Request) -> Mapping[str, int] | None:
    """Return how many documents were rejected for each reason; None where the list of them is damaged."""
    try:
        return rejected_of(request).reasons()
    except RejectedError:
        return None


@router.get("/rejected", dependencies=OF_INCIDENTS)
async def rejected(request: Request, desk: Writing) -> Response:
    """List the rejected documents, filtered by reason and text, a page at a time."""
    filters = {name: request.query_params.get(name, "").strip()[:_LONGEST] for name in ("reason", "text")}

    def look(start: int) -> RejectedPage | None:
        try:
            return rejected_of(request).page(filters["reason"], filters["text"], start, _ROWS)
        except RejectedError:
            return None

    here = paged(request, _ROWS)
    found = await desk.do(lambda _: look((here - 1) * _ROWS))
    if found and not found.rows and found.total:  # a page behind the last
        here = paged(request, _ROWS, found.total)
        found = await desk.do(lambda _: look((here - 1) * _ROWS))
    query = {name: value for name, value in filters.items() if value}
    values: dict[str, Any] = {
        "found": found,
        "filters": filters,
        "repeating": _REPEATING,
        "query": query,
        "pages": beside(here, _ROWS, found.total if found else 0),
        "kept": query | ({"page": str(here)} if here > 1 else {}),
    }
    return await shown(request, desk.service, "rejected.html", **values)
