"""Read tickets of trackers, forums, wikis and mailing lists as incidents, by the functions that read articles."""

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
    """Return the tracker that wrote a JSON object, by its shape, or None."""
    if is_jira(record):
        return Tracker.JIRA
    if is_confluence(record):
        return Tracker.CONFLUENCE
    return Tracker.GITHUB if is_github(record) else None


def key_of(record: Mapping[str, object]) -> str:
    """Return the permanent key of a REST or GraphQL object in its tracker, or ''."""
    tracker = tracker_of(record)
    if tracker is Tracker.JIRA:
        return text_at(record, "key")
    if tracker is Tracker.GITHUB:
        return github_key(record)
    return text_at(record, "id") if tracker else ""


def incidents_of_record(record: Mapping[str, object], tracker: Tracker, name: str) -> tuple[Incident, ...]:
    """Return the incidents of a record: one, several for a wiki page that lists problems, none for an empty one.

    ``name`` is its path, relative to its source.
    Raises `kb.record.RecordError` when what makes it a record is missing.
    """
    return incidents_of_ticket(_ticket(record, tracker, name), name)


def _ticket(record: Mapping[str, object], tracker: Tracker, name: str) -> Ticket:
    if tracker is Tracker.STACKEXCHANGE:
        return stackexchange(record, name)
    read = {Tracker.JIRA: jira, Tracker.GITHUB: github, Tracker.CONFLUENCE: confluence, Tracker.MBOX: mail}
    return read[tracker](record)
