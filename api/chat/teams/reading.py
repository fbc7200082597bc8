"""What an outgoing webhook of Teams says: a Bot Framework activity (learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-api-reference)."""

import re
from datetime import datetime
from hashlib import sha256
from html import unescape

from selectolax.lexbor import LexborHTMLParser

from api.chat.platform import InboundMessage, Nothing, Question, Reply
from api.chat.shapes import Json, load, part, parts, text
from kb.article.decode import tidied

_MENTION = re.compile(r"<at(?:\s[^<>]{0,200})?>[^<>]{0,200}</at>", re.IGNORECASE)
_LINES = "p,div,li,pre,tr,blockquote,h1,h2,h3,h4,h5,h6"
_DRAWN = re.compile(r"\s*<(?:p|div|pre|table|ul|ol|blockquote|attachment)\b", re.IGNORECASE)
SEEN = Reply(b'{"type":"message","text":""}')
"""To a call that was answered before."""


def of_webhook(body: bytes) -> InboundMessage:
    """What was asked. A call without an id of its own is known by what it says."""
    said = load(body)
    if said.get("type") != "message":
        return Nothing()
    place = text(part(said, "conversation"), "id")
    name = text(said, "id") or sha256(body).hexdigest()
    sender = part(said, "from")
    who = text(sender, "aadObjectId") or text(sender, "id")
    return Question(f"{place[:200]}:{name[:100]}", _question_text(said), who[:200], {}, (), SEEN)


def sent_at(body: bytes) -> float | None:
    """When it was sent, in seconds since 1970; None where the body does not say it."""
    stated = text(load(body), "timestamp")
    try:
        at = datetime.fromisoformat(_MORE_DIGITS.sub(r"\1", stated[:64])) if stated else None
    except ValueError:
        return None
    return at.timestamp() if at is not None and at.tzinfo is not None else None


_MORE_DIGITS = re.compile(r"(\.[0-9]{6})[0-9]{1,6}")
"""Teams states a ten-millionth of a second, too."""


def _question_text(said: Json) -> str:
    """The HTML of the message keeps its lines, and ``<`` as it was typed; without it, the text."""
    for attached in parts(said, "attachments"):
        if text(attached, "contentType").startswith("text/html") and (drawn := text(attached, "content")):
            return _plain(drawn)
    written = text(said, "text")
    return _plain(written) if _DRAWN.match(written) else tidied(unescape(_MENTION.sub("", written))).strip()


def _plain(drawn: str) -> str:
    """HTML as text, a line each where it begins one, without those who are mentioned."""
    page = LexborHTMLParser(drawn)
    for node in page.css("at,span[itemtype*='schema.skype.com/Mention'],script,style"):
        node.remove()
    for node in page.css("br"):
        node.replace_with("\n")
    for node in page.css(_LINES):
        node.insert_after("\n")
    found = page.body.text(deep=True) if page.body else ""
    return "\n".join(line.rstrip() for line in tidied(found).splitlines()).strip("\n ")
