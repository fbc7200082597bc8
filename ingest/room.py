"""A full disk, told from what else can go wrong."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kb.errors import KbError

_FULL = tuple(os.strerror(number) for number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG))
"""What the system says; Java, Arrow, SQLite and Tantivy hand it on, the error number not always."""


class RoomError(KbError):
    """There is no room to write. What was published stays, and a run with more room goes on from what was committed."""


@contextmanager
def room(home: Path) -> Iterator[None]:
    """Turns an error of any library that ran into a full disk into `RoomError`; others pass."""
    try:
        yield
    except Exception as error:
        if any(words in str(error) for words in _FULL):
            problem = f"no room left in {home}; what was published before stays in use"
            raise RoomError(
                problem, cure="free room on its disk (`kb doctor` says how much there is), then run again"
            ) from error
        raise
