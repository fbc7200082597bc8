"""Import and export incidents as JSON lines: one record a line, in the shape of `kb.record`."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from api.incidents.files import FilePosition, places
from api.incidents.sync import Action, FileOutcome
from kb.client import Declined, Incidents

_NOT_COMPARED = frozenset(("revision", "status", "reposts", "lang", "url", "source"))


def import_lines(door: Incidents, lines: Iterable[str], *, dry: bool = False, note: str = "") -> Iterator[FileOutcome]:
    """Save each record: a new one is created; one that says which revision it was made of is saved on top of that one.

    A record that says what the store says already does nothing. Lines that are no records are told with their number.
    """
    for number, line in enumerate(lines, 1):
        if line.strip():
            record = _record(line)
            if record is None:
                yield _invalid(number, "is no JSON object")
            else:
                yield _take(door, record, number, dry=dry, note=note)


def _record(line: str) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _take(door: Incidents, record: dict[str, Any], number: int, *, dry: bool, note: str) -> FileOutcome:
    name = record.get("id")
    try:
        found = door.find(name) if isinstance(name, str) and name.strip() else None
        if found is None:
            saved = None if dry else door.create(record, note)
            return _done(Action.CREATED, record, saved)
        if _says_the_same(record, found):
            return FileOutcome(Action.UNCHANGED, name, revision=found["revision"])
        if record.get("revision") != found["revision"]:
            detail = (
                f"line {number}: the store is at revision {found['revision']}, the record at {record.get('revision')}"
            )
            sides = {"store": found, "file": record}
            return FileOutcome(Action.CONFLICT, name, revision=found["revision"], detail=detail, sides=sides)
        saved = None if dry else door.replace(str(name), record, found["revision"], note)
        return _done(Action.REVISED, record, saved)
    except Declined as declined:
        if declined.status in {401, 403, 429, 500, 503}:
            raise
        problems = places(declined.errors) or (FilePosition(number, 0, declined.problem),)
        is_conflict = declined.status in {409, 412}
        return FileOutcome(
            Action.CONFLICT if is_conflict else Action.INVALID,
            name if isinstance(name, str) else None,
            detail=f"line {number}",
            problems=problems,
        )


def _done(action: Action, record: Mapping[str, Any], saved: Mapping[str, Any] | None) -> FileOutcome:
    if saved is None:
        return FileOutcome(action, record.get("id"))
    return FileOutcome(action, saved["id"], revision=saved["revision"], detail="; ".join(saved["notes"]))


def _says_the_same(record: Mapping[str, Any], found: Mapping[str, Any]) -> bool:
    if record.get("status") not in {None, found["status"]}:
        return False
    told = {key: value for key, value in record.items() if key not in _NOT_COMPARED and value not in (None, [], "")}
    if "trace" in told:
        one = told.pop("trace")
        told["traces"] = [*([one] if isinstance(one, str) else one), *told.get("traces", [])]
    told.pop("note", None)
    return all(found.get(key) == value for key, value in told.items()) and (
        record.get("url") in {None, found["url"]} and record.get("lang") in {None, found["lang"]}
    )


def _invalid(number: int, problem: str) -> FileOutcome:
    return FileOutcome(Action.INVALID, problems=(FilePosition(number, 0, problem),))


def export_lines(door: Incidents, wanted: Mapping[str, Any]) -> Iterator[str]:
    """The records of the store, each as a line; those that were merged are left out."""
    for row in door.listed(place="store", **wanted):
        if not row["merged_into"]:
            yield json.dumps(door.get(row["id"]), ensure_ascii=False)
