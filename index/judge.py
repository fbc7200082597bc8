"""How probable one comparison makes its incident: the sum of the model, and what holds for the threads of a dump."""

from index.features import Compared
from index.rank import Model
from index.reading import Reading

BESIDE_A_FAULT = 0.5
"""A paste that shows a fault is about the fault: an incident with one of the idle threads beside it is at best related."""


def chance(reading: Reading, found: Compared, model: Model) -> float:
    """The probability that the incident is the one the text is about.

    One of n idle threads that agrees is one of n chances to agree by accident: its odds are divided by n.
    """
    usual = model.judged(found.features, named_only=reading.only_names_exceptions)
    if found.trace is None or not reading.traces[found.trace].is_idle_thread:
        return usual
    threads = reading.threads
    one_of_many = usual / (usual + (1.0 - usual) * threads)
    return min(one_of_many, BESIDE_A_FAULT) if threads < len(reading.traces) else one_of_many
