"""What an export or import did with each incident, or would do."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from api.incidents.files import FilePosition


class Action(StrEnum):
    """What was done, or why not."""

    UNCHANGED = "unchanged"
    CREATED = "created"
    REVISED = "revised"
    WRITTEN = "written"
    """A file that was not there."""
    UPDATED = "updated"
    """A file that was."""
    RETIRED = "retired"
    FILE_CHANGED = "file changed"
    """Kept: to be imported."""
    STORE_CHANGED = "store changed"
    """File kept: to be exported."""
    ONLY_FILE = "only a file"
    NO_FILE = "no file"
    MERGED = "merged"
    CONFLICT = "conflict"
    INVALID = "invalid"


FAILURES = frozenset((Action.CONFLICT, Action.INVALID))
QUIET = frozenset((Action.UNCHANGED,))


@dataclass(frozen=True, slots=True)
class FileOutcome:
    """Of one incident or file."""

    action: Action
    id: str | None = None
    file: Path | None = None
    revision: int | None = None
    """Of the store, when it was done."""
    detail: str = ""
    problems: tuple[FilePosition, ...] = ()
    sides: dict[str, Any] = field(default_factory=dict)
    """Of a conflict: ``base``, ``store`` and ``file``, each as a record (null where there is no such revision)."""

    def to_dict(self) -> dict[str, Any]:
        """For ``--json``; what says nothing is left out."""
        said: dict[str, Any] = {
            "action": self.action.value,
            "id": self.id,
            "file": None if self.file is None else self.file.as_posix(),
            "revision": self.revision,
            "detail": self.detail,
            "problems": [{"line": one.line, "column": one.column, "problem": one.problem} for one in self.problems],
            "sides": self.sides,
        }
        return {key: value for key, value in said.items() if value not in (None, "", [], {})}


def counts(outcomes: Sequence[FileOutcome]) -> dict[str, int]:
    """How many of each action, in its order."""
    found = Counter(one.action for one in outcomes)
    return {action.value: found[action] for action in Action if found[action]}


def failed(outcomes: Sequence[FileOutcome]) -> bool:
    """Whether something is left for somebody to decide."""
    return any(one.action in FAILURES for one in outcomes)
