"""A dozen small incidents, and engines over them."""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from index.build import build
from index.encoder import load_encoder
from index.entry import entries
from index.training.measured import MeasuredEngine
from kb.record import from_record

FOLDER = Path(__file__).parent


def records() -> list[dict[str, object]]:
    return [json.loads(line) for line in (FOLDER / "incidents.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="session")
def engine_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Sequence[dict[str, object]]], MeasuredEngine]:
    def make(rows: Sequence[dict[str, object]]) -> MeasuredEngine:
        encoder = load_encoder(None)
        home = tmp_path_factory.mktemp("home")
        build([entries([from_record(row) for row in rows], encoder)], home, encoder)
        return MeasuredEngine.open(home)

    return make


@pytest.fixture(scope="session")
def engine(engine_of: Callable[[Sequence[dict[str, object]]], MeasuredEngine]) -> Iterator[MeasuredEngine]:
    opened = engine_of(records())
    yield opened
    opened.close()
