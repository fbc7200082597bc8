"""A restore is whole or it is not, wherever it is killed; and nothing that a backup says of itself is believed."""

import itertools
import json
import shutil
import tarfile
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from api.archive.contents import MEMBER, BackupError
from api.archive.reading import read, unpack
from api.archive.writing import write
from api.server.live import LiveEngine
from index.settings import HomeSettings
from index.storage.restoring import FOLDER, Journal, RestoreError, finish, staging
from index.storage.snapshot import current, verify
from kb.errors import KbError
from kb.incident import Status
from kb.store import Actor, Role, Store
from kb.store import dump as dumps
from tests.api.command import failed, kb
from tests.api.forked import start
from tests.api.knowledge import RECORDS, build_home
from tests.kb.store.told import incident

ROOT = Actor("console", "console", Role.ADMIN)


def home_of(name: str, home: Path, count: int) -> Path:
    """A home in which everything is of one name: store, lake, rules and snapshot."""
    build_home(home, RECORDS[:count])
    for part in ("rules/noise.txt", "lake/manifest.json", f"lake/documents/{name}.parquet"):
        (home / part).parent.mkdir(parents=True, exist_ok=True)
        (home / part).write_text(json.dumps({"of": name}) if part.endswith("json") else f"# {name}\n")
    with Store.open(home / "store.db") as store:
        store.incidents.create(incident(name), actor=ROOT, status=Status.PUBLISHED)
    return home


def parts_of(home: Path) -> dict[str, str]:
    """Whose each part of a home is, by what is in it."""
    with Store.open(home / "store.db") as store:
        stored = ",".join(store.published())
    info = verify(current(home).path)
    return {
        "store": stored,
        "lake": json.loads((home / "lake/manifest.json").read_text())["of"],
        "documents": ",".join(path.stem for path in (home / "lake/documents").iterdir()),
        "rules": (home / "rules/noise.txt").read_text().strip("# \n"),
        "snapshot": {2: "former", 3: "backed-up"}[info.manifest.counts["incidents"]],
    }


FORMER, BACKED_UP = (
    dict.fromkeys(("store", "lake", "documents", "rules", "snapshot"), name) for name in ("former", "backed-up")
)


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A backup, and another home to restore it into."""
    folder = tmp_path_factory.mktemp("homes")
    write(HomeSettings(home=home_of("backed-up", folder / "backed-up", 3)), folder / "kb.tar")
    return folder / "kb.tar", home_of("former", folder / "former", 2)


def killed_at(step: int, file: Path, home: Path) -> bool:
    """Whether `kb restore` was killed at that step, and did not end before."""
    with Path(home.parent, "said").open("wb") as said, Path("/dev/null").open("rb") as nothing:
        files = (nothing.fileno(), said.fileno(), said.fileno())
        arguments = (str(step), "restore", str(file), "--overwrite")
        program = start(*arguments, module="tests.security.dying", env={"KB_HOME": str(home)}, files=files)
        code = program.wait(60)
    assert code in {-9, 0}, Path(home.parent, "said").read_text()
    return code != 0


def ended(homes: tuple[Path, Path], place: Path, steps: Iterator[int]) -> list[tuple[int, bool]]:
    """Step by step, whether the home was the backup's in the end. Each home is held to be of one piece."""
    file, former = homes
    found: list[tuple[int, bool]] = []
    for step in steps:
        home = place / str(step)
        shutil.copytree(former, home)
        is_killed = killed_at(step, file, home)
        finish(home)
        parts = parts_of(home)
        assert parts in (FORMER, BACKED_UP), f"killed at step {step}"
        assert not (home / FOLDER).exists()
        found.append((step, parts == BACKED_UP))
        shutil.rmtree(home)
        if not is_killed:
            break
    return found


def hold(found: list[tuple[int, bool]]) -> None:
    """It was killed on both sides of the decision, which is taken once."""
    assert [done for _, done in found] == sorted(done for _, done in found)
    assert {done for _, done in found} == {False, True}


@pytest.mark.slow
def test_a_restore_that_is_killed_leaves_one_home_or_the_other(homes: tuple[Path, Path], tmp_path: Path) -> None:
    hold(ended(homes, tmp_path, itertools.count(7, 16)))


@pytest.mark.bench
def test_a_restore_that_is_killed_at_each_step_leaves_one_home_or_the_other(
    homes: tuple[Path, Path], tmp_path: Path
) -> None:
    hold(ended(homes, tmp_path, itertools.count(1)))


def _sum(told: dict[str, Any]) -> Any:
    return next(iter(told["files"].values()))


WRONG: dict[str, Callable[[dict[str, Any]], object]] = {
    "snapshot elsewhere": lambda told: told.update(snapshot_id="/elsewhere/victim"),
    "snapshot above": lambda told: told.update(snapshot_id="../../victim"),
    "snapshot is a folder of the home": lambda told: told.update(snapshot_id="../lake"),
    "snapshot of capitals": lambda told: told.update(snapshot_id=str(told["snapshot_id"]).upper() + "A"),
    "snapshot with an end of line": lambda told: told.update(snapshot_id=f"{told['snapshot_id']}\n"),
    "snapshot that is not in it": lambda told: told.update(snapshot_id="0123456789abcdef"),
    "no snapshot, though there is one": lambda told: told.update(snapshot_id=None),
    "snapshot is a number": lambda told: told.update(snapshot_id=1234567890123456),
    "time with commands for a terminal": lambda told: told.update(made="\x1b[2J2026-01-01T00:00:00Z"),
    "program of many words": lambda told: told.update(program="rm -rf /"),
    "format of another kind": lambda told: told.update(format=[1]),
    "a format of the future": lambda told: told.update(format=2),
    "changes without end": lambda told: told["store"].update(head=10**30),
    "changes below nothing": lambda told: told["store"].update(head=-1),
    "changes of a fraction": lambda told: told["store"].update(head=1.5),
    "more changes than there are": lambda told: told["store"].update(head=told["store"]["head"] + 5),
    "more rows than there are": lambda told: told["store"]["rows"].update(incidents=7),
    "fewer rows than none": lambda told: told["store"]["rows"].update(incidents=-1),
    "rows of a table with a path": lambda told: told["store"]["rows"].update({"../incidents": 1}),
    "a migration that nobody knows": lambda told: told["store"].update(version="9999"),
    "a store without a version": lambda told: told["store"].pop("version"),
    "a store that is a list": lambda told: told.update(store=[1]),
    "files that are a list": lambda told: told.update(files=[]),
    "a sum of another kind": lambda told: _sum(told).__setitem__(1, "md5"),
    "a sum that is wrong": lambda told: _sum(told).__setitem__(1, "0" * 64),
    "a size below nothing": lambda told: _sum(told).__setitem__(0, -1),
    "a size beyond everything": lambda told: _sum(told).__setitem__(0, 10**40),
    **{
        f"a file called {name!r}": lambda told, name=name: told["files"].update({name: _sum(told)})
        for name in (
            *("../x", "/x", "lake/../../x", "lake//x", "lake/./x", "lake/", "lake", "store.db", "CURRENT", ""),
            *(".restore/journal.json", "snapshots/../../x", "lake/\0", "\\\\x\\y", "snapshots/0123456789abcdef/x"),
        )
    },
}
"""What a backup may say of itself without being believed: every row was a good backup but for that."""


def tampered(file: Path, to: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    """The backup with another description; every sum is right, unless it is what is changed."""
    with tarfile.open(file) as old, tarfile.open(to, "w") as new:
        for member in old:
            source = old.extractfile(member)
            assert source is not None
            if member.name == MEMBER:
                told = json.loads(source.read())
                change(told)
                source = BytesIO(json.dumps(told).encode())
                member.size = len(source.getvalue())
            new.addfile(member, source)
    return to


def everything(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, but what SQLite and the locks of a look at them leave."""
    paths = (path for path in folder.rglob("*") if path.is_file() and not path.name.endswith((".lock", "-wal", "-shm")))
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_backup_that_was_tampered_with_is_refused_and_touches_nothing(
    homes: tuple[Path, Path], tmp_path: Path, wrong: str
) -> None:
    file, former = homes
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "theirs.txt").write_text("theirs")
    place = tmp_path / "home"
    shutil.copytree(former, place)
    bad = tampered(file, tmp_path / "bad.tar", WRONG[wrong])
    if wrong == "snapshot elsewhere":
        bad = tampered(file, tmp_path / "bad.tar", lambda told: told.update(snapshot_id=str(victim)))
    before = everything(tmp_path)
    with pytest.raises(KbError):
        read(HomeSettings(home=place), bad, actor=ROOT, overwrite=True)
    assert everything(tmp_path) == before


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE])
@pytest.mark.parametrize("which", [MEMBER, "lake/manifest.json"])
def test_a_member_that_is_no_file_is_refused(homes: tuple[Path, Path], tmp_path: Path, kind: bytes, which: str) -> None:
    """A link in a tar is read as what it points to: it could make one member two."""
    with tarfile.open(homes[0]) as old, tarfile.open(tmp_path / "bad.tar", "w") as new:
        for member in old:
            if member.name == which:
                odd = tarfile.TarInfo(which)
                odd.type, odd.linkname = kind, "rules/noise.txt"
                new.addfile(odd)
                continue
            new.addfile(member, old.extractfile(member))
    with pytest.raises(BackupError):
        read(HomeSettings(home=tmp_path / "home"), tmp_path / "bad.tar", actor=ROOT)
    assert list((tmp_path / "home").iterdir()) == []


def test_the_command_says_what_is_wrong_and_no_traceback(homes: tuple[Path, Path], tmp_path: Path) -> None:
    bad = tampered(homes[0], tmp_path / "bad.tar", WRONG["snapshot above"])
    said = failed(kb("restore", str(bad), home=tmp_path / "home"))
    assert "snapshot_id" in said
    assert "Cure:" in said


def cut_off(file: Path, home: Path, *, decided: bool) -> None:
    """Leave a home as a restore does that is killed before its folders are moved: with the store of the backup, or before that."""
    place = home / "store.db"
    with staging(home) as staged:
        contents = unpack(file, staged.new)
        assert contents.store is not None
        staged.begin(Journal(contents.snapshot_id, ("lake", "rules"), "store.db", "f" * 16))
        if decided:
            told = {"actor": ROOT, "overwrite": True, "store_id": "f" * 16}
            dumps.load(place, staged.new / "store", contents.store, **told)


def _refresh(home: Path, _file: Path) -> None:
    live = LiveEngine(home)
    assert live.refresh(), live.problem
    live.close()


DOORS: dict[str, Callable[[Path, Path], object]] = {
    "the service": _refresh,
    "kb search": lambda home, _: kb("search", "-", home=home, paste="boom"),
    "kb ingest": lambda home, _: kb("ingest", str(home / "nowhere"), home=home),
    "kb backup": lambda home, _: kb("backup", str(home.parent / "another.tar"), home=home),
    "kb restore": lambda home, file: kb("restore", str(file), home=home),
}
"""Who ends what was cut off. The restore is refused: it was not told to overwrite."""


@pytest.mark.parametrize(("door", "decided"), [*((door, True) for door in DOORS), ("the service", False)])
def test_who_opens_the_home_next_ends_what_was_cut_off(
    homes: tuple[Path, Path], tmp_path: Path, door: str, *, decided: bool
) -> None:
    file, former = homes
    home = tmp_path / "home"
    shutil.copytree(former, home)
    cut_off(file, home, decided=decided)
    DOORS[door](home, file)
    assert parts_of(home) == (BACKED_UP if decided else FORMER)
    assert not (home / FOLDER).exists()


def test_what_another_store_decided_waits_for_that_store(homes: tuple[Path, Path], tmp_path: Path) -> None:
    file, former = homes
    home = tmp_path / "home"
    shutil.copytree(former, home)
    cut_off(file, home, decided=True)
    assert "cut off" in kb("doctor", home=home).stdout.decode()
    with pytest.raises(RestoreError, match="KB_DATABASE_URL"):
        finish(home, f"sqlite:///{tmp_path}/another.db")
    assert finish(home)
    assert parts_of(home) == BACKED_UP


def test_one_restore_works_at_a_time_and_nobody_ends_it_for_it(homes: tuple[Path, Path], tmp_path: Path) -> None:
    file, former = homes
    home = tmp_path / "home"
    shutil.copytree(former, home)
    with staging(home):
        with pytest.raises(RestoreError, match="another `kb restore`"):
            read(HomeSettings(home=home), file, actor=ROOT, overwrite=True)
        assert not finish(home)
        assert "kb restore" in failed(kb("ingest", str(tmp_path), home=home))
    assert parts_of(home) == FORMER
