"""Files that an earlier report has read, so that a night's run reads what came since, and a file that changed is counted once.

Each run notes the local files that it read, with size and time of change, in ``files.json``. A file that changed is read again with all
other files of the report it was in, and the new report replaces that one. What is new gets a report of its own.
"""

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from index.triage_reports import REPLACED, ReportError, TriageReports, is_run
from ingest.triage.crashes import CrashFiles

FILES = "files.json"
KEPT = 7
"""Replaced reports that are kept, those put aside last: a week of nights. The service reads one to tell what it has told already."""
State = tuple[int, int]
"""Size in bytes, and nanoseconds of the last change."""


@dataclass(frozen=True, slots=True)
class NightlyPlan:
    """What one report is to be made of."""

    files: CrashFiles
    replaces: tuple[str, ...] = ()
    """Reports that its own one takes the place of."""
    doubled: tuple[str, ...] = ()
    """Changed files whose earlier report stays, because another of its files is gone: their crashes count in both."""


def states(files: CrashFiles) -> dict[str, State]:
    """Return the state of each local file that is there."""
    found = {}
    for name in files.local:
        try:
            state = Path(name).stat()
        except OSError:
            continue
        found[name] = state.st_size, state.st_mtime_ns
    return found


def note_files(folder: Path, read: Mapping[str, State]) -> None:
    """Write down what a run read; ``read``: the states from before it read them."""
    (folder / FILES).write_text(
        json.dumps(read, indent=0, ensure_ascii=False), encoding="utf-8", errors="surrogateescape"
    )


def since_last(files: CrashFiles, folder: Path) -> list[NightlyPlan]:
    """Return what is to be read, a report each: the files of an earlier report that holds one which changed since, and last the new ones.

    So the report of a file that still grows is made again alone, and what came since is not drawn into it. Reports with a file in common
    are replaced by one.
    """
    now = states(files)
    read = {path.parent.name: _noted(path) for path in sorted(folder.glob(f"2*/{FILES}"))}
    last = {name: state for noted in read.values() for name, state in noted.items()}  # the last report has the say
    changed = {name for name, state in now.items() if last.get(name, state) != state}
    doubled: set[str] = set()
    again: list[tuple[set[str], list[str]]] = []
    """Files, and the reports that have read them."""
    for run, noted in read.items():
        if not changed & noted.keys():
            continue
        if not all(Path(name).is_file() for name in noted):
            doubled |= changed & noted.keys()
            continue
        names, runs = set(noted), [run]
        for one in [one for one in again if names & one[0]]:
            again.remove(one)
            names, runs = names | one[0], one[1] + runs
        again.append((names, runs))
    fresh = (changed | (now.keys() - last.keys())).difference(*(names for names, _ in again))
    parts = [*again, (fresh, [])] if fresh else again
    return [
        NightlyPlan(replace(files, local=sorted(names)), tuple(sorted(runs)), tuple(sorted(doubled & names)))
        for names, runs in parts
    ]


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


def _noted(path: Path) -> dict[str, State]:
    try:
        noted = json.loads(path.read_text(encoding="utf-8", errors="surrogateescape"))
        return {str(name): (int(size), int(changed)) for name, (size, changed) in noted.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
