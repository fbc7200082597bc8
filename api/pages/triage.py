"""`/triage`: the last reports of `kb triage`, and the groups of each. What nobody has written up becomes a draft in one click.

For curators, as the dashboard is: a crash report holds messages of the house.
"""

from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.contract.problems import HttpProblem
from api.pages.calls import OF_INCIDENTS
from api.pages.rendering import beside, paged, shown
from api.writing.calls import Writing, reports_of
from api.writing.incident_service import IncidentService
from index.triage_reports import TriageReport, redacted
from kb.store import Missing

router = APIRouter(include_in_schema=False)
SHOWS = ("unknown", "new", "known", "probable")
"""Lists of a report."""
_REPORTS, _GROUPS = 30, 25
"""Of one page."""


@router.get("/triage", dependencies=OF_INCIDENTS)
async def triage(request: Request, desk: Writing) -> Response:
    """List the reports, the last first."""
    reports = reports_of(request)
    total = await desk.do(lambda _: len(reports.runs()))
    here = paged(request, _REPORTS, total)
    found = await desk.do(lambda _: reports.listed((here - 1) * _REPORTS, _REPORTS))
    return await shown(
        request, desk.service, "triage.html", reports=found, pages=beside(here, _REPORTS, total), kept=_kept(here)
    )


@router.get("/triage/{run}", dependencies=OF_INCIDENTS)
async def report(request: Request, run: str, desk: Writing) -> Response:
    """Show one list of a report, a page at a time."""
    found = await desk.do(lambda _: reports_of(request).report(run))
    show = request.query_params.get("show", "unknown")
    if show not in SHOWS:
        raise HttpProblem(404, "not-found", f"A report has no such list; its lists: {', '.join(SHOWS)}.")
    groups = listing(found, show)
    here = paged(request, _GROUPS, len(groups))
    start = (here - 1) * _GROUPS
    part = await desk.do(lambda _: [redacted(one) for one in groups[start : start + _GROUPS]])
    drafted = {one.id: one.draft_id for one in part} if show in {"unknown", "new"} else {}
    values: dict[str, Any] = {
        "report": redacted(found.summary()),
        "show": show,
        "counts": {name: len(listing(found, name)) for name in SHOWS},
        "groups": part,
        "written": await desk.do(lambda at: {key for key, name in drafted.items() if _is_there(at, name)}),
        "pages": beside(here, _GROUPS, len(groups)),
        "kept": _kept(here) | ({"show": show} if show != "unknown" else {}),
    }
    return await shown(request, desk.service, "triage_report.html", **values)


def listing(report: TriageReport, show: str) -> Sequence[Any]:
    """Return one of the lists `SHOWS`, the most frequent first."""
    if show == "unknown":
        return report.unknown
    if show == "new":
        return [group for group in report.unknown if group.is_new]
    return report.with_verdict(show)


def _is_there(at: IncidentService, incident_id: str) -> bool:
    try:
        at.look(incident_id)
    except Missing:
        return False
    return True


def _kept(here: int) -> dict[str, str]:
    return {"page": str(here)} if here > 1 else {}
