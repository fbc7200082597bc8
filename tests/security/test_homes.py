"""A home is its owner's alone, and no file of it holds a secret of what was ingested."""

import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from api.archive.reading import read
from api.archive.writing import write
from index.settings import HomeSettings
from index.storage.restoring import keep_private
from ingest.sources.formats import DocumentFormat
from ingest.sources.local import list_local
from ingest.sources.packs import Packs
from ingest.sources.remembered import Remembered
from kb.errors import KbError, SourceError
from kb.store import Actor, Role, Store
from tests.api.command import failed, kb
from tests.api.knowledge import RECORDS, build_home

CANARY = "GhCanary99xyz1Q"
ROOT = Actor("console", "console", Role.ADMIN)


@pytest.fixture(autouse=True)
def as_usual() -> Iterator[None]:
    """What nearly every machine lets others read."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def open_to_others(home: Path) -> list[str]:
    """What group or others may do anything with, of a home and all below it."""
    found = [home, *home.rglob("*")]
    return [str(path) for path in found if not path.is_symlink() and path.lstat().st_mode & 0o077]


def test_a_new_home_is_closed(tmp_path: Path) -> None:
    assert kb("keys", "list", home=tmp_path / "home").returncode == 0
    assert open_to_others(tmp_path / "home") == []


def loosen(home: Path) -> Path:
    """A home as older versions made them."""
    for path in (home, *home.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return home


def old_home(place: Path) -> Path:
    build_home(place, RECORDS[:2])
    (place / "lake/packs/a/b").mkdir(parents=True)
    (place / "lake/packs/a/b/data").write_text("raw")
    with Store.open(place / "store.db"):
        return loosen(place)


def test_an_older_home_is_closed_when_it_is_opened(tmp_path: Path) -> None:
    home = old_home(tmp_path / "home")
    keep_private(home)
    assert open_to_others(home) == []


def test_a_store_of_an_older_home_is_closed_when_it_is_opened(tmp_path: Path) -> None:
    home = old_home(tmp_path / "home")
    with Store.open(home / "store.db"):
        assert {path.name: stat.S_IMODE(path.stat().st_mode) for path in home.glob("store.db*")} == dict.fromkeys(
            ("store.db", "store.db-wal", "store.db-shm", "store.db.lock"), 0o600
        )  # fmt: skip


def test_a_home_that_comes_back_is_closed(tmp_path: Path) -> None:
    write(HomeSettings(home=old_home(tmp_path / "old")), tmp_path / "kb.tar")
    read(HomeSettings(home=tmp_path / "new"), tmp_path / "kb.tar", actor=ROOT)
    assert open_to_others(tmp_path / "new") == []


def test_a_folder_with_other_things_in_it_is_left_as_it_is(tmp_path: Path) -> None:
    """KB_HOME=/tmp, say: closing it would lock everybody out."""
    (tmp_path / "somebody's").write_text("x")
    tmp_path.chmod(0o755)
    keep_private(tmp_path)
    assert tmp_path.stat().st_mode & 0o777 == 0o755
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    (shared / "lake").mkdir()
    keep_private(shared)
    assert shared.stat().st_mode & 0o7777 == 0o1777


def issue(number: int) -> dict[str, object]:
    body = (
        f"It fails with java.lang.IllegalStateException: no token\n\tat com.acme.Shop.buy(Shop.java:{number})\n"
        f"token={CANARY}\n\nFix: set the token anew, then start the service again."
    )
    return {"number": number, "title": f"Shop {number} fails without a token", "body": body, "state": "closed"}


def listed(source: Path, packs: Packs) -> dict[str, str]:
    rows = list_local([source], DocumentFormat.AUTO, packs, Remembered()).documents
    packs.fill(rows["location"])
    return {row["path"]: os.fsdecode(row["location"]) for row in rows.to_pylist()}


def test_what_was_removed_from_a_pack_is_cut_out_again(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "issues.json").write_text(json.dumps([issue(1), issue(2)]))
    first = Packs(tmp_path / "packs")
    places = listed(source, first)
    (place,) = set(places.values())
    before = Path(place).read_bytes()
    first.empty()
    assert not Path(place).exists()
    assert listed(source, Packs(tmp_path / "packs")) == places
    assert Path(place).read_bytes() == before


def test_a_file_that_changes_between_listing_and_cutting_is_told(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "issues.json").write_text(json.dumps([issue(1), issue(2)]))
    packs = Packs(tmp_path / "packs")
    rows = list_local([source], DocumentFormat.AUTO, packs, Remembered()).documents
    packs.empty()
    (source / "issues.json").write_text(json.dumps([issue(2), issue(3)]))
    with pytest.raises(SourceError, match="changed while it was read"):
        packs.fill(rows["location"])


def test_a_home_that_cannot_be_written_to_says_so(tmp_path: Path) -> None:
    """A folder in place of each file that is written: root may write anywhere else."""
    home = tmp_path / "home"
    (home / "store.db").mkdir(parents=True)
    with pytest.raises(KbError, match=r"store\.db"):
        Store.open(home / "store.db")
    (home / "lake/.lock").mkdir(parents=True)
    assert "make KB_HOME writable" in failed(kb("ingest", str(tmp_path), home=home))


UNPRIVILEGED = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search"]
"""Root may write anywhere, unless it gives up what lets it."""


def test_doctor_names_a_home_that_cannot_be_written_to(tmp_path: Path) -> None:
    """Also where only reading it would need a file beside the store: SQLite's own words are about a database."""
    home = tmp_path / "home"
    home.mkdir()
    Store.open(home / "store.db").close()
    for path in (*home.iterdir(), home):
        path.chmod(path.stat().st_mode & 0o555)
    command = [
        *(UNPRIVILEGED if os.getuid() == 0 else []),
        str(Path(sys.executable).with_name("kb")),
        "doctor",
        "--json",
    ]
    ended = subprocess.run(command, env=os.environ | {"KB_HOME": str(home)}, capture_output=True, check=False)
    found = {one["name"]: one for one in json.loads(ended.stdout)}
    assert ended.returncode == 1
    assert found["disk"] == {
        "name": "disk",
        "ok": False,
        "finding": f"{home} cannot be written to",
        "cure": "make it writable, or set KB_HOME to another folder",
    }
    assert "cannot be written to" in found["store"]["finding"]
    assert found["store"]["cure"].startswith("make its folder writable")
