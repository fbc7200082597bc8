"""Write-ups whose translation stands in a file beside them: both files are one document, read and ingested together.

``metaspace.md`` and ``metaspace.zh.md``, whose front matter says what it ``translates``. A file of such a name that does not say so is an article of its own.
"""

import os
from collections.abc import Iterable, Sequence

from kb.article.writeups.frontmatter import HEAD_LIMIT
from kb.article.writeups.translated import join_parts, pairs

BETWEEN = b"\0"
"""Between the locations of the files of one document: no name has it."""
_BYTES = 4
"""Of a character, at most."""


def with_translations(files: Sequence[tuple[str, str]]) -> tuple[list[tuple[str, str]], dict[str, list[str]]]:
    """Paths and locations without the translations; and by the path of its original, where the translations are."""
    places = dict(files)
    found = pairs(places, lambda path: _beginning(places[path]))
    translations = {path: [places[one] for one in others] for path, others in found.items() if others}
    return [(path, places[path]) for path in found], translations


def _beginning(location: str) -> str:
    try:
        with open(location, "rb") as file:  # noqa: PTH123  a Path object for each file would be felt
            return file.read(HEAD_LIMIT * _BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def whole_writeup(locations: Iterable[bytes]) -> bytes:
    """The text of a write-up and its translations. Raises OSError."""
    texts = []
    for location in locations:
        with open(location, "rb") as file:  # noqa: PTH123  the name need not be Unicode
            texts.append(file.read().decode("utf-8", "surrogateescape"))
    return join_parts(texts).encode("utf-8", "surrogateescape")


def joined(location: str, translations: Sequence[str]) -> bytes:
    """The location of a document of several files."""
    return BETWEEN.join(map(os.fsencode, (location, *translations)))
