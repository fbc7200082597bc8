"""Store what readers think of matches."""

import re

from api.writing.incident_service import IncidentService
from api.writing.shapes import FeedbackIn
from index.ranking.sightings import fingerprint_digests
from index.reading import read
from kb.store.model import NOBODY, Feedback, Vote, Votes
from kb.store.voices import Sighting

_SNAPSHOT = re.compile(r"[0-9a-f]{16}")
"""Ids of snapshots; anything else in their place is not stored."""


def record_feedback(service: IncidentService, incident_id: str, given: FeedbackIn, *, keeps_text: bool) -> Feedback:
    """Store feedback on an incident. Missing when the caller sees no such incident."""
    incident = service.look(incident_id).incident
    feedback = Feedback(
        incident_id=incident.id,
        vote=Vote.YES if given.vote == "yes" else Vote.NO,
        prints=fingerprint_digests(read(given.text))
        if given.text
        else {level: tuple(some) for level, some in (given.fingerprints or {}).items()},
        probability=given.probability,
        snapshot_id=given.snapshot_id if _SNAPSHOT.fullmatch(given.snapshot_id) else "",
        text=given.text if keeps_text else None,
    )
    return service.store.feedback.add(feedback, actor=service.caller.actor or NOBODY, voter=service.voter)


def votes(service: IncidentService, incident_id: str) -> tuple[str, Votes]:
    """Return the id of the incident and its votes."""
    name = service.look(incident_id).incident.id
    return name, service.store.feedback.votes([name])[name]


def sightings(service: IncidentService, incident_id: str) -> tuple[str, list[Sighting]]:
    """Return the id of the incident and the pastes that readers confirmed or denied."""
    name = service.look(incident_id).incident.id
    return name, service.store.sightings.of(name)


def put_sighting(service: IncidentService, incident_id: str, name: str, *, removed: bool) -> Sighting:
    """Remove a sighting or put it back. Missing when no sighting has the name."""
    target, room = service.look(incident_id).incident.id, service.store.sightings
    return (room.remove if removed else room.put_back)(target, name, actor=service.actor)
