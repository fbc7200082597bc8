"""`/map`: the incidents as dots, close where they mean something similar, coloured by component. An SVG that needs no script."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.contract.problems import HttpProblem
from api.pages.calls import OF_INCIDENTS
from api.pages.rendering import shown, the_pages
from api.server.service import TheService
from index import Engine
from index.storage.catalogue import CatalogueQuery, CatalogueRow, FacetCount
from index.storage.vectors import Places, projected

router = APIRouter(include_in_schema=False)
DOTS = 300
"""Dots of one map, so that the page stays below 150 kB; of more incidents the newest are shown, and each component has a map of its own."""
COLOURS = 10
"""Components with a colour of their own, the most frequent ones."""
WIDTH, HEIGHT, _MARGIN = 1000, 640, 14
_LONGEST = 200
_KEPT = 16
"""Maps that are remembered: one takes seconds of CPU to draw."""
_PATIENCE = 0.3
"""Seconds for which a reader waits for a map; then the page says that it is being drawn, and asks again."""


@dataclass(frozen=True, slots=True)
class Dot:
    """An incident on the map."""

    row: CatalogueRow
    x: int
    y: int
    colour: int
    """The number of its component's colour; `COLOURS` for all others."""


@dataclass(frozen=True, slots=True)
class DrawnMap:
    """What the page shows."""

    dots: Sequence[Dot]
    total: int
    """How many incidents there are of what is shown."""
    components: Sequence[FacetCount]
    """All of them, the most frequent first."""


class MapPages:
    """Draws maps in a thread of their own, one after the other, and remembers the last ones."""

    def __init__(self) -> None:
        self._places: OrderedDict[tuple[str, str, int], Future[Places]] = OrderedDict()
        self._drawing = Lock()
        self._pencil = ThreadPoolExecutor(1, "map")

    def of(self, engine: Engine, component: str, lang: str) -> DrawnMap | None:
        """Return the map of a component ('' for all); None while it is being drawn. Drawn anew when incidents came or went."""
        catalogue = engine.catalogue()
        wanted = {"component": component} if component else {}
        page = catalogue.page(CatalogueQuery(wanted, lang=lang, limit=DOTS))
        ids = tuple(row.id for row in page.rows)
        key = engine.snapshot_id, component.casefold(), hash(ids)
        with self._drawing:
            if key not in self._places:
                self._places[key] = self._pencil.submit(projected, engine.vectors(ids))
            self._places.move_to_end(key)
            while len(self._places) > _KEPT:
                self._places.popitem(last=False)[1].cancel()
            drawn = self._places[key]
        with suppress(TimeoutError):
            drawn.result(_PATIENCE)
        if not drawn.done():
            return None
        components = catalogue.counts("component")
        colours = {one.value: at for at, one in enumerate(components[:COLOURS])}
        return DrawnMap(_dots(page.rows, drawn.result(), colours), page.total, components)


def _dots(rows: Sequence[CatalogueRow], places: Places, colours: Mapping[str, int]) -> Sequence[Dot]:
    across, down = WIDTH - 2 * _MARGIN, HEIGHT - 2 * _MARGIN
    return [
        Dot(
            row,
            round(_MARGIN + across * float(x)),
            round(_MARGIN + down * float(y)),
            colours.get(row.component or "", COLOURS),
        )
        for row, (x, y) in zip(rows, places, strict=True)
    ]


@router.get("/map", dependencies=OF_INCIDENTS)
async def knowledge_map(request: Request, service: TheService) -> Response:
    """Show the map; `?component=` that of one component."""
    component = request.query_params.get("component", "").strip()
    if len(component) > _LONGEST:
        raise HttpProblem(422, "invalid-request", f"`component` has more than {_LONGEST} characters.")
    pages = the_pages(request)
    maps: MapPages = request.app.state.maps
    lang = pages.strings(request).lang
    drawn = await service.ask(lambda engine: maps.of(engine, component, lang))
    values = {"drawn": drawn, "component": component, "size": (WIDTH, HEIGHT), "colours": COLOURS}
    kept = {"component": component} if component else {}
    page = await shown(request, service, "map.html", **values, kept=kept, snapshot_id=service.live.snapshot_id)
    if drawn is None:
        page.headers["Refresh"] = "2"
    return page
