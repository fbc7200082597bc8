"""The sentences of a section, verbatim, and its code blocks: what can be quoted."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from kb.article.blocks import Block, BlockKind, plain
from kb.patterns import lazy

_HAN = lazy(r"[\u3400-\u9fff]")
_STOP = lazy(
    r"[。！？；]+[”\"’』」）)]?|(?<![!?])[!?]++(?:[”\"’)]|(?=\s(?!\s?[a-z])|[\u3400-\u9fff]|\Z))"
    r"|\.(?=\s+[\"'(\[*`]?[A-Z0-9\u4e00-\u9fff]|\s*\Z)[\"')]?|\n"
)
_WORDS = lazy(r"[\u3400-\u9fff]|[A-Za-z0-9]+")
_ADDRESS = lazy(r"https?://[^\s)>\]]{1,2000}")
_LINK = lazy(
    r"[\s*]*(?:(?:\d{1,2}|[一二三四五六七八九十]{1,2})[.、)）][ \t]?)?!?\[[^\[\]\n]{0,300}\]\([^()\n]{0,1000}\)[\s*.。]*\Z"
)
_MACHINE = lazy(r"\s*(?:at\s+[\w.$]+\(|[{}<>$#|]|Caused by:|\.\.\. \d+|[-=+|]{4})")
_MOST = 200
"""Sentences of one section that are looked at."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a block, or a whole block of code."""

    text: str
    block: int
    """Which block of its section it stands in."""
    place: tuple[int, int]
    """Offsets of that block into the text of the document, of whole lines."""
    kind: BlockKind
    words: int
    """How many words and Han characters a reader sees of it."""
    end: str
    """The last character a reader sees of it."""

    @property
    def code(self) -> bool:
        """Whether it is a block of code."""
        return self.kind is BlockKind.CODE

    @property
    def item(self) -> bool:
        """Whether it stands in an item of a list: the items belong together."""
        return self.kind is BlockKind.ITEM

    @property
    def lines(self) -> int:
        """How many lines it has."""
        return self.text.count("\n") + 1

    @property
    def opens(self) -> bool:
        """Whether it announces what follows it."""
        return self.end in {":", "："}


def split_sentences(text: str) -> Iterator[str]:
    """The sentences of a text, verbatim. A line end ends a sentence where the line is Chinese or closes with a stop, but not behind a comma."""
    start = line = 0
    for stop in _STOP.finditer(text):
        if stop.group() == "\n":
            before = text[max(start, line) : stop.start()].rstrip()
            line = stop.end()
            following = text[stop.end() : stop.end() + 2]
            ends = before and (before[-1] in ".:;：。；" or (before[-1] not in ",，、" and _HAN.search(before)))
            if before and not ends and following[:1] not in "-*•":
                continue
        piece = text[start : stop.end()].strip()
        if piece:
            yield piece
        start = stop.end()
    if tail := text[start:].strip():
        yield tail


def sentences(blocks: Iterable[Block], is_trace: Callable[[str], bool]) -> list[Sentence]:
    """The first sentences of the blocks, in order; lines of traces, links and what a machine wrote are left out."""
    found: list[Sentence] = []
    for at, block in enumerate(blocks):
        place = (block.start, block.end)
        if block.kind is BlockKind.CODE:
            code = block.text.strip("\n")
            if code.strip() and not any(is_trace(line) for line in code.splitlines()[:400]):
                found.append(Sentence(code, at, place, block.kind, size(code[:2_000]), code.rstrip()[-1:]))
            continue
        for text in split_sentences(block.text):
            shown = plain(text).strip()
            if _LINK.match(text) or _MACHINE.match(shown) or is_trace(text) or _is_link(shown):
                continue
            if words := len(_WORDS.findall(shown)):
                found.append(Sentence(text, at, place, block.kind, words, shown[-1:]))
        if len(found) > _MOST:
            break
    return found[:_MOST]


def size(text: str) -> int:
    """The words of a text: each Han character and each run of Latin letters and digits is one."""
    return len(_WORDS.findall(plain(text)))


def joined(chosen: Iterable[Sentence]) -> str:
    """The sentences as one text, verbatim but for the emphasis that a cut leaves open."""
    text = ""
    before: Sentence | None = None
    for one in chosen:
        if before is not None:
            apart = before.block != one.block or before.code or one.code
            text += "\n" if apart else _joint(before.text)
        text += one.text
        before = one
    text = text.strip()
    for mark in ("**", "__"):
        if text.count(mark) % 2 and (text.startswith(mark) or text.endswith(mark)):
            text = text.removeprefix(mark) if text.startswith(mark) else text.removesuffix(mark)
    return text.strip()


def _joint(before: str) -> str:
    """What stands between two sentences of a block: a line that ends in a Chinese word, without a stop, stays a line."""
    if before[-1:].isalpha() and _HAN.search(before[-1:]):
        return "\n"
    return "" if _HAN.search(before[-2:]) or before[-1:] in "。！？；" else " "


def _is_link(shown: str) -> bool:
    """Little more than an address: a reference, not a statement."""
    if "://" not in shown:
        return False
    rest = _ADDRESS.sub("", shown)
    return rest != shown and len(_WORDS.findall(rest)) <= 12
