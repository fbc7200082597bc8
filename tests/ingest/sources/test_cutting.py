"""Laws of cutting: nothing is lost, nothing raises, whatever the bytes are."""

import gzip
import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.sources.formats import DocumentFormat
from ingest.sources.listing import MAX_DOCUMENT
from ingest.sources.recognise import Shape, recognise
from tests.ingest.sources.cuts import cut
from tests.ingest.sources.test_archives import tarred, zipped
from tests.ingest.sources.test_exports import FILES

NAMES = st.from_regex(r"[a-z]{1,6}(/[a-z]{1,6}){0,2}\.(md|txt|html|png)", fullmatch=True)
PACKS = {
    "a.zip": zipped,
    "a.tar": tarred,
    "a.tar.gz": lambda files: gzip.compress(tarred(files)),
    "b.zip": lambda files: zipped({"inner.tar": tarred(files)}),
}


@given(
    st.dictionaries(NAMES, st.binary(max_size=200).map(lambda data: b"# " + data), max_size=6),
    st.sampled_from(sorted(PACKS)),
)
def test_every_member_is_a_document_or_is_told(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, bytes], name: str
):
    found = cut(PACKS[name](files), name, scratch=tmp_path_factory.getbasetemp())
    inner = "!/inner.tar" if name == "b.zip" and files else ""
    told = {record.name.removeprefix(f"{inner}!/"): record for record in found if record.name.startswith(f"{inner}!/")}
    assert set(told) == set(files)
    assert {path: record.data for path, record in told.items() if not record.reason} == {
        path: data for path, data in files.items() if not path.endswith(".png")
    }


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.name)
@pytest.mark.parametrize("packed", [False, True])
@given(data=st.data())
def test_damaged_exports_are_read_or_told(
    tmp_path_factory: pytest.TempPathFactory, file: Path, data: st.DataObject, *, packed: bool
):
    whole = bytearray(gzip.compress(file.read_bytes(), mtime=0) if packed else file.read_bytes())
    for at in data.draw(st.lists(st.integers(0, len(whole) - 1), max_size=4)):
        whole[at] = data.draw(st.integers(0, 255))
    torn = bytes(whole[: data.draw(st.integers(1, len(whole)))])
    found = cut(torn, file.name + (".gz" if packed else ""), scratch=tmp_path_factory.getbasetemp())
    assert found or file.suffix == ".csv"  # one of headers alone
    assert all(
        len(record.data) <= MAX_DOCUMENT and not (record.reason and record.data and record.reason != "invalid_record")
        for record in found
    )


@pytest.mark.parametrize(
    ("text", "name", "shape"),
    [
        ("# From here\n", "a.md", Shape.DOCUMENT),
        ("From here on nothing worked.\nSee below.\n", "a.txt", Shape.DOCUMENT),
        ("From the log of 2023\nerror: x\n", "a.txt", Shape.DOCUMENT),
        ('{"level": "error", "title": "x", "msg": "y"}\n{"level": "info"}\n', "app.log", Shape.DOCUMENT),
        ("[2023-01-01] ERROR x\n", "app.log", Shape.DOCUMENT),
        ('{"compilerOptions": {}}', "tsconfig.json", Shape.NONE),
        ('[{"id": 1}]', "data.json", Shape.NONE),
        ('{"cells": [], "metadata": {"title": "x", "body": "y"}}', "a.ipynb", Shape.DOCUMENT),
        ("<project><name>x</name></project>", "pom.xml", Shape.NONE),
        ("<!DOCTYPE html><html><body><posts></posts></body></html>", "a.html", Shape.DOCUMENT),
        ("<p>x</p><ac:link><ri:page/></ac:link>", "page.html", Shape.PAGE),
        ("# Macros\n<ac:link><ri:page/></ac:link>", "a.md", Shape.DOCUMENT),
        ("name,age\nann,5\n", "people.csv", Shape.NONE),
        ("Summary,Issue key\nx,A-1\n", "out.csv", Shape.JIRA_CSV),
        ('"summary";"issue type"\nx;Bug\n', "out.csv", Shape.JIRA_CSV),
        ("概要,问题关键字\nx,A-1\n", "out.csv", Shape.JIRA_CSV),
        ("问题类型\t概要\t描述\r\n故障\tx\ty\r\n", "out.tsv", Shape.JIRA_CSV),
        ("概要,负责人\nx,ann\n", "tasks.csv", Shape.NONE),
        ("Executive summary,Key\nx,A\n", "tasks.csv", Shape.NONE),
        ('{"title": "x", "fix": "y"}\n{"title": "z"}\n', "a.json", Shape.LINES),
        ('{"title": "x", "fix": "y"}', "a.json", Shape.JSON),
        ('{"anything": 1}\n', "a.jsonl", Shape.LINES),
        ("", "a.json", Shape.NONE),
        ("", "a", Shape.DOCUMENT),
    ],
)
def test_what_a_file_holds(text: str, name: str, shape: Shape):
    assert recognise(text.encode(), name, DocumentFormat.AUTO) is shape


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
def test_chinese_headers_in_any_encoding(encoding: str):
    head = "问题关键字,概要,描述\nA-1,x,y\n".encode(encoding)
    assert recognise(head, "out.csv", DocumentFormat.AUTO) is Shape.JIRA_CSV


def test_articles_are_taken_for_articles(shared_data: Path):
    """No article of the large set looks like an export, an archive or settings."""
    shapes = {
        recognise(path.read_bytes()[: 256 << 10], path.name, DocumentFormat.AUTO)
        for path in (shared_data / "articles").rglob("*")
        if path.is_file()
    }
    assert shapes == {Shape.DOCUMENT}


def test_a_record_of_any_kind_keeps_its_words(tmp_path: Path):
    lone = '{"title": "half \\ud83d fails", "fix": "\\u0000", "number": 12345678901234567890}'
    (record,) = cut(f"[{lone}]".encode(), "a.json", scratch=tmp_path)
    assert json.loads(record.data) == json.loads(lone)
    assert io.BytesIO(record.data).read().count(b"\n") == 0
