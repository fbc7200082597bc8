"""Blocks as short Markdown: whole sections, and what a quotation announces (the code, list, table or passage right behind its last sentence).

It is no part of the quotation, whose words stay those that state something; without it *Add the following to pom.xml:* says little.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby, islice

from kb.article.blocks import Block, BlockKind, plain
from kb.article.sentences import Sentence, size
from kb.patterns import lazy
from kb.redact import PLACEHOLDER, redact

LINES = 30
"""Most lines that are kept."""
CHARACTERS = 2_000
"""Most characters that are kept."""
MORE = "…"
"""Stands in a paragraph of its own where something was left out."""
_READ = 20_000
"""Characters that are looked at: secrets are taken out before anything is cut."""
_HALF = 1_000
"""Where there are more characters than that, so many before the cut are not shown: half a secret in them is not known for one."""
_NAMING = 200
"""Characters of a line that may call what stands below it a secret."""
_LABEL = 12
"""Words of a line between announcement and code that says what the code is: *Gradle:*."""
_POINTS = lazy(
    r"(?:(?<![\dx])(?:如下|以下|下面|下列)|\b(?:below|following)\b)[^。.:：\n]{0,24}[。.]?\s*\Z", re.IGNORECASE
)
"""An announcement without a colon; it is believed where code follows."""
_SPANS = lazy(r"(?:(`{1,2})[^`\n]{1,500}\1[.。;；]?\s*)+")
"""Words that are nothing but code."""
_MARKER = lazy(r"[-*+•](?=\s)|#\.(?=\s)|\d{1,3}(?:[.)](?=\s)|[、）])")
_COUNTING = "#."
"""The mark of an item of reStructuredText that its reader counts."""
_MOST_ABOVE = 400
"""Lines of such a list that are counted."""
_DEEPER = 3
"""Blanks by which a paragraph of Markdown may begin deeper than the words above it."""
WIDE = ("、", "）")
"""Ends of a number behind which no blank stands."""
_RULES = " \t|:-"
"""Characters of the line under the head of a table in Markdown."""
_TICKS = lazy(r"`{3,}")
_FENCE = lazy(r" {0,3}(?P<marks>`{3,}+(?=[^`]*\Z)|~{3,}+)")


def announced(last: Sentence, blocks: Sequence[Block], text: str, is_trace: Callable[[str], bool]) -> str | None:
    """What ``last`` announces of the ``blocks`` of its section, from its own on; None where that is nothing, or a trace.

    ``text`` is that of the document. Secrets are out of it, and it is cut.
    """
    if last.code or not blocks or not (last.opens or _POINTS.search(last.text[-80:])):
        return None
    own, after = blocks[0], blocks[1:]
    rest = own.text.partition(last.text)[2].strip()
    if rest:
        shown = rest if last.opens and _SPANS.fullmatch(rest) else ""
    else:
        shown = _behind(own, after, text, is_trace, only_code=not last.opens)
    return _clean(last.text, shown, LINES, CHARACTERS) if shown.strip() else None


def markdown_of(
    blocks: Sequence[Block], text: str, is_trace: Callable[[str], bool], *, lines: int, characters: int
) -> str:
    """All that a section says, as Markdown of at most so many lines and characters; no traces. Secrets are out of it."""
    shown: list[str] = []
    for kind, run in groupby(_as_shown(blocks, text), key=lambda one: one[0]):
        if kind is BlockKind.TABLE:  # an empty cell keeps its column
            table = table_of([replace(one, text=_text_besides_trace(one, is_trace)) for _, one in run], text)
            shown += [table] if table.strip() else []
            continue
        some = [one for one in (_without_trace(block, is_trace) for _, block in run) if one is not None]
        shown += _as_markdown(kind, some, text)
    return _clean("", "\n\n".join(shown), lines, characters)


def _as_shown(blocks: Iterable[Block], text: str) -> Iterator[tuple[BlockKind, Block]]:
    """The blocks, each with what it is shown as: a paragraph that the document shows behind a bullet or a number as an item, and so what goes on with it.

    A step that was looked at as the heading of a problem is a paragraph, and so are those of reStructuredText.
    """
    before: BlockKind | None = None
    for block in blocks:
        is_listed = bool(_marker(block, text)) and not begins_item(block.text)
        is_item = block.kind is BlockKind.PARAGRAPH and (
            is_listed or (before is BlockKind.ITEM and goes_on(block, text))
        )
        before = BlockKind.ITEM if is_item else block.kind
        yield before, block


def _without_trace(block: Block, is_trace: Callable[[str], bool]) -> Block | None:
    """A block without the lines of a trace; code with such a line is a trace."""
    words = _text_besides_trace(block, is_trace)
    if words == block.text:
        return block if words.strip() else None
    return replace(block, text=words) if words.strip() and block.kind is not BlockKind.CODE else None


def _text_besides_trace(block: Block, is_trace: Callable[[str], bool]) -> str:
    lines = block.text.split("\n")
    kept = [line for line in lines if not is_trace(line)]
    return block.text if len(kept) == len(lines) else "\n".join(kept).strip("\n")


def _as_markdown(kind: BlockKind, blocks: Sequence[Block], text: str) -> list[str]:
    """Blocks of one kind that stand side by side, as paragraphs."""
    if kind is BlockKind.CODE:
        return [_fenced(one) for one in blocks]
    if kind is BlockKind.ITEM and blocks:
        return ["\n".join(_items(blocks, text)).strip("\n")]
    if kind is BlockKind.QUOTE:
        return ["\n".join(f"> {line}".rstrip() for line in one.text.split("\n")) for one in blocks]
    return [one.text.strip("\n") for one in blocks]


def _items(blocks: Sequence[Block], text: str) -> Iterator[str]:
    """The lines of items side by side, and of their further paragraphs, which begin little deeper than the words of the item: else they were code."""
    least = min(_indent(one, text) for one in blocks)
    words = 0
    for one in blocks:
        marker, indent, is_more = _marker(one, text), _indent(one, text) - least, goes_on(one, text)
        words = words if is_more else indent + len(marker) + 1
        yield from _item(one, marker, min(indent, words + _DEEPER) if is_more else indent, is_more=is_more)


def _clean(before: str, shown: str, lines: int, characters: int) -> str:
    """Markdown without secrets, as much of it as is kept; ``before`` are the words above it."""
    clean = "\n".join(_without_named(before, redact(shown[:_READ]).text.split("\n")))
    return shortened(clean, lines, characters if len(shown) <= _READ else min(characters, len(clean) - _HALF))


def _without_named(before: str, lines: Sequence[str]) -> Iterator[str]:
    """The lines, without a secret that only the line above it calls one: *Password:*, and the password in a block of its own."""
    for line in lines:
        word = line.strip(" \t`>-*+•")
        is_named = word and len(word.split()) == 1 and before.endswith((":", "："))
        if is_named and not redact(f"{before[-_NAMING:]} {word}").text.endswith(word):
            line = line.replace(word, PLACEHOLDER)  # noqa: PLW2901
        yield line
        before = line.rstrip() if _is_text(line) else before


def shortened(markdown: str, lines: int, characters: int) -> str:
    """At most so many lines and characters of it, and below them `MORE` where some are left out; a block of code is closed.

    Blank lines and fences are not counted as lines.
    """
    all_lines = markdown.split("\n")
    kept: list[str] = []
    fence, opened, left = "", -1, characters
    for line in all_lines:
        lines -= _is_text(line)
        behind = _fence_after(line, fence)
        if lines < 0 or len(line + _closing(behind)) > left:
            break
        opened = len(kept) if behind and not fence else opened
        fence, left = behind, left - len(line) - 1
        kept.append(line)
    more = f"\n\n{MORE}" if len(kept) < len(all_lines) else ""
    if more and _is_text(all_lines[len(kept)]) and not any(map(_is_text, kept)):
        kept.append(all_lines[len(kept)][: max(left - len(_closing(fence)), 0)])  # one endless line
    while kept and (not kept[-1].strip() or (fence and opened == len(kept) - 1)):
        fence = "" if kept.pop().strip() else fence  # nothing stands in it
    return "\n".join(kept) + _closing(fence) + more if kept else more.strip()


def _closing(fence: str) -> str:
    return f"\n{fence}" if fence else ""


def _is_text(line: str) -> bool:
    return bool(line.strip()) and not _FENCE.match(line)


def _fence_after(line: str, fence: str) -> str:
    """The fence that is open behind a line; '' for none."""
    if not fence:
        found = _FENCE.match(line)
        return found["marks"] if found else ""
    bare = line.strip()
    return "" if len(bare) >= len(fence) and not bare.strip(fence[0]) else fence


def _behind(own: Block, after: Sequence[Block], text: str, is_trace: Callable[[str], bool], *, only_code: bool) -> str:
    """What stands behind the announcing block, as Markdown; '' for nothing that can be announced."""

    def is_shown(block: Block) -> bool:
        return not any(is_trace(line) for line in block.text.splitlines()[:400])

    label = ""
    if len(after) > 1 and after[1].kind is BlockKind.CODE and _is_label(after[0]):
        label, after = f"{after[0].text}\n\n", after[1:]
    if not after or not is_shown(after[0]):
        return ""
    if after[0].kind is BlockKind.CODE:
        return label + "\n\n".join(_fenced(one) for one in _while(after, BlockKind.CODE) if is_shown(one))
    return "" if only_code else _words(own, [*_until(after, is_shown)], text)


def _words(own: Block, after: Sequence[Block], text: str) -> str:
    """The same where no code stands there first."""
    first = after[0]
    if is_item(first, text) and not goes_on(first, text):
        return _listed(own, after, text)
    if first.kind is BlockKind.TABLE:
        return table_of([*_while(after, BlockKind.TABLE)], text, is_whole=True)
    if first.kind is BlockKind.QUOTE:
        quoted = "\n\n".join(one.text for one in _while(after, BlockKind.QUOTE))
        return "\n".join(f"> {line}".rstrip() for line in quoted.split("\n"))
    return first.text if _SPANS.fullmatch(first.text) else ""


def _while(blocks: Sequence[Block], kind: BlockKind) -> Iterator[Block]:
    for block in blocks:
        if block.kind is not kind:
            return
        yield block


def _until(blocks: Sequence[Block], is_shown: Callable[[Block], bool]) -> Iterator[Block]:
    """The blocks before the first trace, as many as can be looked at."""
    left = _READ
    for block in blocks:
        if left < 0 or not is_shown(block):
            return
        yield block
        left -= len(block.text)


def _is_label(block: Block) -> bool:
    """Whether a block only says what the code below it is."""
    return block.kind is BlockKind.PARAGRAPH and opens(block) and size(block.text) < _LABEL


def _listed(own: Block, after: Sequence[Block], text: str) -> str:
    """The items of a list and the code between them. Items of the list that the announcing block stands in are none of them."""
    least = _indent(after[0], text)
    is_beside = is_item(own, text) and (_marker(own, text) or not _indent(own, text))
    if is_beside and least <= _indent(own, text):
        return ""
    lines: list[str] = []
    base, has_code = least, False
    for at, block in enumerate(after):
        indent, is_more = _indent(block, text), goes_on(block, text)
        if block.kind is BlockKind.CODE:
            if not (has_code or indent > least or opens(after[at - 1]) or _is_item_at(after, at + 1, text, least)):
                break
            lines += ["", _fenced(block), ""]
            base, has_code = -1, True  # the list is begun anew
            continue
        if indent < least or not (is_item(block, text) or (is_more and indent > least)):
            break
        base = indent if base < 0 else min(base, indent)
        lines += _item(block, _marker(block, text), indent - base, is_more=is_more)
    return "\n".join(lines).strip("\n")


def opens(block: Block) -> bool:
    """Whether a block ends in a colon."""
    return plain(block.text).rstrip().endswith((":", "："))


def _is_item_at(blocks: Sequence[Block], at: int, text: str, least: int) -> bool:
    return at < len(blocks) and is_item(blocks[at], text) and _indent(blocks[at], text) >= least


def goes_on(block: Block, text: str) -> bool:
    """Whether a block can be one more paragraph of an item: the document shows it indented, without a marker."""
    return _indent(block, text) > 0 and not _marker(block, text) and block.kind in {BlockKind.ITEM, BlockKind.PARAGRAPH}


def _item(block: Block, marker: str, indent: int, *, is_more: bool) -> Iterator[str]:
    """The lines of an item, or of one more paragraph of it; none of one that is only a picture. A page shows no marker."""
    if not re.search(r"\w", plain(block.text)):
        return
    has_own = is_more or begins_item(block.text)
    head = "" if has_own else f"{marker or '-'}{'' if marker.endswith(WIDE) else ' '}"
    if is_more:
        yield ""
    for number, line in enumerate(block.text.split("\n")):
        yield f"{' ' * indent}{' ' * len(head) if number else head}{line}".rstrip()


def is_item(block: Block, text: str) -> bool:
    """Whether a block is of a list; a numbered line may have been taken for a heading before."""
    return block.kind is BlockKind.ITEM or (block.kind is BlockKind.PARAGRAPH and bool(_marker(block, text)))


def _marker(block: Block, text: str) -> str:
    """The bullet or number before an item, where the document shows one."""
    return marker_at(block.start, text)


def begins_item(words: str) -> bool:
    """Whether words begin with a bullet or a number themselves."""
    return _MARKER.match(words) is not None


def marker_at(place: int, text: str) -> str:
    """The bullet or number that the document shows at the beginning of a line; '' for none."""
    found = _MARKER.match(text[place : place + 200].lstrip(" \t>"))
    return "" if not found else _counted(place, text) if found[0] == _COUNTING else found[0]


def _counted(place: int, text: str) -> str:
    """The number of an item of a list that counts itself: by the items above it, from the last one that has a number on."""
    indent, number = _indent_of(text[place : place + 200]), 1
    for line in islice(_lines_above(place, text), _MOST_ABOVE):
        if not line.strip() or (depth := _indent_of(line)) > indent:
            continue
        found = _MARKER.match(line.lstrip()) if depth == indent else None
        digits = found[0].rstrip(".)") if found else ""
        if digits != "#":
            return f"{number + int(digits) if digits.isdecimal() else number}."
        number += 1
    return f"{number}."


def _lines_above(place: int, text: str) -> Iterator[str]:
    """The lines before the one that begins at ``place``, the nearest first."""
    start = place
    while start > 0:
        stop, start = start - 1, text.rfind("\n", 0, start - 1) + 1
        yield text[start:stop]


def _indent_of(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _indent(block: Block, text: str) -> int:
    line = text[block.start : block.start + 200].replace(">", " ").expandtabs(4)
    return len(line) - len(line.lstrip(" "))


def _fenced(block: Block) -> str:
    return fenced(block.text[:_READ])


def fenced(code: str) -> str:
    """Code between fences longer than any in it."""
    code = code.strip("\n")
    ticks = "`" * max(3, 1 + max((len(one) for one in _TICKS.findall(code)), default=0))
    return f"{ticks}\n{code}\n{ticks}"


def table_of(cells: Sequence[Block], text: str, *, is_whole: bool = False) -> str:
    """A table in Markdown: as its document writes it, else made of cells that know their row.

    Of other cells their words, a paragraph each; '' where ``is_whole``: without its columns such a table announces nothing.
    """
    lines = [line.strip() for line in text[cells[0].start : cells[-1].end].strip("\n").split("\n")]
    if len(lines) > 1 and "|" in lines[1] and "-" in lines[1] and not lines[1].strip(_RULES):
        return "\n".join(lines)
    rows = [list(row) for _, row in groupby(cells, key=lambda cell: (cell.start, cell.end))]
    if len(rows) > 1 and all(cell.level for cell in cells) and any(len(row) > 1 for row in rows):
        return "\n".join(_in_columns(rows))
    if len(lines) > 1 and any("|" in line for line in lines):
        return "\n".join(("```", *lines, "```"))
    return "" if is_whole else "\n\n".join(cell.text.strip("\n") for cell in cells if cell.text.strip())


def _in_columns(rows: Sequence[Sequence[Block]]) -> Iterator[str]:
    width = max(map(len, rows))
    for number, row in enumerate(rows):
        words = (" ".join(cell.text.split()).replace("|", "\\|") for cell in row)
        yield f"| {' | '.join((*words, *[''] * (width - len(row))))} |"
        if not number:
            yield f"|{' --- |' * width}"
