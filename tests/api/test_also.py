"""Copies of one incident are one match at every door, and the others are named beside it."""

import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import pytest
from rich.console import Console
from selectolax.lexbor import LexborHTMLParser
from starlette.testclient import TestClient

from api.app import create_app
from api.commands.search import ask_engine
from api.render.console import print_answer
from api.settings import ServiceSettings
from index.build import build
from index.encoder import load_encoder
from index.entry import entries
from kb.incident import Repost
from kb.record import from_record
from tests.api.knowledge import HDFS_TRACE, RECORDS, build_home

FIRST, COPY = "flink-checkpoint-hdfs-replicas", "复制 #7/b"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("copies")
    (original,) = (record for record in RECORDS if record["id"] == FIRST)
    build_home(folder, [*RECORDS, original | {"id": COPY, "tags": ["copy"]}])
    return folder


@pytest.fixture(scope="module")
def client(home: Path) -> Iterator[TestClient]:
    with TestClient(create_app(ServiceSettings(home=home))) as opened:
        yield opened


def test_the_wire_names_them(client: TestClient) -> None:
    first, *others = client.post("/v1/search", json={"text": HDFS_TRACE, "k": 50}).json()["matches"]
    also = {"id": COPY, "title": first["incident"]["title"]}
    assert (first["incident"]["id"], first["also"]) == (FIRST, [also])
    assert {match["incident"]["id"] for match in others}.isdisjoint({FIRST, COPY})
    assert all(match["also"] == [] for match in others)


def test_the_page_links_them(client: TestClient) -> None:
    page = LexborHTMLParser(client.post("/?lang=en", data={"text": HDFS_TRACE}, files={}).text)
    links = {node.attributes["href"] for node in page.css("article.best .more a")}
    address = "/incidents/%E5%A4%8D%E5%88%B6%20%237%2Fb?lang=en"
    assert address in links
    assert client.get(address).status_code == 200
    assert client.get(f"/v1{address}").json()["id"] == COPY


@pytest.mark.parametrize("verdict", ["known", "unknown"], ids=["the best", "among the others"])
def test_the_terminal_names_them(home: Path, verdict: str) -> None:
    answer = ask_engine(ServiceSettings(home=home), HDFS_TRACE, 3)
    out = io.StringIO()
    print_answer(answer | {"verdict": verdict}, Console(width=120, file=out))
    (line,) = (line for line in out.getvalue().splitlines() if COPY in line)
    assert "also" in line


REPOST = "转载 <b> 1"


@pytest.fixture(scope="module")
def reposted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home as `kb ingest` publishes it: the repost is no match of its own, its original names it."""
    folder = tmp_path_factory.mktemp("reposts")
    (original,) = (from_record(record) for record in RECORDS if record["id"] == FIRST)
    others = [from_record(record) for record in RECORDS if record["id"] != FIRST]
    named = replace(original, reposts=(Repost(REPOST, "<i>Copied</i>", "javascript:alert(1)"),))
    copied = replace(original, id=REPOST, title="<i>Copied</i>", duplicate_of=FIRST)
    encoder = load_encoder(None)
    build([entries([named, copied, *others], encoder)], folder, encoder)
    return folder


def test_a_repost_is_named_in_the_answer_and_on_the_page(reposted: Path) -> None:
    address = f"/incidents/{quote(REPOST)}?lang=en"
    with TestClient(create_app(ServiceSettings(home=reposted))) as opened:
        first = opened.post("/v1/search", json={"text": HDFS_TRACE}).json()["matches"][0]
        assert (first["incident"]["id"], first["also"]) == (FIRST, [{"id": REPOST, "title": "<i>Copied</i>"}])
        (wire,) = opened.get(f"/v1/incidents/{FIRST}").json()["reposts"]
        assert wire == {"id": REPOST, "title": "<i>Copied</i>", "url": "javascript:alert(1)"}
        original = LexborHTMLParser(opened.get(f"/incidents/{FIRST}?lang=en").text)
        assert {node.text(): node.attributes["href"] for node in original.css("dl a")}["<i>Copied</i>"] == address
        assert original.css("dl i, a[href^=javascript]") == []
        copied = LexborHTMLParser(opened.get(address).text)
        assert f"/incidents/{FIRST}?lang=en" in [node.attributes["href"] for node in copied.css("dl a")]
