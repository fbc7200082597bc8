"""What readers say of matches, on its way into the store."""

import re

from api.writing.incident_service import IncidentService
from api.writing.shapes import FeedbackIn
from index.live.sightings import fingerprint_digests
from index.query.reading import read
from kb.store.model import NOBODY, Feedback, Vote, Votes
from kb.store.voices import Sighting

_SNAPSHOT = re.compile(r"[0-9a-f]{16}")
"""Names of snapshots; anything else that a caller says in its place is text of theirs, and kept by nobody."""


def record_feedback(desk: IncidentService, incident_id: str, said: FeedbackIn, *, keeps_text: bool) -> Feedback:
    """Keep it, of the incident that stands for the id. Missing when there is none that the caller may see."""
    found = desk.look(incident_id).incident
    feedback = Feedback(
        incident_id=found.id,
        vote=Vote.YES if said.vote == "yes" else Vote.NO,
        prints=fingerprint_digests(read(said.text))
        if said.text
        else {level: tuple(some) for level, some in (said.fingerprints or {}).items()},
        probability=said.probability,
        snapshot_id=said.snapshot_id if _SNAPSHOT.fullmatch(said.snapshot_id) else "",
        text=said.text if keeps_text else None,
    )
    return desk.store.feedback.add(feedback, actor=desk.caller.actor or NOBODY, voter=desk.voter)


def votes(desk: IncidentService, incident_id: str) -> tuple[str, Votes]:
    """The incident that stands for the id, and how many said what of it."""
    found = desk.look(incident_id).incident.id
    return found, desk.store.feedback.votes([found])[found]


def sightings(desk: IncidentService, incident_id: str) -> tuple[str, list[Sighting]]:
    """The incident that stands for the id, and the pastes that readers said something of."""
    found = desk.look(incident_id).incident.id
    return found, desk.store.sightings.of(found)


def put_sighting(desk: IncidentService, incident_id: str, name: str, *, removed: bool) -> Sighting:
    """Have one count no more, or again. Missing when there is none of that name."""
    found, room = desk.look(incident_id).incident.id, desk.store.sightings
    return (room.remove if removed else room.put_back)(found, name, actor=desk.actor)
