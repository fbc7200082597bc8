"""A log line names the request and what became of it, and never a word of what was sent."""

import io
import json
import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import structlog
from starlette.testclient import TestClient

from api.app import create_app
from api.observability.logs import formatter
from api.settings import ServiceSettings
from tests.api.fixtures import poll, serving
from tests.api.knowledge import KAFKA_TRACE
from tests.api.proof.service import a_key

MARKER = "com.acme.zebrafish"
SECRET = "Hunter2hunter2"
PASTE = f"{KAFKA_TRACE}\n{MARKER} says password={SECRET}\n"


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    """What is logged at every level by everybody, as the service writes it."""
    root = logging.getLogger()
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter(is_json=True))
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield stream
    root.removeHandler(handler)
    root.setLevel(before)
    structlog.contextvars.clear_contextvars()


def events(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def requests_of_every_kind(client: httpx.Client) -> list[int]:
    """One paste at every door, well and badly formed; the statuses."""
    bad_id = {"x-request-id": f"{MARKER} {SECRET}"}
    responses = [
        client.post("/v1/search", json={"text": PASTE}, headers=bad_id),
        client.post("/v1/search/batch", json={"items": [{"id": MARKER, "text": PASTE}]}),
        client.post("/v1/parse", json={"text": PASTE}),
        client.post("/", data={"text": PASTE}),
        client.post("/", files={"file": (MARKER, PASTE.encode())}),
        client.get("/", params={"text": PASTE}),
        client.post("/v1/search", json={"text": [PASTE]}),
        client.post("/v1/search", json={"text": PASTE, MARKER: SECRET, "k": MARKER}),
        client.post("/v1/search", content=f'{{"text": "{MARKER}', headers={"content-type": "application/json"}),
        client.post("/v1/search", content=PASTE.encode(), headers={"content-type": f"text/{MARKER}"}),
        client.get(f"/v1/incidents/{MARKER}"),
        client.get(f"/{MARKER}/{SECRET}"),
        client.get(f"/incidents/{MARKER}", headers={"accept": "text/html"}),
        client.request(MARKER.upper().replace(".", ""), "/v1/search"),
    ]
    return [response.status_code for response in responses]


def test_no_line_of_any_level_holds_what_was_sent(home: Path, lines: io.StringIO) -> None:
    app = create_app(ServiceSettings(home=home))

    def fail(text: str) -> None:
        try:
            int(text)
        except ValueError as error:
            raise RuntimeError(f"not understood: {text}") from error

    app.add_api_route("/v1/fail", fail)
    with TestClient(app, raise_server_exceptions=False) as client:
        statuses = requests_of_every_kind(client)
        assert client.get("/v1/fail", params={"text": PASTE}).status_code == 500
    assert set(statuses) == {200, 400, 404, 405, 415, 422}
    written = lines.getvalue().lower()
    assert MARKER not in written
    assert SECRET.lower() not in written
    told = [event for event in events(lines) if event["event"] == "request"]
    assert [event["status"] for event in told] == [*statuses, 500]


def test_a_request_is_one_event(home: Path, lines: io.StringIO) -> None:
    with TestClient(create_app(ServiceSettings(home=home))) as client:
        client.post("/v1/search", json={"text": KAFKA_TRACE}, headers={"x-request-id": "find-me-1"})
        client.post("/v1/search", json={"text": 1})
    found, bad = [event for event in events(lines) if event["event"] == "request"]
    assert found.pop("ms") > 0
    assert found.pop("at").endswith("Z")
    assert found == {
        "event": "request",
        "request_id": "find-me-1",
        "method": "POST",
        "route": "/v1/search",
        "status": 200,
        "verdict": "known",
        "level": "info",
        "logger": "api.server.middleware",
        "worker": os.getpid(),
    }
    assert (bad["status"], bad["problem"]) == (422, "invalid-request")
    assert "verdict" not in bad
    assert bad["request_id"] != "find-me-1"


def test_a_fault_is_told_by_types_and_places(lines: io.StringIO) -> None:
    try:
        try:
            Path(f"/nonexistent/{MARKER}").read_bytes()
        except OSError as error:
            raise RuntimeError(MARKER) from error
    except RuntimeError:
        logging.getLogger("api.x").exception("it failed")
    (event,) = events(lines)
    outer, inner = event["fault"]
    assert (outer["type"], inner["type"]) == ("RuntimeError", "FileNotFoundError")
    assert inner["system"] == "No such file or directory"
    assert outer["where"][-1].startswith(__file__)
    assert "test_a_fault_is_told_by_types_and_places" in outer["where"][-1]
    assert MARKER not in lines.getvalue()


@pytest.mark.parametrize(
    ("template", "arguments", "written"),
    [
        ("got %r from %s", (MARKER, SECRET), "got %r from %s"),
        (f"never retrieved\nfuture: <ValueError({MARKER!r})>", (), "never retrieved"),
        ("x" * 1000, (), "x" * 300),
    ],
)
def test_of_a_librarys_line_only_the_authors_words_are_kept(
    lines: io.StringIO, template: str, arguments: tuple[str, ...], written: str
) -> None:
    logging.getLogger("asyncio").error(template, *arguments, extra={"body": MARKER})
    (event,) = events(lines)
    assert event["event"] == written
    assert MARKER not in lines.getvalue()


@pytest.mark.parametrize("form", ["json", "console"])
@pytest.mark.slow
def test_the_program_logs_in_the_form_asked_for(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    monkeypatch.setenv("KB_LOG_FORMAT", form)
    monkeypatch.setenv("KB_LOG_LEVEL", "debug")
    a_key(f"sqlite:///{home / 'store.db'}")  # the first start of all shows one, and that is no line of the log
    with serving(home, tmp_path) as server, httpx.Client(base_url=server.url) as client:
        requests_of_every_kind(client)
        client.get("/healthz", headers={"x-request-id": "last-of-all"})
        poll(lambda: "last-of-all" in server.output.read_text())
        written = server.output.read_text()
    assert MARKER not in written.lower()
    assert SECRET not in written
    if form == "json":
        events = [json.loads(line) for line in written.splitlines()]
        assert {"request", "route", "ms"} <= {key for event in events for key in (*event, event["event"])}
    else:
        assert "route=/v1/search" in written
