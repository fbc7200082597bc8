"""Services that pages are asked of."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.api.pages.tabs import Tab, opened


@pytest.fixture(scope="module")
def _tab(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    yield from opened(home, tmp_path_factory.mktemp("store"))


@pytest.fixture
def tab(_tab: Tab) -> Tab:
    """Nobody's yet."""
    _tab.logout()
    return _tab


@pytest.fixture(scope="module")
def strict(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    """Where only reviewers publish, reading takes a key, and the text of feedback is kept."""
    yield from opened(home, tmp_path_factory.mktemp("strict"), review="required", reading="key", feedback_text=True)
