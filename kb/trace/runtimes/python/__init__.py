"""CPython and PySpark tracebacks."""

from kb.trace.runtimes.python.names import (
    function_name,
    is_diagnostic,
    is_machinery,
    loose_key,
    normal_frame,
    normal_type,
    rank,
)
from kb.trace.runtimes.python.reader import named_in, read, starts
from kb.trace.runtimes.python.syntax import TRACEBACK
from kb.trace.runtimes.runtime import Runtime, same_message

RUNTIME = Runtime(
    name="python",
    needles=(r"Traceback \(most", 'File "', "File &quot;", "Error", "Exception"),
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
    normal_message=same_message,
)
