"""Bytes of a document → text whose lines end in a line feed, whatever wrote them. Never raises; what was odd is noted."""

import codecs
import re
from dataclasses import dataclass

from kb.article.charset import SAMPLE, declared, guessed, guessed_encoding, wide

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_BINARY_MAGIC = (
    b"%PDF-",
    b"PK\x03\x04",
    b"\x89PNG",
    b"\xff\xd8\xff",
    b"GIF8",
    b"\x1f\x8b",
    b"\x7fELF",
    b"\xca\xfe\xba\xbe",
    b"\xd0\xcf\x11\xe0",
)
_ODD = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u00a0\u00ad\u200b-\u200f\u2028-\u202f\u2060\u3000\ufeff\ufff9-\ufffb\ud800-\udfff]"
)
_CONTROL = re.compile("[\x00-\x08\x0e-\x1a\x7f]")
_ESCAPE = re.compile("\x1b\\[[0-9;?]{0,16}[A-Za-z]")
_REPLACEMENT = {
    0x00A0: " ",
    0x202F: " ",
    0x3000: " ",
    0x2028: "\n",
    0x2029: "\n",
    0x000B: "\n",
    0x000C: "\n",
    0x007F: None,
}
_TABLE = str.maketrans(
    {
        **dict.fromkeys(
            [*range(9), *range(0x0E, 0x20), 0xAD, *range(0x200B, 0x2010), *range(0x202A, 0x202F), 0x2060, 0xFEFF], None
        ),
        **dict.fromkeys([*range(0xFFF9, 0xFFFC), *range(0xD800, 0xE000)], None),
        **_REPLACEMENT,
    }
)


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text of a document, and remarks on how it was got."""

    text: str
    notes: tuple[str, ...] = ()
    binary: bool = False
    """The bytes are no text at all; ``text`` is empty."""


def decode(data: bytes) -> Decoded:
    """Decode by byte order mark, else UTF-8, else what the bytes look like; line ends, blanks and controls are made plain."""
    if not data:
        return Decoded("", ("the document is empty",))
    if data.startswith(_BINARY_MAGIC):
        return Decoded("", ("not a text: the bytes are those of a binary file",), binary=True)
    text, notes = _decoded(data)
    controls = len(_CONTROL.findall(text, 0, SAMPLE))
    if controls > 8 and controls * 20 > min(len(text), SAMPLE):
        return Decoded("", ("not a text: too many control characters",), binary=True)
    if "\x00" in text:
        notes.append("NUL characters were removed")
    return Decoded(tidied(text), tuple(notes))


def tidied(text: str) -> str:
    """The text with plain line ends and blanks, without colours, controls and characters of no width."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\x1b" in text:
        text = _ESCAPE.sub("", text)
    return _ODD.sub(lambda odd: odd[0].translate(_TABLE), text)


def _decoded(data: bytes) -> tuple[str, list[str]]:
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            text = data[len(bom) :].decode(encoding, "replace")
            return text, [] if encoding == "utf-8" else [f"decoded as {encoding}"]
    if (name := wide(data)) is not None:
        return data.decode(name, "replace"), [f"decoded as {name}, which has no byte order mark"]
    try:
        return data.decode("utf-8"), []
    except UnicodeDecodeError:
        return _other(data)


def _other(data: bytes) -> tuple[str, list[str]]:
    """The text of bytes that are not UTF-8, or not quite."""
    loose = data.decode("utf-8", "replace")
    broken = loose.count("\ufffd")
    foreign = sum(c > "\x7f" for c in loose)
    repaired = loose, [f"{broken} bytes are not UTF-8 and were replaced"]
    if broken * 50 <= foreign - broken:
        return repaired
    if (name := declared(data)) is not None:
        return data.decode(name, "replace"), [f"decoded as {name}, as it says"]
    if (name := guessed_encoding(data)) is not None:
        return data.decode(name, "replace"), [f"decoded as {name}, by what its bytes look like"]
    if broken < 50 and broken * 100 <= foreign + 100:
        return repaired
    if (name := guessed(data)) is None:
        return loose, [f"the encoding is unknown; {broken} bytes were replaced"]
    return data.decode(name, "replace"), [f"decoded as {name}, which is a guess"]
