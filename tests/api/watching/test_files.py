"""Logs as programs really write and rotate them: every line comes once, in order, none is lost."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from api.watching.logs import FollowLimits, LogFollower
from kb.errors import SourceError


class Reader:
    """What a following gives, collected."""

    def __init__(self, *names: str, from_start: bool = False, **limits: Any) -> None:
        self.told: list[str] = []
        self.ended: list[str] = []
        self.by_log: dict[int, str] = {}
        self.following = LogFollower(
            names, from_start=from_start, tell=self.told.append, limits=FollowLimits(look=0.0, **limits)
        )

    def read(self) -> str:
        """What came with one look."""
        new = ""
        for piece in self.following.read():
            new += piece.data.decode()
            self.by_log[piece.log] = self.by_log.get(piece.log, "") + piece.data.decode()
            if piece.ended:
                self.ended.append(piece.name)
        return new


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "app.log"
    path.write_text("old\n")
    return path


def append(path: Path, text: str) -> None:
    with path.open("a") as out:
        out.write(text)


def test_what_is_added_comes_once(log: Path) -> None:
    reader = Reader(str(log))
    assert reader.read() == ""
    append(log, "a\n")
    append(log, "b")
    assert reader.read() == "a\nb"
    assert reader.read() == ""


def test_from_the_start(log: Path) -> None:
    assert Reader(str(log), from_start=True).read() == "old\n"


def test_a_file_that_is_not_there_yet_is_read_from_its_start(tmp_path: Path) -> None:
    reader = Reader(str(tmp_path / "late.log"))
    assert reader.read() == ""
    assert len(reader.told) == 1
    assert "is not there yet" in reader.told[0]
    append(tmp_path / "late.log", "a\n")
    assert (reader.read(), reader.read()) == ("", "a\n")


def test_a_file_that_appears_late_is_read_whole(tmp_path: Path) -> None:
    log = tmp_path / "late.log"
    following = LogFollower([str(log)], from_start=False, tell=lambda _: append(log, "first\n"))
    assert [piece.data for piece in following.read()] == [b"first\n"]


def test_a_removed_file_is_heard_as_long_as_nothing_else_has_its_name(log: Path) -> None:
    reader = Reader(str(log), grace=0.0)
    with log.open("a") as writer:
        log.unlink()
        for _ in range(3):
            reader.read()
        writer.write("late\n")
        writer.flush()
        assert reader.read() == "late\n"


def rename(log: Path) -> None:
    log.rename(log.with_suffix(".1"))


def remove(log: Path) -> None:
    log.unlink()


def copy_and_truncate(log: Path) -> None:
    log.with_suffix(".1").write_text(log.read_text())
    os.truncate(log, 0)


@pytest.mark.parametrize("rotate", [rename, remove, copy_and_truncate])
@pytest.mark.parametrize("is_pattern", [False, True])
def test_rotation(log: Path, rotate: Callable[[Path], None], *, is_pattern: bool) -> None:
    """Whatever was written before and after, and under which name the old file goes on."""
    reader = Reader(str(log.parent / "app.*"), grace=0.0) if is_pattern else Reader(str(log), grace=0.0)
    append(log, "before\n")
    assert reader.read() == "before\n"
    rotate(log)
    reader.read()
    append(log, "after one\n")
    assert (
        "".join(reader.read() for _ in range(4)) == "after one\n"
        if rotate is not copy_and_truncate or not is_pattern
        else True
    )
    append(log, "after two\n")
    assert "after two\n" in "".join(reader.read() for _ in range(4))
    assert "".join(reader.by_log.values()).count("after one") == 1
    if rotate is not copy_and_truncate:  # whose copy matches the pattern and is a new file
        assert "".join(reader.by_log.values()).count("before") == 1


def test_a_writer_that_still_has_the_renamed_file_open_is_heard(log: Path) -> None:
    reader = Reader(str(log))
    with log.open("a") as writer:
        rename(log)
        log.write_text("new\n")
        assert [reader.read(), reader.read()] == ["", "new\n"]
        writer.write("late\n")
        writer.flush()
        assert reader.read() == "late\n"
    assert len(reader.by_log) == 2


def test_emptied_and_grown_past_the_place_between_two_looks(log: Path) -> None:
    """Longer than before: only its words tell that it is another text."""
    reader = Reader(str(log))
    append(log, "x" * 300 + "\n")
    reader.read()
    os.truncate(log, 0)
    append(log, "y" * 900 + "\n")
    assert "".join(reader.read() for _ in range(3)) == "y" * 900 + "\n"
    assert reader.ended == [str(log)]


def test_a_removed_file_that_is_made_anew_much_later(log: Path) -> None:
    reader = Reader(str(log), grace=0.0)
    log.unlink()
    for _ in range(3):
        reader.read()
    log.write_text("again\n")
    assert "".join(reader.read() for _ in range(3)) == "again\n"


def test_new_files_are_read_from_the_start_and_old_ones_from_the_end(tmp_path: Path) -> None:
    append(tmp_path / "a.log", "old\n")
    reader = Reader(str(tmp_path / "*.log"))
    append(tmp_path / "b.log", "new\n")
    append(tmp_path / "a.log", "more\n")
    assert sorted("".join(reader.read() for _ in range(2)).split()) == ["more", "new"]


def test_files_of_a_pattern_that_are_gone_are_let_go_of(tmp_path: Path) -> None:
    reader = Reader(str(tmp_path / "*.log"), grace=0.0)
    before = len(list(Path("/proc/self/fd").iterdir()))
    for n in range(30):
        path = tmp_path / f"{n}.log"
        append(path, f"{n}\n")
        reader.read()
        path.unlink()
        for _ in range(3):
            reader.read()
    assert len(list(Path("/proc/self/fd").iterdir())) <= before + 1
    assert "".join(reader.by_log.values()).split() == [str(n) for n in range(30)]


def test_more_files_than_are_followed_are_told(tmp_path: Path) -> None:
    for n in range(5):
        append(tmp_path / f"{n}.log", "x\n")
    reader = Reader(str(tmp_path / "*.log"), from_start=True, files=3)
    assert reader.read() == "x\n" * 3
    assert ["only the first 3" in line for line in reader.told] == [True, True]


def test_a_name_with_brackets_is_a_name_when_there_is_such_a_file(tmp_path: Path) -> None:
    append(tmp_path / "app[1].log", "x\n")
    assert Reader(str(tmp_path / "app[1].log"), from_start=True).read() == "x\n"


@pytest.mark.parametrize(("name", "said"), [(".", "is a folder"), ("app.log/x", "cannot be read")])
def test_an_unreadable_file_is_reported_at_once(log: Path, name: str, said: str) -> None:
    with pytest.raises(SourceError, match=said):
        Reader(str(log.parent / name))


def test_pipes_are_read_until_they_end(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    thread = threading.Thread(target=lambda: (tmp_path / "pipe").write_text("a\nb\n"))
    thread.start()
    reader = Reader(str(tmp_path / "pipe"))
    thread.join()
    text = ""
    while not reader.following.has_ended:
        reader.following.wait(0.1)
        text += reader.read()
    assert text == "a\nb\n"


def test_much_at_once_comes_in_pieces(log: Path) -> None:
    append(log, "x" * 5_000)
    reader = Reader(str(log), from_start=True, piece=1_000, read=300)
    assert [len(reader.read()) for _ in range(6)] == [1_200, 1_200, 1_200, 1_200, 204, 0]


def test_a_writer_and_logrotate_at_work(tmp_path: Path) -> None:
    """10,000 numbered lines of a real writer, its log renamed under it again and again: each comes once, in order."""
    log = tmp_path / "app.log"
    script = (
        f'import os, sys\nfor n in range(10_000):\n    with open({str(log)!r}, "a") as out:\n        out.write(f"{{n}}\\n")\n'
        f"    if n % 1_500 == 1_499:\n        os.rename({str(log)!r}, f'{log}.{{n}}')\n"
    )
    reader = Reader(str(log))
    with subprocess.Popen([sys.executable, "-c", script]) as writer:
        text = ""
        while writer.poll() is None:
            text += reader.read()
            reader.following.wait(0.002)
        text += "".join(reader.read() for _ in range(3))
    assert sorted(map(int, text.split())) == list(range(10_000))
    for one in reader.by_log.values():
        numbers = list(map(int, one.split()))
        assert numbers == sorted(numbers)
