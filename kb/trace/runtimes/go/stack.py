"""The calls of one goroutine."""

import re
from dataclasses import dataclass, field

from kb.trace.model import Frame
from kb.trace.runtimes.go.syntax import call_of, created_by, elided, frame, goroutine_of, place_of
from kb.trace.runtimes.pieces import Readable

MOST_FRAMES = 1_024
_UNTOLD = (
    "goroutine running on other thread",
    "runtime: unexpected return pc",
    "non-Go function",
    "runtime: ",
    "stack: frame={",
)
_MEMORY = re.compile(r"[0-9a-f]{8,16}: [ !<>]")


@dataclass(slots=True)
class GoStack:
    """Frames, the raise point first, and what was odd about them."""

    frames: list[Frame] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def read_stack(source: Readable, at: int) -> tuple[GoStack, int]:
    """The calls from line ``at`` on, and the line behind them; who started the goroutine belongs to it, too."""
    stack, cut, end, dots = GoStack(), 0, at, 0
    while (line := source.get(at)) is not None:
        found = frame_at(source, at)
        if found is not None:
            if len(stack.frames) < MOST_FRAMES:
                stack.frames.append(found[0])
            else:
                cut += 1
            at = end = found[1]
            continue
        body = line.strip()
        starter = created_by(line)
        if starter is not None:
            stack.notes.append(f"the goroutine was started by {starter}")
            following = source.get(at + 1)
            is_place = following is not None and place_of(following) is not None
            end = at + (2 if is_place else 1)
            break
        if elided(line):
            stack.notes.append(f"the runtime left frames out: {body}")
            at = end = at + 1
            continue
        if body in ("...", "…", ".", "") and dots < 2 and frame_at(source, at + 1) is not None and stack.frames:
            at, dots = at + 1, dots + 1  # an author's dots between frames
            continue
        if (body.startswith(_UNTOLD) or _MEMORY.match(body)) and goroutine_of(line) is None:
            at = end = at + 1
            continue
        break
    if cut:
        stack.notes.append(f"{cut} frames were not kept")
    return stack, end


def frame_at(source: Readable, at: int) -> tuple[Frame, int] | None:
    """The frame of a call on this line and the place below it, and the line behind them. Either may be wrapped once."""
    line = source.get(at)
    if line is None or not line.strip():
        return None
    following = source.get(at + 1)
    name = call_of(line)
    if name is not None:
        place = place_of(following) if following is not None else None
        if place is not None:
            return frame(name, place[0], place[1], line.strip()), at + 2
        return _wrapped_place(source, name, at)
    if following is not None and "(" in line and ")" not in line[line.rfind("(") :]:
        name = call_of(line.rstrip() + following.strip())
        below = source.get(at + 2)
        place = place_of(below) if name is not None and below is not None else None
        if name is not None and place is not None:
            return frame(name, place[0], place[1], line.strip()), at + 3
    return None


def _wrapped_place(source: Readable, name: str, at: int) -> tuple[Frame, int] | None:
    upper, lower = source.get(at + 1), source.get(at + 2)
    if upper is None or lower is None or "/" not in upper or upper[:1] not in " \t":
        return None
    place = place_of(upper.rstrip() + lower.strip()) or place_of(upper.rstrip() + " " + lower.strip())
    return (frame(name, place[0], place[1], (source.get(at) or "").strip()), at + 3) if place is not None else None
