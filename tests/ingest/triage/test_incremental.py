"""Night after night: what an earlier report has read is not read again, and a day that changed is counted once."""

import json
import os
import shutil
from pathlib import Path

import pytest

from index.triage_reports import FOLDER, REPLACED, TriageReport, TriageReports, as_json
from ingest.triage.crashes import find_files
from ingest.triage.file_states import local_states
from ingest.triage.incremental import KEPT, note_files, noted_files, put_aside, since_last, tidied
from kb.errors import SourceError
from tests.ingest.triage.test_triage import LEDGER, PYTHON, crash, crashes, home, of, run, triaged, written

__all__ = ["home"]
RUNS = ("20261126T020000Z-0001", "20261127T020000Z-0002", "20261128T020000Z-0003")


@pytest.fixture
def days(tmp_path: Path) -> Path:
    folder = tmp_path / "crashes"
    folder.mkdir()
    for name in ("1.jsonl", "2.jsonl", "3.jsonl"):
        (folder / name).write_text("{}\n")
    return folder


def noted(place: Path, run_name: str, *names: str, days: Path) -> None:
    folder = place / FOLDER / run_name
    folder.mkdir(parents=True)
    every = local_states(find_files([str(days)]))
    note_files(folder, {name: state for name, state in every.items() if Path(name).name in names})
    (folder / "summary.json").write_text(as_json(TriageReport(run_name, [], "s").summary()))


def touched(path: Path) -> None:
    path.write_text("{}\n{}\n")


Planned = tuple[list[str], tuple[str, ...], list[str]]


def planned(days: Path, place: Path) -> list[Planned]:
    files = find_files([str(days)])
    plans = since_last(files, noted_files(place / FOLDER), local_states(files))
    return [
        ([Path(name).name for name in one.files.local], one.replaces, [Path(name).name for name in one.doubled])
        for one in plans
    ]


def test_what_no_report_has_read_is_read(days: Path, tmp_path: Path) -> None:
    assert planned(days, tmp_path) == [(["1.jsonl", "2.jsonl", "3.jsonl"], (), [])]
    noted(tmp_path, RUNS[0], "1.jsonl", "2.jsonl", days=days)
    assert planned(days, tmp_path) == [(["3.jsonl"], (), [])]
    noted(tmp_path, RUNS[1], "3.jsonl", days=days)
    assert planned(days, tmp_path) == []


def test_three_nights_of_a_newest_file_that_grows(days: Path, tmp_path: Path) -> None:
    """A night reads what grew since, and what came: never the days before."""
    for name in ("2.jsonl", "3.jsonl"):
        (days / name).unlink()
    noted(tmp_path, RUNS[0], "1.jsonl", days=days)
    touched(days / "1.jsonl")
    (days / "2.jsonl").write_text("{}\n")
    assert planned(days, tmp_path) == [(["1.jsonl"], (RUNS[0],), []), (["2.jsonl"], (), [])]
    shutil.rmtree(tmp_path / FOLDER / RUNS[0])
    noted(tmp_path, RUNS[1], "1.jsonl", days=days)
    noted(tmp_path, RUNS[2], "2.jsonl", days=days)
    touched(days / "2.jsonl")
    (days / "3.jsonl").write_text("{}\n")
    assert planned(days, tmp_path) == [(["2.jsonl"], (RUNS[2],), []), (["3.jsonl"], (), [])]


def test_reports_with_a_file_in_common_are_replaced_by_one(days: Path, tmp_path: Path) -> None:
    for run_name, names in zip(RUNS, (("1.jsonl",), ("2.jsonl",), ("1.jsonl", "2.jsonl")), strict=True):
        noted(tmp_path, run_name, *names, days=days)
    touched(days / "1.jsonl")
    touched(days / "2.jsonl")
    assert planned(days, tmp_path) == [(["1.jsonl", "2.jsonl"], RUNS, []), (["3.jsonl"], (), [])]


def test_a_file_that_changed_takes_its_report_along_and_no_other(days: Path, tmp_path: Path) -> None:
    noted(tmp_path, RUNS[0], "1.jsonl", "2.jsonl", days=days)
    noted(tmp_path, RUNS[1], "3.jsonl", days=days)
    touched(days / "2.jsonl")
    assert planned(days, tmp_path) == [(["1.jsonl", "2.jsonl"], (RUNS[0],), [])]
    assert planned(days / "2.jsonl", tmp_path) == [(["1.jsonl", "2.jsonl"], (RUNS[0],), [])], "the whole report, also of a part of its sources"  # fmt: skip


def test_a_file_that_was_only_touched_is_read_again(days: Path, tmp_path: Path) -> None:
    noted(tmp_path, RUNS[0], "1.jsonl", "2.jsonl", "3.jsonl", days=days)
    os.utime(days / "1.jsonl", ns=(0, 0))
    assert [replaces for _, replaces, _ in planned(days, tmp_path)] == [(RUNS[0],)]


def test_a_report_stays_when_it_could_not_be_made_again(days: Path, tmp_path: Path) -> None:
    noted(tmp_path, RUNS[0], "1.jsonl", "2.jsonl", "3.jsonl", days=days)
    touched(days / "2.jsonl")
    (days / "1.jsonl").unlink()
    assert planned(days, tmp_path) == [(["2.jsonl"], (), ["2.jsonl"])]
    noted(tmp_path, RUNS[1], "2.jsonl", days=days)
    (days / "2.jsonl").write_text("{}\n{}\n{}\n")
    assert planned(days, tmp_path) == [(["2.jsonl"], (RUNS[1],), ["2.jsonl"])]


def test_notes_that_are_damaged_are_no_notes(days: Path, tmp_path: Path) -> None:
    for name, text in zip(RUNS, ("[", '{"/a": 3}', "[1]"), strict=True):
        (tmp_path / FOLDER / name).mkdir(parents=True)
        (tmp_path / FOLDER / name / "files.json").write_text(text)
    assert planned(days, tmp_path) == [(["1.jsonl", "2.jsonl", "3.jsonl"], (), [])]


def test_a_name_that_is_no_utf8_is_known_again(days: Path, tmp_path: Path) -> None:
    Path(os.fsdecode(bytes(days) + b"/4\xff.jsonl")).write_text("{}\n")
    folder = tmp_path / FOLDER / RUNS[0]
    folder.mkdir(parents=True)
    note_files(folder, local_states(find_files([str(days)])))
    assert planned(days, tmp_path) == []


def test_a_run_that_was_cut_off_is_tidied_by_the_next(days: Path, tmp_path: Path) -> None:
    """It had published its report, and not yet moved the one that it replaces."""
    noted(tmp_path, RUNS[0], "1.jsonl", days=days)
    noted(tmp_path, RUNS[1], "1.jsonl", days=days)
    summary = TriageReport(RUNS[1], [], "s", replaces=[RUNS[0], "../crashes", ".."]).summary()
    (tmp_path / FOLDER / RUNS[1] / "summary.json").write_text(as_json(summary))
    put_aside(tmp_path)
    put_aside(tmp_path)
    assert days.is_dir()
    assert TriageReports(tmp_path).runs() == [RUNS[1]]
    assert [one.name for one in (tmp_path / FOLDER / REPLACED).iterdir()] == [RUNS[0]]


def test_what_killed_runs_left_is_removed_when_no_run_holds_the_home(tmp_path: Path) -> None:
    """Raw copies of crash reports are among it."""
    (tmp_path / FOLDER / RUNS[0]).mkdir(parents=True)
    left = [tmp_path / FOLDER / name for name in (".fetched-k2j3", f".{RUNS[1]}.new/copies")]
    for place in left:
        place.mkdir(parents=True)
        (place / "0.jsonl").write_text("{}\n")
    with tidied(tmp_path) as is_alone:
        assert is_alone
        assert sorted(one.name for one in (tmp_path / FOLDER).iterdir()) == [".lock", RUNS[0]]
        left[0].mkdir()
        with tidied(tmp_path) as is_still_alone:
            assert not is_still_alone
            assert left[0].is_dir(), "the other run works there"
    with tidied(tmp_path) as is_alone:
        assert is_alone
        assert not left[0].exists()


def test_a_home_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with tidied(tmp_path / "home"):
        assert not (tmp_path / "home").exists()


def test_a_file_given_twice_is_read_once(days: Path) -> None:
    os.link(days / "1.jsonl", days / "4.jsonl")
    (days / "5.jsonl").symlink_to(days / "2.jsonl")
    found = find_files([str(days / "2.jsonl"), str(days), str(days), "s3a://b/a.jsonl", "s3a://b/a.jsonl"])
    assert sorted(Path(name).name for name in found.local) == ["1.jsonl", "2.jsonl", "3.jsonl"]
    assert found.remote == ["s3a://b/a.jsonl"]
    assert found.refused == []


def test_what_is_refused_counts_in_one_report(days: Path, tmp_path: Path) -> None:
    noted(tmp_path, RUNS[0], "1.jsonl", days=days)
    touched(days / "1.jsonl")
    (days / "away.jsonl").symlink_to(tmp_path / "away.jsonl")
    (tmp_path / "away.jsonl").write_text("{}\n")
    files = find_files([str(days)])
    plans = since_last(files, noted_files(tmp_path / FOLDER), local_states(files))
    assert [[name for name, _ in one.files.refused] for one in plans] == [[], ["away.jsonl"]]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may open every file")
def test_a_file_that_becomes_readable_is_read(days: Path, tmp_path: Path) -> None:
    (days / "1.jsonl").chmod(0)
    noted(tmp_path, RUNS[0], "1.jsonl", "2.jsonl", "3.jsonl", days=days)
    assert planned(days, tmp_path) == []
    (days / "1.jsonl").chmod(0o600)
    assert [replaces for _, replaces, _ in planned(days, tmp_path)] == [(RUNS[0],)]


def test_a_week_of_replaced_reports_is_kept(days: Path, tmp_path: Path) -> None:
    """Those that were put aside last, whatever the night they are of."""
    runs = [f"20261101T020000Z-{number:04}" for number in range(KEPT + 4)]
    for run_name in runs:
        noted(tmp_path, run_name, "1.jsonl", days=days)
    for replaced in [*runs[3:-1], *runs[:3]]:
        summary = TriageReport(runs[-1], [], "s", replaces=[replaced]).summary()
        (tmp_path / FOLDER / runs[-1] / "summary.json").write_text(as_json(summary))
        put_aside(tmp_path)
    assert TriageReports(tmp_path).runs() == [runs[-1]]
    assert sorted(one.name for one in (tmp_path / FOLDER / REPLACED).iterdir()) == [*runs[:3], *runs[6:-1]]


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.usefixtures("home")
def test_a_night_of_which_no_file_can_be_read_has_a_report(tmp_path: Path) -> None:
    """Else every night would end there."""
    folder = tmp_path / "crashes"
    folder.mkdir()
    (folder / "1.jsonl.gz").write_text("{}\n")
    first = triaged(folder, "--since-last")
    assert (first["crashes"], first["unread"], first["unread_file_count"]) == (0, 1, 1)
    (note,) = first["unread_files"]
    assert note.startswith("1.jsonl.gz is not read to its end: ")
    assert run(folder, "--since-last", "--json").stdout == "null\n"
    output = tmp_path / "out"
    (tmp_path / ".out.new/copies").mkdir(parents=True)  # of a run that was killed
    written(folder / "2.jsonl", crashes()[:3])
    assert run(folder, "-o", output).exit_code == 0
    kept = json.loads((output / "report.json").read_text())
    assert (kept["crashes"], kept["unread_files"]) == (3, [note])
    assert output.stat().st_mode & 0o777 == 0o700
    with pytest.raises(SourceError, match=r"1\.jsonl\.gz is not read to its end"):
        run(folder / "1.jsonl.gz", "-o", tmp_path / "none")


@pytest.mark.spark
@pytest.mark.slow
def test_two_nights_and_a_day_that_came_again(home: Path, tmp_path: Path) -> None:
    rows, folder = crashes(), tmp_path / "crashes"
    folder.mkdir()
    written(folder / "monday.jsonl", [row for row in rows if "Refused" not in row["text"]])
    monday = triaged(folder, "--since-last")
    assert "nothing to read" in run(folder, "--since-last").stdout
    assert run(folder, "--since-last", "--json").stdout == "null\n"
    written(folder / "tuesday.jsonl", rows[:100])
    tuesday = triaged(folder, "--since-last")
    assert tuesday["crashes"] == 100
    assert {str(one["type"]): one["is_new"] for one in tuesday["unknown"]}["pay.card.Refused"] is True
    late = crash(PYTHON.format(line=40, card=7), 3)
    with (folder / "monday.jsonl").open("a") as file:
        file.write(json.dumps(late) + "\n")
    again = triaged(folder, "--since-last")
    assert (again["crashes"], again["replaces"]) == (monday["crashes"] + 1, [monday["run"]])
    assert of(again, "unknown") == {**of(monday, "unknown"), "pay.card.Refused": 1}
    assert {str(one["type"]): one["is_new"] for one in again["unknown"]}["pay.card.Refused"] is False, "tuesday had it"
    reports = TriageReports(home)
    assert reports.runs() == [again["run"], tuesday["run"]]
    assert reports.replaced(monday["run"]) is not None
    assert sum(reports.summary(name).crashes for name in reports.runs()) == 121 + 100
    with (folder / "monday.jsonl").open("a") as file:
        file.write(json.dumps(crash(LEDGER.replace("ledger.", "till.").replace("ledger 77", "till"), 4)) + "\n")
    written(folder / "wednesday.jsonl", rows[:50])
    (more, end) = json.JSONDecoder().raw_decode(out := run(folder, "--since-last", "--json").stdout)
    wednesday = json.loads(out[end:])
    assert (more["crashes"], more["replaces"]) == (again["crashes"] + 1, [again["run"]])
    assert (wednesday["crashes"], wednesday["replaces"]) == (50, [])
    assert [one["crashes"] for one in more["unknown"] if one["is_new"]] == [1], "the first night's are not new"
    assert reports.summary(more["run"]).new_groups == 1
    assert not any(one["is_new"] for one in wednesday["unknown"])
    with pytest.raises(SourceError, match="KB_HOME/triage"):
        run(folder, "--since-last", "-o", tmp_path / "out")
