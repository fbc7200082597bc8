"""A service in this process for bare messages, and somebody of every kind."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.api.access.conftest import House, opened


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Where the store of a module is."""
    return f"sqlite:///{tmp_path_factory.mktemp('mcp') / 'store.db'}"


@pytest.fixture(scope="module")
def house(home: Path, place: str) -> Iterator[House]:
    """Reading is open."""
    yield from opened(home, place)


@pytest.fixture(scope="module")
def closed(home: Path, place: str) -> Iterator[House]:
    """The same with KB_READING=key and KB_REVIEW=required."""
    yield from opened(home, place, reading="key", review="required")
