"""A message as a template: its variable parts become named placeholders, its meaning stays.

One alternation, tried from left to right: placeholders that are there already and codes that are meaning
(``ORA-00942``, ``errno 111``, ``utf-8``) are kept, everything variable is named. What stands left of a place is named
before that place is looked at, and the whole is done again until nothing changes: so a template is its own template.
The alternation is built so that at most places of a text nothing is tried at all (see `_alternation`).
"""

import re
import unicodedata
from collections.abc import Callable, Iterator

from kb.redact import redact
from kb.trace import in_force
from kb.trace.template.placeholders import PLACEHOLDERS, TABLE, TLD, TemplateRule

__all__ = ["PLACEHOLDERS", "TABLE", "TemplateRule", "template"]

# A token that holds more than letters; every other word is passed over at once
_MIXED = r"(?=[A-Za-z_]*+[-0-9.@:/+%=~\\$])"
_NOT_WITHIN = r"(?!(?<=[A-Za-z0-9])[a-z])"
"""Most characters of a text are small letters within a word, where no row begins."""
_WORD = r"(?<![A-Za-z0-9])(?:(?<![a-z0-9]>)|(?<=<quoted>))"
"""A word begins; not behind a name, for there stood the word's own digits, unless it closed with a quote."""
_OTHER = "<'\"“【「『`:(\\-~\u4e00-\u9fff"
"""What a row that begins with neither letter nor digit begins with."""


def _alternation() -> str:
    """Return all rows as one pattern; by what is at a place, only the rows that can begin so are tried."""
    rows = list(enumerate(TABLE))
    digits = "|".join(_group(at, row) for at, row in rows if "d" in row.starts)
    inner = "|".join(_group(at, row, "c") for at, row in rows if "c" in row.starts)
    others = "|".join(_group(at, row, "o") for at, row in rows if "o" in row.starts)
    return (
        rf"{_NOT_WITHIN}(?:(?=[A-Za-z])(?:{_WORD}(?:{'|'.join(_words(rows))})|(?<=[a-z])(?=[A-Z])(?:{inner}))"
        rf"|(?=\d)(?:{digits})|(?=[{_OTHER}])(?:{others}))"
    )


def _words(rows: list[tuple[int, TemplateRule]]) -> Iterator[str]:
    """Yield the rows that begin with a letter, in their order; neighbours that need a token are tried behind one look at it."""
    waiting: list[str] = []
    for at, row in rows:
        if "t" in row.starts:
            waiting.append(_group(at, row, "t"))
        elif "w" in row.starts:
            if waiting:
                yield f"{_MIXED}(?:{'|'.join(waiting)})"
                waiting = []
            yield _group(at, row, "w")
    if waiting:
        yield f"{_MIXED}(?:{'|'.join(waiting)})"


def _group(at: int, row: TemplateRule, kind: str = "d") -> str:
    """Return the row as a group of its own name: a row of two kinds is in the pattern twice."""
    return f"(?P<{row.name}_{kind}{at}>{row.pattern})"


_ALL = re.compile(_alternation())
_MOST_ROUNDS = 100
"""Every round but the last names something that only a name to its right lets be seen; more than four were never met."""
_PIECE = 16_384
"""Characters of a long text that are looked at together: naming one thing moves what is behind it."""
_AHEAD = 6_000
"""No row but those without an end, numbers and addresses, looks at more characters."""
_BEHIND = 64
"""No row looks at more characters before its match."""
_MARK = re.compile("[0-9'\"“【「『@<`~]")
_UNMARKED = re.compile(
    r"://|[=:](?:[tT]rue|TRUE|[fF]alse|FALSE)|user=|/home/|[/\\]Users[/\\]|::"
    rf"|\.{TLD}(?![A-Za-z0-9_-])"
)
"""What can be named in a text without any of those marks."""
_TYPE_NAMES = frozenset(
    [
        "int",
        "long",
        "short",
        "byte",
        "char",
        "float",
        "double",
        "boolean",
        "bool",
        "str",
        "string",
        "bytes",
        "dict",
        "list",
        "tuple",
        "set",
        "object",
        "none",
        "nonetype",
        "null",
        "void",
        "unicode",
        "number",
        "function",
        "type",
        "module",
    ]
)
# e.g. bdcaba
_HEX_GROUPS = re.compile(
    r"(?<![A-Za-z])[0-9a-f]{6,16}(?![A-Za-z])|(?<=segfault at )[0-9a-f]{1,16}|(?<=\+)[0-9a-f]{1,16}(?=\])"
)
_PLACEHOLDER = re.compile(r"<[a-z_0-9]{2,12}>")
_CALL = re.compile(r"[\w.$]{1,200}\(")


_MOST_TEMPLATES = 8_192
_LONGEST_REMEMBERED = 4_000


def template(message: str) -> str:
    """Return the message with its variable parts named: ``user 42 gone`` → ``user <int> gone``. Idempotent."""
    remembered = in_force.ready_rules().templates
    known = remembered.get(message)
    if known is None:
        known = _template(message)
        if len(message) <= _LONGEST_REMEMBERED >= len(known):
            if len(remembered) >= _MOST_TEMPLATES:
                remembered.clear()
            remembered[message] = remembered[known] = known
    return known


def _template(message: str) -> str:
    text = _plain(message)
    for _ in range(_MOST_ROUNDS):
        named = in_force.ready_rules().apply_until_stable(text, _built_in)
        if named == text and text.isascii():
            break  # nothing was named, so nothing can be laid bare
        text = named if _is_template(named) else _plain(named)
        if text == named:
            break
    return text


def _is_template(text: str) -> bool:
    """Return whether a text is known to be a template already: crashes differ in their values, and come to the same one."""
    return in_force.ready_rules().templates.get(text) == text


def _plain(text: str) -> str:
    """Return the text in its usual characters, without secrets."""
    return redact(text if text.isascii() else unicodedata.normalize("NFKC", text)).text


def _built_in(text: str) -> str:
    if _MARK.search(text) is None and _UNMARKED.search(text) is None:
        return text
    until = len(text)
    for _ in range(_MOST_ROUNDS):
        text, until = _named(text, until)
        if not until or _is_template(text):
            break
    return text


def _named(text: str, until: int) -> tuple[str, int]:
    """One pass from left to right, in which look-behinds see names, not what was named; and where the last name ends.

    (`re.sub` shows them the text as it was: ``'1'`` glued to a word is a digit there, and a placeholder next time.)
    From ``until`` on, where a pass before named nothing, only what is named or kept across it makes another look worth it.
    """
    done: list[str] = []
    piece, at, last, given = text[:_PIECE], 0, 0, 0
    end = len(piece)
    while True:
        found = _ALL.search(piece, at)
        sure, limit = len(piece) - _AHEAD, until + len(piece) - end
        if end < len(text) and (found is None or found.end() > sure):
            at = max(at, min(found.start(), sure) if found is not None else sure)
            cut = max(at - _BEHIND, 0)
            done.append(piece[:cut])
            piece, at, given = piece[cut:], at - cut, given + cut
            more = max(_PIECE, len(piece))  # so that a number of a megabyte is not read again for every piece of it
            piece, end = piece + text[end : end + more], min(end + more, len(text))
        elif found is None or at <= limit <= found.start():
            return "".join((*done, piece, text[end:])), last
        else:
            into, at = _name(found), found.start()
            if into != found[0]:
                piece = piece[:at] + into + piece[found.end() :]
                last, until = given + at + len(into), len(text)
            at += len(into)


def _name(found: re.Match[str]) -> str:
    into = _INTO[found.lastgroup or ""]
    return into if isinstance(into, str) else into(found)


def _itself(found: re.Match[str]) -> str:
    return found[0]


def _quoted(found: re.Match[str]) -> str:
    """Return a quoted value; a type's name, code and an address keep their quotes."""
    text = found[0]
    content = text[1:-1]
    if not content or content.lower() in _TYPE_NAMES or _CALL.match(content):
        return text
    inner, _ = _named(content, len(content))
    if (_PLACEHOLDER.fullmatch(inner) and inner not in ("<int>", "<float>")) or (
        inner in ("<int>", "<float>") and content == inner
    ):
        return f"{text[0]}{inner}{text[-1]}"
    return "<quoted>"


def _data_quoted(found: re.Match[str]) -> str:
    text = found[0]
    at = min(position for quote in "'\"`" if (position := text.find(quote)) >= 0)
    return text[:at] + "<quoted>" if text[at:].strip("'\"`").lower() not in _TYPE_NAMES else text


def _json_id(found: re.Match[str]) -> str:
    """``"dog_id": "greatdog12"``: JSON's quotes go with the value, as those of a number are none; ``'…'`` keeps them."""
    return "<id>" if found[0][0] == '"' else "'<id>'"


def _segfault(found: re.Match[str]) -> str:
    return _HEX_GROUPS.sub("<hex>", found[0])


_REWRITTEN: dict[str, Callable[[re.Match[str]], str] | str] = {
    "known": _itself,
    "kept": _itself,
    "module": _itself,
    "local": "<local>",
    "longhex": "<hex>",
    "person": "<int>",  # as if nobody had seen that it is a person's
    "mac": "<hex>",
    "address": "<hostname>",
    "blob": "<hash>",
    "quoted": _quoted,
    "dataquoted": _data_quoted,
    "account": _data_quoted,
    "jsonid": _json_id,
    "segfault": _segfault,
}
_INTO: dict[str, Callable[[re.Match[str]], str] | str] = {
    group: _REWRITTEN.get(name := group.rpartition("_")[0], f"<{name}>") for group in _ALL.groupindex
}
"""What each group of the pattern becomes."""
