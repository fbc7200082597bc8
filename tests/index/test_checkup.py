"""What `kb doctor` says of snapshot and store: what the engine could not open is never called fine."""

import json
import sqlite3
from pathlib import Path

import pytest

from index import checkup
from index.storage.snapshot import current, file_digest
from kb.store import Store
from tests.api.knowledge import RECORDS, build_home
from tests.databases import Server
from tests.kb.store.told import ANN, incident


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("KB_DATABASE_URL", raising=False)
    return build_home(tmp_path, RECORDS[:2]).path.parents[1]


def test_all_is_well(home: Path) -> None:
    assert checkup.snapshot(home).ok
    assert checkup.store(home).ok
    assert not (home / "store.db").exists(), "looking makes nothing"


@pytest.mark.parametrize("damage", ["a byte", "cut short", "well-formed and wrong"])
def test_a_snapshot_that_cannot_be_searched_is_not_called_fine(home: Path, damage: str) -> None:
    folder = current(home).path
    victim = folder / "documents.arrow" if (folder / "documents.arrow").exists() else max(folder.glob("*.*"))
    data = victim.read_bytes()
    match damage:
        case "a byte":
            victim.write_bytes(data[:-9] + bytes([data[-9] ^ 1]) + data[-8:])
        case "cut short":
            victim.write_bytes(data[:-1])
        case _:  # as a fault in a builder would leave it: every checksum is right
            victim.write_bytes(bytes(len(data)))
            manifest = json.loads((folder / "manifest.json").read_text())
            manifest["files"][victim.name]["sha256"] = file_digest(victim)
            (folder / "manifest.json").write_text(json.dumps(manifest))
    found = checkup.snapshot(home)
    assert not found.ok
    assert "kb ingest" in found.cure


def test_a_store_is_counted(home: Path) -> None:
    with Store.open(home / "store.db") as store:
        store.incidents.create(incident("a"), actor=ANN)
        store.incidents.revise(incident("a", "b"), expected=1, actor=ANN)
        assert checkup.store(home).finding.startswith("1 incidents, 2 revisions in sqlite:")


def test_a_store_in_postgresql_is_counted(home: Path, postgresql: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    place = postgresql.new_database()
    monkeypatch.setenv("KB_DATABASE_URL", place)
    assert checkup.store(home).finding.startswith("none yet")
    with Store.open(place) as store:
        store.incidents.create(incident("a"), actor=ANN)
        assert checkup.store(home).finding.startswith("1 incidents, 1 revisions")
    monkeypatch.setenv("KB_DATABASE_URL", "postgresql:///none?host=/nonexistent")
    found = checkup.store(home)
    assert (found.ok, "does not answer" in found.finding) == (False, True)


@pytest.mark.parametrize("damage", ["no database", "a page", "a newer version", "a lost row"])
def test_a_store_that_is_broken_is_not_called_fine(home: Path, damage: str) -> None:
    file = home / "store.db"
    with Store.open(file) as store:
        for number in range(50):
            store.incidents.create(incident(f"i{number}", "words " * 100), actor=ANN)
    with sqlite3.connect(file) as database:
        match damage:
            case "a newer version":
                database.execute("UPDATE store_version SET version_num = '9999'")
            case "a lost row":
                database.execute("DELETE FROM incidents WHERE id = 'i7'")
    database.close()
    data = file.read_bytes()
    match damage:
        case "no database":
            file.write_text("hello " * 1000)
        case "a page":
            file.write_bytes(data[: len(data) // 2] + bytes(8192) + data[len(data) // 2 + 8192 :])
    found = checkup.store(home)
    assert not found.ok
    assert found.cure
    assert "kb doctor" not in found.cure
