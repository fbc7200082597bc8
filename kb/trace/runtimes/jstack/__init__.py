"""Thread dumps: ``jstack``, ``jcmd``, ``kill -3``, javacores of OpenJ9, Android's ANR traces; deadlocks first."""

from kb.trace.model import RaisedException
from kb.trace.runtimes.base import Runtime, no_marker, same_message
from kb.trace.runtimes.jstack.chains import is_machinery, loose_key, normal_frame, rank
from kb.trace.runtimes.jstack.reader import read, starts


def _named_in(line: str) -> RaisedException | None:  # noqa: ARG001
    """None: one line of a dump names no exception."""
    return None


def _function_name(raw: str) -> str | None:  # noqa: ARG001
    """None: a Java function alone is the JVM's."""
    return None


def _same_type(name: str) -> str:
    return name


RUNTIME = Runtime(
    name="jstack",
    needles=(
        r'" (?:#\d+ )?(?:\[\d+\] )?(?:virtual )?(?:daemon )?(?:os_)?prio=-?\d',
        r'" [Ii]d=\d+ ',
        r'#\d+ "',
        r"Mounted virtual thread ",
        r"Thread \d+ \([^\n()]*\):",
        r"java\.lang\.Thread\.State: [A-Z]",
        r"- (?:waiting to lock|waiting on|parking to wait for|locked) +<",
        r"Java-level deadlock",
        r'3XMTHREADINFO +"',
        r"1LKDEADLOCK ",
        r"native: #\d+ pc ",
        r'"threadDump"',
        r'"threadContainers"',
    ),
    starts=starts,
    read=read,
    named_in=_named_in,
    embedded=(),
    function_name=_function_name,
    normal_frame=normal_frame,
    is_machinery=is_machinery,
    rank=rank,
    loose_key=loose_key,
    normal_type=_same_type,
    is_diagnostic=no_marker,
    normal_message=same_message,
)
