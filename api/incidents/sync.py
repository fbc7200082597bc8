"""A folder of write-ups and the store, brought to say the same, either way. Nobody's words are overwritten.

Each file holds the revision that it was written from; what that revision said is in the store's history, so nothing else has to be
remembered beside the files, and a folder in git can be synchronised from any clone.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from api.incidents.files import File, name_of, places, read_folder, write_writeup
from api.incidents.outcome import Action, FileOutcome
from api.incidents.standing import SyncState, sync_state
from api.incidents.writeups import Writeup, as_saved, differs, stamped, text_of_record
from kb.client import Declined, Incidents
from kb.client.records import Incident
from kb.errors import KbError

_HELD = frozenset(("retired",))


@dataclass(frozen=True, slots=True)
class Sync:
    """A folder and a door."""

    door: Incidents
    folder: Path
    dry: bool = False
    """Only tell."""
    note: str = ""
    """Why, for the history."""
    wanted: dict[str, Any] = field(default_factory=dict)
    """Which incidents of the store: ``component``, ``status``, ``text``."""

    def export(self, *, retired: bool = False) -> Iterator[FileOutcome]:
        """Write what the store has into files. A file with changes of its own is kept, and told of."""
        files = read_folder(self.folder) if self.folder.exists() else []
        known = {file.writeup.id: file for file in files if file.writeup}
        seen: set[str] = set()
        for row in self.door.listed(place="store", **self.wanted):
            seen.add(row["id"])
            file = known.get(row["id"])
            if row["merged_into"]:
                if file:
                    yield self._merged(file, row["merged_into"])
            elif file:
                yield self._refresh(file, self.door.get(row["id"]))
            elif retired or row["status"] not in _HELD:
                yield self._new_file(self.door.get(row["id"]))
        yield from _refused(files)
        if not self.wanted:
            yield from (FileOutcome(Action.ONLY_FILE, name, known[name].path) for name in known if name not in seen)

    def take(self, *, retire_missing: bool = False) -> Iterator[FileOutcome]:
        """Save what the files say. What the store changed is not taken back; what both changed is a conflict."""
        files = read_folder(self.folder)
        known = {file.writeup.id for file in files if file.writeup}
        yield from _refused(files)
        for file in files:
            if file.writeup:
                yield self.take_file(file, file.writeup)
        if retire_missing and not known:
            raise KbError(
                f"there is no write-up in {self.folder}", cure="leave --retire-missing out, or name the folder"
            )
        for row in self.door.listed(place="store", **self.wanted):
            if row["id"] not in known and not row["merged_into"] and row["status"] not in _HELD:
                yield self._missing(row, retire=retire_missing)

    def take_file(self, file: File, writeup: Writeup) -> FileOutcome:
        """Save what one file says."""
        try:
            record = self.door.find(writeup.id)
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
        """What the store said at the revision that a file was written from."""
        found = self.door.revision(writeup.id, writeup.revision)
        return found and found["incident"]

    def _create(self, file: File, writeup: Writeup) -> FileOutcome:
        if self.dry:
            return FileOutcome(Action.CREATED, writeup.id, file.path)
        text = stamped(writeup.text, writeup.id, 1, writeup.status or "published")
        return self._saved(Action.CREATED, file, writeup, self.door.create(text, self.note))

    def _revise(self, file: File, writeup: Writeup, number: int) -> FileOutcome:
        if self.dry:
            return FileOutcome(Action.REVISED, writeup.id, file.path, number)
        saved = self.door.replace(writeup.id, writeup.text, number, self.note)
        return self._saved(Action.REVISED, file, writeup, saved)

    def _saved(self, action: Action, file: File, writeup: Writeup, saved: Any) -> FileOutcome:
        """What was saved, and its number in the file."""
        text = stamped(writeup.text, saved["id"], saved["revision"], saved["status"])
        if text != writeup.text:
            self._write(file.path, text)
        secrets = sum(one["count"] for one in saved["redactions"])
        told = [*saved["notes"]]
        if secrets:
            told.append(f"{secrets} secrets were not saved; take them out of the file too")
        return FileOutcome(action, saved["id"], file.path, saved["revision"], "; ".join(told))

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
            saved = self.door.move(row["id"], "retired", row["revision"], self.note or "its file was deleted")
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
    """What the store did not take: somebody was faster, or something does not fit. Whoever may not write at all is told so at once."""
    if declined.status in {401, 403, 429, 500, 503}:
        raise declined
    is_conflict = declined.status in {409, 412}
    action = Action.CONFLICT if is_conflict else Action.INVALID
    return FileOutcome(action, writeup.id, file.path, detail=declined.problem, problems=places(declined.errors))
