"""A rotated log is the file that it was: it is read again where it grew, and nothing else is."""

import gzip
import os
import shutil
from pathlib import Path

import pytest

from index.triage_reports import FOLDER
from ingest.triage.crashes import find_files
from ingest.triage.file_states import local_states
from ingest.triage.incremental import followed, note_files, noted_files, since_last

LINE = "2026-11-{day:02} 02:00:{second:02} ERROR worker-{second} lost its lease on shard {second}\n"


def grown(log: Path, day: int, lines: int = 10) -> None:
    with log.open("a") as file:
        file.writelines(LINE.format(day=day, second=second) for second in range(lines))


def rotated(folder: Path, *, packed: bool = True, keep: int = 5) -> None:
    """What logrotate does at night with ``compress`` and ``delaycompress``: times of change stay."""
    for number in range(keep, 0, -1):
        for ending in ("", ".gz"):
            old = folder / f"app.log.{number}{ending}"
            if not old.exists():
                continue
            if number == keep:
                old.unlink()
            elif number == 1 and packed:
                (folder / "app.log.2.gz").write_bytes(gzip.compress(old.read_bytes()))
                os.utime(folder / "app.log.2.gz", ns=(old.stat().st_atime_ns, old.stat().st_mtime_ns))
                old.unlink()
            else:
                old.rename(folder / f"app.log.{number + 1}{ending}")
    (folder / "app.log").rename(folder / "app.log.1")


class Nights:
    """A home, and a folder of logs that is read each night."""

    def __init__(self, place: Path) -> None:
        self.logs, self.reports = place / "logs", place / FOLDER
        self.logs.mkdir()
        self.log = self.logs / "app.log"
        self._count = 0

    def night(self) -> list[tuple[list[str], int]]:
        """Read what is new, as `kb triage --since-last` does; return the files of each report, and how many it replaces."""
        files = find_files([str(self.logs)])
        now = local_states(files)
        plans = since_last(files, followed(noted_files(self.reports), now), now)
        for plan in plans:
            for name in plan.replaces:
                shutil.rmtree(self.reports / name)
            self._count += 1
            folder = self.reports / f"20261101T020000Z-{self._count:04}"
            folder.mkdir(parents=True)
            note_files(folder, local_states(plan.files))
        return [([Path(name).name for name in one.files.local], len(one.replaces)) for one in plans]


@pytest.fixture
def nights(tmp_path: Path) -> Nights:
    return Nights(tmp_path)


@pytest.mark.parametrize("packed", [True, False])
def test_a_week_of_a_rotated_log(nights: Nights, *, packed: bool) -> None:
    """Read at two, rotated at six: each day is read once, and once more for the hours behind two."""
    grown(nights.log, 1)
    assert nights.night() == [(["app.log"], 0)]
    for day in range(2, 8):
        grown(nights.log, day, 3)
        rotated(nights.logs, packed=packed)
        grown(nights.log, day)
        assert nights.night() == [(["app.log.1"], 1), (["app.log"], 0)], day
        assert nights.night() == []


@pytest.mark.parametrize("packed", [True, False])
def test_a_log_that_is_rotated_right_before_the_night_is_read_once(nights: Nights, *, packed: bool) -> None:
    for day in range(1, 8):
        grown(nights.log, day)
        rotated(nights.logs, packed=packed)
        assert nights.night() == [(["app.log.1"], 0)], day
        assert nights.night() == []


def test_a_log_that_grew_before_it_was_packed_is_read_again(nights: Nights) -> None:
    grown(nights.log, 1)
    assert nights.night() == [(["app.log"], 0)]
    grown(nights.log, 1, 2)
    (nights.logs / "app.log.1.gz").write_bytes(gzip.compress(nights.log.read_bytes()))
    nights.log.unlink()
    assert nights.night() == [(["app.log.1.gz"], 1)]
    assert nights.night() == []


def test_two_files_that_begin_alike_are_no_rotation(nights: Nights) -> None:
    """A day that is written anew takes the place of what it was; copies of the old one are files of their own."""
    grown(nights.log, 1)
    assert nights.night() == [(["app.log"], 0)]
    for name in ("copy-a.log", "copy-b.log"):
        shutil.copy(nights.log, nights.logs / name)
    nights.log.unlink()
    grown(nights.log, 2)
    assert nights.night() == [(["app.log"], 1), (["copy-a.log", "copy-b.log"], 0)]


def test_a_short_beginning_tells_nothing(nights: Nights) -> None:
    nights.log.write_text("started\n")
    assert nights.night() == [(["app.log"], 0)]
    nights.log.rename(nights.logs / "other.log")
    assert nights.night() == [(["other.log"], 0)]


def test_a_log_that_is_written_anew_replaces_its_report(nights: Nights) -> None:
    grown(nights.log, 1)
    assert nights.night() == [(["app.log"], 0)]
    nights.log.unlink()
    grown(nights.log, 2)
    assert nights.night() == [(["app.log"], 1)]


def test_a_packed_file_that_is_none_is_no_rotation(nights: Nights) -> None:
    grown(nights.log, 1)
    assert nights.night() == [(["app.log"], 0)]
    nights.log.rename(nights.logs / "app.log.1.gz")  # not packed, whatever its name says
    assert nights.night() == [(["app.log.1.gz"], 0)]


@pytest.mark.parametrize(
    ("name", "is_lines"),
    [
        ("crashes.jsonl", True),
        ("crashes.jsonl.1", True),
        ("crashes.jsonl.12.gz", True),
        ("crashes.jsonl-20261130.gz", True),
        ("crashes.ndjson.2026-11-30", True),
        ("crashes.json5", False),
        ("app.log.1", False),
        ("app-20261130", False),
    ],
)
def test_the_number_of_a_rotated_file_hides_no_kind(tmp_path: Path, name: str, *, is_lines: bool) -> None:
    (tmp_path / name).write_text("{}\n")
    found = find_files([str(tmp_path)])
    assert [len(found.lines), len(found.logs)] == ([1, 0] if is_lines else [0, 1])
