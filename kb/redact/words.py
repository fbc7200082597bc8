"""The words of redaction: what was taken away, and how a kind of secret is looked for."""

import re
from collections.abc import Callable
from dataclasses import dataclass

PLACEHOLDER = "<secret>"


@dataclass(frozen=True, slots=True)
class Redaction:
    """One secret that was taken away: its kind, and where it stood in the original text."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets, and what was taken out, in text order."""

    text: str
    redactions: tuple[Redaction, ...] = ()


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of secret: its pattern is tried only where an anchor stands; its group ``secret`` is what is taken away."""

    name: str
    anchors: tuple[str, ...]
    """Lower-case literals."""
    pattern: re.Pattern[str]
    accepts: Callable[[re.Match[str]], bool] | None = None
