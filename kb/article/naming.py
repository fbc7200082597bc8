"""How documents and their problems are called: titles, ids, addresses."""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import PurePosixPath

from kb.article.blocks import Block, BlockKind, Document, plain
from kb.article.formats.linewise import MACHINE
from kb.article.split.parts import DocumentPart
from kb.article.split.problems import bare, heading
from kb.article.tickets import without_ticket
from kb.article.traces import ExtractedTrace
from kb.article.vocabulary import heading_roles
from kb.article.writeups.frontmatter import text_of
from kb.patterns import lazy
from kb.record import short_hash, slug

_LONGEST = 200
_SECTION = 12
"""Characters of the name of a section."""
_PROMPTS = "$#>"
"""How a line begins that is a command."""
_ERROR_TITLE = 200
"""Characters of a line of a trace that stands for a title."""
_ERROR_LINES = 40
"""Lines of a block that are looked at for an error."""
_LINE = 120
"""Characters of a line that may be a title."""
_GOES_ON = "。.:：;；,，"
_NO_TITLE = ("#", "http://", "https://")
"""How lines of tags and of addresses begin."""
_HAN = lazy(r"[\u3400-\u9fff]")
_URL_KEYS = ("url", "link", "source_url", "original_url", "canonical_url", "source", "origin", "from", "permalink")
_SOURCE_LINE = lazy(
    r"(?:原文(?:链接|地址)?|本文(?:链接|地址)|转载自|转自|来源|original(?: post| article)?|source|originally published at)\W{0,8}?(https?://[^\s)>\]\"'，。]{4,500})",
    re.IGNORECASE,
)
_SHORT_ERROR = 100
"""Characters of an error in a title."""
_NUMBERED = r"(?:[ \t]?[#.:]?[ \t]?(?:\d{1,2}|[ivx]{1,4}|[a-d]|one|two|three|[一二三四五六七八九十]{1,3}))?"
_NOTHING = lazy(
    r"(?:the )?(?:problem|question|issue|error|failure|step|scenario|case|example|situation|symptom|phenomenon|q)s?"
    r"(?: (?:description|statement|details?|information|messages?|logs?|background|encountered|phenomenon))?"
    + _NUMBERED,
    re.IGNORECASE,
)
"""Headings that only say that something follows: *Problem description*, *Question 3*, *Step 2*."""
_NOTHING_ZH = lazy(
    r"第[一二三四五六七八九十\d]{1,3}(?:个|种|步)?(?:问题|错误|报错|异常|情况|场景)?|"
    r"(?:问题|错误|报错|异常|故障|场景|步骤|情况|案例|现象|示例|例|疑问)(?:描述|现象|信息|日志|详情|说明|内容|提示|背景|重现|复现)?"
    + _NUMBERED
)
"""The same in Chinese: *问题描述*, *场景二*, *第一个问题*."""
_POINTS_ON = lazy(
    r"(?:如下|以下|下面|下列)(?:的|所示)?(?:几个)?(?:报错|错误|异常|问题|日志)?(?:信息|情况|提示|内容|日志|问题|错误|现象)?"
    r"(?:[，,]?(?:该?如何|该?怎么|怎样|该?怎样)[\u4e00-\u9fff]{0,6})?[ \t]*[:：。？?]?\Z|"
    r"\b(?:as follows|as (?:shown )?below|shown below|(?:with )?the following(?: (?:error|problem|issue|exception|message|log|warning|output|information)s?){0,2})[ \t]*[:.]?\Z",
    re.IGNORECASE,
)
"""How a heading ends that leaves the error to what stands below it: *某一节点上出现如下问题*, *The log is as follows*."""
_HEAD = lazy(
    r"\A.{0,120}?\b(?:ERROR|FATAL|SEVERE|WARN|WARNING|INFO|Error|error)\b[\]:)\s-]{1,4}(?:\[[^\]\n]{1,60}\][:\s-]{1,4})?(?=\S.{7})"
)
"""What a logger or a program writes before its message: *2021-02-03 10:00:00,123 ERROR [main] *."""
_STAMP = lazy(r"\[?\d{4}[-/.]\d\d[-/.]\d\d[ T]\d\d:\d\d(?::\d\d)?[\d.,]{0,12}Z?\]?")
"""When a line was logged, to the minute: the date of a post says no time."""
_LOGGER = lazy(r"\A[\w.$]{1,120} - (?=\S)")
_CODE = lazy(r"[A-Z][A-Z0-9]{1,15}(?:[-_][A-Z0-9]{1,15}){0,4}[-_]?\d{2,8}")
"""A title that is the code of an error and nothing else: *ORA-01017*."""
_EXPLICIT = lazy(r"\{#([\w.:-]{1,120})[^{}\n]{0,200}\}?\s*\Z")
_NO_ANCHOR = lazy(r"[^\w\- ]")


def document_id(document: Document, name: str) -> str:
    """The id a document states, else one that is readable, and unique by the hash of its path."""
    return text_of(document.meta, "id") or f"{slug(PurePosixPath(name).stem)}-{short_hash(name)}"


def title_of(document: Document, found: tuple[ExtractedTrace, ...], name: str) -> str:
    """The title, without what is about a ticket: stated, else the first heading that is one, else the name of the file where it is words.

    Else a line that the document begins with, the head of the first trace that names an exception, the first words, the name.
    """
    return without_ticket(_title_of(document, found, name), document.text)


def _title_of(document: Document, found: tuple[ExtractedTrace, ...], name: str) -> str:
    stated = text_of(document.meta, "title") or document.title
    if stated:
        return plain(stated).strip() or stated
    headings = [block for block in document.blocks if block.kind is BlockKind.HEADING and plain(block.text).strip()]
    top = min((block.level for block in headings), default=0)
    for block in headings:
        words = " ".join(plain(block.text).split())
        if (
            block.level == top
            and not (block is not headings[0] and block.level > 1)
            and (block.level == 1 or not heading_roles(words))
        ):
            return words[:300]
    stem = PurePosixPath(name).stem
    if re.search(r"[\u4e00-\u9fff]{2}", stem) or len(re.findall(r"[A-Za-z]{2,}", stem)) >= 3:
        return " ".join(re.split(r"[\s_]+|(?<=\w)-(?=\w)", stem))
    return _unmarked(document, found) or PurePosixPath(name).stem or name or "untitled"


def _unmarked(document: Document, found: tuple[ExtractedTrace, ...]) -> str | None:
    """The title of a document that marks none."""
    first = document.blocks[0] if document.blocks else None
    if first is not None and first.kind is BlockKind.PARAGRAPH and _is_title(words := plain(first.text).strip()):
        return words
    for one in found:
        if one.chain.exceptions[0].type is not None:  # else it begins with a frame
            return _cut(one.text.strip().split("\n", 1)[0].strip(), _ERROR_TITLE)
    for block in document.blocks:
        words = " ".join(plain(block.text).split())
        if (
            words
            and block.kind is not BlockKind.CODE
            and not (block.kind is BlockKind.HEADING and heading_roles(words))
        ):
            return words[:120]
    return None


def _is_title(words: str) -> bool:
    """Whether words are one short line that neither ends like a sentence nor is a machine's: a title that nothing marks."""
    is_line = bool(words) and "\n" not in words and len(words) <= _LINE
    return is_line and words[-1] not in _GOES_ON and not words.startswith(_NO_TITLE) and MACHINE.match(words) is None


def address(document: Document, name: str) -> str:
    """The address a document states, else its name."""
    stated = text_of(document.meta, *_URL_KEYS)
    if stated and stated.startswith(("http://", "https://")):
        return stated
    for block in (*document.blocks[:6], *document.blocks[-6:]):
        if block.kind is not BlockKind.CODE and (found := _SOURCE_LINE.search(block.text[:2_000])):
            return found[1]
    return name


def part_title(part: DocumentPart, found: Sequence[ExtractedTrace], page: str) -> str:
    """A problem's title: its heading, with the head of its trace where the heading says nothing, and the page's title."""
    words = " ".join(plain(part.heading).split())
    if (not words or _says_nothing(words)) and not (words and points_on(words) and _error(found, part.blocks)):
        text = found[0].text.strip() if found else _error((), part.blocks) or _first_words(part.blocks)
        head = " ".join(plain(text.strip().split("\n", 1)[0]).split())
        words = ": ".join(filter(None, (words, head)))
    words = telling_title(words, found, part.blocks)
    page = bare(page) or page
    words = words[:_LONGEST] or page
    return words if page in words or words in page else f"{words} — {page}"


def _first_words(blocks: Sequence[Block]) -> str:
    """The first words of a problem that are no name of a section."""
    words = (one.text for one in blocks if one.kind is not BlockKind.CODE and plain(one.text).strip())
    return next((one for one in words if not heading_roles(plain(one.split("\n", 1)[0]).strip(" :："))), "")


def telling_title(
    words: str, found: Sequence[ExtractedTrace], blocks: Sequence[Block], messages: Sequence[str] = ()
) -> str:
    """A title that points on, with the error it points at; the error alone where the title says nothing. What a logger writes before a message goes.

    A code alone comes with its error, or the first of the ``messages`` that no trace holds.
    """
    words = _without_stamp(words.removeprefix("Caused by: "), found, blocks)
    if _CODE.fullmatch(words):
        message = "".join(messages[:1]).strip().split("\n", 1)[0]
        return ": ".join(filter(None, (words, _error(found, blocks) or _cut(message, _ERROR_TITLE))))
    if not points_on(words) or not (error := _error(found, blocks)):
        return words
    title = bare(words)
    if _is_nothing(title) or error in title or any(words.rstrip(":：") in trace.text for trace in found):
        return error  # the title is a line of the trace itself: *Traceback (most recent call last):*
    return f"{title.rstrip('。.')}: {error}"


def _without_stamp(words: str, found: Sequence[ExtractedTrace], blocks: Sequence[Block]) -> str:
    """A title without the line of a log that it holds, which its error stands for: *cdc 报错: 2024-01-24 16:31:11 ERROR o.a.Main - …*."""
    stamp = _STAMP.search(words)
    if stamp is None:
        return words
    line = words[stamp.start() :]
    message = _HEAD.sub("", line)
    text = message if message != line else line[len(stamp[0]) :].strip(" -:")
    error = _error(found, blocks) or _cut(_LOGGER.sub("", text))
    return ": ".join(filter(None, (words[: stamp.start()].strip(" -:：[("), error))) or words


def points_on(words: str) -> bool:
    """Whether a title says nothing of its problem, or leaves what matters to what stands below it."""
    title = bare(words)
    return _is_nothing(title) or words.rstrip().endswith((":", "：")) or _POINTS_ON.search(title[-60:]) is not None


def _is_nothing(title: str) -> bool:
    return _NOTHING.fullmatch(title) is not None or _NOTHING_ZH.fullmatch(title) is not None


def _error(found: Sequence[ExtractedTrace], blocks: Sequence[Block]) -> str:
    """The innermost message of the first trace, else the first line of code that tells of an error, short; '' for none."""
    for one in found:
        raised = one.chain.root
        message = " ".join((raised.message or "").split("\n", 1)[0].split())
        if raised.type or len(message) > _SECTION:
            return _cut(": ".join(filter(None, ((raised.type or "").rpartition(".")[2], message))))
    for block in blocks:
        lines = block.text.split("\n", _ERROR_LINES)[:_ERROR_LINES] if block.kind is BlockKind.CODE else ()
        for line in lines:
            words = " ".join(line[: _LINE * 4].split())
            if len(words) > _SECTION and words[0] not in _PROMPTS and heading(words).fails:
                return _cut(_HEAD.sub("", words) or words)
    return ""


def _cut(words: str, most: int = _SHORT_ERROR) -> str:
    """At most so many characters of it, of whole words."""
    if len(words) <= most:
        return words
    kept = words[:most]
    return f"{kept.rpartition(' ')[0] or kept}…"


def _says_nothing(words: str) -> bool:
    """Whether a heading is only a number or the name of a section."""
    if len(words) < (2 if _HAN.search(words) else 4):
        return True
    return len(words) <= _SECTION and bool(heading_roles(words)) and not heading(words).specific


def part_ids(base: str, parts: Sequence[DocumentPart], titles: Sequence[str]) -> list[str]:
    """The ids of a document's problems, distinct. Each is made of its own heading: a problem that is added changes no other's.

    Where headings are equal or say nothing, the title made of the trace tells them apart, then their text, then their order.
    """
    titled = zip(parts, titles, strict=True)
    keys = [title if _says_nothing(part.heading) else part.heading for part, title in titled]
    texts = ["\n".join(block.text for block in part.blocks) for part in parts]
    for more in (titles, texts, [str(at) for at in range(len(parts))]):
        counts = Counter(map(_short, keys))
        keys = [f"{key}\n{other}" if counts[_short(key)] > 1 else key for key, other in zip(keys, more, strict=True)]
    return [f"{base}-{_short(key)}" for key in keys]


def _short(key: str) -> str:
    """A slug of the first line; with a hash of the key where that is not all of it."""
    first, *more = key.split("\n", 1)
    short = slug(first)
    whole = sum(map(str.isalnum, first)) <= sum(map(str.isalnum, short))
    return short if whole and not more else f"{short}-{short_hash(key)}"


def part_address(url: str, part: DocumentPart) -> str:
    """The address of a problem: that of its page with the anchor of its heading, stated or as GitHub makes it."""
    stated = _EXPLICIT.search(part.anchor)
    anchor = (
        stated[1] if stated else _NO_ANCHOR.sub("", plain(part.anchor).strip().lower()).replace(" ", "-")[:_LONGEST]
    )
    return f"{url}#{anchor}" if anchor.strip("-") and "#" not in url else url
