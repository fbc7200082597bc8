"""Panics, fatal errors, goroutine dumps, race reports and errors with stacks of Go."""

from kb.trace.runtimes.base import Runtime
from kb.trace.runtimes.go import names, reader

RUNTIME = Runtime(
    name="go",
    reader=reader,
    names=names,
    needles=(
        "panic: ",
        "panic serving ",
        "fatal error: ",
        r"goroutine \d+ (?:gp=\S+ m=\S+ (?:mp=\S+ )?)?\[",
        "SIG[A-Z]+: [a-z]",
        r"\.(?:go|s):\d+ \+0x[0-9a-f]",
        r"(?m:^[\t ]+(?:[A-Za-z]:)?[\w./\\@~+-]+\.go:\d+ *$)",
        r"\\t[\w./\\@~:+-]+\.go:\d",
        r"\.go:\d+ \(0x[0-9a-f]+\)",
        r"\d +0x[0-9a-f]{8,16} in \w+[./]",
        "WARNING: DATA RACE",
        r"\d errors? occurred:",
    ),
    frame_marks=(
        r"goroutine \d",
        "created by ",
    ),
    frame_hints=(
        r"goroutine \d",
        "created by ",
    ),
    normal_message=names.normal_message,
)
