"""An incident as one line of JSON, there and back: what `kb ingest` and `kb incidents import` take, and what is stored.

Which fields there are is said by `kb.incident.Incident` alone, what is done with each kind of them by `kb.kinds`.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, cast

from kb.incident import Incident, IncidentField, Kind, Source, Status, fields_of
from kb.kinds import RecordError, clean, handling, kind_of, read_text, read_texts
from kb.language import detect
from kb.redact import PLACEHOLDER, redact
from kb.trace import ExceptionChain, parse

__all__ = [
    "DEEPEST", "PROBE", "RecordError", "RedactionCount", "from_record", "judged", "known_keys", "read_chains", "record_fields",
    "record_id", "redaction_counts", "scrub", "short_hash", "slug", "stored", "to_record",
]  # fmt: skip
_IDENTITY = ("id", "title", "lang", "url", "source", "revision", "status")
_LANGS = frozenset(("zh", "en", "mixed"))


def record_fields(of: type[Incident] = Incident) -> tuple[IncidentField, ...]:
    """The table of an incident's fields in the order that a record has them: by kind."""
    kind: Any = of  # as in `fields_of`
    return _ordered(kind)


@cache
def _ordered(of: Any) -> tuple[IncidentField, ...]:
    order = list(Kind)
    return tuple(sorted(fields_of(of), key=lambda field: order.index(field.kind)))


def known_keys(of: type[Incident] = Incident) -> frozenset[str]:
    """The keys of a record that mean something."""
    kind: Any = of
    return _keys(kind)


@cache
def _keys(of: Any) -> frozenset[str]:
    return frozenset((*_IDENTITY, "trace", *(field.name for field in fields_of(of))))


def from_record(record: Mapping[str, object], of: type[Incident] = Incident) -> Incident:
    """The incident a record describes. Secrets are scrubbed, traces are read into chains, unknown keys go to ``extra``.

    Raises `RecordError` when a field has the wrong type or the title is missing.
    """
    title = read_text(record.get("title"), "title")
    if not title:
        raise RecordError("title", "is missing", cure='give every record a "title"')
    traces = _traces(record)
    fields = {field.name: handling(field).read(record.get(field.name), field) for field in record_fields(of)}
    fields = {name: value for name, value in fields.items() if value is not None} | {"traces": traces}
    lang = _lang(record, title, fields, of)
    if lang in fields.get("translations", ()):
        raise RecordError("translations", "holds the incident's own language", cure="translate it into the other one")
    url = read_text(record.get("url"), "url")
    identifier = read_text(record.get("id"), "id") or record_id(title, url, traces)
    incident = of(
        id=identifier,
        title=title,
        lang=lang,
        source=_source(record, url, identifier),
        revision=_revision(record),
        status=_status(record),
        chains=read_chains(traces),
        extra=_unknown(record, of),
        **fields,
    )
    return scrub(incident)


def _unknown(record: Mapping[str, object], of: type[Incident]) -> dict[str, object]:
    known = known_keys(of)
    return {key: value for key, value in record.items() if key not in known}


def _lang(record: Mapping[str, object], title: str, fields: Mapping[str, Any], of: type[Incident]) -> str:
    """The language that a record states, else that of its texts."""
    texts = (fields.get(field.name) for field in record_fields(of) if field.kind in {Kind.TEXT, Kind.WORDS})
    lang = read_text(record.get("lang"), "lang") or detect("\n".join(filter(None, (title, *texts))))
    if lang not in _LANGS:
        raise RecordError("lang", "is no language known here", cure='use "zh", "en" or "mixed", or leave it out')
    return lang


def stored(record: Mapping[str, object], of: type[Incident] = Incident) -> Incident:
    """The incident of a record that `to_record` wrote: nothing is checked or scrubbed again, and chains are left out."""
    source: Any = record["source"]
    named: dict[str, Any] = {name: one for name in ("id", "title", "lang") if isinstance(one := record.get(name), str)}
    present = (field for field in record_fields(of) if field.name in record)
    fields: dict[str, Any] = {field.name: handling(field).restore(record[field.name], field) for field in present}
    return of(
        **named,
        source=Source(source["path"], str(record["url"]), source.get("licence")),
        status=Status(str(record["status"])),
        revision=cast("int", record.get("revision", 1)),
        extra=_unknown(record, of),
        **{name: value for name, value in fields.items() if value is not None},
    )


def scrub(incident: Incident) -> Incident:
    """The incident without secrets in any of its texts; every reader ends with it. Scrubbing twice changes nothing."""
    source = incident.source
    fields = {
        field.name: handling(field).scrub(getattr(incident, field.name)) for field in record_fields(type(incident))
    }
    return replace(
        incident,
        id=redact(incident.id).text,
        title=redact(incident.title).text,
        source=Source(redact(source.path).text, redact(source.url).text, clean(source.licence)),
        chains=incident.chains if fields["traces"] == incident.traces else read_chains(fields["traces"]),
        extra={redact(key).text: _scrubbed(value, key) for key, value in incident.extra.items()},
        **fields,
    )


def to_record(incident: Incident) -> dict[str, object]:
    """The record of an incident, without the fields that hold nothing. Chains are left out: `from_record` reads them again."""
    of = type(incident)
    record = _unknown(incident.extra, of)
    record |= {"id": incident.id, "title": incident.title, "lang": incident.lang, "url": incident.source.url}
    source = {"path": incident.source.path}
    if incident.source.licence is not None:
        source["licence"] = incident.source.licence
    record |= {"source": source, "revision": incident.revision, "status": incident.status.value}
    written = ((field.name, handling(field).write(getattr(incident, field.name))) for field in record_fields(of))
    return record | {name: value for name, value in written if value is not None}


def record_id(title: str, url: str | None, traces: tuple[str, ...] = ()) -> str:
    """The id of a record that brings none: the same record always gets the same id."""
    identity = json.dumps([title, url, list(traces) if url is None else []], ensure_ascii=False)
    return f"{slug(title)}-{short_hash(identity)}"


def slug(text: str) -> str:
    """Letters, digits and Han characters in lower case, joined by hyphens; at most 40 characters, never empty."""
    words = re.findall(r"[0-9a-z\u3400-\u9fff]+", text.lower())
    return "-".join(words)[:40].strip("-") or "incident"


def short_hash(text: str) -> str:
    """Eight hexadecimal digits of the SHA-256 of a text; lone surrogates are allowed."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def read_chains(traces: tuple[str, ...]) -> tuple[ExceptionChain, ...]:
    """Every chain of every trace, in order."""
    return tuple(chain for trace in traces for chain in parse(trace))


def _traces(record: Mapping[str, object]) -> tuple[str, ...]:
    both = read_texts(record.get("trace"), "trace") + read_texts(record.get("traces"), "traces")
    return tuple(dict.fromkeys(both))


def _revision(record: Mapping[str, object]) -> int:
    value = record.get("revision", 1)
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise RecordError("revision", "is not a whole number from 1", cure="use a whole number from 1")
    return value


def _status(record: Mapping[str, object]) -> Status:
    value = record.get("status") or Status.PUBLISHED
    try:
        return Status(str(value))
    except ValueError:  # its words hold the value
        raise RecordError("status", "is none of the known ones", cure=f"use one of {', '.join(Status)}") from None


def _source(record: Mapping[str, object], url: str | None, identifier: str) -> Source:
    value = record.get("source")
    if value is None:
        return Source(path=identifier, url=url or identifier)
    if isinstance(value, str):
        return Source(path=value, url=url or value)
    if not isinstance(value, Mapping):
        raise RecordError("source", f"is {kind_of(value)}", cure='write {"path": …, "licence": …} or a string')
    path = read_text(value.get("path"), "path") or identifier
    return Source(
        path=path,
        url=url or read_text(value.get("url"), "url") or path,
        licence=read_text(value.get("licence"), "licence"),
    )


DEEPEST = 60
"""Levels of an unknown field that are kept."""
PROBE = "x1y2z3w4q5"
"""What a secret could look like: a key under which this is taken away keeps no value."""


_DATA = "password of a manifest"
"""The name under which all that a Secret of Kubernetes holds is judged."""


def judged(value: Mapping[object, object], key: str) -> dict[str, str]:
    """By name of a field: the name by which its value is judged, where that is not its own.

    Of ``{"name": "DB_PASSWORD", "value": "x"}`` the value is judged by the name; all data of a Secret is secret.
    """
    if key == _DATA:
        return {str(name): "password" for name in value}
    texts = {str(name).lower(): inner for name, inner in value.items() if isinstance(inner, str)}
    named = next((texts[name] for name in ("name", "key", "parameterkey") if name in texts), None)
    found = {} if named is None else {str(one): named for one in value if str(one).lower() in _VALUES}
    if texts.get("kind", "").lower() == "secret":
        found |= {str(one): _DATA for one in value if str(one).lower() in {"data", "stringdata"}}
    return found


_VALUES = frozenset({"value", "parametervalue"})


def _scrubbed(value: object, key: str, depth: int = 0) -> object:
    """A value of ``extra`` without secrets: those its words show, and all that stands under ``password`` and the like."""
    if depth > DEEPEST:
        return None
    if isinstance(value, Mapping):
        names = judged(value, key)
        return {
            redact(str(name)).text: _scrubbed(inner, names.get(str(name), str(name)), depth + 1)
            for name, inner in value.items()
        }
    if isinstance(value, list | tuple):
        return [_scrubbed(inner, key, depth + 1) for inner in value]
    if isinstance(value, str):
        return PLACEHOLDER if value.strip() and redact(f'"{key}": "{PROBE}"').redactions else redact(value).text
    if value is None or isinstance(value, bool):
        return value
    return PLACEHOLDER if redact(f'"{key}": "{value!s}"').redactions else value


@dataclass(frozen=True, slots=True)
class RedactionCount:
    """So many secrets of one kind that stood in one field."""

    kind: str
    field: str
    """JSON pointer into the record: ``/traces/0``."""
    count: int


def redaction_counts(record: Mapping[str, object]) -> tuple[RedactionCount, ...]:
    """The secrets of a record as it was written, in the order of its fields."""
    found = Counter(_counted(record, "", ""))
    return tuple(RedactionCount(kind, field, count) for (kind, field), count in found.items())


def _counted(value: object, key: str, field: str, depth: int = 0) -> Iterator[tuple[str, str]]:
    if depth > DEEPEST or value is None or isinstance(value, bool):
        return
    if isinstance(value, Mapping):
        names = judged(value, key)
        for name, inner in value.items():
            hidden = redact(str(name))  # a key may be a secret, too
            yield from ((one.kind, field) for one in hidden.redactions)
            below = hidden.text.replace("~", "~0").replace("/", "~1")
            yield from _counted(inner, names.get(str(name), str(name)), f"{field}/{below}", depth + 1)
    elif isinstance(value, list | tuple):
        for number, inner in enumerate(value):
            yield from _counted(inner, key, f"{field}/{number}", depth + 1)
    elif kind := _named(key, value):
        yield kind, field
    elif isinstance(value, str):
        yield from ((one.kind, field) for one in redact(value).redactions)


def _named(key: str, value: object) -> str | None:
    """The kind of secret that stands under ``password`` and the like, whatever it looks like."""
    if isinstance(value, str):
        value = PROBE if value.strip() else ""
    found = redact(f'"{key}": "{value!s}"').redactions if value != "" else ()
    return found[0].kind if found else None
