"""What the list shows: the catalogue of what is found, what curators see beside it, votes; remembered until the store changes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from api.pages.insight import Insight
from api.writing.incident_service import IncidentService
from api.writing.shapes import Line
from index import Engine, Match
from index.storage.catalogue import FACETS, Catalogue, CataloguePage, CatalogueQuery
from kb.store import Role, Store
from kb.store.listing import Wanted
from kb.store.model import ListedIncident

ROWS = 50
_NEAREST = 8
LEAST = 0.15
"""Less probable ones are not shown: they share a word or two."""
_UNPUBLISHED = 5_000
"""Drafts and the like that are listed."""


class BrowseIn(BaseModel):
    """The query of the list's address: facets, words, order and page."""

    text: Line = ""
    component: Line = ""
    runtime: Line = ""
    exception: Line = ""
    language: Line = ""
    status: Literal["", "draft", "in_review", "published", "retired"] = ""
    fix: Literal["", "yes", "no"] = ""
    source: Line = ""
    only: Literal["", "never_found", "stale", "denied", "confirmed", "one_language"] = ""
    values: Literal["", "component", "runtime", "exception", "language", "status", "fix", "source"] = ""
    """The facet that is shown whole."""
    q: Line = ""
    """What the values of that facet have in their names."""
    sort: Literal["newest", "useful", "title"] = "newest"
    page: Annotated[int, Field(ge=1, le=100_000)] = 1

    @property
    def wanted(self) -> dict[str, str]:
        """Return the facets that are chosen."""
        return {name: value for name in FACETS if (value := getattr(self, name))}


@dataclass(frozen=True, slots=True)
class BrowsedPage:
    """The incidents of one page of the list, and what stands beside them."""

    page: CataloguePage
    nearest: tuple[Match, ...]
    listed: Mapping[str, ListedIncident]
    """What the store knows of the incidents on the page, by id."""


class BrowsePage:
    """Remembers what curators see beside what is found until the store changes."""

    def __init__(self, insight: Insight) -> None:
        self._seen: tuple[Catalogue, int, Catalogue] | None = None
        self._insight = insight

    def of(self, at: IncidentService, params: BrowseIn, lang: str) -> BrowsedPage:
        """Return the page that an address asks for, as far as the caller may see it."""
        store, engine, curates = at.store, at.engine, at.caller.may(Role.CURATOR)
        found = engine.catalogue() if engine else Catalogue.of(())
        catalogue = self._with_unpublished(found, store) if curates else found
        votes = self._insight.votes(store) if params.sort == "useful" else {}
        scores = {name: one.yes - one.no for name, one in votes.items()}
        only = self._insight.only(params.only, store, catalogue) if params.only else None
        start = (params.page - 1) * ROWS
        page = catalogue.page(CatalogueQuery(params.wanted, params.text, params.sort, scores, only, lang, start, ROWS))
        ids = tuple(one.id for one in page.rows if curates or not one.created)  # readers see a date alone
        listed = store.listing(Wanted(ids=ids), limit=ROWS).items if ids else ()
        nearest = _nearest(engine, catalogue, params, lang) if engine and params.text and params.page == 1 else ()
        return BrowsedPage(page, nearest, {one.id: one for one in listed})

    def _with_unpublished(self, found: Catalogue, store: Store) -> Catalogue:
        head = store.head().sequence
        if self._seen is None or self._seen[0] is not found or self._seen[1] != head:
            rows = store.unpublished(_UNPUBLISHED)
            more = Catalogue.of(((record.encode("utf-8", "replace"), b"[]") for _, record in rows), hidden=True)
            self._seen = found, head, found.without(name for name, _ in rows).plus(more)
        return self._seen[2]


def _nearest(engine: Engine, catalogue: Catalogue, params: BrowseIn, lang: str) -> tuple[Match, ...]:
    """What the words mean, where somebody looks for some: `HikariPool timed out` stands in no title."""
    filters = {"component": params.component} if params.component else None
    found = engine.search(params.text, _NEAREST, filters, lang=lang).matches
    likely = [match for match in found if match.probability >= LEAST]
    kept = catalogue.among([match.incident.id for match in likely], params.wanted)
    return tuple(match for match in likely if match.incident.id in kept)
