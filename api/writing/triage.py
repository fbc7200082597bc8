"""The reports of `kb triage`, as the page, the JSON routes and the dashboard list them."""

from dataclasses import dataclass

from fastapi import Request

from index.triage_reports import ReportError, TriageReports, TriageSummary, began


@dataclass(frozen=True, slots=True)
class ListedReport:
    """A line of the list."""

    run: str
    at: str
    summary: TriageSummary | None
    problem: str = ""
    """Why there is no summary: the kind of the `ReportError`."""


def reports_of(request: Request) -> TriageReports:
    """Return the reports of the home that the app serves."""
    found: TriageReports = request.app.state.triage
    return found


def listed(reports: TriageReports, start: int, count: int) -> list[ListedReport]:
    """Return some reports, the last first. One that cannot be read is listed with the reason."""
    return [_listed(reports, run) for run in reports.runs()[start : start + count]]


def _listed(reports: TriageReports, run: str) -> ListedReport:
    try:
        return ListedReport(run, began(run), reports.summary(run))
    except ReportError as error:
        return ListedReport(run, began(run), None, error.kind)
