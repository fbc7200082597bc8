"""PHP errors and exceptions: PHP itself, Xdebug, web servers' logs, Laravel, Symfony, ThinkPHP, WordPress."""

from kb.trace.runtimes.base import Runtime
from kb.trace.runtimes.php import names, reader

RUNTIME = Runtime(
    name="php",
    reader=reader,
    names=names,
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
    normal_message=names.normal_message,
)
