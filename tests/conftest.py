"""What every test may ask for: golden files, the shared data sets, Hypothesis profiles."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("default", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("fast", settings.get_profile("default"), max_examples=10)
settings.register_profile("thorough", settings.get_profile("default"), max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

ROOT = Path(__file__).resolve().parent.parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the golden readings; review the diff")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """Compare a text with a golden file; with --update-golden (never in CI) write the file instead."""

    def check(path: Path, actual: str) -> None:
        if request.config.getoption("--update-golden") and not os.environ.get("CI"):
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
