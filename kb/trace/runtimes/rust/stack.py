"""The entries of one Rust backtrace."""

import re
from dataclasses import dataclass, field

from kb.trace.model import Frame
from kb.trace.runtimes.pieces import Readable
from kb.trace.runtimes.rust.syntax import RustPosition, entry_of, frame, inlined_of, place_of

MOST_FRAMES = 1_024
_BEGINS = ("stack backtrace:", "Stack backtrace:", "Backtrace:", "BACKTRACE:")
_NOTES = (
    "note: run with `RUST_BACKTRACE",
    "note: Run with `RUST_BACKTRACE",
    "note: Some details are omitted",
    "note: some details are omitted",
    "note: run with `RUST_LIB_BACKTRACE",
)
_LEFT_OUT = re.compile(
    r"[ \t]*+(?:⋮ \d{1,9} frames? hidden ⋮|\[\.\.\. omitted \d{1,9} frames? \.\.\.\]|\.{3}|…)[ \t]*+$"
)
_RULE = re.compile(r"[ \t]*+[━─-]{3,80}+(?: (?:BACKTRACE|SPANTRACE) [━─-]{3,80}+)?[ \t]*+$")


@dataclass(slots=True)
class RustStack:
    """Frames, the raise point first, and what was odd about them."""

    frames: list[Frame] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    cut: int = 0

    def add(self, found: Frame) -> None:
        """One frame, up to the limit; what the runtime itself leaves out of a short backtrace is left out here, too."""
        if found.function is not None and "__rust_end_short_backtrace" in found.function:
            self.frames.clear()
            return
        if found.function is not None and "panic_with_hook" in found.function:
            self.frames.clear()  # above it stands the hook that printed this
        if len(self.frames) < MOST_FRAMES:
            self.frames.append(found)
        else:
            self.cut += 1


def begins_stack(line: str) -> bool:
    """``stack backtrace:``, whatever printed it."""
    body = line.strip()
    return body.startswith(_BEGINS) or (len(body) < 200 and "BACKTRACE" in body and _RULE.match(line) is not None)


def begins_spans(line: str) -> bool:
    """The rule above the spans of eyre, which are no calls."""
    return "SPANTRACE" in line and len(line) < 200 and _RULE.match(line) is not None


def is_note(line: str) -> bool:
    """What the runtime says about backtraces below a panic."""
    return line.lstrip().startswith(_NOTES)


def read_stack(source: Readable, at: int) -> tuple[RustStack, int]:
    """The entries from line ``at`` on, with what the runtime prints around them; and the line behind."""
    stack, end, blanks = RustStack(), at, 0
    while (line := source.get(at)) is not None:
        entry = entry_of(line)
        name = entry[0] if entry is not None else _inlined(source, at) if stack.frames else None
        if name is not None:
            place, at = _place_below(source, at, entry[2] if entry is not None else None)
            stack.add(frame(name, place, line.strip()))
            end, blanks = at, 0
            continue
        body = line.strip()
        if _LEFT_OUT.match(line[:200]):
            if "hidden" in body or "omitted" in body:
                stack.notes.append(f"frames were left out: {body}")
        elif not body:
            blanks += 1
            if blanks > 1 or stack.frames:
                break
        elif (is_note(line) or begins_stack(line)) and not (stack.frames and begins_stack(line)):
            end = at + 1
        else:
            break
        at += 1
    if stack.cut:
        stack.notes.append(f"{stack.cut} frames were not kept")
    return stack, end


def _inlined(source: Readable, at: int) -> str | None:
    name = inlined_of(source.get(at) or "")
    below = source.get(at + 1) if name is not None else None
    return name if below is not None and place_of(below) is not None else None


def _place_below(source: Readable, at: int, place: RustPosition | None) -> tuple[RustPosition | None, int]:
    """The place under an entry, on one line or wrapped over two; and the line behind."""
    if place is not None:
        return place, at + 1
    below = source.get(at + 1)
    if below is None:
        return None, at + 1
    found = place_of(below)
    if found is not None:
        return found, at + 2
    if below.lstrip().startswith("at ") and below[:1] in " \t":
        further = source.get(at + 2)
        found = place_of(below.rstrip() + further.strip()) if further is not None else None
        if found is not None:
            return found, at + 3
    return None, at + 1
