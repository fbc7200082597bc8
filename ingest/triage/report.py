"""Fill a report of answered groups: incidents by how often they occurred, and the groups that nobody knows."""

import json
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from index.terms.sketch import leading
from index.triage_reports import (
    MOST_NAMES,
    REPLACED,
    KnownGroup,
    Occurrences,
    TriageReport,
    UnknownGroup,
    is_cut,
    prints_version,
)
from index.verdict import FineVerdict
from kb.trace import VERSION, Level, fingerprints, parse
from kb.trace.custom import CustomRules
from kb.trace.in_force import adopted

Marks = Mapping[str, bool]
"""Root causes of earlier runs: whether a group that has one is new."""


def _add(found: Occurrences, row: Mapping[str, Any]) -> None:
    """Count one group more."""
    found.crashes += row["crashes"]
    found.groups += 1
    times = [time for time in (found.first, found.last, _iso(row["first"]), _iso(row["last"])) if time]
    found.first, found.last = (min(times), max(times)) if times else (None, None)
    found.versions = sorted({*found.versions, *row["versions"]})[:MOST_NAMES]
    found.hosts = sorted({*found.hosts, *row["hosts"]})[:MOST_NAMES]
    is_exact = len(found.hosts) < MOST_NAMES
    found.host_count = len(found.hosts) if is_exact else max(found.host_count, row["host_count"], len(found.hosts))


def fill(
    report: TriageReport, rows: Iterable[Mapping[str, Any]], clusters: Mapping[str, str], marks: Marks | None
) -> None:
    """Put the answered groups into a report, the most frequent first. ``marks``: what `earlier` gives."""
    known: dict[str, KnownGroup] = {}
    unknown: dict[str, UnknownGroup] = {}
    for row in sorted(rows, key=lambda row: (-row["crashes"], row["exact"])):
        if FineVerdict(row["fine_verdict"]).is_likely:
            _add_known(known, row)
        else:
            _add_unknown(unknown, row, clusters[row["root_cause"]])
    for group in unknown.values():
        group.root_causes.sort()
    mark_new(unknown.values(), marks)
    report.known = sorted(known.values(), key=lambda one: (-one.crashes, one.incident))
    report.unknown = sorted(unknown.values(), key=lambda one: (-one.crashes, one.id))


def mark_new(groups: Iterable[UnknownGroup], marks: Marks | None) -> None:
    """Set which groups are new: those of which no root cause has a mark that says otherwise; None where there are no marks."""
    for group in groups:
        group.is_new = None if marks is None else all(marks.get(cause, True) for cause in group.root_causes)


def _add_known(known: dict[str, KnownGroup], row: Mapping[str, Any]) -> None:
    group = known.setdefault(
        row["incident"], KnownGroup(incident=row["incident"], title=row["title"], verdict=row["fine_verdict"])
    )
    _add(group, row)
    group.probability = max(group.probability, round(row["probability"], 4))
    if row["fine_verdict"] == FineVerdict.KNOWN:
        group.verdict = row["fine_verdict"]


def _add_unknown(unknown: dict[str, UnknownGroup], row: Mapping[str, Any], key: str) -> None:
    group = unknown.get(key)
    if group is None:
        shown = {name: row[name] for name in ("exact", "root_cause", "runtime", "type", "template")}
        group = unknown[key] = UnknownGroup(id=key, closest=row["incident"], **shown)
    _add(group, row)
    if row["root_cause"] not in group.root_causes:
        group.root_causes.append(row["root_cause"])


def _iso(time: datetime | None) -> str | None:
    """Return a time in ISO 8601, UTC; Spark gives it in the zone of its session."""
    return None if time is None else time.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def earlier(folder: Path, rules: CustomRules, replaced: Collection[str] = ()) -> Marks | None:
    """Return whether a group with a root cause is new still, by the reports in a folder; None where none can be read.

    What a report calls unknown is new no more, but in a run that takes the place of that report (``replaced``) it is what it was there.
    Of a report with fingerprints of another version, or made under other rules, the traces that it keeps whole are fingerprinted again.
    """
    others: set[str] | None = None
    kept: dict[str, bool] = {}
    now = prints_version(VERSION, rules.digest)
    with adopted(rules):
        for path in sorted([*folder.glob("2*/report.json"), *folder.glob(f"{REPLACED}/2*/report.json")]):
            try:
                report = json.loads(path.read_text(encoding="utf-8"))
                causes = {
                    cause: group.get("is_new") is True for group in report["unknown"] for cause in group["root_causes"]
                }
                if report.get("prints") != now:
                    again = ((_root_cause(group["text"]), group.get("is_new") is True) for group in report["unknown"])
                    causes |= {cause: is_new for cause, is_new in again if cause}
            except (OSError, ValueError, KeyError, TypeError, AttributeError):
                continue
            others = others or set()
            if path.parent.name in replaced:
                kept |= {cause: is_new or kept.get(cause, False) for cause, is_new in causes.items()}
            else:
                others |= causes.keys()
    return None if others is None else dict.fromkeys(others, False) | kept


def _root_cause(text: str) -> str | None:
    """Return the root-cause fingerprint of the error that a text is about; None where the text is not whole."""
    chain = None if is_cut(text) else leading(parse(text))
    return None if chain is None else fingerprints(chain)[Level.ROOT_CAUSE].digest
