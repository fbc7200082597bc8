"""Read a Confluence page in storage format, XHTML with macros, as a `Ticket`.

The format: https://confluence.atlassian.com/doc/confluence-storage-format-790796544.html
"""

import html
import re
from collections.abc import Mapping

from kb.article.blocks import Document
from kb.article.formats.webpage import fragment
from kb.record import RecordError
from kb.tracker.fields import at, day_at, list_at, names_at, text_at
from kb.tracker.ticket import Post, Ticket, TicketPart
from kb.tracker.wiki import wiki

_OPEN = "<![CDATA["
_PARAMETER = re.compile(r"<ac:parameter\b[^<>]{0,400}>[^<]{0,2000}</ac:parameter>")
_DRESSED = re.compile(
    r'<ac:structured-macro\s[^<>]{0,400}?\bac:name="(?:expand|info|note|panel|tip|warning)"[^<>]{0,400}>'
    r"((?:\s{0,20}<ac:parameter\b[^<>]{0,400}>[^<]{0,2000}</ac:parameter>){1,20})"
)
"""A macro that only decorates its content, up to its parameters."""
_TITLE = re.compile(r'\bac:name="title"[^<>]{0,400}>([^<]+)<')
_TASK = re.compile(r"<ac:task-(?:id|uuid|status)>[^<]{0,100}</ac:task-(?:id|uuid|status)>")
_EMPTY = re.compile(r"<(ac|ri):[\w-]{1,60}(?:\s[^<>]{0,2000})?/>")


def is_confluence(record: Mapping[str, object]) -> bool:
    """Whether a JSON object is a page as Confluence's REST interface writes it."""
    return isinstance(record.get("title"), str) and isinstance(at(record, "body", "storage", "value"), str)


def is_storage(text: str) -> bool:
    """Whether a text is a page in storage format by itself."""
    return "<ac:" in text and ("</ac:" in text or "<ri:" in text)


def storage(text: str) -> Document:
    """Return the blocks of a page in storage format: code macros as code, other macros as title and content, tasks as items."""
    shown = _unfolded(text)
    if "<ac:task>" in shown:
        shown = _TASK.sub("", shown).replace("<ac:task>", "<li>").replace("</ac:task>", "</li>")
    shown = _DRESSED.sub(_titled, shown)
    return fragment(_EMPTY.sub("", _PARAMETER.sub("", shown)))


def _titled(macro: re.Match[str]) -> str:
    title = _TITLE.search(macro[1])
    return f"<p>{title[1]}</p>" if title else ""


def _unfolded(text: str) -> str:
    """Marked sections as HTML shows them: those that are the body of a macro as code, others (names of links) as words."""
    parts: list[str] = []
    at = 0
    while (start := text.find(_OPEN, at)) >= 0 and (end := text.find("]]>", start)) >= 0:
        before = text[at:start]
        words = html.escape(text[start + len(_OPEN) : end], quote=False)
        parts += [before, f"<pre>{words}</pre>" if before.rstrip().endswith("<ac:plain-text-body>") else words]
        at = end + 3
    return "".join((*parts, text[at:]))


def confluence(record: Mapping[str, object]) -> Ticket:
    """The page of a record, ``{"page": {"title", "body", …}}`` or REST. Raises `RecordError` when it has no title."""
    rest = is_confluence(record)
    page: object = record if rest else at(record, "page")
    title = text_at(page, "title")
    if not title.strip():
        raise RecordError("title", "is missing", cure="export the page with its title")
    body = text_at(page, "body", "storage", "value") if rest else text_at(page, "body")
    comments = [storage(one).blocks for one in list_at(page, "comments") if isinstance(one, str)]
    own = wiki(body) if at(page, "wiki") is True else storage(body).blocks
    posts = [Post("", own), *(Post(TicketPart.DISCUSSION, blocks) for blocks in comments)]
    space = text_at(page, "space", "key") or text_at(page, "space")
    base, link = text_at(page, "_links", "base"), text_at(page, "_links", "webui")
    number = text_at(page, "id")
    return Ticket(
        title=title,
        posts=tuple(posts),
        key=f"{space} {number}".strip() if number else "",
        url=base + link if base.startswith("http") and link else "",
        created=day_at(page, "created") or day_at(page, "history", "createdDate"),
        tags=names_at(page, "labels") or names_at(page, "metadata", "labels", "results"),
        is_page=True,
        extra={"key": number, "issue_type": "page", "space": space},
    )
