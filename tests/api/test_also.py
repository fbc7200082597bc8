"""Copies of one incident are one match at every door, and the others are named beside it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console
from selectolax.lexbor import LexborHTMLParser
from starlette.testclient import TestClient

from api.app import create_app
from api.commands.search import ask_engine
from api.console import print_answer
from api.settings import ServiceSettings
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
    console = Console(width=120, record=True)
    print_answer(answer | {"verdict": verdict}, console)
    (line,) = (line for line in console.export_text().splitlines() if COPY in line)
    assert "also" in line
