"""The pointer of the lake: which of its files are in force."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

FORMAT = 1


@dataclass(frozen=True, slots=True)
class ComparedBuckets:
    """What has been compared with each other, and what was found. Its files are kept while it stands."""

    documents: str
    """The state file of then, relative to the lake."""
    runs: tuple[str, ...]
    """The runs whose rows were in force then."""
    pairs: str
    """The pairs of near-duplicates among them."""
    version: str
    """Version of the code that compared."""


@dataclass(frozen=True, slots=True)
class LakeManifest:
    """What `ingest.lake.Lake` keeps in ``manifest.json``."""

    generation: int = 0
    documents: str | None = None
    """The state file in force, relative to the lake."""
    runs: tuple[str, ...] = ()
    """The runs whose rows are in force, oldest first."""
    snapshot: str | None = None
    """The snapshot that was built from this generation; None while none was."""
    publisher: str = ""
    """Version of the code and model that the snapshot was built with."""
    duplicates: int = 0
    """Near-duplicates in that snapshot."""
    compared: ComparedBuckets | None = None
    """None while nothing was compared."""
    bases: Mapping[str, str] = field(default_factory=dict)
    """Source → the address under which it is served; a source without one is not named."""
    keep_all: tuple[str, ...] = ()
    """The sources whose documents are all kept, also those that state no problem."""
    format: int = field(default=FORMAT)

    @property
    def named(self) -> set[str]:
        """Every file and folder that must stay, relative to the lake."""
        runs, files = set(self.runs), {self.documents}
        if self.compared is not None:
            runs |= set(self.compared.runs)
            files |= {self.compared.documents, self.compared.pairs}
        return {*filter(None, files), *(f"runs/{run}" for run in runs)}


def manifest_from(stored: Mapping[str, Any]) -> LakeManifest:
    """The manifest as stored. KeyError when a member is missing, TypeError when one is of another kind."""
    if missing := sorted(
        {part.name for part in fields(LakeManifest)} - {"compared", "bases", "keep_all"} - stored.keys()
    ):  # older ones lack it
        raise KeyError(*missing)
    documents, compared = stored["documents"], stored.get("compared")
    if not isinstance(documents, str | None) or not isinstance(stored["generation"], int):
        raise TypeError("documents must be a name, generation a number")
    known = None if compared is None else ComparedBuckets(**{**compared, "runs": _names(compared["runs"])})
    if known is not None and not all(isinstance(one, str) for one in (known.documents, known.pairs, known.version)):
        raise TypeError("what was compared must be named")
    bases = stored.get("bases", {})
    if not isinstance(bases, dict) or not all(isinstance(one, str) for one in bases.values()):
        raise TypeError("bases must be addresses by source")
    runs, kept = _names(stored["runs"]), _names(stored.get("keep_all", []))
    return LakeManifest(**{**stored, "runs": runs, "compared": known, "bases": bases, "keep_all": kept})


def _names(listed: object) -> tuple[str, ...]:
    if not isinstance(listed, list) or not all(isinstance(name, str) for name in listed):
        raise TypeError("runs and the sources that keep all must be lists of names")
    return tuple(listed)
