"""A write-up and its translations: one text of several parts, each with a front matter, or as many files side by side.

``metaspace.md`` is the original, ``metaspace.zh.md`` a translation whose front matter says what it ``translates``. In one text the parts stand
one behind the other. A file with such a name that does not say so is an article of its own.
"""

import re
from collections.abc import Callable, Iterable
from itertools import islice

import yaml

from kb.article.writeups.frontmatter import HEAD_LIMIT, split
from kb.kinds import LANGUAGES
from kb.patterns import lazy

PART = r"---[ \t]*\n(?=(?:[a-z_]{1,20}:[^\n]*\n){0,20}?translates:)"
"""Where a translation begins in a write-up: a front matter with the key ``translates``, as in ``---\\nid: a\\nlang: zh\\ntranslates:``."""
_TRANSLATED = lazy(rf"(.+)\.(?:{'|'.join(LANGUAGES)})\.md")
"""``jvm/metaspace.zh.md``"""
_TRANSLATES = lazy(r"^translates[ \t]*:[^\n]*\n", re.MULTILINE)
_MOST_PARTS = 8
"""Translations that are looked at: there are two languages."""
_PARTS = lazy(f"^{PART}", re.MULTILINE)


def split_parts(text: str) -> list[str]:
    """A write-up and its translations, each with its front matter."""
    begins = part_starts(text)
    return [text[at:end] for at, end in zip(begins, [*begins[1:], len(text)], strict=True)]


def join_parts(parts: Iterable[str]) -> str:
    """The text of a write-up and its translations, as files hold them, in one."""
    return "\n".join(part.lstrip("\ufeff").rstrip() + "\n" for part in parts)


def translation_of(name: str) -> str | None:
    """The name of the file whose translation a file may be: ``a/b.md`` for ``a/b.zh.md``; None for any other name."""
    found = _TRANSLATED.fullmatch(name)
    return f"{found[1]}.md" if found else None


def is_translation(text: str) -> bool:
    """Whether a file's text is a translation, by its front matter."""
    return "translates" in split(text[:HEAD_LIMIT])[0]


def stamped_translation(text: str, digest: str) -> str:
    """A translation that says which text it follows; nothing else of it is touched."""
    line = yaml.safe_dump({"translates": digest})
    return _TRANSLATES.sub(lambda _: line, text, count=1)


def part_starts(text: str) -> list[int]:
    """Where the write-up and its translations begin."""
    first = len(text) - len(text.lstrip())
    begins = (found.start() for found in _PARTS.finditer(text) if found.start() > first)
    return [0, *islice(begins, _MOST_PARTS)]


def pairs(names: Iterable[str], text_of: Callable[[str], str]) -> dict[str, list[str]]:
    """The names of files that are no translations, each with those of its translations; ``text_of`` gives the beginning of a file."""
    listed = list(names)
    known = set(listed)
    originals = {
        name: original
        for name in listed
        if (original := translation_of(name)) in known and original is not None and is_translation(text_of(name))
    }
    found: dict[str, list[str]] = {name: [] for name in listed if name not in originals}
    for name, original in originals.items():
        found.setdefault(original, []).append(name)
    return found
