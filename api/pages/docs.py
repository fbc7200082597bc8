"""`/docs`: the API description, to read and to try. Swagger UI is served from here; nothing is loaded from elsewhere."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.pages.rendering import shown
from api.server.middleware import CONTENT_POLICY
from api.server.service import TheService

router = APIRouter(include_in_schema=False)
POLICY = CONTENT_POLICY.replace("img-src 'self'", "img-src 'self' data:")
"""The style sheet of Swagger UI holds its icons as data."""


@router.get("/docs")
async def docs(request: Request, service: TheService) -> Response:
    """The page; without scripts it leads to `/openapi.json`."""
    page = await shown(request, service, "docs.html", origin=str(request.base_url).rstrip("/"))
    page.headers["Content-Security-Policy"] = POLICY
    return page
