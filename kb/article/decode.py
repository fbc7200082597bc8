"""Bytes of a document → text whose lines end in a line feed, whatever wrote them. Never raises; what was odd is noted."""

import codecs
import re
from dataclasses import dataclass

from charset_normalizer import from_bytes

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
_SAMPLE = 100_000


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
    controls = sum(text[:_SAMPLE].count(c) for c in map(chr, (*range(9), *range(0x0E, 0x1B), 0x7F)))
    if controls > 8 and controls * 20 > min(len(text), _SAMPLE):
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
    return text.translate(_TABLE) if _ODD.search(text) else text


def _decoded(data: bytes) -> tuple[str, list[str]]:
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            text = data[len(bom) :].decode(encoding, "replace")
            return text, [] if encoding == "utf-8" else [f"decoded as {encoding}"]
    wide = _wide(data)
    if wide:
        return data.decode(wide, "replace"), [f"decoded as {wide}, which has no byte order mark"]
    try:
        return data.decode("utf-8"), []
    except UnicodeDecodeError:
        return _guessed(data)


def _wide(data: bytes) -> str | None:
    """UTF-16 without a mark: nearly every second byte of its Latin text is zero."""
    sample = data[:2_000]
    if len(sample) < 4 or sample.count(0) * 4 < len(sample):
        return None
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if odd > 10 * even:
        return "utf-16-le"
    return "utf-16-be" if even > 10 * odd else None


def _guessed(data: bytes) -> tuple[str, list[str]]:
    loose = data.decode("utf-8", "replace")
    broken = loose.count("\ufffd")
    if broken * 100 <= sum(c > "\x7f" for c in loose[:_SAMPLE]) + 100 and broken < 50:
        return loose, [f"{broken} bytes are not UTF-8 and were replaced"]
    text = _as_chinese(data)
    if text is not None:
        return text, ["decoded as gb18030"]
    best = from_bytes(data[:_SAMPLE]).best()
    if best is None:
        return loose, [f"the encoding is unknown; {broken} bytes were replaced"]
    return data.decode(best.encoding, "replace"), [f"decoded as {best.encoding}, which is a guess"]


def _as_chinese(data: bytes) -> str | None:
    """The text in GB18030, when that makes mostly everyday characters of it (those of GB 2312) and no broken ones."""
    text = data.decode("gb18030", "replace")
    sample = [c for c in text[:_SAMPLE] if c > "\x7f"]
    if not sample or text.count("\ufffd") * 200 > len(sample) + 200:
        return None
    everyday = len("".join(sample).encode("gb2312", "ignore")) // 2
    return text if everyday * 100 >= len(sample) * 95 else None
