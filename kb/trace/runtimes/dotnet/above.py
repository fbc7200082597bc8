"""What stands above a stack whose head is no ``Type: message``: fields of an event log, or the message alone.

Programs often show ``Message`` and ``StackTrace`` of an exception and not its type.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kb.trace.runtimes.dotnet.heads import TYPE
from kb.trace.runtimes.dotnet.messages import type_of_message

_LONGEST = 1_000
_TYPE_FIELD = re.compile(
    r"[\W_]*(?:(?i:exception ?type|type d'exception|ausnahmetyp)|异常类型|例外狀況類型|例外の種類)[\"']?[ \t]*[:：=][ \t]*[\"']?"
    rf"(?P<type>{TYPE})"
)
_MESSAGE_FIELD = re.compile(
    r"[\W_]*(?:(?i:exception ?message|error ?message|message)|异常消息|错误(?:信息|消息)|消息|例外訊息|訊息|例外メッセージ)[\"']?[ \t]*[:：=][ \t]*[\"']?"
    r"(?P<message>[^\n]*?)[\"',]*[ \t]*$"
)
_LABEL = re.compile(
    r"[\W_]*(?:(?i:full ?)?(?i:stack ?trace|call ?stack|stack|trace)|堆栈(?:跟踪|信息)?|调用堆栈|堆疊追蹤|スタック ?トレース)[\"']?[ \t]*[:：=]?[\W_]*$"
)
_NO_MESSAGE = re.compile(r"[ \t]*(?:```|~~~|#{1,6} |<|\||---|===|\*\*\*|$)|[^\n]*[:：>{}][ \t]*$")


@dataclass(frozen=True, slots=True)
class LinesAbove:
    """What the lines above tell."""

    type: str | None
    message: str | None
    lines: int
    """How many lines above belong to it."""
    is_inferred: bool = False
    """Whether the type is not printed, but no other exception has the message."""


def lines_above(above: Sequence[str]) -> LinesAbove | None:
    """The type and message in the lines above a stack, the nearest first; None if they tell neither."""
    fields = _fields(above)
    if fields is not None:
        return fields
    at = 0
    while at < len(above) and (not above[at].strip() or _LABEL.match(above[at])):
        at += 1
    if at >= len(above) or len(above[at]) > _LONGEST:
        return None
    found = _MESSAGE_FIELD.match(above[at])
    text = (found["message"] if found is not None else above[at]).strip()
    inferred = type_of_message(text)
    if inferred is not None:
        return LinesAbove(inferred, text, at + 1, is_inferred=True)
    if not text or (at > 0 and found is None) or (found is None and _NO_MESSAGE.match(above[at])):
        return None
    return LinesAbove(None, text, at + 1)


def _fields(above: Sequence[str]) -> LinesAbove | None:
    """``Exception type: X`` with ``Exception message: m`` beside it, as Windows and web APIs print them."""
    type_ = message = None
    last = 0
    between: list[str] = []
    for at, line in enumerate(above):
        if len(line) > _LONGEST or line.lstrip().startswith(("```", "~~~")):
            break
        typed, said = _TYPE_FIELD.match(line), _MESSAGE_FIELD.match(line)
        if typed is not None and type_ is None:
            type_, last = typed["type"], at + 1
        elif said is not None and message is None:
            message, last = "\n".join([said["message"], *reversed(between)]).strip(), at + 1
        elif line.strip() and type_ is None and not _LABEL.match(line):
            between.append(line.strip())
    return LinesAbove(type_, message or None, last) if type_ is not None else None
