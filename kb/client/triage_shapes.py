"""The JSON of `/v1/triage` as types: what `kb triage` reported."""

from typing import Literal, TypedDict

LikelyVerdict = Literal["known", "probable"]


class TriageFigures(TypedDict):
    """The figures of one report; `crashes` = known + probable + unknown + without an error."""

    run: str
    sources: list[str]
    snapshot: str
    crashes: int
    without_error: int
    unread: int
    """Lines that were no crash report, and files that could not be read."""
    distinct: int
    seconds: float
    unread_files: list[str]
    """Files that could not be read, or not to their end, with the reason; at most 20."""
    unread_file_count: int
    known_incidents: int
    known_crashes: int
    probable_incidents: int
    probable_crashes: int
    unknown_groups: int
    unknown_crashes: int
    new_groups: int | None
    """None on the first run, which has none before it."""
    replaces: list[str]
    """Earlier runs over files that changed since; they are not listed any more."""


class TriageRow(TypedDict):
    """A report in the list; `problem` says why there is no summary: `report-damaged` or `report-too-large`."""

    run: str
    at: str
    summary: TriageFigures | None
    problem: str


class TriageRows(TypedDict):
    """Some reports, the last first."""

    reports: list[TriageRow]
    next: int | None


class Occurrences(TypedDict):
    """How often something occurred, when, in which versions, on which hosts."""

    crashes: int
    groups: int
    """Different traces."""
    first: str | None
    last: str | None
    versions: list[str]
    hosts: list[str]
    host_count: int
    """Approximate from 20 on."""


class CrashGroup(Occurrences):
    """Crashes that no incident explains."""

    id: str
    is_new: bool | None
    """No earlier report has one of its root causes; None on the first run."""
    runtime: str
    type: str | None
    template: str | None
    exact: str
    text: str
    """Its most frequent trace, secrets out; empty beyond the first 1,000 groups."""
    root_cause: str
    closest: str | None
    """The id of the incident that is nearest."""
    root_causes: list[str]


class CrashGroups(TypedDict):
    """Some groups, the most frequent first."""

    groups: list[CrashGroup]
    next: int | None


class Explained(Occurrences):
    """Crashes that an incident explains."""

    incident: str
    title: str
    verdict: LikelyVerdict
    probability: float


class ExplainedPage(TypedDict):
    """Some incidents, the most frequent first."""

    incidents: list[Explained]
    next: int | None
