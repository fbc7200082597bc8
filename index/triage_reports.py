"""The reports of `kb triage` in `KB_HOME/triage`: their shape, and how they are read. `ingest` writes them, the service shows them.

A folder there is one run. It is complete from the moment it has its name: it is written under another one.
"""

import json
import re
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from index.verdict import FineVerdict
from kb.errors import KbError
from kb.redact import redact

FOLDER = "triage"
REPLACED = "replaced"
"""Below it: reports that a later run over the same files has replaced."""
REPORT, SUMMARY, DRAFTS = "report.json", "summary.json", "drafts"
SHOWN = 1_000
"""Unknown groups, the most frequent, whose trace is kept and for which a draft is written."""
MOST_NAMES = 20
"""Versions and hosts of a group that are listed."""
MOST_FILES = 20
"""Files of a run that could not be read and are named."""
LONGEST_TEXT = 16_000
"""Characters of a trace that are kept."""
CUT = "... kb triage left lines out ..."
"""Stands where the middle of a longer trace was. Older reports have the first `LONGEST_TEXT` characters, without a mark."""
MOST_BYTES = 128 << 20
"""Of a report that is read. One of a million crashes with 34,481 unknown groups has 33 MB and is read in 0.3 s (2026-11-28)."""
_MOST_DRAFT = 1 << 20
_RUN = re.compile(r"2\d{7}T\d{6}Z-[0-9a-f]{4,16}", re.ASCII)
_GROUP = re.compile(r"[0-9a-f]{8,64}", re.ASCII)
Shape = TypeVar("Shape")


class ReportError(KbError):
    """A report of a triage is not there or cannot be read. ``kind``: ``no-such-report``, ``report-damaged`` or ``report-too-large``."""

    def __init__(self, problem: str, *, cure: str, kind: str = "no-such-report") -> None:
        super().__init__(problem, cure=cure)
        self.kind = kind


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
    """At most `MOST_NAMES` of them."""
    host_count: int = 0
    """Exact below `MOST_NAMES`; from there on about the most that one group has (HyperLogLog, 5 % off)."""


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
    """Whether no earlier run saw any of its root causes, or only a replaced one that called it new; None on the first run."""
    runtime: str = ""
    type: str | None = None
    template: str | None = None
    exact: str = ""
    """The fingerprint of its most frequent trace."""
    text: str = ""
    """That trace, without secrets, beginning and end where it is long (`is_cut`); empty but for the `SHOWN` most frequent groups."""
    root_cause: str = ""
    """The root-cause fingerprint of that trace; empty where it was not noted."""
    closest: str | None = None
    """The id of the incident that is nearest, if any."""
    root_causes: list[str] = field(default_factory=list)

    @property
    def headline(self) -> str:
        """Return the exception and its message; of an error line the message alone, and the runtime where there is neither."""
        return ": ".join(filter(None, (self.type, self.template))) or self.runtime

    @property
    def draft_id(self) -> str:
        """Return the id of the incident that its draft begins."""
        return f"crash-{self.id[:12]}"


@dataclass(slots=True)
class TriageFigures:
    """What a run has read. ``unread`` are lines that were no crash report, and files that could not be read."""

    run: str
    sources: list[str]
    snapshot: str
    crashes: int = 0
    without_error: int = 0
    unread: int = 0
    distinct: int = 0
    seconds: float = 0.0
    unread_files: list[str] = field(default_factory=list)
    """Files that could not be read, or not to their end, with the reason, without secrets; at most `MOST_FILES`."""
    unread_file_count: int = 0
    """How many there are; an older report does not say so."""


@dataclass(slots=True)
class TriageSummary(TriageFigures):
    """The figures of one run: what a list of reports shows."""

    known_incidents: int = 0
    known_crashes: int = 0
    probable_incidents: int = 0
    probable_crashes: int = 0
    unknown_groups: int = 0
    unknown_crashes: int = 0
    new_groups: int | None = None
    """None on the first run, which has none before it."""
    replaces: list[str] = field(default_factory=list)
    """Earlier runs over files that have changed since; they are not listed any more."""

    @property
    def at(self) -> str:
        """Return when the run began, in ISO 8601, UTC."""
        return began(self.run)


@dataclass(slots=True)
class TriageReport(TriageFigures):
    """One run. ``crashes`` = those of ``known`` and ``unknown`` + ``without_error``."""

    known: list[KnownGroup] = field(default_factory=list)
    unknown: list[UnknownGroup] = field(default_factory=list)
    replaces: list[str] = field(default_factory=list)
    prints: str = ""
    """Version of its fingerprints, as `prints_version` has it; empty where it was not noted."""

    def with_verdict(self, verdict: str) -> list[KnownGroup]:
        """Return the incidents that are ``known``, or those that are ``probable``, the most frequent first."""
        return [one for one in self.known if one.verdict == verdict]

    def summary(self) -> TriageSummary:
        """Return the figures alone."""
        known, probable = self.with_verdict(FineVerdict.KNOWN), self.with_verdict(FineVerdict.PROBABLE)
        marks = [group.is_new for group in self.unknown]
        return TriageSummary(
            self.run,
            self.sources,
            self.snapshot,
            self.crashes,
            self.without_error,
            self.unread,
            self.distinct,
            self.seconds,
            self.unread_files,
            self.unread_file_count,
            len(known),
            sum(one.crashes for one in known),
            len(probable),
            sum(one.crashes for one in probable),
            len(marks),
            sum(one.crashes for one in self.unknown),
            None if None in marks else sum(map(bool, marks)),
            self.replaces,
        )

    def to_json(self) -> str:
        """Return the report as a JSON document."""
        return as_json(self)


_REPORTS = TypeAdapter(TriageReport)
_SUMMARIES = TypeAdapter(TriageSummary)


def as_json(one: TriageReport | TriageSummary) -> str:
    """Return a report or its summary as a JSON document."""
    return json.dumps(asdict(one), ensure_ascii=False, indent=1) + "\n"


Shown = TypeVar("Shown", bound=Occurrences | TriageSummary)
_TEXTS = ("type", "template", "text", "title", "versions", "hosts", "sources", "unread_files")


def redacted(one: Shown) -> Shown:
    """Return a group or figures without secrets. Rules may hide more today than when they were written."""

    def clean(value: Any) -> Any:
        return [redact(each).text for each in value] if isinstance(value, list) else value and redact(value).text

    return replace(one, **{name: clean(getattr(one, name)) for name in _TEXTS if hasattr(one, name)})


def prints_version(number: object, rules: str) -> str:
    """Return what fingerprints depend on: the number of their version, and the digest of the house rules where there are any."""
    return "-".join(filter(None, (str(number), rules)))


def is_cut(text: str) -> bool:
    """Return whether a kept trace is not whole: it has other fingerprints than the crash that it was taken from."""
    return CUT in text or len(text) >= LONGEST_TEXT


def is_run(name: str) -> bool:
    """Return whether a name is that of a run, which begins with a time."""
    if _RUN.fullmatch(name) is None:
        return False
    try:
        datetime.fromisoformat(began(name))
    except ValueError:
        return False
    return True


def began(run: str) -> str:
    """Return when a run began, from its name: ``20261128T091559Z-690b`` → ``2026-11-28T09:15:59Z``."""
    return f"{run[:4]}-{run[4:6]}-{run[6:11]}:{run[11:13]}:{run[13:16]}"


@dataclass(frozen=True, slots=True)
class ListedReport:
    """A line of the list of reports."""

    run: str
    at: str
    summary: TriageSummary | None
    problem: str = ""
    """Why there is no summary: the kind of the `ReportError`."""


class TriageReports:
    """The reports of a home. Every method reads the disk; what is read last is kept, since its pages are asked for one after another."""

    def __init__(self, home: Path) -> None:
        self.folder = home / FOLDER
        self._lock = threading.Lock()
        self._held: tuple[tuple[str, int, int], TriageReport] | None = None

    def runs(self) -> list[str]:
        """Return the names of the runs, the last first."""
        try:
            return sorted((one.name for one in self.folder.iterdir() if is_run(one.name)), reverse=True)
        except OSError:
            return []

    def summary(self, run: str) -> TriageSummary:
        """Return the figures of a run, secrets out. Raises `ReportError` for one that is not there or cannot be read."""
        path = self._file(run, SUMMARY)
        try:
            made = path.is_file()
        except OSError:  # a folder of somebody else's
            made = True
        # older ones have none
        return redacted(_read(path, _SUMMARIES.validate_json) if made else self.report(run).summary())

    def listed(self, start: int, count: int) -> list[ListedReport]:
        """Return some reports, the last first. One that cannot be read is listed with the reason."""
        return [self._listed(run) for run in self.runs()[start : start + count]]

    def _listed(self, run: str) -> ListedReport:
        try:
            return ListedReport(run, began(run), self.summary(run))
        except ReportError as error:
            return ListedReport(run, began(run), None, error.kind)

    def report(self, run: str) -> TriageReport:
        """Return a report. Raises `ReportError` for one that is not there, is damaged, or has more than `MOST_BYTES`."""
        path = self._file(run, REPORT)
        with self._lock:  # one at a time: a large report takes memory while it is read
            try:
                state = path.stat()
            except FileNotFoundError:
                raise _absent(run) from None
            except OSError as error:
                raise _unread(path, error) from None
            key = (run, state.st_mtime_ns, state.st_size)
            if self._held is None or self._held[0] != key:
                self._held = None
                self._held = key, _read(path, _REPORTS.validate_json)
            return self._held[1]

    def replaced(self, run: str) -> TriageReport | None:
        """Return a report that another one replaced; None where it cannot be read any more."""
        if not is_run(run):
            return None
        for folder in (self.folder / REPLACED, self.folder):  # it is moved a moment after the other is there
            try:
                return _read(folder / run / REPORT, _REPORTS.validate_json)
            except ReportError:
                continue
        return None

    def group(self, run: str, group: str) -> UnknownGroup:
        """Return an unknown group by its id. Raises `ReportError` where the run has none of that id."""
        found = next((one for one in self.report(run).unknown if one.id == group), None)
        if found is None:
            raise ReportError("the report has no such group", cure="open it from the report")
        return found

    def draft(self, run: str, group: str) -> str | None:
        """Return the write-up that was drafted for a group; None where there is none."""
        if not _GROUP.fullmatch(group):
            return None
        try:
            with (self._file(run, DRAFTS) / f"{group}.md").open(encoding="utf-8", errors="replace") as file:
                return file.read(_MOST_DRAFT)
        except OSError:
            return None

    def _file(self, run: str, name: str) -> Path:
        if not is_run(run):
            raise _absent(run)
        return self.folder / run / name


def _absent(run: str) -> ReportError:
    return ReportError(f"there is no triage report {run[:40]!r}", cure="choose one from the list")


def _unread(path: Path, error: OSError) -> ReportError:
    cure = "run `kb triage` again, as the user of the service"
    return ReportError(f"{path.name} cannot be read: {error.strerror}", cure=cure, kind="report-damaged")


def _read(path: Path, shaped: Callable[[bytes], Shape]) -> Shape:
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise _unread(path, error) from None
    if len(data) > MOST_BYTES:
        raise ReportError(
            f"{path.name} has more than {MOST_BYTES >> 20} MB, too many to show here",
            cure=f"open report.html in the folder of the run, {path.parent.name}",
            kind="report-too-large",
        )
    try:
        return shaped(data)
    except ValidationError:
        problem = f"{path.name} is damaged"
        raise ReportError(problem, cure="run `kb triage` again over the same sources", kind="report-damaged") from None
