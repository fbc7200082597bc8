"""Synchronise a folder of write-ups with the store, either way, without overwriting anybody's changes.

Each file states the revision it was written from, and the store's history holds that revision. So no state is kept beside the files, and
a folder in git can be synchronised from any clone.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from api.incidents.files import (
    File,
    FilePosition,
    Writeup,
    as_saved,
    differs,
    name_of,
    places,
    read_folder,
    stamped,
    text_of_record,
    write_writeup,
)
from kb.client import Declined, Incidents
from kb.client.shapes import Incident
from kb.errors import KbError


class Action(StrEnum):
    """The outcome for one incident."""

    UNCHANGED = "unchanged"
    CREATED = "created"
    REVISED = "revised"
    WRITTEN = "written"
    """A file that was not there."""
    UPDATED = "updated"
    """A file that was."""
    RETIRED = "retired"
    FILE_CHANGED = "file changed"
    """Kept: to be imported."""
    STORE_CHANGED = "store changed"
    """File kept: to be exported."""
    ONLY_FILE = "only a file"
    NO_FILE = "no file"
    MERGED = "merged"
    CONFLICT = "conflict"
    INVALID = "invalid"


FAILURES = frozenset((Action.CONFLICT, Action.INVALID))
QUIET = frozenset((Action.UNCHANGED,))


@dataclass(frozen=True, slots=True)
class FileOutcome:
    """The outcome for one incident or file."""

    action: Action
    id: str | None = None
    file: Path | None = None
    revision: int | None = None
    """Of the store, when it was done."""
    detail: str = ""
    problems: tuple[FilePosition, ...] = ()
    sides: dict[str, Any] = field(default_factory=dict)
    """Of a conflict: ``base``, ``store`` and ``file``, each as a record (null where there is no such revision)."""

    def to_dict(self) -> dict[str, Any]:
        """Return it for ``--json``, without empty fields."""
        fields: dict[str, Any] = {
            "action": self.action.value,
            "id": self.id,
            "file": None if self.file is None else self.file.as_posix(),
            "revision": self.revision,
            "detail": self.detail,
            "problems": [{"line": one.line, "column": one.column, "problem": one.problem} for one in self.problems],
            "sides": self.sides,
        }
        return {key: value for key, value in fields.items() if value not in (None, "", [], {})}


def counts(outcomes: Sequence[FileOutcome]) -> dict[str, int]:
    """Count the outcomes by action, in the order of `Action`."""
    counted = Counter(one.action for one in outcomes)
    return {action.value: counted[action] for action in Action if counted[action]}


def failed(outcomes: Sequence[FileOutcome]) -> bool:
    """Whether something is left for a person to decide."""
    return any(one.action in FAILURES for one in outcomes)


class SyncState(StrEnum):
    """How an incident changed on both sides since the file was written."""

    SAME = "same"
    AGREED = "agreed"
    """They say the same; the file has another number or state."""
    FILE_CHANGED = "file changed"
    STORE_CHANGED = "store changed"
    CONFLICT = "conflict"
    """Both changed, or the file names a revision that there never was."""


def sync_state(base: int, current: int, *, from_current: bool, from_base: bool | None) -> SyncState:
    """``base`` is the file's revision, ``current`` the store's; the file differs ``from_current`` and ``from_base`` (None: no such)."""
    if not from_current:
        return SyncState.SAME if base == current else SyncState.AGREED
    if base == current:
        return SyncState.FILE_CHANGED
    return SyncState.STORE_CHANGED if from_base is False and base < current else SyncState.CONFLICT


_HELD = frozenset(("retired",))


@dataclass(frozen=True, slots=True)
class Sync:
    """A folder and a door."""

    incidents: Incidents
    folder: Path
    dry: bool = False
    """Change nothing, only report."""
    note: str = ""
    """Why, for the history."""
    wanted: dict[str, Any] = field(default_factory=dict)
    """Which incidents of the store: ``component``, ``status``, ``text``."""

    def export_folder(self, *, retired: bool = False) -> Iterator[FileOutcome]:
        """Write the store into files. A file with local changes is kept and reported."""
        files = read_folder(self.folder) if self.folder.exists() else []
        known = {file.writeup.id: file for file in files if file.writeup}
        seen: set[str] = set()
        for row in self.incidents.listed(place="store", **self.wanted):
            seen.add(row["id"])
            file = known.get(row["id"])
            if row["merged_into"]:
                if file:
                    yield self._merged(file, row["merged_into"])
            elif file:
                yield self._refresh(file, self.incidents.get(row["id"]))
            elif retired or row["status"] not in _HELD:
                yield self._new_file(self.incidents.get(row["id"]))
        yield from _refused(files)
        if not self.wanted:
            yield from (FileOutcome(Action.ONLY_FILE, name, known[name].path) for name in known if name not in seen)

    def import_folder(self, *, retire_missing: bool = False) -> Iterator[FileOutcome]:
        """Save the files. Changes in the store are not reverted; a change on both sides is a conflict."""
        files = read_folder(self.folder)
        known = {file.writeup.id for file in files if file.writeup}
        yield from _refused(files)
        for file in files:
            if file.writeup:
                yield self.import_file(file, file.writeup)
        if retire_missing and not known:
            raise KbError(
                f"there is no write-up in {self.folder}", cure="leave --retire-missing out, or name the folder"
            )
        for row in self.incidents.listed(place="store", **self.wanted):
            if row["id"] not in known and not row["merged_into"] and row["status"] not in _HELD:
                yield self._missing(row, retire=retire_missing)

    def import_file(self, file: File, writeup: Writeup) -> FileOutcome:
        """Save one file."""
        try:
            record = self.incidents.find(writeup.id)
            if record is None:
                return self._create(file, writeup)
            if record["id"] != writeup.id:
                return self._merged(file, record["id"])
            return self._take_over(file, writeup, record)
        except Declined as declined:
            return _declined(file, writeup, declined)

    def _take_over(self, file: File, writeup: Writeup, record: Any) -> FileOutcome:
        how = self._state(writeup, record)
        number = record["revision"]
        if how is SyncState.FILE_CHANGED:
            return self._revise(file, writeup, number)
        if how is SyncState.STORE_CHANGED:
            detail = (
                f"the store is at revision {number}, the file at {writeup.revision}; `kb incidents export` brings it"
            )
            return FileOutcome(Action.STORE_CHANGED, writeup.id, file.path, number, detail)
        if how is SyncState.CONFLICT:
            return self._conflict(file, writeup, record)
        if how is SyncState.AGREED:
            self._stamp(file, writeup, record)
        return FileOutcome(Action.UNCHANGED, writeup.id, file.path, number)

    def _refresh(self, file: File, record: Any) -> FileOutcome:
        writeup = file.writeup
        assert writeup is not None
        how = self._state(writeup, record)
        number = record["revision"]
        if how is SyncState.CONFLICT:
            return self._conflict(file, writeup, record)
        if how is SyncState.FILE_CHANGED:
            detail = "the file has changes of its own; `kb incidents import` saves them"
            return FileOutcome(Action.FILE_CHANGED, writeup.id, file.path, number, detail)
        if how is SyncState.STORE_CHANGED:
            self._write(file.path, text_of_record(record))
            return FileOutcome(Action.UPDATED, writeup.id, file.path, number)
        wrote = self._stamp(file, writeup, record)
        return FileOutcome(Action.UPDATED if wrote else Action.UNCHANGED, writeup.id, file.path, number)

    def _state(self, writeup: Writeup, record: Any) -> SyncState:
        number = record["revision"]
        from_current = differs(writeup, record)
        base = None
        if from_current and writeup.revision != number:
            base = self._incident_at_base(writeup)
        from_base = None if base is None else differs(writeup, base)
        return sync_state(writeup.revision, number, from_current=from_current, from_base=from_base)

    def _incident_at_base(self, writeup: Writeup) -> Incident | None:
        """Return the incident at the revision that a file was written from."""
        revision = self.incidents.revision(writeup.id, writeup.revision)
        return revision and revision["incident"]

    def _create(self, file: File, writeup: Writeup) -> FileOutcome:
        if self.dry:
            return FileOutcome(Action.CREATED, writeup.id, file.path)
        text = stamped(writeup.text, writeup.id, 1, writeup.status or "published")
        return self._saved(Action.CREATED, file, writeup, self.incidents.create(text, self.note))

    def _revise(self, file: File, writeup: Writeup, number: int) -> FileOutcome:
        if self.dry:
            return FileOutcome(Action.REVISED, writeup.id, file.path, number)
        saved = self.incidents.replace(writeup.id, writeup.text, number, self.note)
        return self._saved(Action.REVISED, file, writeup, saved)

    def _saved(self, action: Action, file: File, writeup: Writeup, saved: Any) -> FileOutcome:
        """Write the new revision into the file and return the outcome."""
        text = stamped(writeup.text, saved["id"], saved["revision"], saved["status"])
        if text != writeup.text:
            self._write(file.path, text)
        secrets = sum(one["count"] for one in saved["redactions"])
        details = [*saved["notes"]]
        if secrets:
            details.append(f"{secrets} secrets were not saved; take them out of the file too")
        return FileOutcome(action, saved["id"], file.path, saved["revision"], "; ".join(details))

    def _stamp(self, file: File, writeup: Writeup, record: Any) -> bool:
        text = stamped(writeup.text, writeup.id, record["revision"], record["status"])
        if text == writeup.text:
            return False
        self._write(file.path, text)
        return True

    def _new_file(self, record: Any) -> FileOutcome:
        path = self.folder / name_of(record["id"])
        if path.exists():
            return FileOutcome(Action.CONFLICT, record["id"], path, record["revision"], "another file has this name")
        self._write(path, text_of_record(record))
        return FileOutcome(Action.WRITTEN, record["id"], path, record["revision"])

    def _conflict(self, file: File, writeup: Writeup, record: Any) -> FileOutcome:
        base = self._incident_at_base(writeup)
        detail = (
            f"both changed since revision {writeup.revision}"
            if base
            else f"the store has no revision {writeup.revision}"
        )
        cure = f"put what is to hold into the file and `revision: {record['revision']}` into its head, then import it"
        sides = {"base": base, "store": record, "file": as_saved(writeup, record)}
        return FileOutcome(Action.CONFLICT, writeup.id, file.path, record["revision"], f"{detail}: {cure}", sides=sides)

    def _merged(self, file: File, into: str) -> FileOutcome:
        assert file.writeup is not None
        detail = f"it was merged into {into}; the file is not needed any more"
        return FileOutcome(Action.MERGED, file.writeup.id, file.path, detail=detail)

    def _missing(self, row: Any, *, retire: bool) -> FileOutcome:
        if not retire:
            return FileOutcome(Action.NO_FILE, row["id"], revision=row["revision"])
        if self.dry:
            return FileOutcome(Action.RETIRED, row["id"], revision=row["revision"])
        try:
            saved = self.incidents.move(row["id"], "retired", row["revision"], self.note or "its file was deleted")
        except Declined as declined:
            return FileOutcome(Action.CONFLICT, row["id"], revision=row["revision"], detail=declined.problem)
        return FileOutcome(Action.RETIRED, row["id"], revision=saved["revision"])

    def _write(self, path: Path, text: str) -> None:
        if not self.dry:
            write_writeup(path, text)


def _refused(files: list[File]) -> Iterator[FileOutcome]:
    for file in files:
        if file.writeup is None:
            yield FileOutcome(Action.INVALID, None, file.path, problems=file.problems)


def _declined(file: File, writeup: Writeup, declined: Declined) -> FileOutcome:
    """Return the outcome of a refusal: a newer revision, or invalid content. A caller without the right to write gets the error at once."""
    if declined.status in {401, 403, 429, 500, 503}:
        raise declined
    is_conflict = declined.status in {409, 412}
    action = Action.CONFLICT if is_conflict else Action.INVALID
    return FileOutcome(action, writeup.id, file.path, detail=declined.problem, problems=places(declined.errors))
