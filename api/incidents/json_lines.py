"""Import and export incidents as JSON lines: one record a line, in the shape of `kb.record`."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from api.incidents.files import FilePosition, places
from api.incidents.sync import Action, FileOutcome
from kb.client import Declined, Incidents

_NOT_COMPARED = frozenset(("revision", "status", "reposts", "lang", "url", "source"))


def import_lines(
    incidents: Incidents, lines: Iterable[str], *, dry: bool = False, note: str = ""
) -> Iterator[FileOutcome]:
    """Save each record: create new ones, and revise those that name the current revision.

    A record equal to the store changes nothing. Lines that are no records are reported by number.
    """
    for number, line in enumerate(lines, 1):
        if line.strip():
            record = _record(line)
            if record is None:
                yield _invalid(number, "is no JSON object")
            else:
                yield _take(incidents, record, number, dry=dry, note=note)


def _record(line: str) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def _take(incidents: Incidents, record: dict[str, Any], number: int, *, dry: bool, note: str) -> FileOutcome:
    name = record.get("id")
    try:
        current = incidents.find(name) if isinstance(name, str) and name.strip() else None
        if current is None:
            saved = None if dry else incidents.create(record, note)
            return _done(Action.CREATED, record, saved)
        if _says_the_same(record, current):
            return FileOutcome(Action.UNCHANGED, name, revision=current["revision"])
        if record.get("revision") != current["revision"]:
            detail = (
                f"line {number}: the store is at revision {current['revision']}, the record at {record.get('revision')}"
            )
            sides = {"store": current, "file": record}
            return FileOutcome(Action.CONFLICT, name, revision=current["revision"], detail=detail, sides=sides)
        saved = None if dry else incidents.replace(str(name), record, current["revision"], note)
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


def _says_the_same(record: Mapping[str, Any], current: Mapping[str, Any]) -> bool:
    if record.get("status") not in {None, current["status"]}:
        return False
    fields = {key: value for key, value in record.items() if key not in _NOT_COMPARED and value not in (None, [], "")}
    if "trace" in fields:
        one = fields.pop("trace")
        fields["traces"] = [*([one] if isinstance(one, str) else one), *fields.get("traces", [])]
    fields.pop("note", None)
    return all(current.get(key) == value for key, value in fields.items()) and (
        record.get("url") in {None, current["url"]} and record.get("lang") in {None, current["lang"]}
    )


def _invalid(number: int, problem: str) -> FileOutcome:
    return FileOutcome(Action.INVALID, problems=(FilePosition(number, 0, problem),))


def export_lines(incidents: Incidents, wanted: Mapping[str, Any]) -> Iterator[str]:
    """Yield the records of the store, one a line, without merged ones."""
    for row in incidents.listed(place="store", **wanted):
        if not row["merged_into"]:
            yield json.dumps(incidents.get(row["id"]), ensure_ascii=False)
