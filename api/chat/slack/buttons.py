"""What a button of an answer carries: whose answer, which of its matches, yes or no."""

import re
from dataclasses import dataclass

from kb.store.model import Vote

_VALUE = re.compile(r"(yes|no):([0-9]{1,3}):([A-Za-z0-9_-]{1,200})")


@dataclass(frozen=True, slots=True)
class Pressed:
    """A vote on a match."""

    ref: str
    place: int
    vote: Vote


def value(ref: str, place: int, vote: Vote) -> str:
    """The button's ``value``: of at most 2000 characters for Slack, of 208 here."""
    return f"{vote.name.lower()}:{place}:{ref}"


def pressed(value: str) -> Pressed | None:
    """What `value` wrote; None for a button that is a link."""
    found = _VALUE.fullmatch(value)
    return Pressed(found[3], int(found[2]), Vote[found[1].upper()]) if found else None
