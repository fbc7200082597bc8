"""Databases' own errors, as their shells, drivers and logs print them: a code and a message, seldom a stack."""

import re

from kb.trace.model import Frame, RaisedException
from kb.trace.runtimes.base import Runtime, no_marker
from kb.trace.runtimes.sql.reader import NEEDLES, named_in, read, starts


def _function_name(raw: str) -> str | None:  # noqa: ARG001
    """None: a stored procedure alone looks like any name."""
    return None


def _normal_frame(frame: Frame) -> Frame:
    """A stored procedure without the line; Oracle and PostgreSQL fold the case of names, so it is folded here."""
    name = frame.function
    return Frame(
        function=name.lower() if name else None,
        module=frame.module.lower() if frame.module else None,
        in_app=frame.in_app,
    )


def _is_machinery(frame: Frame) -> bool:  # noqa: ARG001
    return False


def _rank(frame: Frame) -> int:
    """0 a procedure of the application, 2 one of the database's own packages."""
    return 0 if frame.in_app else 2


def _key(frame: Frame) -> str:
    return f"{frame.module}.{frame.function}" if frame.module else frame.function or "?"


# What names the release, the driver or the place in the query, and not the fault
_PASSING = re.compile(
    r" \(version [^()\n]{1,60}(?:\([^()\n]{1,60}\))?\)| at character <int>|,? ?DRIVER=[\w.<>]{1,40}|; line <int> pos <int>|,? ?SQLSTATE[=:] ?[0-9A-Z]{5}(?:; line <int> pos <int>;?)?"
    r"| \(state=[\w<>]{1,12},code=-?\w{1,9}\)"
)


def _lasting_message(exception: RaisedException) -> str | None:
    message = exception.message or ""
    while (shorter := _PASSING.sub("", message).strip()) != message:
        message = shorter
    return message or None


def _same_type(name: str) -> str:
    return name


RUNTIME = Runtime(
    name="sql",
    needles=NEEDLES,
    starts=starts,
    read=read,
    named_in=named_in,
    embedded=(),
    function_name=_function_name,
    normal_frame=_normal_frame,
    is_machinery=_is_machinery,
    rank=_rank,
    loose_key=_key,
    normal_type=_same_type,
    is_diagnostic=no_marker,
    normal_message=_lasting_message,
)
