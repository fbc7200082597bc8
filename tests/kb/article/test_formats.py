"""One reviewed file for each format and flavour: its blocks, where they stand, what its head states."""

from collections.abc import Callable
from pathlib import Path

import pytest

from kb.article.blocks import BlockKind, Document
from kb.article.decode import decode
from kb.article.formats import MARKDOWN, TEXT, take_apart
from kb.article.formats.packed import unpacked

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "formats"
FILES = sorted(path for path in GOLDEN.iterdir() if path.suffix != ".blocks")
VERBATIM = {f".{ending}" for ending in MARKDOWN | TEXT}
"""Formats whose text is the document itself: a block stands where it says it stands."""


def blocks(document: Document) -> str:
    """A document in the form of the golden files."""
    lines = [f"title: {document.title}", *(f"{key}: {value}" for key, value in sorted(document.meta.items()))]
    for block in document.blocks:
        level = str(block.level or "")
        lines += ["", f"── {block.kind}{level} {block.start}–{block.end}", block.text]
    return "\n".join(lines) + "\n"


def document_of(path: Path) -> Document:
    held = unpacked(path.read_bytes())
    if held is None:
        return take_apart(decode(path.read_bytes()).text, path.name)
    assert held.document is not None, held.notes
    return held.document


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_golden_formats(path: Path, golden: Callable[[Path, str], None]):
    golden(path.with_name(path.name + ".blocks"), blocks(document_of(path)))


@pytest.mark.parametrize("path", [path for path in FILES if path.suffix in VERBATIM], ids=lambda path: path.name)
def test_blocks_stand_where_they_say(path: Path):
    """The words of a block are in the lines it names, and blocks follow each other."""
    document = document_of(path)
    at = 0
    for block in document.blocks:
        assert at <= block.start <= block.end <= len(document.text)
        if block.kind is BlockKind.CODE:
            assert "".join(block.text.split()) in "".join(document.text[block.start : block.end].split())
        at = block.start


@pytest.mark.parametrize(
    "path", [path for path in FILES if path.suffix in {".html", ".pdf", ".docx"}], ids=lambda path: path.name
)
def test_what_surrounds_an_article_stays_out(path: Path):
    """Whatever is no article says so in these files: navigation, adverts, related posts, comments, headers and footers of pages."""
    document = document_of(path)

    assert "sideshow" not in document.text
    assert "旁栏" not in document.text
    assert "旁欄" not in document.text
