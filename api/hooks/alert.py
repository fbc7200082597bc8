"""What other systems tell of, in no system's form."""

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
    """The same whenever this occurrence is told of again."""
    name: str
    text: str
    """What is searched: a trace where there is one, else words."""
    group: str
    """What it belongs to: for one group the same incident is not told of again soon."""
    is_over: bool = False
    """It is resolved, and not searched."""


def digest(*parts: str) -> str:
    """A short name of parts, which may be long or hold anything."""
    return sha256("\x00".join(parts).encode("utf-8", "replace")).hexdigest()[:32]


def named(*words: str) -> str:
    """The first of the words there is, in one line."""
    first = next((word.strip() for word in words if word.strip()), "alert")
    return " ".join(first[: 4 * NAME].split())[:NAME]


def joined(texts: Iterable[str]) -> str:
    """Each text once, in order."""
    return "\n".join(dict.fromkeys(filter(None, (text.strip() for text in texts))))[:TEXT]


def spread(alerts: Iterable[Alert]) -> tuple[Alert, ...]:
    """One of each name first, then the second of each: what is looked at of a flood is of many kinds."""
    seen: Counter[str] = Counter()
    turns = []
    for alert in alerts:
        turns.append((seen[alert.name], alert))
        seen[alert.name] += 1
    return tuple(alert for _, alert in sorted(turns, key=lambda turn: turn[0]))
