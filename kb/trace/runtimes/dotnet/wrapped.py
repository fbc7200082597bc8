"""Frames that a console or a narrow page broke in several lines."""

import re
from functools import cache

from kb.trace.lines import Lines
from kb.trace.model import Frame
from kb.trace.runtimes.dotnet.frames import frame_of
from kb.trace.runtimes.dotnet.heads import marker_of
from kb.trace.runtimes.dotnet.languages import at_words

_MOST_PARTS = 5
_LONGEST_PART = 400


@cache
def _opened() -> re.Pattern[str]:
    """A frame's beginning: up to its name, into its arguments, or into its place."""
    return re.compile(
        rf"[ \t]*+(?:{at_words()})(?:[:：][ \t]*+|[ \t]++)[\w<.][^\s()]{{2,600}}+(?:[ ]?\([^()]{{0,300}}+(?:\)[^()\n]{{1,300}}+)?)?$"
    )


def broken_frame(lines: Lines, at: int) -> tuple[Frame | None, int]:
    """The frame that this line and the next ones make together, and how many they are; (None, 0) if they make none."""
    line = lines.get(at) or ""
    if len(line) > _LONGEST_PART or frame_of(line) is not None:
        return None, 0
    if _opened().match(line.rstrip()) is None:
        return None, 0
    text = line.rstrip("\n")
    for count in range(2, _MOST_PARTS + 1):
        following = lines.get(at + count - 1)
        if following is None or not following.strip() or len(following) > _LONGEST_PART:
            break
        if frame_of(following) is not None or marker_of(following) is not None:
            break
        for glue in ("", " "):  # a console breaks inside words, a page between them
            frame = frame_of(text.rstrip() + glue + following.strip() if glue else text + following.rstrip())
            if frame is not None:
                return frame, count
        text += following.rstrip()
    return None, 0
