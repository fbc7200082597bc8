"""A snapshot that is damaged is refused with a cure, or answers as before: at the command line, in the service, and under its feet."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import ServiceSettings
from index import Engine
from index.storage.snapshot import current, note_of, sealed, verify
from kb.errors import KbError, SnapshotError
from tests.api.command import kb
from tests.api.knowledge import KAFKA_TRACE, RECORDS, build_home


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("whole") / "home"
    build_home(home, RECORDS)
    return home


@pytest.fixture
def home(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "home"))


def files(home: Path) -> list[Path]:
    info = current(home)
    return [info.path / name for name in ("manifest.json", *sorted(info.manifest.files))]


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    at = len(data) // 2
    data[at : at + 8] = bytes(byte ^ 0x55 for byte in data[at : at + 8])
    path.write_bytes(data)


def halve(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "eight bytes of it": flip,
    "cut in half": halve,
    "emptied": lambda path: os.truncate(path, 0),
    "longer": lambda path: path.write_bytes(path.read_bytes() + b"\0" * 4096),
    "gone": Path.unlink,
    "a folder": lambda path: (path.unlink(), path.mkdir()),
    "somebody else's": lambda path: path.write_bytes(b"\x93NUMPY\x01\x00garbage"),
}


def answer(home: Path) -> dict[str, object]:
    """What is answered, where the files are taken for whole: that is asked first, since the model takes its time to load."""
    sealed(current(home))
    engine = Engine.open(home)
    try:
        found = engine.search(KAFKA_TRACE)
        return {match.incident.id: match.probability for match in found.matches}
    finally:
        engine.close()


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_refused_or_changes_nothing(home: Path, damage: str) -> None:
    """Every file of it, one after the other, with the note of what was whole and without."""
    before = answer(home)
    note = note_of(current(home).path)
    for number, path in enumerate(files(home)):
        if not path.stat().st_size:
            continue
        kept = path.with_name(f"{path.name}.kept")
        shutil.copy2(path, kept)
        DAMAGES[damage](path)
        if number % 2 and path.name != "manifest.json":
            note.unlink(missing_ok=True)
        try:
            assert answer(home) == before, path.name
        except KbError as error:
            assert error.cure, path.name  # noqa: PT017 - either is right
        if path.is_dir():
            path.rmdir()
        kept.replace(path)


def test_a_damaged_byte_is_found_at_opening_and_named(home: Path) -> None:
    for path in files(home)[1:]:
        if path.stat().st_size:
            data = path.read_bytes()
            flip(path)
            with pytest.raises(SnapshotError, match=f"{path.name} is not what was written"):
                sealed(current(home))
            path.write_bytes(data)


def test_what_was_found_whole_is_not_read_again(home: Path) -> None:
    """The price of an opening: files that nobody has touched are not opened to sum them up."""
    sealed(current(home))
    note = note_of(current(home).path)
    before = note.stat().st_mtime_ns, note.read_bytes()
    sealed(current(home))
    assert (note.stat().st_mtime_ns, note.read_bytes()) == before
    os.utime(files(home)[1])
    sealed(current(home))
    assert note.stat().st_mtime_ns != before[0]


def test_a_disk_that_forgets_without_a_word_is_a_sentence(home: Path) -> None:
    """The note says all is well, and the file is garbage."""
    info = current(home)
    sealed(info)
    (path,) = [one for one in files(home) if one.name == "fingerprints.npy"]
    flip_head = bytearray(path.read_bytes())
    flip_head[:6] = b"\0" * 6
    path.write_bytes(flip_head)
    told = json.loads(note_of(info.path).read_text())
    status = path.stat()
    told["fingerprints.npy"] = [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]
    note_of(info.path).write_text(json.dumps(told))
    with pytest.raises(SnapshotError, match=r"fingerprints\.npy is not what was written"):
        Engine.open(home)


def test_the_command_says_so(home: Path) -> None:
    flip(next(path for path in files(home) if path.name == "terms.values"))
    ended = kb("search", "-", home=home, paste=KAFKA_TRACE)
    assert ended.returncode == 1
    (line,) = ended.stderr.decode().splitlines()
    assert "terms.values is not what was written" in line
    assert "Cure:" in line


@pytest.mark.parametrize("damage", ["cut in half", "eight bytes of it", "emptied"])
def test_a_service_under_whose_feet_a_file_is_written_to_says_so(home: Path, damage: str) -> None:
    """documents.arrow is read, not mapped: a search meets what became of it at once, and a look each second finds all others."""
    settings = ServiceSettings(home=home, poll_seconds=0.05)
    path = next(one for one in files(home) if one.name == "documents.arrow")
    kept = path.read_bytes()
    with TestClient(create_app(settings), base_url="http://localhost") as client:
        asked = {"text": KAFKA_TRACE}
        assert client.post("/v1/search", json=asked).status_code == 200
        DAMAGES[damage](path)
        for _ in range(200):
            answered = client.post("/v1/search", json=asked)
            assert answered.status_code in {200, 503}, answered.text
            ready = client.get("/readyz")
            if ready.status_code == 503:
                break
        assert ready.status_code == 503
        assert "documents.arrow" in ready.text
        answered = client.post("/v1/search", json=asked)
        assert answered.status_code == 503
        assert client.get("/healthz").status_code == 200
    path.write_bytes(kept)
    assert verify(current(home).path)
