"""The frame on a line, in whichever spelling: each is asked that the line's first characters allow."""

from collections.abc import Callable
from functools import lru_cache

from kb.trace.prefix import LOG_PREFIX
from kb.trace.runtimes.native import gnu, systems
from kb.trace.runtimes.native.printed import LONGEST, Printed

_BY_DIGIT: tuple[Callable[[str], Printed | None], ...] = (
    gnu.boost, gnu.node, systems.apple, systems.breakpad, systems.windbg, gnu.clickhouse, systems.swift
)  # fmt: skip


@lru_cache(maxsize=16_384)
def frame_of(line: str) -> Printed | None:
    """The frame that the line is; None if it is none. A log's prefix is to be taken off before."""
    body = line.strip(" \t")
    if len(body) < 3 or len(body) > LONGEST:
        return None
    first = body[0]
    found = None
    if first == "#":
        found = systems.android(body) if " pc " in body[:14] else gnu.numbered(body)
    elif first == "@" or body.startswith("PC: @"):
        found = gnu.at_sign(body)
    elif first in "*f" and "frame #" in body[:9]:
        found = gnu.lldb(body)
    elif body.startswith(("native: #", "at #")):
        found = systems.android(body)
    elif first in "=-ab" and " 0x" in body[:20] and ": " in body[:40]:
        found = gnu.valgrind(body)
    elif first.isdigit():
        found = next((printed for read in _BY_DIGIT if (printed := read(body)) is not None), None)
    if found is None and "[0x" in body:
        found = gnu.backtrace_symbols(body)
    if found is None and "!" in body:
        found = systems.studio(body) or systems.windbg(body)
    return found


@lru_cache(maxsize=4_096)
def prefix_of(line: str) -> str | None:
    """What a log put before the frame on this line, perhaps nothing; None if the line holds no frame."""
    if frame_of(line) is not None:
        return ""
    if len(line) > LONGEST:
        return None
    found = LOG_PREFIX.match(line)
    if found is None:
        return None
    # the prefix may have swallowed the frame's own mark and number
    for mark in ("#", "@ ", "frame #", "native: #"):
        at = line.find(mark, 0, found.end() + 12)
        if at > 0 and at <= found.end() and frame_of(line[at:]) is not None:
            return line[:at]
    return line[: found.end()] if 0 < found.end() < len(line) and frame_of(line[found.end() :]) is not None else None
