"""`/dashboard`: the curator's morning. What was asked, what was not answered, and which incidents want a look."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.pages.calls import OF_INCIDENTS, Sending, form_field
from api.pages.insight import Dashboard
from api.pages.rejected import rejected_reasons
from api.pages.rendering import redirect_to, shown, the_pages
from api.writing.calls import Writing, reports_of
from api.writing.incident_service import IncidentService

router = APIRouter(include_in_schema=False)


@router.get("/dashboard", dependencies=OF_INCIDENTS)
async def dashboard(request: Request, desk: Writing) -> Response:
    """Show the dashboard. Every number links to its list."""
    insight, lang = the_pages(request).insight, the_pages(request).strings(request).lang

    def look(at: IncidentService) -> Dashboard:
        return insight.dashboard(at.store, at.engine, lang)

    days = desk.settings.insight_days
    values = {
        "now": await desk.do(look),
        "days": days,
        "snapshot_id": desk.service.live.snapshot_id,
        "rejected": await desk.do(lambda _: rejected_reasons(request)),
        "reviews": await desk.do(lambda at: at.store.reviews.waiting_count()),
        "triage": await desk.do(lambda _: reports_of(request).listed(0, 1)),
    }
    return await shown(request, desk.service, "dashboard.html", **values)


@router.post("/dashboard/done", dependencies=OF_INCIDENTS)
async def done(request: Request, desk: Sending) -> Response:
    """Take a group of questions off the dashboard until it is asked again."""
    name = await form_field(request, "name")
    await desk.do(lambda at: at.store.tallies.answered(name))
    return redirect_to(request, "/dashboard")
