"""The traces of one log as they appear: in bounded memory, complete at the latest after a quiet moment, each of them once."""

from collections.abc import Iterable
from dataclasses import dataclass

from api.watching.excerpts import Excerpt, Span, excerpts
from kb.redact import redact
from kb.trace import ExceptionChain, TraceStream

_SMALL = 64 << 10
"""Characters that are read again without a thought."""
_MUCH = 1 << 20
"""Characters that are read at once when they are there."""
_MOST_GIVEN = 1_000


@dataclass(frozen=True, slots=True)
class LogTrace:
    """A trace of a log."""

    source: str
    """The log, by the name that people know."""
    text: str
    """Its lines without secrets: what is asked about."""
    digest: str
    """Equal for what is the same trace again."""
    place: str | None
    """The line where it was raised, without secrets; None for an exception that is only named."""
    instead_of: str | None = None
    """The digest that it had when it was given before: then it went on."""

    @property
    def has_frames(self) -> bool:
        """Whether it shows a stack."""
        return self.place is not None


class Finder:
    """Takes the text of one log, piece by piece, and gives its traces."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._stream = TraceStream()
        self._waiting: list[str] = []
        self._size = 0
        self._given: list[tuple[Span, str]] = []

    def take(self, text: str) -> list[LogTrace]:
        """More of it, in whole lines. The traces that are complete, where much has come; else `look` tells them."""
        self._waiting.append(text)
        self._size += len(text)
        return self.look() if self._size >= _MUCH else []

    def look(self) -> list[LogTrace]:
        """The traces that are complete now.

        What is unread is read again every time, so where that is much, at least half of all that is read has to be new.
        """
        if not self._size or (self._stream.unread > _SMALL and self._size < self._stream.unread):
            return []
        return self._read()

    def quiet(self, unfinished: str = "") -> list[LogTrace]:
        """All that there is, as if the log ended here, with a last line that has no end yet. What goes on later is the same trace."""
        found = self._read()
        chains = list(self._stream.rest(unfinished))
        return [*found, *self._new(chains, self._stream.held + unfinished)]

    def _read(self) -> list[LogTrace]:
        text, self._waiting, self._size = "".join(self._waiting), [], 0
        chains = list(self._stream.feed(text))
        found = self._new(chains, self._stream.held)
        self._given = [one for one in self._given if one[0][1] > self._stream.base][-_MOST_GIVEN:]
        return found

    def _new(self, chains: Iterable[ExceptionChain], text: str) -> list[LogTrace]:
        """What was not given before."""
        return [
            LogTrace(self.source, redact(one.text).text, one.digest, one.place and redact(one.place).text, before)
            for one in excerpts(list(chains), text, self._stream.base)
            if (before := self._before(one)) != one.digest
        ]

    def _before(self, one: Excerpt) -> str | None:
        """The digest under which a trace was given already: it begins where that one did, or is that one, seen from further on."""
        for at, (span, digest) in enumerate(self._given):
            is_over = span[0] < one.span[1] and one.span[0] < span[1]
            if span[0] == one.span[0] or (is_over and digest == one.digest):
                self._given[at] = (one.span, one.digest)
                return digest
        self._given.append((one.span, one.digest))
        return None
