"""Tickets of trackers, forums, wikis and mailing lists → incidents, read by the functions that read articles."""

from collections.abc import Mapping
from enum import StrEnum

from kb.incident import Incident
from kb.tracker.confluence import confluence, is_confluence
from kb.tracker.fields import text_at
from kb.tracker.github import github, github_key, is_github
from kb.tracker.jira import is_jira, jira
from kb.tracker.mail import mail
from kb.tracker.stackexchange import stackexchange
from kb.tracker.ticket import Ticket, incidents_of_ticket

__all__ = ["Tracker", "incidents_of_record", "key_of", "tracker_of"]


class Tracker(StrEnum):
    """Where tickets come from."""

    JIRA = "jira"
    GITHUB = "github"
    STACKEXCHANGE = "stackexchange"
    CONFLUENCE = "confluence"
    MBOX = "mbox"


def tracker_of(record: Mapping[str, object]) -> Tracker | None:
    """The tracker that wrote a JSON object, by the shape of it; None for anything else."""
    if is_jira(record):
        return Tracker.JIRA
    if is_confluence(record):
        return Tracker.CONFLUENCE
    return Tracker.GITHUB if is_github(record) else None


def key_of(record: Mapping[str, object]) -> str:
    """By what its tracker knows a JSON object of REST or GraphQL for ever; empty when it does not say."""
    tracker = tracker_of(record)
    if tracker is Tracker.JIRA:
        return text_at(record, "key")
    if tracker is Tracker.GITHUB:
        return github_key(record)
    return text_at(record, "id") if tracker else ""


def incidents_of_record(record: Mapping[str, object], tracker: Tracker, name: str) -> tuple[Incident, ...]:
    """The incidents of one record of a tracker: one, several of a wiki page that lists problems, none when it has no words.

    ``name`` is its path, relative to its source.
    Raises `kb.record.RecordError` when what makes it a record is missing.
    """
    return incidents_of_ticket(_ticket(record, tracker, name), name)


def _ticket(record: Mapping[str, object], tracker: Tracker, name: str) -> Ticket:
    if tracker is Tracker.STACKEXCHANGE:
        return stackexchange(record, name)
    read = {Tracker.JIRA: jira, Tracker.GITHUB: github, Tracker.CONFLUENCE: confluence, Tracker.MBOX: mail}
    return read[tracker](record)
