"""Two normalised chains side by side: which exceptions and frames of one are those of the other."""

from bisect import bisect_left
from dataclasses import dataclass

from kb.trace.model import ExceptionChain, Frame
from kb.trace.normalize import frame_key

MOST_FRAMES = 200
"""Frames of one exception that are aligned: behind them lies the bottom of the stack, which tells little."""
_MOST_REPEATS = 8  # places of one frame that are tried: keeps the work linear for stacks that repeat themselves


@dataclass(frozen=True, slots=True)
class FramePair:
    """A frame of each side, as indices into exception and stack; None where one side has no counterpart."""

    exception_a: int
    frame_a: int | None
    exception_b: int
    frame_b: int | None

    @property
    def is_match(self) -> bool:
        """Whether both sides have the frame."""
        return self.frame_a is not None and self.frame_b is not None


@dataclass(frozen=True, slots=True)
class Alignment:
    """What two chains have in common, in the order of display: outermost exception first, raise point first."""

    exceptions: tuple[tuple[int, int], ...]
    frames: tuple[FramePair, ...]


def align(a: ExceptionChain, b: ExceptionChain) -> Alignment:
    """Aligns exceptions by type from the root outwards, and frames of aligned exceptions by longest common subsequence.

    Roots are aligned with each other even when their types differ, if nothing else is: their frames may agree.
    """
    path_a, path_b = _path(a), _path(b)
    types_a = [a.exceptions[i].type or "" for i in path_a]
    types_b = [b.exceptions[i].type or "" for i in path_b]
    matched = common(types_a, types_b) or [(0, 0)]
    pairs = sorted((path_a[i], path_b[j]) for i, j in matched)
    frames: list[FramePair] = []
    for i, j in pairs:
        frames.extend(_frame_pairs(i, _own(a, i), j, _own(b, j)))
    return Alignment(exceptions=tuple(pairs), frames=tuple(frames))


def _path(chain: ExceptionChain) -> list[int]:
    """Indices from the root outwards."""
    root = chain.root
    at: int | None = next(i for i, e in enumerate(chain.exceptions) if e is root)
    path: list[int] = []
    while at is not None and len(path) < len(chain.exceptions):
        path.append(at)
        at = chain.exceptions[at].parent
    return path


def _own(chain: ExceptionChain, at: int) -> tuple[Frame, ...]:
    """Return the frames that an exception does not share with the enclosing trace, where they are shown already."""
    exception = chain.exceptions[at]
    frames = exception.stack.frames
    return frames[: len(frames) - exception.elided][:MOST_FRAMES]


def _frame_pairs(i: int, frames_a: tuple[Frame, ...], j: int, frames_b: tuple[Frame, ...]) -> list[FramePair]:
    matched = common([frame_key(f) for f in frames_a], [frame_key(f) for f in frames_b])
    found: list[FramePair] = []
    at_a = at_b = 0
    for next_a, next_b in [*matched, (len(frames_a), len(frames_b))]:
        found.extend(FramePair(i, at, j, None) for at in range(at_a, next_a))
        found.extend(FramePair(i, None, j, at) for at in range(at_b, next_b))
        if next_a < len(frames_a):
            found.append(FramePair(i, next_a, j, next_b))
        at_a, at_b = next_a + 1, next_b + 1
    return found


def common(a: list[str], b: list[str]) -> list[tuple[int, int]]:
    """Return a longest common subsequence as index pairs (Hunt and Szymanski 1977): linear memory, r log n time."""
    places: dict[str, list[int]] = {}
    for at in range(len(b) - 1, -1, -1):
        places.setdefault(b[at], []).append(at)
    ends: list[int] = []  # ends[k]: the smallest place in b where a common subsequence of length k+1 ends
    links: list[tuple[int, int, object]] = []
    for i, key in enumerate(a):
        for j in places.get(key, ())[-_MOST_REPEATS:]:
            k = bisect_left(ends, j)
            link = (i, j, links[k - 1] if k else None)
            if k == len(ends):
                ends.append(j)
                links.append(link)
            elif j < ends[k]:
                ends[k], links[k] = j, link
    found: list[tuple[int, int]] = []
    node: object = links[-1] if links else None
    while isinstance(node, tuple):
        found.append((node[0], node[1]))
        node = node[2]
    return found[::-1]
