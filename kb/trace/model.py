"""What a stack trace is. The words of the whole project (frozen, slotted, tuples only).

Frame order is chosen once: ``StackTrace.frames[0]`` is where the exception was raised, whatever order the
runtime prints. Exception order likewise: ``ExceptionChain.exceptions[0]`` is what the user saw, the causes follow.
"""

from dataclasses import dataclass
from enum import StrEnum


class Relation(StrEnum):
    """How an exception belongs to the one it hangs on (``RaisedException.parent``)."""

    CAUSE = "cause"
    """It was wrapped: Java ``Caused by:``, Python ``direct cause``."""
    CONTEXT = "context"
    """It was being handled when the parent was raised: Python ``During handling of``."""
    SUPPRESSED = "suppressed"
    """It was raised while closing: Java ``Suppressed:``."""
    GROUPED = "grouped"
    """It is a member of an exception group."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One call. ``module`` is the JVM class or the Python module path; None where the runtime names none."""

    function: str | None
    module: str | None = None
    filename: str | None = None
    lineno: int | None = None
    column: int | None = None
    in_app: bool = True
    """Written by the users of the runtime and its frameworks, as far as the frame alone tells."""
    raw: str = ""
    """The line as it was in the text, trimmed."""


@dataclass(frozen=True, slots=True)
class StackTrace:
    """The calls under one exception, the raise point first."""

    frames: tuple[Frame, ...] = ()


@dataclass(frozen=True, slots=True)
class RaisedException:
    """One exception of a chain."""

    type: str | None
    """As printed, qualified where the runtime qualifies; None for a trace whose head is cut off."""
    message: str | None = None
    stack: StackTrace = StackTrace()
    relation: Relation | None = None
    """None for the outermost exception."""
    parent: int | None = None
    """Index, in the chain, of the exception this one hangs on."""
    elided: int = 0
    """How many frames ``... n more`` stood for. They are in ``stack`` where the enclosing trace had them."""
    wrapped_type: str | None = None
    """The inner class of a wrapper that prints it: ``RemoteException(inner)``, ``SerializedThrowable: inner: …``."""


WITHOUT_TRACE = frozenset({"text", "tool"})
"""The runtimes of chains that are an error line alone: nobody's, and a known program's."""


@dataclass(frozen=True, slots=True)
class ExceptionChain:
    """One trace as found in a text: an exception, its causes, and what hangs on them."""

    runtime: str
    """``jvm``, ``python``, …; ``tool`` or ``text`` for a message without a trace."""
    exceptions: tuple[RaisedException, ...]
    thread: str | None = None
    head_truncated: bool = False
    """The paste began in the middle: at ``Caused by:`` or at a frame."""
    span: tuple[int, int] = (0, 0)
    """Where the trace is in the text that was parsed: start and end offsets of the ``str``."""
    notes: tuple[str, ...] = ()
    """What was odd about it, in words for the reader."""

    @property
    def root(self) -> RaisedException:
        """The innermost cause: from the outermost exception along CAUSE to the end.

        A context is no cause: what was raised while an error was being handled is the newer fault, and the
        handled one stays beside it.
        """
        at = 0
        for i, exception in enumerate(self.exceptions):
            if exception.parent == at and exception.relation is Relation.CAUSE and i > at:
                at = i
        return self.exceptions[at]


class Level(StrEnum):
    """How strict a fingerprint is, strictest first."""

    EXACT = "exact"
    """The normalised exception chain and its frames, without line numbers."""
    ROOT_CAUSE = "root_cause"
    """The innermost exception and its frames."""
    LOOSE = "loose"
    """The top application frames, or the message template alone. Never an automatic merge."""


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """A digest and the readable parts it was made of."""

    level: Level
    digest: str
    basis: tuple[str, ...]
