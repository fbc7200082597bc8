"""Where secrets stand: one pass for the anchors of all kinds, then each kind's pattern where its anchors are."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import re2

from kb.redact import house
from kb.redact.kinds import KINDS, PUNCTUATED
from kb.redact.unescaped import LETTER, LETTERS, MARKS, is_near, narrow, views
from kb.redact.words import PEOPLE, Kind, Redaction

_NEAR = 80
"""Characters from an anchor on in which an escape may stand between key and value, or in the value."""
_BEFORE, _BEHIND = 160, 700
"""Characters around such an anchor that are read behind their escapes."""
_LONG_NUMBER = (
    r"[0-9]{9}|[0-9]{4}[- ][0-9]{4}|[0-9]{6} [0-9]{5}|(?:^|[^0-9])(?:\+|00)86|\+1[-. (2-9]"
    r"|[0-9]{3}[-)] ?(?:[0-9]{2}-[0-9]{4}|[0-9]{3}[-. ][0-9]|[0-9]{7})"
)
"""RE2 for what every kind without an anchor holds."""


@dataclass(frozen=True, slots=True)
class _Anchors:
    """Every anchor with the kinds that begin there, and two sets that tell in a pass each which of them some text holds.

    They are told by number: the anchors, the kinds without any, escapes, escaped letters.
    """

    anchors: tuple[str, ...]
    kinds: tuple[tuple[Kind, ...], ...]
    """By anchor, then the kinds without one."""
    escapable: tuple[bool, ...]
    """By anchor: whether what it announces may hide behind escapes; a person's number is searched as it reads."""
    present: Any
    numbers: Any
    """A set of its own for the kinds without an anchor: in one with all others its states would not fit into memory."""

    def hits(self, text: str, *, is_view: bool = False) -> Sequence[int]:
        """What of all that the text holds, in no order; numbers read in a view as they read without it."""
        data = text.encode("utf-8", "replace")
        found = self.present.Match(data)
        if not found:
            return ()
        known, marks = len(self.anchors), len(self.kinds)
        if found[0] == known and len(found) == 1:
            return ()  # an escape, and nothing that it could hide
        told = [at if at < known else at - known + marks for at in found if at != known + 2]
        if known + 2 in found and not is_view:
            told += [at + known for at in self.numbers.Match(data) or ()]
        return told


@lru_cache(maxsize=1)
def _anchors() -> _Anchors:
    by_anchor: dict[str, list[Kind]] = {}
    for kind in KINDS:
        for anchor in kind.anchors:
            by_anchor.setdefault(anchor, []).append(kind)
    bare = [kind for kind in KINDS if not kind.anchors]
    present = re2.Set.SearchSet()
    for anchor in by_anchor:
        present.Add("(?i)" + re2.escape(anchor))
    present.Add(MARKS)
    present.Add(LETTERS)
    present.Add(_LONG_NUMBER)
    present.Compile()
    numbers = re2.Set.SearchSet()
    for kind in bare:
        numbers.Add(kind.present)
    numbers.Compile()
    return _Anchors(
        anchors=tuple(by_anchor),
        kinds=(*map(tuple, by_anchor.values()), *((kind,) for kind in bare)),
        escapable=tuple(any(kind.name not in PEOPLE for kind in kinds) for kinds in by_anchor.values()),
        present=present,
        numbers=numbers,
    )


def secrets(text: str) -> Sequence[Redaction]:
    """Every secret in the text, in no order; those that overlap are both told."""
    hits = _anchors().hits(text)
    found = list(_found(text, hits)) if hits else []
    found += house.found(text)
    return [one for one in found if not house.is_kept(one, text)] if found else ()


def _found(text: str, hits: Sequence[int]) -> Iterator[Redaction]:
    table = _anchors()
    lowered = _lowered(text)
    yield from _at_anchors(hits, text, lowered)
    marks = len(table.kinds)
    if max(hits) < marks:
        return
    told = [table.anchors[at] for at in hits if at < len(table.anchors) and table.escapable[at]]
    places = [at for anchor in told for at in _places(anchor, lowered) if is_near(text, at, at + _NEAR)]
    if marks + 1 in hits:
        places += [found.start() for found in LETTER.finditer(text)]
    for begin, end in _windows(places, len(text)):
        yield from _behind_escapes(text[begin:end], begin)


def _lowered(text: str) -> str:
    return text.replace("\u0130", "i").lower()  # the one letter whose lower case is longer


def _at_anchors(
    hits: Sequence[int], text: str, lowered: str, only: frozenset[str] | None = None
) -> Iterator[Redaction]:
    """The secrets of a text as it reads, of all kinds or of those named."""
    table = _anchors()
    for at in hits:  # in no order
        if at >= len(table.kinds):
            continue
        kinds = table.kinds[at] if only is None else tuple(kind for kind in table.kinds[at] if kind.name in only)
        if at < len(table.anchors):
            yield from _find(kinds, table.anchors[at], text, lowered)
        else:
            yield from (redaction for kind in kinds for redaction in _search(kind, text))


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
    hits = [at for at in _anchors().hits(text, is_view=True) if at < len(_anchors().kinds)]
    return _at_anchors(hits, text, _lowered(text), only) if hits else iter(())


def _places(anchor: str, lowered: str) -> Iterator[int]:
    at = lowered.find(anchor)
    while at >= 0:
        yield at
        at = lowered.find(anchor, at + 1)


def _find(kinds: Sequence[Kind], anchor: str, text: str, lowered: str) -> Iterator[Redaction]:
    ends = [0] * len(kinds)
    at = lowered.find(anchor)
    while at >= 0:
        for number, kind in enumerate(kinds):
            match = kind.pattern.match(text, at) if at >= ends[number] else None
            if match and (kind.accepts is None or kind.accepts(match)):
                begin = match.start("secret") if kind.begins is None else kind.begins(match)
                if begin >= 0:
                    ends[number] = match.end("secret")
                    yield Redaction(kind.name, begin, ends[number])
        at = lowered.find(anchor, at + 1)


def _search(kind: Kind, text: str) -> Iterator[Redaction]:
    for match in kind.pattern.finditer(text):
        if kind.accepts is None or kind.accepts(match):
            yield Redaction(kind.name, *match.span("secret"))
