"""A listing that remembers the one before says what a listing from nothing says, and opens only what has changed."""

import os
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from ingest.sources.formats import DocumentFormat
from ingest.sources.local import list_local
from ingest.sources.packs import Packs
from ingest.sources.remembered import Remembered
from tests.ingest.sources.test_archives import zipped

_WATCHED: list[tuple[Path, list[str]]] = []
"""The folder in which opened files are noted, and their names; empty while no test asks."""


def _audit(event: str, arguments: tuple[object, ...]) -> None:
    if event == "open" and _WATCHED and isinstance(arguments[0], str):
        folder, names = _WATCHED[-1]
        if Path(arguments[0]).is_relative_to(folder):
            names.append(Path(arguments[0]).name)


@cache
def _audited() -> None:
    """Have Python tell us of each file that it opens, once: a hook cannot be removed."""
    sys.addaudithook(_audit)


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[list[str]]:
    """The names of the files in the sources that this process opens from now on, whatever opens them."""
    _audited()
    names: list[str] = []
    _WATCHED.append((tmp_path / "source", names))
    yield names
    _WATCHED.pop()


def exact() -> Remembered:
    """The clock of the file system is taken to be exact: what changed a moment ago is remembered, too."""
    return Remembered(clock_tick=0)


def rows(source: Path, files: Remembered, *others: Path) -> list[dict[str, object]]:
    packs = Packs(source.parent / "packs")
    return list_local([source, *others], DocumentFormat.AUTO, packs, files).documents.sort_by("doc").to_pylist()


def rewritten(file: Path) -> None:
    """Other bytes, of the same length and with the former modification time, as `cp -p` leaves them."""
    before = file.stat()
    file.write_bytes(bytes(reversed(file.read_bytes())))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def replaced(file: Path) -> None:
    fresh = file.with_name("fresh")
    fresh.write_bytes(b"something else")
    fresh.replace(file)


@pytest.mark.parametrize(
    ("change", "looked_at"),
    [
        pytest.param(lambda _: None, [], id="nothing"),
        pytest.param(rewritten, ["a.md"], id="rewritten-under-the-old-time"),
        pytest.param(replaced, ["a.md"], id="replaced"),
        pytest.param(lambda file: file.rename(file.with_name("c.md")), ["c.md"], id="renamed"),
        pytest.param(lambda file: file.unlink(), [], id="removed"),
        pytest.param(lambda file: os.truncate(file, 17 << 20), ["a.md"], id="too-large-now"),
        pytest.param(lambda file: (file.unlink(), file.mkdir()), [], id="a-folder-now"),
        pytest.param(lambda file: (file.unlink(), os.mkfifo(file)), [], id="a-pipe-now"),
    ],
)
def test_only_what_has_changed_is_opened(
    tmp_path: Path, opened: list[str], change: Callable[[Path], object], looked_at: list[str]
):
    source, files = tmp_path / "source", exact()
    (source / "deep").mkdir(parents=True)
    for name, text in {"deep/a.md": "one text", "b.md": "another", "d.png": "x"}.items():
        (source / name).write_text(text)
    opened.clear()
    first = rows(source, files)
    assert sorted(opened) == ["a.md", "b.md"]
    for _ in range(2):
        opened.clear()
        assert rows(source, files) == first
        assert opened == []
    change(source / "deep" / "a.md")
    opened.clear()
    found = rows(source, files)
    assert opened == looked_at
    assert found == rows(source, Remembered())


def test_what_changed_just_now_is_opened_again(tmp_path: Path, opened: list[str]):
    source, files = tmp_path / "source", Remembered(clock_tick=60 * 10**9)
    source.mkdir()
    (source / "a.md").write_text("x")
    opened.clear()
    rows(source, files)
    rows(source, files)
    assert opened == ["a.md", "a.md"]


def test_one_file_in_two_sources_belongs_to_both(tmp_path: Path):
    source, files = tmp_path / "source", exact()
    (source / "deep").mkdir(parents=True)
    (source / "deep" / "a.md").write_text("x")
    first = rows(source, files, source / "deep")
    assert {(row["source"], row["path"]) for row in first} == {
        (str(source), "deep/a.md"),
        (str(source / "deep"), "a.md"),
    }
    assert rows(source, files, source / "deep") == first


def test_files_that_hold_many_documents_keep_them(tmp_path: Path):
    source, files = tmp_path / "source", exact()
    source.mkdir()
    (source / "a.zip").write_bytes(zipped({"x.md": b"one", "y.md": b"two"}))
    (source / "b.jsonl").write_bytes(b'{"a":1}\n{"b":2}\n')
    first = rows(source, files)
    assert len(first) == 4
    assert rows(source, files) == first


def test_what_is_gone_is_forgotten(tmp_path: Path):
    files = exact()
    file = tmp_path / "a.md"
    file.write_text("x")
    rows(tmp_path, files)
    aside = tmp_path.with_name("aside.md")
    file.rename(aside)
    rows(tmp_path, files)
    assert not files._now
