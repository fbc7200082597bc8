"""Every call of the service as a value: what is sent, and what comes back. The two clients only differ in how they send it."""

import json as codec
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from kb.client.addresses import INCIDENTS, address
from kb.client.records import (
    ChangedSighting,
    Diff,
    Draft,
    History,
    Incident,
    Merge,
    Page,
    Revision,
    Saved,
    Sightings,
    Votes,
)
from kb.client.shapes import Answer, Batch, Match, Reading

T = TypeVar("T")
Said = str | Mapping[str, Any]
"""An incident as it is written: a write-up in Markdown, or its fields."""
PAGE = 200
"""Lines of a list that are asked for at once."""
MARKDOWN = "text/markdown; charset=utf-8"
JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """One request; its answer is a JSON object of the shape ``T``."""

    method: str
    path: str
    params: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes | None = None
    reads: bool = False
    """Whether it changes nothing, so that it may be sent once more whatever became of it."""


def search(
    text: str, k: int = 5, filters: Mapping[str, str] | None = None, *, explain: bool = True, lang: str | None = None
) -> Call[Answer]:
    """The closest known incidents of a paste. What a service of an older version does not know is sent only where it is asked for."""
    more = {"filters": dict(filters) if filters else None, "lang": lang}
    body = {"text": text, "k": k, "explain": explain, **{name: value for name, value in more.items() if value}}
    return _post("/v1/search", body, reads=True)


def search_batch(items: Iterable[tuple[str, str]], k: int = 5, *, explain: bool = True) -> Call[Batch]:
    """The same of several, each with an id."""
    listed = [{"id": name, "text": text} for name, text in items]
    return _post("/v1/search/batch", {"items": listed, "k": k, "explain": explain}, reads=True)


def parse(text: str) -> Call[Reading]:
    """What is understood of a text."""
    return _post("/v1/parse", {"text": text}, reads=True)


def page(wanted: Mapping[str, Any], cursor: str | None) -> Call[Page]:
    """Some lines of the list of incidents."""
    params = {"limit": PAGE, **wanted, "cursor": cursor}
    return _get(INCIDENTS, params)


def get(incident_id: str) -> Call[Incident]:
    """One incident."""
    return _get(address(incident_id))


def history(incident_id: str, before: int | None) -> Call[History]:
    """Some of its revisions."""
    return _get(address(incident_id, "/history"), {"limit": PAGE, "before": before})


def revision(incident_id: str, number: int) -> Call[Revision]:
    """One of its revisions."""
    return _get(address(incident_id, f"/history/{number}"))


def diff(incident_id: str, earlier: int, later: int) -> Call[Diff]:
    """What two revisions say differently."""
    return _get(address(incident_id, "/diff"), {"from": earlier, "to": later})


def create(said: Said, note: str) -> Call[Saved]:
    """A new incident."""
    return _write("POST", INCIDENTS, said, note)


def replace(incident_id: str, said: Said, expected: int, note: str) -> Call[Saved]:
    """New words for one."""
    return _write("PUT", address(incident_id), said, note, _if_match(expected))


def retire(incident_id: str, expected: int, note: str) -> Call[Saved]:
    """Search it no more."""
    return Call("DELETE", address(incident_id), _noted(note), _accepting(_if_match(expected)))


def move(incident_id: str, status: str, expected: int, note: str) -> Call[Saved]:
    """The same words in another state."""
    body = {"status": status, "note": note}
    return _post(address(incident_id, "/status"), body, headers=_if_match(expected))


def restore(incident_id: str, number: int, expected: int) -> Call[Saved]:
    """The words of an old revision once more."""
    return _post(address(incident_id, "/restore"), {"revision": number}, headers=_if_match(expected))


def attach(incident_id: str, trace: str, note: str) -> Call[Saved]:
    """One trace more."""
    return _post(address(incident_id, "/traces"), {"trace": trace, "note": note})


def merge(incident_id: str, into: str, expected: tuple[int, int], note: str) -> Call[Merge]:
    """Retire one in favour of another; the revisions of both as they were seen."""
    body = {"into": into, "into_revision": expected[1], "note": note}
    return _post(address(incident_id, "/merge"), body, headers=_if_match(expected[0]))


def split(incident_id: str, note: str) -> Call[Merge]:
    """Take a merge back."""
    return _post(address(incident_id, "/split"), {"note": note})


def similar(said: Said, k: int, but: str | None) -> Call[Answer]:
    """What is known that may be the same as what is being written."""
    params = {"k": k, "but": but}
    return _write("POST", f"{INCIDENTS}/similar", said, "", params=params, reads=True)


def draft(text: str) -> Call[Draft]:
    """A write-up to begin with, of a paste."""
    return _post(f"{INCIDENTS}/draft", {"text": text}, reads=True)


def feedback(incident_id: str, vote: str, answer: Answer, told: Mapping[str, Any]) -> Call[Votes]:
    """That a match of an answer was it, or was not; ``told`` is the query, as its text or its fingerprints."""
    likely = next((one["probability"] for one in answer["matches"] if incident_id in _ids(one)), None)
    if likely is None:
        raise ValueError(f"the answer has no match {incident_id!r}")
    body = {"vote": vote, "probability": likely, "snapshot_id": answer["snapshot_id"], **told}
    return _post(address(incident_id, "/feedback"), body)


def _ids(match: Match) -> set[str]:
    return {match["incident"]["id"], *(other["id"] for other in match["also"])}


def votes(incident_id: str) -> Call[Votes]:
    """What was voted so far."""
    return _get(address(incident_id, "/feedback"))


def sightings(incident_id: str) -> Call[Sightings]:
    """The pastes that readers confirmed or denied."""
    return _get(address(incident_id, "/sightings"))


def put_sighting(incident_id: str, name: str, *, removed: bool) -> Call[ChangedSighting]:
    """Remove one of them, or put it back."""
    sent = _accepting({"Content-Type": JSON})
    return Call("PUT", address(incident_id, f"/sightings/{name}"), headers=sent, content=_dumped({"removed": removed}))


def _get(path: str, params: Mapping[str, Any] | None = None) -> Call[Any]:
    return Call("GET", path, _given(params or {}), _accepting(), reads=True)


def _post(
    path: str, body: Mapping[str, Any], *, headers: Mapping[str, str] | None = None, reads: bool = False
) -> Call[Any]:
    sent = _accepting({"Content-Type": JSON, **(headers or {})})
    return Call("POST", path, headers=sent, content=_dumped(body), reads=reads)


def _write(  # noqa: PLR0913 - what the two forms of a write-up have in common
    method: str,
    path: str,
    said: Said,
    note: str,
    headers: Mapping[str, str] | None = None,
    *,
    params: Mapping[str, Any] | None = None,
    reads: bool = False,
) -> Call[Any]:
    """A write-up travels as Markdown, fields as JSON."""
    is_markdown = isinstance(said, str)
    content = said.encode("utf-8", "replace") if isinstance(said, str) else _dumped(said)
    sent = _accepting({"Content-Type": MARKDOWN if is_markdown else JSON, **(headers or {})})
    return Call(method, path, _given(params or {}) | _noted(note), sent, content, reads)


def _accepting(headers: Mapping[str, str] | None = None) -> dict[str, str]:
    return {"Accept": JSON, **(headers or {})}


def _if_match(revision: int) -> dict[str, str]:
    return {"If-Match": f'"{revision}"'}


def _given(params: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in params.items() if value is not None}


def _noted(note: str) -> dict[str, str]:
    return {"note": " ".join(note.split())} if note.strip() else {}


def _dumped(body: Mapping[str, Any]) -> bytes:
    """A lone surrogate, which UTF-8 cannot say, becomes a question mark."""
    return codec.dumps(body, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
