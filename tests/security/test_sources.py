"""Who may write into a source publishes what is in it, and nothing else of the machine that ingests."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ingest.sources.formats import DocumentFormat
from ingest.sources.listing import Listing
from ingest.sources.local import list_local
from ingest.sources.packs import Packs
from ingest.sources.remembered import Remembered
from ingest.survey import Options
from ingest.watch import glance
from tests.ingest.sources.test_archives import zipped

CANARY = "OutsideLeakCanary: the service fails"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A source, beside what is none of its business."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text(CANARY)
    (outside / "secret.zip").write_bytes(zipped({"inner.md": CANARY.encode()}))
    folder = tmp_path / "source"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub/own.md").write_text("# It fails")
    (folder / ".git").mkdir()
    (folder / ".git/config.md").write_text(CANARY)
    return folder


OUT: dict[str, Callable[[Path], str]] = {
    "a file by its whole path": lambda at: str(at / "outside/secret.md"),
    "a file by a path upwards": lambda _: "../outside/secret.md",
    "a folder": lambda at: str(at / "outside"),
    "an archive": lambda at: str(at / "outside/secret.zip"),
    "a link to a link": lambda at: str(at / "hop"),
    "a folder whose name begins as the source's": lambda at: str(at / "source-of-others"),
    "the folder around the source": lambda _: "..",
    "what is hidden in the source": lambda _: ".git/config.md",
    "a folder that is hidden in the source": lambda _: ".git",
    "the environment of this process": lambda _: "/proc/self/environ",
    "the root": lambda _: "/",
}


def listed(source: Path, *, follow_links: bool = False) -> Listing:
    packs = Packs(source.parent / "packs")
    return list_local([source], DocumentFormat.AUTO, packs, Remembered(), follow_links=follow_links)


def reasons(listing: Listing) -> dict[str, Any]:
    return {row["path"]: row["reason"] for row in listing.documents.to_pylist()}


@pytest.mark.parametrize("name", ["link.md", "link", "link.zip", "sub/link.md"])
@pytest.mark.parametrize("out", OUT)
def test_a_link_that_leads_out_of_a_source_is_refused(source: Path, tmp_path: Path, name: str, out: str) -> None:
    (tmp_path / "hop").symlink_to("outside/secret.md")
    (tmp_path / "source-of-others").mkdir()
    (source / name).symlink_to(OUT[out](tmp_path) if OUT[out](tmp_path).startswith("/") else Path("../" * name.count("/"), OUT[out](tmp_path)))  # fmt: skip
    assert reasons(listed(source)) == {"sub/own.md": "", name: "unsafe"}
    seen = glance([str(source)], Options(tmp_path / "home"), lambda: pytest.fail("no Spark for this"))
    assert {path for _, path in seen} == {"sub/own.md", name}


def test_what_was_read_through_a_link_before_is_not_kept(source: Path, tmp_path: Path) -> None:
    """What could not be read of an archive stays as the lake knows it; a link that is refused now does not."""
    (source / "link.zip").symlink_to(tmp_path / "outside/secret.zip")
    before = listed(source, follow_links=True)
    assert reasons(before) == {"sub/own.md": "", "link.zip!/inner.md": ""}
    assert listed(source).blind == ()


def test_links_within_a_source_are_followed(source: Path) -> None:
    (source / "again.md").symlink_to("sub/own.md")
    (source / "whole").symlink_to(source / "sub")
    assert reasons(listed(source)) == {"again.md": "", "whole/own.md": ""}  # each file is read once


def test_links_out_of_a_source_are_followed_where_that_is_asked_for(source: Path, tmp_path: Path) -> None:
    (source / "link").symlink_to(tmp_path / "outside")
    found = reasons(listed(source, follow_links=True))
    assert found == {"sub/own.md": "", "link/secret.md": "", "link/secret.zip!/inner.md": ""}


def test_a_source_may_be_a_link_itself(source: Path, tmp_path: Path) -> None:
    (tmp_path / "given").symlink_to(source)
    assert reasons(listed(tmp_path / "given")) == {"sub/own.md": ""}
