"""Incident ↔ Markdown write-up. Reading a whole one gives the incident back, to the letter.

What the form (`kb.article.writeups.form`) cannot say stands in a last section, ``## Also kept``, as JSON: unknown keys, where quotations stand,
and the letters that reading a form evens out (blanks around a text, two in a title). A value there holds as long as the form still says
what it would say of it, so that whoever mends the text above is believed.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, cast

from kb.article.writeups.form import FIELDS, LANGS, read_form, render
from kb.article.writeups.frontmatter import split
from kb.incident import Incident, Source, fields_of
from kb.kinds import handling, is_full, is_text
from kb.patterns import lazy
from kb.record import read_chains, scrub, stored, to_record
from kb.translatable import Translatable

__all__ = ["FIELDS", "as_written", "is_whole", "kept_problem", "read_writeup", "render", "whole"]

_FENCED = lazy(r"```json\n(.*)\n```", re.DOTALL)
_NOT_KEPT = frozenset(("status", "revision"))


def whole(incident: Incident) -> str:
    """The write-up that says all of an incident but its chains, which are read of its traces."""
    text = render(incident)
    record, read_back = _plain(to_record(incident)), _record_of(text, incident.id)
    kept = {key: record[key] for key in _others(record, read_back) if key not in _NOT_KEPT}
    if not kept and read_form(text, incident.id):
        return text
    return render(incident, f"```json\n{json.dumps(kept, ensure_ascii=False, indent=1, sort_keys=True)}\n```")


def read_writeup(text: str, name: str) -> Incident | None:
    """The incident of a write-up; None when the text is not one, and is to be read like any article.

    A write-up has an id, and its body begins with one of the format's headings. A section runs to the next of them:
    other headings belong to the text.
    """
    meta, _ = split(text)
    written = as_written(text, name) if "id" in meta else None
    if written is None:
        return None
    url = name if written.source.url == written.source.path else written.source.url
    return scrub(replace(written, source=Source(name, url, written.source.licence)))


def as_written(text: str, name: str) -> Incident | None:
    """The same, also without an id (its ``name`` then), and with whatever secrets it holds: not to be stored, logged or shown."""
    read = read_form(text, name)
    if read is None:
        return None
    incident, section_text = read
    kept = _kept(section_text)
    if isinstance(kept, dict) and kept:
        incident = _with(incident, kept)
    return replace(incident, chains=read_chains(incident.traces))


def is_whole(text: str) -> bool:
    """Whether a write-up says all there is to say: it has a section of what else is kept."""
    read = read_form(text, "")
    return read is not None and isinstance(_kept(read[1]), dict)


def kept_problem(content: str) -> Translatable | None:
    """What is wrong with a section of what else is kept; None: nothing."""
    kept = _kept(content)
    return kept if isinstance(kept, Translatable) else None


def _with(read: Incident, kept: Mapping[str, Any]) -> Incident:
    """What was read, with those kept values whose place in the form still says what it says of them."""
    record = _plain(to_record(read))
    wished = stored({**record, **kept})
    read_back = _record_of(render(wished), read.source.path)
    changed = _others(record, read_back) | _others(read_back, record)
    return stored({**record, **{key: value for key, value in kept.items() if key not in changed}})


def _record_of(text: str, name: str) -> dict[str, Any]:
    """The record that comes back of a form that went through a file."""
    read = read_form(text.replace("\r\n", "\n"), name, needs_problem=False)
    return {} if read is None else _plain(to_record(read[0]))


def _others(record: Mapping[str, Any], than: Mapping[str, Any]) -> set[str]:
    """The keys under which a record says something else than another one."""
    return {key for key, value in record.items() if key not in than or than[key] != value}


def _plain(record: Mapping[str, object]) -> dict[str, Any]:
    return cast("dict[str, Any]", json.loads(json.dumps(record)))


def _kept(content: str) -> dict[str, Any] | Translatable | None:
    """The values that a section keeps; None when there is no section, a text when it cannot be used: why."""
    if not content:
        return None
    fenced = _FENCED.fullmatch(content)
    if fenced is None:
        return Translatable("it holds one fence of JSON (```json) and nothing else: as `kb incidents export` writes it")
    try:
        found = json.loads(fenced[1])
        json.dumps(found, ensure_ascii=False, allow_nan=False).encode()  # neither NaN nor half a character
    except (ValueError, RecursionError):
        return Translatable("this is no JSON; take the section out when it is not needed")
    if not isinstance(found, dict):
        return Translatable("this is no JSON object")
    wrong = next((key for key, value in found.items() if not _fits(key, value)), None)
    return found if wrong is None else Translatable("`{}` cannot be kept like this", wrong[:40])


def _fits(key: str, value: Any) -> bool:
    """Whether a value can stand in a record under that key; any JSON under one that is not known."""
    if key in _NOT_KEPT:
        return False
    if fits := _IDENTITY.get(key):
        return fits(value)
    field = next((one for one in fields_of(Incident) if one.name == key), None)
    return field is None or handling(field).fits(value, field)


def _is_source(value: Any) -> bool:
    return isinstance(value, dict) and is_text(value.get("path")) and isinstance(value.get("licence"), str | None)


_IDENTITY: Mapping[str, Callable[[Any], bool]] = {
    "url": is_text,
    "id": is_full,
    "title": is_full,
    "lang": lambda value: isinstance(value, str) and value in LANGS,
    "source": _is_source,
}
"""What a value must be that identifies an incident."""
