"""Inline marks that flavours add to Markdown, put into plain Markdown: links of wikis, marked words, marks of footnotes, labels, attributes."""

import re

_ANY = tuple(
    (begin, re.compile(pattern, re.MULTILINE))
    for begin, pattern in (
        ("[[", r"\[\[[^\W\d]"),
        ("==", r"==(?=[^\s=>])[^=\n]{0,200}[^\s=]=="),
        ("{%", r"\{%-?[ ]?(?:raw|endraw|label)\b"),
        ("{:", r"\{:[ ]?[.#]"),
        ("[^", r"\[\^[\w-]{1,40}\]:"),
        (" ^", r"[ ]\^[\w-]{2,40}[ ]*$"),
    )
)
"""What each mark begins with, and what is found in every text that has one to be rewritten."""
_DEFINED = re.compile(r"^\[\^([\w-]{1,40})\]:", re.MULTILINE)
_CODE = re.compile(r"(`{1,3}[^`\n]{1,1000}`{1,3})")
_MARK = re.compile(
    r"(?P<embedded>!)?(?<![\w\[$])\[\[(?P<page>[^\W\d][^\[\]|#\n\"',:/\\$=]{0,100})(?:#[^\[\]|\n]{0,100})?(?:\|(?P<alias>[^\[\]|\n]{1,100}))?\]\](?!\])"
    r"|(?<![=\w])==(?=[^\s=>])(?P<marked>[^=\n]{0,200}[^\s=])==(?![=\w])"
    r"|\{%-?[ ]?(?:raw|endraw)[ ]?-?%\}"
    r"|\{%-?[ ]?label[ ](?:\w{1,20}@)?(?P<label>[^%\n]{1,100}?)(?:[ ](?:default|primary|success|info|warning|danger|blue|pink|red|purple|orange|green))?[ ]?-?%\}"
    r"|\{:[ ]?[.#][\w-]{1,40}(?:[ ][.#\w=\"-]{1,60}){0,5}[ ]?\}"
    r"|\[\^(?P<note>[\w-]{1,40})\](?!:)"
    r"|(?<=[.。!！?？)）])[ ]\^[\w-]{2,40}[ ]*$"
)


class Inline:
    """Rewrites the lines of one text."""

    def __init__(self, source: str) -> None:
        self.needed = any(begin in source and mark.search(source) for begin, mark in _ANY)
        self._notes = frozenset(_DEFINED.findall(source)) if self.needed else frozenset()

    def rewritten(self, line: str) -> str:
        """A line that is no code in plain Markdown. Code spans in it are not touched."""
        if not self.needed or line.startswith(("    ", "\t")):
            return line
        if "`" not in line:
            return _MARK.sub(self._plain, line)
        pieces = _CODE.split(line)
        pieces[::2] = [_MARK.sub(self._plain, piece) for piece in pieces[::2]]
        return "".join(pieces)

    def _plain(self, mark: re.Match[str]) -> str:
        if mark["note"]:
            return "" if mark["note"] in self._notes else mark[0]
        return "" if mark["embedded"] else mark["alias"] or mark["page"] or mark["marked"] or mark["label"] or ""
