"""`kb` as tests call it: in this process, or as a process of its own."""

import io
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryFile

import pytest

from api.cli import main
from kb.trace.in_force import activate, rules_in_force
from tests.api.forked import start

Ended = subprocess.CompletedProcess[bytes]


def kb(*arguments: str, home: Path | None = None, paste: str | bytes = "", env: dict[str, str] | None = None) -> Ended:
    """What `kb` with these arguments writes and ends with, called in this process; its rules stay behind."""
    streams = [io.TextIOWrapper(io.BytesIO(data), "utf-8") for data in (_bytes(paste), b"", b"")]
    rules = rules_in_force()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in _settings(home, env).items():
            patch.setenv(name, value)
        for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
            patch.setattr(sys, name, stream)
        try:
            main(list(arguments))
        except SystemExit as end:
            code = end.code
        finally:
            activate(rules)
    out, err = (_written(stream) for stream in streams[1:])
    assert isinstance(code, int)
    return Ended(arguments, code, out, err)


def kb_program(
    *arguments: str, home: Path | None = None, paste: str | bytes = "", env: dict[str, str] | None = None
) -> Ended:
    """The same as a process of its own: for what only a whole process shows."""
    with TemporaryFile() as given, TemporaryFile() as out, TemporaryFile() as err:
        given.write(_bytes(paste))
        given.seek(0)
        files = (given.fileno(), out.fileno(), err.fileno())
        process = start(*arguments, env=_settings(home, env), files=files)
        try:
            code = process.wait(60)
        finally:
            process.kill()
        for written in (out, err):
            written.seek(0)
        return Ended(arguments, code, out.read(), err.read())


def failed(result: Ended) -> str:
    """The one line that a failed command says."""
    assert result.returncode == 1, result.stderr.decode()
    assert result.stdout == b""
    (line,) = result.stderr.decode().splitlines()
    assert line.startswith("kb: ")
    assert " Cure: " in line
    return line


def _bytes(paste: str | bytes) -> bytes:
    return paste.encode() if isinstance(paste, str) else paste


def _settings(home: Path | None, env: dict[str, str] | None) -> dict[str, str]:
    return {"COLUMNS": "80", **({"KB_HOME": str(home)} if home else {}), **(env or {})}


def _written(stream: io.TextIOWrapper) -> bytes:
    stream.flush()
    written = stream.buffer
    assert isinstance(written, io.BytesIO)
    return written.getvalue()
