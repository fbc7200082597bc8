"""What an answer amounts to: three words, apart from all that it takes to find them."""

from enum import StrEnum


class Verdict(StrEnum):
    """What the matches amount to."""

    KNOWN = "known"
    RELATED = "related"
    UNKNOWN = "unknown"
