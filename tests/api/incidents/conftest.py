"""A home with the six incidents and a store of its own, and a folder with write-ups in it."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from api.incidents import open_incidents
from api.incidents.sync import Sync
from api.settings import ServiceSettings
from kb.client import Incidents

CORPUS = Path(__file__).parents[3] / "corpus"
THREE = ("kafka-record-too-large", "hikaricp-connection-not-available", "spark-metadata-fetch-failed")


@dataclass(frozen=True)
class Desk:
    """A door to a home, and a folder beside it."""

    incidents: Incidents
    folder: Path
    home: Path

    def sync(self, **options: object) -> Sync:
        return Sync(self.incidents, self.folder, **options)  # type: ignore[arg-type]

    def file(self, name: str = THREE[0]) -> Path:
        return self.folder / f"{name}.md"

    def change(self, old: str, new: str, name: str = THREE[0]) -> None:
        file = self.file(name)
        text = file.read_text(encoding="utf-8")
        assert old in text
        file.write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """An empty store, and three write-ups of corpus/."""
    folder = tmp_path / "write-ups"
    folder.mkdir()
    for name in THREE:
        shutil.copy(next(CORPUS.glob(f"*/{name}.md")), folder)
    with open_incidents(ServiceSettings(home=tmp_path / "home")) as incidents:
        yield Desk(incidents, folder, tmp_path / "home")
