"""`/incidents`: which there are, narrowed by facets with counts, sorted, and found by what words mean."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from pydantic import ValidationError
from starlette.responses import Response

from api.contract.paths import IncidentRoute
from api.contract.problems import HttpProblem
from api.pages.browsing import ROWS, BrowseIn
from api.pages.calls import OF_INCIDENTS
from api.pages.rendering import shown, the_pages
from api.render.language import Strings
from api.writing.calls import Reading
from index.storage.catalogue import FACETS, HERE, CataloguePage, FacetCount
from kb.store import Role
from kb.translatable import Translatable

router = APIRouter(include_in_schema=False, route_class=IncidentRoute)
_VALUES, _MORE, _WHOLE = 8, 40, 200
"""Values of a facet that are shown at once, unfolded, and at an address of their own (``?values=``), where `q` finds the others by name."""


@dataclass(frozen=True, slots=True)
class FacetLink:
    """A link that chooses a value of a facet, or drops it."""

    label: str
    count: int
    query: Mapping[str, str]
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class FacetView:
    """A facet as the page shows it."""

    name: str
    count: int
    """How many values it has."""
    first: tuple[FacetLink, ...]
    more: tuple[FacetLink, ...]
    is_open: bool
    sought: str
    """What the values that are shown have in their names."""
    fitting: int
    """How many values have that."""
    query: Mapping[str, str]
    """What its form sends beside `q`."""


@router.get("/incidents", dependencies=OF_INCIDENTS)
async def incidents(request: Request, desk: Reading) -> Response:
    """Show a page of incidents. An empty filter takes all."""
    given = {name: value.strip() for name, value in request.query_params.items() if value.strip()}
    try:
        params = BrowseIn.model_validate(given)
    except ValidationError as error:
        place = error.errors()[0]["loc"][0]
        detail = Translatable("the value of `{}` in the address is not valid", place)
        raise HttpProblem(422, "invalid-request", detail) from None
    if not desk.caller.may(Role.CURATOR):
        params = params.model_copy(update={"only": ""})  # the lists of the dashboard are for curators
    pages = the_pages(request)
    t = pages.strings(request)
    found = await desk.do(lambda at: pages.browse.of(at, params, t.lang))
    query = _query(params)
    last = max(1, -(-found.page.total // ROWS))
    here = min(params.page, last)
    values: dict[str, Any] = {
        "params": params,
        "found": found,
        "query": query,
        "kept": query | ({"page": str(here)} if here > 1 else {}) | _unfolded(params),
        "chosen": [
            FacetLink(_label(t, name, value), 0, _but(query, name), is_chosen=True)
            for name, value in params.wanted.items()
        ],
        "only": FacetLink(t(f"only_{params.only}"), 0, _but(query, "only"), is_chosen=True) if params.only else None,
        "facets": [view for name in FACETS if (view := _facet(t, params, name, found.page))],
        "sorts": {one: query | {"sort": one} for one in ("newest", "useful", "title")},
        "pages": {name: str(at) for name, at in (("prev", here - 1), ("next", here + 1)) if 1 <= at <= last},
    }
    return await shown(request, desk.service, "incidents.html", **values)


def _query(params: BrowseIn) -> dict[str, str]:
    """Return the chosen facets, words and order as query parameters, without the page."""
    text = {"text": params.text} if params.text else {}
    only = {"only": params.only} if params.only else {}
    return params.wanted | text | only | ({"sort": params.sort} if params.sort != "newest" else {})


def _but(query: Mapping[str, str], name: str) -> dict[str, str]:
    return {own: value for own, value in query.items() if own != name}


def _unfolded(params: BrowseIn) -> dict[str, str]:
    """Return the facet that is shown whole, and what is looked for in it."""
    return {name: value for name in ("values", "q") if params.values and (value := getattr(params, name))}


def _facet(t: Strings, params: BrowseIn, name: str, page: CataloguePage) -> FacetView | None:
    """A facet with its values; None where there is nothing to choose, as every value matches everything."""
    counts = page.facets[name]
    chosen = getattr(params, name).casefold()
    if not chosen and all(one.count == page.total for one in counts):
        return None
    query = _query(params)
    is_open = params.values == name
    sought = params.q if is_open else ""
    fitting = _named(t, name, counts, sought.casefold()) if sought else counts
    shown = sorted(fitting, key=lambda one: one.value.casefold() != chosen) if chosen else fitting
    links = []
    for one in shown[: _WHOLE if is_open else _VALUES + _MORE]:
        is_chosen = one.value.casefold() == chosen
        leads = _but(query, name) if is_chosen else query | {name: one.value}
        links.append(FacetLink(_label(t, name, one.value), one.count, leads, is_chosen))
    end = len(links) if is_open else _VALUES
    first, more = tuple(links[:end]), tuple(links[end:])
    return FacetView(name, len(counts), first, more, is_open, sought, len(fitting), query | {"values": name})


def _named(t: Strings, name: str, counts: Sequence[FacetCount], sought: str) -> Sequence[FacetCount]:
    """Return the values with these words in their labels: the one that is called so first, then those that begin so."""
    labels = [(one, _label(t, name, one.value).casefold()) for one in counts]
    found = [(label != sought, not label.startswith(sought), one) for one, label in labels if sought in label]
    return [one for _, _, one in sorted(found, key=lambda row: row[:2])]


def _label(t: Strings, name: str, value: str) -> str:
    """Return the label of a value, in the reader's language where it is one of ours."""
    if name == "source":
        return t("place_store") if value == HERE else value
    return t.words.get(f"{'' if name == 'status' else 'facet_'}{name}_{value}", value)
