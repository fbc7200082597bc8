"""What a search can be narrowed to: language, component, tag, status."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from index.phrases import phrase
from index.terms.hashing import hash_all, token_hash
from index.terms.ragged import Ragged
from kb.incident import Status

HIDDEN = (Status.DRAFT, Status.RETIRED)
"""Not answered with unless a filter asks for that status."""

_KEYS = {"lang": "lang", "component": "component", "status": "status", "tag": "tags", "tags": "tags"}


@dataclass(frozen=True, slots=True)
class Narrowing:
    """Facets that an incident must have all of, and what was not understood of the filters."""

    required: tuple[str, ...]
    notes: tuple[str, ...]


def facets_of(document: Mapping[str, object]) -> list[str]:
    """The facets of a record (kb.record)."""
    status = str(document.get("status") or Status.PUBLISHED)
    found = [f"lang={document.get('lang')}", f"status={status}"]
    if status not in HIDDEN:
        found.append("status=shown")
    translations = document.get("translations")
    found += [f"lang={lang}" for lang in (translations if isinstance(translations, dict) else ())]
    if component := document.get("component"):
        found.append(f"component={str(component).lower()}")
    tags = document.get("tags")
    return found + [f"tags={str(tag).lower()}" for tag in (tags if isinstance(tags, list) else ())]


def narrow(filters: Mapping[str, str] | None, lang: str) -> Narrowing:
    """The facets that the filters ask for. A filter that is not known narrows to nothing: better no answer than a wrong one."""
    required: list[str] = []
    notes: list[str] = []
    for key, value in (filters or {}).items():
        facet = _KEYS.get(key)
        if facet is None:
            notes.append(phrase(lang, "note_filter", key=key))
        required.append(f"{facet}={str(value).strip().lower()}")
    if not any(facet.startswith("status=") for facet in required):
        required.append("status=shown")
    return Narrowing(tuple(required), tuple(notes))


def mask(facets: Ragged, required: Iterable[str]) -> npt.NDArray[np.bool_]:
    """Which rows have all the facets."""
    allowed = np.ones(len(facets), dtype=np.bool_)
    owners = np.repeat(np.arange(len(facets)), np.diff(facets.offsets).astype(np.intp))
    for name in hash_all(required):
        here = np.zeros(len(facets), dtype=np.bool_)
        here[owners[facets.values == name]] = True
        allowed &= here
    return allowed


def facet_token(facet: str) -> str:
    """A facet as it stands in the lexical index."""
    return f"{token_hash(facet):016x}"
