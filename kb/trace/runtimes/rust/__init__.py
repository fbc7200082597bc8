"""Rust panics, backtraces, and the error reports of anyhow, eyre and cargo."""

from kb.trace.runtimes.base import Runtime, no_marker, same_message
from kb.trace.runtimes.rust.names import (
    function_name,
    is_machinery,
    loose_key,
    normal_frame,
    normal_type,
    rank,
)
from kb.trace.runtimes.rust.reader import named_in, read, starts

RUNTIME = Runtime(
    name="rust",
    needles=(
        "panicked at ",
        "has overflowed its stack",
        "fatal runtime error: ",
        r"memory allocation of \d+ bytes",
        r"(?m:^[\t ]*\d+: +(?:0x[0-9a-f]+ - )?[^ \n]*::)",
        r"(?m:^[\t ]*\d+: +0x[0-9a-f]+ - )",
        r"(?m:^[\t ]*\d+: +(?:_R[A-Z]|_ZN|<[^>\n]* as ))",
        r"(?m:^[\t ]+at [^ \n]+\.rs:\d)",
        r"(?m:^[\t ]*Caused by(?: this error| these errors[ a-z()]*)?:[\t ]*$)",
        "(?m:^Error:[\t ]*$)",
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
    normal_message=same_message,
)
