"""Incidents as resources: `incident://{id}` is the write-up in Markdown; some of them are listed."""

from urllib.parse import quote, unquote

from mcp.types import (
    ListResourcesResult,
    ListResourceTemplatesResult,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from api.mcp.asking import Routes, declined
from api.mcp.shapes import GetIn
from api.problems import HttpProblem
from api.writing.taken import shaped
from kb.client import INCIDENTS, address

SCHEME = "incident://"
MARKDOWN = "text/markdown"
PAGE = 100
LISTED = 1_000
"""So many are listed, however many there are: a list is for people to choose from, and clients read all of it."""
TEMPLATES = ListResourceTemplatesResult(
    resource_templates=[
        ResourceTemplate(
            uri_template=f"{SCHEME}{{id}}",
            name="incident",
            title="An incident",
            description="The write-up of an incident, by the id that search_incidents gives.",
            mime_type=MARKDOWN,
        )
    ]
)


def uri_of(incident_id: str) -> str:
    """The address of an incident: everything in the id that is no letter, digit or ``-._~`` quoted (RFC 6570, 3.2.2)."""
    return f"{SCHEME}{quote(incident_id, safe='', errors='replace')}"


async def listed(routes: Routes, cursor: str | None) -> ListResourcesResult:
    """A page of what is published, what was changed last first. A page can be short."""
    shown, place = _read(cursor)
    params = {"status": "published", "order": "recent", "limit": min(PAGE, LISTED - shown)}
    page = await routes.ask("GET", INCIDENTS, params=params | ({"cursor": place} if place else {}))
    resources = [
        Resource(
            uri=uri_of(one["id"]),
            name=one["id"],
            title=one["title"],
            description=one["component"],
            mime_type=MARKDOWN,
        )
        for one in page["incidents"]
    ]
    shown += len(resources)
    goes_on = page["next"] is not None and shown < LISTED
    return ListResourcesResult(resources=resources, next_cursor=f"{shown}/{page['next']}" if goes_on else None)


async def read(routes: Routes, uri: str) -> ReadResourceResult:
    """The write-up at an address; Problem 422 for one that is no incident's."""
    if not uri.startswith(SCHEME):
        raise declined(HttpProblem(422, "invalid-request", f"The address must begin with {SCHEME}."))
    asked = shaped(GetIn, {"id": unquote(uri.removeprefix(SCHEME))})
    text = await routes.read(address(asked.id), MARKDOWN)
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=MARKDOWN, text=text)])


def _read(cursor: str | None) -> tuple[int, str | None]:
    """How many were listed before a page, and where it begins."""
    if cursor is None:
        return 0, None
    count, _, place = cursor.partition("/")
    if not (count.isascii() and count.isdecimal() and len(count) <= len(str(LISTED)) and place):
        raise declined(HttpProblem(422, "invalid-request", "The cursor is none that a page of this list gave."))
    return min(int(count), LISTED - 1), place
