"""Word (.docx) → blocks: mammoth makes HTML of it, which is read like any page."""

from io import BytesIO
from zipfile import ZipFile

from kb.article.blocks import Document
from kb.article.formats.webpage import fragment
from kb.patterns import lazy

_MOST = 4_000_000
"""Bytes of XML that a document may unpack to."""
_MOST_TAGS = 120_000
"""Tags in them: a few hundred pages. mammoth takes about 50 µs for each."""
_STEP = 65_536
_TEXT = lazy(r"\.(?:xml|rels)\Z")
"""The parts that are unpacked: no pictures."""
_CODE_STYLES = (
    "HTML Preformatted",
    "Plain Text",
    "Code",
    "Source Code",
    "Preformatted Text",
    "macro",
    "代码",
    "源代码",
)
_STYLES = "\n".join(
    (
        "p[style-name='Title'] => h1:fresh",
        "p[style-name='Subtitle'] => p:fresh",
        "p[style-name='标题'] => h1:fresh",
        *(f"p[style-name='{name}'] => pre:separator('\\n')" for name in _CODE_STYLES),
    )
)
_CREATED = lazy(rb"<dcterms:created[^<>]{0,200}>(\d{4}-\d\d-\d\d)")


class TooLargeError(ValueError):
    """The document unpacks to more than is read."""


def is_word(data: bytes) -> bool:
    """Whether a zip archive is a Word document: it has the part that holds the text."""
    return b"word/document.xml" in data


def word(data: bytes) -> Document:
    """The document. Raises TooLargeError, whatever mammoth raises of a broken file, and ImportError without mammoth."""
    from mammoth import convert_to_html, images  # noqa: PLC0415  an extra

    archive, created = _unpacked(data)
    html = convert_to_html(
        archive, style_map=_STYLES, convert_image=images.img_element(lambda _: {}), include_embedded_style_map=False
    ).value
    return fragment(html, {"date": created} if created else {})


def _unpacked(data: bytes) -> tuple[BytesIO, str | None]:
    """The parts that hold text, in an archive without compression, and the day the document was made.

    Unpacked here in small steps: an archive that lies about its sizes would fill the memory.
    """
    kept = BytesIO()
    left, tags = _MOST, 0
    created = None
    with ZipFile(BytesIO(data)) as archive, ZipFile(kept, "w") as plain:
        for part in {part.filename: part for part in archive.infolist() if _TEXT.search(part.filename)}.values():
            content = bytearray()
            with archive.open(part) as packed:
                while step := packed.read(_STEP):
                    content += step
                    if len(content) > left:
                        raise TooLargeError(f"the Word document unpacks to more than {_MOST:,} bytes of text")
            left -= len(content)
            tags += content.count(b"<")
            if b"<!DOCTYPE" in content:
                raise ValueError("its XML defines entities of its own, which Word never does")
            if tags > _MOST_TAGS:
                raise TooLargeError(f"the Word document has more than {_MOST_TAGS:,} tags")
            plain.writestr(part.filename, bytes(content))
            if part.filename == "docProps/core.xml" and (found := _CREATED.search(content[:50_000])):
                created = found[1].decode()
    kept.seek(0)
    return kept, created
