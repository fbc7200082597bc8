"""Tell people that their review is wanted: the webhook of each, and the channels of all, once for each request."""

from collections.abc import Mapping, Sequence
from typing import Any

from api.chat.compose import reply_language, review_card
from api.hooks.alert import digest
from api.hooks.channels import Channel, queue_card
from api.hooks.webhook import queue_event
from api.writing.reviewing import ReviewRequest, changes_address
from kb.redact import redact
from kb.store import Author, Store

REQUESTED = "review.requested"
_TITLE = 300
"""Most characters of a title that leave the house, as of the headline of a triage group."""
_NAMES = 3
"""Reviewers named on a card; the page has them all."""


class ReviewNews:
    """Tells of requests for reviews: the webhook, where there is one, and channels."""

    def __init__(self, public_url: str | None, *, has_webhook: bool, to: Sequence[Channel]) -> None:
        self._public_url, self._has_webhook, self._to = public_url, has_webhook, to

    def queue(self, store: Store, request: ReviewRequest) -> None:
        """Queue the news of a request, in the transaction that is open: either both are saved or neither.

        The name of each piece of news holds the moment of the request, so that somebody who is asked again later is told again.
        """
        revision, at = request.revision, request.at.isoformat()
        common = self._common(request)
        if self._has_webhook:
            for one in request.reviewers:
                name = f"review:{digest(revision.incident_id, one.id, at)}"
                event = {**common, "reviewer": _person(one), "requested_by": _person(request.requested_by)}
                queue_event(store, name, REQUESTED, event, f"{REQUESTED} {revision.incident_id}: {_name(one)}")
        if self._to:
            event = {**common, "requested_by": _person(request.requested_by)}
            card = review_card(event, _names(request.reviewers), reply_language(common["title"]), self._public_url)
            queue_card(store, f"review:{digest(revision.incident_id, at)}", card, self._to)

    def _common(self, request: ReviewRequest) -> Mapping[str, Any]:
        revision = request.revision
        path = changes_address(revision.incident_id, request.since, revision.number)
        return {
            "id": revision.incident_id,
            "title": redact(revision.shown.title).text[:_TITLE],  # the rules may hide more than when it was saved
            "revision": revision.number,
            "status": revision.status.value,
            "url": f"{self._public_url}{path}" if self._public_url else None,
        }


def _person(one: Author) -> dict[str, str]:
    return {"id": one.id, "name": _name(one)}


def _name(one: Author) -> str:
    return redact(one.name).text


def _names(reviewers: Sequence[Author]) -> str:
    return ", ".join([*map(_name, reviewers[:_NAMES]), *(["…"] if len(reviewers) > _NAMES else [])])
