"""Plain text, as people copy it from a browser → blocks: headings are bare lines, code has no marks."""

from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import dropwhile

from kb.article.blocks import Block, BlockKind, Document
from kb.article.formats.linewise import MACHINE, LineReader
from kb.article.vocabulary import heading_roles, label_role
from kb.errors import RulesError
from kb.language import simplify
from kb.patterns import lazy

_READ = 4_000
"""Characters in which a title is looked for."""
_LONGEST = 200
_SHORTEST = 6
"""Letters of a title below a navigation."""
_ENTRIES = 2
"""Entries that make a navigation: one may be a word of the first lines by chance."""
_FIELD = lazy(r"([\w-]{1,24}) ?[:：][ \t]*(\S.*)")
_DAY = lazy(r"\d{4}(?:[-/.]|年)\d|[A-Z][a-z]{2,8}\.? \d{1,2}, \d{4}|\d{1,2} [A-Z][a-z]{2,8} \d{4}")
_STOP = tuple("。.:：;；")


@dataclass(frozen=True, slots=True)
class Top:
    """The title of a copied text, and where its article begins."""

    title: str
    place: int = 0


def top_of(text: str) -> Top | None:
    """The title in a field, or below a navigation; None for a text that begins with its article."""
    lines = text[:_READ].split("\n")
    return _in_a_field(lines) or _below_a_navigation(lines)


def _in_a_field(lines: list[str]) -> Top | None:
    """The subject among the fields that a text begins with."""
    for line in dropwhile(lambda one: not one.strip(), lines):
        if line[:1] in {" ", "\t"}:
            continue  # a field goes on
        field = _FIELD.match(line)
        if field is None:
            return None
        if _key(field[1]) in _words()["subject"]:
            return Top(field[2].strip()[:_LONGEST])
    return None


def _below_a_navigation(lines: list[str]) -> Top | None:
    """The longest line above the first sentence, day or author, where a text begins with entries of a navigation."""
    entries: set[str] = set()
    longest = Top("")
    at = 0
    for line in lines:
        words = line.strip()
        own = _entries(words)
        entries |= own
        if words and not entries:
            return None
        if words.endswith(_STOP) or _DAY.search(words) or _begins_below(words):
            break
        if not own and len(longest.title) < len(words) <= _LONGEST:
            longest = Top(words, at)
        at += len(line) + 1
    return longest if len(entries) >= _ENTRIES and len(longest.title) >= _SHORTEST else None


def _entries(words: str) -> set[str]:
    """The entries of a navigation that a line consists of, most of it; none for any other line."""
    keys = [_key(words)] if _key(words) in _words()["menu"] else _key(words).split()
    entries = _words()["menu"].intersection(keys)
    return set(entries) if len(entries) * 2 > len(keys) else set()


def _begins_below(words: str) -> bool:
    """Whether a line tells who wrote what stands above it, and when."""
    key = _key(words)
    return any(
        key.startswith(one) and not (one.isascii() and key[len(one) :][:1].isalpha()) for one in _words()["below"]
    )


def _key(words: str) -> str:
    return simplify(words[:_LONGEST]).lower()


@lru_cache(maxsize=1)
def _words() -> dict[str, frozenset[str]]:
    kinds: dict[str, list[str]] = {"subject": [], "menu": [], "below": []}
    text = files("kb.article").joinpath("rules", "copied.txt").read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        kind, _, listed = line.partition(" ")
        if kind not in kinds or not listed.strip():
            raise RulesError(f"copied.txt line {number}: {line!r}", cure=f"begin the line with {', '.join(kinds)}")
        kinds[kind] += filter(None, map(str.strip, listed.split(",")))
    return {kind: frozenset(words) for kind, words in kinds.items()}


_SENTENCE_END = '。！？!?;；，,、….:：)）"”'
_COMMENT = lazy(r"[ \t]*(?://|/\*|\*[ /]|--[ ])")
_HAN = lazy(r"[\u4e00-\u9fff]")


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
