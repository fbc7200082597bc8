"""Draws incidents without a trace whose code blocks hold error text: their own first error lines, pasted, must find them.

``python -m tests.quality.own_lines.draw`` wrote ``drawn.jsonl``, once, with the reading of 7f786b9, which kept nothing of such lines. Half **teach** may be looked at by whoever
writes rules. Texts stay beside the checkout: a row holds the document, the incident's id, and of each line its number and a digest.
"""

import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from zlib import crc32

from index import Engine
from kb.article import read_article
from kb.article.blocks import BlockKind
from kb.article.decode import decode
from kb.article.formats import take_apart
from kb.article.reading import pieces_of
from tests.quality.answers.draw import HALVES, SHARED, Articles, digest

DRAWN = Path(__file__).with_name("drawn.jsonl")
SEED = 20
EACH = 15
"""Incidents of each language in each half."""
LINES = 4
_TELLS = re.compile(
    r"\b(?:error|exception|fail(?:ed|ure|s)?|fatal|cannot|can't|could not|unable to|refused|denied|not found|no such|invalid|timed? ?out|panic|abort(?:ed)?)\b|错误|失败|异常|拒绝|无法|报错",
    re.IGNORECASE,
)
"""Words of an error, on purpose other and fewer than those of the reader that is measured."""
_TYPED = re.compile(
    r"^\s*(?:#|//|/\*|\*|\$|<|--|>>>|sudo |echo |if\b|for\b|import |return\b|throw |raise |except|catch)|[;{}]\s*$|^\s*[\w.-]+\s*[:=]\s*\S*$"
)
"""What somebody types: comments, commands, code, settings."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """An incident as it was drawn, and its first error lines."""

    half: str
    doc: str
    id: str
    lines: tuple[tuple[int, str], ...]
    """Number in the article, from 1, and digest."""


def drawn() -> list[Drawn]:
    """All that was drawn, in order."""
    told = [json.loads(line) for line in DRAWN.read_text(encoding="utf-8").splitlines()]
    return [Drawn(**one | {"lines": tuple((at, said) for at, said in one["lines"])}) for one in told]


def pasted(one: Drawn, articles: Articles) -> str:
    """The drawn lines as somebody pastes them."""
    lines = articles.text(one.doc).splitlines()
    found = [lines[at - 1] for at, _ in one.lines]
    if [digest(line) for line in found] != [said for _, said in one.lines]:
        raise ValueError(f"{one.doc} is not the document that was drawn")
    return "\n".join(found)


def find(engine: Engine, one: Drawn, articles: Articles) -> int | None:
    """The rank, from 1, of the first incident of the document, or of another that has all of the lines; None where none of ten is."""
    text = pasted(one, articles)
    lines = ["".join(line.split()) for line in text.splitlines()]

    def is_right(doc: str) -> bool:
        if doc == one.doc:
            return True
        words = "".join(articles.text(doc).split()) if doc in articles else ""
        return bool(words) and all(line in words for line in lines)

    ranked = enumerate(engine.search(text, 10).matches, 1)
    return next((at for at, match in ranked if is_right(Path(match.incident.source.path).stem)), None)


def draw(shared: Path) -> list[Drawn]:
    """`EACH` incidents of each language for each half, each of another document, none of the findings."""
    judged = set(re.findall(r"`((?:zh|en)\d{5})", (shared / "findings/articles.md").read_text(encoding="utf-8")))
    articles = Articles(shared)
    strata: dict[tuple[str, str], list[list[Drawn]]] = defaultdict(list)
    for path in sorted(one for one in (shared / "articles").rglob("*") if one.is_file()):
        doc = path.stem
        if doc in articles and doc not in judged:
            half = HALVES[crc32(doc.encode()) % 2]
            if found := list(_of(path, shared / "articles", half)):
                strata[half, doc[:2]].append(found)
    chance = random.Random(SEED)
    return [
        chance.choice(found)
        for half in HALVES
        for lang in ("zh", "en")
        for found in chance.sample(strata[half, lang], EACH)
    ]


def _of(path: Path, folder: Path, half: str) -> Iterator[Drawn]:
    """The incidents of a document that have no trace, with their error lines."""
    name, data = str(path.relative_to(folder)), path.read_bytes()
    bare = {one.id for one in read_article(data, name).incidents if not one.traces}
    if not bare:
        return
    document = take_apart(decode(data).text, name)
    for piece in pieces_of(document, name):
        lines: list[tuple[int, str]] = []
        for block in piece.document.blocks:
            if block.kind is BlockKind.CODE:
                first = document.text.count("\n", 0, block.start)
                for at, line in enumerate(document.text[block.start : block.end].splitlines(), first + 1):
                    if _TELLS.search(line) and not _TYPED.search(line) and len(line.split()) > 2:
                        lines.append((at, digest(line)))
        if lines and piece.id in bare:
            yield Drawn(half, path.stem, piece.id, tuple(lines[:LINES]))


if __name__ == "__main__":
    rows = (json.dumps(asdict(one), ensure_ascii=False) for one in draw(SHARED))
    DRAWN.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
