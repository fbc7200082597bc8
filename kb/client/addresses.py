"""The addresses that hold the id of an incident: the id may hold anything, a slash included."""

from urllib.parse import quote

INCIDENTS = "/v1/incidents"
DOORS = frozenset(("similar", "draft"))
"""Words of the service in the place of an id. An incident with such an id is at ``%73imilar``, ``%64raft``."""


def address(incident_id: str, room: str = "") -> str:
    """The path of an incident, or of a room of it."""
    quoted = quote(incident_id, safe="", errors="replace")
    if quoted in DOORS:
        quoted = f"%{ord(quoted[0]):02X}{quoted[1:]}"
    return f"{INCIDENTS}/{quoted}{room}"
