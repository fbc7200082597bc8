"""A few at once, a bounded queue, and a clear refusal beyond it."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import anyio
import pytest
from starlette.testclient import TestClient

from api.admission import Admission
from api.app import create_app
from api.problems import Problem
from api.settings import ServiceSettings
from tests.api.fixtures import assert_problem
from tests.api.knowledge import KAFKA_TRACE


def test_no_more_run_at_once_than_allowed_and_the_rest_wait() -> None:
    running, most, done = 0, 0, 0
    lock = threading.Lock()
    both = threading.Barrier(2, timeout=10)

    def work() -> None:
        nonlocal running, most, done
        with lock:
            running += 1
            most = max(most, running)
        both.wait()
        time.sleep(0.05)  # long enough for one too many to be seen
        with lock:
            running -= 1
            done += 1

    async def everybody() -> None:
        admission = Admission(running=2, queue=4)

        async def one() -> None:
            with admission.place():
                await admission.run(work, 10)

        async with anyio.create_task_group() as tasks:
            for _ in range(6):
                tasks.start_soon(one)

    anyio.run(everybody)
    assert (most, done) == (2, 6)


def test_one_too_many_is_refused_and_a_freed_place_is_given_again() -> None:
    admission = Admission(running=1, queue=1)
    with admission.place():
        with admission.place():
            with pytest.raises(Problem) as refused, admission.place():
                pass
            assert (refused.value.status_code, refused.value.kind) == (503, "overloaded")
        with admission.place():
            pass


def test_a_failed_piece_of_work_gives_its_place_back() -> None:
    admission = Admission(running=1, queue=0)

    async def fail() -> None:
        with admission.place():
            await admission.run(lambda: 1 / 0, 10)

    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            anyio.run(fail)


def test_overload_is_answered_at_once_with_a_time_to_come_back(home: Path) -> None:
    """Twelve at once for two places: some are answered, the others told to come back, nobody fails otherwise."""
    settings = ServiceSettings(home=home, concurrency=1, queue=1)
    with TestClient(create_app(settings)) as client, ThreadPoolExecutor(12) as threads:
        slow = "\n".join([KAFKA_TRACE, "word " * 50_000])
        responses = list(threads.map(lambda _: client.post("/v1/search", json={"text": slow}), range(12)))
    assert {response.status_code for response in responses} == {200, 503}
    for response in responses:
        if response.status_code == 503:
            assert_problem(response, 503, "overloaded")
            assert response.headers["retry-after"] == "1"
