"""What is browsed: facets with counts, sorting, pages, of a snapshot and of what was saved since."""

import json
from pathlib import Path
from typing import Any

import pytest

from index import Engine
from index.storage.catalogue import HERE, Catalogue, CatalogueQuery, source_of
from tests.api.knowledge import HDFS_TRACE, RECORDS, build_home


def document(name: str, **more: Any) -> tuple[bytes, bytes]:
    """An incident as an entry holds it."""
    chains = more.pop("chains", [])
    told = {"id": name, "title": f"About {name}", "lang": "en", "url": name, "status": "published"} | more
    return json.dumps(told, ensure_ascii=False).encode(), json.dumps(chains).encode()


def chain(runtime: str, *types: str | None) -> dict[str, Any]:
    return {"runtime": runtime, "exceptions": [{"type": one, "frames": [{"function": "f"}]} for one in types]}


CATALOGUE = Catalogue.of(
    [
        document("a", component="Flink", created="2024-01-02", fix="Do.", tags=["oom"], chains=[chain("jvm", "A", "B"), chain("jvm", "A")]),
        document("b", component="flink", created="2024-03-01", lang="zh", title="磁盘", translations={"en": {"title": "Disk"}}),
        document("c", url="https://www.example.org/x", fix="  ", chains=[chain("python", None), chain("sql", "A")]),
        document("d", duplicate_of="a"),
        document("e", status="draft"),
    ]
)  # fmt: skip


def ids(query: CatalogueQuery, catalogue: Catalogue = CATALOGUE) -> list[str]:
    return [one.id for one in catalogue.page(query).rows]


def counts(facet: str, query: CatalogueQuery | None = None) -> dict[str, int]:
    return {one.value: one.count for one in CATALOGUE.page(query or CatalogueQuery({})).facets[facet]}


def test_every_facet_is_counted() -> None:
    """Each incident counts once for a value; duplicates and drafts do not count."""
    assert counts("component") == {"flink": 2}
    assert counts("runtime") == {"jvm": 1, "python": 1, "sql": 1}
    assert counts("exception") == {"A": 2, "B": 1}
    assert counts("language") == {"en": 3, "zh": 1}
    assert counts("status") == {"published": 3}
    assert counts("fix") == {"no": 2, "yes": 1}
    assert counts("source") == {HERE: 2, "example.org": 1}


def test_a_choice_narrows_the_others_and_not_its_own_facet() -> None:
    query = CatalogueQuery({"exception": "a", "fix": "no"})
    assert ids(query) == ["c"]
    assert counts("exception", query) == {"A": 1}
    assert counts("fix", query) == {"no": 1, "yes": 1}
    assert counts("component", query) == {}
    assert CATALOGUE.among(["a", "c", "x"], {"exception": "A"}) == {"a", "c"}


@pytest.mark.parametrize(
    ("text", "found"), [("OOM", ["a"]), ("about", ["a", "c"]), ("磁", ["b"]), ("flink", ["b", "a"]), ("nope", [])]
)
def test_words_stand_in_id_title_component_or_tag(text: str, found: list[str]) -> None:
    assert ids(CatalogueQuery({}, text)) == found


def test_orders() -> None:
    assert ids(CatalogueQuery({})) == ["b", "a", "c"], "without a date last"
    assert ids(CatalogueQuery({}, order="title")) == ["a", "c", "b"]
    assert ids(CatalogueQuery({}, order="title", lang="zh")) == ["a", "c", "b"]
    assert ids(CatalogueQuery({}, order="useful", scores={"c": 2, "b": -1, "gone": 9})) == ["c", "a", "b"]
    assert ids(CatalogueQuery({}, start=1, limit=1)) == ["a"]
    assert CATALOGUE.page(CatalogueQuery({}, start=5)).total == 3


def test_titles_are_in_the_language_of_the_reader() -> None:
    english, chinese = (CATALOGUE.page(CatalogueQuery({}, lang=lang)).rows[0] for lang in ("en", "zh"))
    assert ((english.title, english.lang), (chinese.title, chinese.lang)) == (("Disk", "en"), ("磁盘", "zh"))


def test_what_comes_later_is_newer_and_what_is_taken_out_is_gone() -> None:
    later = CATALOGUE.without(["a"]).plus(Catalogue.of([document("x"), document("y", created="1999-01-01")]))
    assert ids(CatalogueQuery({}), later) == ["y", "x", "b", "c"]
    hidden = Catalogue.of([document("e", status="draft")], hidden=True)
    assert ids(CatalogueQuery({"status": "draft"}), CATALOGUE.plus(hidden)) == ["e"]
    assert len(Catalogue.of([])) == 0
    assert ids(CatalogueQuery({"fix": "yes"}, "x"), Catalogue.of([])) == []


def test_sources() -> None:
    assert [source_of(one) for one in ("https://www.a.org/x", "wiki/ops/a.md", "a.md", "", "http:///x", "/x/y")] == [
        "a.org", "wiki", HERE, HERE, HERE, HERE,
    ]  # fmt: skip


def test_a_snapshot_is_read_as_it_was_written(tmp_path: Path) -> None:
    build_home(tmp_path)
    engine = Engine.open(tmp_path)
    catalogue = engine.catalogue()
    assert len(catalogue) == len(RECORDS) == engine.searchable()
    assert catalogue is engine.catalogue(), "read once"
    page = catalogue.page(CatalogueQuery({"exception": "java.io.ioexception"}))
    assert {one.id for one in page.rows} == {"flink-checkpoint-hdfs-replicas", "flink-checkpoint-disk-full"}
    assert "java.io.IOException" in HDFS_TRACE
    engine.close()
