"""Every trace of a document as text, once each, in order."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kb.article.blocks import Document, Kind
from kb.trace import ExceptionChain, Level, fingerprints, parse

_QUOTED = re.compile(r"^[ \t]*+(?:>[ \t]?+)++", re.MULTILINE)
_MOST = 200
"""Traces kept of one document: a log dump is no write-up."""


@dataclass(frozen=True, slots=True)
class Found:
    """A trace and its chain."""

    text: str
    chain: ExceptionChain
    place: int = 0
    """Where it begins in the document's text; in a quotation about where."""
    is_mention: bool = False
    """An exception that is only named, in a sentence."""


def traces_of(document: Document) -> tuple[Found, ...]:
    """The traces of a document, those that count."""
    return counting(all_traces(document))


def all_traces(document: Document) -> tuple[Found, ...]:
    """Every trace of a document and every exception it names, in order, repetitions too."""
    found: list[Found] = []
    for at, text, code in _regions(document):
        for chain in parse(text):
            told = text[chain.span[0] : chain.span[1]].strip("\n")
            framed = any(raised.stack.frames for raised in chain.exceptions)
            if not told.strip() or not (framed or any(raised.type for raised in chain.exceptions)):
                continue  # words, or a message that names no exception
            place = at if code else at + chain.span[0]
            found.append(Found(told, chain, place, is_mention=not (framed or code)))
    return tuple(found)


def counting(found: Iterable[Found]) -> tuple[Found, ...]:
    """Those of some traces that count: repetitions, quoted head lines and cuts that add nothing are left out.

    An exception that is only named counts when there is no trace at all.
    """
    known = tuple(found)
    return _distinct(([one for one in known if not one.is_mention] or list(known))[:_MOST])


def _regions(document: Document) -> Iterator[tuple[int, str, bool]]:
    """Code blocks (True), and the stretches of text between them (False), each with where it begins."""
    at = 0
    for block in document.blocks:
        if block.kind is not Kind.CODE or block.start < at:
            continue
        yield at, _unquoted(document.text[at : block.start]), False
        yield block.start, block.text, True
        at = block.end
    yield at, _unquoted(document.text[at:]), False


def _unquoted(text: str) -> str:
    return _QUOTED.sub("", text) if ">" in text else text


def _distinct(found: list[Found]) -> tuple[Found, ...]:
    """In order, the first of each exact fingerprint, without those that another one holds whole."""
    if len(found) < 2:
        return tuple(found)
    first: dict[str, Found] = {}
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
