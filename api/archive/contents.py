"""What a backup holds, as its last member tells."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from typing import Self

from kb.errors import KbError
from kb.store.dump import Dumped

FORMAT = 1
MEMBER = "backup.json"


class BackupError(KbError):
    """A backup cannot be made, or cannot be used."""


@dataclass(frozen=True, slots=True)
class Contents:
    """The members of a backup, and what they were copied from."""

    made: str
    """ISO 8601, UTC."""
    snapshot_id: str | None
    store: Dumped | None
    files: Mapping[str, tuple[int, str]]
    """Size and SHA-256, by name."""
    program: str = field(default_factory=lambda: version("dejastack"))
    format: int = FORMAT

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(size for size, _ in self.files.values())

    def to_json(self) -> str:
        """The text of the member."""
        return json.dumps(asdict(self), indent=1)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """What the member says. BackupError when it is not ours, or of a newer version."""
        try:
            told = json.loads(text)
            found = told["format"]
            if found == FORMAT:
                store = Dumped(**told["store"]) if told["store"] else None
                files = {str(name): (int(size), str(digest)) for name, (size, digest) in told["files"].items()}
                return cls(told["made"], told["snapshot_id"], store, files, told["program"])
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise BackupError(f"{MEMBER} of the backup cannot be read", cure="use another backup") from error
        raise BackupError(f"the backup has format {found!r}, this version reads {FORMAT}", cure="update dejastack")
