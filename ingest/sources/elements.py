"""Streams the elements of an XML file of any size: one is held at a time, entities are never expanded, nothing is fetched.

Exports are often not quite well-formed (control characters of a terminal in a comment), so the parser recovers; what it had to leave
out is told.
"""

import codecs
import io
import re
from collections.abc import Iterator, Mapping
from typing import Any

from lxml import etree

from ingest.sources.records import DamagedError

_MOST_ERRORS = 10_000
_DEEPEST = 40

Element = Mapping[str, object]


def elements(stream: io.BufferedReader, *tags: str) -> Iterator[Any]:
    """Every element of these names, in the order in which they end. Raises `DamagedError` at the end when some were lost."""
    watched = _Watched(stream)
    options = {"recover": True, "resolve_entities": False, "load_dtd": False, "no_network": True, "huge_tree": False}
    found = watched.found = etree.iterparse(watched, events=("end",), tag=tags, remove_comments=True, **options)
    try:
        for _, element in found:
            if not watched.ended:  # else it was closed by the parser, since the file breaks off in it
                yield element
            element.clear()
            while element.getprevious() is not None:
                del element.getparent()[0]
    except etree.XMLSyntaxError as error:
        raise DamagedError(f"not XML: {error}") from error
    for fault in found.error_log:
        raise DamagedError(f"line {fault.line}: {fault.message.strip()}; words or records may be missing")


_CONTROLS = bytes(sign for sign in range(32) if sign not in b"\t\n\r")
_BY_NUMBER = re.compile(rb"&#(?:0*(?:[0-8]|1[124-9]|2\d|3[01])|x0*(?:[0-8bcef]|1[\da-f]));", re.IGNORECASE)
"""What XML 1.0 has no place for, as it stands or by its number: one of them would make the parser drop every entity behind it."""
_LONGEST = 12
"""Bytes of such a number."""


class _Watched:
    """The file as the parser reads it: without control characters, and with an end when nothing in it is right."""

    def __init__(self, stream: io.BufferedReader) -> None:
        self._stream = stream
        self._wide = stream.peek(2)[:2] in {codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE}
        self._held = b""
        self.ended = False
        self.found: Any = None

    def read(self, size: int = -1) -> bytes:
        if self.found is not None and len(self.found.error_log) > _MOST_ERRORS:
            raise DamagedError(f"more than {_MOST_ERRORS:,} places are no XML")
        while True:
            data = self._stream.read1(size)
            if self._wide or (not data and not self._held):
                self.ended = not data
                return data
            whole = self._held + data
            cut = whole.rfind(b"&", -_LONGEST) if data else -1
            self._held, whole = (whole[cut:], whole[:cut]) if cut >= 0 else (b"", whole)
            if clean := _BY_NUMBER.sub(b"", whole.translate(None, _CONTROLS)):
                return clean


def as_json(element: Any, depth: int = 0) -> dict[str, object]:
    """An element as data: attributes under ``@name``, its text under ``#``, its children as lists under their names."""
    made: dict[str, object] = {f"@{name}": value for name, value in element.attrib.items()}
    if text := (element.text or "").strip():
        made["#"] = text
    for child in element.iterchildren(tag=etree.Element) if depth < _DEEPEST else ():
        children = made.setdefault(child.tag, [])
        assert isinstance(children, list)
        children.append(as_json(child, depth + 1))
    return made
