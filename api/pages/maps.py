"""`/map`: the incidents as dots, close where they mean something similar, coloured by component. An SVG that needs no script."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock

import numpy as np
import numpy.typing as npt
from fastapi import APIRouter, Request
from starlette.responses import Response

from api.contract.problems import HttpProblem
from api.pages.calls import OF_INCIDENTS
from api.pages.rendering import shown, the_pages
from api.server.service import TheService
from index import Engine
from index.encoder import Vectors
from index.storage.catalogue import CataloguePage, CatalogueQuery, CatalogueRow, FacetCount

log = logging.getLogger(__name__)
router = APIRouter(include_in_schema=False)
DOTS = 340
"""Dots of one map, so that the page stays below 150 kB; of more incidents the newest are shown, and each component has a map of its own."""
COLOURS = 10
"""Components with a colour of their own, the most frequent ones."""
WIDTH, HEIGHT, _MARGIN = 1000, 640, 14
_LONGEST = 200
KEPT = 16
"""Maps that are remembered: one takes seconds of CPU to draw."""
_PATIENCE = 0.3
"""Seconds for which a reader waits for a map; then the page says that it is being drawn, and asks again."""
Places = npt.NDArray[np.float32]
"""A row of two coordinates from 0 to 1 for each vector."""
_FEWEST = 10
"""Places from which on t-SNE says something."""
_PERPLEXITY = 30.0
_SEED = 20261121


def projected(vectors: Vectors) -> Places:
    """Return a place in two dimensions for each vector, near ones close; coordinates go from 0 to 1, and are the same for the same vectors.

    t-SNE (van der Maaten and Hinton 2008) by scikit-learn where that is installed (the extra `train`), else principal components. Of the
    five nearest on the map, the share that has the component of an incident, over 312 bundled ones (2026-11-28): t-SNE 0.30, principal
    components 0.09, by chance 0.05; of the five nearest of the embeddings themselves 0.34. 1.2 s of CPU for 312 places.
    """
    if len(vectors) > 1 and not np.ptp(vectors, axis=0).any():
        return np.full((len(vectors), 2), 0.5, np.float32)
    if len(vectors) < _FEWEST:
        return _spread(_principal(vectors))
    try:
        from sklearn.manifold import TSNE  # noqa: PLC0415 - takes a second, and may not be installed
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped] # noqa: PLC0415 - comes with it
    except ImportError:
        return _spread(_principal(vectors))
    perplexity = min(_PERPLEXITY, (len(vectors) - 1) / 3)
    drawing = TSNE(2, init="pca", perplexity=perplexity, random_state=_SEED, n_jobs=1)
    with threadpool_limits(1):  # threads that wait for each other beside searches take ten times as long
        places: Places = drawing.fit_transform(vectors)
    return _spread(places)


def _principal(vectors: Vectors) -> Places:
    """The first two principal components; rows of few vectors beside each other."""
    if len(vectors) <= 2:
        return np.array([[at, 0.5] for at in range(len(vectors))], np.float32).reshape(-1, 2)
    left, sizes, _ = np.linalg.svd(vectors - vectors.mean(axis=0), full_matrices=False)
    found: Places = left[:, :2] * sizes[:2]
    return found


def _spread(places: Places) -> Places:
    if not len(places):
        return places
    low, high = places.min(axis=0), places.max(axis=0)
    width = np.where(high > low, high - low, 1)
    found: Places = np.where(high > low, (places - low) / width, 0.5).astype(np.float32)
    return found


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


@dataclass(frozen=True, slots=True)
class PendingMap:
    """All of a map but its places."""

    page: CataloguePage
    components: Sequence[FacetCount]
    places: Future[Places] | None
    """None where too many maps wait to be drawn."""


class MapPages:
    """Draws maps in a thread of their own, one after the other, and remembers the last ones."""

    def __init__(self, draw: Callable[[Vectors], Places] = projected) -> None:
        self._draw = draw
        self._places: OrderedDict[tuple[str, tuple[str, ...]], Future[Places]] = OrderedDict()
        self._remembering = Lock()
        self._pencil = ThreadPoolExecutor(1, "map")

    def pending(self, engine: Engine, component: str, lang: str) -> PendingMap:
        """Return what the map of a component ('' for all) shows. It is drawn anew when incidents came or went; one without incidents is not drawn."""
        catalogue = engine.catalogue()
        wanted = {"component": component} if component else {}
        page = catalogue.page(CatalogueQuery(wanted, lang=lang, limit=DOTS))
        places = self._places_of(engine, tuple(row.id for row in page.rows)) if page.rows else _nowhere()
        return PendingMap(page, catalogue.counts("component"), places)

    async def drawn(self, pending: PendingMap) -> DrawnMap | None:
        """Return the map; None while it is being drawn, or where that failed: the next who asks has it drawn again."""
        places = pending.places
        if places is None:
            return None
        waiting = asyncio.wrap_future(places)
        await asyncio.wait((waiting,), timeout=_PATIENCE)
        if not waiting.done() or waiting.cancelled():
            return None
        if error := waiting.exception():
            log.error("a map cannot be drawn", exc_info=error)
            return None
        colours = {one.value: at for at, one in enumerate(pending.components[:COLOURS])}
        return DrawnMap(_dots(pending.page.rows, waiting.result(), colours), pending.page.total, pending.components)

    def close(self) -> None:
        """Draw no more: nobody waits for a map when the worker ends."""
        self._pencil.shutdown(wait=False, cancel_futures=True)

    def _places_of(self, engine: Engine, ids: tuple[str, ...]) -> Future[Places] | None:
        key = engine.snapshot_id, ids
        with self._remembering:
            places = self._places.get(key)
            if places is None or not _is_kept(places):
                if not self._has_room():
                    return None
                places = self._places[key] = self._pencil.submit(self._draw, engine.vectors(ids))
            self._places.move_to_end(key)
            return places

    def _has_room(self) -> bool:
        """Make room for one map: forget the drawn one that was not wanted for longest. Return False where all still wait to be drawn."""
        if len(self._places) < KEPT:
            return True
        oldest = next((key for key, places in self._places.items() if places.done()), None)
        if oldest is None:
            return False
        del self._places[oldest]
        return True


def _nowhere() -> Future[Places]:
    places: Future[Places] = Future()
    places.set_result(np.zeros((0, 2), np.float32))
    return places


def _is_kept(places: Future[Places]) -> bool:
    """Whether they are drawn or will be."""
    return not places.done() or not (places.cancelled() or places.exception())


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
    drawn = await maps.drawn(await service.ask(lambda engine: maps.pending(engine, component, lang)))
    values = {"drawn": drawn, "component": component, "size": (WIDTH, HEIGHT), "colours": COLOURS}
    kept = {"component": component} if component else {}
    page = await shown(request, service, "map.html", **values, kept=kept, snapshot_id=service.live.snapshot_id)
    if drawn is None:
        page.headers["Refresh"] = "2"
    return page
