"""The manifest of a backup, its last member. Every field is validated before it is used."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from typing import Annotated, Self

from pydantic import AfterValidator, Field, TypeAdapter, ValidationError

from kb.errors import KbError
from kb.store.dump import Dumped

FORMAT = 1
MEMBER = "backup.json"
LARGEST = 256 << 20
"""Bytes of the member: some 130 for each file of a lake."""
PARTS = ("lake", "snapshots", "rules", "store")


class BackupError(KbError):
    """A backup cannot be made, or cannot be used."""


def _name(name: str) -> str:
    """A path inside a known part of the home."""
    first, *rest = name.split("/")
    if first not in PARTS or not rest or not {"", ".", ".."}.isdisjoint(rest) or "\0" in name:
        raise ValueError("no name of a file")
    return name


def _counted(store: Dumped) -> Dumped:
    counts = (store.head, *store.rows.values())
    if not all(0 <= count < 1 << 60 for count in counts) or not all(map(str.isidentifier, store.rows)):
        raise ValueError("no counts of rows")
    return store


Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Size = Annotated[int, Field(ge=0, lt=1 << 60)]


@dataclass(frozen=True, slots=True)
class Contents:
    """The members of a backup, and what they were copied from."""

    made: Annotated[str, Field(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$")]
    """ISO 8601, UTC."""
    snapshot_id: Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")] | None
    store: Annotated[Dumped, AfterValidator(_counted)] | None
    files: Mapping[Annotated[str, Field(max_length=1000), AfterValidator(_name)], tuple[Size, Digest]]
    """Size and SHA-256, by name."""
    program: Annotated[str, Field(pattern=r"^[0-9A-Za-z.+!-]{1,64}$")] = field(
        default_factory=lambda: version("dejastack")
    )
    format: int = FORMAT

    @property
    def _manifest(self) -> str:
        return f"snapshots/{self.snapshot_id}/manifest.json"

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(size for size, _ in self.files.values())

    def to_json(self) -> str:
        """The text of the member."""
        return json.dumps(asdict(self), indent=1)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Parse the manifest. BackupError when it is not ours, is of a newer version, or has an invalid field."""
        try:
            manifest = json.loads(text)
            version = manifest["format"]
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise BackupError(f"{MEMBER} of the backup cannot be read", cure=_CURE) from error
        if version != FORMAT:
            raise BackupError(
                f"the backup has format {str(version)[:20]!r}, this version reads {FORMAT}", cure="update dejastack"
            )
        try:
            contents: Self = TypeAdapter(cls).validate_json(text, strict=True)
        except ValidationError as error:
            place = ".".join(
                ascii(part)[1:-1] if isinstance(part, str) else str(part) for part in error.errors()[0]["loc"]
            )
            raise BackupError(f"{MEMBER} of the backup has a wrong {place[:100]}", cure=_CURE) from error
        contents._check_snapshot()
        return contents

    def _check_snapshot(self) -> None:
        """BackupError unless the files are of the one snapshot that is named, and it is there."""
        of = {name.split("/")[1] for name in self.files if name.startswith("snapshots/")}
        if of != ({self.snapshot_id} if self.snapshot_id else set()) or (of and self._manifest not in self.files):
            raise BackupError(f"{MEMBER} of the backup names another snapshot than it holds", cure=_CURE)


_CURE = "use another backup"
