"""Log lines: JSON or for a terminal, one event each, with the request's id; never a word of what was pasted.

What a person sent can stand in an exception's message, so a fault is told by its types and places alone; and in a library's line,
so of that only what its author wrote is kept: the first line of the template, without its arguments.
"""

import logging
import os
import sys
from collections.abc import Iterator
from types import TracebackType
from typing import Literal

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

OURS = ("api", "index", "kb")
"""Loggers whose lines are written for this log: their messages are events, their values stand in ``extra``."""
Form = Literal["auto", "json", "console"]
Level = Literal["debug", "info", "warning", "error"]

_EXTRA = structlog.stdlib.ExtraAdder()
_DEEPEST = 30
_LONGEST = 300


def set_up(form: Form, level: Level) -> None:
    """Send every log line of this process to standard error: ours from ``level`` on, the libraries' warnings and errors.

    ``auto`` is ``console`` where standard error is a terminal, else ``json``.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter(is_json=writes_json(form)))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    for name in OURS:
        logging.getLogger(name).setLevel(level.upper())


def writes_json(form: Form) -> bool:
    """Whether lines are JSON."""
    return form == "json" or (form == "auto" and not sys.stderr.isatty())


def formatter(*, is_json: bool) -> logging.Formatter:
    """Writes a record as one line."""
    last: Processor = structlog.processors.JSONRenderer(ensure_ascii=False)
    if not is_json:
        last = structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    common: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        _values,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        _worker,
        _fault,
    ]
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=common,
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, last],
    )


def _values(logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
    """What stands beside the event in our lines; of a library's line nothing but its author's words."""
    record: logging.LogRecord = event["_record"]
    if record.name.partition(".")[0] in OURS:
        event = dict(_EXTRA(logger, method, event))
        event.pop("message", None)  # left by another handler that formatted the record
        return event
    event["event"] = str(record.msg).partition("\n")[0][:_LONGEST]
    return event


def _worker(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    event["worker"] = os.getpid()
    return event


def _fault(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """An exception as types and places, its causes after it; of an error of the system also what the system calls it."""
    record: logging.LogRecord = event["_record"]
    event.pop("exc_info", None)
    event.pop("stack_info", None)
    if record.exc_info and record.exc_info[1]:
        event["fault"] = [_error_fields(error) for error in _with_causes(record.exc_info[1])]
    record.exc_info, record.exc_text, record.stack_info = None, None, None
    return event


def _with_causes(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    now: BaseException | None = error
    while now is not None and id(now) not in seen:
        seen.add(id(now))
        yield now
        now = now.__cause__ or (None if now.__suppress_context__ else now.__context__)


def _error_fields(error: BaseException) -> dict[str, object]:
    kind = f"{type(error).__module__}.{type(error).__qualname__}".removeprefix("builtins.")
    system = {"system": os.strerror(error.errno)} if isinstance(error, OSError) and error.errno else {}
    return {"type": kind, **system, "where": [*_places(error.__traceback__)][-_DEEPEST:]}


def _places(trace: TracebackType | None) -> Iterator[str]:
    while trace is not None:
        code = trace.tb_frame.f_code
        yield f"{code.co_filename}:{trace.tb_lineno} {code.co_name}"
        trace = trace.tb_next
