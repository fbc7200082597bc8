"""What readers say of matches, on its way into the store."""

from collections.abc import Mapping

from api.writing.desk import Desk
from api.writing.shapes import FeedbackIn
from index.reading import read
from kb.store.model import NOBODY, Feedback, Vote, Votes
from kb.trace import Level, fingerprints

_MOST = 50
"""Fingerprints of one level that are kept: a paste can hold thousands of traces."""


def opinion(desk: Desk, incident_id: str, said: FeedbackIn, *, keeps_text: bool) -> Feedback:
    """Keep it, of the incident that stands for the id. Missing when there is none that the caller may see."""
    found = desk.look(incident_id).incident
    feedback = Feedback(
        incident_id=found.id,
        vote=Vote.YES if said.vote == "yes" else Vote.NO,
        prints=prints_of(said.text)
        if said.text
        else {level: tuple(some) for level, some in (said.fingerprints or {}).items()},
        probability=said.probability,
        snapshot_id=said.snapshot_id,
        text=said.text if keeps_text else None,
    )
    return desk.store.feedback.add(feedback, actor=desk.caller.actor or NOBODY)


def votes(desk: Desk, incident_id: str) -> tuple[str, Votes]:
    """The incident that stands for the id, and how many said what of it."""
    found = desk.look(incident_id).incident.id
    return found, desk.store.feedback.votes([found])[found]


def prints_of(text: str) -> Mapping[str, tuple[str, ...]]:
    """Digests of the fingerprints of a query by level, as a search reads it."""
    found: dict[str, dict[str, None]] = {level.value: {} for level in Level}
    for chain in read(text).chains:
        for level, one in fingerprints(chain).items():
            found[level.value][one.digest] = None
    return {level: tuple(digests)[:_MOST] for level, digests in found.items() if digests}
