"""Packs: cut once for each content, what was known of a damaged file stays, what is gone goes."""

import gzip
import json
import os
import resource
from pathlib import Path
from typing import Any

import pytest

from ingest.reading import read_bytes
from ingest.sources.formats import DocumentFormat
from ingest.sources.listing import Listing
from ingest.sources.local import list_local
from ingest.sources.packs import Packs
from ingest.sources.remembered import Remembered
from kb.errors import SourceError
from tests.ingest.sources.test_archives import zipped


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    return folder


def listing(source: Path, form: DocumentFormat = DocumentFormat.AUTO) -> Listing:
    packs = Packs(source.parent / "packs")
    found = list_local([source], form, packs, Remembered())
    packs.prune(found.sources)
    return found


def rows(source: Path, form: DocumentFormat = DocumentFormat.AUTO) -> dict[str, dict[str, Any]]:
    return {row["path"]: row for row in listing(source, form).documents.to_pylist()}


def issues(*numbers: int, body: str = "It fails") -> list[dict[str, object]]:
    return [{"number": n, "title": f"T{n}", "body": body} for n in numbers]


def test_documents_are_read_from_the_pack(source: Path):
    (source / "a.json").write_text(json.dumps(issues(1, 2)))
    (source / "b.zip").write_bytes(zipped({"x.md": b"# x fails"}))
    found = rows(source)
    read = {path: read_bytes(row["location"], row["offset"], row["size"]) for path, row in found.items()}
    assert set(read) == {"a.json#1", "a.json#2", "b.zip!/x.md"}
    assert json.loads(read["a.json#2"]) == issues(2)[0]
    assert read["b.zip!/x.md"] == b"# x fails"


def test_a_file_is_cut_once_for_each_content(source: Path):
    """Who cuts writes the bytes of the documents; they are taken away after each listing, as a run does."""
    cuts = Packs(source.parent / "packs")

    def cut() -> list[Path]:
        laid_down = [data.parent for data in cuts.root.glob("*/*/data")]
        cuts.empty()
        return laid_down

    (source / "a.json").write_text(json.dumps(issues(1, 2)))
    before = rows(source)
    (first,) = cut()
    assert rows(source) == before
    assert cut() == []
    (source / "a.json").write_text(json.dumps(issues(1) + issues(2, body="It fails again") + issues(3)))
    after = rows(source)
    (second,) = cut()
    assert first != second
    same = {path for path in after if path in before and after[path]["content"] == before[path]["content"]}
    assert same == {"a.json#1"}
    assert set(after) == {"a.json#1", "a.json#2", "a.json#3"}
    assert {row["doc"] for row in before.values()} < {row["doc"] for row in after.values()}


def test_another_form_is_another_pack(source: Path):
    (source / "a.zip").write_bytes(zipped({"x": b"# x fails"}))
    assert [rows(source, form)["a.zip!/x"]["format"] for form in (DocumentFormat.AUTO, DocumentFormat.MARKDOWN)] == [
        "auto",
        "markdown",
    ]


def test_packs_of_files_that_are_gone_go(source: Path, tmp_path: Path):
    other = tmp_path / "other"
    other.mkdir()
    for folder in (source, other):
        (folder / "a.json").write_text(json.dumps(issues(1)))
        rows(folder)
    assert len(list((tmp_path / "packs").iterdir())) == 2
    (source / "a.json").unlink()
    (source / "b.md").write_text("x")
    rows(source)
    (left,) = (tmp_path / "packs").iterdir()
    rows(other)
    assert list((tmp_path / "packs").iterdir()) == [left]
    assert len(list(left.iterdir())) == 1


def test_what_a_killed_run_left_is_swept(source: Path):
    (source / "a.json").write_text(json.dumps(issues(1)))
    (doc,) = {row["location"] for row in rows(source).values()}
    folder = Path(os.fsdecode(doc)).parent
    (folder / "index.parquet").unlink()
    (folder.parent / "new").mkdir()
    (folder.parent / "new" / "data").write_bytes(b"half")
    half = folder.parent.parent / "ffff" / "new"
    half.mkdir(parents=True)
    (half / "data").write_bytes(b"half of a file that is gone")
    assert set(rows(source)) == {"a.json#1"}
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]
    assert [path.name for path in folder.parent.parent.iterdir()] == [folder.parent.name]


@pytest.mark.parametrize(("name", "kept"), [("index.parquet", 0), ("index.parquet", 9), ("data", 9)])
def test_a_pack_that_is_not_whole_is_made_again(source: Path, name: str, kept: int):
    (source / "a.json").write_text(json.dumps(issues(1, 2)))
    before = rows(source)
    folder = Path(os.fsdecode(before["a.json#1"]["location"])).parent
    data = (folder / "data").read_bytes()
    (folder / name).write_bytes((folder / name).read_bytes()[:kept])
    assert rows(source) == before
    assert (folder / "data").read_bytes() == data


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.txt.gz"])
def test_documents_of_a_damaged_archive_do_not_count_as_removed(source: Path, name: str):
    data = gzip.compress(b"".join(b'{"title": "%d fails", "fix": "x"}\n' % n for n in range(9_000)))
    (source / name).write_bytes(data[: len(data) // 2])
    found = listing(source)
    reasons = dict(zip(*(found.documents[column].to_pylist() for column in ("path", "reason")), strict=True))
    assert reasons[name] == "unreadable"
    assert list(reasons.values()).count("") > 100
    assert found.blind == ((str(source), f"{name}#"), (str(source), f"{name}!/"))


def test_an_archive_of_nothing_is_told(source: Path):
    (source / "a.zip").write_bytes(zipped({}))
    (source / "b.json").write_text('{"issues": []}')
    assert {path: row["reason"] for path, row in rows(source).items()} == {"a.zip": "empty", "b.json": "empty"}


def test_equal_names_are_all_kept(source: Path):
    (source / "a.json").write_text(json.dumps(issues(1, 1, 2)))
    assert set(rows(source)) == {"a.json#1", "a.json#1-2", "a.json#2"}


def test_a_full_disk_is_an_error_with_a_cure(source: Path):
    (source / "a.json").write_text(json.dumps(issues(*range(3_000))))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, limits[1]))
    try:
        with pytest.raises(SourceError, match=r"no room to unpack a\.json.*free room"):
            rows(source)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert len(rows(source)) == 3_000
