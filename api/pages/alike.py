"""Search the incidents closest to the one of a page: likely duplicates for curators, related ones for readers."""

from collections.abc import Sequence

from anyio import move_on_after

from api.contract.problems import HttpProblem
from api.writing.calls import StoreAccess
from api.writing.suggestions import question_of
from index import Match
from kb.incident import Incident

_MOST = 5
_SECONDS = 1.0
"""A page does not wait longer for its turn to search: where many search, it comes without related incidents."""


async def alike(desk: StoreAccess, one: Incident, lang: str, least: float) -> Sequence[Match]:
    """Return the closest other published incidents with a probability of at least ``least``; empty where nothing can be searched now."""
    first = one.traces[:1]  # enough to find what is near; each further one makes the search longer
    text = question_of(one.title, one.symptom, one.root_cause, first)
    found: Sequence[Match] = ()
    with move_on_after(_SECONDS):
        try:
            found = (
                await desk.service.ask(lambda engine: engine.search(text, _MOST, without=one.id, lang=lang))
            ).matches
        except HttpProblem:
            return ()
    return [match for match in found if match.probability >= least]
