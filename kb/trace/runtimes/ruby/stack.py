"""Takes the frames of one Ruby exception, one below the other."""

import re
from dataclasses import dataclass, field

from kb.trace.model import Frame
from kb.trace.runtimes.ruby.syntax import (
    bare_frame,
    from_frame,
    jruby_frame,
    levels,
    loose_frame,
    place_head,
    typed_head,
)
from kb.trace.runtimes.sublines import Sublines

MOST_FRAMES = 1_024
_SKIPPED = re.compile(r"[ \t]*+(?:\.{3,6}|…)[ \t]*+$")


@dataclass(slots=True)
class RubyException:
    """One exception while it is read."""

    type: str | None
    message: str
    frames: list[Frame] = field(default_factory=list)


class RubyStack:
    """Reads frames into exceptions; remembers what it had to leave out."""

    def __init__(self, parts: Sublines) -> None:
        self._parts = parts
        self.notes: list[str] = []
        self.lost = 0

    def take(self, raised: RubyException, at: int, *, bare: bool) -> int:
        """Takes frames from ``at`` on; gives back the first part that is none."""
        while (line := self._parts.get(at)) is not None:
            found = from_frame(line)
            frame = found[0] if found is not None else (loose_frame(line) if bare else jruby_frame(line))
            size = 1
            if frame is None and "from " in line:
                frame, size = self._wrapped(line, at)
            if frame is not None:
                self.add(raised, frame)
                at += size
            elif (count := levels(line)) is not None:
                self.notes.append(f"{count} levels of the backtrace were not printed")
                at += 1
            elif (_SKIPPED.match(line) or not line.strip()) and self._goes_on(at + 1, bare=bare):
                at += 1
            else:
                break
        return at

    def _wrapped(self, line: str, at: int) -> tuple[Frame | None, int]:
        """A frame that a narrow window broke in two."""
        below = self._parts.get(at + 1)
        if below is None or "from " in below or place_head(below) is not None:
            return None, 1
        found = from_frame(line.rstrip() + below.strip()) or from_frame(f"{line.rstrip()} {below.strip()}")
        return (found[0], 2) if found is not None else (None, 1)

    def _goes_on(self, at: int, *, bare: bool) -> bool:
        line = self._parts.get(at)
        return line is not None and (
            from_frame(line) is not None or (bare and bare_frame(line) is not None and typed_head(line) is None)
        )

    def add(self, raised: RubyException, frame: Frame) -> None:
        if len(raised.frames) < MOST_FRAMES:
            raised.frames.append(frame)
        else:
            self.lost += 1
