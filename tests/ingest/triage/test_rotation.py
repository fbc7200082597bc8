"""A rotated log is the file that it was: it is read again where it grew, and nothing else is."""

import gzip
import json
import os
import shutil
import time
from itertools import count
from pathlib import Path

import pytest

from index.triage_reports import FOLDER
from ingest.triage.crashes import find_files
from ingest.triage.file_states import local_states
from ingest.triage.incremental import note_files, noted_files, since_last

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

    def __init__(self, place: Path, reports: Path | None = None, first: int = 1) -> None:
        self.logs, self.reports = place / "logs", reports or place / FOLDER
        self.logs.mkdir(parents=True)
        self.log = self.logs / "app.log"
        self._numbers = count(first)

    def night(self) -> list[tuple[list[str], int]]:
        """Read what is new, as `kb triage --since-last` does; return the files of each report, and how many it replaces."""
        files = find_files([str(self.logs)])
        now = local_states(files)
        plans = since_last(files, noted_files(self.reports), now)
        for plan in plans:
            for name in plan.replaces:
                shutil.rmtree(self.reports / name)
            folder = self.reports / f"20261101T020000Z-{next(self._numbers):04}"
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


def test_what_was_rotated_away_keeps_its_report(nights: Nights) -> None:
    """The first night reads all that is kept into one report; later ones take nothing out of it."""
    for day in range(1, 5):
        grown(nights.log, day)
        rotated(nights.logs, packed=False, keep=3)
    grown(nights.log, 5)
    assert nights.night() == [(["app.log", "app.log.1", "app.log.2", "app.log.3"], 0)]
    rotated(nights.logs, packed=False, keep=3)
    grown(nights.log, 6)
    assert nights.night() == [(["app.log"], 0)]
    assert nights.night() == []
    grown(nights.log, 6)
    rotated(nights.logs, packed=False, keep=3)
    assert nights.night() == [(["app.log.1"], 1)]
    assert len(list(nights.reports.iterdir())) == 2


def test_a_crash_like_one_that_is_not_read_now_is_another(tmp_path: Path) -> None:
    """Files of one crash each, without times: equal ones in another source, or under another name after the first was removed."""
    one = Nights(tmp_path / "a")
    other = Nights(tmp_path / "b", one.reports, first=100)
    for nights, name in ((one, "1.log"), (one, "2.log"), (other, "1.log")):
        (nights.logs / name).write_text(LINE.format(day=1, second=1) * 3 + name)
    (other.logs / "1.log").write_text((one.logs / "1.log").read_text())
    assert one.night() == [(["1.log", "2.log"], 0)]
    assert other.night() == [(["1.log"], 0)]
    assert one.night() == []
    (one.logs / "1.log").rename(one.logs / "core.1")
    assert one.night() == [(["core.1"], 0)]
    shutil.copyfile(one.logs / "core.1", one.logs / "core.2")
    (one.logs / "core.1").unlink()
    assert one.night() == [(["core.2"], 0)]


@pytest.mark.parametrize("head", ["abc:x", "::", "99999999999999999999:" + "0" * 64, "64:" + "g" * 64, 7, None])
def test_a_damaged_head_is_none(nights: Nights, head: object) -> None:
    grown(nights.log, 1)
    nights.night()
    (notes,) = nights.reports.glob("*/files.json")
    read = {name: [*values[:4], head] for name, values in json.loads(notes.read_text()).items()}
    notes.write_text(json.dumps(read))
    assert nights.night() == []
    rotated(nights.logs)
    assert nights.night() == [(["app.log.1"], 0)]


def test_many_files_with_one_beginning_are_compared_in_linear_time(nights: Nights) -> None:
    begin = LINE.format(day=1, second=1)
    for number in range(2_000):
        (nights.logs / f"{number}.crash").write_text(begin + "x" * number)
    nights.night()
    for number in range(2_000):
        (nights.logs / f"{number}.crash").rename(nights.logs / f"new-{number}.crash")
    started = time.process_time()
    assert [len(names) for names, _ in nights.night()] == [2_000]
    assert time.process_time() - started < 5


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
