"""The form of a write-up, the format of ``corpus/``: front matter and fixed sections, written and read. What it cannot say, `writeup` adds."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from typing import Any, TypeGuard

import yaml

from kb.article.writeups.frontmatter import HEAD_LIMIT, Meta, day_of, list_of, split, text_of
from kb.article.writeups.translated import PART, split_parts
from kb.incident import Front, Incident, IncidentField, Kind, Source, Status, Translation, fields_of
from kb.kinds import LANGUAGES
from kb.language import detect
from kb.patterns import lazy
from kb.translations import prose_of, text_digest


@dataclass(frozen=True, slots=True)
class Form:
    """What the write-ups of a table of fields look like."""

    names: Mapping[str, tuple[str, str]]
    """The sections, in order: field → heading in English and in Chinese."""
    fields: Mapping[str, str]
    """The headings that begin a section, in small letters → the field it tells."""
    heading: re.Pattern[str]
    """``## Fix``"""
    shielded: re.Pattern[str]
    """The backslash of ``\\## Fix``, a heading that belongs to the text."""
    to_shield: re.Pattern[str]
    front: tuple[IncidentField, ...]
    """What the front matter holds."""
    texts: tuple[str, ...]
    """The fields that a section holds as it stands."""


def form_of(of: type[Incident] = Incident) -> Form:
    """The form of write-ups with the fields of a class."""
    kind: Any = of  # a type checker finds no hash of a class whose values are frozen
    return _form(kind)


@cache
def _form(of: Any) -> Form:
    table = fields_of(of)
    sections = tuple(field for field in table if field.heading)
    names: dict[str, tuple[str, str]] = {field.name: field.heading for field in sections if field.heading}
    names |= {"references": ("References", "参考"), "kept": ("Also kept", "另存")}
    fields = {heading.lower(): name for name, headings in names.items() for heading in headings}
    fields |= {heading.lower(): field.name for field in sections for heading in field.also}
    heading = rf"## ((?ai:{'|'.join(map(re.escape, fields))}))[ \t]*$"
    line = rf"(?:{heading.replace('(', '(?:', 1)}|{PART})"
    return Form(
        names,
        fields,
        heading=re.compile(f"^{heading}", re.MULTILINE),
        shielded=re.compile(rf"^\\(?=\\*{line})", re.MULTILINE),
        to_shield=re.compile(rf"^(?=\\*{line})", re.MULTILINE),
        front=tuple(field for field in table if field.front),
        texts=tuple(field.name for field in sections if field.kind in {Kind.TEXT, Kind.WORDS}),
    )


NAMES, FIELDS, HEADING = form_of().names, form_of().fields, form_of().heading
TELLING = frozenset(("symptom", "traces", "root_cause", "kept"))
"""One of these a write-up must have."""
FENCE = lazy(r"^(`{3,})[\w-]*[ \t]*$", re.MULTILINE)
_LINK = lazy(r"^\s*[-*]\s+(.*\S)", re.MULTILINE)
MOST_REVISIONS = 1_000_000
LANGS = frozenset(("zh", "en", "mixed"))


def render(incident: Incident, kept: str = "") -> str:
    """The write-up of an incident, for people, with its translations: what its form cannot say is left out, as are fields that hold nothing.

    ``kept`` is the section of what else is kept.
    """
    form = form_of(type(incident))
    bodies = {name: kept if name == "kept" else _body(incident, name) for name in form.names}
    parts = [f"---\n{_front(incident)}---\n{_body_of(bodies, incident.lang, form)}"]
    for lang, one in incident.translations.items():
        head = {"id": incident.id, "title": one.title, "lang": lang, "translates": one.translates}
        parts.append(f"---\n{_dumped(head)}---\n{_body_of(one.texts, lang, form)}")
    return "\n".join(parts)


def empty_translation(incident: Incident, lang: str) -> str:
    """A translation to be filled in: behind a front matter the headings of the sections that the incident has."""
    form, prose = form_of(type(incident)), prose_of(incident)
    head = {"id": incident.id, "title": "", "lang": lang, "translates": text_digest(incident)}
    headings = (form.names[name][lang == "zh"] for name in form.names if name in prose)
    return f"\n---\n{_dumped(head)}---\n" + "".join(f"\n## {heading}\n\n" for heading in headings)


def _body_of(bodies: Mapping[str, str], lang: str, form: Form) -> str:
    """The sections that say something, under the headings of a language."""
    sections = ((headings[lang == "zh"], bodies.get(name)) for name, headings in form.names.items())
    return "\n".join(section(heading, form.to_shield.sub(_BACKSLASH, body)) for heading, body in sections if body)


def section(heading: str, body: str) -> str:
    """One section; the next one follows after an empty line."""
    return f"## {heading}\n\n{body}\n"


def _front(incident: Incident) -> str:
    about, below = (
        {field.name: _front_value(incident, field) for field in form_of(type(incident)).front if field.front is place}
        for place in (Front.ABOUT, Front.BELOW)
    )
    optional = {
        "status": None if incident.status is Status.PUBLISHED else incident.status.value,
        "revision": None if incident.revision == 1 else incident.revision,
        **about,
        "url": None if incident.source.url == incident.source.path else incident.source.url,
        "licence": incident.source.licence,
        **below,
    }
    head: dict[str, object] = {"id": incident.id, "title": incident.title, "lang": incident.lang}
    head |= {key: value for key, value in optional.items() if value}
    while len(front := _dumped(head)) > HEAD_LIMIT - 1:
        longest = max((key for key in head if key != "id"), key=lambda key: len(str(head[key])))
        head[longest] = incident.title[:_CUT_TITLE] if longest == "title" and len(incident.title) > _CUT_TITLE else None
    return front


def _front_value(incident: Incident, field: IncidentField) -> object:
    value = getattr(incident, field.name)
    return list(value) if field.kind is Kind.LIST else _day(value) if field.name == "created" else value


def _dumped(head: Mapping[str, object]) -> str:
    return "".join(front_line(key, value) for key, value in head.items() if value is not None)


def front_line(key: str, value: object) -> str:
    """Return a line of a front matter: a key with its value, a list on one line."""
    is_flow = None if isinstance(value, list) else False
    options: dict[str, Any] = {"allow_unicode": True, "width": 1_000_000, "default_flow_style": is_flow}
    return str(yaml.safe_dump({key: value}, **options))


def _day(created: str | None) -> object:
    """A date is written without quotes; what begins with one as it is; nothing else is a value here."""
    day = day_of(created)
    return date.fromisoformat(day) if day is not None and day == created else created if day else None


_CUT_TITLE = 500
"""Characters left of a title that no front matter holds."""
_BACKSLASH = r"\\"


def _body(incident: Incident, field: str) -> str:
    if field == "traces":
        return _captioned(incident)
    if field == "references":
        links = incident.extra.get("references")
        return "\n".join(f"- {link}" for link in links) if _are_items(links) else ""
    return "" if field == "kept" else str(getattr(incident, field) or "").strip()


def _are_items(links: object) -> TypeGuard[Sequence[str]]:
    """Whether a list says something on each of its lines, and nothing else."""
    return isinstance(links, list | tuple) and all(
        isinstance(one, str) and bool(one.strip()) and "\n" not in one for one in links
    )


def _captioned(incident: Incident) -> str:
    """Each trace in its fence, below the words that stand before it; then those that follow the last."""
    value = incident.extra.get("captions")
    listed: Sequence[Any] = value if isinstance(value, list | tuple) else ()
    captions = list(listed) if all(isinstance(one, str) and not FENCE.search(one) for one in listed) else []
    parts: list[str] = []
    for at, trace in enumerate(incident.traces):
        parts += [*captions[at : at + 1], fenced(trace)]
    parts += captions[len(incident.traces) :][:1] if incident.traces else []
    return "\n\n".join(filter(str.strip, parts))


def fenced(trace: str) -> str:
    """Return a trace in a fence that nothing in it closes."""
    longest = max((len(run) for run in re.findall(r"`{3,}", trace)), default=2)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{trace}\n{fence}"


def read_form(
    text: str, name: str, *, needs_problem: bool = True, of: type[Incident] = Incident
) -> tuple[Incident, str] | None:
    """What the form says, without chains, and the section of what else is kept; None when the text is no write-up.

    Without ``needs_problem`` it may say no more than its front matter does.
    """
    text, *others = split_parts(text)
    meta, body = split(text)
    title = text_of(meta, "title")
    if not title:
        return None
    form = form_of(of)
    fields = _sections(text, body, form)
    if fields is None or (needs_problem and TELLING.isdisjoint(fields)):
        return None
    incident = _incident(meta, fields, title, name, of)
    found = dict(filter(None, (_translation(one, form) for one in others)))
    translations = {lang: one for lang, one in found.items() if lang != incident.lang}
    return replace(incident, translations=translations), fields.get("kept", "")


def _sections(text: str, body: int, form: Form) -> dict[str, str] | None:
    """What stands in each section; None where words stand above the first."""
    found = list(form.heading.finditer(text, body))
    if text[body : found[0].start() if found else len(text)].strip():
        return None
    fields: dict[str, str] = {}
    for at, heading in enumerate(found):
        end = found[at + 1].start() if at + 1 < len(found) else len(text)
        content = form.shielded.sub("", text[heading.end() : end].strip())
        field = form.fields[heading[1].lower()]
        fields[field] = f"{fields[field]}\n\n{content}" if field in fields else content
    return fields


def _translation(text: str, form: Form) -> tuple[str, Translation] | None:
    """The language of a part, and what it says; None where it is no translation."""
    meta, body = split(text)
    title, lang = text_of(meta, "title"), text_of(meta, "lang")
    fields = _sections(text, body, form)
    if fields is None or not title or lang not in LANGUAGES:
        return None
    texts = {name: fields[name] for name in (*form.texts, "references") if fields.get(name)}
    return lang, Translation(title, texts, text_of(meta, "translates") or "")


def _incident(meta: Meta, fields: Mapping[str, str], title: str, name: str, of: type[Incident]) -> Incident:
    traces, captions = _traces(fields.get("traces", ""))
    form = form_of(of)
    texts: dict[str, Any] = {field: text for field in form.texts if (text := fields.get(field))}
    telling = (texts.get(field) for field in form.texts if field != "prose")
    lang, status, revision = text_of(meta, "lang"), text_of(meta, "status"), meta.get("revision")
    references = _LINK.findall(fields.get("references", ""))
    return of(
        id=text_of(meta, "id") or name,
        title=title,
        lang=lang if lang in LANGS else detect("\n".join(filter(None, (title, *telling)))),
        source=Source(path=name, url=text_of(meta, "url") or name, licence=text_of(meta, "licence")),
        revision=revision if type(revision) is int and 0 < revision < MOST_REVISIONS else 1,
        status=Status(status) if status in frozenset(Status) else Status.PUBLISHED,
        traces=traces,
        extra=({"captions": captions} if any(captions) else {}) | ({"references": references} if references else {}),
        **texts,
        **{field.name: _read_front(meta, field) for field in form.front},
    )


def _read_front(meta: Meta, field: IncidentField) -> Any:
    if field.kind is Kind.LIST:
        return list_of(meta, field.name)
    return day_of(meta.get(field.name)) if field.name == "created" else text_of(meta, field.name)


def _traces(content: str) -> tuple[tuple[str, ...], list[str]]:
    """The fenced blocks of the trace section, and the words before each and after the last; where there is no fence, the whole section."""
    found: list[str] = []
    captions = [""]
    at = 0
    while opening := FENCE.search(content, at):
        closing = re.compile(rf"^{opening[1]}[ \t]*$", re.MULTILINE).search(content, opening.end())
        end = closing.start() if closing else len(content)
        captions[-1] = "\n\n".join(filter(None, (captions[-1], content[at : opening.start()].strip())))
        trace = content[opening.end() : end].strip("\n")
        if trace.strip():
            found.append(trace)
            captions.append("")
        at = closing.end() if closing else len(content)
    if not at:
        return ((content.strip(),) if content.strip() else ()), []
    captions[-1] = "\n\n".join(filter(None, (captions[-1], content[at:].strip())))
    return tuple(found), (captions if captions[-1] else captions[:-1])
