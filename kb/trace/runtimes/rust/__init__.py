"""Rust panics, backtraces, and the error reports of anyhow, eyre and cargo."""

from kb.trace.runtimes.base import Runtime
from kb.trace.runtimes.rust import names, reader

RUNTIME = Runtime(
    name="rust",
    reader=reader,
    names=names,
    needles=(
        r"panicked at(?m: |$)",
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
    frame_marks=(r"\d{1,4}: +[\w<_]",),
    frame_hints=(r"\d: +[\w<_]",),
    is_known_by_words=True,
)
