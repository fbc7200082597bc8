"""Secrets out of text: passwords, tokens, keys and cookies become ``<secret>`` before anything is stored or logged.

A table of kinds (`kinds`). Each kind has anchors, lower-case literals, and one pattern that is tried only where an anchor
stands; its group ``secret`` is what is taken away. One pass of a re2 set tells which anchors a text holds, `str.find` where
they stand. Around anchors the text is searched once more as it reads behind its escapes (`unescaped`). The repeats of a
pattern are possessive or bounded, so the time is linear in the text.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import re2

from kb.redact.kinds import KINDS, PUNCTUATED
from kb.redact.unescaped import LETTER, LETTERS, MARKS, is_near, narrow, views
from kb.redact.words import PLACEHOLDER, Kind, Redacted, Redaction

__all__ = ["KINDS", "PLACEHOLDER", "Redacted", "Redaction", "redact"]

_ROUNDS = 4
"""Times a text is searched: what was taken away may lay bare what stood beside it. More than two were never seen."""
_NEAR = 80
"""Characters from an anchor on in which an escape may stand between key and value, or in the value."""
_BEFORE, _BEHIND = 160, 700
"""Characters around such an anchor that are read behind their escapes."""


def redact(text: str) -> Redacted:
    """Replace every secret by ``<secret>``, also in escapes. Linear in the text; a redacted text comes back unchanged."""
    found: list[Redaction] = []
    hidden = text
    for _ in range(_ROUNDS):
        more = list(_secrets(hidden))
        if not more:
            break
        found = _merged([*found, *_in_original(more, found)])
        hidden = _without(text, found)
    return Redacted(hidden, tuple(found))


def _merged(found: list[Redaction]) -> list[Redaction]:
    """In text order; those that overlap are one."""
    kept: list[Redaction] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        if kept and one.start < kept[-1].end:
            if one.end > kept[-1].end:
                kept[-1] = Redaction(kept[-1].kind, kept[-1].start, one.end)
            continue
        kept.append(one)
    return kept


def _without(text: str, found: Sequence[Redaction]) -> str:
    parts: list[str] = []
    at = 0
    for one in found:
        parts += (text[at : one.start], PLACEHOLDER)
        at = one.end
    return "".join((*parts, text[at:]))


def _in_original(more: Sequence[Redaction], found: Sequence[Redaction]) -> Iterator[Redaction]:
    """What was found in a text out of which others were taken, at its places in the original text."""
    if not found:
        yield from more
        return
    starts, shift = [], 0  # where the placeholders stand
    for one in found:
        starts.append(one.start + shift)
        shift += len(PLACEHOLDER) - (one.end - one.start)
    for one in more:
        yield Redaction(
            one.kind, _place(one.start, starts, found, is_end=False), _place(one.end, starts, found, is_end=True)
        )


def _place(at: int, starts: Sequence[int], found: Sequence[Redaction], *, is_end: bool) -> int:
    number = bisect_right(starts, at - 1 if is_end else at) - 1
    if number < 0:
        return at
    behind = at - starts[number] - len(PLACEHOLDER)
    if behind < 0 or (is_end and behind == 0):
        return found[number].end if is_end else found[number].start
    return found[number].end + behind


@lru_cache(maxsize=1)
def _anchors() -> tuple[tuple[tuple[Kind, str], ...], Any]:
    """Every anchor with its kind, and a set that tells in one pass which of them occur in some UTF-8 bytes; escapes are last."""
    table = tuple((kind, anchor) for kind in KINDS for anchor in kind.anchors)
    present = re2.Set.SearchSet()
    for _, anchor in table:
        present.Add("(?i)" + re2.escape(anchor))
    present.Add(MARKS)
    present.Add(LETTERS)
    present.Compile()
    return table, present


def _secrets(text: str) -> Iterator[Redaction]:
    """Every secret in the text, in no order."""
    table, present = _anchors()
    hits = present.Match(text.encode("utf-8", "replace"))
    if not hits or hits == [len(table)]:
        return
    lowered = text.replace("\u0130", "i").lower()  # the one letter whose lower case is longer
    anchors = [table[at] for at in hits if at < len(table)]
    for kind, anchor in anchors:
        yield from _find(kind, anchor, text, lowered)
    if max(hits) < len(table):
        return
    places = [
        at
        for anchor in {anchor for _, anchor in anchors}
        for at in _places(anchor, lowered)
        if is_near(text, at, at + _NEAR)
    ]
    if len(table) + 1 in hits:
        places += [found.start() for found in LETTER.finditer(text)]
    for begin, end in _windows(places, len(text)):
        yield from _behind_escapes(text[begin:end], begin)


def _windows(places: list[int], size: int) -> Iterator[tuple[int, int]]:
    """What stands around the places, each character once."""
    begin, end = 0, -1
    for at in sorted(places):
        if at - _BEFORE > end:
            if end >= 0:
                yield begin, end
            begin = max(at - _BEFORE, 0)
        end = min(at + _BEHIND, size)
    if end >= 0:
        yield begin, end


def _behind_escapes(piece: str, begin: int) -> Iterator[Redaction]:
    yield from _in_narrow(piece, begin, _unmoved)
    for view, original in views(piece):
        for one in _plain(view):
            start, end = original(one.start, one.end)
            yield Redaction(one.kind, begin + start, begin + end)
        yield from _in_narrow(view, begin, original)


def _in_narrow(view: str, begin: int, original: Callable[[int, int], tuple[int, int]]) -> Iterator[Redaction]:
    text = narrow(view)
    for one in _plain(text, PUNCTUATED) if text is not None else ():
        start, end = original(one.start, one.end)
        yield Redaction(one.kind, begin + start, begin + end)


def _unmoved(start: int, end: int) -> tuple[int, int]:
    return start, end


def _plain(text: str, only: frozenset[str] | None = None) -> Iterator[Redaction]:
    """The secrets that stand in a text as it reads, of all kinds or of those named."""
    table, present = _anchors()
    lowered = text.replace("\u0130", "i").lower()
    for at in present.Match(text.encode("utf-8", "replace")) or ():
        if at < len(table):
            kind, anchor = table[at]
            if only is None or kind.name in only:
                yield from _find(kind, anchor, text, lowered)


def _places(anchor: str, lowered: str) -> Iterator[int]:
    at = lowered.find(anchor)
    while at >= 0:
        yield at
        at = lowered.find(anchor, at + 1)


def _find(kind: Kind, anchor: str, text: str, lowered: str) -> Iterator[Redaction]:
    end = 0
    for at in _places(anchor, lowered):
        match = kind.pattern.match(text, at) if at >= end else None
        if match and (kind.accepts is None or kind.accepts(match)):
            start, end = match.span("secret")
            yield Redaction(kind.name, start, end)
