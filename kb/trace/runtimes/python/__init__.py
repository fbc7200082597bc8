"""CPython and PySpark tracebacks."""

from kb.trace.runtimes.base import Runtime
from kb.trace.runtimes.python.names import (
    function_name,
    is_diagnostic,
    is_machinery,
    loose_key,
    normal_frame,
    normal_message,
    normal_type,
    rank,
)
from kb.trace.runtimes.python.reader import named_in, read, starts
from kb.trace.runtimes.python.syntax import TRACEBACK

RUNTIME = Runtime(
    name="python",
    needles=(
        r"Traceback \(most",
        r"File \\?[\"“]",
        "File &quot;",
        "Error",
        "Exception",
        "Fatal Python error",
        "Windows fatal exception",
        r"hread 0x[0-9a-fA-F]+ .{0,120}\(most recent call first\)",
        r"____ [^\n]{1,300} ____",
    ),
    starts=starts,
    read=read,
    named_in=named_in,
    embedded=(TRACEBACK,),
    function_name=function_name,
    normal_frame=normal_frame,
    is_machinery=is_machinery,
    rank=rank,
    loose_key=loose_key,
    normal_type=normal_type,
    is_diagnostic=is_diagnostic,
    normal_message=normal_message,
)
