"""Loggers of Python: what each prints as a record. Run by run.sh."""

import logging
import sys

import ecs_logging
import json_log_formatter
import loguru
import structlog
from pythonjsonlogger.json import JsonFormatter


def pay(order: int) -> float:
    """Fail."""
    return order / 0


def by_stdlib(handler: logging.Handler, name: str) -> None:
    """One failure without a stack, one with it, one warning."""
    log = logging.getLogger(name)
    log.handlers, log.propagate = [handler], False
    try:
        pay(42)
    except ZeroDivisionError as error:
        log.error("payment of order %s failed: %s", 42, error)
        log.exception("payment of order %s failed", 42)
    log.warning("disk is full", extra={"path": "/data"})


def handler(formatter: logging.Formatter) -> logging.Handler:
    """Standard output."""
    made = logging.StreamHandler(sys.stdout)
    made.setFormatter(formatter)
    return made


def by_structlog(*processors: object) -> None:
    """The same by structlog."""
    structlog.configure(
        processors=[structlog.stdlib.add_log_level, structlog.processors.TimeStamper(fmt="iso"), *processors],
        logger_factory=structlog.PrintLoggerFactory(),
    )
    log = structlog.get_logger()
    try:
        pay(42)
    except ZeroDivisionError as error:
        log.error("payment failed", order=42, error=str(error))
        log.error("payment failed", order=42, exc_info=True)
    log.warning("disk is full", path="/data")


def main() -> None:
    """All of them, each behind a line that names it."""
    print("# python-json-logger")
    by_stdlib(handler(JsonFormatter("{asctime}{levelname}{name}{message}", style="{")), "shop.pay")
    print("# ecs-logging")
    by_stdlib(handler(ecs_logging.StdlibFormatter()), "shop.pay")
    print("# json-log-formatter")
    by_stdlib(handler(json_log_formatter.VerboseJSONFormatter()), "shop.pay")
    print("# the standard library, with a format that looks like JSON")
    layout = '{"time": "%(asctime)s", "level": "%(levelname)s", "name": "%(name)s", "message": "%(message)s"}'
    by_stdlib(handler(logging.Formatter(layout)), "shop.pay")
    print("# the standard library, with a format of pairs")
    by_stdlib(handler(logging.Formatter('time="%(asctime)s" level=%(levelname)s logger=%(name)s msg="%(message)s"')), "shop.pay")
    print("# structlog JSONRenderer, format_exc_info")
    by_structlog(structlog.processors.format_exc_info, structlog.processors.JSONRenderer())
    print("# structlog JSONRenderer, dict_tracebacks")
    shown = structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
    by_structlog(structlog.processors.ExceptionRenderer(shown), structlog.processors.JSONRenderer())
    print("# structlog JSONRenderer, exc_info left as it is")
    by_structlog(structlog.processors.JSONRenderer())
    print("# structlog LogfmtRenderer")
    by_structlog(structlog.processors.format_exc_info, structlog.processors.LogfmtRenderer())
    print("# structlog KeyValueRenderer")
    by_structlog(structlog.processors.KeyValueRenderer(key_order=["level", "event"]))
    print("# structlog ConsoleRenderer")
    by_structlog(structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback))
    print("# loguru, serialize=True")
    loguru.logger.remove()
    loguru.logger.add(sys.stdout, serialize=True, diagnose=False)
    try:
        pay(42)
    except ZeroDivisionError as error:
        loguru.logger.error("payment of order {} failed: {}", 42, error)
        loguru.logger.exception("payment of order {} failed", 42)
    print("# a dictionary printed as it is")
    print({"level": "error", "event": "payment failed", "error": "ZeroDivisionError('division by zero')", "order": 42})


main()
