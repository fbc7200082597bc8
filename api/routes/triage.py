"""`/v1/triage`: what `kb triage` reported. For curators: a crash report holds messages of the house."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Path, Query, Request
from pydantic import BaseModel, Field

from api.access import Scope, within
from api.contract.jsontext import WireResponse
from api.contract.responses import Out, problems
from api.writing.answers import DraftOut
from api.writing.calls import Writing, draft_out, reports_of
from api.writing.suggestions import draft_of_group
from index.triage_reports import KnownGroup, TriageReport, UnknownGroup, redacted
from kb.record import RedactionCount

router = APIRouter(prefix="/v1/triage", tags=["triage"], dependencies=[Depends(within(Scope.INCIDENTS))])
_Run = Annotated[str, Path(max_length=64, description="Name of a run, as the list has it.")]
_Group = Annotated[str, Path(max_length=64, description="`id` of a group.")]
_READ = problems(401, 403, 404, 422, 429, 503)


class TriageSummaryOut(Out):
    """The figures of one run; `crashes` = known + probable + unknown + without an error."""

    run: str
    sources: list[str]
    snapshot: str = Field(description="The snapshot that answered.")
    crashes: int
    without_error: int
    unread: int = Field(description="Lines that were no crash report, and files that could not be read.")
    distinct: int
    seconds: float
    unread_files: list[str] = Field(
        description="Files that could not be read, or not to their end, with the reason; at most 20."
    )
    unread_file_count: int
    known_incidents: int
    known_crashes: int
    probable_incidents: int
    probable_crashes: int
    unknown_groups: int
    unknown_crashes: int
    new_groups: int | None = Field(description="Null on the first run, which has none before it.")
    replaces: list[str] = Field(description="Earlier runs over files that changed since; they are not listed any more.")


class TriageRowOut(Out):
    """A line of the list."""

    run: str
    at: str = Field(description="When it began, UTC.")
    summary: TriageSummaryOut | None
    problem: str = Field(description="Why there is no summary: `report-damaged` or `report-too-large`; else empty.")


class TriageListOut(Out):
    """Some reports, the last first."""

    reports: list[TriageRowOut]
    next: int | None = Field(description="`start` of the next page; null at the end.")


class _OccurrencesOut(Out):
    crashes: int
    groups: int = Field(description="Different traces.")
    first: str | None
    last: str | None
    versions: list[str]
    hosts: list[str]
    host_count: int = Field(description="Approximate from 20 on.")


class CrashGroupOut(_OccurrencesOut):
    """Crashes that no incident explains."""

    id: str
    is_new: bool | None = Field(description="No earlier report has one of its root causes; null on the first run.")
    runtime: str
    type: str | None
    template: str | None
    exact: str
    text: str = Field(description="Its most frequent trace, secrets out; empty beyond the first 1,000 groups.")
    root_cause: str = Field(description="The root cause of that trace; empty in older reports.")
    closest: str | None = Field(description="The incident that is nearest.")
    root_causes: list[str]


class CrashGroupsOut(Out):
    """Some groups, the most frequent first."""

    groups: list[CrashGroupOut]
    next: int | None = Field(description="`start` of the next page; null at the end.")


class ExplainedOut(_OccurrencesOut):
    """Crashes that an incident explains."""

    incident: str
    title: str
    verdict: Literal["known", "probable"]
    probability: float


class ExplainedListOut(Out):
    """Some incidents, the most frequent first."""

    incidents: list[ExplainedOut]
    next: int | None = Field(description="`start` of the next page; null at the end.")


class PartIn(BaseModel):
    """Which part of a list."""

    start: Annotated[int, Field(ge=0, le=10_000_000, description="The `next` of a page.")] = 0
    limit: Annotated[int, Field(ge=1, le=100)] = 50


class GroupsIn(PartIn):
    """Which groups."""

    new: bool = Field(default=False, description="Only those that no earlier report has.")


class ExplainedIn(PartIn):
    """Which incidents."""

    verdict: Literal["known", "probable"] | None = None


@router.get(
    "",
    response_model=TriageListOut,
    responses=problems(401, 403, 422, 429, 503),
    summary="List the reports of crash triage",
)
async def triage_reports(request: Request, desk: Writing, part: Annotated[PartIn, Query()]) -> WireResponse:
    """The last first, with their figures. One that cannot be read is listed with the reason."""
    found = await desk.do(lambda _: reports_of(request).listed(part.start, part.limit + 1))
    rows = [asdict(one) for one in found[: part.limit]]
    return WireResponse({"reports": rows, "next": part.start + part.limit if len(found) > part.limit else None})


@router.get("/{run}", response_model=TriageSummaryOut, responses=_READ, summary="Get the figures of a triage report")
async def triage_summary(request: Request, run: _Run, desk: Writing) -> WireResponse:
    """How many crashes are known, probable and unknown. Problem `report-damaged` or `report-too-large` where that cannot be told."""
    return WireResponse(asdict(await desk.do(lambda _: reports_of(request).summary(run))))


@router.get(
    "/{run}/groups",
    response_model=CrashGroupsOut,
    responses=_READ,
    summary="List the groups of crashes that nobody knows",
)
async def crash_groups(request: Request, run: _Run, desk: Writing, part: Annotated[GroupsIn, Query()]) -> WireResponse:
    """Each with its most frequent trace, secrets out."""

    def wanted(report: TriageReport) -> Sequence[UnknownGroup]:
        return [group for group in report.unknown if group.is_new or not part.new]

    return WireResponse(await desk.do(lambda _: _part("groups", wanted(reports_of(request).report(run)), part)))


@router.get(
    "/{run}/groups/{group}/draft",
    response_model=DraftOut,
    responses=_READ,
    summary="Get the draft write-up of a group of crashes",
)
async def crash_draft(request: Request, run: _Run, group: _Group, desk: Writing) -> WireResponse:
    """What `kb triage` drafted; of a group without a draft, what its trace tells. Nothing is saved."""
    reports = reports_of(request)
    found, drafted = await desk.do(lambda _: (reports.group(run, group), reports.draft(run, group)))

    def read() -> WireResponse:
        incident, markdown, hidden = draft_of_group(found, drafted)
        counts = Counter(one.kind for one in hidden)
        return draft_out(incident, markdown, tuple(RedactionCount(kind, "text", n) for kind, n in counts.items()))

    return await desk.service.run("parse", read)


@router.get(
    "/{run}/incidents",
    response_model=ExplainedListOut,
    responses=_READ,
    summary="List the incidents that explain crashes",
)
async def explained_crashes(
    request: Request, run: _Run, desk: Writing, part: Annotated[ExplainedIn, Query()]
) -> WireResponse:
    """How often each occurred, when, in which versions and on which hosts."""

    def wanted(report: TriageReport) -> Sequence[KnownGroup]:
        return report.with_verdict(part.verdict) if part.verdict else report.known

    return WireResponse(await desk.do(lambda _: _part("incidents", wanted(reports_of(request).report(run)), part)))


def _part(name: str, found: Sequence[UnknownGroup | KnownGroup], part: PartIn) -> dict[str, Any]:
    end = part.start + part.limit
    return {name: [asdict(redacted(one)) for one in found[part.start : end]], "next": end if end < len(found) else None}
