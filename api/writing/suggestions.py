"""Help a writer: find known incidents that may be the same, and draft a write-up from a paste."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from api.writing.shapes import SimilarIn
from index.threads import leading
from kb.article.formats import take_apart
from kb.article.reading import incidents_of
from kb.article.writeup import as_written, render
from kb.incident import Incident, Source, Status, with_announced
from kb.record import record_id
from kb.redact import redact

_TITLE = 300
"""Characters of a title that is made of an exception."""
_TRACES, _TRACE, _WORDS = 5, 20_000, 2_000
"""How much of a write-up is compared: traces, characters of each, characters of each text. Small, so that a warning is immediate."""


def question_of(title: str | None, symptom: str | None, cause: str | None, traces: Sequence[str]) -> str:
    """Return a write-up as somebody with the problem would paste it."""
    words = [title, symptom] if traces else [title, symptom, cause]
    texts = [*((one or "")[:_WORDS] for one in words), *(trace[:_TRACE] for trace in traces[:_TRACES])]
    return "\n\n".join(one.strip("\n") for one in texts if one.strip())


def question_of_fields(fields: SimilarIn) -> str:
    """Return the question of a draft in fields, with its text."""
    several = fields.trace if isinstance(fields.trace, list) else [fields.trace or ""]
    traces = [one for one in (*several, *(fields.traces or ())) if one.strip()]
    return "\n\n".join(
        filter(str.strip, (question_of(fields.title, fields.symptom, fields.root_cause, traces), fields.text or ""))
    )


def question_of_markdown(text: str) -> tuple[str, str | None]:
    """Return the question of a write-up, with its id; of any other text, the text."""
    found = as_written(text, "")
    if found is None:
        return text, None
    return question_of(found.title, found.symptom, found.root_cause, found.traces), found.id or None


def draft(text: str, known: Mapping[str, Any] | None = None) -> tuple[Incident, str]:
    """Draft an incident and its write-up from a paste.

    It holds only what the paste or the writer states; fields of the writer (``known``) replace those of the paste.
    """
    told = incidents_of(take_apart(text, "paste.md"), "paste.md", several=False)
    found = told.incidents[0] if told.incidents else _wordless(text)
    known = _as_fields(known or {})
    title = known.get("title") or _title(found)
    name = record_id(title, None, found.traces)
    words = set((found.symptom or "").splitlines())
    cause = (
        None if words.issuperset((found.root_cause or "").splitlines()) else found.root_cause
    )  # the whole log once more
    source = Source(name, name)
    found = replace(found, title=title, id=name, source=source, status=Status.DRAFT)
    stated = {"root_cause": cause, "fix": found.fix}
    texts: dict[str, Any] = {
        field: with_announced(text, found.announced.get(field)) or None for field, text in stated.items()
    }
    found = replace(found, **texts, quotes={}, announced={}, sections={}, article="", prose="", created=None)
    found = replace(found, **known)
    return found, render(found)


def _as_fields(known: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a writer without secrets."""

    def clean(value: Any) -> Any:
        return tuple(map(clean, value)) if isinstance(value, list) else redact(value.strip()).text

    said = {name: clean(value) for name, value in known.items()}
    return {name: value for name, value in said.items() if value}


def _wordless(text: str) -> Incident:
    """Of a paste that holds no words, the characters there are."""
    return Incident("paste", redact(" ".join(text.split())[:_TITLE]).text, "en", Source("paste", "paste"))


def _title(incident: Incident) -> str:
    """The title of a paste; for a bare trace its outermost exception, not the line above it."""
    first = leading(incident.chains)
    raised = first.exceptions[0] if first and first.exceptions else None
    if raised is None or raised.type is None or not any(incident.title in trace for trace in incident.traces):
        return incident.title
    message = next(iter((raised.message or "").splitlines()), "")
    return " ".join(f"{raised.type}: {message}".split()).rstrip(":")[:_TITLE]
