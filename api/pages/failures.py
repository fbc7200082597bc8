"""What went wrong, as a page."""

from urllib.parse import urlencode

from fastapi import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from api.contract.problems import describe, problem_response
from api.pages.rendering import current_address, the_pages

API_PATHS = ("/v1/", "/healthz", "/readyz", "/metrics", "/openapi.json", "/static/")


def wants_page(request: Request) -> bool:
    """Whether a failure is shown as a page: a browser asked, and not for an address of the API."""
    path = request.url.path
    return "text/html" in request.headers.get("accept", "") and not path.startswith(API_PATHS)


async def failure(request: Request, error: Exception) -> Response:
    """The one answer to every failure: a problem document, or the same facts as a page."""
    if not wants_page(request):
        return problem_response(request, error)
    document, headers = describe(request, error)
    if document.status == 401 and request.method == "GET":
        return RedirectResponse(f"/login?{urlencode({'next': current_address(request), 'needed': 'yes'})}", 303)
    pages = the_pages(request)
    summary = pages.strings(request).words.get(f"problem_{document.kind}")
    html = pages.render(request, "problem.html", problem=document, summary=summary)
    return HTMLResponse(html, document.status, headers)
