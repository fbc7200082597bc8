"""Two workers under attack: what one was told binds the other, whichever of them a connection reaches."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from kb.store import Actor, Role, Store
from kb.store.model import Votes
from tests.api.fixtures import LiveServer, poll, serving
from tests.api.processes import workers_of
from tests.api.proof.service import SECONDS

ROOT = Actor("test", "test", Role.ADMIN)
WORKERS, AT_ONCE, PER_SECOND = 2, 24, 2


@dataclass(frozen=True)
class Pair:
    """A service with two workers, and the key of a curator."""

    server: LiveServer
    place: str
    key: str

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"}


@pytest.fixture(scope="module")
def pair(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    folder = tmp_path_factory.mktemp("workers")
    place = f"sqlite:///{folder}/store.db"
    with Store.open(place) as store:
        _, key = store.keys.create("Ann", Role.CURATOR, actor=ROOT)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KB_DATABASE_URL", place)
        patch.setenv("KB_RATE_PER_ADDRESS", str(PER_SECOND))
        patch.setenv("KB_TRUSTED_PROXIES", "127.0.0.1")
        with serving(home, folder, "--workers", str(WORKERS), seconds=SECONDS) as server:
            poll(lambda: len(workers_of(server)) == WORKERS, SECONDS)
            yield Pair(server, place, key)


def at_once(send: Callable[[int], httpx.Response]) -> list[httpx.Response]:
    """Answers to what is sent at once, each over a connection of its own, so that both workers are asked."""
    with ThreadPoolExecutor(AT_ONCE) as threads:
        return list(threads.map(send, range(AT_ONCE)))


def codes(answers: list[httpx.Response]) -> Counter[int]:
    return Counter(one.status_code for one in answers)


@pytest.mark.slow
def test_of_many_that_add_the_same_incident_one_does(pair: Pair) -> None:
    url = f"{pair.server.url}/v1/incidents"
    answers = at_once(
        lambda n: httpx.post(url, json={"id": "same", "title": f"t{n}"}, headers=pair.headers, timeout=60)
    )
    assert codes(answers) == {201: 1, 409: AT_ONCE - 1}
    (title,) = [one.json()["incident"]["title"] for one in answers if one.status_code == 201]
    assert {httpx.get(f"{url}/same").json()["title"] for _ in range(8)} == {title}


@pytest.mark.slow
def test_of_many_that_change_the_same_revision_one_does(pair: Pair) -> None:
    url = f"{pair.server.url}/v1/incidents/twice"
    made = httpx.post(f"{pair.server.url}/v1/incidents", json={"id": "twice", "title": "t"}, headers=pair.headers)
    headers = {**pair.headers, "If-Match": made.headers["etag"]}
    answers = at_once(lambda n: httpx.put(url, json={"title": f"t{n}"}, headers=headers, timeout=60))
    assert codes(answers) == {200: 1, 412: AT_ONCE - 1}
    history = httpx.get(f"{url}/history").json()
    assert len(history["revisions"]) == 2


def test_a_session_and_its_token_hold_in_both_and_end_in_both(pair: Pair) -> None:
    url = pair.server.url
    login = httpx.post(f"{url}/login", data={"key": pair.key, "next": "/"})
    cookies = {"kb_session": login.cookies["kb_session"]}
    pages = at_once(lambda _: httpx.get(f"{url}/write", cookies=cookies))
    tokens = {one.text.partition('name="csrf" value="')[2].partition('"')[0] for one in pages}
    assert (codes(pages), len(tokens)) == ({200: AT_ONCE}, 1)
    (csrf,) = tokens

    def write(token: str) -> Callable[[int], httpx.Response]:
        return lambda n: httpx.post(
            f"{url}/v1/incidents",
            json={"id": f"by-{token[:4]}-{n}", "title": "t"},
            cookies=cookies,
            headers={"X-CSRF-Token": token},
            timeout=60,
        )

    assert codes(at_once(write("0" * len(csrf)))) == {403: AT_ONCE}
    assert codes(at_once(write(csrf))) == {201: AT_ONCE}
    assert httpx.post(f"{url}/logout", data={"csrf": csrf}, cookies=cookies).status_code == 303
    assert codes(at_once(write(csrf))) == {401: AT_ONCE}


def test_a_nameless_address_votes_once_over_both(pair: Pair) -> None:
    httpx.post(f"{pair.server.url}/v1/incidents", json={"id": "voted", "title": "t"}, headers=pair.headers)
    url = f"{pair.server.url}/v1/incidents/voted/feedback"
    vote = {"vote": "no", "fingerprints": {"exact": ["0123456789abcdef"]}, "probability": 0.5, "snapshot_id": "s"}
    headers = {"X-Forwarded-For": "192.0.2.77"}
    answers = at_once(lambda _: httpx.post(url, json=vote, headers=headers, timeout=60))
    assert set(codes(answers)) <= {201, 429}
    with Store.open(pair.place) as store:
        assert store.feedback.votes(["voted"])["voted"] == Votes(0, 1)


def test_the_rate_of_an_address_is_at_most_that_of_all_workers(pair: Pair) -> None:
    """Each worker counts for itself, as api/README.md says: a burst of two seconds for each, and no more."""
    headers, start = {"X-Forwarded-For": "192.0.2.78"}, time.monotonic()
    rounds = [at_once(lambda _: httpx.get(f"{pair.server.url}/v1/incidents", headers=headers)) for _ in range(2)]
    seconds = time.monotonic() - start
    answers = [one for answers in rounds for one in answers]
    assert codes(answers)[200] <= WORKERS * PER_SECOND * (2 + seconds)
    assert codes(answers)[429] == len(answers) - codes(answers)[200] > 0
    assert all("retry-after" in one.headers for one in answers if one.status_code == 429)
