"""What a run of triage found, as data: incidents by how often they occurred, and the groups that nobody knows."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from index.verdict import FineVerdict
from ingest.triage.groups import MOST_VERSIONS

SHOWN = 1_000
"""Unknown groups, the most frequent, whose trace is kept and for which a draft is written."""


@dataclass(slots=True)
class Occurrences:
    """How often something occurred, when, on which hosts, in which versions."""

    crashes: int = 0
    groups: int = 0
    """Distinct ``exact`` fingerprints."""
    first: str | None = None
    last: str | None = None
    versions: list[str] = field(default_factory=list)
    hosts: list[str] = field(default_factory=list)
    """At most `MOST_VERSIONS` of them."""
    host_count: int = 0
    """Exact below `MOST_VERSIONS`; from there on about the most that one group has (HyperLogLog, 5 % off)."""

    def add(self, row: Mapping[str, Any]) -> None:
        """Count one group more."""
        self.crashes += row["crashes"]
        self.groups += 1
        times = [time for time in (self.first, self.last, _iso(row["first"]), _iso(row["last"])) if time]
        self.first, self.last = (min(times), max(times)) if times else (None, None)
        self.versions = sorted({*self.versions, *row["versions"]})[:MOST_VERSIONS]
        self.hosts = sorted({*self.hosts, *row["hosts"]})[:MOST_VERSIONS]
        is_exact = len(self.hosts) < MOST_VERSIONS
        self.host_count = len(self.hosts) if is_exact else max(self.host_count, row["host_count"], len(self.hosts))


@dataclass(slots=True)
class KnownGroup(Occurrences):
    """Crashes that a known incident explains."""

    incident: str = ""
    title: str = ""
    verdict: str = ""
    """``known``, or ``probable`` where none of them is more."""
    probability: float = 0.0
    """The highest among its groups."""


@dataclass(slots=True)
class UnknownGroup(Occurrences):
    """Crashes that no incident explains."""

    id: str = ""
    """The root-cause fingerprint of its most frequent member."""
    is_new: bool | None = None
    """Whether no earlier run saw any of its root causes; None on the first run."""
    runtime: str = ""
    type: str | None = None
    template: str | None = None
    exact: str = ""
    """The fingerprint of its most frequent trace."""
    text: str = ""
    """That trace, without secrets; empty but for the `SHOWN` most frequent groups."""
    closest: str | None = None
    """The id of the incident that is nearest, if any."""
    root_causes: list[str] = field(default_factory=list)

    @property
    def headline(self) -> str:
        """Return the exception and its message; of an error line the message alone, and the runtime where there is neither."""
        return ": ".join(filter(None, (self.type, self.template))) or self.runtime


@dataclass(slots=True)
class TriageReport:
    """One run. ``crashes`` = those of ``known`` and ``unknown`` + ``without_error``; ``unread`` are lines that were no crash report."""

    run: str
    sources: list[str]
    snapshot: str
    crashes: int = 0
    without_error: int = 0
    unread: int = 0
    distinct: int = 0
    seconds: float = 0.0
    known: list[KnownGroup] = field(default_factory=list)
    unknown: list[UnknownGroup] = field(default_factory=list)

    def with_verdict(self, verdict: str) -> list[KnownGroup]:
        """Return the incidents that are ``known``, or those that are ``probable``, the most frequent first."""
        return [one for one in self.known if one.verdict == verdict]

    def to_json(self) -> str:
        """Return the report as a JSON document."""
        return json.dumps(asdict(self), ensure_ascii=False, indent=1) + "\n"


def fill(
    report: TriageReport, rows: Iterable[Mapping[str, Any]], clusters: Mapping[str, str], seen: frozenset[str] | None
) -> None:
    """Put the answered groups into a report, the most frequent first. ``seen``: root causes of earlier runs, None where there was none."""
    known: dict[str, KnownGroup] = {}
    unknown: dict[str, UnknownGroup] = {}
    for row in sorted(rows, key=lambda row: (-row["crashes"], row["exact"])):
        if FineVerdict(row["fine_verdict"]).is_likely:
            _add_known(known, row)
        else:
            _add_unknown(unknown, row, clusters[row["root_cause"]])
    for group in unknown.values():
        group.root_causes.sort()
        group.is_new = None if seen is None else seen.isdisjoint(group.root_causes)
    report.known = sorted(known.values(), key=lambda one: (-one.crashes, one.incident))
    report.unknown = sorted(unknown.values(), key=lambda one: (-one.crashes, one.id))


def _add_known(known: dict[str, KnownGroup], row: Mapping[str, Any]) -> None:
    group = known.setdefault(
        row["incident"], KnownGroup(incident=row["incident"], title=row["title"], verdict=row["fine_verdict"])
    )
    group.add(row)
    group.probability = max(group.probability, round(row["probability"], 4))
    if row["fine_verdict"] == FineVerdict.KNOWN:
        group.verdict = row["fine_verdict"]


def _add_unknown(unknown: dict[str, UnknownGroup], row: Mapping[str, Any], key: str) -> None:
    group = unknown.get(key)
    if group is None:
        shown = {name: row[name] for name in ("exact", "runtime", "type", "template")}
        group = unknown[key] = UnknownGroup(id=key, closest=row["incident"], **shown)
    group.add(row)
    if row["root_cause"] not in group.root_causes:
        group.root_causes.append(row["root_cause"])


def _iso(time: datetime | None) -> str | None:
    return None if time is None else time.strftime("%Y-%m-%dT%H:%M:%SZ")


def earlier(folder: Path) -> frozenset[str] | None:
    """Return the root causes that the reports in a folder call unknown; None where there is no report. One that cannot be read is left out."""
    found: frozenset[str] | None = None
    for path in sorted(folder.glob("2*/report.json")):
        try:
            unknown: Sequence[Mapping[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["unknown"]
            causes = frozenset(cause for group in unknown for cause in group["root_causes"])
        except (OSError, ValueError, KeyError, TypeError):
            continue
        found = causes if found is None else found | causes
    return found
