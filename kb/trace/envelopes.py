"""Takes a log shipper's envelope off every line, so that what stands inside reads as it was printed.

Containers, collectors and syslog put each line of a trace into a record of their own, or the whole trace into one
field of a record. Each envelope is a row of a table; a text without envelopes costs a few ``str.find``. The opened
text knows where each of its pieces stood, so spans point into the text that was given.
"""

import json
import re
from bisect import bisect_right
from dataclasses import dataclass, field

_DEEPEST = 3
"""Envelopes within envelopes: a JSON record in a container's line of a cluster's log."""
_LONGEST_LINE = 1_000_000
_LONGEST_PREFIX = 2_000

_TIME = r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})?(?:Z|[+-]\d{2}:?\d{2})?"
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"

# name, literals of which one must stand in the text, the envelope in front of a line
PREFIXES: tuple[tuple[str, tuple[str, ...], re.Pattern[str]], ...] = (
    (
        "cri",
        (" std",),
        re.compile(rf"{_TIME} std(?:err|out) (?P<tag>[FP])(?: |$)"),
    ),
    ("kubectl", ("[pod/",), re.compile(rf"\[pod/[^\s\]]{{1,500}}\](?: {_TIME})?(?: |$)")),
    (
        "syslog, RFC 5424",
        (">1 ",),
        re.compile(
            rf"<\d{{1,3}}>1 (?:{_TIME}|-)(?: [!-~]{{1,255}}+){{4}} "
            r'(?:-|(?:\[(?:[^\]"\n]|"(?:[^"\\\n]|\\.)*+")*+\])++)(?: |$)'
        ),
    ),
    (
        "syslog, RFC 3164, journald",
        ("]: ", "#01"),
        re.compile(
            rf"(?:<\d{{1,3}}>)?(?:{_MONTH} [ \d]\d \d{{2}}:\d{{2}}:\d{{2}}(?:\.\d{{1,9}})?|{_TIME}) [\w.:-]{{1,255}}+ "
            r"[\w./@-]{1,128}+(?:\[\d{1,10}\])?:(?: |$)"
        ),
    ),
)
_POD = re.compile(r"[a-z0-9][a-z0-9.]{0,200}+(?:-[a-z0-9.]{1,200}+)++ (?:[a-z0-9][a-z0-9-]{0,62}+|›) ")
_POD_FRAMES = (" \tat ", "     at ", '   File "')
_STRING = re.compile(r'"(?P<text>(?:[^"\\]|\\.)*+)"(?P<colon>[ \t]*+:)?')
_LINE_KEYS = ("log", "MESSAGE", "message", "msg", "line", "textPayload", "@message", "body")
_LINE_RECORD = re.compile(
    r'"(?:log|MESSAGE|message|msg|line|textPayload|@message|body)"[ \t]?:[ \t]?"(?:(?:\\t|[ ]{1,8}){1,8}+at [\w$./@]|[ ]{2,4}File \\")'
)
_TRACE_INSIDE = re.compile(r"\\n(?:\\t| )++(?:at |File \\?[\"'])|\\nTraceback \(most|\\u000a\\u0009at ")
_TRACE = re.compile(r"\n[ \t]++(?:at |File \")")
_BREAK = re.compile(r"(?:\\\\|\\(?!n|r\\n)[\s\S]|[^\\])*+(?P<mark>(?:\\r)?\\n|$)")


@dataclass(slots=True)
class Opened:
    """A text without its envelopes, and where each piece of it stood."""

    parts: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    origins: list[tuple[int, int]] = field(default_factory=list)
    size: int = 0

    def add(self, text: str, begin: int, end: int) -> None:
        """One piece, and where it stood."""
        self.starts.append(self.size)
        self.origins.append((begin, end))
        self.parts.append(text)
        self.size += len(text)

    def origin(self, at: int, *, is_end: bool = False) -> int:
        """The offset in the text that was given, for one in the opened text."""
        number = max(bisect_right(self.starts, at - 1 if is_end else at) - 1, 0)
        begin, end = self.origins[number]
        behind = at - self.starts[number]
        return end if is_end and behind >= len(self.parts[number].rstrip()) else min(begin + behind, end)


def unwrap(text: str) -> tuple[str, tuple[Opened, ...]]:
    """The text without envelopes, and the layers that were taken off, outermost first; () if there was none."""
    layers: list[Opened] = []
    while len(layers) < _DEEPEST:
        opened = _layer(text)
        if opened is None:
            break
        layers.append(opened)
        text = "".join(opened.parts)
    return text, tuple(layers)


def original_span(layers: tuple[Opened, ...], span: tuple[int, int]) -> tuple[int, int]:
    """A span of the opened text as one of the text that was given."""
    begin, end = span
    for layer in reversed(layers):
        begin, end = layer.origin(begin), layer.origin(end, is_end=True)
    return begin, max(begin, end)


def _layer(text: str) -> Opened | None:
    prefixes = tuple(pattern for _, gates, pattern in PREFIXES if any(gate in text for gate in gates))
    has_pods = any(gate in text for gate in _POD_FRAMES)
    has_lines = '"' in text and ('{"log":"' in text or _LINE_RECORD.search(text) is not None)
    has_records = "\\n" in text and _TRACE_INSIDE.search(text) is not None
    if not (prefixes or has_pods or has_lines or has_records or "#01" in text):
        return None
    opened, any_opened, at = Opened(), False, 0
    lines = text.split("\n")
    pods = _pods(lines) if has_pods else {}
    for number, line in enumerate(lines):
        taken = len(line) <= _LONGEST_LINE and (
            _take_prefix(opened, line, at, prefixes)
            or (number in pods and _take_from(opened, line, at, pods[number]))
            or (has_records and _take_record(opened, line, at))
            or (has_lines and _take_line(opened, line, at))
            or _take_escaped(opened, line, at, 0)
        )
        if not taken:
            opened.add(line + "\n", at, at + len(line))
        any_opened = any_opened or taken
        at += len(line) + 1
    return opened if any_opened else None


def _take_prefix(opened: Opened, line: str, at: int, prefixes: tuple[re.Pattern[str], ...]) -> bool:
    for pattern in prefixes:
        found = pattern.match(line, 0, _LONGEST_PREFIX)
        if found is not None:
            is_partial = found.groupdict().get("tag") == "P"
            return _take_from(opened, line, at, found.end(), ending="" if is_partial else "\n")
    return False


def _take_from(opened: Opened, line: str, at: int, start: int, ending: str = "\n") -> bool:
    if not _take_escaped(opened, line, at, start):
        opened.add(line[start:] + ending, at + start, at + len(line))
    return True


def _take_escaped(opened: Opened, line: str, at: int, start: int) -> bool:
    """Rsyslog's control characters as octal numbers: ``#012`` a line break, ``#011`` a tab."""
    if "#012" not in line and not line.startswith("#011", start):
        return False
    while start <= len(line):
        end = line.find("#012", start)
        end = len(line) if end < 0 else end
        opened.add(line[start:end].replace("#011", "\t") + "\n", at + start, at + end)
        start = end + 4
    return True


def _pods(lines: list[str]) -> dict[int, int]:
    """Stern's ``pod container`` before each line: the lines that share it with a neighbour, each with its length."""
    heads = [found[0] if (found := _POD.match(line)) is not None else "" for line in lines]
    framed = {
        head
        for head, line in zip(heads, lines, strict=True)
        if head and line[len(head) :].lstrip(" \t").startswith(("at ", 'File "'))
    }
    return {
        number: len(head)
        for number, head in enumerate(heads)
        if head in framed and head in (heads[number - 1] if number else "", *heads[number + 1 : number + 2])
    }


def _take_record(opened: Opened, line: str, at: int) -> bool:
    """A record of which one field holds a whole trace: the field alone is read."""
    if "\\n" not in line or _TRACE_INSIDE.search(line) is None:
        return False
    start = line.find('{"')
    if start < 0 and not line.lstrip().startswith('"') and "{ " not in line:
        return False
    kept: list[tuple[int, list[tuple[str, int, int]]]] = []
    whole: list[str] = []
    for found in _STRING.finditer(line, max(start, 0)):
        if found["colon"] or "\\n" not in found["text"]:
            continue
        pieces = _decoded(line, found.start("text"), found.end("text"))
        value = "\n".join(text for text, _, _ in pieces)
        if _TRACE.search(value) is None or any(value.strip() in other for other in whole[:8]):
            continue
        whole.append(value)
        kept.append((found.start(), pieces))
    for _, pieces in kept:
        for text, begin, end in pieces:
            opened.add(text + "\n", at + begin, at + end)
        opened.add("\n", at + pieces[-1][2], at + pieces[-1][2])
    return bool(kept)


def _take_line(opened: Opened, line: str, at: int) -> bool:
    """A record that holds one line of the log in one field."""
    body = line.strip()
    if not body.startswith("{") or not body.endswith("}"):
        return False
    values: dict[str, tuple[int, int]] = {}
    key = ""
    for found in _STRING.finditer(line):
        if found["colon"]:
            key = found["text"]
        elif key in _LINE_KEYS and key not in values:
            values[key] = found.span("text")
    chosen = next((key for key in _LINE_KEYS if key in values), None)
    if chosen is None:
        return False
    begin, end = values[chosen]
    # docker cuts a line after 16 KB: only the last part has the line break
    is_partial = body.startswith('{"log":"') and '"stream":"' in body and not line.endswith("\\n", begin, end)
    pieces = _decoded(line, begin, end)
    while len(pieces) > 1 and not pieces[-1][0]:
        pieces.pop()
    for number, (text, first, last) in enumerate(pieces):
        is_last = number == len(pieces) - 1
        opened.add(text + ("" if is_last and is_partial else "\n"), at + first, at + last)
    return True


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
