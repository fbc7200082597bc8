"""Reports in the order of time, and the engine as it stood before each: one snapshot, of which only the past is looked at.

The snapshot holds all reports, rows in time order. A question sees the rows before its own, and rarity as it was counted at the last
refresh. Only the BM25 weights inside the candidate search are of the whole file; they choose candidates, and rank none.
"""

import gzip
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from index.build import build
from index.encoder import Encoder
from index.entry import entries
from index.reading import read
from index.storage.snapshot import current
from index.terms.frequencies import Frequencies, FrequencyWriter, names_of
from index.terms.sketch import frame_tokens
from index.training.measured import MeasuredEngine
from index.training.protocol import QuestionOutcome, collapsed, outcome
from kb.incident import Incident
from kb.record import from_record
from kb.trace.custom import NONE

REFRESH = 200
"""Reports after which rarity is counted anew."""
_BATCH = 200


@dataclass(frozen=True, slots=True)
class Report:
    """One labelled report."""

    bug: str
    """Equal for reports of one bug."""
    created: str
    title: str
    text: str
    trace: str
    is_measured: bool
    """It is a query of the measured part; the others only fill the index."""

    @property
    def paste(self) -> str:
        """The report as somebody would paste it."""
        return "\n".join(filter(None, (self.title, self.text, self.trace)))


def read_reports(indexed: Iterable[Path], measured: Iterable[Path]) -> list[Report]:
    """The reports of gzipped JSON lines, oldest first; those of ``measured`` are queries, too."""
    found = [(r, False) for path in indexed for r in _lines(path)] + [
        (r, True) for path in measured for r in _lines(path)
    ]
    found.sort(key=lambda pair: (pair[0]["created"][:16], pair[1], pair[0]["id"]))
    return [
        Report(r["bug_group"], r["created"], r["title"] or "", r["text"] or "", r["trace"] or "", is_measured)
        for r, is_measured in found
    ]


def _lines(path: Path) -> Iterator[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def repeats(reports: Sequence[Report]) -> list[bool]:
    """Of each report, whether its bug was reported before."""
    seen: set[str] = set()
    return [report.bug in seen or bool(seen.add(report.bug)) for report in reports]  # type: ignore[func-returns-value]


def incident_of(report: Report, at: int) -> Incident:
    """The report as an incident; ids ascend with time, and so rows do."""
    return from_record(
        {"id": f"r{at:07}", "title": report.title or "-", "prose": report.text, "traces": [report.trace]}
    )


class Timeline:
    """An engine over reports in time order."""

    def __init__(self, reports: Sequence[Report], home: Path, encoder: Encoder) -> None:
        self.reports = reports
        self._home = home
        cuts = range(0, len(reports), _BATCH)
        batches = (
            entries([incident_of(r, at) for at, r in enumerate(reports[cut : cut + _BATCH], cut)], encoder)
            for cut in cuts
        )
        build(batches, home, encoder)
        self._engine = MeasuredEngine(current(home), encoder, NONE, None)
        self._words, self._frames = FrequencyWriter(), FrequencyWriter()
        self._counted = self._with_traces = 0

    def questions(self, rows: Iterable[int]) -> Iterator[tuple[int, MeasuredEngine]]:
        """(row, the engine as it stood before it) for ascending rows; use each before asking for the next."""
        past: tuple[Frequencies, Frequencies] | None = None
        for row in rows:
            if past is None or row - self._counted >= REFRESH:
                past = self._count(row)
            yield row, self._engine.before(row, *past)

    def close(self) -> None:
        """Let go of the snapshot."""
        self._engine.close()

    def _count(self, row: int) -> tuple[Frequencies, Frequencies]:
        """How rare words and frames are among the rows before this one."""
        for at in range(self._counted, row):
            terms, chains = self._engine.words_and_chains(at)
            self._words.add(terms)
            if chains:
                tokens = [token for chain in chains for token in frame_tokens(chain)]
                self._frames.add(np.unique(names_of(tokens)))
                self._with_traces += 1
        self._counted = row
        folder = self._home / "past" / str(row)
        folder.mkdir(parents=True)
        self._words.write(folder, "words")
        self._frames.write(folder, "frames")
        return Frequencies(folder, "words", row), Frequencies(folder, "frames", self._with_traces)


def outcomes(timeline: Timeline) -> Iterator[QuestionOutcome]:
    """Yield the outcome of every report that is measured, in time order; scores are the probabilities of the answer."""
    reports, known = timeline.reports, repeats(timeline.reports)
    for row, engine in timeline.questions(at for at, report in enumerate(reports) if report.is_measured):
        judged = engine.judged(read(reports[row].paste))
        found = collapsed([reports[match.row].bug for _, match in judged], [likely for likely, _ in judged])
        yield outcome(found, reports[row].bug, is_duplicate=known[row])
