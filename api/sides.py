"""Two traces side by side as rows of text, for the page and for `kb explain`; and where the shared frames were pasted."""

from collections.abc import Iterator
from dataclasses import dataclass

from index import Explanation
from kb.trace import ExceptionChain, Frame, RaisedException, StackTrace, frame_key, normalize, parse

MOST_ROWS = 250
SEARCHED = 200_000
"""Characters of a pasted trace in which lines are marked; a longer one is a dump."""
MOST_FRAMES = 400
"""Distinct frames of a pasted trace that are looked up for marking."""

_AFTER_TYPE = frozenset(("", ":", "{", "\n", "\r", " "))

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Row:
    """An exception or a frame of each side; None where that side has no counterpart."""

    ours: str | None
    theirs: str | None
    is_exception: bool = False

    @property
    def agreement(self) -> str:
        """``same`` on both sides, ``one`` side only, or ``differs``."""
        if self.ours is None or self.theirs is None:
            return "one"
        return "same" if self.ours == self.theirs else "differs"


@dataclass(frozen=True, slots=True)
class Sides:
    """The rows, outermost exception first, and how many more there are."""

    rows: tuple[Row, ...]
    left_out: int = 0


def side_by_side(explanation: Explanation) -> Sides | None:
    """The aligned traces of an explanation; None when the query or the incident has no trace."""
    rows = tuple(_rows(explanation))
    return Sides(rows[:MOST_ROWS], max(0, len(rows) - MOST_ROWS)) if rows else None


def _rows(explanation: Explanation) -> Iterator[Row]:
    ours, theirs, alignment = explanation.query_chain, explanation.incident_chain, explanation.alignment
    if ours is None or theirs is None or alignment is None:
        return
    for a, b in alignment.exceptions:
        yield Row(_headline(ours.exceptions[a]), _headline(theirs.exceptions[b]), is_exception=True)
        for pair in alignment.frames:
            if (pair.exception_a, pair.exception_b) == (a, b):
                yield Row(_frame(ours, a, pair.frame_a), _frame(theirs, b, pair.frame_b))


def _headline(raised: RaisedException) -> str:
    return ": ".join(filter(None, (raised.type or "?", raised.message)))


def _frame(chain: ExceptionChain, exception: int, at: int | None) -> str | None:
    return None if at is None else frame_key(chain.exceptions[exception].stack.frames[at])


def shared_places(text: str, explanation: Explanation, span: Span) -> list[Span]:
    """Where in ``text`` the frames and exception types stand that both sides have. ``span``: the trace that agreed."""
    ours, theirs, alignment = explanation.query_chain, explanation.incident_chain, explanation.alignment
    if ours is None or theirs is None or alignment is None:
        return []
    keys = {_frame(ours, pair.exception_a, pair.frame_a) for pair in alignment.frames if pair.is_match}
    types = {
        ours.exceptions[a].type for a, b in alignment.exceptions if ours.exceptions[a].type == theirs.exceptions[b].type
    }
    start, pasted = span[0], text[span[0] : min(span[1], span[0] + SEARCHED)]
    wanted = [raw for raw, key in _keys(parse(pasted)) if key in keys]
    places = [place for raw in wanted for place in _occurrences(pasted, raw)]
    for name in filter(None, types):
        # In a head line the type ends there or a message follows; in a frame a dot does.
        places += [place for place in _occurrences(pasted, name) if pasted[place[1] : place[1] + 1] in _AFTER_TYPE]
    return [(start + first, start + last) for first, last in places]


def _keys(chains: tuple[ExceptionChain, ...]) -> Iterator[tuple[str, str]]:
    """Each distinct pasted line of a frame, with the identity that the frame has once normalised."""
    seen: set[str] = set()
    for chain in chains:
        for raised in chain.exceptions:
            for frame in raised.stack.frames:
                if frame.raw and frame.raw not in seen and len(seen) < MOST_FRAMES:
                    seen.add(frame.raw)
                    yield frame.raw, _lasting_key(chain.runtime, frame)


def _lasting_key(runtime: str, frame: Frame) -> str:
    alone = ExceptionChain(runtime, (RaisedException(type=None, stack=StackTrace((frame,))),))
    frames = normalize(alone).exceptions[0].stack.frames
    return frame_key(frames[0]) if frames else ""


def _occurrences(text: str, piece: str) -> Iterator[Span]:
    at = text.find(piece)
    while at >= 0:
        yield at, at + len(piece)
        at = text.find(piece, at + len(piece))
