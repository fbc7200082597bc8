"""Spans for OpenTelemetry: one a request, one a stage, with names and figures and never a text.

Off unless the standard ``OTEL_EXPORTER_OTLP_ENDPOINT`` (or ``…_TRACES_ENDPOINT``) is set, which needs the extra ``otel``.
FastAPI's own telemetry is not used: its spans hold the query of the address, which can hold a pasted text.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any

from opentelemetry import propagate, trace
from opentelemetry.trace import Span, SpanKind, StatusCode

from kb.errors import SettingsError

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_NO_MESSAGES: dict[str, Any] = {"record_exception": False, "set_status_on_exception": False}
_FLUSH_MS = 2_000
_tracer = trace.get_tracer("dejastack", version("dejastack"))


def is_wanted() -> bool:
    """Whether the environment asks for spans."""
    is_off = os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true"
    exporter = os.environ.get("OTEL_TRACES_EXPORTER", "otlp")
    return not is_off and exporter != "none" and any(os.environ.get(name) for name in _ENDPOINTS)


def set_up() -> None:
    """Send spans where the environment says, if it says so. SettingsError when what sends them is not installed."""
    if not is_wanted():
        return
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415 - the extra `otel`
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415 - the extra `otel`
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415 - the extra `otel`
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415 - the extra `otel`
    except ModuleNotFoundError as error:
        problem = f"{_ENDPOINTS[1]} is set, but the Python module {error.name} is missing"
        raise SettingsError(problem, cure="pip install 'dejastack[otel]', or unset it") from error
    resource = Resource.create({"service.name": os.environ.get("OTEL_SERVICE_NAME") or "dejastack"})
    provider = TracerProvider(resource=resource)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)


def flush() -> None:
    """Send what was not sent yet."""
    send = getattr(trace.get_tracer_provider(), "force_flush", None)  # of the SDK's provider only
    if send:
        send(_FLUSH_MS)


@contextmanager
def span(name: str) -> Iterator[Span]:
    """A stage. What goes wrong in it is told by its type alone."""
    with _tracer.start_as_current_span(name, **_NO_MESSAGES) as current, _type_of_failure(current):
        yield current


@contextmanager
def request_span(headers: Mapping[str, str]) -> Iterator[Span]:
    """A request, as part of the caller's trace where it names one (`traceparent`)."""
    parent = propagate.extract(headers)
    opened = _tracer.start_as_current_span("request", parent, SpanKind.SERVER, **_NO_MESSAGES)
    with opened as current, _type_of_failure(current):
        yield current


def finish(current: Span, method: str, route: str, status: int) -> None:
    """Name a request's span after its route, and say how it ended."""
    current.update_name(f"{method} {route}")
    current.set_attributes({"http.request.method": method, "http.route": route, "http.response.status_code": status})
    if status >= 500 or not status:
        current.set_status(StatusCode.ERROR)


@contextmanager
def _type_of_failure(current: Span) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        current.set_attribute("error.type", type(error).__name__)
        raise
