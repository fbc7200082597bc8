"""An alert, in no system's form."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

NAME = 150
"""Most characters of a name."""
TEXT = 200_000
"""Most characters of an alert's text that are searched."""


@dataclass(frozen=True, slots=True)
class Alert:
    """One thing that went wrong."""

    id: str
    """The same for every delivery of this occurrence."""
    name: str
    text: str
    """The text to search: a trace where there is one, else words."""
    group: str
    """The group it belongs to: the same incident is not posted again soon for one group."""
    is_over: bool = False
    """Whether it is resolved; then it is not searched."""


def digest(*parts: str) -> str:
    """Return a short hash of the parts."""
    return sha256("\x00".join(parts).encode("utf-8", "replace")).hexdigest()[:32]


def named(*words: str) -> str:
    """Return the first non-empty text, on one line."""
    first = next((word.strip() for word in words if word.strip()), "alert")
    return " ".join(first[: 4 * NAME].split())[:NAME]


def joined(texts: Iterable[str]) -> str:
    """Join the texts, each once, in order."""
    return "\n".join(dict.fromkeys(filter(None, (text.strip() for text in texts))))[:TEXT]


def spread(alerts: Iterable[Alert]) -> tuple[Alert, ...]:
    """Order alerts round-robin by name, so that the first of a flood are of many kinds."""
    seen: Counter[str] = Counter()
    turns = []
    for alert in alerts:
        turns.append((seen[alert.name], alert))
        seen[alert.name] += 1
    return tuple(alert for _, alert in sorted(turns, key=lambda turn: turn[0]))
