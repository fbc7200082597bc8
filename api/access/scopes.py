"""What a key can be limited to."""

from enum import StrEnum


class Scope(StrEnum):
    """A part of the service. A key without any may all that its role may."""

    SEARCH = "search"
    """Search, parse, and the page that searches."""
    INCIDENTS = "incidents"
    """Incidents: reading, and with the role for it writing."""
    FEEDBACK = "feedback"
    """Saying that a match was right, or was not."""
    HOOKS = "hooks"
    """Telling of alerts, which may be posted to channels."""
    METRICS = "metrics"
    """The counters, and nothing else: for whatever collects them."""
    CHAT = "chat"
    """Questions of chats that could not be answered, for whoever is an administrator."""
