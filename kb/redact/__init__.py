"""Secrets out of text: passwords, tokens, keys and cookies become ``<secret>`` before anything is stored or logged.

What tells of people becomes what it is, ``<email>`` or ``<phone>`` (`words.PEOPLE`). A table of kinds (`kinds`). Each kind has
anchors, lower-case literals, and one pattern that is tried only where an anchor stands; its group ``secret`` is what is
taken away. One pass of a re2 set tells which anchors a text holds, `str.find` where they stand (`search`). Around anchors the
text is searched once more as it reads behind its escapes (`unescaped`). The repeats of a pattern are possessive or bounded,
so the time is linear in the text.
"""

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from itertools import chain

from kb.redact.kinds import KINDS
from kb.redact.search import secrets
from kb.redact.words import (
    PEOPLE,
    PLACEHOLDER,
    IsOver,
    Redacted,
    Redaction,
    Redactions,
    SecretKind,
    StoppedError,
    never,
)

__all__ = ["KINDS", "PLACEHOLDER", "Redacted", "Redaction", "SecretKind", "StoppedError", "redact", "redact_path"]

_ROUNDS = 4
"""Times a text is searched: what was taken away may lay bare what stood beside it. More than two were never seen."""


def redact(text: str, is_over: IsOver = never) -> Redacted:
    """Replace every secret by its placeholder, also in escapes. Linear in the text; a redacted text comes back unchanged.

    StoppedError soon after ``is_over()`` says that nobody waits: nothing is given out then.
    """
    more = secrets(text, is_over)
    if not more:
        return Redacted(text)
    found = Redactions()
    hidden = text
    for _ in range(_ROUNDS):
        found = _merged(chain(found, _in_original(more, found)))
        hidden = without(text, found)
        more = secrets(hidden, is_over)
        if not more:
            break
    return Redacted(hidden, found)


def redact_path(path: str) -> str:
    """Return a path without secrets: each name of it is searched on its own, and its ending stays."""
    folders, slash, name = path.rpartition("/")
    stem, dot, ending = name.rpartition(".")
    hidden = f"{redact(stem).text}.{ending}" if dot and ending.isalnum() else redact(name).text
    return "/".join(redact(one).text for one in folders.split("/")) + slash + hidden


def without(text: str, found: Sequence[Redaction]) -> str:
    """The text with placeholders where the redactions, in text order, say."""
    hidden = StringIO()
    at = 0
    for one in found:
        hidden.write(text[at : one.start])
        hidden.write(one.placeholder)
        at = one.end
    hidden.write(text[at:])
    return hidden.getvalue()


def _merged(found: Iterable[Redaction]) -> Redactions:
    """In text order; those that overlap are one, and a secret if one of them is."""
    return Redactions(_joined(Redactions(found).in_order()))


def _joined(ordered: Iterable[Redaction]) -> Iterator[Redaction]:
    last: Redaction | None = None
    for one in ordered:
        if last is None:
            last = one
        elif one.start < last.end:
            kind = one.kind if last.kind in PEOPLE and one.kind not in PEOPLE else last.kind
            last = Redaction(kind, last.start, max(one.end, last.end))
        else:
            yield last
            last = one
    if last is not None:
        yield last


def _in_original(more: Sequence[Redaction], found: Sequence[Redaction]) -> Iterator[Redaction]:
    """What was found in a text out of which others were taken, at its places in the original text."""
    if not found:
        yield from more
        return
    starts, shift = array("q"), 0  # where the placeholders stand
    for one in found:
        starts.append(one.start + shift)
        shift += len(one.placeholder) - (one.end - one.start)
    for one in more:
        yield Redaction(
            one.kind, _place(one.start, starts, found, is_end=False), _place(one.end, starts, found, is_end=True)
        )


def _place(at: int, starts: Sequence[int], found: Sequence[Redaction], *, is_end: bool) -> int:
    number = bisect_right(starts, at - 1 if is_end else at) - 1
    if number < 0:
        return at
    behind = at - starts[number] - len(found[number].placeholder)
    if behind < 0 or (is_end and behind == 0):
        return found[number].end if is_end else found[number].start
    return found[number].end + behind
