"""How well searches answer labelled questions: ranks, verdicts, and how often a stranger is called known.

A case is one line of JSON: ``text`` and ``expected`` (the ids that answer it; empty when nothing known does), and, where wanted, ``near``
(ids that must not come first), ``id``, ``group``, ``lang``, ``part`` and ``kind``. An expected id is that of an incident, or the name of the file
it was read from: ``zh00042`` stands for ``zh00042-1f2e3d4c`` and ``zh00042-1f2e3d4c-2``.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from index.answer import Verdict
from index.engine import Engine
from index.evaluation.kinds import kind_of
from kb.errors import KbError

DEPTH = 10
"""How many matches of an answer are looked at; what comes later counts as not found."""
_OF_FILE = re.compile(r"(?P<page>(?P<name>.+?)-[0-9a-f]{8})(?:-.*)?", re.DOTALL)
"""The id of a document that states none: the name of its file with a hash behind it; the slug of a heading follows for each problem of
a page. A label names the file, the problem, or the page where no incident has that id."""
_LANGS = {"zh", "en"}
_TEXTS = ("id", "group", "lang", "part", "kind")


class CasesError(KbError):
    """A file of labelled questions cannot be read: names the file and the line."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """One question with its answers."""

    text: str
    expected: tuple[str, ...]
    near: tuple[str, ...] = ()
    id: str = ""
    group: str = ""
    lang: str = ""
    part: str = ""
    kind: str = ""
    """Of question; worked out from the text where it is empty."""

    @property
    def groups(self) -> str:
        """Group and language, as the tables name it."""
        return " ".join(filter(None, (self.group, self.lang)))


@dataclass(frozen=True, slots=True)
class CaseOutcome:
    """What a search made of a case. A match stands for those of its problem that are listed beside it."""

    case: Labelled
    rank: int
    """Of the first right match, counted from one; 0 when there is none."""
    verdict: Verdict
    probability: float
    """Of the first match; 0 without one."""
    near_first: bool
    """Whether the first match is one that must not come first."""
    kind: str = ""
    """As labelled, else as worked out from the text (`kinds.QueryKind`)."""
    lang: str = ""
    """Of the question, as labelled, else as detected: ``zh``, ``en`` or ``mixed``."""
    is_crossing: bool | None = None
    """Whether every right incident is written in another language; None where there is none, or a text is in both."""

    @property
    def absent(self) -> bool:
        """Whether nothing known answers the question."""
        return not self.case.expected


@dataclass(frozen=True, slots=True)
class Scores:
    """Figures of a group. Hits and reciprocal ranks are shares of the cases that have an answer."""

    cases: int
    absent: int
    hits: Mapping[int, float]
    """Depth → share of cases whose right incident is among so many."""
    mrr: float
    near_first: float
    """Share of the cases with near misses that one of them comes first in."""
    verdicts: Mapping[Verdict, int]


@dataclass(frozen=True, slots=True)
class Confusion:
    """What was called known, and whether it was."""

    known_right: int
    """Called known, and the first match is right."""
    known_wrong: int
    """Called known, but another one answers it."""
    known_absent: int
    """Called known though nothing answers it."""
    answerable: int
    absent: int

    @property
    def false_known(self) -> float:
        """Share of the questions without an answer that are called known."""
        return self.known_absent / self.absent if self.absent else 0.0

    @property
    def coverage(self) -> float:
        """Share of the questions with an answer that are rightly called known."""
        return self.known_right / self.answerable if self.answerable else 0.0


def read_cases(path: Path) -> tuple[Labelled, ...]:
    """The cases of a file of JSON lines. CasesError names the first line that is none."""
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")  # a string of JSON may hold other ends of lines
    except OSError as error:
        raise CasesError(f"{path} cannot be read: {error.strerror}", cure="give a file of JSON lines") from error
    except UnicodeDecodeError as error:
        raise CasesError(f"{path} is not UTF-8", cure="give a file of JSON lines in UTF-8") from error
    cases = tuple(_case(line, f"{path}:{at}") for at, line in enumerate(lines, 1) if line.strip())
    if not cases:
        raise CasesError(f"{path} holds no case", cure='write lines of {"text": …, "expected": [id, …]}')
    return cases


def _case(line: str, place: str) -> Labelled:
    cure = 'write one JSON object a line: {"text": …, "expected": [id, …]}'
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise CasesError(f"{place} is not JSON", cure=cure) from error
    if not isinstance(row, dict) or not isinstance(row.get("text"), str) or "expected" not in row:
        raise CasesError(f'{place} has no "text" or no "expected"', cure=cure)
    lists = {name: row.get(name) or [] for name in ("expected", "near")}
    for name, ids in lists.items():
        if not isinstance(ids, list) or not all(isinstance(one, str) for one in ids):
            raise CasesError(f'"{name}" of {place} is no list of ids', cure=cure)
    texts = {name: str(row.get(name) or "") for name in _TEXTS}
    return Labelled(row["text"], tuple(lists["expected"]), tuple(lists["near"]), **texts)


class Evaluation:
    """Puts cases to an engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        named: defaultdict[str, set[str]] = defaultdict(set)
        pages: defaultdict[str, set[str]] = defaultdict(set)
        for incident_id in engine.ids():
            named[incident_id].add(incident_id)
            if of_file := _OF_FILE.fullmatch(incident_id):
                named[of_file["name"]].add(incident_id)
                pages[of_file["page"]].add(incident_id)
        for page, ids in pages.items():
            named.setdefault(page, ids)
        self._named: Mapping[str, set[str]] = named

    def incidents(self, ids: Iterable[str]) -> frozenset[str]:
        """The incidents of the snapshot that the ids stand for."""
        return frozenset(found for one in ids for found in self._named.get(one, ()))

    def missing(self, cases: Iterable[Labelled]) -> list[str]:
        """The expected ids that stand for no incident of the snapshot, in order."""
        return sorted({one for case in cases for one in case.expected if one not in self._named})

    def outcome(self, case: Labelled) -> CaseOutcome:
        """What the engine makes of one case."""
        reading, answer = self._engine.searched(case.text, DEPTH)
        found = [match.incident.id for match in answer.matches]
        shown = [{match.incident.id, *(other.id for other in match.also)} for match in answer.matches]
        right, near = self.incidents(case.expected), self.incidents(case.near)
        rank = next((at for at, ids in enumerate(shown, 1) if ids & right), 0)
        likely = answer.matches[0].probability if answer.matches else 0.0
        near_first = bool(found) and found[0] in near
        kind, lang = case.kind or kind_of(reading).value, case.lang or reading.lang
        return CaseOutcome(case, rank, answer.verdict, likely, near_first, kind, lang, self._is_crossing(lang, right))

    def _is_crossing(self, lang: str, right: Iterable[str]) -> bool | None:
        found = [incident for one in right if (incident := self._engine.incident(one)) is not None]
        langs = {lang, *(incident.lang for incident in found)}
        return None if not found or not langs <= _LANGS else all(incident.lang != lang for incident in found)


def scores(outcomes: Sequence[CaseOutcome], depths: Sequence[int] = (1, 3, 5)) -> Scores:
    """Return the figures over all outcomes."""
    answerable = [one for one in outcomes if not one.absent]
    whole = len(answerable) or 1
    beside = [one for one in answerable if one.case.near]
    return Scores(
        cases=len(outcomes),
        absent=len(outcomes) - len(answerable),
        hits={depth: sum(0 < one.rank <= depth for one in answerable) / whole for depth in depths},
        mrr=sum(1 / one.rank for one in answerable if one.rank) / whole,
        near_first=sum(one.near_first for one in beside) / (len(beside) or 1),
        verdicts={verdict: sum(one.verdict is verdict for one in outcomes) for verdict in Verdict},
    )


def by_group(outcomes: Iterable[CaseOutcome]) -> dict[str, Scores]:
    """The figures of each group and language, in the order in which they first come."""
    groups: defaultdict[str, list[CaseOutcome]] = defaultdict(list)
    for one in outcomes:
        groups[one.case.groups].append(one)
    return {name: scores(found) for name, found in groups.items() if name}


def confusion(outcomes: Sequence[CaseOutcome]) -> Confusion:
    """Known against right."""
    known = [one for one in outcomes if one.verdict is Verdict.KNOWN]
    absent = sum(one.absent for one in outcomes)
    return Confusion(
        known_right=sum(one.rank == 1 for one in known),
        known_wrong=sum(one.rank != 1 and not one.absent for one in known),
        known_absent=sum(one.absent for one in known),
        answerable=len(outcomes) - absent,
        absent=absent,
    )
