"""Listing: what is found, what is refused on sight, what keeps its key."""

import hashlib
import os
from pathlib import Path
from typing import Any

import pytest

from ingest.reading import read_bytes, read_document
from ingest.sources.formats import DocumentFormat
from ingest.sources.local import list_local
from ingest.sources.packs import Packs
from ingest.sources.remembered import Remembered
from kb.errors import SourceError


def listed(*places: Path, form: DocumentFormat = DocumentFormat.AUTO) -> dict[str, dict[str, Any]]:
    packs = Packs(places[0].parent / ".packs")
    return {row["path"]: row for row in list_local(list(places), form, packs, Remembered()).documents.to_pylist()}


def test_every_file_but_the_hidden_ones(tmp_path: Path):
    for name in ("a.md", "deep/er/b.html", ".git/config", ".hidden.md", "deep/c"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    found = listed(tmp_path)
    assert {path: row["format"] for path, row in found.items()} == {
        "a.md": "markdown",
        "deep/er/b.html": "html",
        "deep/c": "auto",
    }
    assert found["a.md"]["content"] == hashlib.sha256(b"a.md").hexdigest()
    assert found["a.md"]["source"] == str(tmp_path)


def test_a_single_file_is_a_source(tmp_path: Path):
    (tmp_path / "one.md").write_text("x")
    assert list(listed(tmp_path / "one.md")) == ["one.md"]


def test_the_same_folder_twice_is_listed_once(tmp_path: Path):
    (tmp_path / "one.md").write_text("x")
    assert (
        list_local(
            [tmp_path, tmp_path / "." / "../" / tmp_path.name],
            DocumentFormat.AUTO,
            Packs(tmp_path / ".packs"),
            Remembered(),
        ).documents.num_rows
        == 1
    )


def test_a_missing_source_is_an_error_with_a_cure(tmp_path: Path):
    with pytest.raises(SourceError, match=r"nowhere.*is not there.*give the path"):
        listed(tmp_path / "nowhere")


def test_links_in_a_circle_end(tmp_path: Path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.md").write_text("x")
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    (tmp_path / "again").symlink_to(tmp_path / "a")
    assert len(listed(tmp_path)) == 1


def test_a_link_to_itself_hides_nobody(tmp_path: Path):
    for name in ("a.md", "z.md"):
        (tmp_path / name).write_text("x")
    (tmp_path / "b").symlink_to("b")
    assert {path: row["reason"] for path, row in listed(tmp_path).items()} == {
        "a.md": "",
        "b": "unreadable",
        "z.md": "",
    }


@pytest.mark.parametrize(
    ("name", "make", "reason", "detail"),
    [
        pytest.param(
            "gone.md", lambda p: p.symlink_to("/nowhere/x.md"), "unreadable", "No such file", id="broken-link"
        ),
        pytest.param("pipe.md", os.mkfifo, "unreadable", "not a regular file", id="pipe"),
        pytest.param("a.png", lambda p: p.write_bytes(b"x"), "unsupported", ".png", id="picture"),
        pytest.param(
            "big.md",
            lambda p: os.truncate(os.open(p, os.O_CREAT | os.O_WRONLY), 17 << 20),
            "too_large",
            "17,825,792",
            id="large",
        ),
    ],
)
def test_refused_on_sight(tmp_path: Path, name: str, make: Any, reason: str, detail: str):
    make(tmp_path / name)
    row = listed(tmp_path)[name]
    assert row["reason"] == reason
    assert detail in row["detail"]


def test_a_name_that_is_no_unicode_can_be_opened_again(tmp_path: Path):
    path = os.fsencode(tmp_path) + b"/caf\xe9.md"
    Path(os.fsdecode(path)).write_bytes(b"x")
    row = listed(tmp_path)["caf\\xe9.md"]
    assert row["location"] == path
    (tmp_path / "caf\\xe9.md").write_bytes(b"y")  # a name that looks as the other is spelled
    assert len(listed(tmp_path)) == 2


@pytest.mark.skipif(os.geteuid() == 0, reason="root may open every folder")
def test_a_closed_folder_is_told_and_remembered(tmp_path: Path):
    (tmp_path / "closed").mkdir(mode=0)
    listing = list_local([tmp_path], DocumentFormat.AUTO, Packs(tmp_path / ".packs"), Remembered())
    assert listing.documents.to_pylist()[0]["reason"] == "unreadable"
    assert listing.blind == ((str(tmp_path), "closed/"),)


def test_lines_are_documents_known_by_their_content(tmp_path: Path):
    file = tmp_path / "dump.jsonl"
    file.write_bytes(b'{"a":1}\r\n\n{"b":2}\n{"a":1}')
    before = listed(tmp_path)
    first = hashlib.sha256(b'{"a":1}').hexdigest()[:16]
    second = hashlib.sha256(b'{"b":2}').hexdigest()[:16]
    assert {path: (row["line"], row["offset"], row["size"]) for path, row in before.items()} == {
        f"dump.jsonl#{first}": (1, 0, 9),
        f"dump.jsonl#{second}": (3, 10, 8),
        f"dump.jsonl#{first}-2": (4, 18, 7),
    }
    file.write_bytes(b'{"b":2}\n{"c":3}\n{"a":1}\n{"a":1}\n')
    after = listed(tmp_path)
    assert {row["doc"] for row in before.values()} < {row["doc"] for row in after.values()}


def test_a_line_longer_than_a_block_is_hashed_whole(tmp_path: Path):
    line = b'{"t":"' + b"x" * (3 << 20) + b'"}'
    (tmp_path / "d.jsonl").write_bytes(line + b"\n{}\n")
    assert [row["content"] for row in listed(tmp_path).values()] == [
        hashlib.sha256(t).hexdigest() for t in (line, b"{}")
    ]


def test_a_form_that_was_asked_for_holds_for_every_file(tmp_path: Path):
    (tmp_path / "a.json").write_text('{"title": "x"}')
    assert [row["format"] for row in listed(tmp_path, form=DocumentFormat.JSONL).values()] == ["jsonl"]


ORIGINAL = "---\nid: pool\ntitle: Pool\nlang: en\n---\n\n## Symptom\n\nIt failed: it is empty.\n"
TRANSLATION = "---\nid: pool\ntitle: 连接池\nlang: zh\ntranslates:\n---\n\n## 现象\n\n空了。\n"


def test_a_translation_is_a_part_of_the_document_beside_it(tmp_path: Path):
    files = {"a/pool.md": ORIGINAL, "a/pool.zh.md": TRANSLATION, "b/index.md": "# A", "b/index.zh.md": "# 甲"}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = listed(tmp_path)
    row = found["a/pool.md"]
    data = read_bytes(row["location"], row["offset"], row["size"])
    (incident,) = read_document(data, row["path"], DocumentFormat.AUTO).incidents

    assert sorted(found) == ["a/pool.md", "b/index.md", "b/index.zh.md"]
    assert row["content"] == hashlib.sha256(data).hexdigest()
    assert row["size"] == len(data)
    assert (incident.id, incident.title, incident.translations["zh"].title) == ("pool", "Pool", "连接池")
    (tmp_path / "a/pool.zh.md").write_text(TRANSLATION.replace("空", "满"), encoding="utf-8")
    assert listed(tmp_path)["a/pool.md"]["content"] != row["content"]
    (tmp_path / "a/pool.md").unlink()
    assert "a/pool.zh.md" in listed(tmp_path)
