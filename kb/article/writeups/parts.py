"""The parts of a write-up by name, read and replaced one by one, as a form shows them. Everything else of the text stays to the letter.

Only the original is looked at: translations stand below it and are left alone.
"""

import re
from collections.abc import Mapping, Sequence

from kb.article.writeups.form import FENCE, fenced, form_of, front_line, section
from kb.article.writeups.frontmatter import lines_of, list_of, split, text_of
from kb.article.writeups.translated import part_starts
from kb.incident import Front, Incident, Kind, fields_of
from kb.kinds import LANGUAGES
from kb.patterns import lazy

_NOT_TYPED = "codes"
"""Read from the words of an incident."""
_TABLE = fields_of(Incident)
HEAD = ("title", *(one.name for one in _TABLE if one.front is Front.ABOUT and one.name != _NOT_TYPED))
"""Keys of the front matter that a form shows."""
SECTIONS = tuple(one.name for one in _TABLE if one.heading)
"""Sections that a form shows, as Markdown."""
PARTS = (*HEAD, *SECTIONS)
_LISTS = frozenset(one.name for one in _TABLE if one.kind is Kind.LIST)
_OPENING = lazy(r"\s{0,64}+---[ \t]*+\n")
_ONE_FENCE = lazy(r"(`{3,}+)[ \t]*+\n(.*)\n?\1", re.DOTALL)
_COMMA = lazy(r"[,，;；]")


def parts_of(text: str) -> Mapping[str, str]:
    """Return what each part says; '' where it says nothing. Lists stand on one line, with commas; a single trace without its fence."""
    text = _original(text)[0]
    meta, body = split(text)
    found = {name: ", ".join(list_of(meta, name)) if name in _LISTS else text_of(meta, name) or "" for name in HEAD}
    contents: dict[str, list[str]] = {}
    for name, start, end in _sections(text, body):
        contents.setdefault(name, []).append(form_of().shielded.sub("", text[start:end].strip()))
    found |= {name: "\n\n".join(filter(None, words)) for name, words in contents.items()}
    if bare := _ONE_FENCE.fullmatch(found.get("traces", "")):
        found["traces"] = bare[2].strip("\n") if bare[1] not in bare[2] else bare[0]
    return {name: found.get(name, "") for name in PARTS}


def with_part(text: str, name: str, value: str) -> str:
    """Return the write-up with another part. A section that there was not comes where the form has it, one that says nothing goes."""
    text, rest = _original(text)
    if name in HEAD:
        return _with_key(text, name, value) + rest
    words = value.strip()
    if name == "traces" and words and not FENCE.search(words):
        words = fenced(value.strip("\n"))
    words = form_of().to_shield.sub(r"\\", words)
    _, body = split(text)
    places = [(start, end) for at, start, end in _sections(text, body) if at == name]
    if not places:
        return (_with_section(text, name, words) if words else text) + rest
    first, end = places[0]
    kept = [f"{text[:first]}\n\n{words}\n" if words else text[: text.rindex("## ", 0, first)]]
    for start, stop in places[1:]:  # a section that stands twice becomes one
        kept.append(text[end : text.rindex("## ", end, start)])
        end = stop
    kept.append(text[end:])
    after = "".join(kept[1:])
    return kept[0] + ("\n" if words and after else "") + after + rest


def _original(text: str) -> tuple[str, str]:
    """The write-up, and the translations behind it."""
    starts = part_starts(text)
    if len(starts) == 1:
        return text, ""
    return text[: starts[1]].rstrip("\n") + "\n", "\n" + text[starts[1] :]


def _sections(text: str, body: int) -> Sequence[tuple[str, int, int]]:
    """Name, begin and end of what stands in each section, in order."""
    form = form_of()
    found = list(form.heading.finditer(text, body))
    ends = [one.start() for one in found[1:]] + [len(text)]
    return [(form.fields[one[1].lower()], one.end(), end) for one, end in zip(found, ends, strict=False)]


def _with_section(text: str, name: str, words: str) -> str:
    """The text with a section that it has not, before the first of those that come behind it."""
    form = form_of()
    order = list(form.names)
    meta, body = split(text)
    headings = list(form.heading.finditer(text, body))
    lang = text_of(meta, "lang")
    is_chinese = lang == LANGUAGES[0] or (lang is None and any(not one[1].isascii() for one in headings))
    behind = (one.start() for one in headings if order.index(form.fields[one[1].lower()]) > order.index(name))
    at = next(behind, len(text))
    before = text[:at].rstrip("\n")
    made = section(form.names[name][is_chinese], words)
    return f"{before}\n\n{made}" + (f"\n{text[at:]}" if at < len(text) else "")


def _with_key(text: str, name: str, value: str) -> str:
    """The text with another value of a key in its front matter, which is made where there is none."""
    items = [one.strip() for one in _COMMA.split(value) if one.strip()]
    line = front_line(name, items if name in _LISTS else " ".join(value.split())) if items or name == "title" else ""
    opening = _OPENING.match(text)
    _, body = split(text)
    if opening is None or not body:
        return f"---\n{line}---\n{text}" if line else text
    head = text[opening.end() : body]
    end = head.rindex("---")
    start, stop = lines_of(head[:end], name) or (end, end)
    head = head[:start] + line + head[stop:]
    return text[: opening.end()] + head + text[body:]
