"""`/review`: the reviews that wait, those of whoever is logged in first."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.pages.calls import OF_INCIDENTS
from api.pages.rendering import shown, the_pages
from api.render.language import Strings
from api.writing.calls import Writing
from api.writing.incident_service import IncidentService
from api.writing.reviewing import changes_address
from kb.store.model import WaitingReview

router = APIRouter(include_in_schema=False)
_ROWS = 100
"""Reviews of one list; whoever has more begins with the oldest."""
_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """A review that waits."""

    review: WaitingReview
    age: str
    address: str
    """Of its changes, or of all of it where readers have seen nothing yet."""
    is_compared: bool
    requested_by: str
    """Who asked the reader; '' where nobody did."""


@dataclass(frozen=True, slots=True)
class ReviewList:
    """One of the two lists."""

    rows: list[ReviewRow]
    count: int
    """How many there are, shown or not."""


@router.get("/review", dependencies=OF_INCIDENTS)
async def review(request: Request, desk: Writing) -> Response:
    """Show what waits for the reader, and what waits for others."""
    t, own = the_pages(request).strings(request), desk.caller.actor.id if desk.caller.actor else ""

    def look(at: IncidentService) -> tuple[ReviewList, ReviewList]:
        reviews, now = at.store.reviews, datetime.now(UTC)
        mine = [_row(t, one, now, own) for one in reviews.waiting(_ROWS, reviewer=own)]
        others = [_row(t, one, now, own) for one in reviews.waiting(_ROWS, but=own)]
        return (
            ReviewList(mine, reviews.waiting_count(reviewer=own)),
            ReviewList(others, reviews.waiting_count(but=own)),
        )

    mine, others = await desk.do(look)
    values = {"mine": mine, "others": others, "waiting": mine.count}
    return await shown(request, desk.service, "review.html", **values)


def _row(t: Strings, one: WaitingReview, now: datetime, own: str) -> ReviewRow:
    address = changes_address(one.incident_id, one.since, one.revision, lang=t.lang)
    requested_by = next((request.assigned_by.name for request in one.reviewers if request.id == own), "")
    return ReviewRow(one, _in_words(t, one.age(now, own)), address, "/history?" in address, requested_by)


def _in_words(t: Strings, age: timedelta) -> str:
    """Return how long something waits, in its largest unit."""
    if age < _HOUR:
        return t("review_soon")
    return t("review_hours", count=age // _HOUR) if age < _DAY else t("review_days", count=f"{age // _DAY:,}")
