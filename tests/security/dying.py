"""`python -m tests.security.dying COUNT ARGUMENTS…`: `kb ARGUMENTS…`, killed at its COUNT-th step on the disk of the home.

A step is whatever Python tells its auditors of files below KB_HOME: opened (to read or to write), made, moved, removed, listed. The kill is SIGKILL.
"""

import os
import signal
import sys
from pathlib import Path

from api.cli import main

_STEPS = ("open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.scandir", "os.listdir", "os.truncate")


def watch(home: Path, last: int) -> None:
    """Kill this process at a step."""
    left = last

    def audit(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal left
        if event in _STEPS and str(arguments[0]).startswith(str(home)):
            left -= 1
            if not left:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(audit)


if __name__ == "__main__":
    watch(Path(os.environ["KB_HOME"]).absolute(), int(sys.argv[1]))
    main(sys.argv[2:])
