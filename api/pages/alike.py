"""Search the incidents closest to the one of a page: likely duplicates for curators, related ones for readers."""

from collections.abc import Sequence
from dataclasses import dataclass

from anyio import move_on_after

from api.contract.problems import HttpProblem
from api.writing.calls import StoreAccess
from api.writing.suggestions import question_of
from index import Engine, Match
from index.storage.catalogue import CatalogueQuery
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


@dataclass(frozen=True, slots=True)
class LikeIncident:
    """An incident to choose from a list."""

    id: str
    title: str
    lang: str
    component: str | None
    probability: float = 0.0
    """That it is the same problem; 0: not judged."""


def like(match: Match) -> LikeIncident:
    """Return a match as one to choose."""
    one = match.incident
    return LikeIncident(one.id, one.title, one.lang, one.component, match.probability)


async def named(desk: StoreAccess, words: str, without: str, lang: str) -> Sequence[LikeIncident]:
    """Return published incidents by words: first those that have them in title, id, component or a tag, then the nearest in meaning."""

    def find(engine: Engine) -> Sequence[LikeIncident]:
        rows = engine.catalogue().page(CatalogueQuery({}, words, lang=lang, limit=_MOST + 1)).rows
        near = engine.search(words, _MOST, without=without, lang=lang).matches
        found = {one.id: LikeIncident(one.id, one.title, one.lang, one.component) for one in rows if one.id != without}
        return [*found.values(), *(like(one) for one in near if one.incident.id not in found)][: 2 * _MOST]

    return await desk.service.ask(find)
