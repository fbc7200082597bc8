"""What an incident quotes, pasted back, finds it first, also beside the text that it was written from."""

import re
from pathlib import Path

import pytest

from index.encoder import load_encoder
from index.training.cases import articles, engine_of
from kb.incident import Incident
from tests.bundled import write_ups

ERROR = re.compile(r"\b[A-Z]\w*(?:Exception|Error)\b")

ABOUT_IT = {("001-d6fd710b4f3a229f-5413c283", "flink-taskmanager-heartbeat-timeout")}
"""An incident, and a write-up that is about one of its log lines: *The heartbeat of TaskManager with id … timed out.*"""


def lines(trace: str) -> set[str]:
    return {line.strip() for line in trace.splitlines()}


def quotes(incident: Incident, trace: str) -> bool:
    """Whether one of its traces has every line of this one, values and line numbers too."""
    return any(lines(trace) <= lines(own) for own in incident.traces)


@pytest.mark.slow
def test_every_trace_of_seeds_finds_an_incident_that_quotes_it(shared_data: Path, tmp_path: Path) -> None:
    """So does every trace of a write-up that shares a line or an error with one of theirs; `tests/corpus` searches all others.

    Nine traces stand word for word in a write-up and in its source: either may come first, the other is next to it.
    """
    seeds = articles(shared_data / "seeds")
    by_id = {incident.id: incident for incident in sorted([*seeds, *write_ups()], key=lambda one: one.id)}
    engine = engine_of(list(by_id.values()), tmp_path, load_encoder(None))
    theirs = "\n".join(trace for incident in seeds for trace in incident.traces)
    shown, errors = lines(theirs), set(ERROR.findall(theirs))
    queries = [
        (incident, trace)
        for incident in by_id.values()
        for trace in incident.traces
        if lines(trace) & shown or errors & set(ERROR.findall(trace))
    ]
    assert len(queries) >= 49
    twins = 0
    for incident, trace in queries:
        found = [by_id[match.incident.id] for match in engine.search(trace).matches]
        twins += found[0].id != incident.id
        assert quotes(found[0], trace) or (incident.id, found[0].id) in ABOUT_IT, (incident.id, found[0].id)
        assert incident in found[:2], incident.id
    engine.close()
    assert twins <= 9
