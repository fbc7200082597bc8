"""Write the synchronous client of `kb.client` from the asynchronous one: `python tools/unasync.py`.

A test fails while `sync_client.py` is not what this writes. Reads and writes source text alone; the formatter does the line breaks.
"""

import re
import subprocess
import sys
from pathlib import Path

CLIENT = Path(__file__).resolve().parents[1] / "kb" / "client"
SOURCE, TARGET = CLIENT / "async_client.py", CLIENT / "sync_client.py"
_DOCSTRING = '"""`Client`: the service from Python. Written by `tools/unasync.py` from `async_client.py`; change that file instead."""'
_REPLACED = (
    (r'\A""".*?"""', _DOCSTRING),
    (r"\bawait |\basync (?=def |with |for )", ""),
    (r"`async with`", "`with`"),
    (r"an (?=`with`)", "a "),
    (r"\bAsync(?=[A-Z])", ""),
    (r"\b__a(?=enter__|exit__)", "__"),
    (r"\baclose\b", "close"),
    (r"\basyncio\b", "time"),
    (r"for (\w+) in ([^\n]+):\n +yield \1\b", r"yield from \2"),
)
"""Patterns and replacements, in order: `await self._http.aclose()` → `self._http.close()`."""


def sync_source(source: str) -> str:
    """Return the source of the synchronous client."""
    for pattern, replacement in _REPLACED:
        source = re.sub(pattern, replacement, source, flags=re.DOTALL)
    for arguments in (("check", "--select=I", "--fix"), ("format",)):
        command = [sys.executable, "-m", "ruff", *arguments, "--quiet", f"--stdin-filename={TARGET}", "-"]
        source = subprocess.run(command, input=source, capture_output=True, text=True, check=True).stdout  # noqa: S603
    return source


if __name__ == "__main__":
    TARGET.write_text(sync_source(SOURCE.read_text(encoding="utf-8")), encoding="utf-8")
