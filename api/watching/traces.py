"""Find the traces of one log as they appear: in bounded memory, complete after a quiet moment at the latest, each of them once."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

from kb.redact import redact
from kb.trace import ExceptionChain, Level, TraceStream, fingerprints

_MOST = 400_000
"""Most characters of a trace that are searched: its head and its tail."""
_DUMP_GAP = 4_000
"""Characters between two threads of one dump at most."""
_MOST_LINES = 400
"""Frames of other traces that are looked for in an interleaved one."""

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The lines of one trace, or of all threads of a dump."""

    text: str
    """With whatever secrets it has."""
    span: Span
    """In the text that is held."""
    digest: str
    """Equal for equal traces."""
    place: str | None
    """The line where the innermost cause was raised, in the application if it was there; None without frames."""


def excerpts(chains: Sequence[ExceptionChain], text: str, base: int) -> Iterator[Excerpt]:
    """One for each trace of a text that begins at ``base`` in the whole; traces inside the message of another go with that one."""
    for group in _together(chains, text, base):
        begin, end = _lines(text, min(c.span[0] for c in group) - base, max(c.span[1] for c in group) - base)
        whole = text[begin:end]
        if all(_is_thread(chain) for chain in group):
            yield _excerpt(whole, (begin + base, end + base), group)
            continue
        given: set[str] = set()
        outer = [chain for chain in group if not _is_inside_another(chain, group)]
        for chain in outer:
            own = _without_others(whole, chain, outer)
            if own not in given:
                given.add(own)
                yield _excerpt(own, chain.span, [chain])


def _together(chains: Sequence[ExceptionChain], text: str, base: int) -> Iterator[list[ExceptionChain]]:
    """Traces whose lines overlap, and the threads of a dump."""
    group: list[ExceptionChain] = []
    reach = 0
    for chain in sorted(chains, key=lambda chain: chain.span):
        begin, end = _lines(text, chain.span[0] - base, chain.span[1] - base)
        is_dump = bool(group) and _is_thread(chain) and _is_thread(group[-1]) and begin - reach <= _DUMP_GAP
        if group and begin >= reach and not is_dump:
            yield group
            group = []
        group.append(chain)
        reach = max(reach, end)
    if group:
        yield group


def _lines(text: str, begin: int, end: int) -> Span:
    """The whole lines around a place."""
    behind = text.find("\n", max(end - 1, begin))
    return text.rfind("\n", 0, begin) + 1, len(text) if behind < 0 else behind + 1


def _is_thread(chain: ExceptionChain) -> bool:
    """Whether it is a thread of a dump, which raised nothing."""
    return chain.root.type is None and bool(chain.thread)


def _is_inside_another(chain: ExceptionChain, group: Sequence[ExceptionChain]) -> bool:
    """Whether it lies inside a message of another runtime: a Python traceback in a Java exception."""
    begin, end = chain.span
    return any(
        other.runtime != chain.runtime and other.span[0] <= begin and end <= other.span[1] and other.span != chain.span
        for other in group
    )


def _without_others(whole: str, chain: ExceptionChain, group: Sequence[ExceptionChain]) -> str:
    """The lines without those that show frames of other traces and none of this one."""
    own = _raws([chain])
    foreign = _raws([other for other in group if other is not chain]) - own
    if not foreign:
        return whole
    lines = whole.splitlines(keepends=True)
    return "".join(line for line in lines if not any(raw in line for raw in foreign) or any(raw in line for raw in own))


def _raws(chains: Sequence[ExceptionChain]) -> set[str]:
    """The frames as they stood in the text, and the types raised."""
    raws: set[str] = set()
    for chain in chains:
        for raised in chain.exceptions:
            raws.update(filter(None, (raised.type, *(frame.raw for frame in raised.stack.frames[:_MOST_LINES]))))
        if len(raws) >= _MOST_LINES:
            break
    return raws


def _excerpt(text: str, span: Span, chains: Sequence[ExceptionChain]) -> Excerpt:
    digests = sorted({fingerprints(chain)[Level.EXACT].digest for chain in chains})
    digest = digests[0] if len(digests) == 1 else sha256("\n".join(digests).encode()).hexdigest()
    if len(text) > _MOST:
        text = f"{text[: _MOST // 2]}\n{text[-_MOST // 2 :]}"
    return Excerpt(text, span, digest, _place(chains))


def _place(chains: Sequence[ExceptionChain]) -> str | None:
    stacks = [
        raised.stack.frames for chain in chains for raised in (chain.root, *chain.exceptions) if raised.stack.frames
    ]
    frames = stacks[0] if stacks else ()
    return next((frame.raw for frame in (*(one for one in frames if one.in_app), *frames)), None)


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
    """Its lines without secrets: the text to search."""
    digest: str
    """Equal for equal traces."""
    place: str | None
    """The line where it was raised, without secrets; None for an exception that is only named."""
    instead_of: str | None = None
    """The digest that it had when it was given before: then it went on."""

    @property
    def has_frames(self) -> bool:
        """Whether it shows a stack."""
        return self.place is not None


class TraceFinder:
    """Finds the traces of one log, whose text comes in pieces."""

    def __init__(self, source: str, stream: TraceStream | None = None, small: int = _SMALL) -> None:
        """``source`` is the name of the log; ``small`` characters of an open trace are read again with every look."""
        self.source = source
        self._stream, self._small = stream or TraceStream(), small
        self._waiting: list[str] = []
        self._size = 0
        self._given: list[tuple[Span, str]] = []

    def take(self, text: str) -> list[LogTrace]:
        """Add whole lines. Returns complete traces once much text has come; otherwise `look` returns them."""
        self._waiting.append(text)
        self._size += len(text)
        return self.look() if self._size >= _MUCH else []

    def look(self) -> list[LogTrace]:
        """Return the traces that are complete now.

        Unfinished text is read again every time, so a long one is read only once it has doubled.
        """
        if not self._size or (self._stream.unread > self._small and self._size < self._stream.unread):
            return []
        return self._read()

    def quiet(self, unfinished: str = "") -> list[LogTrace]:
        """Return all traces as if the log ended here, with an unfinished last line. A trace that continues later keeps its identity."""
        complete = self._read()
        chains = list(self._stream.rest(unfinished))
        return [*complete, *self._new(chains, self._stream.held + unfinished)]

    def _read(self) -> list[LogTrace]:
        text, self._waiting, self._size = "".join(self._waiting), [], 0
        chains = list(self._stream.feed(text))
        complete = self._new(chains, self._stream.held)
        self._given = [one for one in self._given if one[0][1] > self._stream.base][-_MOST_GIVEN:]
        return complete

    def _new(self, chains: Iterable[ExceptionChain], text: str) -> list[LogTrace]:
        """Return the traces that were not given before."""
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
