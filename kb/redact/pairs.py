"""A name in one field and its value in another: ``- name: DB_PASSWORD``, ``value: x``; and Secrets of Kubernetes, all of whose data is secret."""

import re
from collections.abc import Iterator

from kb.redact.assignments import KEY, NEVER, SECRET_KEY, STAND_IN, SUFFIX, has_digit

PAIRED = re.compile(
    rf"""(?i:(?P<key>{KEY}){SUFFIX})["']?[ \t]{{0,8}}+(?:[,;]?|:[ \t]{{0,4}}\{{)\s{{0,80}}+["']?(?i:(?:parameter)?value)["']?[ \t]{{0,4}}+[:=][ \t]{{0,4}}+"""
    r"""(?:"(?P<double>(?:[^"\\\r\n<]|\\[^\r\n])++)(?=")|'(?P<single>[^'\r\n<]++)(?=')|(?P<bare>[^\s"'<>,;{}\[\]]++))(?P<secret>)"""
)
_NAMED = re.compile(r"""(?i:name|key)["']?[ \t]{0,4}[:=][ \t]{0,4}["']?[\w.:/-]{0,80}\Z""")


def value_begins(match: re.Match[str]) -> int:
    """Where the value of the pair begins."""
    return (
        match.start("double") if match["double"] else match.start("single") if match["single"] else match.start("bare")
    )


def is_paired(match: re.Match[str]) -> bool:
    """Whether the key is what a field called name or key holds, and the value is one."""
    before = match.string[max(match.start() - 120, 0) : match.start()]
    value, key = match["double"] or match["single"] or match["bare"], match["key"].lower()
    is_inside = "{" in match.string[match.end("key") : value_begins(match)]
    if (_NAMED.search(before) is None and not is_inside) or NEVER.match(value) or STAND_IN.match(value):
        return False
    return _is_secret(key, value, before)


def _is_secret(key: str, value: str, before: str) -> bool:
    if key.startswith("key"):
        return SECRET_KEY.search(before) is not None
    return key != "token" or (has_digit(value) and len(value) >= 6) or len(value) >= 16


TURNED = re.compile(
    r"""value["'][ \t]{0,4}:[ \t]{0,4}"(?P<secret>(?:[^"\\\r\n<]|\\[^\r\n]){1,512})"\s{0,2},\s{0,40}["'](?:name|key)["'][ \t]{0,4}:[ \t]{0,4}["']"""
    rf"""(?P<before>[\w.-]{{0,60}}?)(?i:(?P<key>{KEY}){SUFFIX})["']""",
    re.IGNORECASE,
)
"""``{"value":"x","name":"DB_PASSWORD"}``"""


def is_turned(match: re.Match[str]) -> bool:
    """Whether the name behind the value is a secret's."""
    value = match["secret"]
    return not (NEVER.match(value) or STAND_IN.match(value)) and _is_secret(
        match["key"].lower(), value, match["before"]
    )


_AROUND = 20_000
"""Characters around the kind of a manifest that are looked at."""
SECRET_MANIFEST = re.compile(
    r"""(?:kind: ["']?secret["']?[ \t]{0,4}(?=\r?\n|\Z)|kind["'][ ]?:[ ]?["']secret["'])(?P<secret>)""", re.IGNORECASE
)
_LINE = re.compile(
    r"^(?P<indent>[ -]{0,12})(?:string)?data:[ \t]{0,4}\r?\n(?P<data>(?:(?P=indent)[ \t][^\n]*(?:\n|\Z))+)",
    re.IGNORECASE | re.MULTILINE,
)
_ENTRY = re.compile(
    r"""(?m:^)[ \t]{1,24}["']?[\w.-]{1,100}["']?:[ \t]{1,4}(?:[|>][-+]?\r?\n[ \t]{0,24})?["']?(?P<value>[^\s"'<{|>][^\r\n"'<]*)"""
)
_OBJECT = re.compile(r"""["'](?:string)?data["'][ ]?:\s{0,4}\{(?P<data>[^{}]{0,20000})\}""", re.IGNORECASE)
_MEMBER = re.compile(r"""["'][\w.-]{1,100}["']\s{0,4}:\s{0,4}["'](?P<value>[^"'<\r\n]++)""")


def manifest_secrets(match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """The values below ``data`` and ``stringData`` of a Secret; what else stands near it belongs to another kind."""
    text, at = match.string, match.start()
    if text[match.start() + 4] in "\"'":
        begin, end = _object(text, at)
        blocks, entries = _OBJECT.finditer(text, begin, end), _MEMBER
    else:
        begin, end = _document(text, at)
        blocks, entries = _LINE.finditer(text, begin, end), _ENTRY
    for block in blocks:
        for entry in entries.finditer(text, *block.span("data")):
            if not STAND_IN.match(entry["value"]):
                yield entry.span("value")


def _document(text: str, at: int) -> tuple[int, int]:
    """The lines of YAML around a place up to the next kind on each side, or the mark between two documents."""
    low, high = max(at - _AROUND, 0), min(at + _AROUND, len(text))
    begin = max(text.rfind("\n---", low, at), text.rfind("kind:", low, at), text.rfind("\nitems:", low, at), low)
    ends = [
        place
        for mark in ("\n---", "kind:", "\n- apiVersion", "\n  - apiVersion")
        if (place := text.find(mark, at + 5, high)) >= 0
    ]
    begin = text.find("\n", begin, at) if begin > low else begin
    return max(begin, low), min(ends, default=high)


def _object(text: str, at: int) -> tuple[int, int]:
    """The text of JSON around a place up to the next kind on each side."""
    low, high = max(at - _AROUND, 0), min(at + _AROUND, len(text))
    before, behind = text.rfind('"kind"', low, max(at - 1, low)), text.find('"kind"', at + 5, high)
    return max(before, low), behind if behind >= 0 else high
