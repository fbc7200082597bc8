"""Brings together what belongs together and lies apart in a file: answers with their question, mails with their thread.

A table of SQLite in a file of its own does it: memory stays bounded, and 16 GB of rows are as good as 16 MB.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

_MOST = 8 << 20
"""Bytes of one group that are handed out."""


class GroupedRows:
    """Rows of bytes in groups. A group is a number, and ``rank`` orders the rows in it."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._rows = connection
        self._rows.execute("CREATE TABLE rows (grp INTEGER, rank INTEGER, data BLOB)")

    def add(self, group: int, rank: int, data: bytes) -> None:
        """Adds a row."""
        self._rows.execute("INSERT INTO rows VALUES (?, ?, ?)", (group, rank, data))

    def sort(self) -> None:
        """To be called once, after the last `add`."""
        self._rows.execute("CREATE INDEX by_group ON rows (grp, rank)")

    def move(self, group: int, other: int, rank: int) -> None:
        """Makes the rows of a group part of another one."""
        self._rows.execute("UPDATE rows SET grp = ?, rank = ? WHERE grp = ?", (other, rank, group))

    def groups(self) -> Iterator[tuple[int, list[bytes], int]]:
        """Each group: its number, its rows in order, and how many were left out because they grew beyond 8 MB."""
        current: int | None = None
        rows: list[bytes] = []
        size = left = 0
        for group, data in self._rows.execute("SELECT grp, data FROM rows ORDER BY grp, rank, rowid"):
            if group != current:
                if current is not None:
                    yield current, rows, left
                current, rows, size, left = group, [], 0, 0
            size += len(data)
            if rows and size > _MOST:
                left += 1
            else:
                rows.append(data)
        if current is not None:
            yield current, rows, left


@contextmanager
def gathered(scratch: Path) -> Iterator[GroupedRows]:
    """An empty table whose file lies in ``scratch`` until the end."""
    with TemporaryDirectory(prefix="gathered-", dir=scratch) as folder:
        connection = sqlite3.connect(Path(folder) / "rows.db", isolation_level=None)
        try:
            for line in ("journal_mode = OFF", "synchronous = OFF", "locking_mode = EXCLUSIVE", "temp_store = FILE"):
                connection.execute(f"PRAGMA {line}")
            connection.execute("BEGIN")
            yield GroupedRows(connection)
        finally:
            connection.close()
