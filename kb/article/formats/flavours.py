"""What site generators add to Markdown, put into plain Markdown: every line stays the line it was, so that offsets hold.

Jekyll and Hexo (Liquid tags), Hugo (shortcodes), MkDocs (admonitions and tabs by indentation), Docusaurus and VuePress
(``:::`` containers, JSX), GitBook (hints), MyST (directives), GitHub and Obsidian (callouts), kramdown (attribute lists).
"""

import re

from kb.patterns import lazy

_INLINE_ANY = tuple(
    (begin, lazy(pattern, re.MULTILINE))
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
_INLINE_DEFINED = lazy(r"^\[\^([\w-]{1,40})\]:", re.MULTILINE)
_CODE = lazy(r"(`{1,3}[^`\n]{1,1000}`{1,3})")
_INLINE_MARK = lazy(
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
        self.needed = any(begin in source and mark.search(source) for begin, mark in _INLINE_ANY)
        self._notes = frozenset(_INLINE_DEFINED.findall(source)) if self.needed else frozenset()

    def rewritten(self, line: str) -> str:
        """A line that is no code in plain Markdown. Code spans in it are not touched."""
        if not self.needed or line.startswith(("    ", "\t")):
            return line
        if "`" not in line:
            return _INLINE_MARK.sub(self._plain, line)
        pieces = _CODE.split(line)
        pieces[::2] = [_INLINE_MARK.sub(self._plain, piece) for piece in pieces[::2]]
        return "".join(pieces)

    def _plain(self, mark: re.Match[str]) -> str:
        if mark["note"]:
            return "" if mark["note"] in self._notes else mark[0]
        return "" if mark["embedded"] else mark["alias"] or mark["page"] or mark["marked"] or mark["label"] or ""


_ANY = lazy(
    r"\{%|\{\{[<%]"
    r"|^[ \t]{0,12}(?:!!!|\?\?\?|===[ \t!+]{0,2}[\"']|:::|:[ ]{1,4}\S|`{3,}\{|\{:|\[\[?_?toc|@\[toc|import |export |</?[A-Z]|(?:>[ ]?){1,4}\[!)"
    r"|^[ \t]{0,3}#{1,6}(?:[^\s#!\[]|[^\n]{0,300}\{[#:])",
    re.MULTILINE | re.IGNORECASE,
)
"""Cheap, and found in every text that has anything to be rewritten."""
_FENCE = lazy(r"[ \t]*(?:(?:>|[-*+]|\d{1,9}[.)])[ \t]*){0,6}(`{3,}|~{3,})(.*)")
_CODE_TAG = lazy(
    r"[ \t]*(?:\{%-?[ \t]*(?:highlight|codeblock)\b[^%\n]{0,300}%\}|\{\{[<%][ \t]*highlight\b[^}\n]{0,300}[>%]\}\})[ \t]*\Z"
)
_CODE_END = lazy(
    r"[ \t]*(?:\{%-?[ \t]*end(?:highlight|codeblock)[ \t]*-?%\}|\{\{[<%][ \t]*/[ \t]*highlight[ \t]*[>%]\}\})[ \t]*\Z"
)
_MARK = "~" * 12
"""The fence put for a tag: longer than any in its content."""
_TAG = lazy(r"[ \t]*(?:\{%[^%\n]{0,500}%\}|\{\{[<%][^}\n]{0,500}[>%]\}\})[ \t]*\Z")
_SHORTCODE = lazy(r"\{\{[<%][^}\n]{0,500}[>%]\}\}")
_KINDS = (
    "note|abstract|summary|tldr|info|todo|tip|hint|important|success|check|done|question|help|faq|warning|caution|attention"
    "|failure|fail|missing|danger|error|bug|example|quote|cite|seealso|admonition|details|dropdown|tab-item|tab-set|topic|card"
)
_INDENTED = lazy(
    rf"([ \t]*)(?:(?:!!!|\?\?\?\+?)[ \t]{{1,4}}(?:{_KINDS})?[\w -]{{0,60}}?|===[!+]?)[ \t]*(?:\"([^\"\n]{{1,200}})\"|'([^'\n]{{1,200}})')[ \t]*\Z"
    rf"|([ \t]*)(?:!!!|\?\?\?\+?)[ \t]{{1,4}}(?:{_KINDS})(?:[ \t][\w -]{{0,60}})?(?:\"\")?[ \t]*\Z"
)
"""``!!! note "Title"``, ``=== "Tab"``; ``!!! note``."""
_CONTAINER = lazy(
    r"([ \t]*):{3,}[ \t]*(?:\{[^{}\n]{0,200}\}|[\w-]{1,40}[ \t]{0,4}(?:\{[^{}\n]{0,200}\}|\[([^\]\n]{1,200})\]|([^{}\[\n]{0,200}))?)?[ \t]*\Z"
)
"""``:::``, ``:::tip Title``, ``:::note[Title]``, ``::: {.warning}``."""
_MYST = lazy(rf"([ \t]*)(`{{3,}})\{{(?:{_KINDS})\}}[ \t]*([^`\n]{{0,200}})\Z")
_CALLOUT = lazy(r"([ \t]*(?:>[ \t]?){1,4})\[![\w-]{1,40}\][+-]?[ \t]*(.{0,200})\Z")
_DEFINED = lazy(r"[ ]{0,3}:[ ]{1,4}(?=\S)")
"""``: words``, what stands below a term of a list of definitions."""
_NAMED = lazy(r"\b(?:title|label|summary|name)[ ]?=[ ]?(?:\"([^\"\n]{1,200})\"|'([^'\n]{1,200})')")
_JSX = lazy(
    r"[ \t]*</?(?:Tabs|TabItem|Tab|TabPane|Admonition|Note|Warning|Tip|Info|Callout|Card|CardGroup|CodeGroup|Steps?|Accordion"
    r"|AccordionGroup|Details|Highlight|TOCInline|Cards|Aside|LinkCard|[A-Z]\w{1,40}(?=[ \t]\w{1,40}=))(?:[ \t][^<>\n]{0,500})?/?>[ \t]*\Z"
)
_MODULE = lazy(
    r"import[ \t][\w{}*, \t]{1,200}[ \t]from[ \t]['\"][^'\"\n]{1,300}['\"];?[ \t]*\Z|export[ \t](?:const|default)\b[^\n]{0,300};[ \t]*\Z"
)
_BLANK = lazy(r"[ \t]*(?:\{:[^{}\n]{0,300}\}|\[\[?_?toc_?\]?\]|@\[toc\](?:\([^)\n]{0,100}\))?)[ \t]*\Z", re.IGNORECASE)
_HEADING = lazy(r"([ \t]{0,3}#{1,6})([ \t]*)(\S.*)")
_ID = lazy(r"[ \t]*\{:?[ \t]{0,4}[#.][^{}\n]{1,200}\}[ \t#]*\Z")


def in_plain_markdown(source: str) -> str:
    """The text with each line of a flavour in plain Markdown. As many lines as before; code blocks are not touched."""
    inline = Inline(source)
    if not inline.needed and not _ANY.search(source):
        return source
    rewriter = _Rewriter(inline)
    return "\n".join(map(rewriter.rewritten, source.split("\n")))


class _Rewriter:
    """Knows, from line to line, whether it stands in code, and in which indented parts."""

    def __init__(self, inline: Inline) -> None:
        self._inline = inline
        self._fence = ""
        self._directives: list[str] = []
        """The fences of open MyST directives, whose content is words."""
        self._tagged = False
        self._inner: list[int] = []
        """How far the lines must be indented to belong to each of the open admonitions and tabs."""

    def rewritten(self, line: str) -> str:
        """The line in plain Markdown."""
        if self._tagged:
            self._tagged = not _CODE_END.match(line)
            return line if self._tagged else _MARK
        line = self._dedented(line)
        if (fence := _FENCE.match(line)) is not None:
            return self._at_fence(line, fence[1], fence[2])
        if self._fence or not line or line.isspace():
            return line
        if _CODE_TAG.match(line):
            self._tagged = True
            return _MARK
        return self._inline.rewritten(self._of_flavour(line))

    def _at_fence(self, line: str, mark: str, info: str) -> str:
        if self._fence:
            if mark.startswith(self._fence) and not info.strip():
                self._fence = ""
        elif directive := _MYST.match(line):
            self._directives.append(mark)
            return _titled(directive[1], directive[3])
        elif self._directives and not info.strip() and mark.startswith(self._directives[-1]):
            self._directives.pop()
            return ""
        elif "`" not in info or mark[0] == "~":
            self._fence = mark
        return line

    def _dedented(self, line: str) -> str:
        """A line of an admonition or a tab without the indentation that makes it one."""
        if not self._inner or not line.strip():
            return line
        if line.startswith("\t"):
            line = line.expandtabs(4)
        depth = len(line) - len(line.lstrip(" "))
        while self._inner and depth < self._inner[-1]:
            self._inner.pop()
        return line[4 * len(self._inner) :]

    def _of_flavour(self, line: str) -> str:
        head = line.lstrip()[:3]
        if head in {"!!!", "???", "==="} and (found := _INDENTED.match(line)):
            lead = found[1] if found[4] is None else found[4]
            self._inner.append(len(lead) + 4 * (len(self._inner) + 1))
            return _titled(lead, found[2] or found[3])
        if head.startswith("#"):
            line = _heading(line)
        elif head == ":::":
            line = _container(line)
        elif head.startswith(": ") and (defined := _DEFINED.match(line)):
            line = line[defined.end() :]
        elif head.startswith(">") and (callout := _CALLOUT.match(line)):
            line = _titled(callout[1], callout[2])
        elif _TAG.match(line) or (head.startswith("<") and _JSX.match(line)):
            named = _NAMED.search(line)
            line = _titled("", named[1] or named[2]) if named else ""
        elif _BLANK.match(line) or _MODULE.match(line):
            line = ""
        return _SHORTCODE.sub(" ", line) if "{{" in line else line


def _container(line: str) -> str:
    """``:::tip Title`` → its title."""
    found = _CONTAINER.match(line)
    if found is None:
        return line
    title = found[2] or found[3] or ""
    return _titled(found[1], "" if "=" in title else title.rstrip(":"))


def _titled(lead: str, title: str | None) -> str:
    return f"{lead}**{title.strip()}**" if title and title.strip() else lead


def _heading(line: str) -> str:
    """``##Cause`` → ``## Cause``, where it can only be meant as a heading; ``## Cause {#cause}`` → ``## Cause``."""
    found = _HEADING.match(line)
    if found is None:
        return line
    marks, space, words = found.groups()
    words = _ID.sub("", words) if "{" in words else words
    if space or not words:
        return f"{marks}{space}{words}"
    han = "\u4e00" <= words[0] <= "\u9fff" or words[0] in "【（《"
    meant = (han and len(words) <= 60) or (len(marks.strip()) > 1 and words[0].isalnum())
    return f"{marks} {words}" if meant else line
