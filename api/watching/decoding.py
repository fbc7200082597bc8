"""The bytes of a log as they come → text in whole lines, whatever wrote them."""

import codecs

from kb.article.decode import decode

_LONGEST_LINE = 8 << 20
"""Bytes without a line's end that are held; then the line is cut."""
SNIFFED = 2_000
"""Bytes at the beginning of a file that tell whether it has two bytes a character."""
_MANY_ZEROS = 4
_WIDE = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def wide_encoding(start: bytes) -> str | None:
    """The encoding of two or four bytes a character that the start of a file shows; None for all others.

    Without a mark, every other byte must be a zero: a file that was emptied under its writer begins with nothing but zeros.
    """
    for mark, name in _WIDE:
        if start.startswith(mark):
            return name
    even, odd = start[0::2].count(0), start[1::2].count(0)
    if len(start) < _MANY_ZEROS * 2:
        return None
    if odd * _MANY_ZEROS > len(start) and not even:
        return "utf-16-le"
    return "utf-16-be" if even * _MANY_ZEROS > len(start) and not odd else None


class Decoder:
    """Of one log."""

    def __init__(self, start: bytes) -> None:
        name = wide_encoding(start)
        self._wide = codecs.getincrementaldecoder(name)("replace") if name else None
        self._bytes = b""
        self._text = ""
        self.is_text = True
        """Whether the last bytes were text; lines that are none are passed over."""

    def lines(self, data: bytes) -> str:
        """The lines that are whole now; a line without end is cut."""
        if self._wide is not None:
            return self._cut(self._text + self._wide.decode(data))
        held = self._bytes + data.replace(b"\0", b"")
        cut = held.rfind(b"\n") + 1
        cut = len(held) if not cut and len(held) > _LONGEST_LINE else cut
        self._bytes = held[cut:]
        return self._decoded(held[:cut])

    @property
    def unfinished(self) -> str:
        """The line that has not ended."""
        return self._text if self._wide is not None else self._decoded(self._bytes)

    def _cut(self, text: str) -> str:
        cut = text.rfind("\n") + 1
        cut = len(text) if not cut and len(text) > _LONGEST_LINE else cut
        self._text = text[cut:]
        return text[:cut].removeprefix("\ufeff")

    def _decoded(self, data: bytes) -> str:
        self.is_text = True
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            decoded = decode(data)
            self.is_text = not decoded.binary
            return "\n".join(map(_line, data.split(b"\n"))) if decoded.binary else decoded.text


def _line(data: bytes) -> str:
    """One line of what is no text as a whole; '' where it is none either."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return ""
