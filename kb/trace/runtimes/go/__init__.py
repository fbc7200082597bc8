"""Panics, fatal errors, goroutine dumps, race reports and errors with stacks of Go."""

from kb.trace.runtimes.base import Runtime, no_marker
from kb.trace.runtimes.go.names import (
    function_name,
    is_machinery,
    loose_key,
    normal_frame,
    normal_message,
    normal_type,
    rank,
)
from kb.trace.runtimes.go.reader import named_in, read, starts

RUNTIME = Runtime(
    name="go",
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
    starts=starts,
    read=read,
    named_in=named_in,
    embedded=(),
    function_name=function_name,
    normal_frame=normal_frame,
    is_machinery=is_machinery,
    rank=rank,
    loose_key=loose_key,
    normal_type=normal_type,
    is_diagnostic=no_marker,
    normal_message=normal_message,
)
