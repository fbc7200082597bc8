"""`/searches`: what stands behind the numbers of the dashboard, narrowed by verdict, door and day: days, answers, questions without one, times."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field, ValidationError
from starlette.responses import Response

from api.contract.problems import HttpProblem
from api.observability.metrics import SECONDS
from api.pages.calls import OF_INCIDENTS
from api.pages.insight import DAYS, VERDICTS, percentile, steps_of, title_of
from api.pages.rendering import beside, paged, shown, the_pages
from api.writing.calls import Writing
from api.writing.incident_service import IncidentService
from kb.store.tallies import (
    NamedSum,
    SumsWanted,
    TallyKey,
    TallyKind,
    UnansweredQuestion,
    first_day,
    today,
)
from kb.translatable import Translatable

router = APIRouter(include_in_schema=False)
SHOWS = ("days", "incidents", "questions", "times")
"""Lists of the page."""
KINDS = {"incidents": TallyKind.FOUND, "questions": TallyKind.UNANSWERED}
_ROWS = 50
Sums = Sequence[tuple[TallyKey, int]]
ShortText = Annotated[str, Field(max_length=200)]


class SearchesIn(BaseModel):
    """The query of the page's address. An empty value takes all."""

    verdict: Literal["", "known", "probable", "related", "unknown"] = ""
    door: ShortText = ""
    day: date | None = None
    show: Literal["", "days", "incidents", "questions", "times"] = ""
    name: Annotated[str, Field(max_length=1_000)] = ""
    """One incident or group of questions, of which each day, door and verdict is shown."""

    @property
    def listed(self) -> str:
        """Return the list that is shown: by default the one that a verdict asks for."""
        by_verdict = "incidents" if self.verdict in {"known", "probable"} else "questions"
        return self.show or (by_verdict if self.verdict else "days")

    @property
    def query(self) -> dict[str, str]:
        """Return what the address says of it."""
        given = {name: str(value) for name in ("verdict", "door", "day") if (value := getattr(self, name))}
        return given | {name: value for name in ("show", "name") if (value := getattr(self, name))}


@dataclass(frozen=True, slots=True)
class SearchesRow:
    """The searches of one day, or of one door."""

    name: str
    counts: Mapping[str, int]
    """By verdict."""
    p50: float
    p99: float
    """Milliseconds."""

    @property
    def count(self) -> int:
        """Return how many they are."""
        return sum(self.counts.values())


@dataclass(frozen=True, slots=True)
class CountedRow:
    """An incident with its title, or a group of questions, and how often it was counted."""

    sum: NamedSum
    title: str
    question: UnansweredQuestion | None = None


@dataclass(frozen=True, slots=True)
class SearchesView:
    """What the page shows of the searches that were narrowed."""

    all: SearchesRow
    doors: tuple[str, ...]
    """All that there are, whatever is chosen."""
    days: tuple[SearchesRow, ...] = ()
    times: tuple[tuple[float, int], ...] = ()
    """Upper bound of each step of time in milliseconds, and its count."""
    rows: tuple[CountedRow, ...] = ()
    total: int = 0
    unplaced: int = 0
    parts: Sums = ()
    """The sums of one name."""


@router.get("/searches", dependencies=OF_INCIDENTS)
async def searches(request: Request, desk: Writing) -> Response:
    """Show the searches that a number of the dashboard counts."""
    given = {name: value.strip() for name, value in request.query_params.items() if value.strip()}
    try:
        filters = SearchesIn.model_validate(given)
    except ValidationError as error:
        detail = Translatable("the value of `{}` in the address is not valid", error.errors()[0]["loc"][0])
        raise HttpProblem(422, "invalid-request", detail) from None
    here, lang = paged(request, _ROWS), the_pages(request).strings(request).lang
    found = await desk.do(lambda at: look(at, filters, (here - 1) * _ROWS, lang))
    if not found.rows and found.total:  # a page behind the last
        here = paged(request, _ROWS, found.total)
        found = await desk.do(lambda at: look(at, filters, (here - 1) * _ROWS, lang))
    values: dict[str, Any] = {
        "filters": filters,
        "found": found,
        "verdicts": VERDICTS,
        "shows": SHOWS,
        "today": today(),
        "since": first_day(DAYS),
        "pages": beside(here, _ROWS, found.total),
        "kept": filters.query | ({"page": str(here)} if here > 1 else {}),
    }
    return await shown(request, desk.service, "searches.html", **values)


def look(at: IncidentService, filters: SearchesIn, start: int, lang: str) -> SearchesView:
    """Return what the page shows, titles in ``lang`` where there are such."""
    every = at.store.tallies.searches(first_day(DAYS))
    pairs = sorted({key.name for key, _ in every})
    chosen = {pair for pair in pairs if _fits(pair, filters)}
    sums = [(key, count) for key, count in every if key.name in chosen and filters.day in {None, key.day}]
    doors = tuple(dict.fromkeys(_door(pair) for pair in pairs))
    view = SearchesView(_row("", sums), doors)
    if filters.name:
        kind = KINDS.get(filters.listed, TallyKind.UNANSWERED)
        (row,) = _titled(at, kind, [NamedSum(filters.name, 0, today())], lang)
        return SearchesView(view.all, doors, rows=(row,), parts=at.store.tallies.sums_of(kind, filters.name))
    match filters.listed:
        case "days":
            days = [today() - timedelta(days=back) for back in range(DAYS)]
            by_day = (_row(day.isoformat(), [one for one in sums if one[0].day == day]) for day in days)
            return SearchesView(view.all, doors, days=tuple(row for row in by_day if row.count))
        case "times":
            steps = steps_of(sums)
            times = [(1000 * SECONDS[step] if step < len(SECONDS) else 0.0, steps[step]) for step in sorted(steps)]
            return SearchesView(view.all, doors, times=tuple(times))
        case name:
            page = at.store.tallies.sums(_wanted(KINDS[name], filters, chosen), start, _ROWS)
            rows = _titled(at, KINDS[name], page.rows, lang)
            return SearchesView(view.all, doors, rows=rows, total=page.total, unplaced=page.unplaced)


def _fits(pair: str, filters: SearchesIn) -> bool:
    return (not filters.door or _door(pair) == filters.door) and (
        not filters.verdict or pair.endswith(f" {filters.verdict}")
    )


def _door(pair: str) -> str:
    return pair.rpartition(" ")[0]


def _wanted(kind: TallyKind, filters: SearchesIn, chosen: set[str]) -> SumsWanted:
    first, last = (filters.day, filters.day) if filters.day else (first_day(DAYS), today())
    return SumsWanted(kind, first, last, sorted(chosen) if filters.door or filters.verdict else None)


def _row(name: str, sums: Sums) -> SearchesRow:
    counts: Counter[str] = Counter()
    for key, count in sums:
        counts[key.name.rpartition(" ")[2]] += count
    steps = steps_of(sums)
    return SearchesRow(name, counts, percentile(steps, 0.5), percentile(steps, 0.99))


def _titled(at: IncidentService, kind: TallyKind, sums: Sequence[NamedSum], lang: str) -> tuple[CountedRow, ...]:
    if kind is TallyKind.FOUND:
        return tuple(CountedRow(one, title_of(at.engine, one.name, lang)) for one in sums)
    questions = at.store.tallies.questions([one.name for one in sums])
    return tuple(CountedRow(one, "", questions.get(one.name)) for one in sums)
