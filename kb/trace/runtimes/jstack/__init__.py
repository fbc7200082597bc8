"""Thread dumps: ``jstack``, ``jcmd``, ``kill -3``, javacores of OpenJ9, Android's ANR traces; deadlocks first."""

from kb.trace.runtimes.base import Runtime
from kb.trace.runtimes.jstack import names, reader

RUNTIME = Runtime(
    name="jstack",
    reader=reader,
    names=names,
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
    frame_marks=(r"java\.lang\.Thread\.State",),
    frame_hints=(r"Thread\.State",),
    own_prefixes=(
        r"(?:\d[A-Z]{2}[A-Z0-9]{3,24}|NULL)[ \t]",  # tags of an IBM javacore
    ),
)
