"""Word documents and PDFs: what is hostile or broken is refused with its reason, in bounded time and memory."""

import sys
import time
import tracemalloc
import zlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.article import read_article
from kb.article.blocks import Document
from kb.article.formats.packed import unpacked

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "formats"
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
TYPES = b'<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
RELATIONS = b'<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>'


def docx(body: str, head: str = "") -> bytes:
    """A Word document of as few parts as Word opens."""
    held = BytesIO()
    with ZipFile(held, "w", ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", TYPES)
        archive.writestr("_rels/.rels", RELATIONS)
        document = f'<?xml version="1.0"?>{head}<w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>'
        archive.writestr("word/document.xml", document)
    return held.getvalue()


def paragraph(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def pdf(*pages: bytes, title: str = "", packed: bool = False) -> bytes:
    """A PDF whose pages have these content streams and one font, as section 7.5 of PDF 32000-1 lays it out."""
    kids = " ".join(f"{4 + 2 * at} 0 R" for at in range(len(pages)))
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", f"<</Type/Pages/Kids[{kids}]/Count {len(pages)}>>".encode()]
    objects.append(b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>")
    for at, page in enumerate(pages):
        stream = zlib.compress(page, 9) if packed else page
        place = f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 600]/Resources<</Font<</F 3 0 R>>>>/Contents {5 + 2 * at} 0 R>>"
        head = f"<</Length {len(stream)}{'/Filter/FlateDecode' if packed else ''}>>stream\n".encode()
        objects += [place.encode(), head + stream + b"\nendstream"]
    objects.append(f"<</Title({title})>>".encode())
    out = b"%PDF-1.4\n"
    places = []
    for number, one in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n".encode() + one + b"\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    tail = f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer<</Size {size}/Root 1 0 R/Info {len(objects)} 0 R>>\nstartxref\n{len(out)}\n%%EOF"
    return out + tail.encode()


def page(*lines: str, sizes: tuple[int, ...] = ()) -> bytes:
    """A content stream that draws lines one below the other, in letters of ten points where no sizes are given."""
    drawn = "".join(
        f"/F {size} Tf 1 0 0 1 40 {560 - 14 * at} Tm ({line}) Tj\n"
        for at, (line, size) in enumerate(zip(lines, sizes or [10] * len(lines), strict=True))
    )
    return f"BT\n{drawn}ET".encode()


def document(data: bytes) -> Document:
    held = unpacked(data)
    assert held is not None
    assert held.document is not None, held.notes
    return held.document


def texts(data: bytes) -> list[str]:
    return [block.text for block in document(data).blocks]


def test_a_word_document_of_few_parts():
    assert texts(docx(paragraph("Every node logs the same line.") + paragraph("原因：磁盘已满。"))) == ["Every node logs the same line.", "原因：磁盘已满。"]  # fmt: skip


def test_words_divided_at_line_ends_are_whole_again():
    lines = ("Every node of the lease service logs the same line from two o'clock on, and no ten-", "ant can renew anything until it is restarted; the state is well-", "Known since March, of the nodes at any rate, and of the table as well")  # fmt: skip

    assert texts(pdf(page(*lines))) == [f"{lines[0][:-1]}{lines[1]} {lines[2]}"]


def test_what_repeats_on_every_page_is_left_out():
    """A running head, a page number; and a sentence goes on over the page."""
    first = page("Acme Ops", "The sweeper holds a lease of its own for every tenant and never gives", "1")
    second = page("Acme Ops", "it back.", "2")

    assert texts(pdf(first, second)) == [
        "The sweeper holds a lease of its own for every tenant and never gives it back."
    ]


PRINTED = {
    "address": "https://wiki.example.com/lease.html 1/1",
    "file": "file:///C:/notes/lease.html 12/30",
    "american time": "11/22/26, 9:29 AM Renewals stop",
    "german time": "22.11.26, 09:29 Renewals stop",
    "chinese time": "2026/11/22 09:29 Renewals stop",
}
TOLD = {
    "a time of the story": "2026/11/22 09:29 Renewals go on",
    "an address alone": "https://wiki.example.com/lease.html",
    "an address in words": "See https://wiki.example.com/lease.html 1/1",
}


def printed_at(place: int, line: str) -> str:
    """What is read of a page of five sentences with the line before the sentence of this number."""
    days = ("first", "second", "third", "fourth", "fifth")
    words = [f"The sweeper held its lease on the {day} day." for day in days]
    return document(pdf(page(*words[:place], line, *words[place:]), title="Renewals stop")).text


@pytest.mark.parametrize("line", PRINTED.values(), ids=PRINTED)
def test_what_a_browser_prints_on_each_page_is_left_out(line: str):
    """At the edges of a page; a page that is the only one repeats nothing."""
    assert [line in printed_at(place, line) for place in (0, 2, 5)] == [False, True, False]


@pytest.mark.parametrize("line", TOLD.values(), ids=TOLD)
def test_what_looks_like_it_stays(line: str):
    assert [line in printed_at(place, line) for place in (0, 2, 5)] == [True, True, True]


def test_long_code_in_small_letters_makes_no_heading_of_the_words():
    """A trace has more letters than the words around it: theirs are no larger than usual for that."""
    code = ["java.io.IOException: no lease left", *["at lease.Table.take\\(Table.java:31\\)"] * 20]
    lines = ["Renewals stop", "All nodes log this.", *code, "Root cause", "The sweeper keeps its lease."]
    drawn = page(*lines, sizes=(20, 11, *[8] * len(code), 15, 11))

    assert [(block.kind.value, block.level) for block in document(pdf(drawn)).blocks] == [
        ("heading", 1),
        ("paragraph", 0),
        ("code", 0),
        ("heading", 2),
        ("paragraph", 0),
    ]


def test_a_pdf_of_nothing_but_code():
    lines = ["java.io.IOException: no lease left", "at lease.Table.take\\(Table.java:31\\)"]

    assert [block.kind.value for block in document(pdf(page(*lines))).blocks] == ["code"]


def test_a_trace_whose_head_looks_like_words():
    """In letters of any width, nothing marks it as code."""
    lines = (
        "Renewals stop",
        "Error running job: java.io.IOException: no lease left",
        *["at lease.Table.take\\(Table.java:31\\)"] * 2,
    )
    (one,) = read_article(pdf(page(*lines)), "a.pdf").incidents

    assert [[raised.type for raised in chain.exceptions] for chain in one.chains] == [["java.io.IOException"]]


REFUSED = {
    "word of nothing": (b"PK\x03\x04 word/document.xml", "a Word document that is broken"),
    "pdf of nothing": (b"%PDF-1.7\n", "a PDF that is broken"),
    "old word": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "save it as .docx"),
    "rtf": (rb"{\rtf1 words}", "save it as .docx"),
    "no xml": (docx("<w:p>"), "a Word document that is broken"),
    "entities": (docx(paragraph("&f;" * 1_000), "<!DOCTYPE x [<!ENTITY a 'aaaaaaaaaa'>" + "".join(f"<!ENTITY {b} '{f'&{a};' * 10}'>" for a, b in ("ab", "bc", "cd", "de", "ef")) + "]>"), "a Word document that is broken"),
    "deep": (docx("<w:tbl><w:tr><w:tc>" * 15_000 + "</w:tc></w:tr></w:tbl>" * 15_000), "a Word document that is broken"),
}  # fmt: skip


@pytest.mark.parametrize(("data", "reason"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_read_is_refused_with_its_reason(data: bytes, reason: str):
    article = read_article(data, "a.bin")

    assert article.binary
    assert article.incidents == ()
    assert reason in article.notes[0]


def lying(data: bytes) -> bytes:
    """A zip archive whose every entry says that it unpacks to a hundred bytes."""
    with ZipFile(BytesIO(data)) as archive:
        sizes = [part.file_size.to_bytes(4, "little") for part in archive.infolist()]
    for size in sizes:
        data = data.replace(size, (100).to_bytes(4, "little"))
    return data


MUCH_TEXT: dict[str, Callable[[], bytes]] = {
    "word": lambda: docx(" " * 60_000_000),
    "word that lies": lambda: lying(docx(" " * 60_000_000)),
    "pdf stream": lambda: pdf(b" " * 100_000_000, packed=True),
    "pdf strings": lambda: pdf(page(*["x" * 100] * 200_000), packed=True),
}


@pytest.mark.parametrize("made", MUCH_TEXT.values(), ids=MUCH_TEXT)
def test_bombs_take_bounded_memory(made: Callable[[], bytes]):
    data = made()
    tracemalloc.start()
    held = unpacked(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert held is not None
    assert held.document is None
    assert peak < 60_000_000


MUCH_TO_DO = {
    "pages": lambda: pdf(*[page(f"line {'x' * at}") for at in range(1_000)], packed=True),
    "operations": lambda: pdf(*[b"q Q " * 100_000] * 12, packed=True),
    "paragraphs": lambda: docx("<w:p/>" * 600_000),
}


@pytest.mark.parametrize("made", MUCH_TO_DO.values(), ids=MUCH_TO_DO)
@pytest.mark.slow
def test_bombs_take_bounded_time(made: Callable[[], bytes]):
    data = made()
    start = time.process_time()
    held = unpacked(data)

    assert time.process_time() - start < 15
    assert held is not None
    assert held.notes or held.document is not None


@pytest.mark.parametrize(("name", "library"), [("word.docx", "mammoth"), ("typeset.pdf", "pypdf")])
def test_without_the_extra_the_cure_is_named(name: str, library: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, library, None)

    article = read_article((GOLDEN / name).read_bytes(), name)

    assert article.binary
    assert article.notes[0].endswith(f"read with {library}, which is not installed: pip install 'dejastack[documents]'")


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(["word.docx", "typeset.pdf", "cid_zh.pdf"]), st.data())
def test_any_damage_is_survived(name: str, drawn: st.DataObject):
    data = bytearray((GOLDEN / name).read_bytes())
    for _ in range(drawn.draw(st.integers(1, 8))):
        data[drawn.draw(st.integers(8, len(data) - 1))] = drawn.draw(st.integers(0, 255))
    cut = drawn.draw(st.integers(16, len(data)))

    assert read_article(bytes(data[:cut]), name).title
