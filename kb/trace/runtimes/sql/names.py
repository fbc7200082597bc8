"""The lasting names of stored procedures and messages of databases."""

from kb.patterns import lazy
from kb.trace.model import Frame, RaisedException


def function_name(raw: str) -> str | None:  # noqa: ARG001
    """Return None: a stored procedure alone looks like any name."""
    return None


def normal_frame(frame: Frame) -> Frame:
    """Return a stored procedure without the line; Oracle and PostgreSQL fold the case of names, so it is folded here."""
    name = frame.function
    return Frame(
        function=name.lower() if name else None,
        module=frame.module.lower() if frame.module else None,
        in_app=frame.in_app,
    )


def is_machinery(frame: Frame) -> bool:  # noqa: ARG001
    """Return False: each procedure of a stack tells something."""
    return False


def rank(frame: Frame) -> int:
    """Return 0 for a procedure of the application, 2 for one of the database's own packages."""
    return 0 if frame.in_app else 2


def loose_key(frame: Frame) -> str:
    """Return package and procedure."""
    return f"{frame.module}.{frame.function}" if frame.module else frame.function or "?"


# What names the release, the driver or the place in the query, and not the fault
_PASSING = lazy(
    r" \(version [^()\n]{1,60}(?:\([^()\n]{1,60}\))?\)| at character <int>|,? ?DRIVER=[\w.<>]{1,40}|; line <int> pos <int>|,? ?SQLSTATE[=:] ?[0-9A-Z]{5}(?:; line <int> pos <int>;?)?"
    r"| \(state=[\w<>]{1,12},code=-?\w{1,9}\)"
)


def normal_message(exception: RaisedException) -> str | None:
    """Return the message without release, driver and place in the query."""
    message = exception.message or ""
    while (shorter := _PASSING.sub("", message).strip()) != message:
        message = shorter
    return message or None


def normal_type(name: str) -> str:
    """Return the code as it is: databases keep their codes."""
    return name
