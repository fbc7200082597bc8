"""Everything below a head that is named after secrets: ``data`` of a Kubernetes Secret, ``tokens { … }``, ``passwords:`` with a line for each."""

import re
from collections.abc import Iterator

from kb.patterns import lazy
from kb.redact.values import STAND_IN, has_digit
from kb.redact.words import end_of_run

_MOST_LINES = 2_000
"""Lines in succession that hold no secret, behind which none is looked for: the clock is asked at each secret."""
SECRET_MANIFEST = lazy(
    r"""(?:kind: ["']?secret["']?[ \t]{0,4}(?=\r?\n|\Z)|kind["'][ ]?:[ ]?["']secret["'])(?P<secret>)""", re.IGNORECASE
)
_DATA = lazy(r"^(?P<indent>[ -]{0,12})(?:string)?data:[ \t]{0,4}(?:\r?\n|(?P<flow>\{))", re.IGNORECASE | re.MULTILINE)
_OBJECT = lazy(r"""["'](?:string)?data["'][ ]?:\s{0,4}\{""", re.IGNORECASE)
_INDENT = lazy(r"[ \t]*+")
_ENTRY = lazy(r"""["']?[\w.-]{1,253}+["']?:(?:[ \t]++|\Z)(?:[|>][-+\d]{0,2}\Z)?+(?P<value>[^\r\n]*+)""")
_MEMBER = lazy(r"""[\s,]{0,80}+["']?[\w.-]{1,253}+["']?\s{0,8}:\s{0,8}(?P<mark>["'])?""")
_VALUE = {
    '"': lazy(r"""(?:[^"\\\r\n]{1,4000}+|\\[^\r\n]){1,1000}+"""),
    "'": lazy(r"""[^'\r\n]*+"""),
    None: lazy(r"""[^\s,{}\[\]"'<>]*+"""),
}


def manifest_secrets(match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """The values below ``data`` and ``stringData`` of a Secret; what else stands near it belongs to another kind."""
    text, at = match.string, match.start()
    if text[at + 4] in "\"'":
        begin, end = _object(text, at)
        for block in _OBJECT.finditer(text, begin, end):
            yield from _in_braces(text, block.end(), end)
        return
    begin, end = _document(text, at)
    for block in _DATA.finditer(text, begin, end):
        if block["flow"]:
            yield from _in_braces(text, block.end(), end)
        else:
            yield from _in_lines(text, block.end(), end, len(block["indent"]))


def _document(text: str, at: int) -> tuple[int, int]:
    """The lines of YAML around a place up to the next kind on each side, or the mark between two documents."""
    begin = max(text.rfind("kind:", 0, at), 0)  # first, so that no part of a text is searched for each Secret behind it
    end = text.find("kind:", at + 5)
    end = len(text) if end < 0 else end
    begin = max(text.rfind("\n---", begin, at), text.rfind("\nitems:", begin, at), begin)
    ends = [text.find(mark, at + 5, end) for mark in ("\n---", "\n- apiVersion", "\n  - apiVersion")]
    return text.find("\n", begin, at) if begin else 0, min((one for one in ends if one >= 0), default=end)


def _object(text: str, at: int) -> tuple[int, int]:
    """The text of JSON around a place up to the next kind on each side."""
    behind = text.find('"kind"', at + 5)
    return max(text.rfind('"kind"', 0, max(at - 1, 0)), 0), behind if behind >= 0 else len(text)


def _in_lines(text: str, at: int, end: int, indent: int) -> Iterator[tuple[int, int]]:
    """What stands behind the names in the lines that are further in than the head, and in the blocks below a name."""
    name, without = end, 0  # how far in the name stands whose block goes on
    while at < end and without < _MOST_LINES:
        stop = text.find("\n", at, end)
        stop = end if stop < 0 else stop
        begin = _INDENT.match(text, at, stop).end()  # type: ignore[union-attr]  # it matches nothing, too
        column, line, at = begin - at, text[begin:stop].rstrip(), stop + 1
        without += 1
        if not line:
            continue
        if column <= indent:
            return
        if column <= name and (entry := _ENTRY.match(line)):
            name, begin, line = column, begin + entry.start("value"), entry["value"]
            if line[:1] in {'"', "'"}:
                begin, line = begin + 1, line[1:].removesuffix(line[0])
        if line and line[0] != "<" and not STAND_IN.match(line):
            without = 0
            yield begin, begin + len(line)


def _in_braces(text: str, at: int, end: int) -> Iterator[tuple[int, int]]:
    """What stands behind the names between braces, in JSON or in a line of YAML."""
    while member := _MEMBER.match(text, at, end):
        begin = member.end()
        stop = end_of_run(_VALUE[member["mark"]], text, begin)
        at = stop + (1 if text.startswith(("'", '"'), stop) else 0)
        if stop > begin and text[begin] != "<" and not STAND_IN.match(text[begin : begin + 400]):
            yield begin, stop
        elif text.startswith("<secret>", begin):
            at = begin + len("<secret>") + (member["mark"] is not None)


GROUP = lazy(
    r"""(?i:passwords|secrets|tokens|credentials|auth[-_]?users|(?P<users>users))["']?[ ]?(?::[ \t]{0,4}\r?\n|[:=]?[ ]?(?P<brace>\{))(?P<secret>)"""
)
"""``tokens { master = "x" }``, ``passwords:`` with a name and a value in each line below."""
_MEMBER_OF_GROUP = lazy(
    r"""["']?[\w.@-]{1,60}["']?[ ]?[:=]>?[ ]{0,4}["']?(?P<value>[^\s"'<>,;{}\[\]]{6,}+)["']?[ \t]*+(?=[,;\r\n}]|\Z)"""
)
_INSIDE = lazy(r"[^{}<]*+")
_PLACE = lazy(r"[/:]|\.[a-z]{2,5}\Z|\A\d+[a-z]{1,3}\Z")
"""A path, an address, a file, a time: ``./db.txt``, ``30s``"""


def secrets_of_group(match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """The values of a group that is named after secrets; of users, only those that look like passwords."""
    text, at, is_of_users = match.string, match.end(), match["users"] is not None
    if match["brace"]:
        end = end_of_run(_INSIDE, text, at)
        if text.startswith("}", end):
            yield from _in_part(text, at, end, is_of_users=is_of_users)
        return
    line = text.rfind("\n", max(match.start() - 80, 0), match.start()) + 1
    head = text[line : match.start()]
    if head.strip(" \t-\"'") or match.start() - line > 79:
        return
    indent, without = len(head) - len(head.lstrip(" \t-")), 0
    while at < len(text) and without < _MOST_LINES:
        stop = text.find("\n", at)
        stop = len(text) if stop < 0 else stop
        column = _INDENT.match(text, at, stop).end() - at  # type: ignore[union-attr]  # it matches nothing, too
        if column <= indent and at + column < stop:
            return
        found = list(_in_part(text, at + column, stop, is_of_users=is_of_users))
        yield from found
        without, at = 0 if found else without + 1, stop + 1


def _in_part(text: str, begin: int, end: int, *, is_of_users: bool) -> Iterator[tuple[int, int]]:
    for member in _MEMBER_OF_GROUP.finditer(text, begin, end):
        value = member["value"]
        is_mixed = has_digit(value) and any(map(str.isalpha, value))
        is_password = not value.islower() and not value.isupper()
        if is_mixed and (is_password or not is_of_users) and not (STAND_IN.match(value) or _PLACE.search(value)):
            yield member.span("value")
