"""A backup is whole whatever goes on meanwhile, comes back in either database, and overwrites nothing unasked."""

import fcntl
import json
import shutil
import tarfile
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from api.archive.contents import BackupError
from api.archive.reading import read, unpack
from api.archive.writing import write
from index import Engine
from index.settings import HomeSettings
from index.storage.restoring import RestoreError
from kb.incident import Status
from kb.store import Actor, Author, Refused, Role, Stale, Store
from kb.store import dump as dumps
from kb.store.model import Feedback, Vote
from tests.api.command import failed, kb
from tests.api.knowledge import KAFKA_TRACE, RECORDS, build_home
from tests.databases import Server
from tests.kb.store.told import incident

ANN = Actor("u:ann", "Ann 安", Role.REVIEWER)
ROOT = Actor("console", "console", Role.ADMIN)


def fill(store: Store) -> None:
    """Something in every room."""
    first = store.incidents.create(incident("a", "死锁 \0 \ud800", "Basket"), actor=ANN, status=Status.PUBLISHED)
    store.incidents.revise(
        incident("a", "Deadlock", "Basket"), expected=first.number, actor=ANN, status=Status.PUBLISHED
    )
    store.incidents.create(incident("b", "Empty", "Shop"), actor=ANN, status=Status.PUBLISHED)
    store.redirects.merge("b", "a", expected={"a": 2, "b": 1}, actor=ANN)
    store.reviews.assign("a", [Author("u:1", "One")], actor=ANN)
    asked = store.reviews.comment("a", 1, "why?", actor=ANN)
    store.reviews.comment("a", 1, "because", actor=ANN, answers=asked.number)
    store.feedback.add(Feedback("a", Vote.YES, {"exact": ("d1",)}, 0.7500000000000001, "0123"), actor=ANN)
    store.keys.create("ci", Role.CURATOR, actor=ANN)
    store.messages.take("slack", "1", "question", {"text": "boom"}, datetime(2026, 1, 1, tzinfo=UTC))


def rows(store: Store, folder: Path) -> dict[str, list[str]]:
    """Every row of a store, but its count and what a restore adds to the log."""
    folder.mkdir()
    dumped = dumps.dump(store._database.url.render_as_string(hide_password=False), folder)
    assert dumped is not None
    found = {path.stem: path.read_text().splitlines() for path in folder.iterdir()}
    del found["sequence"]
    found["audit"] = [line for line in found["audit"] if "store.restore" not in line]
    return found


@pytest.fixture
def elsewhere(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str | None]:
    """A place for a second store in each of the databases."""
    server: Server = request.getfixturevalue("postgresql")
    return {"sqlite": f"sqlite:///{tmp_path}/elsewhere.db", "postgresql": server.new_database()}


@pytest.mark.parametrize("into", ["sqlite", "postgresql"])
def test_a_store_comes_back_whole_in_either_database(
    store: Store, tmp_path: Path, elsewhere: dict[str, str], into: str
) -> None:
    fill(store)
    url = store._database.url.render_as_string(hide_password=False)
    write(HomeSettings(home=tmp_path / "none", database_url=url), tmp_path / "kb.tar")
    settings = HomeSettings(home=tmp_path / "new", database_url=elsewhere[into])
    read(settings, actor=ROOT, file=tmp_path / "kb.tar")
    with Store.open(elsewhere[into]) as other:
        assert rows(other, tmp_path / "theirs") == rows(store, tmp_path / "ours")
        assert other.head().sequence == store.head().sequence + 1
        assert other.origin() == store.head()
        assert other.head().store_id != store.head().store_id, "who followed the one begins anew"
        assert [change.incident_id for change in other.changes(0)] == [
            change.incident_id for change in store.changes(0)
        ]
        fill_on = other.reviews.comment("a", 1, "afterwards", actor=ANN)
        assert fill_on.number == 3, "counting goes on"
        other.incidents.create(incident("c"), actor=ANN)
        with pytest.raises(sa.exc.DBAPIError, match="append-only"), other._database.engine.begin() as connection:
            connection.execute(sa.text("DELETE FROM revisions"))


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_store_with_something_in_it_is_only_replaced_when_told(
    store: Store, tmp_path: Path, *, overwrite: bool
) -> None:
    """And who follows it goes on with what came back, without opening it again."""
    url = store._database.url.render_as_string(hide_password=False)
    settings = HomeSettings(home=tmp_path / "none", database_url=url)
    fill(store)
    before = rows(store, tmp_path / "before")
    write(settings, tmp_path / "kb.tar")
    store.incidents.create(incident("late"), actor=ANN, status=Status.PUBLISHED)
    head, known_as = store.head().sequence, store.head().store_id
    if overwrite:
        read(settings, actor=ROOT, file=tmp_path / "kb.tar", overwrite=True)
        assert rows(store, tmp_path / "after") == before
        assert store.head().sequence == head  # what came late is gone, and the restore is a change
        assert store.head().store_id != known_as
        (line,) = [one for one in store.audit.listing() if one.action == "store.restore"]
        assert (line.actor, line.sequence) == (ROOT, head)
    else:
        with pytest.raises(Refused, match="holds"):
            read(settings, actor=ROOT, file=tmp_path / "kb.tar")
        assert (store.head().sequence, store.head().store_id) == (head, known_as)


def test_no_number_is_given_out_again(store: Store, tmp_path: Path) -> None:
    """Whoever saves on top of what is gone is told so, also after a second restore of the same backup."""
    url = store._database.url.render_as_string(hide_password=False)
    settings = HomeSettings(home=tmp_path / "none", database_url=url)
    fill(store)
    write(settings, tmp_path / "kb.tar")
    given: list[int] = []
    for words in ("lost", "lost again", "kept"):
        seen = store.incidents.current("a").number
        written = store.incidents.revise(incident("a", words), expected=seen, actor=ANN)
        made = store.incidents.create(incident("new", words), actor=ANN)
        given += [written.number, made.number]
        if words != "kept":
            read(settings, actor=ROOT, file=tmp_path / "kb.tar", overwrite=True)
            with pytest.raises(Stale):
                store.incidents.revise(incident("a", "blind"), expected=written.number, actor=ANN)
    assert given[:2] == [4, 1]
    assert given[2] > 400_000, "minutes since the beginning of 2026, where nobody knows what was given out"
    assert len(set(given[::2])) == len(set(given[1::2])) == 3
    ids = ["a", "new"]
    assert [store.incidents.current(one).shown.title for one in ids] == ["kept", "kept"]


def test_a_restore_keeps_revocations_and_ends_sessions(store: Store, tmp_path: Path) -> None:
    url = store._database.url.render_as_string(hide_password=False)
    settings = HomeSettings(home=tmp_path / "none", database_url=url)
    (before, _), (since, secret), (good, works) = (store.keys.create(name, Role.ADMIN, actor=ANN) for name in "abc")
    store.keys.revoke(before.id, actor=ANN)
    session = store.sessions.begin(ANN, datetime.now(UTC) + timedelta(hours=1))
    write(settings, tmp_path / "kb.tar")
    store.keys.revoke(since.id, actor=ANN)
    _, late = store.keys.create("late", Role.ADMIN, actor=ANN)
    assert store.sessions.find(session) is not None
    loaded = read(settings, actor=ROOT, file=tmp_path / "kb.tar", overwrite=True).loaded
    assert loaded == dumps.Loaded(revoked=1)
    assert (store.keys.find(secret), store.keys.find(late), store.sessions.find(session)) == (None, None, None)
    found = store.keys.find(works)
    assert found is not None
    assert found.id == good.id


@pytest.fixture
def settings(tmp_path: Path) -> HomeSettings:
    """A home with a snapshot, a lake, rules and a store."""
    home = tmp_path / "home"
    build_home(home, RECORDS[:3])
    (home / "rules").mkdir()
    (home / "rules" / "noise.txt").write_text("# none\n")
    generation(home, 1)
    with Store.open(home / "store.db") as store:
        fill(store)
    return HomeSettings(home=home)


def generation(home: Path, number: int) -> None:
    """A lake as a run leaves it: files of its own, then the pointer, then the former ones are gone."""
    lake = home / "lake"
    for name in (f"documents/{number:06d}.parquet", f"runs/r{number}/part.parquet", "packs/p/x"):
        (lake / name).parent.mkdir(parents=True, exist_ok=True)
        (lake / name).write_text(f"{number} " * 1000)
    (lake / ".part").write_text(json.dumps({"generation": number}))
    (lake / ".part").replace(lake / "manifest.json")
    (lake / f"documents/{number - 1:06d}.parquet").unlink(missing_ok=True)
    shutil.rmtree(lake / f"runs/r{number - 1}", ignore_errors=True)


def test_a_home_comes_back_and_answers(settings: HomeSettings, tmp_path: Path) -> None:
    contents = write(settings, tmp_path / "kb.tar")
    assert (tmp_path / "kb.tar").stat().st_mode & 0o777 == 0o600
    assert {name.partition("/")[0] for name in contents.files} == {"lake", "snapshots", "rules", "store"}
    assert not [name for name in contents.files if name.startswith(("lake/packs", "lake/."))]
    new = HomeSettings(home=tmp_path / "new")
    read(new, actor=ROOT, file=tmp_path / "kb.tar")
    for name in contents.files:
        if not name.startswith("store/"):
            assert (new.home / name).read_bytes() == (settings.home / name).read_bytes()
    assert not list(new.home.glob(".restore-*"))
    engine = Engine.open(new.home)
    try:
        assert engine.search(KAFKA_TRACE).matches[0].incident.id == "kafka-commit-rebalanced"
        assert engine.incident("a") is not None, "the store's incidents are searched with it"
    finally:
        engine.close()


def test_a_home_with_something_in_it_is_only_replaced_when_told(settings: HomeSettings, tmp_path: Path) -> None:
    write(settings, tmp_path / "kb.tar")
    other = build_home(settings.home, RECORDS[:2])
    generation(settings.home, 2)
    with pytest.raises(BackupError, match="already holds lake, rules, snapshots, CURRENT"):
        read(settings, actor=ROOT, file=tmp_path / "kb.tar")
    assert (settings.home / "CURRENT").read_text().strip() == other.id
    contents = read(settings, actor=ROOT, file=tmp_path / "kb.tar", overwrite=True).contents
    assert (settings.home / "CURRENT").read_text().strip() == contents.snapshot_id
    assert json.loads((settings.home / "lake/manifest.json").read_text()) == {"generation": 1}
    assert not (settings.home / "lake/documents/000002.parquet").exists()
    assert other.path.exists(), "other snapshots stay, to be rolled back to"


def test_a_backup_under_load_is_consistent(settings: HomeSettings, tmp_path: Path) -> None:
    """Runs replace the lake, curators write, without a pause: of each backup lake and store are those of one moment."""
    stop = threading.Event()

    def ingest() -> None:
        number = 2
        while not stop.wait(0.05):
            generation(settings.home, number)
            number += 1

    def write_up() -> None:
        with Store.open(settings.store) as store:
            number = 0
            while not stop.is_set():
                with store.transaction():  # two at once: never one without the other
                    store.incidents.create(incident(f"x{number}"), actor=ANN)
                    store.incidents.create(incident(f"y{number}"), actor=ANN)
                number += 1

    threads = [threading.Thread(target=work) for work in (ingest, write_up)]
    for thread in threads:
        thread.start()
    try:
        seen = set()
        for number in range(5):
            contents = write(settings, tmp_path / f"{number}.tar")
            folder = tmp_path / f"unpacked{number}"
            unpack(tmp_path / f"{number}.tar", folder)
            generation_now = json.loads((folder / "lake/manifest.json").read_text())["generation"]
            assert (folder / f"lake/documents/{generation_now:06d}.parquet").exists()
            assert (folder / f"lake/runs/r{generation_now}/part.parquet").exists()
            ids = [json.loads(line)[0] for line in (folder / "store/incidents.jsonl").read_text().splitlines()[1:]]
            assert {one[1:] for one in ids if one[0] == "x"} == {one[1:] for one in ids if one[0] == "y"}
            assert contents.store is not None
            assert contents.store.rows["incidents"] == len(ids)
            seen.add((generation_now, len(ids)))
        assert len(seen) > 1, "nothing went on meanwhile"
    finally:
        stop.set()
        for thread in threads:
            thread.join()


@pytest.mark.parametrize("damage", ["cut short", "a byte", "no tar", "a newer format", "out of the folder"])
def test_a_damaged_backup_changes_nothing(settings: HomeSettings, tmp_path: Path, damage: str) -> None:
    file = tmp_path / "kb.tar"
    write(settings, file)
    data = file.read_bytes()
    match damage:
        case "cut short":
            file.write_bytes(data[: len(data) // 2])
        case "a byte":
            at = data.index(b"1 1 1 1 ") + 100
            file.write_bytes(data[:at] + b"x" + data[at + 1 :])
        case "no tar":
            file.write_text("hello")
        case "a newer format":
            file.write_bytes(data.replace(b'"format": 1', b'"format": 9'))
        case _:
            with tarfile.open(file, "w") as archive:
                (tmp_path / "backup.json").write_text(
                    json.dumps(
                        {
                            "format": 1,
                            "made": "",
                            "snapshot_id": None,
                            "store": None,
                            "program": "",
                            "files": {"../escaped": [5, "x"]},
                        }
                    )
                )
                archive.add(tmp_path / "backup.json", "backup.json")
                archive.add(tmp_path / "backup.json", "../escaped")
    with pytest.raises(BackupError):
        read(HomeSettings(home=tmp_path / "new"), actor=ROOT, file=file)
    assert list((tmp_path / "new").iterdir()) == []
    assert not (tmp_path / "escaped").exists()


def test_a_run_of_ingest_is_not_disturbed(settings: HomeSettings, tmp_path: Path) -> None:

    write(settings, tmp_path / "kb.tar")
    with (settings.home / "lake/.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(RestoreError, match="kb ingest"):
            read(settings, actor=ROOT, file=tmp_path / "kb.tar", overwrite=True)


def test_the_commands(settings: HomeSettings, tmp_path: Path) -> None:
    file = str(tmp_path / "kb.tar")
    told = json.loads(kb("backup", file, "--json", home=settings.home).stdout)
    assert told["snapshot_id"] == (settings.home / "CURRENT").read_text().strip()
    assert told["store"]["rows"]["incidents"] == 2
    assert "--overwrite" in failed(kb("restore", file, home=settings.home))
    assert kb("restore", file, home=tmp_path / "new").returncode == 0
    assert b"kafka-commit-rebalanced" in kb("search", "--json", home=tmp_path / "new", paste=KAFKA_TRACE).stdout
    assert "cannot be written" in failed(kb("backup", "/nonexistent/kb.tar", home=settings.home))
    assert list(tmp_path.glob(".*part")) == []
