"""While somebody writes: what is known that may be the same, and a first draft of a paste."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from api.writing.shapes import LONGEST_WRITEUP, SimilarIn
from index.terms.sketch import leading
from index.triage_reports import UnknownGroup
from kb.article.formats import take_apart
from kb.article.reading import incidents_of
from kb.article.writeups.writeup import as_written, render
from kb.incident import Incident, Source, Status, with_announced
from kb.record import record_id
from kb.redact import Redaction, redact

_TITLE = 300
"""Characters of a title that is made of an exception."""
_TRACES, _TRACE, _WORDS = 5, 20_000, 2_000
"""Of a write-up, so many traces and so many characters of each and of each text are compared: a warning is there at once."""


def question_of(title: str | None, symptom: str | None, cause: str | None, traces: Sequence[str]) -> str:
    """What a write-up tells of its problem, as somebody who has it would paste it."""
    words = [title, symptom] if traces else [title, symptom, cause]
    parts = [*((one or "")[:_WORDS] for one in words), *(trace[:_TRACE] for trace in traces[:_TRACES])]
    return "\n\n".join(one.strip("\n") for one in parts if one.strip())


def question_of_fields(body: SimilarIn) -> str:
    """The same of what is written so far, and of the text that comes with it."""
    fields: dict[str, Any] = body.model_dump(include={"symptom", "root_cause", "traces"})
    several = body.trace if isinstance(body.trace, list) else [body.trace or ""]
    traces = [one for one in (*several, *(fields["traces"] or ())) if one.strip()]
    words = question_of(body.title, fields["symptom"], fields["root_cause"], traces)
    return "\n\n".join(filter(str.strip, (words, body.text or "")))


def question_of_markdown(text: str) -> tuple[str, str | None]:
    """The same of a write-up as far as it can be read, with its id; of any other text, the text."""
    found = as_written(text, "")
    if found is None:
        return text, None
    return question_of(found.title, found.symptom, found.root_cause, found.traces), found.id or None


def draft(text: str, known: Mapping[str, Any] | None = None) -> tuple[Incident, str]:
    """What is understood of a paste, as an incident to be completed, and its write-up.

    Nothing is in it that neither the paste nor the writer says; what the writer says (``known``, by field) stands instead of what was read.
    """
    incidents = incidents_of(take_apart(text, "paste.md"), "paste.md", several=False)
    found = incidents.incidents[0] if incidents.incidents else _wordless(text)
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


def draft_of_group(group: UnknownGroup, drafted: str | None) -> tuple[Incident, str, Sequence[Redaction]]:
    """Return what `kb triage` drafted for a group, as an incident and its write-up, and the secrets that today's rules take out of it.

    Of a group without a draft it is what its trace tells.
    """
    clean = redact((drafted or group.text or group.headline)[:LONGEST_WRITEUP].replace("\0", ""))
    found = as_written(clean.text, group.draft_id) if drafted else None
    return (*(draft(clean.text) if found is None else (found, clean.text)), clean.redactions)


def _as_fields(known: Mapping[str, Any]) -> dict[str, Any]:
    """What a writer says of an incident, without secrets, in the form of its fields."""

    def clean(value: Any) -> Any:
        return tuple(map(clean, value)) if isinstance(value, list) else redact(value.strip()).text

    fields = {name: clean(value) for name, value in known.items()}
    return {name: value for name, value in fields.items() if value}


def _wordless(text: str) -> Incident:
    """Of a paste that holds no words, the characters there are."""
    return Incident("paste", redact(" ".join(text.split())[:_TITLE]).text, "en", Source("paste", "paste"))


def _title(found: Incident) -> str:
    """What the paste says it is about; of a bare trace the exception that one sees, not the line above it."""
    first = leading(found.chains)
    exception = first.exceptions[0] if first and first.exceptions else None
    if exception is None or exception.type is None or not any(found.title in trace for trace in found.traces):
        return found.title
    message = next(iter((exception.message or "").splitlines()), "")
    return " ".join(f"{exception.type}: {message}".split()).rstrip(":")[:_TITLE]
