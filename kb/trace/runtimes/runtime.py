"""What every runtime offers: the one shape of the modules in this folder."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from kb.trace.lines import Lines
from kb.trace.model import ExceptionChain, Frame, RaisedException


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read from the first line on. ``chain`` is None for lines that are understood but are no exception."""

    chain: ExceptionChain | None
    next_line: int
    """The first line, counted in the ``Lines`` that were read, that does not belong to it."""


@dataclass(frozen=True, slots=True)
class Runtime:
    """How one runtime prints its traces and names its functions. All functions are pure and never raise."""

    name: str
    needles: tuple[str | re.Pattern[str], ...]
    """One of them stands in the first telling line of every trace; only such lines are looked at.

    Literals, and patterns that begin with a literal: both are searched at the speed of ``str.find``.
    """
    starts: Callable[[str], bool]
    """Whether a trace can start at (or be recognised by) this line: cheap, linear in the line."""
    read: Callable[[Lines], Reading | None]
    """Reads the trace that line 0 belongs to."""
    named_in: Callable[[str], RaisedException | None]
    """The exception that a single line without a trace names, wherever on the line."""
    embedded: tuple[str, ...]
    """Literals that betray a trace of this runtime inside the message of another runtime's exception."""
    normal_frame: Callable[[Frame], Frame]
    """The frame under its lasting name: no counters, no addresses, no line; idempotent."""
    is_machinery: Callable[[Frame], bool]
    """Whether a normalised frame is the same under every fault: thread pools, reflection, generated bridges."""
    rank: Callable[[Frame], int]
    """How telling a normalised frame is: 0 the application, 1 a framework, 2 the platform."""
    loose_key: Callable[[Frame], str]
    """The key of a normalised frame without what shifts on unrelated edits."""
    normal_type: Callable[[str], str]
    """The lasting name of an exception type; idempotent."""
    is_diagnostic: Callable[[RaisedException], bool]
    """Whether an exception is only a marker that the runtime hangs on others."""
