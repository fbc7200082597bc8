"""What every test may ask for: golden files, the shared data sets, Hypothesis profiles."""

import datetime as dt
import gc
import json
import os
import platform
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest
from hypothesis import HealthCheck, settings

from tests.databases import made, made_postgresql, place, postgresql, store

__all__ = ["made", "made_postgresql", "place", "postgresql", "store"]

settings.register_profile("default", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("fast", settings.get_profile("default"), max_examples=10)
settings.register_profile("thorough", settings.get_profile("default"), max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

ROOT = Path(__file__).resolve().parent.parent
LONG = (
    "tests/api/",
    "tests/browser/",
    "tests/corpus/test_corpus.py",
    "tests/index/",
    "tests/kb/article/test_read_article.py",
    "tests/kb/client/test_against_service.py",
    "tests/kb/store/",
    "tests/kb/trace/test_hostile.py",
    "tests/kb/trace/test_mangled.py",
    "tests/security/",
)
"""Where files start services, browsers, databases and engines, or take 20 seconds and more; the others are short."""
FIGURES = pytest.StashKey[dict[str, dict[str, float]]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the golden readings; review the diff")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What measures time in hostile texts is slow. Of the others, what takes longest comes first, what starts Spark before all: a long file at the end would run beside an idle worker."""
    for item in items:
        if "takes_linear_time" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)

    def turn(item: pytest.Item) -> int:
        if item.get_closest_marker("spark"):
            return 0
        return 1 if item.nodeid.startswith(LONG) else 2

    items.sort(key=turn)


def pytest_collection_finish() -> None:
    """Twenty thousand tests are never garbage: a collection that visited them would take half a second of whichever test it met."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def nobody_is_vouched_for(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test asks the world over TLS; to read the certificates of all its authorities takes each HTTP client 30 ms."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("SSL_CERT_FILE", raising=False)
        patch.setenv("SSL_CERT_DIR", str(tmp_path_factory.mktemp("certificates")))
        yield


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Each worker has whole files, and one has all that shares the Spark session: fixtures are made once, there is one JVM.

    `pytest.mark.xdist_group` would say the same; pytest-xdist 3.8 writes it into node ids, which pytest 9.2 does not read.
    """
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.partition("::")[0]
            return "tests/ingest" if file.startswith("tests/ingest/") else file

    return ByFile(config, log)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """Compare a text with a golden file; with --update-golden (never in CI) write the file instead."""

    def check(path: Path, actual: str) -> None:
        if request.config.getoption("--update-golden") and not os.environ.get("CI"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(actual, encoding="utf-8")
        assert path.exists(), f"{path} is missing: run pytest --update-golden, then review it"
        assert actual == path.read_text(encoding="utf-8")

    return check


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The large labelled data sets beside the checkout, for those who have them."""
    path = ROOT.parent / "shared"
    if not (path / "seeds").is_dir():
        pytest.skip("no ../shared beside the checkout: the large data sets are not part of the project")
    return path


@pytest.fixture
def takes_linear_time() -> Callable[..., None]:
    """Check that ten times the text takes about ten times as long: a hundred times would be quadratic.

    The shortest of up to three runs counts, because other processes share the machine; the garbage collector is off,
    because it would visit the objects of all earlier tests.
    """

    def seconds(run: Callable[[int], object], size: int) -> float:
        started = time.process_time()
        run(size)
        return time.process_time() - started

    def check(run: Callable[[int], object], small: int = 40_000, large: int = 400_000) -> None:
        run(small // 4)
        gc.disable()
        try:
            limit = 2 * large / small * min(seconds(run, small) for _ in range(2)) + 0.3
            assert any(seconds(run, large) < limit for _ in range(3)), f"{large} characters take over {limit:.2f} s"
        finally:
            gc.enable()

    return check


class Figure(Protocol):
    """Notes a measured figure; fails when it is below its floor or above its ceiling."""

    def __call__(
        self, name: str, value: float, *, floor: float | None = None, ceiling: float | None = None
    ) -> None: ...


@pytest.fixture
def figure(request: pytest.FixtureRequest) -> Figure:
    """For the slow suites: figures end up in tests/<suite>/results.json with the machine and the date."""
    suite = "quality" if request.node.get_closest_marker("quality") else "bench"
    noted = request.config.stash.setdefault(FIGURES, {}).setdefault(suite, {})

    def note(name: str, value: float, *, floor: float | None = None, ceiling: float | None = None) -> None:
        noted[name] = round(value, 4)
        print(f"{name}: {value:.4g}")
        assert floor is None or value >= floor, f"{name} fell to {value:.4g}; its floor is {floor}"
        assert ceiling is None or value <= ceiling, f"{name} rose to {value:.4g}; its ceiling is {ceiling}"

    return note


def pytest_sessionfinish(session: pytest.Session) -> None:
    for suite, noted in session.config.stash.get(FIGURES, {}).items():
        path = ROOT / "tests" / suite / "results.json"
        before = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
        figures = dict(sorted({**before.get("figures", {}), **noted}.items()))
        report = {"date": dt.datetime.now(tz=dt.UTC).date().isoformat(), "machine": machine, "figures": figures}
        path.write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
