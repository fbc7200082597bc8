"""CPython and PySpark tracebacks."""

from kb.trace.runtimes.base import Runtime
from kb.trace.runtimes.python import names, reader
from kb.trace.runtimes.python.syntax import TRACEBACK

RUNTIME = Runtime(
    name="python",
    reader=reader,
    names=names,
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
    embedded=(TRACEBACK,),
    needles_in_words=True,
    reads_over_blanks=('File "', "Traceback"),
    frame_marks=(
        r"File \\?[\"'&]",
        "Traceback ",
        "[│╭╰]",  # rich
        "[E>]   ",  # pytest
        "Fatal Python error",
        "(?:Current t|T)hread 0x",
        r"\| |\+ Exception",  # groups
        r"Cell In ?\[|-{2,6}> ?\d",  # IPython
        "_{4,}",
        r"\w{1,80}(?:Error|Exception) {2,}Traceback",
    ),
    frame_hints=(
        r"File \\?[\"'&]",
        "Traceback",
        "[│╭╰]",
        "[E>]   ",
        "Fatal Python error",
        "hread 0x",
        r"\| |\+ Exception",
        "Cell In",
        r"-> ?\d",
        "____",
    ),
    own_prefixes=(r"[ \t]*+\+ Exception Group |[ \t]*+\+-[+-]",),
    is_diagnostic=names.is_diagnostic,
    normal_message=names.normal_message,
)
