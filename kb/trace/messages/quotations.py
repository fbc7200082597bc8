"""What somebody quotes within a line, and what they call an error without marks of a quotation."""

import re
from collections.abc import Iterator
from itertools import islice

from kb.patterns import lazy
from kb.trace.messages.introduced import MOST
from kb.trace.messages.words import announces, is_personal

_QUOTES = lazy(
    r"(?<!')''(?P<h>[^'\n]{1,300}(?:'[^'\n]{1,300}){0,8})''(?!')|\*\*(?P<g>[^*\n]{3,2000})\*\*|“(?P<a>[^“”\n]{3,2000})”|「(?P<b>[^「」\n]{3,2000})」|『(?P<c>[^『』\n]{3,2000})』|(?:(?<=报错)|(?<=提示)|(?<=显示)|(?<=报错 )|(?<=提示 )|(?<=显示 ))【(?P<i>[^【】\n]{3,200})】|`{1,3}(?P<d>(?=[^`\n]{3}|[^`\n]{1,2}(?<=\s)`[\w.+-]{1,40}`[^\S\n])[^`\n]{1,2000}+(?:(?<=\s)`[\w.+-]{1,40}`(?=\s)[^`\n]{0,2000}+){0,20}+)`{1,3}"
    r"|(?<![\w\"=:\\/])\"(?=\S)(?P<e>(?:[^\"\n]|\"(?![\s.,;:!?)，。；：！？）]|$)|(?<=\s)\"(?=\S))"
    r"{3,2000}+)(?:(?<=\S)|(?<=\S ))\"(?=[\s.,;:!?)，。；：！？）]|$)"
    r"|(?<![\w'=:\\/])'{1,2}(?=[^\s'])(?P<f>(?:[^'\n]|'(?![\s.,;:!?)，。；：！？）]|$)|(?<=\s)')"
    r"{3,2000}+)(?<=\S)'(?=[\s.,;:!?)，。；：！？）]|$)"
    r"|(?<![\w*\\/])\*(?P<j>[^\s*][^*\n]{7,2000}+)(?<=\S)\*(?![\w*])|(?<![\w\\/])_(?P<k>[^\s_](?:[^_\n]|(?<=\w)_(?=\w)){7,2000}+)(?<=\S)_(?!\w)"
)
_CALLED_BEHIND = lazy(r" means?\b| ?(?:这个|这种|这样|这条|的)(?:的)?(?:报错|错误|异常|提示)")
"""What somebody calls a quotation behind it: *怎么解决“连接失败”这个报错*."""
_NAMES_A_PART = lazy(
    r"[ ]?(?:这|那|该|的)?[一个]{0,2}(?:小节|章节|节(?!点)|章(?!程)|词(?!法)|术语|标题|目录|条目|按钮|选项|菜单|栏目)|[ ](?:section|chapter|heading|paragraph|glossary|button|menu|tab)s?(?![\w'-])"
)
"""What is behind a name of a part of a page: *“连接失败”一节*, *the 'Connection failed' section*."""
_EMPHASIS = ("j", "k")
"""Emphasis of Markdown, which writers use for anything: ``*…*``, ``_…_``."""
_ROW = lazy(r"[ \t]{0,8}\|(?:[^|\n]{0,2000}+\|){2,40}+[ \t]*")
"""The row of a table."""
# e.g. Getting a request failed with status code 429 error
_NAMED_ERROR = lazy(
    r"(?:^|(?<=[\s,]))(?:[Gg]etting|[Gg]iving|[Gg]ives?|[Gg]ets?|[Gg]ot|[Tt]hrow(?:s|ing)?|[Ss]how(?:s|ing)|[Rr]eceiv(?:es?|ed|ing)|[Ee]ncounter(?:s|ed|ing)?|[Ss]eeing|[Hh]aving|[Ff]ac(?:es?|ed|ing)|[Hh]it(?:s|ting)?|(?:[Rr]an|[Rr]un|[Rr]unning) into) (?:an? |the |this )?+(?!same|following|strange|weird|generic|errors?\b|exceptions?\b|issues?\b|problems?\b|messages?\b)(?P<words>[A-Za-z](?:[^\n.,;:!?\"'`]|: ){12,160}?) (?:error|exception)(?![\w'])"
    r"|(?:提示|显示|报错|报|出现|抛出|返回|就说|说是)(?:[:：]|了|的是)?[ ]?(?P<zh>(?=[^\n\u4e00-\u9fff]{0,40}[\u4e00-\u9fff])[\w.:/$-]{4,60}(?:[，!！]请(?!问|教|帮|求|大家|高手|各位)[\u4e00-\u9fff]{2,16}+)?)(?=[，,。！!？?]|$)"
)
"""What somebody calls an error without quotation marks: its words end there."""
_CAUSED = lazy(r"(?:导致|可能|会|引起|避免|防止|造成|容易)[^，。；,;]*$")
"""How a clause goes on to what comes of something: it tells, and shows nothing."""
_NEAR, _BEFORE = 80, 60
"""Characters before a quotation that announce it, and before an error that tell it as a consequence."""
_REPORTED_ZH = lazy(r"(?:就说|提示|报错)(?:[:：]|了|的是)?[\u4e00-\u9fff]+(?:[，!！]请[\u4e00-\u9fff]+)?")
"""A verb that nobody uses but for what a program prints, and the message behind it, all Chinese: *提示连接失败*."""
_CHINESE_ONLY = lazy(r"[\u4e00-\u9fff]+")
PLEADS = lazy(r"怎么|为什么|为啥|请问|求助|求解|帮忙|有人|有没有|我这边|我这里|一直")
"""How somebody asks for help, who does not write an article."""


def quotations(text: str, begin: int, end: int) -> Iterator[re.Match[str]]:
    """Yield the quotations of a line, less those that name a part of a page; in the row of a table nobody shows one."""
    if _ROW.fullmatch(text, begin, end):
        return
    for found in _QUOTES.finditer(text, begin, end):
        is_emphasis = found.lastgroup in _EMPHASIS
        is_shown = not is_emphasis or _is_led(text, begin, found) or PLEADS.search(text, begin, end) is not None
        if is_shown and not _NAMES_A_PART.match(text, found.end(), end):
            yield found


def is_announced(text: str, begin: int, end: int, found: re.Match[str]) -> bool:
    """Return whether the words before a quotation announce it, or somebody who asks for help calls it an error behind it."""
    is_called = _CALLED_BEHIND.match(text, found.end(), end) is not None
    is_plea = is_called and (PLEADS.search(text, begin, end) is not None or is_personal(text[begin:end]))
    return is_plea or _is_led(text, begin, found)


def _is_led(text: str, begin: int, found: re.Match[str]) -> bool:
    """Return whether the words before a quotation announce it; before emphasis a colon does."""
    before = text[max(begin, found.start() - _NEAR) : found.start()]
    is_spoken = before.endswith((" told me ", " tells me ")) and not before.lower().endswith(
        ("it told me ", "it tells me ")
    )
    if found.lastgroup in _EMPHASIS and is_spoken:
        return False
    return announces(before) or (found.lastgroup in _EMPHASIS and before.rstrip("*_ ")[-1:] in (":", "："))


def errors_called(text: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield where the words begin and end that somebody calls an error: *Getting a request timed out error*, *提示连接失败*."""
    is_person = is_personal(text[begin:end])
    for found in islice(_NAMED_ERROR.finditer(text, begin, end), MOST):
        is_consequence = _CAUSED.search(text, max(begin, found.start() - _BEFORE), found.start()) is not None
        is_plain = found["zh"] is None or _CHINESE_ONLY.fullmatch(found["zh"]) is not None
        is_shown = is_person and (is_plain or PLEADS.search(text, begin, end) is not None)
        if not is_consequence and (is_shown or _REPORTED_ZH.fullmatch(found[0]) is not None):
            yield found.span(found.lastgroup or 0)
