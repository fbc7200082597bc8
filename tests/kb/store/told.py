"""Who writes what, in the tests of the store."""

from kb.incident import Incident
from kb.record import from_record
from kb.store import Actor, Role

ANN = Actor("u:ann", "Ann", Role.CURATOR)
BEN = Actor("u:ben", "Ben 本", Role.REVIEWER)
TRACE = "java.lang.IllegalStateException: {0} is empty\n\tat com.shop.{0}.run({0}.java:4)"


def incident(incident_id: str, title: str = "The basket is empty", *places: str, **more: object) -> Incident:
    """An incident with a trace of each place."""
    traces = [TRACE.format(place) for place in places or ("Basket",)]
    return from_record({"id": incident_id, "title": title, "traces": traces, **more})
