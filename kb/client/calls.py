"""Every call of the service as a value: the request, and the type of its answer. The two clients differ only in how they send it."""

import json as codec
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar
from urllib.parse import quote

from kb.client.parse_shapes import Reading
from kb.client.shapes import (
    Answer,
    Batch,
    ChangedSighting,
    Diff,
    Draft,
    History,
    Incident,
    Match,
    Merge,
    Page,
    Revision,
    Saved,
    Sightings,
    Votes,
)
from kb.client.triage_shapes import CrashGroups, ExplainedPage, LikelyVerdict, TriageFigures, TriageRows

INCIDENTS = "/v1/incidents"
TRIAGE = "/v1/triage"
DOORS = frozenset(("similar", "draft"))
"""Words of the service in the place of an id. An incident with such an id is at ``%73imilar``, ``%64raft``."""


def address(incident_id: str, room: str = "") -> str:
    """The path of an incident, or of a room of it."""
    quoted = quote(incident_id, safe="", errors="replace")
    if quoted in DOORS:
        quoted = f"%{ord(quoted[0]):02X}{quoted[1:]}"
    return f"{INCIDENTS}/{quoted}{room}"


T = TypeVar("T")
Content = str | Mapping[str, Any]
"""An incident as it is written: a write-up in Markdown, or its fields."""
PAGE = 200
"""Lines of a list per request."""
PART = 100
"""Lines of a list of triage per request."""
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
    """Whether it changes nothing and may always be sent again."""


def search(
    text: str, k: int = 5, filters: Mapping[str, str] | None = None, *, explain: bool = True, lang: str | None = None
) -> Call[Answer]:
    """Search for a paste. What a service of an older version does not know is sent only where it is asked for."""
    more = {"filters": dict(filters) if filters else None, "lang": lang}
    body = {"text": text, "k": k, "explain": explain, **{name: value for name, value in more.items() if value}}
    return _post("/v1/search", body, reads=True)


def search_batch(items: Iterable[tuple[str, str]], k: int = 5, *, explain: bool = True) -> Call[Batch]:
    """Search several pastes, each with an id."""
    listed = [{"id": name, "text": text} for name, text in items]
    return _post("/v1/search/batch", {"items": listed, "k": k, "explain": explain}, reads=True)


def parse(text: str) -> Call[Reading]:
    """Parse a text."""
    return _post("/v1/parse", {"text": text}, reads=True)


def page(wanted: Mapping[str, Any], cursor: str | None) -> Call[Page]:
    """Get a page of the list of incidents."""
    params = {"limit": PAGE, **wanted, "cursor": cursor}
    return _get(INCIDENTS, params)


def get(incident_id: str) -> Call[Incident]:
    """Get one incident."""
    return _get(address(incident_id))


def history(incident_id: str, before: int | None) -> Call[History]:
    """Get a page of its revisions."""
    return _get(address(incident_id, "/history"), {"limit": PAGE, "before": before})


def revision(incident_id: str, number: int) -> Call[Revision]:
    """Get one revision."""
    return _get(address(incident_id, f"/history/{number}"))


def diff(incident_id: str, earlier: int, later: int) -> Call[Diff]:
    """Compare two revisions."""
    return _get(address(incident_id, "/diff"), {"from": earlier, "to": later})


def create(content: Content, note: str) -> Call[Saved]:
    """Create an incident."""
    return _write("POST", INCIDENTS, content, note)


def replace(incident_id: str, content: Content, expected: int, note: str) -> Call[Saved]:
    """Replace the content of one."""
    return _write("PUT", address(incident_id), content, note, _if_match(expected))


def retire(incident_id: str, expected: int, note: str) -> Call[Saved]:
    """Retire it."""
    return Call("DELETE", address(incident_id), _noted(note), _accepting(_if_match(expected)))


def move(incident_id: str, status: str, expected: int, note: str) -> Call[Saved]:
    """Change its status."""
    body = {"status": status, "note": note}
    return _post(address(incident_id, "/status"), body, headers=_if_match(expected))


def restore(incident_id: str, number: int, expected: int) -> Call[Saved]:
    """Save an old revision as a new one."""
    return _post(address(incident_id, "/restore"), {"revision": number}, headers=_if_match(expected))


def attach(incident_id: str, trace: str, note: str) -> Call[Saved]:
    """Add a trace."""
    return _post(address(incident_id, "/traces"), {"trace": trace, "note": note})


def merge(incident_id: str, into: str, expected: tuple[int, int], note: str) -> Call[Merge]:
    """Merge one into another; ``expected``: the revisions of both."""
    body = {"into": into, "into_revision": expected[1], "note": note}
    return _post(address(incident_id, "/merge"), body, headers=_if_match(expected[0]))


def split(incident_id: str, note: str) -> Call[Merge]:
    """Undo a merge."""
    return _post(address(incident_id, "/split"), {"note": note})


def similar(content: Content, k: int, but: str | None) -> Call[Answer]:
    """Find known incidents that may be the same as a draft."""
    params = {"k": k, "but": but}
    return _write("POST", f"{INCIDENTS}/similar", content, "", params=params, reads=True)


def draft(text: str) -> Call[Draft]:
    """Draft a write-up from a paste."""
    return _post(f"{INCIDENTS}/draft", {"text": text}, reads=True)


def feedback(incident_id: str, vote: str, answer: Answer, query: Mapping[str, Any]) -> Call[Votes]:
    """That a match of an answer was it, or was not; ``query`` is the query, as its text or its fingerprints."""
    likely = next((one["probability"] for one in answer["matches"] if incident_id in _ids(one)), None)
    if likely is None:
        raise ValueError(f"the answer has no match {incident_id!r}")
    body = {"vote": vote, "probability": likely, "snapshot_id": answer["snapshot_id"], **query}
    return _post(address(incident_id, "/feedback"), body)


def _ids(match: Match) -> set[str]:
    return {match["incident"]["id"], *(other["id"] for other in match["also"])}


def votes(incident_id: str) -> Call[Votes]:
    """Get the votes so far."""
    return _get(address(incident_id, "/feedback"))


def sightings(incident_id: str) -> Call[Sightings]:
    """Get the pastes that readers confirmed or denied."""
    return _get(address(incident_id, "/sightings"))


def put_sighting(incident_id: str, name: str, *, removed: bool) -> Call[ChangedSighting]:
    """Remove a paste, or put it back."""
    sent = _accepting({"Content-Type": JSON})
    return Call("PUT", address(incident_id, f"/sightings/{name}"), headers=sent, content=_dumped({"removed": removed}))


def triage_reports(start: int) -> Call[TriageRows]:
    """Get a page of the reports of `kb triage`."""
    return _get(TRIAGE, {"limit": PART, "start": start})


def triage_figures(run: str) -> Call[TriageFigures]:
    """Get the figures of a report."""
    return _get(_report(run))


def crash_groups(run: str, start: int, *, new: bool) -> Call[CrashGroups]:
    """Get a page of its groups."""
    return _get(_report(run, "/groups"), {"limit": PART, "start": start, "new": "true" if new else None})


def explained_crashes(run: str, start: int, verdict: LikelyVerdict | None) -> Call[ExplainedPage]:
    """Get a page of the incidents that explain crashes."""
    return _get(_report(run, "/incidents"), {"limit": PART, "start": start, "verdict": verdict})


def crash_draft(run: str, group: str) -> Call[Draft]:
    """Get the draft of a group."""
    return _get(_report(run, f"/groups/{quote(group, safe='', errors='replace')}/draft"))


def _report(run: str, room: str = "") -> str:
    return f"{TRIAGE}/{quote(run, safe='', errors='replace')}{room}"


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
    content: Content,
    note: str,
    headers: Mapping[str, str] | None = None,
    *,
    params: Mapping[str, Any] | None = None,
    reads: bool = False,
) -> Call[Any]:
    """A write-up travels as Markdown, fields as JSON."""
    is_markdown = isinstance(content, str)
    body = content.encode("utf-8", "replace") if isinstance(content, str) else _dumped(content)
    sent = _accepting({"Content-Type": MARKDOWN if is_markdown else JSON, **(headers or {})})
    return Call(method, path, _given(params or {}) | _noted(note), sent, body, reads)


def _accepting(headers: Mapping[str, str] | None = None) -> dict[str, str]:
    return {"Accept": JSON, **(headers or {})}


def _if_match(revision: int) -> dict[str, str]:
    return {"If-Match": f'"{revision}"'}


def _given(params: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in params.items() if value is not None}


def _noted(note: str) -> dict[str, str]:
    return {"note": " ".join(note.split())} if note.strip() else {}


def _dumped(body: Mapping[str, Any]) -> bytes:
    """Encode as JSON; a lone surrogate becomes a question mark."""
    return codec.dumps(body, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
