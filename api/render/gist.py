"""What a reader needs in the first ten seconds: the cause in one sentence and the first step of the fix, as Markdown, and what follows them."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markdown_it.utils import EnvType

from api.render.markdown import LIMIT
from kb.article.sentences import split_sentences

_LONGEST = 320
"""A first paragraph of a fix up to this many characters is one step; a list of causes is told whole up to here: its first item alone would pass for the only cause."""
_MOST_TRIED = 8
"""Sentences that are joined at most until no code or bracket is left open; then the whole paragraph is the first part."""
_ANNOUNCES = (":", "：")
_LISTS = ("bullet", "ordered")
_HAN_END = re.compile(r"[\u3000-\u9fff\uff00-\uffef]$")


@dataclass(frozen=True, slots=True)
class Part:
    """A text in two parts: ``first`` and then ``rest`` say the same as the whole."""

    first: str = ""
    rest: str = ""
    left_out: int = 0
    """Where ``first`` ends in a list: how many more of its items stand in ``rest``."""


@dataclass(frozen=True, slots=True)
class _Block:
    kind: str
    lines: tuple[int, int]


def first_sentence(text: str | None) -> Part:
    """The first sentence of a cause with the list that it announces, and the rest of it. A cause that begins with code has it in ``first``; a long list gives its first item."""
    part = _begun(text or "", _to_sentence, _causes)
    return replace(part, left_out=_items_after(part))


def first_step(text: str | None) -> Part:
    """The first step of a fix, and the steps that follow: the first item of a list, else the first paragraph with what it announces."""
    return _begun(text or "", _to_step, _first_item)


def _begun(
    text: str,
    cut: Callable[[list[str], list[_Block]], Part],
    head: Callable[[list[str], _Block], tuple[int, int]],
) -> Part:
    """Cut a text behind the ``head`` of its first block, or where ``cut`` says for one that begins with a paragraph."""
    lines, blocks = _blocks(text)
    if not blocks:
        return Part(text)
    if blocks[0].kind != "paragraph":
        return _cut(lines, *head(lines, blocks[0]))
    return cut(lines, blocks)


def _to_sentence(lines: list[str], blocks: list[_Block]) -> Part:
    start, end = blocks[0].lines
    sentences = list(split_sentences(_together([line.strip() for line in lines[start:end]])))
    few = range(1, min(len(sentences), _MOST_TRIED) + 1)
    count = next((count for count in few if _is_closed(_together(sentences[:count]))), len(sentences))
    if count == len(sentences) and len(blocks) > 1 and lines[end - 1].rstrip().endswith(_ANNOUNCES):
        return _cut(lines, start, _causes(lines, blocks[1])[1])
    after = "\n".join(lines[end:]).strip("\n")
    return Part(_together(sentences[:count]), "\n\n".join(filter(None, (_together(sentences[count:]), after))))


def _to_step(lines: list[str], blocks: list[_Block]) -> Part:
    start, end = blocks[0].lines
    paragraph = "\n".join(lines[start:end])
    if paragraph.rstrip().endswith(_ANNOUNCES) and len(blocks) > 1:
        return _cut(lines, start, _first_item(lines, blocks[1])[1])
    if len(paragraph) > _LONGEST:
        return _to_sentence(lines, blocks)
    return _cut(lines, start, end)


def _items_after(part: Part) -> int:
    """Return how many items of a list that begins in ``first`` stand in ``rest``."""
    lines, blocks = _blocks(part.rest)
    begun = _blocks(part.first)[1][-1:]
    if not begun or not blocks or begun[0].kind != blocks[0].kind or begun[0].kind not in _LISTS:
        return 0
    start, end = blocks[0].lines
    tokens = _MARKDOWN.parse("\n".join(lines[start:end]))
    return sum(token.type == "list_item_open" and token.level == 1 for token in tokens)


def _blocks(text: str) -> tuple[list[str], list[_Block]]:
    """The lines of a text and its outermost blocks; no block where it cannot be cut: a link may be defined below the cut."""
    env: EnvType = {}
    tokens = _MARKDOWN.parse(text[:LIMIT], env)
    if env.get("references") or len(text) > LIMIT:
        return [], []
    found = [_Block(_kind(token), (token.map[0], token.map[1])) for token in tokens if token.level == 0 and token.map]
    return text.split("\n"), found


_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable(["table"]).disable("inline")


def _kind(token: Token) -> str:
    return token.type.removesuffix("_open").removesuffix("_list")


def _causes(lines: list[str], block: _Block) -> tuple[int, int]:
    """The lines of a block that is told whole, or of the first item of a long list."""
    start, end = block.lines
    return (start, end) if len("\n".join(lines[start:end])) <= _LONGEST else _first_item(lines, block)


def _first_item(lines: list[str], block: _Block) -> tuple[int, int]:
    """The lines of the first item of a list, or of a whole other block."""
    start, end = block.lines
    if block.kind not in _LISTS:
        return start, end
    tokens = _MARKDOWN.parse("\n".join(lines[start:end]))
    second = next(
        (
            token.map
            for token in tokens
            if token.type == "list_item_open" and token.level == 1 and token.map and token.map[0]
        ),
        None,
    )
    return start, start + second[0] if second else end


def _cut(lines: list[str], start: int, end: int) -> Part:
    return Part("\n".join(lines[start:end]).strip("\n"), "\n".join(lines[end:]).strip("\n"))


def _together(pieces: list[str]) -> str:
    """Lines or sentences in one line: a space between them, except behind Chinese."""
    return "".join(
        piece if not at or _HAN_END.search(pieces[at - 1]) else f" {piece}" for at, piece in enumerate(pieces)
    )


def _is_closed(text: str) -> bool:
    """Whether no code and no emphasis is left open: `Got e.g. This` in backticks holds a full stop that ends no sentence."""
    return not (text.count("`") % 2 or text.count("**") % 2 or text.count("(") > text.count(")"))
