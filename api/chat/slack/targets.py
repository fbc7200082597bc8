"""Where an answer goes: written by `reading`, stored as JSON, read by `sending`."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class SlackTarget:
    """A place in Slack. With ``channel`` alone it is posted there; ``respond`` is the way where we are not a member."""

    channel: str
    thread: str = ""
    """Timestamp of the message at its head; '' for none."""
    since: str = ""
    """Nothing that we said before answers it: timestamp of what was asked."""
    user: str = ""
    """Who asked or pressed: sees what is not for everybody."""
    respond: str = ""
    """Slack's ``response_url`` for it: good for 30 minutes and 5 messages."""
    privately: bool = False
    """Only ``user`` is to see the answer."""
    command: bool = False
    """It was a slash command: answered through ``respond``, also where we are not a member."""

    def wire(self) -> Mapping[str, Any]:
        """As JSON."""
        return {key: value for key, value in asdict(self).items() if value}

    @classmethod
    def of(cls, wire: Mapping[str, Any]) -> Self:
        """Out of what `wire` wrote."""
        return cls(**wire)
