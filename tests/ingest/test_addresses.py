"""Addresses of documents that state none: what a base may be, what it makes of paths, and that it outlives a run."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from typer.testing import CliRunner

from index import Engine
from ingest.addresses import Addresses, read_base
from ingest.command import app
from ingest.lake import Lake
from ingest.pipeline import ingest, preview
from ingest.progress import StageProgress
from ingest.summary import Summary
from ingest.survey import Options
from kb.errors import KbError, SourceError
from tests.ingest.articles import article, trace
from tests.ingest.test_lake import edit, lake_with

Write = Callable[[dict[str, str | bytes]], Path]
BASE = "https://wiki.example/docs"


@pytest.mark.parametrize(
    ("text", "base"),
    [
        (BASE, f"{BASE}/"),
        (f"{BASE}//", f"{BASE}/"),
        ("http://wiki.example:8080", "http://wiki.example:8080/"),
        ("HTTPS://wiki.example/知识", "https://wiki.example/%E7%9F%A5%E8%AF%86/"),
        ("https://wiki.example/a%20b", "https://wiki.example/a%20b/"),
        ("http://[::1]:80/x", "http://[::1]:80/x/"),
        ("", ""),
    ],
)
def test_a_base_ends_in_a_slash(text: str, base: str) -> None:
    assert read_base(text) == base
    assert read_base(base) == base


@pytest.mark.parametrize(
    "text",
    [
        "wiki.example/docs",
        "ftp://wiki.example/",
        "javascript:alert(1)",
        "https://",
        "https:///docs",
        "https://wiki.example:port/",
        "https://[::1/",
        "https://user:secret-word@wiki.example/",
        "https://wiki.example/?page=",
        "https://wiki.example/#top",
        "https://wiki.example/a b",
        "https://wiki.example/\n",
        " ",
    ],
)
def test_what_is_no_address_of_a_folder_is_refused_with_a_cure(text: str) -> None:
    """The text itself is not repeated: it may hold a login."""
    with pytest.raises(SourceError, match="base address") as refused:
        read_base(text)
    assert "https://wiki.example" in refused.value.cure
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("source", "path", "url", "shown"),
    [
        ("/wiki", "zh/a b.md", "zh/a b.md", f"{BASE}/zh/a%20b.md"),
        ("/wiki", "故障/50%.md", "故障/50%.md", f"{BASE}/%E6%95%85%E9%9A%9C/50%25.md"),
        ("/wiki", "a.md", "a.md#启动-失败", f"{BASE}/a.md#%E5%90%AF%E5%8A%A8-%E5%A4%B1%E8%B4%A5"),
        ("/wiki", "a#1?.md", "a#1?.md", f"{BASE}/a%231%3F.md"),
        ("/wiki", "a.md", "https://else.example/a", "https://else.example/a"),
        ("/wiki", "lines.jsonl#0f0f", "KB-1", "KB-1"),
        ("/other", "a.md", "a.md", "a.md"),
        ("/wiki", "old.zip!/b.md", "old.zip!/b.md", "old.zip!/b.md"),
        ("/srv/wiki.zip", "wiki.zip!/in/b.md", "wiki.zip!/in/b.md#x", f"{BASE}/in/b.md#x"),
    ],
)
def test_a_document_that_states_no_address_lies_below_the_base(source: str, path: str, url: str, shown: str) -> None:
    addresses = Addresses({"/wiki": f"{BASE}/", "/srv/wiki.zip": f"{BASE}/"})
    assert addresses.of(source, path, url) == shown


def test_the_command_refuses_what_is_no_address(tmp_path: Path) -> None:
    refused = CliRunner().invoke(app, [str(tmp_path), "--base-url", "wiki.example"])
    assert isinstance(refused.exception, KbError)


def test_bases_outlive_a_commit_and_a_lake_of_before_has_none(tmp_path: Path) -> None:
    lake = lake_with(tmp_path, ("a", "accepted"))
    with lake.locked():
        lake.note_sources({"/wiki": f"{BASE}/"}, ())
        lake.commit(lake.documents())
    assert Lake(tmp_path).manifest.bases == {"/wiki": f"{BASE}/"}
    edit(tmp_path, lambda stored: {name: value for name, value in stored.items() if name != "bases"})
    assert Lake(tmp_path).manifest.bases == {}


@pytest.mark.spark
@pytest.mark.slow
def test_a_base_is_kept_and_another_reads_nothing_again(spark: SparkSession, folder: Write, tmp_path: Path) -> None:  # noqa: ARG001  ingest uses it
    source = folder({"故障/alpha.md": article("alpha"), "copy.md": article("alpha"), "beta.md": article("beta")})
    home = tmp_path / "home"

    def run(**other: Any) -> Summary:
        return ingest([str(source)], Options(home, **other), StageProgress())

    def urls() -> set[str]:
        engine = Engine.open(home)
        try:
            found = [match.incident for name in ("alpha", "beta") for match in engine.search(trace(name)).matches[:1]]
            return {url for one in found for url in (one.source.url, *(other.url for other in one.reposts))}
        finally:
            engine.close()

    run()
    paths = urls()
    assert paths == {"故障/alpha.md", "copy.md", "beta.md"}
    before = Options(home, base=f"{BASE}/")
    assert preview([str(source)], before, StageProgress()).publishes
    first = run(base=f"{BASE}/")
    assert (first.published, first.done_now) == (True, 0)
    linked = {f"{BASE}/%E6%95%85%E9%9A%9C/alpha.md", f"{BASE}/copy.md", f"{BASE}/beta.md"}
    assert urls() == linked
    assert not run().published
    assert not preview([str(source)], before, StageProgress()).publishes
    folder({"beta.md": article("beta", "which is new")})
    assert run().done_now == 1
    assert urls() == linked
    other = run(base="https://new.example/")
    assert (other.published, other.done_now) == (True, 0)
    assert "https://new.example/beta.md" in urls()
    assert run(base="").published
    assert urls() == paths
    with pytest.raises(SourceError, match="2 sources"):
        ingest([str(source), str(source / "beta.md")], before, StageProgress())
