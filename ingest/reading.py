"""One document, from bytes to incidents or to the reason why not. Runs in the executors; knows no Spark."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from ingest.quality import Reason, describes_problem
from ingest.sources.formats import SUFFIX, Format, format_of
from ingest.sources.listing import MAX_DOCUMENT
from kb.article import read_article
from kb.incident import Incident
from kb.record import RecordError, from_record


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
    if form is Format.JSONL:
        return _read_record(data)
    name = _named(path, form)
    article = read_article(data, name)
    if not article.incidents:
        reason = Reason.DECLINED if article.declined else Reason.BINARY if article.binary else Reason.EMPTY
        return Outcome(reason=reason, detail="; ".join(article.notes))
    return _passed(tuple(_from(incident, name, path) for incident in article.incidents), lambda: article.text)


def _named(path: str, form: Format) -> str:
    """The path, with the ending by which `kb.article` knows a form that was asked for and that the name does not tell."""
    told = form is Format.AUTO or format_of(path, Format.AUTO) is form
    return path if told else path + SUFFIX[form]


def _from(incident: Incident, name: str, path: str) -> Incident:
    """The incident with the document's own path, where it was read under another name."""
    source = incident.source
    if name == path or source.path != name:
        return incident
    return replace(incident, source=replace(source, path=path, url=path if source.url == name else source.url))


def _read_record(data: bytes) -> Outcome:
    try:
        record = json.loads(data)
    except ValueError as error:  # json.JSONDecodeError, UnicodeDecodeError, a number of too many digits
        return Outcome(reason=Reason.INVALID_RECORD, detail=f"not JSON: {error}")
    if not isinstance(record, Mapping):
        return Outcome(reason=Reason.INVALID_RECORD, detail="not a JSON object")
    try:
        return _passed((from_record(record),))
    except RecordError as error:
        return Outcome(reason=Reason.INVALID_RECORD, detail=str(error))


def _passed(incidents: tuple[Incident, ...], document: Callable[[], str] = str) -> Outcome:
    accepted = tuple(incident for incident in incidents if describes_problem(incident, document))
    if accepted:
        return Outcome(accepted)
    return Outcome(reason=Reason.NO_PROBLEM, detail="no trace, no cause with its fix, no word of failure")
