"""How far it is from the route of a search to the numbers that rank: calls of ours, counted while a search runs (docs/architecture.md)."""

import threading
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.routes import search as route
from api.server.admission import Admission
from api.settings import ServiceSettings
from index.ranking.features import FeatureReader
from tests.api.fixtures import HERE, LOCAL
from tests.api.knowledge import KAFKA_TRACE

ROOT = Path(__file__).resolve().parents[2]
OURS = tuple(f"{ROOT}/{room}/" for room in ("kb", "index", "api"))
MOST_CALLS = 12
ROUTE, THREAD, FEATURES = route.search.__code__, Admission.run.__code__, FeatureReader.compared.__code__
TWO_PROBLEMS = (
    f"{KAFKA_TRACE}\nlater\njava.io.FileNotFoundException: /srv/a (No such file)\n\tat shop.Till.open(Till.java:3)\n"
)


def calls_of_ours(frame: FrameType | None) -> Iterator[CodeType]:
    """Yield the calls around a frame, the innermost first."""
    while frame is not None:
        if frame.f_code.co_filename.startswith(OURS):
            yield frame.f_code
        frame = frame.f_back


@pytest.mark.parametrize("text", [KAFKA_TRACE, TWO_PROBLEMS, "the consumer group keeps rebalancing"])
def test_a_search_is_a_dozen_calls_from_route_to_features(home: Path, text: str) -> None:
    longest: dict[CodeType, list[CodeType]] = defaultdict(list)

    def watch(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code in {THREAD, FEATURES}:
            calls = list(calls_of_ours(frame))
            if frame.f_code is THREAD:  # what is before the route is the same for every request
                calls = calls[: calls.index(ROUTE) + 1] if ROUTE in calls else []
            longest[frame.f_code] = max(longest[frame.f_code], calls, key=len)

    threading.setprofile(watch)  # threads that begin from now on: the server's loop and that of the search
    try:
        with TestClient(create_app(ServiceSettings(home=home)), client=HERE, base_url=LOCAL) as client:
            longest.clear()  # an engine is tried when it is opened
            assert client.post("/v1/search", json={"text": text}).status_code == 200
    finally:
        threading.setprofile(None)
    way = [*reversed(longest[THREAD]), *reversed(longest[FEATURES])]
    assert (way[0], way[-1]) == (ROUTE, FEATURES)
    assert len(way) <= MOST_CALLS, " → ".join(call.co_qualname for call in way)
