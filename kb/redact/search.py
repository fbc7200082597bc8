"""Where secrets stand: one pass for the anchors of all kinds, then each kind's pattern where its anchors are."""

import re
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, chain
from typing import Any

import re2

from kb.redact import house
from kb.redact.kinds import AS_IT_READS, AT_HOST, KINDS, PUNCTUATED
from kb.redact.names import behind_name
from kb.redact.nearby import NEARBY
from kb.redact.unescaped import LETTERS, MARKS, hidden_letters, is_near, narrow, views
from kb.redact.words import NEEDED, PEOPLE, IsOver, Redaction, Redactions, SecretKind, StoppedError, never

_EVERY = 4096
"""Anchors and secrets between two looks at whether it is over: some milliseconds of the slowest patterns."""
_MOST_TRIED = 4096
"""Pairs of characters behind names that are remembered at once."""
_NEAR = 80
"""Characters from an anchor on in which an escape may stand between key and value, or in the value."""
_BEFORE, _BEHIND = 160, 700
"""Characters around such an anchor that are read behind their escapes."""
_BLANK, _WORD = re.compile(r"\s"), 400
"""What ends words, and characters of one that may go on beyond a piece."""
_PIECE = 1 << 13
_LARGE_PIECE, _OVERLAP = 1 << 20, 400
"""Characters that RE2 gets at once, and how many of them twice: more than any anchor or pattern of its sets is long."""
_LOWERED, _LONGEST_ANCHOR = 8 << 20, 200
"""Characters that are made lower case at once, and more than an anchor has: a text beyond ASCII takes up to four bytes for each."""
_MEMORY = 32 << 20
"""What the states of the set of anchors may take: with the default of 8 MB they are dropped and made again, at twice the time."""
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
    kinds: tuple[tuple[SecretKind, ...], ...]
    """By anchor, then the kinds without one."""
    escaped: tuple[tuple[SecretKind, ...], ...]
    """The same, of the kinds that are looked for behind escapes."""
    punctuated: tuple[tuple[SecretKind, ...], ...]
    """The same, of the kinds that a Chinese keyboard's punctuation may hide."""
    escapable: tuple[bool, ...]
    """By anchor: whether what it announces may hide behind escapes; a person's number is searched as it reads."""
    named: frozenset[str]
    """The anchors that stand in names of secrets."""
    present: Any
    numbers: Any
    """A set of its own for the kinds without an anchor: in one with all others its states would not fit into memory."""

    def hits(self, text: str, *, is_view: bool = False) -> Sequence[int]:
        """What of all that the text holds, in no order; numbers read in a view as they read without it."""
        found = _matched(self.present, text)
        known, marks = len(self.anchors), len(self.kinds)
        if not found or found == [known]:
            return ()  # nothing, or an escape and nothing that it could hide
        hits = [at if at < known else at - known + marks for at in found if at != known + 2]
        if known + 2 in found and not is_view:
            hits += [at + known for at in _matched(self.numbers, text)]
        return hits


def _matched(patterns: Any, text: str) -> list[int]:
    """The numbers of the patterns of an RE2 set that the text holds. Piece by piece: RE2 reads UTF-8, of Chinese text three times the characters."""
    if len(text) <= _LARGE_PIECE:
        return list(patterns.Match(text.encode("utf-8", "replace")) or ())
    pieces = (text[max(at - _OVERLAP, 0) : at + _LARGE_PIECE] for at in range(0, len(text), _LARGE_PIECE))
    return list(dict.fromkeys(at for piece in pieces for at in patterns.Match(piece.encode("utf-8", "replace")) or ()))


@lru_cache(maxsize=1)
def _anchors() -> _Anchors:
    by_anchor: dict[str, list[SecretKind]] = {}
    for kind in KINDS:
        for anchor in kind.anchors:
            by_anchor.setdefault(anchor, []).append(kind)
    bare = [kind for kind in KINDS if not kind.anchors]
    kinds = (*map(tuple, by_anchor.values()), *((kind,) for kind in bare))
    options = re2.Options()
    options.max_mem = _MEMORY
    present = re2.Set.SearchSet(options)
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
        kinds=kinds,
        escaped=tuple(tuple(kind for kind in those if kind.name not in AS_IT_READS) for those in kinds),
        punctuated=tuple(tuple(kind for kind in those if kind.name in PUNCTUATED) for those in kinds),
        escapable=tuple(
            anchor != AT_HOST and any(kind.name not in PEOPLE and kind.name not in AS_IT_READS for kind in kinds)
            for anchor, kinds in by_anchor.items()
        ),
        named=frozenset(a for a, kinds in by_anchor.items() if any(kind.follows for kind in kinds)),
        present=present,
        numbers=numbers,
    )


def secrets(text: str, is_over: IsOver = never) -> Redactions:
    """Every secret in the text, in no order; those that overlap are both told. StoppedError soon after it is over."""
    hits = _anchors().hits(text)
    if not hits and not house.has_finders():
        return Redactions()
    found = Redactions(chain(_matches(text, hits, is_over) if hits else (), house.custom_redactions(text, is_over)))
    return Redactions(one for one in _sure(found) if not house.is_kept(one, text)) if found else found


def _sure(found: Redactions) -> Iterator[Redaction]:
    """Without what stands near a label only and overlaps a secret that is known in another way."""
    near, known = Redactions(), Redactions()
    for one in found:
        (near if one.kind == NEARBY else known).append(one)
    if not near:
        yield from found
        return
    others = known.in_order()
    yield from others
    starts = array("q", (one.start for one in others))
    ends = array("q", accumulate((one.end for one in others), max))
    for one in near:
        before = bisect_left(starts, one.end)
        if not before or ends[before - 1] <= one.start:
            yield one


def _matches(text: str, hits: Sequence[int], is_over: IsOver) -> Iterator[Redaction]:
    table = _anchors()
    marks = len(table.kinds)
    near: list[int] | None = [] if max(hits) >= marks else None
    yield from _at_anchors(hits, table.kinds, text, is_over, near)
    if near is None:
        return
    if marks + 1 in hits:
        near += hidden_letters(text)
    read = 0
    for begin, end in _windows(near, len(text)):
        if end > read:
            found, read = _whole(text, begin, end, is_over)
            yield from found


def _lowered(text: str) -> str:
    """Return the text in lower case, letter by letter. In pieces: beyond ASCII, Python takes 12 bytes for each character meanwhile."""
    text = text.replace("\u0130", "i")  # the one letter whose lower case is longer
    return (
        text.lower()
        if text.isascii()
        else "".join(text[at : at + _PIECE].lower() for at in range(0, len(text), _PIECE))
    )


def _at_anchors(
    hits: Sequence[int],
    kinds: Sequence[tuple[SecretKind, ...]],
    text: str,
    is_over: IsOver,
    near: list[int] | None = None,
) -> Iterator[Redaction]:
    """The secrets of a text as it reads; to ``near`` go the places of anchors that have an escape behind them."""
    table = _anchors()
    searches = [
        _Search(table.anchors[at], kinds[at], text, is_over, near if table.escapable[at] else None)
        for at in hits  # in no order
        if at < len(table.anchors)
    ]
    for begin in range(0, len(text) if searches else 0, _LOWERED):
        lowered = _lowered(text[begin : begin + _LOWERED + _LONGEST_ANCHOR])
        for one in searches:
            yield from one.found(lowered, begin)
    for at in hits:
        if len(table.anchors) <= at < len(kinds):
            yield from (redaction for kind in kinds[at] for redaction in _search(kind, text))


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


def _whole(text: str, begin: int, end: int, is_over: IsOver) -> tuple[list[Redaction], int]:
    """What a piece hides behind its escapes, and its end: where a secret or a long word reaches it, the piece is read again, twice as long."""
    while True:
        if is_over():
            raise StoppedError
        found = list(_behind_escapes(text[begin:end], begin, is_over))
        goes_on = _BLANK.search(text, max(end - _WORD, begin), end) is None
        if end >= len(text) or not (goes_on or any(one.end >= end for one in found)):
            return found, end
        end = min(end + (end - begin), len(text))


def _behind_escapes(piece: str, begin: int, is_over: IsOver) -> Iterator[Redaction]:
    yield from _in_narrow(piece, begin, _unmoved, is_over)
    for view, original in views(piece):
        for one in _plain(view, _anchors().escaped, is_over):
            start, end = original(one.start, one.end)
            yield Redaction(one.kind, begin + start, begin + end)
        yield from _in_narrow(view, begin, original, is_over)


def _in_narrow(
    view: str, begin: int, original: Callable[[int, int], tuple[int, int]], is_over: IsOver
) -> Iterator[Redaction]:
    text = narrow(view)
    for one in _plain(text, _anchors().punctuated, is_over) if text is not None else ():
        start, end = original(one.start, one.end)
        yield Redaction(one.kind, begin + start, begin + end)


def _unmoved(start: int, end: int) -> tuple[int, int]:
    return start, end


def _plain(text: str, kinds: Sequence[tuple[SecretKind, ...]], is_over: IsOver) -> Iterator[Redaction]:
    """The secrets of those kinds that stand in a text as it reads."""
    hits = [at for at in _anchors().hits(text, is_view=True) if at < len(kinds) and kinds[at]]
    return _at_anchors(hits, kinds, text, is_over) if hits else iter(())


class _Search:
    """One anchor in one text, part by part."""

    def __init__(
        self, anchor: str, kinds: Sequence[SecretKind], text: str, is_over: IsOver, near: list[int] | None
    ) -> None:
        self._anchor, self._kinds, self._text, self._near = anchor, kinds, text, near
        self._is_over, self._clock = is_over, _looks(is_over)
        self._ends = [0] * len(kinds)
        """Where the last secret of each kind ends: none begins within it."""
        self._is_named = anchor in _anchors().named
        self._tried: dict[str, Sequence[tuple[int, SecretKind]]] = {}
        """By the two characters behind a name, the kinds that it may begin."""

    def found(self, lowered: str, begin: int) -> Iterator[Redaction]:
        """The secrets at the anchors that begin in this part, in text order."""
        end = _LOWERED + len(self._anchor) - 1
        at = lowered.find(self._anchor, 0, end)
        while at >= 0:
            next(self._clock)
            place = begin + at
            if self._near is not None and is_near(self._text, place, place + _NEAR):
                self._near.append(place)
            for number, kind in self._possible(place):
                if place < self._ends[number] or (
                    kind.needs and self._text.find(kind.needs, place, place + NEEDED) < 0
                ):
                    continue
                if match := kind.pattern.match(self._text, place):
                    yield from self._accepted(number, kind, match)
            at = lowered.find(self._anchor, at + 1, end)

    def _accepted(self, number: int, kind: SecretKind, match: re.Match[str]) -> Iterable[Redaction]:
        if kind.accepts is not None and not kind.accepts(match):
            return ()
        if kind.spans is not None:
            return self._several(number, kind, match)
        begin = match.start("secret") if kind.begins is None else kind.begins(match)
        if begin < 0:
            return ()
        next(self._clock)
        self._ends[number] = match.end("secret") if kind.ends is None else kind.ends(match)
        return (Redaction(kind.name, begin, self._ends[number]),)

    def _several(self, number: int, kind: SecretKind, match: re.Match[str]) -> Iterator[Redaction]:
        if self._is_over():
            raise StoppedError  # one of these reads a table, a document or a command
        assert kind.spans is not None
        for start, self._ends[number] in kind.spans(match):
            next(self._clock)
            yield Redaction(kind.name, start, self._ends[number])

    def _possible(self, at: int) -> Iterable[tuple[int, SecretKind]]:
        if not self._is_named:
            return enumerate(self._kinds)
        behind = behind_name(self._text, at)
        if behind not in self._tried:
            if len(self._tried) == _MOST_TRIED:
                self._tried.clear()
            self._tried[behind] = [(number, kind) for number, kind in enumerate(self._kinds) if _follows(kind, behind)]
        return self._tried[behind]


def _looks(is_over: IsOver) -> Iterator[None]:
    """Now and then look whether it is over."""
    while not is_over():
        for _ in range(_EVERY):
            yield
    raise StoppedError


def _follows(kind: SecretKind, behind: str) -> bool:
    return not kind.follows or (behind != "" and behind[0] in kind.follows and behind not in kind.unless)


def _search(kind: SecretKind, text: str) -> Iterator[Redaction]:
    for match in kind.pattern.finditer(text):
        if kind.accepts is None or kind.accepts(match):
            yield Redaction(kind.name, *match.span("secret"))
