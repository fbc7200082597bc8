"""Write-ups as files hold them: what a record says as one, what changes when one is saved, and its number brought up to date."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from api.writing.taken import onto, written
from kb.article.frontmatter import split, text_of
from kb.article.writeup import as_written, whole
from kb.entities.annotate import annotated
from kb.record import read_chains, stored, to_record

_FOUND_OUT = ("component", "versions", "codes")
"""What a write-up may leave unsaid: it is found out of its words."""
_HEAD = re.compile(r"\s{0,64}+---[ \t]*+\n")
_NO_WORDS = frozenset(("revision", "status", "reposts"))


@dataclass(frozen=True, slots=True)
class Writeup:
    """The text of a file, read."""

    text: str
    id: str
    revision: int
    """The one it was written from; 1 when it says none."""
    status: str | None
    """None: it says none, and leaves it as it is."""


def text_of_record(record: Mapping[str, Any]) -> str:
    """The write-up of a record, as it stands in a file. Error codes that its words give anyway are left out."""
    incident = stored(record)
    bare = replace(incident, codes=(), chains=read_chains(incident.traces))
    if incident.codes and annotated(bare).codes == incident.codes:
        incident = replace(incident, codes=())
    return whole(incident)


def read_text(text: str, name: str) -> Writeup:
    """A file's text as a write-up: Problem 422 says what is wrong with it, and where. Without an id it has ``name``."""
    meta, _ = split(text)
    said = written(text.encode("utf-8", "replace"), markdown=True, incident_id=None if text_of(meta, "id") else name)
    status = None if said.status is None else said.status.value
    return Writeup(text, said.incident.id, said.incident.revision, status)


def as_saved(writeup: Writeup, over: Mapping[str, Any]) -> dict[str, Any]:
    """The record that a write-up would make of another one."""
    before = stored(over)
    said = written(writeup.text.encode("utf-8", "replace"), markdown=True, incident_id=writeup.id)
    now = onto(before, said)
    raw = as_written(writeup.text, "")
    unsaid: dict[str, Any] = {name: getattr(before, name) for name in _FOUND_OUT if not getattr(raw, name)}
    return to_record(replace(now, **unsaid, reposts=now.reposts or before.reposts, status=said.status or before.status))


def differs(writeup: Writeup, record: Mapping[str, Any]) -> bool:
    """Whether saving it would change the record."""
    if writeup.status not in {None, record["status"]}:
        return True
    return _words(as_saved(writeup, record)) != _words(record)


def _words(record: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in record.items() if key not in _NO_WORDS}


def stamped(text: str, incident_id: str, revision: int, status: str) -> str:
    """The text with id, number and state in its front matter; nothing else of it is touched."""
    opening = _HEAD.match(text)
    if opening is None:
        return text
    end = re.compile(r"^---[ \t]*$", re.MULTILINE).search(text, opening.end())
    stop = end.start() if end else len(text)
    head = text[opening.end() : stop]
    if re.search(r"^id[ \t]*:", head, re.MULTILINE) is None:
        head = f"id: {incident_id}\n{head}"
    head = _with_line(head, "status", status, "published")
    head = _with_line(head, "revision", str(revision), "1")
    return f"{text[: opening.end()]}{head}{text[stop:]}"


def _with_line(head: str, key: str, value: str, usual: str) -> str:
    """A line of a front matter set; what is usual needs none."""
    line = re.compile(rf"^{key}[ \t]*:[^\n]*\n", re.MULTILINE)
    if found := line.search(head):
        same = head[found.start() : found.end()].partition(":")[2].strip() == value
        return head if same else f"{head[: found.start()]}{key}: {value}\n{head[found.end() :]}"
    if value == usual:
        return head
    return f"{head}{key}: {value}\n"
