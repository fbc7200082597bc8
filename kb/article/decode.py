"""Bytes of a document → text whose lines end in a line feed, whatever wrote them. Never raises; what was odd is noted."""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass

from charset_normalizer import from_bytes

from kb.language import simplify
from kb.patterns import lazy

SAMPLE = 100_000
"""Bytes or characters looked at."""
_DECLARED = lazy(
    rb"<meta[^<>]{0,200}?charset[ ]{0,4}=[ ]{0,4}[\"']?([\w-]{3,20})|<\?xml[^<>]{0,200}?encoding[ ]?=[ ]?[\"']([\w-]{3,20})",
    re.IGNORECASE,
)
_WIDER = {"gb2312": "gb18030", "gbk": "gb18030", "big5": "big5hkscs", "iso8859-1": "cp1252", "ascii": "cp1252", "shift_jis": "cp932", "euc_kr": "cp949"}  # fmt: skip
"""Encodings that browsers read as their larger successors (WHATWG Encoding, 4.2)."""
_CHINESE = frozenset(
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然种事成方多经么去法学如"
    "都同现当没动面起看定天分还进好小部其些主样理心本前开但因只从想日者意无力它与长把机十第公此已工使情明性全三又关点正业外将两高间由问很最"
    "重并物手应文体相见被利什二等产或新己制加合回代内信表化给位次度任常先通提立及比员解水名真论处走义各入几口认条系气题更别打四数据错误因"
    "原失败连接服务器请求响日志启动配置参文件执行返回异常内存线程类版本网络端口超时任务运检查设置库表节点程序码测试"
)
"""Characters that every Chinese text about a fault is full of, simplified."""
_KANA = lazy("[\u3041-\u3096\u30a1-\u30fa]")
_HANGUL = frozenset(
    "이다는을에의가은를로하고지한기도사리서자대시어인아니나라있해정부그수보들게일만전원조면여스제주상경우까했국과없오류서버연결실패행설"
)
_CANDIDATES = ("euc_jp", "gb18030", "big5hkscs", "cp932", "cp949", "utf-16-le", "utf-16-be")
"""The first wins where two make the same: GB 18030 has the kana where EUC-JP has them."""
_WESTERN = frozenset("’‘“”–—…•·©®™°±×€£§«»¿¡´äöüÄÖÜßéèêëàâçñáíóúîïôûùåæøÅÆØÉÀ\xa0")
_ENOUGH = 20
"""Characters above ASCII by which a stated encoding is found to be wrong."""
_FAMILIAR = 0.12
"""The share of everyday characters, among those above ASCII, from which on an encoding is believed. A wrong one makes below 0.04."""


def declared(data: bytes) -> str | None:
    """The encoding that the head of a page or an XML document states, if Python knows it and it makes sense of the bytes."""
    found = _DECLARED.search(data[:4_000])
    if found is None:
        return None
    try:
        name = codecs.lookup((found[1] or found[2]).decode()).name
    except LookupError:
        return None
    name = _WIDER.get(name, name)
    if name.startswith(("utf-", "utf_")):
        return None
    sample = data[:SAMPLE].decode(name, "replace")
    foreign = sum(c > "\x7f" for c in sample)
    if sample.count("\ufffd") * 50 > foreign + 50:
        return None
    best, share = _best(data)
    wrong = foreign >= _ENOUGH and share >= _FAMILIAR and _familiar(sample) * 2 < share
    return best if wrong else name


def wide(data: bytes) -> str | None:
    """UTF-16 without a mark: its line ends and Latin letters have zeros in every second byte, its Chinese is everyday Chinese."""
    sample = data[: 2_000 - len(data) % 2]
    if len(sample) < 4 or not sample.count(0):
        return None
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    name = "utf-16-le" if odd > even else "utf-16-be"
    if max(even, odd) * 4 >= len(sample) // 2 and max(even, odd) > 10 * min(even, odd):
        return name
    text = sample.decode(name, "replace")
    plain = sum(
        c in "\t\r\n" or " " <= c <= "~" or "\u3000" <= c <= "\u303f" or c in _CHINESE or "！" <= c <= "～"
        for c in text
    )
    return name if plain * 4 >= len(text) and max(even, odd) > 4 * min(even, odd) else None


def guessed_encoding(data: bytes) -> str | None:
    """The encoding in which the bytes make everyday Chinese, Japanese or Korean, or Western letters; None when none does."""
    best, share = _best(data)
    western = [c for c in data[:SAMPLE].decode("cp1252", "replace") if c > "\x7f"]
    if share < 3 * _FAMILIAR and sum(map(_WESTERN.__contains__, western)) * 10 >= len(western) * 9:
        return "cp1252"
    if share >= _FAMILIAR:
        return best
    return "gb18030" if _is_chinese(data) else None


def guessed(data: bytes) -> str | None:
    """What charset-normalizer takes the bytes for."""
    found = from_bytes(data[:SAMPLE]).best()
    return found.encoding if found else None


def _best(data: bytes) -> tuple[str, float]:
    shares = {name: _familiar(data[:SAMPLE].decode(name, "replace")) for name in _CANDIDATES}
    best = max(shares, key=lambda name: shares[name])
    return best, shares[best]


def _familiar(text: str) -> float:
    """The share of everyday characters among those that are not ASCII; 0 where the bytes make no text."""
    foreign = "".join(c for c in text if c > "\x7f")
    if not foreign or foreign.count("\ufffd") * 100 > len(foreign) + 100:
        return 0.0
    chinese = sum(map(_CHINESE.__contains__, simplify(foreign)))
    kana = len(_KANA.findall(foreign))
    hangul = sum(map(_HANGUL.__contains__, foreign))
    return max(chinese, kana if kana * 4 >= len(foreign) else 0, hangul) / len(foreign)


def _is_chinese(data: bytes) -> bool:
    """Whether GB18030 makes mostly everyday characters of it (those of GB 2312) and no broken ones."""
    text = data.decode("gb18030", "replace")
    sample = [c for c in text[:SAMPLE] if c > "\x7f"]
    if not sample or text.count("\ufffd") * 200 > len(sample) + 200:
        return False
    everyday = len("".join(sample).encode("gb2312", "ignore")) // 2
    return everyday * 100 >= len(sample) * 95


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
_ODD = lazy(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u00a0\u00ad\u200b-\u200f\u2028-\u202f\u2060\u3000\ufeff\ufff9-\ufffb\ud800-\udfff]"
)
_CONTROL = lazy("[\x00-\x08\x0e-\x1a\x7f]")
_ASCII = lazy("[\x00-\x7f]+")
_ESCAPE = lazy("\x1b\\[[0-9;?]{0,16}[A-Za-z]")
_LONGEST_ESCAPE = 19
_PIECE = 1 << 19
"""Characters that are made plain in one go. No other thread runs meanwhile."""
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
    del data  # nobody keeps a long document beside copies of its text
    controls = len(_CONTROL.findall(text, 0, SAMPLE))
    if controls > 8 and controls * 20 > min(len(text), SAMPLE):
        return Decoded("", ("not a text: too many control characters",), binary=True)
    if "\x00" in text:
        notes.append("NUL characters were removed")
    held = [text]
    del text
    return Decoded(_tidied(held), tuple(notes))


def tidied(text: str) -> str:
    """The text with plain line ends and blanks, without colours, controls and characters of no width."""
    return _tidied([text])


def _tidied(held: list[str]) -> str:
    """Return the text that ``held`` holds, tidied, and empty ``held``: at most two copies exist at once."""
    text = held.pop()
    text = text.replace("\r\n", "\n")  # the same text where there is none
    text = text.replace("\r", "\n")
    if "\x1b" in text:
        pieces = list(_without_escapes(text))
        del text
        text = "".join(pieces)
        del pieces
    made: list[str] = []
    done = 0
    for at in range(0, len(text), _PIECE):
        piece = text[at : at + _PIECE]
        if (plain := _without_odd(piece)) != piece:
            made += (text[done:at], plain)
            done = at + _PIECE
    if not made:
        return text  # mostly nothing is odd: then it is not copied
    made.append(text[done:])
    del text
    return "".join(made)


def _without_escapes(text: str) -> Iterator[str]:
    """The text without colours, piece by piece; one that a cut goes through is left to the next piece."""
    at = 0
    while at < len(text):
        end = min(at + _PIECE, len(text))
        if end < len(text) and (begun := text.rfind("\x1b", max(at + 1, end - _LONGEST_ESCAPE), end)) > 0:
            end = begun
        yield _ESCAPE.sub("", text[at:end])
        at = end


def _without_odd(piece: str) -> str:
    if piece.isascii():
        return piece.translate(_TABLE)  # a look-up for each character: the search below takes twice as long
    return _ODD.sub(lambda odd: odd[0].translate(_TABLE), piece)


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
    name, note = broken_encoding(data)
    return data.decode(name, "replace"), [note]


def broken_encoding(data: bytes) -> tuple[str, str]:
    """The encoding of bytes that are not UTF-8, or not quite, and a remark on it. They are counted in pieces: with an emoji among them, the text of all takes four bytes for each character."""
    decoder, broken, foreign = codecs.getincrementaldecoder("utf-8")("replace"), 0, 0
    for at in range(0, len(data), _PIECE):
        loose = decoder.decode(data[at : at + _PIECE], final=at + _PIECE >= len(data))
        broken += loose.count("\ufffd")
        foreign += 0 if loose.isascii() else len(_ASCII.sub("", loose))
    repaired = "utf-8", f"{broken} bytes are not UTF-8 and were replaced"
    if broken * 50 <= foreign - broken:
        return repaired
    if (name := declared(data)) is not None:
        return name, f"decoded as {name}, as it says"
    if (name := guessed_encoding(data)) is not None:
        return name, f"decoded as {name}, by what its bytes look like"
    if broken < 50 and broken * 100 <= foreign + 100:
        return repaired
    if (name := guessed(data)) is None:
        return "utf-8", f"the encoding is unknown; {broken} bytes were replaced"
    return name, f"decoded as {name}, which is a guess"
