"""`kb` as a process that has its code: forked off one that has loaded it once for all tests, which saves each start its seconds of imports.

It is a whole process from then on, with arguments, environment, folder, files and signals of its own. How `kb` starts from nothing
is for the tests that start it so: `kb serve --workers 2`, `kb up`, `kb mcp`, `kb` in a pipe.
"""

import atexit
import fcntl
import gc
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import termios
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from index.encoder import load_encoder
from index.terms.tokens import words

_LOADED = (
    "api.app",
    "api.commands.serve",
    "api.incidents.in_process",
    "api.commands.search",
    "alembic.runtime.environment",
)
_REQUEST = 1 << 18
_ROOT = Path(__file__).parents[2]


class Forked:
    """A process that another one forked for us; as `subprocess.Popen`."""

    def __init__(self, arguments: Sequence[str], told: socket.socket) -> None:
        self.args = arguments
        self.returncode: int | None = None
        self._told, self._lock = told, threading.Lock()
        told.settimeout(300)  # the first has to wait until all code is loaded, beside whatever else the machine does
        self.pid = int(told.recv(16))

    def poll(self) -> int | None:
        """The exit code; None while it runs."""
        try:
            return self.wait(0)
        except subprocess.TimeoutExpired:
            return None

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; the exit code, or the negative number of the signal."""
        with self._lock:
            if self.returncode is None:
                if not select.select([self._told], [], [], timeout)[0]:
                    raise subprocess.TimeoutExpired(self.args, timeout or 0)
                self.returncode = int(self._told.recv(16))
                self._told.close()
            return self.returncode

    def send_signal(self, number: int) -> None:
        """Nothing where it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it."""
        self.send_signal(signal.SIGKILL)


def start(
    *arguments: str,
    files: tuple[int, int, int],
    env: Mapping[str, str | None] | None = None,
    module: str = "api.cli",
    terminal: bool = False,
) -> Forked:
    """`kb` (or another module) with these arguments on these standard files.

    ``env`` is added to the environment of here, less what is None in it. ``terminal``: the files are one, for a session of its own.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    environment = {name: value for name, value in {**os.environ, **(env or {})}.items() if value is not None}
    asked = {
        "module": module,
        "arguments": arguments,
        "env": environment,
        "folder": str(Path.cwd()),
        "terminal": terminal,
    }
    with theirs:
        socket.send_fds(_source(), [json.dumps(asked).encode()], [theirs.fileno(), *files])
    return Forked(arguments, ours)


@cache
def _source() -> socket.socket:
    """The process that forks, which ends with this one."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _REQUEST)
    with theirs:
        command = [sys.executable, "-m", "tests.api.forked", str(theirs.fileno())]
        process = subprocess.Popen(command, cwd=_ROOT, pass_fds=[theirs.fileno()])

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


def _load() -> None:
    """What every service takes its time for: code, the encoder's, and the dictionary of Chinese."""
    for name in _LOADED:
        import_module(name)
    load_encoder(None)
    words("检查点失败")
    gc.freeze()


def _serve(asked: socket.socket) -> dict[str, Any] | None:
    """Fork off who is asked for, and tell of their ends. Comes back in each of them with what it was asked; None at the end of all."""
    running: dict[int, tuple[int, socket.socket]] = {}
    while True:
        for fd in select.select([asked.fileno(), *running], [], [])[0]:
            if fd != asked.fileno():
                pid, told = running.pop(fd)
                os.close(fd)
                _tell(told, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
                told.close()
                continue
            request, fds, _, _ = socket.recv_fds(asked, _REQUEST, 4)
            if not request:
                return None
            told = socket.socket(fileno=fds[0])
            if not (pid := os.fork()):
                for one in (asked, told, *(other for _, other in running.values())):
                    one.close()
                for one in running:
                    os.close(one)
                return {**json.loads(request), "fds": fds[1:]}
            for one in fds[1:]:
                os.close(one)
            _tell(told, pid)
            running[os.pidfd_open(pid)] = pid, told


def _tell(told: socket.socket, number: int) -> None:
    with suppress(OSError):  # nobody asks any more
        told.send(str(number).encode())


def _become(asked: Mapping[str, Any]) -> None:
    """`python -m MODULE` with these arguments, in this process."""
    for number, fd in enumerate(asked["fds"]):
        os.dup2(fd, number)
        os.close(fd)
    if asked["terminal"]:
        os.setsid()
        fcntl.ioctl(1, termios.TIOCSCTTY, 0)
    os.environ.clear()
    os.environ.update(asked["env"])
    os.chdir(asked["folder"])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.stdin, sys.stdout, sys.stderr = (
        open(number, mode, buffering, encoding="utf-8", errors=errors, closefd=False)  # noqa: SIM115
        for number, mode, buffering, errors in ((0, "r", -1, "strict"), (1, "w", 1, "strict"), (2, "w", 1, "backslashreplace"))
    )  # fmt: skip
    sys.argv = [asked["module"], *asked["arguments"]]
    runpy.run_module(asked["module"], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # pressed at the tests, which end it
    with socket.socket(fileno=int(sys.argv[1])) as requests:
        _load()
        asked_for = _serve(requests)
    if asked_for:
        _become(asked_for)
