"""How a program prints an error in a line of text: the shape of the tables in this folder."""

import re
from dataclasses import dataclass
from enum import IntEnum


class Severity(IntEnum):
    """How much a line says about what went wrong. Of several lines in a paste the most severe one is chosen."""

    WARNING = 1
    """The program went on."""
    SUMMARY = 2
    """It only says that something failed: ``make: *** [all] Error 2``, ``Process completed with exit code 1``."""
    ERROR = 3
    """It says what failed."""


@dataclass(frozen=True, slots=True)
class MessageForm:
    """One way in which a program prints an error.

    ``pattern`` is matched (`re.Pattern.match`) at the beginning of a line from which indentation, quotation marks, list marks,
    colours, CI time stamps and log prefixes are taken off. It must be linear on hostile text: bounded or possessive repeats only. Groups:

    ``message``  what the program says, without its own prefix; may be missing where ``below`` finds it, or where the type says it all (``OOMKilled``)
    ``type``     the error's code or class, where the line names one (``TS2345``, ``E0308``, ``ELIFECYCLE``)
    """

    program: str
    """Who prints it: ``npm``, ``nginx``."""
    pattern: re.Pattern[str]
    severity: Severity = Severity.ERROR
    type: str | None = None
    """The type where the program's line always means the same error and names none. ``{}`` in it stands for the group ``type``: ``curl {}``."""
    runtime: str = "tool"
    """Whose error it is, where a program prints one of a runtime: pytest one of Python's."""
    below: re.Pattern[str] | None = None
    """Finds the message on one of the next lines (group ``message``, and ``type`` where it stands there)."""
