"""The plan: every way a document can have changed between two runs, as rows."""

from typing import Any

import pyarrow as pa
import pytest

from ingest.plan import Plan, Versions, make_plan
from ingest.schemas import STATE_SCHEMA
from ingest.sources.listing import ListedDocument, Listing, to_table

NOW = Versions(reader="R1", indexer="I1", publisher="P1")


def listing(*listed: ListedDocument, blind: tuple[tuple[str, str], ...] = ()) -> Listing:
    return Listing(to_table(listed), ("/a",), blind)


def found(path: str = "x.md", content: str = "c1", **other: Any) -> ListedDocument:
    return ListedDocument("/a", path, f"/a/{path}".encode(), "markdown", 10, content, **other)


def known(listed: ListedDocument, **other: Any) -> dict[str, Any]:
    row = {"doc": listed.doc, "source": listed.source, "path": listed.path, "size": 10, "content": listed.content}
    row |= {"line": 0, "status": "accepted", "reason": "", "detail": "", "incidents": 1}
    return row | {"reader": "R1-markdown", "indexer": "I1", "run": "run1"} | other


def plan(now: Listing, *then: dict[str, Any], full: bool = False) -> Plan:
    return make_plan(now, pa.Table.from_pylist(list(then), schema=STATE_SCHEMA), NOW, full=full)


def paths(table: pa.Table) -> list[str]:
    return table["path"].to_pylist()


@pytest.mark.parametrize(
    ("then", "to_read"),
    [
        pytest.param(known(found()), [], id="same"),
        pytest.param(known(found(), content="c0"), ["x.md"], id="other-content"),
        pytest.param(known(found(), reader="R0-markdown"), ["x.md"], id="other-reader"),
        pytest.param(known(found(), reader="R1-text"), ["x.md"], id="read-in-another-form"),
        pytest.param(
            known(found(), status="rejected", reason="no_problem", indexer="", run="run1"), [], id="same-rejected"
        ),
        pytest.param(
            known(found(), status="rejected", content="", reason="unreadable", run=""), ["x.md"], id="readable-again"
        ),
        pytest.param(known(found(), status="removed"), ["x.md"], id="came-back"),
        pytest.param(known(found("y.md")), ["x.md"], id="new"),
    ],
)
def test_what_is_read_again(then: dict[str, Any], to_read: list[str]):
    assert paths(plan(listing(found()), then).to_read) == to_read


def test_full_reads_everything():
    assert paths(plan(listing(found()), known(found()), full=True).to_read) == ["x.md"]


def test_an_unchanged_lake_asks_for_nothing():
    same = plan(listing(found()), known(found()))
    assert same.nothing
    assert (same.unchanged, same.removed) == (1, 0)


def test_a_model_change_remakes_entries_and_reads_nothing_of_any_source():
    elsewhere = known(ListedDocument("/b", "z.md", b"/b/z.md", "markdown", 1, "c"), indexer="I0")
    changed = plan(listing(found()), known(found(), indexer="I0"), elsewhere)
    assert paths(changed.to_read) == []
    assert sorted(paths(changed.stale)) == ["x.md", "z.md"]
    assert changed.kept.num_rows == 0


def test_a_removed_file_becomes_a_tombstone_and_other_sources_stay():
    elsewhere = known(ListedDocument("/b", "z.md", b"/b/z.md", "markdown", 1, "c"))
    after = plan(listing(found()), known(found()), known(found("gone.md")), elsewhere)
    assert {row["path"]: row["status"] for row in after.kept.to_pylist()} == {
        "x.md": "accepted",
        "gone.md": "removed",
        "z.md": "accepted",
    }
    assert (after.removed, after.nothing) == (1, False)


def test_files_in_an_unreadable_folder_are_not_removed():
    after = plan(
        listing(found(), blind=(("/a", "deep/"),)), known(found()), known(found("deep/y.md")), known(found("deeper.md"))
    )
    assert {row["path"]: row["status"] for row in after.kept.to_pylist()} == {
        "x.md": "accepted",
        "deep/y.md": "accepted",
        "deeper.md": "removed",
    }


def test_a_file_refused_by_the_listing_is_rejected_once_and_not_read():
    refused = found("p.png", content="10@1", reason="unsupported", detail="no")
    first = plan(listing(refused))
    assert (first.newly_refused, paths(first.to_read)) == (1, [])
    row = first.kept.to_pylist()[0]
    assert (row["status"], row["reason"], row["detail"], row["run"]) == ("rejected", "unsupported", "no", "")
    assert plan(listing(refused), row).nothing


def test_slices_hold_every_document_once_in_order():
    several = plan(listing(*(found(f"{i:03d}.md", content=str(i)) for i in range(120))))
    sizes = pa.array([1 << 25] * 120)
    big = Plan(
        several.kept,
        several.to_read.set_column(several.to_read.schema.get_field_index("size"), "size", sizes),
        *([several.stale, 0, 0, 0, several.changes]),
    )
    slices = big.slices()
    assert [piece.num_rows for piece in slices] == [32, 32, 32, 24]
    assert [path for piece in slices for path in paths(piece)] == paths(several.to_read)


def test_every_change_is_named():
    refused = found("p.png", content="10@1", reason="unsupported", detail="no")
    elsewhere = known(ListedDocument("/b", "z.md", b"/b/z.md", "markdown", 1, "c"), indexer="I0")
    after = plan(
        listing(found("new.md"), found("back.md"), found("other.md"), found("old.md"), found("same.md"), refused),
        known(found("back.md"), status="removed"),
        known(found("other.md"), content="c0"),
        known(found("old.md"), reader="R0-markdown"),
        known(found("same.md")),
        known(found("gone.md")),
        elsewhere,
    )
    assert [tuple(row.values()) for row in after.changes.to_pylist()] == [
        ("/a", "back.md", "new"),
        ("/a", "gone.md", "removed"),
        ("/a", "new.md", "new"),
        ("/a", "old.md", "reread"),
        ("/a", "other.md", "changed"),
        ("/a", "p.png", "new"),
        ("/b", "z.md", "remade"),
    ]


def test_an_unchanged_lake_has_no_changes():
    assert plan(listing(found()), known(found())).changes.num_rows == 0


def test_tombstones_are_bounded_and_go_when_a_document_returns():
    older = [known(found(f"older{at}.md"), status="removed") for at in range(10_000)]
    after = plan(
        listing(found("x.md")), known(found("x.md")), *older, *(known(found(f"gone{at}.md")) for at in range(3))
    )
    removed = [f"older{at}.md" for at in range(3, 10_000)] + ["gone0.md", "gone1.md", "gone2.md"]
    assert paths(after.kept) == ["x.md", *removed]
    back = plan(listing(found("gone1.md")), *after.kept.slice(9_998).to_pylist())
    assert paths(back.to_read) == ["gone1.md"]
    assert paths(back.kept) == ["gone0.md", "gone2.md"]
