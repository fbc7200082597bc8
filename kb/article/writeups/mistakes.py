"""What is wrong with a write-up, and where: for whoever writes one by hand. Reading itself (`writeup`) takes whatever it can get.

Told is whatever reading would lose or change without a word: a key that nobody knows, a number that YAML writes otherwise, words
between the sections.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from typing import Any

import yaml

from kb.article.writeups.form import FENCE, FIELDS, HEADING, LANGS, MOST_REVISIONS, NAMES, TELLING, form_of
from kb.article.writeups.frontmatter import HEAD_LIMIT, day_of, split
from kb.article.writeups.translated import part_starts
from kb.article.writeups.writeup import kept_problem
from kb.incident import Front, Kind, Status
from kb.kinds import LANGUAGES
from kb.patterns import lazy
from kb.translatable import Translatable

_FRONT = form_of().front
_TEXTS = (
    *("id", "title", *(one.name for one in _FRONT if one.kind is Kind.TEXT and one.front is Front.ABOUT)),
    *("url", "licence", *(one.name for one in _FRONT if one.kind is Kind.TEXT and one.front is Front.BELOW)),
)
_LISTS = tuple(one.name for one in _FRONT if one.kind is Kind.LIST)
_CHOICES: Mapping[str, tuple[str, ...]] = {"lang": tuple(sorted(LANGS)), "status": tuple(Status)}
KEYS = (*_TEXTS, *_LISTS, *_CHOICES, "revision")
"""What may stand in the front matter of a write-up."""
TRANSLATED = ("id", "title", "lang", "translates")
"""The same of a translation."""
_OPENING = lazy(r"\s{0,64}+(?P<mark>---)[ \t]*+\n")
_CLOSING = lazy(r"^---[ \t]*+$", re.MULTILINE)
_ITEM = lazy(r"\s*[-*]\s+\S")
_TAG = "tag:yaml.org,2002:"
_READ_AS = {
    "bool": Translatable("true or false"),
    "null": Translatable("nothing"),
    "int": Translatable("a number"),
    "float": Translatable("a number"),
    "timestamp": Translatable("a date"),
}
_OTHERWISE = Translatable("something else")
_DEEPEST = 3
"""Levels of a front matter: keys, lists, their items."""
_MOST = 50


@dataclass(frozen=True, slots=True)
class Mistake:
    """One thing to mend: where it stands (line and column from 1), and what to do about it. Quotes names, never values."""

    line: int
    column: int
    problem: Translatable


def mistakes(text: str) -> tuple[Mistake, ...]:
    """All that is wrong with a write-up, in its order, at most 50; none: `read_writeup` reads it without loss."""
    begins = part_starts(text)
    ends = [*begins[1:], len(text)]
    found = [one for begin, end in zip(begins, ends, strict=True) for one in _part(text, begin, end)]
    if len(begins) > 1:
        found += _placed(text, _translations(text, begins, ends))
    return tuple(sorted(found, key=lambda one: (one.line, one.column)))[:_MOST]


def _part(text: str, begin: int, end: int) -> list[Mistake]:
    """What is wrong with a write-up, or with a translation of it."""
    opening, above = _OPENING.match(text, begin, end), text.count("\n", 0, begin)
    if opening is None:
        problem = Translatable("a write-up begins with a front matter: `title` and others between two lines of `---`")
        return [Mistake(above + 1, 1, problem)]
    closing = _CLOSING.search(text, opening.end(), min(opening.end() + HEAD_LIMIT, end))
    if closing is None:
        endless = Translatable("the front matter has no end: `---`")
        if end - begin > HEAD_LIMIT:
            endless = Translatable("the front matter has no end: `---`; it may have {} characters", f"{HEAD_LIMIT:,}")
        return [Mistake(text.count("\n", 0, opening.start("mark")) + 1, 1, endless)]
    keys = TRANSLATED if begin else KEYS
    head = _head(text[opening.end() : closing.start()], text.count("\n", 0, opening.end()), keys)
    body = _body(text[:end], closing.end(), is_translation=begin > 0)
    return [*islice(head, _MOST), *_placed(text, islice(body, _MOST))]


def _translations(text: str, begins: Sequence[int], ends: Sequence[int]) -> Iterator[tuple[int, Translatable]]:
    """What is wrong between a write-up and its translations: the id is one, the languages are several."""
    heads = [split(text[begin:end])[0] for begin, end in zip(begins, ends, strict=True)]
    seen = {heads[0].get("lang")}
    for begin, head in zip(begins[1:], heads[1:], strict=True):
        if head.get("id") not in {None, heads[0].get("id")}:
            yield begin, Translatable("a translation has the `id` of its original")
        if head.get("lang") not in LANGUAGES:
            yield begin, Translatable("`lang` of a translation is one of {}", ", ".join(LANGUAGES))
        elif head.get("lang") in seen:
            yield (
                begin,
                Translatable("a translation is in another language than the original; each language stands there once"),
            )
        seen.add(head.get("lang"))


def _placed(text: str, found: Iterable[tuple[int, Translatable]]) -> Iterator[Mistake]:
    """Mistakes at offsets, with the lines that these are in."""
    starts = [0, *(line.end() for line in re.finditer("\n", text))]
    for at, problem in found:
        yield Mistake(bisect_right(starts, at), 1, problem)


def _head(head: str, above: int, keys: Sequence[str]) -> Iterator[Mistake]:
    """What is wrong with the YAML of a front matter that has so many lines above it."""

    def at(mark: Any, problem: Translatable) -> Mistake:
        return Mistake(above + (mark.line if mark else 0) + 1, (mark.column if mark else 0) + 1, problem)

    try:
        depth = 0
        for event in yaml.parse(head, Loader=yaml.SafeLoader):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if isinstance(event, yaml.AliasEvent):
                yield at(
                    event.start_mark,
                    Translatable("a `*` begins an alias here, which is not taken: put the value in quotes"),
                )
                return
            if depth > _DEEPEST:
                yield at(event.start_mark, Translatable("a value is a text or a list of texts, nothing deeper"))
                return
        node = yaml.compose(head, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        yield at(
            error.problem_mark or error.context_mark,
            Translatable("this is no YAML: {}", error.problem or error.context),
        )
        return
    except yaml.reader.ReaderError as error:
        line = head.count("\n", 0, int(error.position))
        column = int(error.position) - (head.rfind("\n", 0, int(error.position)) + 1)
        yield Mistake(
            above + line + 1,
            column + 1,
            Translatable("a character that may not stand here: write it as an escape in quotes"),
        )
        return
    if not isinstance(node, yaml.MappingNode):
        yield at(node.start_mark if node else None, Translatable("the front matter is no list of `key: value`"))
        return
    for mark, problem in _entries(node, keys):
        yield at(mark, problem)


def _entries(node: yaml.MappingNode, keys: Sequence[str]) -> Iterator[tuple[yaml.Mark, Translatable]]:
    seen: set[str] = set()
    for key, value in node.value:
        name = key.value.lower() if isinstance(key, yaml.ScalarNode) else ""
        if name not in keys:
            yield key.start_mark, _unknown(name, keys)
        elif name in seen:
            yield key.start_mark, Translatable("`{}` stands here a second time", name)
        else:
            yield from _value(name, value)
        seen.add(name)
    if "title" not in seen:
        yield node.start_mark, Translatable("there is no `title`")


def _unknown(name: str, keys: Sequence[str]) -> Translatable:
    if name == "incident":
        return Translatable("`incident` says whether a file among others is a write-up: leave it out here")
    near = get_close_matches(name[:40], keys, n=1)
    if near:
        return Translatable("`{}` is no key of a write-up: `{}` is meant?", name[:40], near[0])
    known = ", ".join(f"`{one}`" for one in keys)
    return Translatable("`{}` is no key of a write-up; known are {}", name[:40], known)


def _value(name: str, node: yaml.Node) -> Iterator[tuple[yaml.Mark, Translatable]]:
    kind = node.tag.removeprefix(_TAG)
    if kind == "null" and name != "title":
        return
    if name in _LISTS and isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _text(Translatable("an item of `{}`", name), item)
    elif name == "revision":
        if kind != "int" or not node.value.isdecimal() or not 0 < int(node.value[:9]) < MOST_REVISIONS:
            yield node.start_mark, Translatable("`revision` is a whole number from 1")
    elif name in _CHOICES:
        if node.value not in _CHOICES[name]:
            yield node.start_mark, Translatable("`{}` is one of {}", name, ", ".join(_CHOICES[name]))
    elif name == "created":
        if not isinstance(node, yaml.ScalarNode) or day_of(node.value) is None:
            yield node.start_mark, Translatable("`created` is a date: 2026-11-21")
    else:
        yield from _text(f"`{name}`", node)


def _text(what: str, node: yaml.Node) -> Iterator[tuple[yaml.Mark, Translatable]]:
    """A value that is to be a text. A number is one as long as it comes back as it was written."""
    if not isinstance(node, yaml.ScalarNode):
        yield node.start_mark, Translatable("{} is a list or has keys of its own; it is to be a text", what)
        return
    kind = node.tag.removeprefix(_TAG)
    if kind == "str":
        if not node.value.strip() and what == "`title`":
            yield node.start_mark, Translatable("`title` is empty")
    elif kind not in {"int", "float"} or str(_number(node.value)) != node.value:
        yield node.start_mark, Translatable("{} is read as {}: put it in quotes", what, _READ_AS.get(kind, _OTHERWISE))


def _number(written: str) -> object:
    try:
        return int(written) if written[:20].isdecimal() and len(written) < 20 else float(written)
    except ValueError:
        return None


def _body(text: str, start: int, *, is_translation: bool) -> Iterator[tuple[int, Translatable]]:
    """What is wrong with the sections."""
    found = list(HEADING.finditer(text, start))
    names = ", ".join(f"`## {heading}`" for field, headings in NAMES.items() if field != "kept" for heading in headings)
    before = text[start : found[0].start() if found else len(text)]
    if words := re.search(r"\S", before):
        why = Translatable("these words belong to no section; the sections are {}", names)
        yield start + words.start(), why
    if is_translation:
        for one in found:
            if FIELDS[one[1].lower()] in {"traces", "kept"}:
                yield (
                    one.start(),
                    Translatable("the original has this section for both languages: leave it out of the translation"),
                )
    elif not any(FIELDS[one[1].lower()] in TELLING for one in found):
        needed = ", ".join(
            f"`## {heading}`" for field in NAMES if field in TELLING - {"kept"} for heading in NAMES[field]
        )
        yield len(text), Translatable("it tells of no problem: one of {} is needed", needed)
    for number, heading in enumerate(found):
        end = found[number + 1].start() if number + 1 < len(found) else len(text)
        if FIELDS[heading[1].lower()] == "traces":
            yield from _traces(text, heading.end(), end)
        elif FIELDS[heading[1].lower()] == "references":
            yield from _references(text, heading.end(), end)
        elif FIELDS[heading[1].lower()] == "kept" and (problem := kept_problem(text[heading.end() : end].strip())):
            yield heading.start(), problem


def _traces(text: str, start: int, end: int) -> Iterator[tuple[int, Translatable]]:
    """A fence without an end. Words beside fences are captions; without any fence all of it is the trace."""
    at = start
    while opening := FENCE.search(text, at, end):
        closing = re.compile(rf"^{opening[1]}[ \t]*$", re.MULTILINE).search(text, opening.end(), end)
        if closing is None:
            yield opening.start(), Translatable("this fence has no end")
            return
        at = closing.end()


def _references(text: str, start: int, end: int) -> Iterator[tuple[int, Translatable]]:
    at = start
    for line in text[start:end].split("\n"):
        if line.strip() and not _ITEM.match(line):
            yield at, Translatable("a reference is an item of a list: `- https://…`")
        at += len(line) + 1
