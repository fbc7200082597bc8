"""Files that an earlier report has read, so that a night's run reads what came since, and a file that changed is counted once.

Each run notes the files and URLs that it read, with what tells whether one has changed (`FileState`), in ``files.json``. A file that changed is read again with all
other files of the report it was in, and the new report replaces that one. What is new gets a report of its own.
"""

import fcntl
import json
import os
import re
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import astuple, dataclass, replace
from pathlib import Path

from index.triage_reports import FOLDER, REPLACED, ReportError, TriageReports, is_run
from ingest.triage.crashes import CrashFiles
from ingest.triage.fetching import FETCHED
from ingest.triage.file_states import FileState, Rotation, is_packed_from, name_of

FILES = "files.json"
_HEAD = re.compile(r"[1-9]\d{1,3}:[0-9a-f]{64}")
KEPT = 7
"""Replaced reports that are kept, those put aside last: a week of nights. The service reads one to tell what it has told already."""
Noted = Mapping[str, Mapping[str, FileState]]
"""What each run has read."""


@dataclass(frozen=True, slots=True)
class NightlyPlan:
    """What one report is to be made of."""

    files: CrashFiles
    replaces: tuple[str, ...] = ()
    """Reports that its own one takes the place of."""
    doubled: tuple[str, ...] = ()
    """Changed files whose earlier report stays, because another of its files is gone, or a URL not given: their crashes count in both."""


@contextmanager
def tidied(home: Path) -> Iterator[bool]:
    """Hold the folder of reports while a run writes there; give whether no other run holds it. What killed runs left there is removed then.

    The lock ends with the process, however it ends. Where there is no home, the run says so.
    """
    if not home.is_dir():
        yield True
        return
    folder = home / FOLDER
    folder.mkdir(exist_ok=True)
    with (folder / ".lock").open("a", encoding="ascii") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            is_alone = False
        else:
            is_alone = True
            for left in (*folder.glob(f"{FETCHED}*"), *folder.glob(fresh_folder(folder / "2*").name)):
                shutil.rmtree(left, ignore_errors=True)
        fcntl.flock(lock, fcntl.LOCK_SH)
        yield is_alone


def fresh_folder(folder: Path) -> Path:
    """Return where a report is written until it is whole."""
    return folder.with_name(f".{folder.name}.new")


def note_files(folder: Path, read: Mapping[str, FileState]) -> None:
    """Write down what a run read; ``read``: the states from before it read them."""
    noted = {name: astuple(state) if any(astuple(state)[2:]) else astuple(state)[:2] for name, state in read.items()}
    (folder / FILES).write_text(
        json.dumps(noted, indent=0, ensure_ascii=False), encoding="utf-8", errors="surrogateescape"
    )


def noted_files(folder: Path) -> Noted:
    """Return what the reports of a folder have read, by the names of their runs, the oldest first."""
    return {path.parent.name: _noted(path) for path in sorted(folder.glob(f"2*/{FILES}"))}


def last_states(noted: Noted) -> dict[str, FileState]:
    """Return the state in which each file was read last."""
    return {name: state for read in noted.values() for name, state in read.items()}


def since_last(files: CrashFiles, noted: Noted, now: Mapping[str, FileState]) -> list[NightlyPlan]:
    """Return what is to be read, a report each: the files of an earlier report that holds one which changed since, and last the new ones.

    So the report of a file that still grows is made again alone, and what came since is not drawn into it. Reports with a file in common
    are replaced by one. ``now``: the states of files and URLs, by `name_of`; a URL that is not among them counts as gone.
    Rotated files are those that they were.
    """
    noted = _followed(noted, now)
    last = last_states(noted)
    changed = {name for name, state in now.items() if last.get(name, state) != state}
    doubled: set[str] = set()
    again: list[tuple[set[str], list[str]]] = []
    """Files, and the reports that have read them."""
    for run, read in noted.items():
        if not changed & read.keys():
            continue
        if not all(name in now or Path(name).is_file() for name in read):
            doubled |= changed & read.keys()
            continue
        names, runs = set(read), [run]
        for one in [one for one in again if names & one[0]]:
            again.remove(one)
            names, runs = names | one[0], one[1] + runs
        again.append((names, runs))
    fresh = (changed | (now.keys() - last.keys())).difference(*(names for names, _ in again))
    parts = [*again, (fresh, [])] if fresh else again
    urls = {name_of(url) for url in files.remote}
    plans = []
    for n, (names, runs) in enumerate(parts, 1):
        urls_of = [url for url in files.remote if name_of(url) in names]
        refused = files.refused if n == len(parts) else []  # they count once
        part = replace(files, local=sorted(names - urls), remote=urls_of, refused=refused)
        plans.append(NightlyPlan(part, tuple(sorted(runs)), tuple(sorted(doubled & names))))
    return plans


def _followed(noted: Noted, now: Mapping[str, FileState]) -> Noted:
    """Return the notes with rotated files under the names that they have now, in the state of now where one was packed and did not grow.

    A file that is nowhere, and whose name another one has now or had in a later run, was rotated away: it counts as gone.
    """
    rotation, last = Rotation(now), last_states(noted)
    places: dict[tuple[str, str], str] = {}
    """Names of today of the files that are not under their own; none where there is no other."""
    for run, read in noted.items():
        begun = Counter(state.head for state in read.values())
        for name, state in read.items():
            if state.head and not rotation.is_same(name, state):
                places[run, name] = (rotation.name_of(name, state) or "") if begun[state.head] == 1 else ""
    held = set(places.values())

    def today(run: str, name: str, state: FileState) -> tuple[str, FileState]:
        place = places.get((run, name), name)
        if not place:
            is_away = name in held or last[name].head != state.head
            return f"{name} as of {run}" if is_away else name, state
        return place, now[place] if place != name and is_packed_from(place, state.size) else state

    return {run: dict(today(run, *one) for one in read.items()) for run, read in noted.items()}


def put_aside(home: Path) -> None:
    """Move replaced reports away, also those that a run which was cut off has left in their place, and remove all but `KEPT`."""
    reports = TriageReports(home)
    for run in reports.runs():
        try:
            replaced = reports.summary(run).replaces
        except ReportError:
            continue
        for name in replaced:
            place = reports.folder / name
            if is_run(name) and place.is_dir():
                (reports.folder / REPLACED).mkdir(exist_ok=True)
                shutil.move(place, reports.folder / REPLACED / name)
                os.utime(reports.folder / REPLACED / name)
    aside = [place for place in reports.folder.glob(f"{REPLACED}/2*") if is_run(place.name)]
    for place in sorted(aside, key=lambda one: (one.stat().st_mtime_ns, one.name))[:-KEPT]:
        shutil.rmtree(place, ignore_errors=True)


def _noted(path: Path) -> dict[str, FileState]:
    try:
        noted = json.loads(path.read_text(encoding="utf-8", errors="surrogateescape"))
        return {str(name): _state(*values) for name, values in noted.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def _state(size: object, changed: object, etag: object = "", modified: object = "", head: object = "") -> FileState:
    if not (isinstance(size, int) and isinstance(changed, int | str)):
        raise TypeError("no state of a file")
    return FileState(size, changed, str(etag), str(modified), str(head) if _HEAD.fullmatch(str(head)) else "")
