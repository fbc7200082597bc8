"""Takes the frames of one PHP exception, in whatever form they are printed."""

import re
from dataclasses import dataclass

from kb.patterns import lazy
from kb.trace.lines import Sublines
from kb.trace.model import Frame
from kb.trace.runtimes.base import MOST_FRAMES, FrameStack
from kb.trace.runtimes.php.syntax import called, called_at, frame_of, head_of, xdebug_frame

_MOST_GAPS = 4
_LONGEST_REST = 2_000
# e.g. Stack trace:
_STACK_FOLLOWS = lazy(
    r"(?:.{0,400}?[^\w])?(?:(?:PHP )?Stack trace:|\[stacktrace\]|Call Stack:?|Exception trace:|Stack:)[ \t\"']*$"
)
THROWN = lazy(r".{0,400}?\bthrown in .{1,600} on line (?:<b>)?\d", re.DOTALL)
_GAP = lazy(r"[ \t]*(?:\.{3,6}|…)?[ \t]*$")


@dataclass(slots=True)
class PhpException(FrameStack):
    """One exception while it is read."""

    type: str | None
    message: str


def is_stack_head(line: str) -> bool:
    """Whether the line only says that a stack follows."""
    return len(line) < 1_000 and _STACK_FOLLOWS.match(line) is not None


class PhpStack:
    """Reads frames into exceptions."""

    def __init__(self, parts: Sublines) -> None:
        self._parts = parts

    def take(self, raised: PhpException, at: int) -> int:
        """Take the frames from ``at`` on; gives back the first part behind them."""
        number = at
        while (line := self._parts.get(number)) is not None and number < at + 3 and not line.strip():
            number += 1
        if line is None:
            return at
        if is_stack_head(line):
            number += 1
        elif frame_of(line) is None and (number > at or (called(line) is None and xdebug_frame(line) is None)):
            return at
        while (line := self._parts.get(number)) is not None and number < at + _MOST_GAPS and _GAP.match(line):
            number += 1
        below = self._parts.get(number) or ""
        if xdebug_frame(below) is not None:
            return self._xdebug(raised, number)
        if frame_of(below) is not None:
            return self._numbered(raised, number)
        return self._called(raised, number)

    def _numbered(self, raised: PhpException, at: int) -> int:
        last = -1
        while (line := self._parts.get(at)) is not None:
            found = frame_of(line)
            if found is None:
                if self._goes_on(line, at):
                    at += 1
                    continue
                break
            number, frame = found
            if number <= last:
                break  # the next trace
            last = number
            at += 1
            if frame is None:
                break
            if frame.function is None:
                frame, at = self._joined(frame, at)
            raised.add(frame)
        return at

    def _joined(self, frame: Frame, at: int) -> tuple[Frame, int]:
        """Return a frame whose function a narrow window put on the next line."""
        below = self._parts.get(at)
        found = frame_of(f"{frame.raw} {below.strip()}") if below is not None and "(" in below else None
        return (found[1], at + 1) if found is not None and found[1] is not None and found[1].function else (frame, at)

    def _goes_on(self, line: str, at: int) -> bool:
        """Whether a line that is no frame is the rest of one: dots, a blank, an argument with a line break."""
        if len(line) > _LONGEST_REST or head_of(line) is not None or THROWN.match(line):
            return False
        for number in range(at + 1, at + _MOST_GAPS):
            below = self._parts.get(number)
            found = frame_of(below) if below is not None else None
            if found is not None or below is None or below.strip():
                return found is not None and found[0] > 0
        return False

    def _xdebug(self, raised: PhpException, at: int) -> int:
        printed: list[Frame] = []
        while (line := self._parts.get(at)) is not None and (frame := xdebug_frame(line)) is not None:
            printed.append(frame)
            at += 1
        printed = [frame for frame in printed if frame.function != "{main}"]
        raised.lost += max(len(printed) - MOST_FRAMES, 0)
        raised.frames.extend(reversed(printed[-MOST_FRAMES:]))
        return at

    def _called(self, raised: PhpException, at: int) -> int:
        begun = at
        while (line := self._parts.get(at)) is not None:
            frame, size = called(line), 1
            if frame is None:
                frame, size = called_at(line, self._parts.get(at + 1)), 2
            if frame is None:
                if at > begun and _GAP.match(line) and called(self._parts.get(at + 1) or "") is not None:
                    at += 1
                    continue
                break
            if (
                at == begun
                and frame.function is None
                and len(raised.frames) == 1
                and raised.frames[0].lineno == frame.lineno
            ):
                raised.frames[0] = frame  # the place of the head again, with its whole path
            else:
                raised.add(frame)
            at += size
        return at
