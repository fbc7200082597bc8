"""Where a frame says it is: ``in F.cs:line 12`` in every language, Mono's and ASP.NET's short forms, offsets."""

import re
from dataclasses import dataclass
from functools import cache

from kb.trace.runtimes.dotnet.languages import in_words

# [0x00012], <0x00035 + 0x00010>, + 0x1f, +227
_OFFSET = re.compile(
    r"[ \t]*+(?:\[0x[0-9a-fA-F]{1,8}\]|<0x[0-9a-fA-F]{1,16}(?: \+ 0x[0-9a-fA-F]{1,16})?>|\+[ ]?(?:0x[0-9a-fA-F]{1,16}|\d{1,9}))"
)
# :line 12 | : 行 12 | :行号 12. | , sor: 12 | :12 — and the Turkish form, whose words stand behind the file: F.cs içinde: satır 12
_LINE = re.compile(
    r"(?:[:：,，][ \t]*+(?:[^\s\d:：,，/\\()]{1,15}[:：]?)?[ \t]*+|[ \t][^\s\d:：/\\.()]{1,15}[:：][ \t]*+[^\s\d:：/\\()]{1,15}[ \t]++)"
    r"(?P<line>\d{1,9})[ \t]*+[.。]?[ \t]*+$"
)
_TOKEN = re.compile(r"(?P<file>[\w.-]{1,200}):token 0x[0-9a-fA-F]{1,8}\+0x[0-9a-fA-F]{1,8}[ \t]*+$")
_PATH = re.compile(r"[A-Za-z]:[\\/]|[\\/.<]|[\w.-]+[\\/]|[^\s\\/:]+\.\w{1,12}$")
_WORD = re.compile(r"(?P<word>[^\s\d\\/.:：<>()]{1,15}[:：]?)[ \t]++")
_NOWHERE = re.compile(r"<[^<>]{1,80}>$")
_ENDS = " \t;,\"'`|。<"


@dataclass(frozen=True, slots=True)
class FrameTail:
    """What stands behind the arguments of a frame."""

    filename: str | None = None
    lineno: int | None = None
    has_offset: bool = False


@cache
def _known_word() -> re.Pattern[str]:
    return re.compile(rf"(?:{in_words()})(?:[:：][ \t]*+|[ \t]++)")


def place_of(rest: str) -> FrameTail | None:
    """The place that a frame's end names; an empty one where it names none; None if the end is no place at all."""
    rest = rest.strip().removesuffix("<---").rstrip(_ENDS)
    if not rest:
        return FrameTail()
    offset = _OFFSET.match(rest)
    if offset is not None:
        rest = rest[offset.end() :].strip()
        if not rest:
            return FrameTail(has_offset=True)
    if rest.startswith("(at ") and rest.endswith(")"):
        rest = "in " + rest[4:-1]
    return _named(rest, has_offset=offset is not None)


def _named(rest: str, *, has_offset: bool) -> FrameTail | None:
    word = _known_word().match(rest)
    token = _TOKEN.search(rest, word.end() if word is not None else 0)
    if token is not None:
        return FrameTail(None, None, has_offset=True)
    line = _LINE.search(rest)
    if line is None:
        return None
    file = rest[: line.start()].strip()
    known = _known_word().match(file)
    if known is not None and _PATH.match(file, known.end()):
        file = file[known.end() :]
    elif not _PATH.match(file):  # a language of no table
        unknown = _WORD.match(file)
        if unknown is None or not _PATH.match(file, unknown.end()):
            return None
        file = file[unknown.end() :]
    if _NOWHERE.match(file):  # Mono without debug information: <a17fa1457c5d44f2885ac746c1764ea5>:0
        return FrameTail(None, None, has_offset=True)
    return FrameTail(file, int(line["line"]), has_offset)


def place_alone(line: str) -> FrameTail | None:
    """The place on a line of its own, where a narrow page broke a frame before it."""
    body = line.strip()
    found = _named(body, has_offset=False) if _known_word().match(body) and len(body) < 600 else None
    return found if found is not None and found.filename else None
