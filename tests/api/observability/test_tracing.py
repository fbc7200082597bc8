"""Spans: one a request, one a stage, without a text; sent only where the standard variables say."""

import os
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import httpx
import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from starlette.testclient import TestClient

from api.app import create_app
from api.observability import tracing
from api.settings import ServiceSettings
from kb.errors import SettingsError
from tests.api.fixtures import poll, serving
from tests.api.knowledge import KAFKA_TRACE
from tests.api.observability.test_logs import MARKER, PASTE, SECRET, requests_of_every_kind
from tests.listening import listening

STAGES = ["parse", "embed", "candidates", "compare", "rank", "explain"]


@pytest.fixture(scope="module")
def spans() -> Iterator[InMemorySpanExporter]:
    """What would be sent. OpenTelemetry takes one provider a process."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    yield exporter
    provider.shutdown()


def test_a_request_is_a_span_with_one_for_each_stage(home: Path, spans: InMemorySpanExporter) -> None:
    caller = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    with TestClient(create_app(ServiceSettings(home=home))) as client:
        spans.clear()
        client.post("/v1/search", json={"text": KAFKA_TRACE}, headers={"traceparent": caller})
    found: dict[str, ReadableSpan] = {span.name: span for span in spans.get_finished_spans()}
    request = found.pop("POST /v1/search")
    assert {*found} == {"search", *STAGES}
    assert format(request.context.trace_id, "032x") == caller.split("-")[1]
    assert dict(request.attributes or {}) == {
        "http.request.method": "POST",
        "http.route": "/v1/search",
        "http.response.status_code": 200,
    }
    parents = {name: span.parent.span_id if span.parent else 0 for name, span in found.items()}
    assert parents["search"] == request.context.span_id
    assert {parents[name] for name in STAGES} == {found["search"].context.span_id}


def test_no_span_holds_what_was_sent(home: Path, spans: InMemorySpanExporter) -> None:
    app = create_app(ServiceSettings(home=home))

    def fail(text: str) -> None:
        raise RuntimeError(f"not understood: {text}")

    app.add_api_route("/v1/fail", fail)
    with TestClient(app, raise_server_exceptions=False) as client:
        spans.clear()
        requests_of_every_kind(client)
        client.get("/v1/fail", params={"text": PASTE})
    written = "".join(span.to_json() for span in spans.get_finished_spans()).lower()
    assert "get /v1/fail" in written
    assert MARKER not in written
    assert SECRET.lower() not in written


@pytest.mark.parametrize(
    ("environment", "wanted"),
    [
        ({}, False),
        ({"OTEL_SERVICE_NAME": "kb"}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"}, True),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://collector:4318/v1/traces"}, True),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318", "OTEL_TRACES_EXPORTER": "none"}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318", "OTEL_SDK_DISABLED": "true"}, False),
    ],
)
def test_spans_are_sent_only_where_the_environment_says(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], *, wanted: bool
) -> None:
    for name in [name for name in os.environ if name.startswith("OTEL_")]:
        monkeypatch.delenv(name)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert tracing.is_wanted() == wanted


def test_without_the_extra_the_cure_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318")
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.resources", None)
    with pytest.raises(SettingsError) as raised:
        tracing.set_up()
    assert "dejastack[otel]" in raised.value.cure


def test_a_service_without_the_variables_loads_nothing_of_it() -> None:
    code = "import sys, api.app; print([m for m in sys.modules if m.startswith('opentelemetry.sdk')])"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_")}
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment, check=True, timeout=60)
    assert shown.stdout.decode().strip() == "[]"


def test_the_program_sends_them_to_a_collector(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A real collector's door: what arrives is OTLP and holds the route and the stages, and no paste."""
    received: list[tuple[str, bytes]] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append((self.path, self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with listening(Collector) as collector:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{collector.server_port}")
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
        monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "200")
        with serving(home, tmp_path) as server:
            httpx.post(f"{server.url}/v1/search", json={"text": PASTE}, timeout=30)
            poll(lambda: any(b"/v1/search" in body for _, body in list(received)))
    sent = b"".join(body for _, body in received)
    assert {path for path, _ in received} == {"/v1/traces"}
    assert all(stage.encode() in sent for stage in STAGES)
    assert MARKER.encode() not in sent
    assert SECRET.encode() not in sent
