"""A few at once, a bounded queue, and a clear refusal beyond it."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import anyio
import anyio.to_thread
import pytest
from starlette.requests import Request
from starlette.testclient import TestClient

from api.app import create_app
from api.contract.problems import HttpProblem
from api.observability.metrics import Metrics
from api.server.admission import Admission
from api.server.live import LiveEngine
from api.server.service import AnswerCounts, Service, the_service
from api.server.tally import SearchTally
from api.settings import ServiceSettings
from index import Engine
from index.stages import stage
from tests.api.fixtures import HERE, LOCAL, assert_problem, poll
from tests.api.knowledge import KAFKA_TRACE, RECORDS, build_home
from tests.api.server.test_live import mapped


def test_no_more_run_at_once_than_allowed_and_the_rest_wait() -> None:
    running, most, done = 0, 0, 0
    lock = threading.Lock()
    both = threading.Barrier(2, timeout=60)

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
            with pytest.raises(HttpProblem) as refused, admission.place():
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
    with TestClient(create_app(settings), client=HERE, base_url=LOCAL) as client, ThreadPoolExecutor(12) as threads:
        slow = "\n".join([KAFKA_TRACE, "word " * 50_000])
        responses = list(threads.map(lambda _: client.post("/v1/search", json={"text": slow}), range(12)))
    assert {response.status_code for response in responses} == {200, 503}
    for response in responses:
        if response.status_code == 503:
            assert_problem(response, 503, "overloaded")
            assert response.headers["retry-after"] == "1"


def test_work_out_of_time_is_refused_and_keeps_its_thread() -> None:
    """While it goes on nothing else runs, what waits is given up with it, and afterwards everything runs again."""
    go_on = threading.Event()
    ended: list[str] = []
    began: list[str] = []

    async def scenario() -> None:
        admission = Admission(running=1, queue=4)
        with pytest.raises(HttpProblem) as refused:
            await admission.run(go_on.wait, 0.05, lambda: ended.append("slow"))
        assert (refused.value.status_code, refused.value.kind) == (503, "too-slow")
        assert (admission.lost, admission.is_stuck, ended) == (1, True, [])
        with pytest.raises(HttpProblem):
            await admission.run(lambda: began.append("waiting"), 0.05, lambda: ended.append("waiting"))
        assert ended == ["waiting"]
        go_on.set()
        await anyio.to_thread.run_sync(poll, lambda: not admission.is_stuck)
        assert await admission.run(lambda: "next", 10) == "next"

    anyio.run(scenario)
    assert began == []
    assert ended == ["waiting", "slow"]


def test_a_search_out_of_time_ends_at_its_next_stage(tmp_path: Path) -> None:
    """The snapshot is replaced meanwhile: its files stay until the last search is over, then they go."""
    built = build_home(tmp_path, RECORDS[:1])
    live = LiveEngine(tmp_path)
    live.refresh()
    service = Service(
        live, Admission(1, 1), AnswerCounts(Metrics(), SearchTally(0, keeps_text=False)), search_seconds=0.2
    )
    go_on = threading.Event()
    reached: list[str] = []

    def slow(engine: Engine) -> None:
        reached.append("begun")
        go_on.wait(60)
        reached.append(str(engine.incident("flink-checkpoint-hdfs-replicas") is not None))
        with stage("explain"):
            reached.append("a stage too many")

    async def scenario() -> None:
        with pytest.raises(HttpProblem, match="seconds"):
            await service.ask(slow)
        build_home(tmp_path, RECORDS[1:2])
        assert await anyio.to_thread.run_sync(live.refresh)
        assert mapped(built.path / "documents")
        go_on.set()
        await anyio.to_thread.run_sync(poll, lambda: not service.admission.lost)

    anyio.run(scenario)
    assert reached == ["begun", "True"]
    assert not mapped(built.path / "documents")
    live.close()


def test_it_is_not_ready_while_every_thread_is_lost(tmp_path: Path) -> None:
    build_home(tmp_path, RECORDS[:1])
    settings = ServiceSettings(home=tmp_path, concurrency=1, search_seconds=0.1)
    app = create_app(settings)
    go_on = threading.Event()

    async def stall(request: Request) -> str:
        return await the_service(request).ask(lambda _: str(go_on.wait(60)))

    app.add_api_route("/v1/stall", stall)
    with TestClient(app, client=HERE, base_url=LOCAL) as client:
        assert client.get("/readyz").status_code == 200
        assert_problem(client.get("/v1/stall"), 503, "too-slow")
        assert_problem(client.get("/readyz"), 503, "stuck")
        assert "kb_searches_out_of_time 1.0" in client.get("/metrics").text
        go_on.set()
        poll(lambda: client.get("/readyz").status_code == 200)
