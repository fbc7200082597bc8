"""What a runtime is, and what the readers of all runtimes share: limits, frame collection, notes.

A runtime is one folder: `__init__.py` holds its `RUNTIME` with all tables, `reader.py` finds and reads a trace, `names.py`
brings functions, frames and types to their lasting names. Larger grammars put their lines into `syntax.py`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from kb.trace.lines import Lines
from kb.trace.model import ExceptionChain, Frame, RaisedException
from kb.translatable import Translatable

MOST_FRAMES = 1_024
"""Frames kept of one exception: enough for a stack overflow to show its loop, and a bound for memory."""
MOST_EXCEPTIONS = 100
"""Exceptions kept of one chain."""
LONGEST_MESSAGE = 20_000
"""Characters kept of a message."""


@dataclass(slots=True)
class FrameStack:
    """Collects frames of one exception, the raise point first, up to ``MOST_FRAMES``."""

    frames: list[Frame] = field(default_factory=list, kw_only=True)
    lost: int = field(default=0, kw_only=True)
    """Frames beyond the limit, which were counted and not kept."""

    def add(self, frame: Frame) -> None:
        """Keep one more frame, or count it."""
        if len(self.frames) < MOST_FRAMES:
            self.frames.append(frame)
        else:
            self.lost += 1


def not_kept(count: int, form: str = "{} frames were not kept", *values: str) -> tuple[Translatable, ...]:
    """Return the note for what went over a limit; () for a count of 0."""
    return (Translatable(form, count, *values),) if count else ()


@dataclass(frozen=True, slots=True)
class TraceReading:
    """What was read from the first line on. ``chain`` is None for lines that are understood but are no exception."""

    chain: ExceptionChain | None
    next_line: int
    """The first line, counted in the ``Lines`` that were read, that does not belong to it."""
    others: tuple[ExceptionChain, ...] = ()
    """Further chains that were read with it, to be given behind ``chain``: the other threads of a dump."""


class TraceReader(Protocol):
    """Finds and reads traces: the module ``reader.py`` of a runtime. All functions are pure and never raise."""

    def starts(self, line: str, /) -> bool:
        """Whether a trace can start at (or be recognised by) this line: cheap, linear in the line."""

    def read(self, lines: Lines, /) -> TraceReading | None:
        """Read the trace that line 0 belongs to."""

    def named_in(self, line: str, /) -> RaisedException | None:
        """Return the exception that a text of one single line names, wherever on the line; with a stack where the line is a frame."""


class LastingNames(Protocol):
    """Brings what a runtime prints to lasting names: the module ``names.py`` of a runtime. All functions are pure and idempotent."""

    def function_name(self, raw: str, /) -> str | None:
        """Return the lasting name of a function printed alone, demangled; None if no function of this runtime is spelled so."""

    def normal_frame(self, frame: Frame, /) -> Frame:
        """Return the frame under its lasting name: no counters, no addresses, no line, no column, ``raw`` empty.

        Looks at function, module, filename and in_app only, and at ``raw`` where ``reads_raw`` says so.
        """

    def is_machinery(self, frame: Frame, /) -> bool:
        """Whether a normalised frame is the same under every fault: thread pools, reflection, generated bridges."""

    def rank(self, frame: Frame, /) -> int:
        """Return how telling a normalised frame is: 0 the application, 1 a framework, 2 the platform."""

    def loose_key(self, frame: Frame, /) -> str:
        """Return the key of a normalised frame without what shifts on unrelated edits."""

    def normal_type(self, name: str, /) -> str:
        """Return the lasting name of an exception type."""


def same_message(exception: RaisedException) -> str | None:
    """Return the message as it is: for runtimes whose messages last."""
    return exception.message


def no_marker(exception: RaisedException) -> bool:  # noqa: ARG001
    """Return False: for runtimes that hang no markers on exceptions."""
    return False


@dataclass(frozen=True, slots=True)
class Runtime:
    """All that the rest of `kb.trace` has to know of one runtime: three parts and the tables that the search reads."""

    name: str
    reader: TraceReader
    names: LastingNames
    needles: tuple[str, ...]
    """RE2 patterns, each within one line, of which one matches in the first telling line of every trace.

    All needles of all runtimes are searched by a few automata, a pass each; only lines with a match are looked at, so a
    needle should be rare in a log without traces. RE2 knows neither look-around nor possessive repeats, and needs none.
    """
    needles_in_words: bool = False
    """Whether the needles begin in any words. In a large text they are searched apart: beside the others their states would multiply."""
    frame_marks: tuple[str, ...] = ()
    """What the lines of a trace begin with behind their indentation (``re``): tells a log's prefix from the line behind it."""
    frame_hints: tuple[str, ...] = ()
    """The same as RE2 patterns that match anywhere: one pass says whether any line nearby can be one of a trace."""
    own_prefixes: tuple[str, ...] = ()
    """What the runtime itself prints in front of its lines (``re``), which is no prefix of a log: ``1: from `` of Ruby."""
    reads_over_blanks: tuple[str, ...] = ()
    """How lines begin whose reader goes on behind blank lines by itself, so that doubled line breaks are left to it."""
    embedded: tuple[str, ...] = ()
    """Literals that betray a trace of this runtime inside the message of another runtime's exception."""
    looks_back: Callable[[str], bool] | None = None
    """Whether a line is a frame whose head above the reader finds by itself; a head is then left to that frame."""
    is_diagnostic: Callable[[RaisedException], bool] = no_marker
    """Whether an exception is only a marker that the runtime hangs on others."""
    normal_message: Callable[[RaisedException], str | None] = same_message
    """The lasting message of an exception whose message is a template already; idempotent.

    For runtimes whose own messages are translated or worded anew from release to release.
    """
    prints_type: bool = True
    """Whether every trace names the type of its exception. Where not (Firefox, gdb), LOOSE does not hold the type."""
    reads_raw: bool = False
    """Whether ``normal_frame`` looks at ``raw``: names are then worked out for every line anew."""
    is_known_by_words: bool = False
    """Whether errors are known by their words, not by the name of an exception: a line alone is then asked of the reader."""
    is_one_liner: bool = False
    """Whether errors are whole in one line, so that missing frames are nothing to remark on."""
