"""One document, from bytes to incidents or to the reason why not. Runs in the executors; knows no Spark."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from ingest.quality import Reason, describes_problem
from ingest.sources.formats import SUFFIX, TRACKER, Format, format_of
from ingest.sources.listing import MAX_DOCUMENT
from kb.article import read_article
from kb.article.decode import decode
from kb.entities.annotate import annotated
from kb.incident import Incident
from kb.record import RecordError, from_record
from kb.tracker import Tracker, incidents_of_record, tracker_of


@dataclass(frozen=True, slots=True)
class Outcome:
    """The incidents of a document, or why it has none."""

    incidents: tuple[Incident, ...] = ()
    reason: Reason | None = None
    detail: str = ""


def read_bytes(location: bytes, offset: int, size: int) -> bytes:
    """The bytes of a listed document. Raises OSError."""
    with open(location, "rb") as file:  # noqa: PTH123  the name need not be Unicode
        file.seek(offset)
        return file.read(size)


def read_document(data: bytes, path: str, form: Format) -> Outcome:
    """What is in a document. ``path`` names it in the source; ``form`` AUTO leaves the form to its content."""
    if len(data) > MAX_DOCUMENT:
        return Outcome(reason=Reason.TOO_LARGE, detail=f"{len(data):,} bytes; at most {MAX_DOCUMENT:,} are read")
    if not data.strip():
        return Outcome(reason=Reason.EMPTY)
    if form is Format.CONFLUENCE and data.lstrip()[:1] == b"<":
        return _read_ticket({"page": {"title": _stem(path), "body": decode(data).text}}, Tracker.CONFLUENCE, path)
    if form is Format.JSONL or form in TRACKER:
        return _read_record(data, path, TRACKER.get(form))
    name = _named(path, form)
    article = read_article(data, name)
    if not article.incidents:
        reason = Reason.DECLINED if article.declined else Reason.BINARY if article.binary else Reason.EMPTY
        return Outcome(reason=reason, detail="; ".join(article.notes))
    incidents = tuple(_from(incident, name, path) for incident in article.incidents)
    return _passed(tuple(map(annotated, incidents)) if article.written else incidents, lambda: article.text)


def _named(path: str, form: Format) -> str:
    """The path, with the ending by which `kb.article` knows a form that was asked for and that the name does not tell."""
    told = form is Format.AUTO or format_of(path, Format.AUTO) is form
    return path if told else path + SUFFIX[form]


def _from(incident: Incident, name: str, path: str) -> Incident:
    """The incident with the document's own path, where it was read under another name."""
    source = incident.source
    if name == path or source.path != name:
        return incident
    url = source.url
    if url == name or url.startswith(f"{name}#"):
        url = path + url.removeprefix(name)
    return replace(incident, source=replace(source, path=path, url=url))


def _read_record(data: bytes, path: str, tracker: Tracker | None) -> Outcome:
    """A JSON record: a tracker's, when it was cut out of an export or has the shape of one, else an incident's."""
    try:
        record = json.loads(data)
    except ValueError as error:  # json.JSONDecodeError, UnicodeDecodeError, a number of too many digits
        return Outcome(reason=Reason.INVALID_RECORD, detail=f"not JSON: {error}")
    if not isinstance(record, Mapping):
        return Outcome(reason=Reason.INVALID_RECORD, detail="not a JSON object")
    tracker = tracker or tracker_of(record)
    if tracker is not None:
        return _read_ticket(record, tracker, path)
    try:
        return _passed((annotated(from_record(record)),))
    except RecordError as error:
        return Outcome(reason=Reason.INVALID_RECORD, detail=str(error))


def _read_ticket(record: Mapping[str, object], tracker: Tracker, path: str) -> Outcome:
    try:
        incidents = incidents_of_record(record, tracker, path)
    except RecordError as error:
        return Outcome(reason=Reason.INVALID_RECORD, detail=str(error))
    return _passed(incidents) if incidents else Outcome(reason=Reason.EMPTY, detail="the record has no words")


def _stem(path: str) -> str:
    return " ".join(PurePosixPath(path).stem.replace("_", " ").split())


def _passed(incidents: tuple[Incident, ...], document: Callable[[], str] = str) -> Outcome:
    accepted = tuple(incident for incident in incidents if describes_problem(incident, document))
    if accepted:
        return Outcome(accepted)
    return Outcome(reason=Reason.NO_PROBLEM, detail="no trace, no cause with its fix, no word of failure")
