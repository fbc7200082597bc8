"""One incident a runtime (runtimes/*): a mangled paste of it is known, its near-miss is not.

``incident.md`` is the write-up, ``again.txt`` the same fault as another machine prints it (other versions, folders, lines, addresses,
log prefixes, language), ``near.txt`` another fault that shares its platform, its type or most of its message.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from index import Engine, Verdict
from index.build import build
from index.encoder import load_encoder
from index.entry import entries
from index.reading import read
from index.terms.frequencies import MARK, is_common, name_of
from index.terms.sketch import frame_tokens
from kb.article import read_article
from kb.incident import Incident
from kb.trace.runtimes import RUNTIMES

FOLDER = Path(__file__).parent / "runtimes"
NAMES = sorted(path.name for path in FOLDER.iterdir())
MESSAGE_ONLY = {"kernel-oom", "sql-oracle", "sql-postgres"}


def text(name: str, part: str) -> str:
    return (FOLDER / name / part).read_text(encoding="utf-8")


def write_up(name: str) -> Incident:
    (incident,) = read_article((FOLDER / name / "incident.md").read_bytes(), f"{name}.md").incidents
    return incident


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    encoder, home = load_encoder(None), tmp_path_factory.mktemp("runtimes")
    build([entries([write_up(name) for name in NAMES], encoder)], home, encoder)
    opened = Engine.open(home)
    yield opened
    opened.close()


def test_every_runtime_has_an_incident() -> None:
    read_as = {chain.runtime for name in NAMES for chain in write_up(name).chains}
    assert {runtime.name for runtime in RUNTIMES} == read_as


@pytest.mark.parametrize("name", NAMES)
def test_the_same_fault_elsewhere_is_known(engine: Engine, name: str) -> None:
    answer = engine.search(text(name, "again.txt"))
    assert (name, Verdict.KNOWN) == (answer.matches[0].incident.id, answer.verdict)
    assert answer.matches[0].evidence


@pytest.mark.parametrize("name", NAMES)
def test_a_near_miss_is_not_known(engine: Engine, name: str) -> None:
    assert engine.search(text(name, "near.txt")).verdict is not Verdict.KNOWN


@pytest.mark.parametrize("name", NAMES)
def test_everything_is_a_trace_of_the_runtime(name: str) -> None:
    for part in ("again.txt", "near.txt"):
        assert {chain.runtime for chain in read(text(name, part)).chains} == {write_up(name).chains[0].runtime}


@pytest.mark.parametrize("name", sorted(MESSAGE_ONLY))
def test_an_error_without_frames_is_found_between_lines_of_a_log(engine: Engine, name: str) -> None:
    log = "".join(f"2026-11-20 03:10:{at:02} INFO tick {at} of the scheduler\n" for at in range(20))
    answer = engine.search(f"{log}{text(name, 'again.txt')}\n{log}")
    assert name == answer.matches[0].incident.id


@pytest.mark.parametrize("name", sorted(MESSAGE_ONLY))
def test_an_error_that_never_has_frames_is_not_blamed_for_it(engine: Engine, name: str) -> None:
    assert engine.search(text(name, "again.txt")).notes == ()


def test_frames_of_the_platform_are_marked() -> None:
    """As the runtime ranks them: a server's own loop stands under every fault of it."""
    (trace,) = read(text("go-panic", "again.txt")).traces
    assert frame_tokens(trace.normalised) == [
        "f:github.com/acme/orders/store.(*Session).Exec",
        "f:github.com/acme/orders/web.(*Handler).Place",
        "p:net/http.HandlerFunc.ServeHTTP",
        "p:net/http.(*ServeMux).ServeHTTP",
        "p:net/http.(*conn).serve",
        "t:panic",
        "r:panic",
    ]
    assert [is_common(token) for token in frame_tokens(trace.normalised)] == [
        False,
        False,
        True,
        True,
        True,
        True,
        True,
    ]
    assert name_of("p:net/http.(*conn).serve") == name_of("f:net/http.(*conn).serve") | MARK


def test_the_idle_threads_of_a_dump_are_left_out_and_the_deadlock_is_read() -> None:
    (trace,) = read(text("jstack-deadlock", "again.txt")).traces
    assert (trace.is_idle_thread, trace.chain.root.type) == (False, "deadlock")
