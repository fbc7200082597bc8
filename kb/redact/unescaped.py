r"""A text as it reads behind its escapes, and where each piece of it stood.

Pages, records, cells and terminals write ``password&#61;``, ``\"password\":``, ``""password"":`` and ``password＝``. All their
escapes are undone in one pass, whatever wrote them: a view is only searched, never shown, so that no grammar is needed.
"""

import html
import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from io import StringIO

from kb.patterns import lazy
from kb.redact.words import end_of_run

MARKS = (
    r"&(?:#|[A-Za-z]{2,8};)|\\|\x1b|\^\[|␛|\"\"|''|%[2-7][0-9A-Fa-f]|</?[A-Za-z]{1,6}[ />]"
    r"|[\x{ff01}-\x{ff5e}\x{a0}\x{3000}“”‘’\x{200b}-\x{200d}\x{2060}\x{feff}\x{ad}]"
)
"""RE2 for whatever a view could read otherwise."""
_SLASH = r"(?:&(?:amp;){0,4}(?:#0{0,5}47|#[xX]0{0,5}2[fF]|sol);|%(?:25){0,2}2[fF]|\\{1,8}(?:u002[fF]|x2[fF]|/))"
_COLON = r"(?:&(?:amp;){0,4}(?:#0{0,5}58|#[xX]0{0,5}3[aA]|colon);|%(?:25){0,2}3[aA]|\\{1,8}(?:u003[aA]|x3[aA]))"
_AT = r"(?:@|&(?:amp;){0,4}(?:#0{0,5}64|#[xX]0{0,5}40|commat);|%(?:25){0,2}40|\\{1,8}(?:u0040|x40))"
_OF_ADDRESS = rf"(?:{_SLASH}(?:/|{_SLASH})|/{_SLASH}|{_COLON}//)"
"""What announces an address, written otherwise: ``postgres:&#x2F;&#x2F;bob:x@db``, ``mysql:\\/\\/bob:x@db``"""
LETTERS = (
    r"&(?:amp;){0,4}#(?:6[5-9]|[7-9][0-9]|1[01][0-9]|12[0-2]|[xX][4-7][0-9a-fA-F]);|\\u00[4-7][0-9a-fA-F]"
    r"|[\x{ff21}-\x{ff3a}\x{ff41}-\x{ff5a}]|[a-z][\x{200b}-\x{200d}\x{2060}\x{ad}][a-z]"
    rf"|{_OF_ADDRESS}"
)
"""RE2 for letters that are written otherwise, so that a word may hide behind them, and for the marks before an address."""
_LETTER = lazy(
    r"&(?:amp;){0,4}#(?:6[5-9]|[7-9][0-9]|1[01][0-9]|12[0-2]|[xX][4-7][0-9a-fA-F]);|\\u00[4-7][0-9a-fA-F]"
    r"|[\uff21-\uff3a\uff41-\uff5a]|(?<=[a-z])[\u200b-\u200d\u2060\u00ad](?=[a-z])"
    rf"|(?P<address>{_OF_ADDRESS})"
)
"""The same, to be found one by one."""
_UP_TO_AT = lazy(rf"""(?:[^\s"'<>@&%\\]{{1,4000}}+|(?!{_AT})[&%\\]){{1,1000}}+""")
"""A part of what may stand between the marks of an address and its ``@``, for `end_of_run`."""
_IS_AT = lazy(_AT)

_DEEPEST = 3
"""Rounds in which escapes are undone: a page holds a record that holds a cell. One round undoes a record within records."""
# the patterns know a Chinese colon, and that its comma, semicolon and brackets end a value
_FOLD: dict[str, str] = {
    **{chr(wide): chr(wide - 0xFEE0) for wide in range(0xFF01, 0xFF5F) if chr(wide) not in "：，；（）"},
    **dict.fromkeys("\xa0\u3000", " "),
    **dict.fromkeys("“”", '"'),
    **dict.fromkeys("‘’", "'"),
}
_WIDE = lazy("[：，；（）]")
_NARROW = dict(zip("：，；（）", ":,;()", strict=True))
# a pattern finds the few there are; `str.translate` would look at each character by itself
_FOLDED = lazy(f"[{''.join(_FOLD)}]")
_BEGINS = r"&\\\x1b^␛%<\"'\u200b-\u200d\u2060\ufeff\u00ad"
_COLOUR = r"\[[0-9;:]{0,20}+[A-Za-z]"
# each branch begins with a letter of its own: `re` skips to one of them and enters no other branch
_ESCAPE = lazy(
    rf"\x1b{_COLOUR}|\^\[{_COLOUR}|␛{_COLOUR}|\u200b|\u200c|\u200d|\u2060|\ufeff|\u00ad"
    r"|<(?:/?(?:b|i|u|a|em|tt|kbd|var|wbr|code|font|mark|span|strong)(?:[ \t][^<>]{0,200}+)?>|(?P<blank>[bB][rR][ \t]{0,2}/?>))"
    rf"|\\\\{{0,15}}+(?:(?:u001[bB]|x1[bB]|033|e){_COLOUR}"
    r"|(?P<control>[nrt])|u(?P<code>[0-9a-fA-F]{4})|x(?P<byte>[0-9a-fA-F]{2})|(?P<quote>[\"'/`]))"
    r"|&(?P<entity>(?:amp;){0,4}(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,8});)"
    r"|%(?:25){0,2}(?P<percent>[2-7][0-9A-Fa-f])"
    # doubled in a cell or in SQL: at the edge of a word, for `password=""` is empty
    r"|\"(?P<double>\"(?:(?<=[^\s,;:=({\[\"']\"\")\"{0,6}+|\"{0,6}+(?=[^\s,;:=)}\]\"'])))"
    r"|'(?P<single>'(?:(?<=[^\s,;:=({\[\"']'')'{0,6}+|'{0,6}+(?=[^\s,;:=)}\]\"'])))"
)
_HINT = lazy(rf"[{_BEGINS}{''.join(_FOLD)}：，；（）](?:(?<![\"'])|(?<=\")\"|(?<=')')")
_CONTROL = {"n": "\n", "r": " ", "t": "\t"}


def _entity(found: str) -> str:
    name = found.rsplit("amp;", 1)[-1] or "amp;"
    return html.unescape(f"&{name}")


_READ: dict[str, Callable[[str], str]] = {
    "blank": lambda _: " ",
    "control": _CONTROL.__getitem__,
    "code": lambda digits: chr(int(digits, 16)),
    "byte": lambda digits: chr(int(digits, 16)),
    "quote": lambda mark: mark,
    "entity": _entity,
    "percent": lambda digits: chr(int(digits, 16)),
    "double": lambda _: '"',
    "single": lambda _: "'",
}


@dataclass(frozen=True, slots=True)
class View:
    """A piece of a text without its escapes."""

    text: str
    _starts: "array[int]"
    _origins: "array[int]"
    """Of each piece, where it began in the text it was read from; of one that did not read there as it does here, the complement (below 0)."""
    _ends: "array[int]"
    """Where it ended there: behind it may stand what does not read at all, as a tag."""

    def original(self, start: int, end: int) -> tuple[int, int]:
        """A span of the view in the text it was read from."""
        first = bisect_right(self._starts, start) - 1
        last = max(bisect_left(self._starts, end) - 1, first)
        begin, is_plain = self._origin(first)
        begin += start - self._starts[first] if is_plain else 0
        origin, is_plain = self._origin(last)
        stop = self._ends[last]
        return begin, min(origin + end - self._starts[last], stop) if is_plain else stop

    def _origin(self, number: int) -> tuple[int, bool]:
        begin = self._origins[number]
        return (begin, True) if begin >= 0 else (~begin, False)


def narrow(text: str) -> str | None:
    """The text, character for character, with a Latin keyboard's punctuation; None where it has no other."""
    if text.isascii() or _WIDE.search(text) is None:
        return None
    for wide, mark in _NARROW.items():
        text = text.replace(wide, mark)
    return text


def hidden_letters(text: str) -> Iterator[int]:
    """Where letters are written otherwise, and the marks before an address, if an ``@`` follows them in the same word. Each character is looked at once."""
    end, has_login = -1, False
    for found in _LETTER.finditer(text):
        if found["address"] is not None:
            if found.end() > end:
                end = end_of_run(_UP_TO_AT, text, found.end())
                has_login = _IS_AT.match(text, end) is not None
            if not has_login:
                continue
        yield found.start()


def is_near(text: str, start: int, end: int) -> bool:
    """Whether anything there may read otherwise."""
    return _HINT.search(text, start, end) is not None


def views(text: str) -> Iterator[tuple[str, Callable[[int, int], tuple[int, int]]]]:
    """The text behind one, two, three layers of escapes, each with what leads a span of it back; nothing where there are none."""
    levels: list[View] = []

    def original(depth: int, start: int, end: int) -> tuple[int, int]:
        for view in reversed(levels[:depth]):
            start, end = view.original(start, end)
        return start, end

    for depth in range(1, _DEEPEST + 1):
        view = _opened(text)
        if view is None:
            return
        levels.append(view)
        yield view.text, partial(original, depth)
        text = view.text


def _opened(text: str) -> View | None:
    """The text without one layer of escapes; None if there is none."""
    parts, starts, origins, ends = StringIO(), array("q"), array("q"), array("q")
    size = at = 0
    for found in _ESCAPE.finditer(text):
        group, (begin, end) = found.lastgroup, found.span()
        plain = _READ[group](found[group]) if group else ""  # a colour, a tag, a mark without width
        if begin > at:
            parts.write(text[at:begin])
            starts.append(size)
            origins.append(at)
            ends.append(begin)
            size += begin - at
        if plain:
            parts.write(plain)
            starts.append(size)
            origins.append(~begin)
            ends.append(end)
            size += len(plain)
        at = end
    if at == 0 and (text.isascii() or _FOLDED.search(text) is None):
        return None
    parts.write(text[at:])
    starts.append(size)
    origins.append(at)
    ends.append(len(text))
    view = parts.getvalue()
    return View(view if view.isascii() else _FOLDED.sub(_folded, view), starts, origins, ends)


def _folded(found: re.Match[str]) -> str:
    return _FOLD[found[0]]
