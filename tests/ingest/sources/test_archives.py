"""Archives: what they hold is found however it is packed, and those that were made to do harm are told."""

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from ingest.sources.formats import DocumentFormat
from tests.ingest.articles import article
from tests.ingest.sources.cuts import cut, names

ARTICLE = article("alpha").encode()
LINE = b'{"title": "Beta fails"}\n'


def zipped(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return target.getvalue()


def tarred(files: dict[str, bytes], mode: str = "w") -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode=mode) as archive:  # type: ignore[call-overload]
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return target.getvalue()


def zstd(data: bytes) -> bytes:
    return pa.compress(data, codec="zstd", asbytes=True)


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_what_is_packed_beside_documents_is_passed_over(pack: Callable[[dict[str, bytes]], bytes], tmp_path: Path):
    files = {"exportDescriptor.properties": b"spaceKey=OPS", "__MACOSX/a.md": b"x", ".git/a.md": b"x", "a.md": ARTICLE}
    assert list(names(cut(pack(files), "space.zip", scratch=tmp_path))) == ["!/a.md"]


@pytest.mark.parametrize(
    ("pack", "name"),
    [
        pytest.param(gzip.compress, "a.md.gz", id="gzip"),
        pytest.param(lambda data: gzip.compress(data[:99]) + gzip.compress(data[99:]), "a.md.gz", id="gzip-in-two"),
        pytest.param(zstd, "a.md.zst", id="zstd"),
        pytest.param(bz2.compress, "a.md.bz2", id="bzip2"),
        pytest.param(lzma.compress, "a.md.xz", id="xz"),
        pytest.param(lambda data: zipped({"a.md": data}), "docs.zip", id="zip"),
        pytest.param(lambda data: zipped({"a.md": data}, zipfile.ZIP_STORED), "docs.zip", id="stored"),
        pytest.param(lambda data: tarred({"a.md": data}), "docs.tar", id="tar"),
        pytest.param(lambda data: tarred({"a.md": data}, "w:gz"), "docs.tgz", id="tgz"),
        pytest.param(lambda data: zstd(tarred({"a.md": data})), "docs.tar.zst", id="tar.zst"),
        pytest.param(lambda data: gzip.compress(tarred({"a.md": data})), "nameless", id="no-ending"),
    ],
)
def test_however_it_is_packed(pack: Callable[[bytes], bytes], name: str, tmp_path: Path):
    (record,) = cut(pack(ARTICLE), name, scratch=tmp_path)
    assert (record.name, record.data, record.format) == ("!/a.md", ARTICLE, DocumentFormat.MARKDOWN)


def test_every_kind_of_member(tmp_path: Path):
    files = {
        "deep/er/a.md": ARTICLE,
        "pages/b.html": b"<html></html>",
        "old/lines.jsonl": LINE * 2,
        "inner.zip": zipped({"x.md": b"# x"}),
        "logo.png": b"\x89PNG",
        "pom.xml": b"<project/>",
        ".git/config": b"[core]",
        "__MACOSX/._a.md": b"x",
        "empty.txt": b"",
    }
    expected = {
        "!/deep/er/a.md": "markdown",
        "!/pages/b.html": "html",
        "!/inner.zip!/x.md": "markdown",
        "!/logo.png": "unsupported",
        "!/pom.xml": "unsupported",
        "!/empty.txt": "text",
    }
    for data, name in ((zipped(files), "all.zip"), (tarred(files, "w:xz"), "all.tar.xz")):
        found = cut(data, name, scratch=tmp_path)
        lines = [record for record in found if record.name.startswith("!/old/lines.jsonl#")]
        assert [(record.data, record.line) for record in lines] == [(LINE.rstrip(), 1), (LINE.rstrip(), 2)]
        assert names([record for record in found if record not in lines]) == expected


@pytest.mark.parametrize("encoding", ["gbk", "utf-8"])
def test_names_of_another_machine(encoding: str, tmp_path: Path):
    """Chinese Windows packs names in GBK and does not say so."""
    name = "故障/端口.md"
    raw = name.encode(encoding)
    data = zipped({"?" * len(raw): ARTICLE}).replace(b"?" * len(raw), raw)
    assert [record.name for record in cut(data, "a.zip", scratch=tmp_path)] == [f"!/{name}"]


@pytest.mark.parametrize(
    "name", ["../evil.md", "a/../../evil.md", "/etc/evil.md", "..\\evil.md", "C:\\evil.md", "a\tb.md"]
)
def test_names_that_lead_out_are_told(name: str, tmp_path: Path):
    for data in (zipped({name: ARTICLE, "good.md": ARTICLE}), tarred({name: ARTICLE, "good.md": ARTICLE})):
        bad, good = cut(data, "a", scratch=tmp_path)
        assert (bad.reason, bad.data, good.reason) == ("unsafe", b"", None)


def test_links_and_devices_are_told(tmp_path: Path):
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as archive:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE):
            info = tarfile.TarInfo(f"{kind.decode()}.md")
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
    assert {record.reason for record in cut(target.getvalue(), "a.tar", scratch=tmp_path)} == {"unsupported"}


def test_a_bomb_is_told_and_costs_little(tmp_path: Path):
    flood = zlib.compressobj(9, wbits=31)
    bomb = b"".join([flood.compress(bytes(1 << 20)) for _ in range(40)]) + flood.flush()
    for data, name in (
        (bomb, "a.txt.gz"),
        (gzip.compress(bomb), "a.txt.gz.gz"),
        (zipped({"a.txt": bytes(40 << 20)}), "a.zip"),
        (zipped({f"{i}.txt": bytes(8 << 20) for i in range(6)}), "a.zip"),
        (zstd(bytes(40 << 20)), "a.zst"),
    ):
        last = cut(data, name, scratch=tmp_path, limits={"allowance": 1 << 20})[-1]
        assert (last.reason, last.detail[:28]) == ("unsafe", "it unpacks to more than 200 ")
    assert list(tmp_path.iterdir()) == []


def test_too_many_members_are_told(tmp_path: Path):
    files = {f"{i}.md": b"# x" for i in range(5)}
    for data, name, before in (
        (tarred(files), "a.tar", [None] * 3),
        (zipped(files), "a.zip", []),
        (zipped({"in.zip": zipped(files)}), "a.zip", []),
        (zipped({"in.md": b"# x", "in.tar": tarred(files)}), "a.zip", [None, None]),
    ):
        found = cut(data, name, scratch=tmp_path, limits={"max_members": 3})
        assert [record.reason for record in found] == [*before, "unsafe"]


def test_the_directory_of_a_zip_is_not_held_before_it_is_counted(tmp_path: Path):
    """Two million entries in 94 MB: the standard library would make an object of each."""
    entry = struct.pack("<4s6H3L5H2L", b"PK\x01\x02", *[0] * 9, 1, *[0] * 6) + b"a"
    count = 2_000_000
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 9, 9, count * len(entry), 30, 0)
    data = b"PK\x03\x04".ljust(30, b"\0") + entry * count + end
    assert (
        len(
            zipfile.ZipFile(
                io.BytesIO(
                    data[:30]
                    + entry * 9
                    + end.replace(struct.pack("<L", count * len(entry)), struct.pack("<L", 9 * len(entry)))
                )
            ).infolist()
        )
        == 9
    )
    tracemalloc.start()
    (record,) = cut(data, "a.zip", scratch=tmp_path)
    held = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (record.reason, record.detail) == ("unsafe", "it holds more than 500,000 files")
    assert held < 16 << 20


def test_the_holes_of_a_sparse_file_end(tmp_path: Path):
    """10 KB of tar whose one member is a terabyte of zeros, as GNU tar packs a disk image."""
    header = bytearray(tarfile.TarInfo("big.jsonl").tobuf(tarfile.GNU_FORMAT))
    header[156:157] = tarfile.GNUTYPE_SPARSE
    header[483:495] = b"\x80" + (1 << 40).to_bytes(11, "big")  # the real size
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    (record,) = cut(bytes(header) + bytes(1024), "a.tar", scratch=tmp_path)
    assert (record.reason, record.detail[:23]) == ("unsafe", "it unpacks to more than")


def test_a_header_that_is_larger_than_memory_is_refused(tmp_path: Path):
    info = tarfile.TarInfo("././@LongLink")
    info.type, info.size = tarfile.GNUTYPE_LONGNAME, 8 << 30
    data = gzip.compress(tarred({"a.md": b"# It fails"})[:1024] + info.tobuf(tarfile.GNU_FORMAT) + bytes(1 << 20))
    found = cut(data, "a.tgz", scratch=tmp_path)
    assert [(record.reason, record.detail) for record in found] == [
        (None, ""),
        ("unreadable", "a header of 8,589,934,592 bytes"),
    ]


def test_archives_inside_one_another_end(tmp_path: Path):
    data = ARTICLE
    for _ in range(12):
        data = gzip.compress(zipped({"in.zip": data}))
    (record,) = cut(data, "a", scratch=tmp_path)
    assert (record.reason, record.detail) == ("unsafe", "nested deeper than 4 archives")


def test_a_member_that_lies_about_its_size(tmp_path: Path):
    """The directory of the archive says 2 GB; nothing is reserved for it."""
    data = zipped({"a.md": ARTICLE, "b.md": ARTICLE})
    size = struct.pack("<I", len(ARTICLE))
    lying = data.replace(size, struct.pack("<I", 2_000_000_000))
    assert lying != data
    assert {record.reason for record in cut(lying, "a.zip", scratch=tmp_path)} <= {None, "unreadable"}


@pytest.mark.parametrize(
    ("data", "name"),
    [
        pytest.param(gzip.compress(LINE * 5_000)[:-20], "a.jsonl.gz", id="gzip"),
        pytest.param(zstd(LINE * 90_000)[:-20], "a.jsonl.zst", id="zstd"),
        pytest.param(
            bz2.compress(b"".join(b'{"title": "%d fails"}\n' % i for i in range(90_000)))[:-20],
            "a.jsonl.bz2",
            id="bzip2",
        ),
    ],
)
def test_what_was_cut_off_is_read_up_to_there(data: bytes, name: str, tmp_path: Path):
    *good, last = cut(data, name, scratch=tmp_path)
    assert last.reason == "unreadable"
    assert len([record for record in good if record.reason is None]) > 1_000


@pytest.mark.parametrize(
    ("data", "name"),
    [
        pytest.param(zipped({"a.md": ARTICLE})[:-30], "a.zip", id="zip"),
        pytest.param(b"PK\x03\x04" + bytes(500), "a.zip", id="no-zip"),
        pytest.param(b"\x1f\x8b\x08" + bytes(50), "a.gz", id="no-gzip"),
        pytest.param(b"\x28\xb5\x2f\xfd" + bytes(50), "a.zst", id="no-zstd"),
    ],
)
def test_a_broken_archive_is_reported(data: bytes, name: str, tmp_path: Path):
    assert cut(data, name, scratch=tmp_path)[-1].reason == "unreadable"


def test_a_locked_member_does_not_hide_the_others(tmp_path: Path):
    data = bytearray(zipped({"a.md": ARTICLE, "b.md": ARTICLE}))
    for mark in (b"PK\x01\x02", b"PK\x03\x04"):
        data[data.index(mark) + (8 if mark == b"PK\x01\x02" else 6)] |= 1
    locked, good = cut(bytes(data), "a.zip", scratch=tmp_path)
    assert (locked.reason, good.reason) == ("unreadable", None)
    assert "encrypted" in locked.detail


def test_a_damaged_member_does_not_hide_the_others(tmp_path: Path):
    data = bytearray(zipped({"a.md": ARTICLE, "b.md": ARTICLE}, zipfile.ZIP_STORED))
    data[data.index(b"ledger")] ^= 1
    bad, good = cut(bytes(data), "a.zip", scratch=tmp_path)
    assert (bad.name, bad.reason, good.data) == ("!/a.md", "unreadable", ARTICLE)


@pytest.mark.parametrize(
    ("members", "name"),
    [
        ({"word/document.xml": b"<x/>"}, "report.docx"),
        ({"[Content_Types].xml": b"<x/>", "word/document.xml": b"<x/>"}, "nameless"),
        ({"mimetype": b"application/epub+zip"}, "nameless"),
        ({"a.md": b"# x"}, "app.jar"),
    ],
)
def test_an_office_file_is_no_archive(members: dict[str, bytes], name: str, tmp_path: Path):
    (record,) = cut(zipped(members), name, scratch=tmp_path)
    assert record.name == ""
