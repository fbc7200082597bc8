"""Lines that a terminal or a mail program broke at a page's width."""

import re
from collections.abc import Sequence

from kb.trace.lines import is_record

_COLUMNS = 80
"""Columns of a terminal; what it breaks goes on in the next line without a blank lost."""
_PAGE = (60, 72)
"""Characters that a line broken by a mail program has at least, and those that the word below would have made too many (RFC 2646 advises 72)."""
_WORD = re.compile(r"\S{1,80}")
_WHOLE = frozenset(
    ("a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "from", "has", "in", "is", "it", "not", "of", "on", "or", "that", "the", "this", "to", "was", "with")
)  # fmt: skip
"""Words that are no end of another one: where a line of just as many columns ends before them, a blank was there."""


def broken_at(above: str, below: str) -> str | None:
    """Return what is between two lines that were one, a blank or nothing; None where the line below is one of its own.

    ``above`` fills a terminal's columns, or ends in the middle of a sentence where the next word had no place on a mail's page.
    """
    word = _WORD.match(below)
    if word is None or below[0].isupper() or below[0].isdigit() or not above or above[-1] in ".!?:;{(。！？：；":
        return None
    if begin_alike(above, below):
        return None
    if len(above) == _COLUMNS:
        return None if below[0] in "[<{(#*+|>@$=-" or is_record(below) else " " if word[0] in _WHOLE else ""
    is_full = _PAGE[0] <= len(above) <= _COLUMNS and len(above) + 1 + len(word[0]) > _PAGE[1]
    is_within = (above[-1].islower() or above[-1] == ",") and below[0].islower()
    return " " if is_full and is_within else None


def begin_alike(one: str, two: str) -> bool:
    """Return whether two lines begin with the same word or mark, as something puts it before each: a page does not break there."""
    found = _BEGINNING.match(one)
    return found is not None and two.startswith(found[0])


_BEGINNING = re.compile(r"[^\s:：|=]{1,40}(?:[ \t]{0,4}[:：|=]|[ \t])|[+>|*#-]")


def is_page(lines: Sequence[str]) -> bool:
    """Return whether none of some lines is longer than a page is wide."""
    return all(len(line) <= _COLUMNS for line in lines)
