"""The engine measured by the protocol of duplicate reports: each report pasted to the engine as it stood before it."""

from collections.abc import Iterator

from index.evaluation.protocol import QuestionOutcome, collapsed, outcome
from index.evaluation.timeline import Timeline, repeats
from index.query.reading import read


def outcomes(timeline: Timeline) -> Iterator[QuestionOutcome]:
    """The outcome of every report that is asked, in time order; scores are the probabilities of the answer."""
    reports, known = timeline.reports, repeats(timeline.reports)
    for row, engine in timeline.questions(at for at, report in enumerate(reports) if report.is_measured):
        judged = engine.judged(read(reports[row].paste))
        found = collapsed([reports[match.row].bug for _, match in judged], [likely for likely, _ in judged])
        yield outcome(found, reports[row].bug, is_duplicate=known[row])
