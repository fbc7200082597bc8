"""What does not fit is refused with its place: JSON pointers into fields, line and column in Markdown. Nothing is saved of it."""

import json

import pytest

from api.contract.problems import HttpProblem
from api.writing.incident_input import parse_incident
from api.writing.shapes import LONGEST_TRACE
from tests.api.fixtures import assert_problem
from tests.api.writing.conftest import Desk

T = {"title": "t"}


@pytest.mark.parametrize(
    ("body", "pointers"),
    [
        ({}, ["#/title"]),
        ({"title": ""}, ["#/title"]),
        ({"title": " \u3000"}, ["#/title"]),
        ({"title": "a\nb"}, ["#/title"]),
        ({"title": 7}, ["#/title"]),
        ({"title": "x" * 501}, ["#/title"]),
        ({**T, "traces": ["ok", 7]}, ["#/traces/1"]),
        ({**T, "traces": "x"}, ["#/traces"]),
        ({**T, "traces": ["x"] * 101}, ["#/traces"]),
        ({**T, "traces": ["x" * (LONGEST_TRACE + 1)]}, ["#/traces/0"]),
        ({**T, "trace": ["ok", "a\0b"]}, ["#/trace/1"]),
        ({**T, "versions": ["ok", None]}, ["#/versions/1"]),
        ({**T, "tags": {"a": 1}}, ["#/tags"]),
        ({**T, "symptom": "a\0b"}, ["#/symptom"]),
        ({**T, "fix": ["x"]}, ["#/fix"]),
        ({**T, "lang": "fr"}, ["#/lang"]),
        ({**T, "status": "live"}, ["#/status"]),
        ({**T, "revision": "1"}, ["#/revision"]),
        ({**T, "revision": 1.5}, ["#/revision"]),
        ({**T, "id": "x" * 201}, ["#/id"]),
        ({**T, "id": "a\tb"}, ["#/id"]),
        ({**T, "source": {"file": "x"}}, ["#/source/file"]),
        ({**T, "quotes": {"fix": [{"start": 0, "end": 1}]}}, ["#/quotes/fix/0/line"]),
        ({**T, "announced": {"fix": 3}}, ["#/announced/fix"]),
        ({**T, "announced": {"title": "x"}}, ["#/announced/title"]),
        ({**T, "note": "x" * 2001}, ["#/note"]),
        ({**T, "mine": {"a": [1e999]}}, ["#/mine/a/0"]),
        ({**T, "a/b": {"c": "\ud800"}}, ["#/a~1b/c"]),
        ([T], ["#"]),
        ("t", ["#"]),
    ],
)
def test_fields_are_pointed_at(body: object, pointers: list[str]) -> None:
    with pytest.raises(HttpProblem) as raised:
        parse_incident(json.dumps(body, allow_nan=True).replace("Infinity", "1e999").encode(), markdown=False)
    assert raised.value.status_code == 422
    assert [one["pointer"] for one in raised.value.errors] == pointers


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b"\xff", 400),
        (b'{"title": NaN}', 400),
        (b'{"title": "a", "n": ' + b"9" * 5_000 + b"}", 400),
        (b"[" * 200_000, 400),
        (b'{"title": "a", "title": "b"}', 422),
        (b'{"title": "a", "x": {"k": 1, "k": 2}}', 422),
        (b'{"title": "\\ud800"}', 422),
        (b'{"title": "a", "x": ' + b"[" * 30 + b"]" * 30 + b"}", 422),
        (b'{"title": "a", "x": "' + b"y" * 2_000_000 + b'"}', 422),
    ],
)
def test_what_is_no_json_or_too_much_of_it(data: bytes, status: int) -> None:
    with pytest.raises(HttpProblem) as raised:
        parse_incident(data, markdown=False)
    assert raised.value.status_code == status


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("title: t\n", 1, 1),
        ("---\ntitle: t\nfoo: 1\n---\n## Symptom\n\nx\n", 3, 1),
        ("---\ntitle: t\r\nfoo: 1\r\n---\r\n## Symptom\r\n", 3, 1),
        ("---\ntitle: t\n---\n## Symptom\n\na\0b\n", 6, 2),
        (f"---\ntitle: {'x' * 501}\n---\n## Symptom\n\nx\n", 2, 1),
        (f"---\ntitle: t\nid: {'x' * 201}\n---\n## Symptom\n\nx\n", 3, 1),
        (f"---\ntitle: t\n---\n## Symptom\n\nx\n\n## 堆栈\n\n```\n{'x' * (LONGEST_TRACE + 1)}\n```\n", 8, 1),
        ("---\ntitle: t\n---\n## Symptom\n" + "x" * 2_000_000, 1, 1),
    ],
)
def test_markdown_is_pointed_into(text: str, line: int, column: int) -> None:
    with pytest.raises(HttpProblem) as raised:
        parse_incident(text.encode(), markdown=True)
    assert raised.value.status_code == 422
    assert (raised.value.errors[0]["line"], raised.value.errors[0]["column"]) == (line, column)


def test_over_http_it_is_a_problem_document_and_nothing_is_saved(desk: Desk) -> None:
    before = desk.store.head().sequence
    secret = "hunter2-Zx81-quaint"
    markdown = {"content-type": "text/markdown"}
    sent = [
        ({"json": {"title": "t", "traces": [7, secret]}}, 422, "invalid-request"),
        ({"json": {"title": [secret], secret: secret}}, 422, "invalid-request"),
        ({"content": f"---\ntitle: [{secret}]\n---\n{secret}".encode(), "headers": markdown}, 422, "invalid-request"),
        ({"content": b"\xff\xfe", "headers": markdown}, 400, "unreadable-body"),
        ({"content": b"{}", "headers": {"content-type": "text/html"}}, 415, "not-taken"),
        ({"content": b"{}"}, 415, "not-taken"),
    ]
    for options, status, kind in sent:
        response = desk.ask("POST", "", **options)  # type: ignore[arg-type]
        assert_problem(response, status, kind)
        assert secret not in response.text
    assert_problem(desk.ask("PUT", "/hostile", etag='"1"', json={"title": "t", "id": "other"}), 409, "other-id")
    other = b"---\ntitle: t\nid: other\n---\n## Symptom\n\nx\n"
    document = assert_problem(desk.ask("PUT", "/hostile", etag='"1"', headers=markdown, content=other), 409, "other-id")
    assert document["errors"] == [
        {"line": 3, "column": 1, "detail": "`id` is not the id in the address; an id never changes"}
    ]
    assert desk.store.head().sequence == before


def test_bounds_are_described(desk: Desk) -> None:
    """What a validator wraps loses its bounds in the description when they stand in the wrong order."""
    shapes = desk.client.get("/openapi.json").json()["components"]["schemas"]
    for name, field in (("SearchIn", "k"), ("CommentIn", "revision"), ("MergeIn", "into_revision"), ("PlaceIn", "end")):
        assert "minimum" in shapes[name]["properties"][field], (name, field)
    assert shapes["SearchIn"]["properties"]["filters"]["anyOf"][0]["additionalProperties"]["maxLength"] == 200
    assert shapes["IncidentIn"]["additionalProperties"] is True


def test_paths_and_parameters_of_strangers(desk: Desk) -> None:
    for path in ("/%00", "/%ED%A0%80", "/" + "x" * 3_000, "/a%2F..%2Fb", "/%2F", "//", "/a/history/history"):
        assert_problem(desk.ask("GET", path), 404, "no-such-incident")
    for query in (
        "?text=%00",
        "?component=" + "x" * 201,
        "?status=live",
        "?order=x",
        "?cursor=" + "x" * 501,
        "?limit=many",
    ):
        assert_problem(desk.ask("GET", query), 422, "invalid-request")
    for path in (
        "/x/history/0",
        "/x/history/x",
        "/x/history/99999999999999999999",
        "/x/diff?from=1",
        "/x/history?before=0",
    ):
        assert_problem(desk.ask("GET", path), 422, "invalid-request")
    assert_problem(desk.ask("PATCH", "/x"), 405, "method-not-allowed")
    assert desk.ask("POST", "/x").headers["allow"] == "DELETE, GET, PUT"
    assert desk.ask("DELETE", "/x/comments").headers["allow"] == "GET, POST"
    assert desk.ask("DELETE", "").headers["allow"] == "GET, POST"
