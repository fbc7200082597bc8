"""What every runtime offers: the one shape of the modules in this folder."""

from collections.abc import Callable
from dataclasses import dataclass

from kb.trace.lines import Lines
from kb.trace.model import ExceptionChain, Frame, RaisedException


@dataclass(frozen=True, slots=True)
class TraceReading:
    """What was read from the first line on. ``chain`` is None for lines that are understood but are no exception."""

    chain: ExceptionChain | None
    next_line: int
    """The first line, counted in the ``Lines`` that were read, that does not belong to it."""
    others: tuple[ExceptionChain, ...] = ()
    """Further chains that were read with it, to be given behind ``chain``: the other threads of a dump."""


@dataclass(frozen=True, slots=True)
class Runtime:
    """How one runtime prints its traces and names its functions. All functions are pure and never raise."""

    name: str
    needles: tuple[str, ...]
    """RE2 patterns, each within one line, of which one matches in the first telling line of every trace.

    All needles of all runtimes are searched by two automata, a pass each; only lines with a match are looked at, so a
    needle should be rare in a log without traces. RE2 knows neither look-around nor possessive repeats, and needs none.
    """
    starts: Callable[[str], bool]
    """Whether a trace can start at (or be recognised by) this line: cheap, linear in the line."""
    read: Callable[[Lines], TraceReading | None]
    """Reads the trace that line 0 belongs to."""
    named_in: Callable[[str], RaisedException | None]
    """The exception that a text of one single line names, wherever on the line; with a stack where the line is a frame."""
    embedded: tuple[str, ...]
    """Literals that betray a trace of this runtime inside the message of another runtime's exception."""
    function_name: Callable[[str], str | None]
    """The lasting name of a function printed alone, demangled; None if no function of this runtime is spelled so."""
    normal_frame: Callable[[Frame], Frame]
    """The frame under its lasting name: no counters, no addresses, no line, no column, ``raw`` empty; idempotent.

    Looks at function, module, filename and in_app only, and at ``raw`` where ``reads_raw`` says so.
    """
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
    normal_message: Callable[[RaisedException], str | None]
    """The lasting message of an exception whose message is a template already; idempotent.

    For runtimes whose own messages are translated or worded anew from release to release; others return it as it is.
    """
    prints_type: bool = True
    """Whether every trace names the type of its exception. Where not (Firefox, gdb), LOOSE does not hold the type."""
    reads_raw: bool = False
    """Whether ``normal_frame`` looks at ``raw``: names are then worked out for every line anew."""


def same_message(exception: RaisedException) -> str | None:
    """The ``normal_message`` of runtimes whose messages last."""
    return exception.message


def no_marker(exception: RaisedException) -> bool:  # noqa: ARG001
    """The ``is_diagnostic`` of runtimes that hang no markers on exceptions."""
    return False
