"""What the service refuses for now, what is too large, and what there is of long lists: told by tools, never by a broken connection."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from api.app import create_app
from api.mcp.routes_client import Routes
from api.mcp.server import list_resources, uri_of
from api.mcp.tools import TOOLS, DraftAndSaveIn, schema
from api.settings import ServiceSettings
from kb.incident import Incident, Status, fields_of
from tests.api.access.conftest import House
from tests.api.fixtures import HERE, LOCAL, assert_problem
from tests.api.knowledge import HDFS_TRACE, KAFKA_TRACE, UNKNOWN_TRACE

from .agent import message, post, refused, result_of, text_of

NEAR_TRACE = "Unable to close"


@contextmanager
def service(home: Path, **settings: Any) -> Iterator[TestClient]:
    with TestClient(create_app(ServiceSettings(home=home, **settings)), client=HERE) as client:
        yield client


def test_a_search_out_of_time_says_when_to_come_back(home: Path) -> None:
    with service(home, search_seconds=0.000_01) as client:
        told = refused(post(client, "search_incidents", {"text": HDFS_TRACE}), "too-slow")
    assert "Cure: try again in 5 s." in told


def test_no_place_is_no_broken_connection(home: Path) -> None:
    with service(home, concurrency=1, queue=0) as client, client.app.state.service.admission.place():  # type: ignore[attr-defined]
        told = refused(post(client, "search_incidents", {"text": HDFS_TRACE}), "overloaded")
        assert client.post("/mcp", json=message("tools/list")).status_code == 200
    assert "Cure: try again in 1 s." in told


def test_without_a_snapshot_tools_say_what_to_run(tmp_path: Path) -> None:
    with service(tmp_path) as client:
        assert "kb ingest" in refused(post(client, "search_incidents", {"text": HDFS_TRACE}), "no-snapshot")
        assert not result_of(post(client, "parse_trace", {"text": HDFS_TRACE})).is_error


def test_a_message_over_the_limit_is_refused_as_every_body(home: Path) -> None:
    with service(home, max_body_bytes=5_000_000) as client:
        assert not result_of(post(client, "parse_trace", {"text": "x" * 4_900_000})).is_error
        assert_problem(post(client, "parse_trace", {"text": "x" * 5_000_000}), 413, "body-too-large")


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_there_are_no_sessions_to_open_or_to_end(house: House, method: str) -> None:
    response = house.client.request(method, "/mcp", headers={"Accept": "text/event-stream"})
    assert_problem(response, 405, "method-not-allowed")
    assert response.headers["allow"] == "POST"


def test_a_long_list_is_given_in_pages_and_ends(house: House) -> None:
    for number in range(4):
        house.add(f"team/{number}", f"Number {number}", Status.PUBLISHED)
    house.follow()
    names: list[str] = []
    transport = httpx.ASGITransport(app=house.client.app, client=HERE)
    routes, cursor = Routes(httpx.AsyncClient(transport=transport, base_url=LOCAL), "this service"), None
    assert house.client.portal is not None
    while True:
        page = house.client.portal.call(list_resources, routes, cursor, 2, 5)
        names += [one.name for one in page.resources]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert names[:4] == ["team/3", "team/2", "team/1", "team/0"]
    assert len(names) == len(set(names)) == 5
    assert page.resources[0].uri.startswith("incident://")


@pytest.mark.parametrize(
    "cursor", ["", "x", "0", "0/", "-1/r:0", "٣/r:0", "9999999/r:0", "0/s:", "0/" + "x" * 500, "0/r:99999999999999"]
)
def test_a_cursor_that_no_page_gave_is_refused(house: House, cursor: str) -> None:
    answer = house.client.post("/mcp", json=message("resources/list", {"cursor": cursor})).json()
    assert answer["error"]["code"] == -32602
    assert " Cure: " in answer["error"]["message"]


@given(st.text(min_size=1, max_size=50))
def test_an_address_says_its_id_in_letters_that_every_reader_keeps(name: str) -> None:
    quoted = uri_of(name).removeprefix("incident://")
    assert re.fullmatch(r"(?:[A-Za-z0-9._~-]|%[0-9A-F]{2})+", quoted)
    assert unquote(quoted) == name


@pytest.mark.parametrize(
    "uri",
    ["incident://", "incident://a%00b", "incident://" + "x" * 900, "http://x", "", "incident:python-ascii-decode"],
)
def test_an_address_of_nothing_is_refused(house: House, uri: str) -> None:
    answer = house.client.post("/mcp", json=message("resources/read", {"uri": uri})).json()
    assert answer["error"]["code"] == -32602
    assert " Cure: mend the argument" in answer["error"]["message"]


def test_an_id_with_a_slash_is_read(house: House) -> None:
    house.add("notes/a b?#%2F", "Slashed", Status.PUBLISHED)
    house.follow()
    uri = uri_of("notes/a b?#%2F")
    (content,) = house.client.post("/mcp", json=message("resources/read", {"uri": uri})).json()["result"]["contents"]
    assert content["uri"] == uri
    assert "title: Slashed" in content["text"]


@pytest.mark.parametrize(
    ("tool", "arguments", "said", "unsaid"),
    [
        ("search_incidents", {"text": HDFS_TRACE}, ["KNOWN: ", "id flink-checkpoint-hdfs-replicas", "Fix: 1. Raise", "Why: ", "Others:"], ["Nearest"]),
        ("search_incidents", {"text": HDFS_TRACE, "explain": False, "k": 1}, ["KNOWN: "], ["Why: ", "Others:"]),
        ("search_incidents", {"text": UNKNOWN_TRACE}, ["UNKNOWN: No known incident. Nothing in the knowledge base is near it."], ["KNOWN: this", "Nearest:", "Fix:"]),
        ("search_incidents", {"text": NEAR_TRACE}, ["UNKNOWN: ", "do not present it", "Nearest:", "(id flink-checkpoint-hdfs-replicas)"], ["KNOWN: this", "Fix:"]),
        ("search_incidents", {"text": "flink checkpoint 失败，磁盘满了"}, ["RELATED, not certain: ", "Fix: Free the disk", "num-retained: 2"], ["KNOWN: this"]),
        ("search_incidents", {"text": f"password=Hunter2hunter2\n{KAFKA_TRACE}"}, ["消费者"], ["Hunter2"]),
        ("parse_trace", {"text": HDFS_TRACE}, ["1 found.", "Trace 1: jvm", "cause: java.io.IOException: Unable", "  at org.apache"], []),
        ("parse_trace", {"text": "java.io.IOException: x\n" + "\tat a.B.c(D.java:1)\n" * 30}, ["… 22 more frames"], []),
        ("parse_trace", {"text": "boom, token=ghp_0123456789abcdefghijABCDEFGHIJ012345"}, ["Message without a trace:\nboom", "Secrets taken out: "], ["ghp_0"]),
        ("get_incident", {"id": "hive-metastore-schema"}, ["Hive 启动失败", "component hive", "Root cause: 元数据库没有初始化", "Trace:\norg.apache"], []),
        ("draft_incident", {"text": UNKNOWN_TRACE, "title": "Mine", "tags": ["a"]}, ["Not saved.", "title: Mine", "tags:"], []),
    ],
)  # fmt: skip
def test_what_a_model_reads(
    house: House, tool: str, arguments: dict[str, Any], said: list[str], unsaid: list[str]
) -> None:
    text = text_of(result_of(post(house.client, tool, arguments)))
    assert [one for one in said if one not in text] == []
    assert [one for one in unsaid if one in text] == []


def test_schemas_say_what_a_model_needs_and_little_else() -> None:
    taken = schema(DraftAndSaveIn)
    said = {field.name for field in fields_of(Incident) if field.from_writer}
    assert set(taken["properties"]) == {"text", "title", "save", *said}
    assert taken["additionalProperties"] is False
    listed = [tool.listing(name).model_dump_json(by_alias=True, exclude_none=True) for name, tool in TOOLS.items()]
    assert sum(map(len, listed)) < 21_000, "agents read them in every conversation: shorten a description first"
