"""Errors in records and documents: a line of JSON or logfmt, an error body printed over several lines, YAML."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from kb.trace.finding.structured import LogRecord, read_block
from kb.trace.messages.candidate import EXCEPTION, OF_ERROR_RECORD, OF_PROGRAM, Candidate
from kb.trace.messages.form import Severity
from kb.trace.messages.forms import read_form
from kb.trace.messages.pieces import TextLine
from kb.trace.messages.typed import chain_of, runtime_of
from kb.trace.messages.yaml import in_yaml

_PHRASES = frozenset(
    (
        "Bad Request", "Unauthorized", "Payment Required", "Forbidden", "Not Found", "Method Not Allowed", "Not Acceptable", "Request Timeout", "Conflict", "Gone",
        "Payload Too Large", "Content Too Large", "URI Too Long", "Unsupported Media Type", "Unprocessable Entity", "Unprocessable Content", "Locked", "Failed Dependency",
        "Too Many Requests", "Internal Server Error", "Not Implemented", "Bad Gateway", "Service Unavailable", "Gateway Timeout", "Insufficient Storage",
    )
)  # fmt: skip
"""``"error": "Service Unavailable"`` of Spring's bodies names the status (RFC 9110), no class."""


def of_documents(text: str, lines: Sequence[TextLine]) -> Iterator[Candidate]:
    """The errors of JSON documents that are printed over several lines: records, error bodies of services."""
    opened = next((line for line in lines if text.startswith("{", line.start)), None)
    closed = next((line for line in reversed(lines) if text[line.start : line.end].strip() in ("}", "}]", "},")), None)
    if opened is not None and closed is not None and opened.begin < closed.begin:
        record = read_block(text[opened.start : closed.end].rstrip(", "))
        if record is not None:
            yield from of_record(record, opened.start, closed.end - opened.start)
    for shown_ in in_yaml(text, lines):
        raised = [(shown_.type, shown_.message)] if shown_.type else [_reread(shown_.message)]
        score = EXCEPTION if shown_.type else OF_ERROR_RECORD
        yield Candidate(score, shown_.begin, shown_.end, "tool", tuple(raised))


def of_record(record: LogRecord, begin: int, length: int) -> Iterator[Candidate]:
    """Return what a log's record or an error body says went wrong, at a place; nothing for one that says nothing."""
    raised: list[tuple[str | None, str | None]] = []
    if record.exception_type in _PHRASES and record.exception_message not in (None, record.exception_type):
        record = replace(record, exception_type=None)
    if record.exception_type:
        raised = chain_of(record.exception_type, record.exception_message or record.message)
        score = EXCEPTION
    else:
        raised = [_reread(said) for said in dict.fromkeys((record.message, record.exception_message)) if said]
        score = (
            OF_ERROR_RECORD
            if record.level in ("error", "fatal") or (record.level is None and record.exception_message)
            else 0
        )
    if record.level == "warning":
        score = score - 12 if score else OF_PROGRAM[Severity.WARNING]
    if score and raised:
        first, last = record.message_span or (0, length)
        place = (0, length) if record.exception_type or record.exception_message else (first, last)
        runtime = runtime_of(record.exception_type) if record.exception_type else "text"
        yield Candidate(score, begin + place[0], begin + place[1], runtime, tuple(raised))


def _reread(said: str) -> tuple[str | None, str | None]:
    """What a field says, less the prefix of the program that it comes from: ``rpc error: code = NotFound desc = …``."""
    found = read_form((said,), 0)
    return (found.type, found.message) if found is not None and found.message else (None, said)
