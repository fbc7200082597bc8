"""Log records as JSON: a whole trace in one field, or one line of the log a record."""

import json
import re

from kb.trace.finding.fields import json_tree, object_in
from kb.trace.finding.hunt import has_needle
from kb.trace.finding.opened import MappedPiece
from kb.trace.finding.stacked import stack_in
from kb.trace.finding.takers import Unwrapped, Unwrapper

_STRING = re.compile(r'"(?P<text>(?:[^"\\]|\\.)*+)(?:"(?P<colon>[ \t]*+:)?|\\?\Z)')  # the last one may be cut off
_LINE_KEYS = ("log", "MESSAGE", "message", "msg", "line", "textPayload", "@message", "body")
_STACKED = re.compile(
    r'"(?:[\w.]{1,40}\.)?(?:[sS]tack_?[tT]race(?:String)?|[sS]tack|extendedStackTrace|back_?trace|trace_?back|trace|frames|stepArray|parsedStack)" ?: ?'
    r'(?:\[ {0,8}+["{]|"(?: |\\t){0,8}+(?:at |File \\{1,2}"|#0 ))'
)
"""A stack as a list, of lines or of objects; or as a text without the line of type and message."""
_MAYBE_STACKED = re.compile(r'": ?(?:\[ {0,8}+["{]|"(?: |\\t){0,8}+(?:at |File |#0 ))')
"""The same under any name: three times as fast, and most lines have none."""
_BREAK = re.compile(r"(?:\\\\|\\(?!n|r\\n)[\s\S]|[^\\])*+(?P<mark>(?:\\r)?\\n|$)")


def record_of(line: str) -> Unwrapper | None:
    """How a JSON record and those like it are opened; None where the line is none, or none that tells."""
    if ("\\n" in line or _is_stacked(line)) and _from_record(line, 0) is not None:
        return Unwrapper(_from_record)
    return Unwrapper(_from_field, is_on_every_line=True) if _from_field(line, 0) is not None else None


def _from_record(line: str, at: int) -> Unwrapped | None:
    """A record of which one field holds a whole trace: the field alone is read."""
    if _is_stacked(line) and (lines := _from_list(line, at)):
        return "", lines
    start = line.find('{"')
    if start < 0 and not line.lstrip().startswith('"') and "{ " not in line:
        return None
    pieces: list[MappedPiece] = []
    whole: list[str] = []
    for found in _STRING.finditer(line, max(start, 0)):
        if found["colon"] or "\\n" not in found["text"]:
            continue
        fields = _decoded(line, found.start("text"), found.end("text"))
        value = "\n".join(text for text, _, _ in fields)
        if ("\n" not in value.strip() and "\\n" not in value) or any(value.strip() in other for other in whole[:8]):
            continue
        if not has_needle(value):
            continue
        whole.append(value)
        pieces += [MappedPiece(text + "\n", at + begin, at + end) for text, begin, end in fields]
        pieces.append(MappedPiece("\n", pieces[-1].end, pieces[-1].end))
    return ("", pieces) if pieces else None


def _is_stacked(line: str) -> bool:
    return _MAYBE_STACKED.search(line) is not None and _STACKED.search(line) is not None


def _from_list(line: str, at: int) -> list[MappedPiece]:
    """The trace that a record keeps as a list; [] where the list is no stack.

    All of its lines have one place, since type and message may stand behind the frames.
    """
    start = object_in(line)
    found = stack_in(json_tree(line, start)[0]) if start >= 0 else []
    begin, end = min((one[1] for one in found), default=0), max((one[2] for one in found), default=0)
    return [MappedPiece(text + "\n", at + begin, at + end) for text, _, _ in found]


def _from_field(line: str, at: int) -> Unwrapped | None:
    """A record that holds one line of the log in one field."""
    body = line.strip()
    if not body.startswith("{") or not body.endswith("}"):
        return None
    values: dict[str, tuple[int, int]] = {}
    key = ""
    for found in _STRING.finditer(line):
        if found["colon"]:
            key = found["text"]
        elif key in _LINE_KEYS and key not in values:
            values[key] = found.span("text")
    chosen = next((key for key in _LINE_KEYS if key in values), None)
    if chosen is None:
        return None
    begin, end = values[chosen]
    # docker cuts a line after 16 KB: only the last part has the line break
    is_partial = body.startswith('{"log":"') and '"stream":"' in body and not line.endswith("\\n", begin, end)
    fields = _decoded(line, begin, end)
    while len(fields) > 1 and not fields[-1][0]:
        fields.pop()
    last = len(fields) - 1
    return "", [
        MappedPiece(text + ("" if number == last and is_partial else "\n"), at + first, at + stop)
        for number, (text, first, stop) in enumerate(fields)
    ]


def _decoded(line: str, begin: int, end: int) -> list[tuple[str, int, int]]:
    """The lines of a JSON string, decoded, each with where it stands on the record's line."""
    found = []
    if line.find("\\\\", begin, end) < 0:  # no escaped escapes: every \\n is a break
        while (stop := line.find("\\n", begin, end)) >= 0:
            found.append((_plain(line[begin:stop].removesuffix("\\r")), begin, stop))
            begin = stop + 2
        return [*found, (_plain(line[begin:end]), begin, end)]
    while True:
        piece = _BREAK.match(line, begin, end)
        stop = piece.start("mark") if piece is not None else end
        found.append((_plain(line[begin:stop]), begin, stop))
        if piece is None or (piece.end() >= end and not piece["mark"]):
            return found
        begin = piece.end()


def _plain(text: str) -> str:
    if "\\" in text:
        text = text.replace("\\t", "\t") if "\\\\" not in text else text
    if "\\" not in text:
        return text
    try:
        return str(json.loads(f'"{text}"', strict=False)).replace("\r", " ")
    except ValueError:
        return text.replace("\\t", "\t").replace('\\"', '"')
