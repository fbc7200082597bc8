"""`kb` on a real terminal: a pseudo-terminal of a given size, what it shows, and keys that are pressed."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.cells import cell_len

from tests.api.forked import Forked, start

ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07")
_SECONDS = 40.0


class Terminal:
    """A program on a terminal."""

    def __init__(self, process: subprocess.Popen[bytes] | Forked, fd: int) -> None:
        self.process = process
        self._fd = fd
        self._bytes = b""

    @property
    def raw(self) -> str:
        """All that was written, with its colours."""
        return self._bytes.decode("utf-8", "replace").replace("\r\n", "\n")

    @property
    def text(self) -> str:
        """The same without colours."""
        return ESCAPE.sub("", self.raw)

    def press(self, keys: bytes) -> None:
        r"""Type; b"\x03" is Ctrl-C, b"\t" completes. Nobody types within a moment, when a signal is not yet heard."""
        time.sleep(0.2)
        os.write(self._fd, keys)

    def until(self, words: str, seconds: float = _SECONDS) -> str:
        """Wait until it shows these words; what it shows then."""
        deadline = time.monotonic() + seconds
        while words not in self.text:
            assert self._read(deadline), f"it does not show {words!r}:\n{self.text}"
        return self.text

    def ended(self, seconds: float = _SECONDS) -> int:
        """Wait for the end; the exit code."""
        deadline = time.monotonic() + seconds
        while self._read(deadline):
            pass
        return self.process.wait(max(deadline - time.monotonic(), 0.1))

    def _read(self, deadline: float) -> bool:
        """Something more; False at the end, or when it is late."""
        while not select.select([self._fd], [], [], 0.05)[0]:
            if self.process.poll() is not None or time.monotonic() > deadline:
                return False
        try:
            data = os.read(self._fd, 65_536)
        except OSError:  # Linux: the other side is closed
            return False
        self._bytes += data
        return bool(data)


@contextmanager
def terminal(
    *command: str,
    columns: int = 80,
    home: Path | None = None,
    env: dict[str, str] | None = None,
    stdin: Path | None = None,
) -> Iterator[Terminal]:
    """Run a command (or `kb` with options, where it begins with one of its words) on a terminal of so many columns."""
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    dropped = {"COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "TERM", "KB_URL", "KB_KEY", "KB_HOME"}
    environment: dict[str, str | None] = dict.fromkeys(dropped)
    environment |= {
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
        **({"KB_HOME": str(home)} if home else {}),
        **(env or {}),
    }
    with stdin.open("rb") if stdin else os.fdopen(os.dup(side), "rb") as source:
        process = _started(command, environment, (source.fileno(), side, side))
    os.close(side)
    try:
        yield Terminal(process, main)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        os.close(main)


def _started(
    command: Sequence[str], env: Mapping[str, str | None], files: tuple[int, int, int]
) -> subprocess.Popen[bytes] | Forked:
    if tuple(command[:3]) == kb_on():
        return start(*command[3:], env=env, files=files, terminal=True)
    environment = {name: value for name, value in {**os.environ, **env}.items() if value is not None}
    return subprocess.Popen(
        command, stdin=files[0], stdout=files[1], stderr=files[2], env=environment, start_new_session=True,
        preexec_fn=_take_terminal,  # noqa: PLW1509 - the tests have no threads here
    )  # fmt: skip


def _take_terminal() -> None:
    """In the new process: its keys are this terminal's. Whoever runs the tests in the background has Ctrl-C ignored."""
    fcntl.ioctl(1, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def kb_on(*arguments: str) -> tuple[str, ...]:
    """The command line of `kb`."""
    return sys.executable, "-m", "api.cli", *arguments


def widest(text: str) -> int:
    """Columns of the widest line, where Chinese takes two."""
    return max(map(cell_len, text.splitlines()))
