"""PHP errors and exceptions: PHP itself, Xdebug, web servers' logs, Laravel, Symfony, ThinkPHP, WordPress."""

from kb.trace.runtimes.base import Runtime, no_marker
from kb.trace.runtimes.php.names import (
    function_name,
    is_machinery,
    loose_key,
    normal_frame,
    normal_message,
    normal_type,
    rank,
)
from kb.trace.runtimes.php.reader import named_in, read, starts

RUNTIME = Runtime(
    name="php",
    needles=(
        r"PHP (?:Fatal|Parse|Warning|Notice|Deprecated|Recoverable|Catchable|Strict|User|Core|Compile|Stack)",
        r" on line (?:<b>)?\d",
        r"\.php(?::|\(| line )\d",
        r"#\d+ +\[internal function\]: ",
        r"#\d+ +\{main\}",
        r"#\d+ +[^\s()]+\(\d+\): ",
        r"\[object\] \(",
        r"\[stacktrace\]",
        r"Uncaught PHP Exception ",
        r"WordPress database error ",
        r"Command line code:\d",
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
