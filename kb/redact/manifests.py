"""Everything below a head that is named after secrets: ``data`` of a Kubernetes Secret, ``tokens { … }``, ``passwords:`` with a line for each."""

import re
from collections.abc import Iterator

from kb.patterns import lazy
from kb.redact.values import STAND_IN, has_digit, is_random
from kb.redact.words import PLACEHOLDER, end_of_run

_MOST_LINES = 2_000
"""Lines in succession that hold no secret, behind which none is looked for."""
SECRET_MANIFEST = lazy(
    r"""kind(?:: ["']?Secret["']?[ \t]{0,4}(?:#[^\r\n]{0,200}+)?(?=\r?\n|\Z)|(?P<quote>["'])[ ]?:[ ]?["']Secret["'])(?P<secret>)"""
)
_BEFORE_KIND = lazy(r"[ ]{0,40}+(?:- )?\Z")
_DATA = lazy(
    r"^(?P<indent>[ ]{0,40}(?:- )?)(?:string)?data:[ \t]{0,4}(?:\r?\n|(?P<flow>\{))", re.IGNORECASE | re.MULTILINE
)
_OBJECT = lazy(r"""["'](?:string)?data["'][ ]?:\s{0,4}\{""", re.IGNORECASE)
_BRACE = lazy(r"[{}]")
_MOST_OWNERS, _MOST_OPEN = 4, 1_000
"""Kinds of owners between that of a Secret and its data, and braces that are open at once."""
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
    if match["quote"]:
        begin, end = _object(text, at, f"kind{match['quote']}")
        for block in _OBJECT.finditer(text, begin, end):
            yield from _in_braces(text, block.end(), end)
        return
    head = text[text.rfind("\n", max(at - 48, 0), at) + 1 : at]
    if _BEFORE_KIND.match(head) is None:
        return
    begin, end = _document(text, at, head)
    for block in _DATA.finditer(text, begin, end):
        if len(block["indent"]) != len(head):
            continue
        if block["flow"]:
            yield from _in_braces(text, block.end(), end)
        else:
            yield from _in_lines(text, block.end(), end, len(head))


def _document(text: str, at: int, head: str) -> tuple[int, int]:
    """The lines of YAML around a place up to the next kind of the same indent on each side, or the mark between two documents.

    What stands before the nearest Secret of the same form is not searched again: there are few forms, so the time is linear.
    """
    line = at - len(head)
    same, item = f"\n{head}kind:", f"\n{head[:-2]}- " if head else "\n---"
    marks = (f"\n{' ' * len(head)}kind:", "\n---", item)
    end = text.find(same, at)
    end = len(text) if end < 0 else end
    end = min((place for mark in marks if (place := text.find(mark, at, end)) >= 0), default=end)
    if head.endswith("- "):
        return line, end
    begin = max(text.rfind(same, 0, line), 0)
    return max(begin, *(text.rfind(mark, begin, line + 1) for mark in marks)), end


def _object(text: str, at: int, name: str) -> tuple[int, int]:
    """The braces of JSON around a place, as far as the next kinds on each side: those of an owner may stand between it and the data."""
    begin, end, open_ones = max(text.rfind(name, 0, at), 0), at, list[int]()
    for brace in _BRACE.finditer(text, begin, at):
        if brace[0] == "{":
            open_ones.append(brace.start())
            if len(open_ones) > 2 * _MOST_OPEN:  # nobody nests so deep; a list of all takes 40 times the text
                del open_ones[:_MOST_OPEN]
        elif open_ones:
            open_ones.pop()
    depth = 0
    for _ in range(_MOST_OWNERS):
        begun, end = end, text.find(name, end + 5)
        end = len(text) if end < 0 else end
        for brace in _BRACE.finditer(text, begun, end):
            depth += 1 if brace[0] == "{" else -1
            if depth < 0:
                return (open_ones or [begin])[-1], brace.start()
        if end == len(text):
            break
    return (open_ones or [begin])[-1], end


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
        elif text.startswith(PLACEHOLDER, begin):
            at = begin + len(PLACEHOLDER) + (member["mark"] is not None)


GROUP = lazy(
    r"""(?i:passwords|passwörter|contraseñas|senhas|mots de passe|wachtwoorden|пароли|secrets|tokens|credentials|auth[-_]?users|(?P<users>users))["']?[ ]?(?::[ \t]{0,4}\r?\n|[:=]?[ ]?(?P<brace>\{))(?P<secret>)"""
)
"""``tokens { master = "x" }``, ``passwords:`` with a name and a value in each line below."""
_MEMBER_OF_GROUP = lazy(
    # at the beginning of a word alone, so that no value is read from each of its characters on
    r"""(?<![^\s,;{])(?:["']?(?P<name>[\w.@-]{1,60}+)["']?[ ]?[:=]>?[ ]{0,4}|-[ ])["']?(?P<value>[^\s"'<>,;{}\[\]]{6,}+)["']?[ \t]*+(?=[,;\r\n}]|\Z)"""
)
_INSIDE = lazy(r"[^{}<]*+")
_LOOKED_AT = 256
"""Characters of a value that decide."""
_OF_OTHERS = frozenset(
    {"name", "source", "target", "file", "model", "type", "id", "version", "key", "kind", "path", "environment"}
)
"""Names of a member whose value says which one is meant, unless it looks like a password."""
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
        value, name = member["value"][:_LOOKED_AT], member["name"]
        is_password = is_random(value) if name is None else not value.islower() and not value.isupper()
        is_known = is_password or not (is_of_users or name is None or name.lower() in _OF_OTHERS)
        is_mixed = has_digit(value) and any(map(str.isalpha, value))
        if is_mixed and is_known and not (STAND_IN.match(value) or _PLACE.search(value)):
            yield member.span("value")
