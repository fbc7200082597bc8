"""Several errors in one, as go-multierror prints them: ``2 errors occurred:`` and one a line below it, behind a star."""

import re

from kb.trace.lines import Lines
from kb.trace.model import ExceptionChain, RaisedException, Relation
from kb.trace.runtimes.runtime import Reading

_HEAD = re.compile(r"(?P<before>[^\n]{0,400}?)(?P<message>\d{1,4} errors? occurred):[ \t]*$")
_MEMBER = re.compile(r"[ \t]{1,12}\* (?P<text>\S[^\n]{0,4000})$")
_MOST_MEMBERS = 99
_MOST_LINES = 1_000


def is_head(line: str) -> bool:
    """``2 errors occurred:`` at the end of a line."""
    return " occurred:" in line[:500] and _HEAD.match(line) is not None


def read(lines: Lines) -> Reading | None:
    """The list as a group: its members have no frames. None where nothing is listed below the head."""
    head = _HEAD.match(lines.get(0) or "")
    members: list[str] = []
    end = 1
    for at in range(1, _MOST_LINES):
        line = lines.get(at)
        if line is None:
            break
        found = _MEMBER.match(line)
        if found is not None:
            members.append(found["text"].strip())
            end = at + 1
        elif members and line.strip() and line[:2].isspace() and not line.lstrip().startswith("at "):
            members[-1] = f"{members[-1]}\n{line.strip()}"[:4_000]
            end = at + 1
        elif line.strip():
            break
    if head is None or not members:
        return None
    begin = lines.start(0) + head.start("message")
    raised = [RaisedException("error", head["message"])]
    raised += [RaisedException("error", text, relation=Relation.GROUPED, parent=0) for text in members[:_MOST_MEMBERS]]
    notes = (
        (f"{len(members) - _MOST_MEMBERS} more errors of the list were left out",)
        if len(members) > _MOST_MEMBERS
        else ()
    )
    return Reading(ExceptionChain("go", tuple(raised), span=(begin, lines.end(end - 1)), notes=notes), end)
