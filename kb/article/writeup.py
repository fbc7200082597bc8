"""Incident ↔ Markdown write-up, the format of ``corpus/``: front matter and fixed sections. Reading a rendered incident gives it back."""

import re
from collections.abc import Mapping
from typing import Any

import yaml

from kb.article.frontmatter import Meta, day_of, list_of, split, text_of
from kb.incident import Incident, Source, Status
from kb.language import detect
from kb.record import read_chains, scrub

_NAMES: Mapping[str, tuple[str, str]] = {
    "symptom": ("Symptom", "现象"),
    "traces": ("Trace", "堆栈"),
    "root_cause": ("Root cause", "根因"),
    "fix": ("Fix", "解决"),
    "prose": ("Notes", "说明"),
    "references": ("References", "参考"),
}
"""The sections, in order: field → heading in English and in Chinese."""
FIELDS = {heading: field for field, headings in _NAMES.items() for heading in headings}
"""The headings that begin a section → the field it tells."""
HEADING = re.compile(rf"^## ({'|'.join(map(re.escape, FIELDS))})[ \t]*$", re.MULTILINE)
TELLING = frozenset(("symptom", "traces", "root_cause"))
"""One of these a write-up must have."""
_SHIELDED = re.compile(rf"^\\(?=\\*## (?:{'|'.join(map(re.escape, FIELDS))})[ \t]*$)", re.MULTILINE)
_TO_SHIELD = re.compile(rf"^(?=\\*## (?:{'|'.join(map(re.escape, FIELDS))})[ \t]*$)", re.MULTILINE)
FENCE = re.compile(r"^(`{3,})[\w-]*[ \t]*$", re.MULTILINE)
_LINK = re.compile(r"^\s*[-*]\s+(.*\S)", re.MULTILINE)
MOST_REVISIONS = 1_000_000
LANGS = frozenset(("zh", "en", "mixed"))


def render(incident: Incident) -> str:
    """The write-up of an incident. Fields that hold nothing are left out."""
    head: dict[str, object] = {"id": incident.id, "title": incident.title, "lang": incident.lang}
    head |= {
        key: value
        for key, value in (
            ("status", None if incident.status is Status.PUBLISHED else incident.status.value),
            ("revision", None if incident.revision == 1 else incident.revision),
            ("component", incident.component),
            ("versions", list(incident.versions)),
            ("tags", list(incident.tags)),
            ("codes", list(incident.codes)),
            ("url", None if incident.source.url == incident.source.path else incident.source.url),
            ("licence", incident.source.licence),
            ("created", incident.created),
            ("duplicate_of", incident.duplicate_of),
        )
        if value
    }
    front = yaml.safe_dump(head, allow_unicode=True, sort_keys=False, width=1_000_000)
    chinese = incident.lang == "zh"
    parts = [f"---\n{front}---\n"]
    for field, (english, han) in _NAMES.items():
        body = _body(incident, field)
        if body:
            parts.append(f"## {han if chinese else english}\n\n{_TO_SHIELD.sub(_BACKSLASH, body)}\n")
    return "\n".join(parts)


_BACKSLASH = r"\\"


def _body(incident: Incident, field: str) -> str:
    if field == "traces":
        return "\n\n".join(_fenced(trace) for trace in incident.traces)
    if field == "references":
        links = incident.extra.get("references")
        return "\n".join(f"- {link}" for link in links) if isinstance(links, list | tuple) else ""
    return str(getattr(incident, field) or "").strip()


def _fenced(trace: str) -> str:
    longest = max((len(run) for run in re.findall(r"`{3,}", trace)), default=2)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{trace}\n{fence}"


def read_writeup(text: str, name: str) -> Incident | None:
    """The incident of a write-up; None when the text is not one, and is to be read like any article.

    A write-up has an id, and its body begins with one of the format's headings. A section runs to the next of them:
    other headings belong to the text.
    """
    meta, body = split(text)
    written = _written(meta, body, text, name) if "id" in meta else None
    return None if written is None else scrub(written)


def as_written(text: str, name: str) -> Incident | None:
    """The same, also without an id (its ``name`` then), and with whatever secrets it holds: not to be stored, logged or shown."""
    meta, body = split(text)
    return _written(meta, body, text, name)


def _written(meta: Meta, body: int, text: str, name: str) -> Incident | None:
    title = text_of(meta, "title")
    if not title:
        return None
    found = list(HEADING.finditer(text, body))
    if not found or text[body : found[0].start()].strip() or not any(FIELDS[one[1]] in TELLING for one in found):
        return None
    fields: dict[str, str] = {}
    for at, heading in enumerate(found):
        end = found[at + 1].start() if at + 1 < len(found) else len(text)
        content = _SHIELDED.sub("", text[heading.end() : end].strip())
        field = FIELDS[heading[1]]
        fields[field] = f"{fields[field]}\n\n{content}" if field in fields else content
    return _incident(meta, fields, title, name)


def _incident(meta: Meta, fields: Mapping[str, str], title: str, name: str) -> Incident:
    traces = _traces(fields.get("traces", ""))
    texts: dict[str, Any] = {field: fields.get(field) or None for field in ("symptom", "root_cause", "fix")}
    lang = text_of(meta, "lang")
    status = text_of(meta, "status")
    revision = meta.get("revision")
    references = _LINK.findall(fields.get("references", ""))
    return Incident(
        id=text_of(meta, "id") or name,
        title=title,
        lang=lang if lang in LANGS else detect("\n".join(filter(None, (title, *texts.values())))),
        source=Source(path=name, url=text_of(meta, "url") or name, licence=text_of(meta, "licence")),
        revision=revision if type(revision) is int and 0 < revision < MOST_REVISIONS else 1,
        status=Status(status) if status in frozenset(Status) else Status.PUBLISHED,
        component=text_of(meta, "component"),
        versions=list_of(meta, "versions"),
        traces=traces,
        chains=read_chains(traces),
        prose=fields.get("prose", ""),
        tags=list_of(meta, "tags"),
        codes=list_of(meta, "codes"),
        created=day_of(meta.get("created")),
        duplicate_of=text_of(meta, "duplicate_of"),
        extra={"references": references} if references else {},
        symptom=texts["symptom"],
        root_cause=texts["root_cause"],
        fix=texts["fix"],
    )


def _traces(content: str) -> tuple[str, ...]:
    """The fenced blocks of the trace section; the whole section where there is no fence."""
    found: list[str] = []
    at = 0
    while opening := FENCE.search(content, at):
        closing = re.compile(rf"^{opening[1]}[ \t]*$", re.MULTILINE).search(content, opening.end())
        end = closing.start() if closing else len(content)
        found.append(content[opening.end() : end].strip("\n"))
        at = closing.end() if closing else len(content)
    if not found and content.strip():
        found.append(content.strip())
    return tuple(trace for trace in found if trace.strip())
