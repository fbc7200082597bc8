"""What an answer amounts to: a few words, apart from all that it takes to find them."""

from enum import StrEnum


class Verdict(StrEnum):
    """What the matches amount to."""

    KNOWN = "known"
    RELATED = "related"
    UNKNOWN = "unknown"


class FineVerdict(StrEnum):
    """The same in finer steps, for the sentence above an answer: a `related` one may well be the right one."""

    KNOWN = "known"
    PROBABLE = "probable"
    RELATED = "related"
    UNKNOWN = "unknown"

    @property
    def is_likely(self) -> bool:
        """Whether the best match is the one, or probably so."""
        return self in (FineVerdict.KNOWN, FineVerdict.PROBABLE)

    @property
    def verdict(self) -> Verdict:
        """The verdict on the wire: what is only probable is `related`."""
        return Verdict.RELATED if self is FineVerdict.PROBABLE else Verdict(self.value)
