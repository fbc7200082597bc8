"""Every trace of a document as text, once each, in order."""

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from kb.article.blocks import Block, BlockKind, Document, plain
from kb.article.vocabulary import heading_roles
from kb.patterns import lazy
from kb.trace import ExceptionChain, Level, fingerprints, parse

_QUOTED = lazy(r"^[ \t]*+(?:>[ \t]?+)++", re.MULTILINE)
_MOST = 200
"""Traces kept of one document: a log dump is no write-up."""


@dataclass(frozen=True, slots=True)
class ExtractedTrace:
    """A trace and its chain."""

    text: str
    chain: ExceptionChain
    place: int = 0
    """Where it begins in the document's text; of a trace in marked code where that begins."""
    is_mention: bool = False
    """An exception that is only named, in a sentence."""


def all_traces(document: Document) -> tuple[ExtractedTrace, ...]:
    """Every trace of a document and every exception it names, in order, repetitions too.

    Code between marks is read by itself. Code that is a guess is read with the words around it, which may hold the head of its
    trace: up to a heading that announces something else, such as the cause.
    """
    found: list[ExtractedTrace] = []
    at = 0
    guessed: list[Block] = []
    for block in document.blocks:
        if block.start < at:
            continue
        if block.guessed:
            guessed.append(block)
        elif block.kind is BlockKind.CODE:
            found += (*_in_words(document.text, at, block.start, guessed), *_in_code(block))
            at, guessed = block.end, []
        elif block.kind is BlockKind.HEADING and heading_roles(plain(block.text)):
            found += _in_words(document.text, at, block.start, guessed)
            at, guessed = block.start, []
    return (*found, *_in_words(document.text, at, len(document.text), guessed))


def counting(found: Iterable[ExtractedTrace]) -> tuple[ExtractedTrace, ...]:
    """Those of some traces that count: repetitions, quoted head lines and cuts that add nothing are left out.

    An exception that is only named counts when there is no trace at all.
    """
    known = tuple(found)
    return _distinct(([one for one in known if not one.is_mention] or list(known))[:_MOST])


def _in_code(block: Block) -> list[ExtractedTrace]:
    return [ExtractedTrace(trace, chain, block.start) for trace, chain in _read(block.text)]


def _in_words(text: str, start: int, stop: int, guessed: list[Block]) -> list[ExtractedTrace]:
    """The traces in a stretch of a text; and in each guess that none of them touches, since a line alone may be a message."""
    words, original = _unquoted(text[start:stop])
    inside = [block.start for block in guessed]
    found: list[ExtractedTrace] = []
    spans: list[tuple[int, int]] = []
    for trace, chain in _read(words):
        begin, end = (start + original(place) for place in chain.span)
        spans.append((begin, end))
        above = bisect_right(inside, begin) - 1
        coded = above >= 0 and begin < guessed[above].end
        found.append(ExtractedTrace(trace, chain, begin, is_mention=not (coded or _is_framed(chain))))
    alone = [one for block in _untouched(guessed, spans) for one in _in_code(block)]
    return sorted((*found, *alone), key=lambda one: one.place) if alone else found


def _read(text: str) -> Iterator[tuple[str, ExceptionChain]]:
    """The chains of a text, each as it stands there: those with frames, and those that name an exception."""
    for chain in parse(text):
        trace = text[chain.span[0] : chain.span[1]].strip("\n")
        if trace.strip() and (_is_framed(chain) or any(raised.type for raised in chain.exceptions)):
            yield trace, chain


def _is_framed(chain: ExceptionChain) -> bool:
    return any(raised.stack.frames for raised in chain.exceptions)


def _unquoted(text: str) -> tuple[str, Callable[[int], int]]:
    """The text without the marks of quotations, and where in the text a place of that is."""
    parts: list[str] = []
    moved = [(0, 0)]
    at = removed = 0
    for mark in _QUOTED.finditer(text) if ">" in text else ():
        parts.append(text[at : mark.start()])
        at = mark.end()
        removed += at - mark.start()
        moved.append((at - removed, removed))
    if not parts:
        return text, lambda place: place
    return "".join((*parts, text[at:])), lambda place: place + moved[bisect_right(moved, (place, len(text))) - 1][1]


def _untouched(blocks: Iterable[Block], spans: Iterable[tuple[int, int]]) -> Iterator[Block]:
    """The blocks, in order, that no span reaches into."""
    coming = deque(sorted(spans))
    reached = 0
    for block in blocks:
        while coming and coming[0][0] < block.end:
            reached = max(reached, coming.popleft()[1])
        if reached <= block.start:
            yield block


def _distinct(found: list[ExtractedTrace]) -> tuple[ExtractedTrace, ...]:
    """In order, the first of each exact fingerprint, without those that another one holds whole."""
    if len(found) < 2:
        return tuple(found)
    first: dict[str, ExtractedTrace] = {}
    for one in found:
        first.setdefault(fingerprints(one.chain)[Level.EXACT].digest, one)
    kept = list(first.values())
    shapes = [_shape(one.chain) for one in kept]
    return tuple(
        one
        for at, one in enumerate(kept)
        if not any(
            _holds(shapes[other], shapes[at]) and (len(kept[other].text), -other) > (len(one.text), -at)
            for other in range(len(kept))
            if other != at
        )
    )


@dataclass(frozen=True, slots=True)
class _Shape:
    types: tuple[str, ...]
    frames: frozenset[tuple[str | None, str | None]]


def _shape(chain: ExceptionChain) -> _Shape:
    frames = frozenset((frame.module, frame.function) for one in chain.exceptions for frame in one.stack.frames)
    return _Shape(tuple(str(one.type) for one in chain.exceptions), frames)


def _holds(whole: _Shape, part: _Shape) -> bool:
    """Whether everything of ``part`` is in ``whole``: its exceptions in the same order, its frames among the frames."""
    if not part.frames <= whole.frames or len(part.types) > len(whole.types):
        return False
    width = len(part.types)
    return any(whole.types[i : i + width] == part.types for i in range(len(whole.types) - width + 1))
