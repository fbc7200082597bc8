"""Parse the body of a request into an incident: Markdown or JSON, by the functions that read articles. Errors have their place."""

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from api.contract.problems import HttpProblem
from api.writing.shapes import LONGEST_WRITEUP, DraftIn, Fields, IncidentIn, SimilarIn
from kb.annotate import annotated
from kb.article.quotes.passages import ARTICLE
from kb.article.writeups.mistakes import Mistake, mistakes
from kb.article.writeups.writeup import FIELDS, as_written, is_whole
from kb.incident import Incident, Source, Status, fields_of
from kb.record import RecordError, RedactionCount, from_record, record_id, redaction_counts, scrub, to_record
from kb.redact import redact
from kb.translatable import Translatable

MARKDOWN = "text/markdown"
MODELS = (IncidentIn, SimilarIn, DraftIn)
"""What bodies that come in several media are in JSON; the OpenAPI description names them."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_DEEPEST = 20
_MOST = 50
_NOT_THE_INCIDENT = frozenset(("status", "note", "revision", "reposts", "text"))
_PARTS = tuple(field.name for field in fields_of(Incident) if field.is_prose)
_BODIES = frozenset(("title", *_PARTS, "trace", "traces"))
_FROM_MARKDOWN = frozenset(("references", "captions"))
"""Unknown keys that every Markdown yields."""
_WORDS = {
    "string_pattern_mismatch": Translatable("holds a character that is not taken here, or nothing"),
    "string_unicode": Translatable("holds half a character (a lone surrogate)"),
    "extra_forbidden": "is not known here",
    "missing": "is missing",
}
_LIMITS = {
    "string_too_long": ("String should have at most {} characters", "max_length"),
    "too_long": ("List should have at most {} items after validation, not {}", "max_length", "actual_length"),
}
"""What is said of a value that is too long, and which numbers of pydantic's are named."""
Shape = TypeVar("Shape", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Written:
    """Parsed content without secrets."""

    incident: Incident
    status: Status | None
    """The wanted status; None: not stated."""
    note: str = ""
    redactions: tuple[RedactionCount, ...] = ()
    notes: tuple[str, ...] = ()
    is_markdown: bool = False
    """Markdown has no quotations and no unknown keys, unless it is whole (`kb.article.writeups.writeup.whole`)."""


def parse_incident(data: bytes, *, markdown: bool, note: str | None = None, incident_id: str | None = None) -> Written:
    """Parse the incident in a body, under the id of its URL. Problem 400 or 422 says what is wrong, and where."""
    if markdown:
        return _of_markdown(decoded(data), note or "", incident_id)
    record = document(data)
    return of_record(record, validated(IncidentIn, record), note, incident_id)


def decoded(data: bytes) -> str:
    """A body as text with plain line ends; Problem 400 when it is not UTF-8."""
    try:
        return data.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise HttpProblem(400, "unreadable-body", "The body is not UTF-8.") from None


def bounded(text: str) -> str:
    """A bare text that is read and not kept; Problem 422 when it is too long."""
    if len(text) > LONGEST_WRITEUP:
        raise _mistaken((Mistake(1, 1, Translatable("has more than {} characters", f"{LONGEST_WRITEUP:,}")),))
    return text.replace("\0", "\ufffd")


def document(data: bytes) -> dict[str, Any]:
    """Parse a JSON object. Problem 400 when it is no JSON, 422 when it repeats a key or is no object."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        record = dict(pairs)
        if len(record) < len(pairs):
            twice, _ = Counter(name for name, _ in pairs).most_common(1)[0]
            raise unfit([{"pointer": "#", "detail": f"`{redact(twice[:80]).text}` stands in one object twice"}])
        return record

    try:
        record = json.loads(data.decode("utf-8"), object_pairs_hook=once, parse_constant=_no_number)
    except (ValueError, RecursionError):  # UnicodeDecodeError, JSONDecodeError, a number of too many digits
        raise HttpProblem(400, "unreadable-body", "The body cannot be read: send JSON in UTF-8.") from None
    if not isinstance(record, dict):
        raise unfit([{"pointer": "#", "detail": "is to be an object"}])
    return record


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def validated(model: type[Shape], record: Mapping[str, Any]) -> Shape:
    """A JSON object as what it is to be; Problem 422 points at what does not fit. The values themselves are not repeated."""
    try:
        return model.model_validate(record, strict=True)
    except ValidationError as error:
        problems: dict[str, str] = {}
        for item in error.errors(include_url=False, include_input=False):
            place = _pointer(item["loc"], record, is_missing=item["type"] == "missing")
            problems.setdefault(place, _problem(item))
        parts = [one.split("/") for one in problems]
        above = {"/".join(part[:end]) for part in parts for end in range(1, len(part))}
        closest = [one for one in problems if one not in above]
        raise unfit([{"pointer": place, "detail": problems[place]} for place in closest[:_MOST]]) from None


def _problem(error: ErrorDetails) -> str:
    """One error of pydantic in words."""
    if limit := _LIMITS.get(error["type"]):
        form, *numbers = limit
        return Translatable(form, *(error["ctx"][name] for name in numbers))
    return _WORDS.get(error["type"], error["msg"])


def unfit(errors: Sequence[Mapping[str, object]]) -> HttpProblem:
    """422: what was sent does not fit; each of ``errors`` has a place and a detail."""
    first = errors[0]
    where = first.get("pointer") or f"line {first.get('line')}, column {first.get('column')}"
    return HttpProblem(422, "invalid-request", f"{where}: {first['detail']}", errors=errors)


def _other_id(error: Mapping[str, object]) -> HttpProblem:
    return HttpProblem(409, "other-id", "The body holds another id than the address.", errors=[error])


def of_record(record: dict[str, Any], fields: Fields, note: str | None, incident_id: str | None) -> Written:
    """The incident of a JSON object that fits."""
    extra = {name: record[name] for name in fields.model_extra or {}}
    _check_extra(extra)
    _check_length(record)
    if incident_id is not None and fields.id not in {None, incident_id}:
        raise _other_id({"pointer": "#/id", "detail": "is not the id in the address; an id never changes"})
    content = {name: value for name, value in record.items() if name not in _NOT_THE_INCIDENT}
    content = {name: _as_in_markdown(name, value) for name, value in content.items()}
    if incident_id is not None:
        content["id"] = incident_id
    try:
        incident = from_record(content)
    except RecordError as error:
        raise unfit([{"pointer": f"#/{error.field}", "detail": f"{error.problem} — {error.cure}"}]) from None
    return Written(
        incident=annotated(incident),
        status=None if fields.status is None else Status(fields.status),
        note=fields.note or note or "",
        redactions=redaction_counts({name: value for name, value in record.items() if name != "reposts"}),
        notes=tuple(f"`{redact(name[:80]).text}` is no field known here; it is kept as it is" for name in extra),
    )


def _as_in_markdown(name: str, value: Any) -> Any:
    """A value as it comes back from a write-up: plain line ends, no empty lines around it, a title on one line."""
    if isinstance(value, list) and name in {"trace", "traces"}:
        return [_as_in_markdown(name, one) for one in value]
    if not isinstance(value, str) or name not in _BODIES:
        return value
    text = value.replace("\r\n", "\n")
    if name == "title":
        return " ".join(text.split())
    return text.strip("\n") if name in {"trace", "traces"} else text.strip()


def _of_markdown(text: str, note: str, incident_id: str | None) -> Written:
    bounded(text)
    if (at := text.find("\0")) >= 0:
        raise _mistaken(
            (
                Mistake(
                    text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at), Translatable("a NUL may not stand here")
                ),
            )
        )
    if problems := mistakes(text):
        raise _mistaken(problems)
    raw = as_written(text, "")
    if raw is None:  # its head is read in another way than YAML has it
        raise _mistaken(
            (Mistake(1, 1, Translatable("the front matter cannot be read: put values with punctuation into quotes")),)
        )
    if incident_id is not None and raw.id not in {"", incident_id}:
        why = Translatable("`id` is not the id in the address; an id never changes")
        raise _other_id({"line": _line_of(text, "id"), "column": 1, "detail": why})
    name = incident_id or raw.id or record_id(raw.title, raw.source.url or None, raw.traces)
    source = Source(raw.source.path or name, raw.source.url or name, raw.source.licence)
    incident = replace(raw, id=name, source=source)
    _check_limits(text, incident)
    has_status = re.search(r"^status[ \t]*:[ \t]*\S", text.partition("\n---")[0], re.MULTILINE | re.IGNORECASE)
    content = {"note": note, **to_record(raw)}
    return Written(
        incident=annotated(scrub(incident)),
        status=incident.status if has_status else None,
        note=note,
        redactions=redaction_counts(content),
        is_markdown=not is_whole(text),
    )


def _mistaken(problems: Sequence[Mistake]) -> HttpProblem:
    return unfit([{"line": one.line, "column": one.column, "detail": one.problem} for one in problems])


def _check_limits(text: str, incident: Incident) -> None:
    """Apply the limits of fields to a write-up; an error names the line where the field begins."""
    try:
        validated(IncidentIn, {**to_record(incident), "source": None})
    except HttpProblem as problem:
        problems = [
            Mistake(_line_of(text, name), 1, Translatable("`{}` {}", name, one["detail"]))
            for one in problem.errors
            for name in [str(one["pointer"]).split("/")[1]]
        ]
        raise _mistaken(problems) from None


def _line_of(text: str, field: str) -> int:
    """The line where a key or a section begins; the first where it is nowhere."""
    names = [heading for heading, of in FIELDS.items() if of == field]
    marks = [f"## {name}" for name in names] or [f"{field}:", f"{field} :"]
    lines = enumerate(text.split("\n"), 1)
    return next((number for number, line in lines if line.lower().startswith(tuple(map(str.lower, marks)))), 1)


def _check_extra(value: object, path: str = "#", depth: int = 0) -> None:
    """Check that an unknown field can be stored."""
    problem = None
    if depth > _DEEPEST:
        problem = f"has more than {_DEEPEST} levels"
    elif isinstance(value, float) and not math.isfinite(value):
        problem = "is no number that can be kept"
    elif isinstance(value, str) and _SURROGATE.search(value):
        problem = _WORDS["string_unicode"]
    if problem:
        raise unfit([{"pointer": path, "detail": problem}])
    if isinstance(value, Mapping):
        for key, inner in value.items():
            _check_extra(key, path, depth)
            _check_extra(inner, f"{path}/{escaped(redact(key[:80]).text)}", depth + 1)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            _check_extra(inner, f"{path}/{number}", depth + 1)


def _check_length(record: Mapping[str, Any]) -> None:
    if len(json.dumps(record, ensure_ascii=False)) > LONGEST_WRITEUP:
        raise unfit([{"pointer": "#", "detail": f"has more than {LONGEST_WRITEUP:,} characters in all"}])


def escaped(name: str) -> str:
    """A name as a part of a JSON pointer (RFC 6901)."""
    return name.replace("~", "~0").replace("/", "~1")


def _pointer(location: Sequence[str | int], record: Any, *, is_missing: bool) -> str:
    """Where in the body something is; what pydantic adds about the alternatives it tried is left out."""
    parts: list[str] = []
    for at, part in enumerate(location, 1):
        if isinstance(record, Mapping) and (part in record or (is_missing and at == len(location))):
            parts.append(escaped(redact(str(part)[:80]).text))
            record = record.get(part)
        elif isinstance(record, list) and isinstance(part, int):
            parts.append(str(part))
            record = record[part] if part < len(record) else None
    return "#" + "".join(f"/{part}" for part in parts)


def merged_over(before: Incident, written: Written) -> Incident:
    """Return the incident that results from writing content over another; fields that the format cannot express are kept.

    A quotation holds while its text does, and what it announces with it; its place in the source is no more the writer's than where the
    incident was read, and the article that was read.
    """
    now = written.incident
    extra = now.extra
    if written.is_markdown:
        extra = {**{key: value for key, value in before.extra.items() if key not in _FROM_MARKDOWN}, **extra}
    path = before.source.path if now.source.path == now.id else now.source.path
    url = path if now.source.url == now.id else now.source.url
    texts: dict[str, Any] = {name: _unless_same(getattr(before, name), getattr(now, name)) for name in _PARTS}
    same = {trace.strip("\n"): trace for trace in before.traces}
    traces = tuple(same.get(trace, trace) for trace in now.traces)
    stays = frozenset(name for name in _PARTS if texts[name] == getattr(before, name))
    held = before if written.is_markdown else now
    quotes = {name: places for name, places in held.quotes.items() if name in stays}
    announced = {name: text for name, text in held.announced.items() if name in stays}
    sections = {name: text for name, text in held.sections.items() if name in stays or name == ARTICLE}
    source = Source(path, url, now.source.licence)
    return replace(
        now,
        **texts,
        traces=traces,
        extra=extra,
        quotes=quotes,
        announced=announced,
        sections=sections,
        article=before.article or now.article,
        source=source,
    )


def _unless_same(before: str | None, now: str | None) -> str | None:
    """Empty lines around a text that was ingested are no change of it."""
    return before if (before or "").strip() == (now or "") else now
