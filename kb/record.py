"""An incident as one line of JSON, there and back: what `kb ingest` and `kb incidents import` take, and what is stored."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import date
from typing import Any, TypeGuard, cast

from kb.errors import KbError
from kb.incident import Incident, QuoteSpan, Repost, Source, Status
from kb.language import detect
from kb.redact import PLACEHOLDER, redact
from kb.trace import ExceptionChain, parse

_TEXTS = ("component", "symptom", "root_cause", "distinguish", "fix", "created", "duplicate_of")
_LISTS = ("versions", "traces", "tags", "codes")
_REST = (
    "id",
    "title",
    "lang",
    "source",
    "url",
    "revision",
    "status",
    "trace",
    "prose",
    "reposts",
    "quotes",
    "announced",
    "sections",
    "article",
)
_KNOWN = frozenset((*_TEXTS, *_LISTS, *_REST))
_QUOTED = frozenset(("root_cause", "fix"))
_SECTIONS = frozenset((*_QUOTED, "article"))
_AS_STORED = ("id", "title", "lang", "prose", "article", *_TEXTS)
_LANGS = frozenset(("zh", "en", "mixed"))


class RecordError(KbError):
    """A record that is not an incident: names the field."""

    def __init__(self, field: str, problem: str, *, cure: str) -> None:
        super().__init__(f"field {field!r} {problem}", cure=cure)
        self.field = field


def from_record(record: Mapping[str, object]) -> Incident:
    """The incident a record describes. Secrets are scrubbed, traces are read into chains, unknown keys go to ``extra``.

    Raises `RecordError` when a field has the wrong type or the title is missing.
    """
    title = _text(record, "title")
    if not title:
        raise RecordError("title", "is missing", cure='give every record a "title"')
    traces = _traces(record)
    texts: dict[str, Any] = {name: _text(record, name) for name in _TEXTS}
    prose = _text(record, "prose") or ""
    lang = _text(record, "lang") or detect("\n".join(filter(None, (title, *texts.values(), prose))))
    if lang not in _LANGS:
        raise RecordError("lang", "is no language known here", cure='use "zh", "en" or "mixed", or leave it out')
    url = _text(record, "url")
    identifier = _text(record, "id") or record_id(title, url, traces)
    incident = Incident(
        id=identifier,
        title=title,
        lang=lang,
        source=_source(record, url, identifier),
        revision=_revision(record),
        status=_status(record),
        versions=_strings(record, "versions"),
        traces=traces,
        chains=read_chains(traces),
        prose=prose,
        tags=_strings(record, "tags"),
        codes=_strings(record, "codes"),
        quotes=_quotes(record),
        announced=_markdown(record, "announced", _QUOTED),
        sections=_markdown(record, "sections", _SECTIONS),
        article=_text(record, "article") or "",
        extra={key: value for key, value in record.items() if key not in _KNOWN},
        **texts,
    )
    return scrub(incident)


def stored(record: Mapping[str, object]) -> Incident:
    """The incident of a record that `to_record` wrote: nothing is checked or scrubbed again, and chains are left out."""
    source: Any = record["source"]
    fields: dict[str, Any] = {name: record[name] for name in _AS_STORED if isinstance(record.get(name), str)}
    fields |= {name: tuple(cast("list[str]", record.get(name, ()))) for name in _LISTS}
    return Incident(
        source=Source(source["path"], str(record["url"]), source.get("licence")),
        status=Status(str(record["status"])),
        revision=cast("int", record.get("revision", 1)),
        reposts=tuple(Repost(**one) for one in cast("list[dict[str, str]]", record.get("reposts", ()))),
        quotes=_quotes(record),
        announced=dict(text) if _is_markdown(text := record.get("announced"), _QUOTED) else {},  # of an older version
        sections=dict(text) if _is_markdown(text := record.get("sections"), _SECTIONS) else {},
        extra={key: value for key, value in record.items() if key not in _KNOWN},
        **fields,
    )


def scrub(incident: Incident) -> Incident:
    """The incident without secrets in any of its texts; every reader ends with it. Scrubbing twice changes nothing."""
    traces, source = tuple(redact(trace).text for trace in incident.traces), incident.source
    return replace(
        incident,
        id=redact(incident.id).text,
        title=redact(incident.title).text,
        source=Source(redact(source.path).text, redact(source.url).text, _clean(source.licence)),
        versions=tuple(redact(one).text for one in incident.versions),
        tags=tuple(redact(one).text for one in incident.tags),
        codes=tuple(redact(one).text for one in incident.codes),
        traces=traces,
        chains=incident.chains if traces == incident.traces else read_chains(traces),
        prose=redact(incident.prose).text,
        quotes={
            name: tuple(replace(place, heading=_clean(place.heading)) for place in places)
            for name, places in incident.quotes.items()
        },
        announced={name: redact(text).text for name, text in incident.announced.items()},
        sections={name: redact(text).text for name, text in incident.sections.items()},
        article=redact(incident.article).text,
        reposts=tuple(
            Repost(redact(one.id).text, redact(one.title).text, redact(one.url).text) for one in incident.reposts
        ),
        extra={redact(key).text: _scrubbed(value, key) for key, value in incident.extra.items()},
        component=_clean(incident.component),
        symptom=_clean(incident.symptom),
        root_cause=_clean(incident.root_cause),
        distinguish=_clean(incident.distinguish),
        fix=_clean(incident.fix),
        created=_clean(incident.created),
        duplicate_of=_clean(incident.duplicate_of),
    )


def to_record(incident: Incident) -> dict[str, object]:
    """The record of an incident, without the fields that hold nothing. Chains are left out: `from_record` reads them again."""
    record: dict[str, object] = {key: value for key, value in incident.extra.items() if key not in _KNOWN}
    record |= {"id": incident.id, "title": incident.title, "lang": incident.lang, "url": incident.source.url}
    source = {"path": incident.source.path}
    if incident.source.licence is not None:
        source["licence"] = incident.source.licence
    record |= {"source": source, "revision": incident.revision, "status": incident.status.value}
    for name in _TEXTS:
        if (value := getattr(incident, name)) is not None:
            record[name] = value
    for name in _LISTS:
        if values := getattr(incident, name):
            record[name] = list(values)
    if incident.reposts:
        record["reposts"] = [asdict(one) for one in incident.reposts]
    if incident.prose:
        record["prose"] = incident.prose
    if incident.quotes:
        record["quotes"] = {name: [asdict(place) for place in places] for name, places in incident.quotes.items()}
    if incident.article:
        record["article"] = incident.article
    markdown = {"announced": incident.announced, "sections": incident.sections}
    return record | {name: dict(told) for name, told in markdown.items() if told}


def record_id(title: str, url: str | None, traces: tuple[str, ...] = ()) -> str:
    """The id of a record that brings none: the same record always gets the same id."""
    told = json.dumps([title, url, list(traces) if url is None else []], ensure_ascii=False)
    return f"{slug(title)}-{short_hash(told)}"


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


def _text(record: Mapping[str, object], field: str) -> str | None:
    value = record.get(field)
    if value is None:
        return None
    if field == "created" and isinstance(value, date):
        return value.isoformat()
    if not isinstance(value, str):
        raise RecordError(field, f"is {_kind(value)}, not text", cure="write it as a string")
    return redact(value).text if value.strip() else None


def _strings(record: Mapping[str, object], field: str) -> tuple[str, ...]:
    value = record.get(field)
    if value is None:
        return ()
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list | tuple) or not all(isinstance(one, str) for one in value):
        raise RecordError(field, f"is {_kind(value)}, not a list of texts", cure="write it as a list of strings")
    return tuple(redact(one).text for one in value if one.strip())


def _traces(record: Mapping[str, object]) -> tuple[str, ...]:
    both = _strings(record, "trace") + _strings(record, "traces")
    return tuple(dict.fromkeys(both))


def _quotes(record: Mapping[str, object]) -> dict[str, tuple[QuoteSpan, ...]]:
    """The places of quotations: ``{"fix": [{"start": 3, "end": 9, "line": 1, "heading": "Fix"}]}``."""
    value = record.get("quotes")
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise RecordError("quotes", f"is {_kind(value)}, not an object", cure="leave it out")
    found: dict[str, tuple[QuoteSpan, ...]] = {}
    for name, places in value.items():
        if name not in _QUOTED or not isinstance(places, list | tuple):
            raise RecordError("quotes", "is no list of places by `root_cause` and `fix`", cure="leave it out")
        found[name] = tuple(map(_place, places))
    return found


def _place(value: object) -> QuoteSpan:
    if isinstance(value, dict):
        start, end, line, heading = (value.get(key) for key in ("start", "end", "line", "heading"))
        if all(type(one) is int and one >= 0 for one in (start, end, line)) and isinstance(heading, str | None):
            return QuoteSpan(cast("int", start), cast("int", end), cast("int", line), _clean(heading))
    raise RecordError("quotes", "holds something that is no place", cure="give `start`, `end`, `line` and `heading`")


def _markdown(record: Mapping[str, object], field: str, names: frozenset[str]) -> dict[str, str]:
    """Markdown by the name of what it belongs to: ``{"fix": "```xml …"}``."""
    value = record.get(field)
    if value is None:
        return {}
    if not _is_markdown(value, names):
        told = " and ".join(f"`{name}`" for name in sorted(names, reverse=True))
        raise RecordError(field, f"is no object of texts by {told}", cure="leave it out")
    return {name: redact(text).text for name, text in value.items() if text.strip()}


def _is_markdown(value: object, names: frozenset[str]) -> TypeGuard[dict[str, str]]:
    return isinstance(value, dict) and all(name in names and isinstance(text, str) for name, text in value.items())


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
        raise RecordError("source", f"is {_kind(value)}", cure='write {"path": …, "licence": …} or a string')
    path = _text(value, "path") or identifier
    return Source(path=path, url=url or _text(value, "url") or path, licence=_text(value, "licence"))


def _clean(text: str | None) -> str | None:
    return None if text is None else redact(text).text


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


def _kind(value: object) -> str:
    return {bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "an object"}.get(
        type(value), type(value).__name__
    )
