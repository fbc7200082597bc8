"""Where the messages, frames and words of a text stand. Looked up for the few traces that a match is about, once each."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from index.ranking.compare import Weights
from index.ranking.wording import word_weights
from index.reading import Reading
from index.terms.frequencies import Frequencies
from index.terms.glossary import find_concept
from index.terms.hashing import Hashes
from index.terms.sketch import outwards
from kb.language import simplify
from kb.trace import ExceptionChain, RaisedException, StackTrace, normalize, template
from kb.trace.normalize import lasting_key

Span = tuple[int, int]
"""Begin and end in the text of a reading."""

LOOKED_AT = 200_000
"""Characters of a trace in which lines are looked for; a longer one is a dump."""
_MOST_FRAMES = 400
"""Distinct lines of frames that are looked for in one trace."""
_MOST_LINES = 40
"""Lines of one message."""
_AROUND = 4_000
"""Characters of the text outside the traces in which words are looked for, at its beginning and at its end: those that are searched by."""
_IN_TRACE = 20_000
"""Characters of a trace in which words are looked for that neither stand around the traces nor in a message: types."""
_NEAR = 60
"""A message begins so near behind its type, or a line of it behind the line before, with what a logger puts between them."""
_TELLING = 8
"""A message this long is looked for without its type as well; a shorter one (``0``, ``null``) stands everywhere."""
_PART = 1 << 20
"""Characters that are made lower case at once."""
_FIRST_HAN = "\u3400"


class QuerySpans:
    """The places of one reading."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self._messages: dict[int, Mapping[str, tuple[Span, ...]]] = {}
        self._frames: dict[int, Mapping[str, tuple[Span, ...]]] = {}
        self._words: dict[str, Span | None] = {}
        self._weights: Weights | None = None
        self._plain: dict[Span, tuple[str, str]] = {}

    def messages(self, trace: int) -> Mapping[str, tuple[Span, ...]]:
        """Of one of the reading's traces: by each message as it is compared, the places of its lines."""
        if trace not in self._messages:
            self._messages[trace] = self._messages_of(self.reading.traces[trace].chain)
        return self._messages[trace]

    def frames(self, trace: int) -> Mapping[str, tuple[Span, ...]]:
        """Of one of the reading's traces: by each frame's lasting key, the places of its lines; several where it is called repeatedly."""
        if trace not in self._frames:
            self._frames[trace] = self._frames_of(self.reading.traces[trace].chain)
        return self._frames[trace]

    def word(self, unit: str) -> Span | None:
        """Where the text says a word, or a concept (``c:…``), first; None where it only has another form of it."""
        if unit not in self._words:
            self._words[unit] = next((at for region in self._regions if (at := self._first(unit, region))), None)
        return self._words[unit]

    @cached_property
    def worded_messages(self) -> list[tuple[int, str, Hashes]]:
        """Every message of words: of which trace, as it is compared, and the names of its words."""
        return [
            (at, exception.message or "", np.array(numbers.message, dtype=np.uint64))
            for at, trace in enumerate(self.reading.traces)
            for exception, numbers in zip(outwards(trace.normalised), trace.sketch, strict=True)
            if numbers.message
        ]

    def weights(self, words: Frequencies) -> Weights:
        """Return the weight of each of these words, the messages laid end to end; computed once, since counts do not change during a search."""
        if self._weights is None:
            self._weights = word_weights(np.concatenate([names for _, _, names in self.worded_messages]), words)
        return self._weights

    def absent(self, words: Sequence[str]) -> frozenset[str]:
        """Which of these words, in lower case, stand nowhere in the text, in whatever case."""
        left, longest = frozenset(words), max(map(len, words), default=0)
        for part in self._lowered(longest):
            left = frozenset(word for word in left if word not in part)
            if not left:
                break
        return left

    def _lowered(self, overlap: int) -> Iterator[str]:
        """The text in lower case, part by part: Python takes 12 bytes for each character while it makes a text beyond ASCII lower case."""
        text = self.reading.text
        if len(text) <= _PART:
            yield self._lower
        else:
            yield from (text[at : at + _PART + overlap].lower() for at in range(0, len(text), _PART))

    @cached_property
    def _lower(self) -> str:
        return self.reading.text.lower()

    def text(self, span: Span) -> str:
        """What stands there."""
        return self.reading.text[slice(*span)]

    def _first(self, unit: str, region: Span) -> Span | None:
        if region not in self._plain:
            text = self.text(region)
            plain = simplify(text)
            plain = plain if len(plain) == len(text) else text
            self._plain[region] = plain, lowered(plain)
        found = find_form(*self._plain[region], unit)
        return (region[0] + found[0], region[0] + found[1]) if found else None

    @cached_property
    def _regions(self) -> list[Span]:
        """Where words are looked for, in this order: around the traces, in their messages, in the traces."""
        return list(self._all_regions())

    def _all_regions(self) -> Iterator[Span]:
        yield from self._around()
        for trace in range(len(self.reading.traces)):
            yield from (span for spans in self.messages(trace).values() for span in spans)
        for one in self.reading.traces:
            yield one.chain.span[0], min(one.chain.span[1], one.chain.span[0] + _IN_TRACE)

    def _around(self) -> Iterator[Span]:
        """The text outside the traces, its head and its tail."""
        gaps: list[Span] = []
        after = 0
        for start, end in [*sorted(chain.span for chain in self.reading.chains), (len(self.reading.text),) * 2]:
            if start > after:
                gaps.append((after, start))
            after = max(after, end)
        left = _AROUND
        for start, end in gaps:
            if left <= 0:
                break
            yield start, min(end, start + left)
            left -= end - start
        left = _AROUND
        for start, end in reversed(gaps):
            if left <= 0:
                break
            yield max(start, end - left), end
            left -= end - start

    def _messages_of(self, chain: ExceptionChain) -> Mapping[str, tuple[Span, ...]]:
        found: dict[str, dict[Span, None]] = {}
        for exception in chain.exceptions:
            if exception.message and (compared := _compared(chain.runtime, exception)):
                found.setdefault(compared, {}).update(
                    dict.fromkeys(self._lines_of(exception, compared, _cut(chain.span)))
                )
        return {message: tuple(sorted(spans)) for message, spans in found.items()}

    def _lines_of(self, exception: RaisedException, compared: str, region: Span) -> Iterator[Span]:
        """The lines of a message, those that are compared."""
        first, *rest = [line.strip() for line in (exception.message or "").splitlines() if line.strip()][:_MOST_LINES]
        at = self._message_at(exception, first, region)
        if at is None:
            return
        yield at, at + len(first)
        after, on_one_line = at + len(first), " ".join(compared.split())
        for line in rest:
            at = self.reading.text.find(line, after, min(after + _NEAR + len(line), region[1]))
            if at >= 0:
                after = at + len(line)
                if " ".join(template(line).split()) in on_one_line:
                    yield at, after

    def _message_at(self, exception: RaisedException, line: str, region: Span) -> int | None:
        """Where the first line of a message stands: right behind its type, where it has one."""
        text = self.reading.text
        quoted = None
        for name in filter(None, (exception.wrapped_type, exception.type)):
            for _, end in _occurrences(text, name, region):
                at = text.find(line, end, min(end + _NEAR + len(line), region[1]))
                if at >= 0 and ":" in text[end:at]:
                    return at
                if at >= 0 and quoted is None:
                    quoted = at  # a line of code that raises it, as tracebacks show: ``raise RuntimeError('closed')``
        if quoted is not None:
            return quoted
        at = text.find(line, *region) if len(line) >= _TELLING else -1
        return at if at >= 0 else None

    def _frames_of(self, chain: ExceptionChain) -> Mapping[str, tuple[Span, ...]]:
        keys: dict[str, str] = {}
        for exception in chain.exceptions:
            for frame in exception.stack.frames:
                if frame.raw and frame.raw not in keys and len(keys) < _MOST_FRAMES:
                    keys[frame.raw] = lasting_key(frame, chain.runtime)
        found: dict[str, set[Span]] = {}
        for raw, key in keys.items():
            found.setdefault(key, set()).update(_occurrences(self.reading.text, raw, _cut(chain.span)))
        return {key: tuple(sorted(spans)) for key, spans in found.items()}


def find_form(text: str, lower: str, unit: str) -> Span | None:
    """Where a text has a word of `index.terms.tokens.units` first, in any case, in the plural too; a concept in any of its forms.

    ``lower`` is the text in lower case, of the same length.
    """
    if unit.startswith("c:"):
        return find_concept(unit.removeprefix("c:"), text, lower)
    if unit >= _FIRST_HAN:
        at = text.find(unit)
        return (at, at + len(unit)) if at >= 0 else None
    stem, endings = (unit[:-1], ("y", "ies")) if unit.endswith("y") else (unit, ("s", ""))
    at = lower.find(stem)
    while at >= 0:
        for ending in endings:
            end = at + len(stem) + len(ending)
            if lower.startswith(ending, at + len(stem)) and not (
                _in_word(lower[at - 1 : at]) or _goes_on_in_word(lower, end)
            ):
                return at, end
        at = lower.find(stem, at + 1)
    return None


def lowered(text: str) -> str:
    """The text in lower case, of the same length."""
    lower = text.lower()
    return lower if len(lower) == len(text) else text


def _in_word(character: str) -> bool:
    return character.isascii() and character.isalnum()


def _goes_on_in_word(lower: str, end: int) -> bool:
    """Return whether a word ends further on; ``node`` ends before the number of ``node18``."""
    return _in_word(lower[end : end + 1]) and not (lower[end].isdigit() and lower[end - 1].isalpha())


def _compared(runtime: str, exception: RaisedException) -> str | None:
    """The message of an exception as it is compared."""
    alone = replace(exception, stack=StackTrace(), relation=None, parent=None, elided=0)
    return normalize(ExceptionChain(runtime, (alone,))).exceptions[0].message


def _cut(span: Span) -> Span:
    return span[0], min(span[1], span[0] + LOOKED_AT)


def _occurrences(text: str, piece: str, region: Span) -> Iterator[Span]:
    """Where a piece stands as a whole: not as the beginning or the end of a longer name."""
    at = text.find(piece, *region)
    while at >= 0:
        end = at + len(piece)
        if not (_goes_on(text[at - 1 : at], piece[:1]) or _goes_on(piece[-1:], text[end : end + 1])):
            yield at, end
        at = text.find(piece, end, region[1])


def _goes_on(before: str, after: str) -> bool:
    return all(one.isalnum() or one == "_" for one in (before, after) if one) and bool(before and after)


def merged(spans: Sequence[Span]) -> tuple[Span, ...]:
    """The same stretches in order, none within another."""
    found: list[Span] = []
    for start, end in sorted(set(spans)):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return tuple(found)
