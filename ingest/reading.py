"""One document, from bytes to incidents or to the reason why not. Runs in the executors; knows no Spark."""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from ingest.quality import Reason, describes_problem
from ingest.sources.formats import SUFFIX, TRACKER, DocumentFormat, format_of
from ingest.sources.listing import MAX_DOCUMENT
from ingest.sources.translated import BETWEEN, whole_writeup
from kb.annotate import annotated
from kb.article import read_article
from kb.article.declining import Declined
from kb.article.decode import decode
from kb.ids import usable
from kb.incident import Incident
from kb.record import RecordError, from_record
from kb.redact import redact_path
from kb.tracker import Tracker, incidents_of_record, tracker_of


@dataclass(frozen=True, slots=True)
class ReadOutcome:
    """The incidents of a document, or why it has none. With incidents, the detail tells what of it was left out."""

    incidents: tuple[Incident, ...] = ()
    reason: Reason | None = None
    detail: str = ""


def read_bytes(location: bytes, offset: int, size: int) -> bytes:
    """The bytes of a listed document; of a write-up with translations in one. Raises OSError."""
    if BETWEEN in location:
        return whole_writeup(location.split(BETWEEN))
    with open(location, "rb") as file:  # noqa: PTH123  the name need not be Unicode
        file.seek(offset)
        return file.read(size)


def read_document(data: bytes, path: str, form: DocumentFormat, *, keep_all: bool = False) -> ReadOutcome:
    """What is in a document. ``path`` names it in the source; ``form`` AUTO leaves the form to its content.

    With ``keep_all`` a document, or a problem of it, that states none is taken, too.
    """
    path = redact_path(path)
    if len(data) > MAX_DOCUMENT:
        return ReadOutcome(reason=Reason.TOO_LARGE, detail=f"{len(data):,} bytes; at most {MAX_DOCUMENT:,} are read")
    if not data.strip():
        return ReadOutcome(reason=Reason.EMPTY)
    if form is DocumentFormat.CONFLUENCE and data.lstrip()[:1] == b"<":
        return _read_ticket({"page": {"title": _stem(path), "body": decode(data).text}}, Tracker.CONFLUENCE, path)
    if form is DocumentFormat.JSONL or form in TRACKER:
        return _read_record(data, path, TRACKER.get(form))
    return _read_article(data, path, form, keep_all=keep_all)


def _read_article(data: bytes, path: str, form: DocumentFormat, *, keep_all: bool) -> ReadOutcome:
    """The problems that an article states."""
    name = _named(path, form)
    article = read_article(data, name)
    if not article.incidents:
        reason = Reason.DECLINED if article.declined else Reason.BINARY if article.binary else Reason.EMPTY
        return ReadOutcome(reason=reason, detail="; ".join(article.notes))
    none = {} if keep_all else article.stating_none
    stating = [incident for incident in article.incidents if incident.id not in none]
    if not stating:
        return ReadOutcome(reason=Reason(next(iter(none.values()))), detail=_DECLINED)
    incidents = tuple(_from(incident, name, path) for incident in stating)
    incidents = tuple(map(annotated, incidents)) if article.written else incidents
    passed = _passed(incidents, lambda: article.text, keep_all=keep_all)
    return replace(passed, detail=_left_out(none)) if none and passed.incidents else passed


_DECLINED = "states no problem; --keep-all takes it"


def _left_out(none: Mapping[str, Declined]) -> str:
    """The parts of an accepted document that were left out."""
    return "left out: " + ", ".join(f"{count} {what}" for what, count in sorted(Counter(none.values()).items()))


def _named(path: str, form: DocumentFormat) -> str:
    """The path, with the ending by which `kb.article` knows a form that was asked for and that the name does not tell."""
    is_recognised = form is DocumentFormat.AUTO or format_of(path, DocumentFormat.AUTO) is form
    return path if is_recognised else path + SUFFIX[form]


def _from(incident: Incident, name: str, path: str) -> Incident:
    """The incident with the document's own path, where it was read under another name."""
    source = incident.source
    if name == path or source.path != name:
        return incident
    url = source.url
    if url == name or url.startswith(f"{name}#"):
        url = path + url.removeprefix(name)
    return replace(incident, source=replace(source, path=path, url=url))


def _read_record(data: bytes, path: str, tracker: Tracker | None) -> ReadOutcome:
    """A JSON record: a tracker's, when it was cut out of an export or has the shape of one, else an incident's."""
    try:
        record = json.loads(data)
    except ValueError as error:  # json.JSONDecodeError, UnicodeDecodeError, a number of too many digits
        return ReadOutcome(reason=Reason.INVALID_RECORD, detail=f"not JSON: {error}")
    if not isinstance(record, Mapping):
        return ReadOutcome(reason=Reason.INVALID_RECORD, detail="not a JSON object")
    tracker = tracker or tracker_of(record)
    if tracker is not None:
        return _read_ticket(record, tracker, path)
    try:
        return _passed((annotated(from_record(record)),))
    except RecordError as error:
        return ReadOutcome(reason=Reason.INVALID_RECORD, detail=str(error))


def _read_ticket(record: Mapping[str, object], tracker: Tracker, path: str) -> ReadOutcome:
    try:
        incidents = incidents_of_record(record, tracker, path)
    except RecordError as error:
        return ReadOutcome(reason=Reason.INVALID_RECORD, detail=str(error))
    return _passed(incidents) if incidents else ReadOutcome(reason=Reason.EMPTY, detail="the record has no words")


def _stem(path: str) -> str:
    return " ".join(PurePosixPath(path).stem.replace("_", " ").split())


def _passed(
    incidents: tuple[Incident, ...], document: Callable[[], str] = str, *, keep_all: bool = False
) -> ReadOutcome:
    accepted = tuple(incident for incident in incidents if keep_all or describes_problem(incident, document))
    if accepted:
        return ReadOutcome(tuple(replace(incident, id=usable(incident.id)) for incident in accepted))
    return ReadOutcome(reason=Reason.NO_PROBLEM, detail="no trace, no cause with its fix, no word of failure")
