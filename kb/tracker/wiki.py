"""Read Jira's wiki markup as blocks. Inline marks become those of Markdown, which `kb.article` removes where it needs words.

The notation: https://jira.atlassian.com/secure/WikiRendererHelpAction.jspa?section=all
"""

import re
from collections.abc import Iterator
from itertools import count

from kb.article.blocks import MOST_COLUMNS, Block, BlockKind
from kb.article.formats.rows import piped
from kb.article.formats.shown import ShownBlock
from kb.tracker.ticket import laid_out

_MACRO = re.compile(r"\{(code|noformat|quote|panel|color|anchor|toc)(?::([^{}\n]{0,400}))?\}")
_TITLE = re.compile(r"\btitle=([^|]{1,200})")
_VERBATIM = frozenset(("code", "noformat"))
_HEADING = re.compile(r"\s{0,8}h([1-6])\.[ \t]*(\S.*)")
_ITEM = re.compile(r"\s{0,8}(?:[*#]{1,6}|-)[ \t]+(?=\S)")
_QUOTE = re.compile(r"\s{0,8}bq\.[ \t]*(?=\S)")
_RULE = re.compile(r"\s{0,8}-{4,}\s*\Z")
_LINK = re.compile(r"\[([^\[\]|\n]{1,500})\|([^\[\]|\n]{1,2000})(?:\|[^\[\]|\n]{0,200})?\]")
_BARE_LINK = re.compile(r"\[(https?://[^\[\]|\s]{1,2000})\]")
_USER = re.compile(r"\[~(?:accountid:)?([^\[\]\n]{1,100})\]")
_IMAGE = re.compile(r"!(?=\S)[^!\n|]{1,300}\.(?:png|jpe?g|gif|svg|bmp)(?:\|[^!\n]{0,200})?!", re.IGNORECASE)
_MONO = re.compile(r"\{\{([^{}\n]{1,1000})\}\}")
_ESCAPED = re.compile(r"\\([{}\[\]|*_#!-])")


def wiki(text: str) -> tuple[Block, ...]:
    """The blocks of a text in wiki markup."""
    return laid_out(_pieces(text.replace("\r\n", "\n"), count(1)))


def _pieces(text: str, rows: Iterator[int]) -> Iterator[ShownBlock]:
    """The blocks; ``rows`` numbers the rows of tables."""
    at = 0
    words: list[str] = []
    quoted = False
    for macro in _MACRO.finditer(text):
        if macro.start() < at:
            continue  # inside the code that was just taken
        name = macro[1]
        words.append(text[at : macro.start()])
        at = macro.end()
        title = _TITLE.search(macro[2] or "") if name == "panel" else None
        if name not in _VERBATIM and name != "quote" and title is None:
            continue  # colours and panels only dress what they hold
        yield from _lines("".join(words), rows, quoted=quoted)
        words.clear()
        if title is not None:
            yield ShownBlock(BlockKind.PARAGRAPH, 0, _inline(title[1]))
            continue
        if name == "quote":
            quoted = not quoted
            continue
        end = text.find(f"{{{name}}}", at)
        end = len(text) if end < 0 else end
        yield ShownBlock(BlockKind.CODE, 0, text[at:end].strip("\n"))
        at = min(end + len(name) + 2, len(text))
    yield from _lines("".join((*words, text[at:])), rows, quoted=quoted)


def _lines(text: str, rows: Iterator[int], *, quoted: bool) -> Iterator[ShownBlock]:
    plain = BlockKind.QUOTE if quoted else BlockKind.PARAGRAPH
    held: list[str] = []
    for line in (*text.split("\n"), ""):
        heading = _HEADING.match(line)
        item, quote = _ITEM.match(line), _QUOTE.match(line)
        table = line.lstrip().startswith("|")
        ends = heading or item or quote or table or not line.strip() or _RULE.match(line)
        if ends and held:
            yield ShownBlock(plain, 0, "\n".join(held))
            held = []
        if heading:
            yield ShownBlock(BlockKind.HEADING, int(heading[1]), _inline(heading[2]).strip())
        elif item or quote:
            start = (item or quote).end()  # type: ignore[union-attr]
            yield ShownBlock(BlockKind.ITEM if item else BlockKind.QUOTE, 0, _inline(line[start:]))
        elif table:
            row = next(rows)
            for column, cell in enumerate(piped(line), 1):
                yield ShownBlock(BlockKind.TABLE, min(column, MOST_COLUMNS), _inline(cell), row=row)
        elif not ends:
            held.append(_inline(line))


def _inline(line: str) -> str:
    if "{" in line:
        line = _MONO.sub(r"`\1`", line)
    if "[" in line:
        line = _USER.sub(r"\1", _BARE_LINK.sub(r"\1", _LINK.sub(r"[\1](\2)", line)))
    if "!" in line:
        line = _IMAGE.sub(" ", line)
    if "\\" in line:
        line = _ESCAPED.sub(r"\1", line.replace("\\\\", " "))
    return line
