"""Plain text, as people copy it from a browser → blocks: headings are bare lines, code has no marks."""

import re

from kb.article.blocks import Block, BlockKind, Document
from kb.article.formats.copied import top_of
from kb.article.formats.linewise import MACHINE, LineReader
from kb.article.vocabulary import heading_roles, label_role

_SENTENCE_END = '。！？!?;；，,、….:：)）"”'
_COMMENT = re.compile(r"[ \t]*(?://|/\*|\*[ /]|--[ ])")
_HAN = re.compile(r"[\u4e00-\u9fff]")


def plaintext(text: str) -> Document:
    """The blocks of a text, without the navigation above it.

    Its title stands in a field or below the navigation; else it is the first line, or the heading below that one where the
    name of the site is glued before.
    """
    if (top := top_of(text)) is not None:
        return Document(text, bare(text, top.place), top.title)
    blocks = bare(text)
    lines = [line.strip() for line in text.lstrip()[:4_000].split("\n")]
    if not blocks or blocks[0].kind is BlockKind.CODE or len(lines[0]) > 200:
        return Document(text, blocks)
    again = next((line for line in lines[1:12] if len(line) >= 10 and lines[0].endswith(line)), None)
    return Document(text, blocks[1:] if again and blocks[0].text.strip() == lines[0] else blocks, again or lines[0])


def bare(text: str, body: int = 0) -> tuple[Block, ...]:
    """The blocks of a text from an offset on; no title is taken off."""
    return tuple(_Reader(text, body).blocks())


class _Reader(LineReader):
    def heading(self, line: str) -> Block | None:
        found = super().heading(line)
        if found is None and self._is_bare_heading(self.at, line):
            first = self.at
            self.at += 1
            return self.block(BlockKind.HEADING, first, line.strip(), 2 if first else 1)
        return found

    def _is_bare_heading(self, at: int, line: str) -> bool:
        """A short line on its own, that is no sentence: as browsers copy headings."""
        words = line.strip()
        if len(words) > 60 or line[:1].isspace() or MACHINE.match(line):
            return False
        alone = not self.line(at - 1).strip() and not self.line(at + 1).strip()
        known = label_role(words) is not None or (words[-1] not in _SENTENCE_END and bool(heading_roles(words)))
        if known and not self.line(at - 1).strip():
            return True
        if not alone or at == 0:
            return alone
        return (
            words[-1] not in _SENTENCE_END
            and not self.item.match(line[:1])
            and len(words) <= 40
            and (bool(_HAN.search(words)) or words[:1].isupper())
        )

    def is_machine(self, at: int) -> bool:
        line = self.line(at)
        return bool(MACHINE.match(line)) and len(_HAN.findall(line)) * 4 <= len(line)

    def goes_on(self, at: int) -> bool:
        line = self.line(at)
        if (
            (line[:1].isspace() and line.strip() and not _HAN.search(line))
            or self.is_machine(at)
            or _COMMENT.match(line)
        ):
            return True
        following = self.line(at + 1)
        return not line.strip() and following[:1].isspace() and self.is_machine(at + 1)
