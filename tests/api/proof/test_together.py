"""Two curators who save one incident at the same time, again and again: no saving takes the other's back."""

import re
import threading
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from kb.store import Store
from tests.api.fixtures import serving
from tests.api.proof.service import SECONDS, WORKERS, a_key

CURATORS = ("ann", "ben")
_COUNT = re.compile(r"(\w+)=(\d+)")


class Curator(threading.Thread):
    """Reads how often each has saved, adds one to its own, and saves that; after a 412, from what stands there now."""

    def __init__(self, url: str, key: str, name: str, times: int, ready: threading.Barrier) -> None:
        super().__init__(daemon=True)
        self.refused = 0
        self.saved: list[int] = []
        """The revisions that were acknowledged."""
        self.failure: str | None = None
        self._url, self._name, self._times, self._ready = f"{url}/v1/incidents/counted", name, times, ready
        self._headers = {"Authorization": f"Bearer {key}"}

    def run(self) -> None:
        """Save so many times."""
        with httpx.Client(headers=self._headers, timeout=60) as client:
            found = client.get(self._url)
            etag, record = found.headers["etag"], found.json()
            self._ready.wait()
            while len(self.saved) < self._times:
                counts = {name: int(count) for name, count in _COUNT.findall(record["symptom"])}
                mine = told(counts | {self._name: counts[self._name] + 1})
                body = {"title": "Counted", "symptom": mine}
                answer = client.put(self._url, headers={"If-Match": etag}, json=body)
                if answer.status_code == httpx.codes.PRECONDITION_FAILED:
                    self.refused += 1
                    document = answer.json()
                    assert document["yours"]["symptom"] == mine
                    record, etag = document["current"]["incident"], f'"{document["current"]["revision"]}"'
                    continue
                if not answer.is_success:
                    self.failure = answer.text
                    return
                self.saved.append(answer.json()["revision"])
                etag, record = answer.headers["etag"], answer.json()["incident"]


def told(counts: dict[str, int]) -> str:
    """Counts as they stand in the symptom."""
    return ", ".join(f"{name}={counts[name]}" for name in sorted(counts))


@pytest.mark.parametrize(
    ("place", "times"),
    [
        pytest.param("sqlite", 50, marks=pytest.mark.slow),
        pytest.param("sqlite", 1_000, marks=[pytest.mark.bench, pytest.mark.timeout(3600)]),
        pytest.param("postgresql", 1_000, marks=[pytest.mark.bench, pytest.mark.timeout(3600)]),
    ],
    indirect=["place"],
)
def test_no_update_is_lost(
    request: pytest.FixtureRequest,
    place: str | Path,
    times: int,
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url = f"sqlite:///{place}" if isinstance(place, Path) else place
    monkeypatch.setenv("KB_DATABASE_URL", url)
    monkeypatch.setenv("KB_RATE_PER_KEY", "0")
    key, ready = a_key(url), threading.Barrier(len(CURATORS))
    with serving(home, tmp_path, "--workers", str(WORKERS), seconds=SECONDS) as server:
        first = {"id": "counted", "title": "Counted", "symptom": told(dict.fromkeys(CURATORS, 0))}
        headers = {"Authorization": f"Bearer {key}"}
        assert httpx.post(f"{server.url}/v1/incidents", json=first, headers=headers, timeout=60).status_code == 201
        curators = [Curator(server.url, key, name, times, ready) for name in CURATORS]
        for curator in curators:
            curator.start()
        for curator in curators:
            curator.join()
    assert [curator.failure for curator in curators] == [None] * len(CURATORS)
    assert sorted(number for curator in curators for number in curator.saved) == list(range(2, 2 * times + 2))
    with Store.open(url) as store:
        history = store.incidents.history("counted", limit=100_000)
    counts = [{name: int(count) for name, count in _COUNT.findall(one.shown.symptom or "")} for one in history]
    assert counts[0] == dict.fromkeys(CURATORS, times)
    assert [sum(count.values()) for count in counts] == list(range(2 * times, -1, -1)), "a revision took another back"
    refused = sum(curator.refused for curator in curators)
    assert refused > 0, "they never met"
    if request.node.get_closest_marker("bench"):
        figure: Callable[..., None] = request.getfixturevalue("figure")
        kind = "sqlite" if isinstance(place, Path) else "postgresql"
        figure(f"together.{kind}.saved", len(history) - 1)
        figure(f"together.{kind}.refused_and_saved_again", refused)
