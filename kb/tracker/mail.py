"""Read a thread of a mailing list as a `Ticket`: ``{"messages": [{"from", "date", "subject", "text", "html"}, …]}``, oldest first."""

import re
from collections.abc import Mapping

from kb.article.blocks import Block
from kb.article.formats.plaintext import bare
from kb.article.formats.webpage import fragment
from kb.record import RecordError
from kb.tracker.fields import at, day_at, list_at, text_at
from kb.tracker.ticket import Post, Ticket, TicketPart

_REPLY = re.compile(
    r"\s{0,8}(?:re|aw|sv|antw|fwd?|fw|回复|回覆|答复|答覆|转发|轉發)\s?(?:\[\d{1,3}\])?[:：]\s{0,8}", re.IGNORECASE
)
_LIST = re.compile(r"\s{0,8}\[[\w .-]{1,40}\]\s{0,8}")
_WROTE = re.compile(
    r".{0,300}(?:wrote|schrieb|写道|寫道)[:：]\s*\Z|-{2,12}\s?(?:Original Message|原始邮件|原始郵件|Forwarded message)\b.*"
)
_QUOTED = re.compile(r"^(?:>[ \t]?)++", re.MULTILINE)
_SIGNATURE = "-- "


def subject_of(subject: str) -> str:
    """Return the subject without marks of replies and of the list: equal for all mails of a thread."""
    words = " ".join(subject[:1_000].split())
    for _ in range(12):
        shorter = _LIST.sub("", _REPLY.sub("", words, count=1), count=1) if _marked(words) else words
        if shorter == words or not shorter:
            break
        words = shorter
    return words


def _marked(words: str) -> bool:
    return _REPLY.match(words) is not None or _LIST.match(words) is not None


def mail(record: Mapping[str, object]) -> Ticket:
    """The thread of a record. Raises `RecordError` when it holds no message."""
    messages = list_at(record, "messages")
    if not messages:
        raise RecordError("messages", "are missing", cure="give a mailbox with whole messages")
    first = messages[0]
    title = subject_of(text_at(first, "subject"))
    posts = [
        Post(
            TicketPart.DISCUSSION if number else TicketPart.DESCRIPTION,
            _blocks(one, quoted=number == 0),
            text_at(one, "from"),
        )
        for number, one in enumerate(messages)
    ]
    return Ticket(
        title=title or next((block.text[:120] for post in posts for block in post.blocks), ""),
        posts=tuple(posts),
        url=text_at(first, "url"),
        created=day_at(first, "date"),
        extra={"key": text_at(first, "id"), "issue_type": "mail thread", "messages": len(messages)},
    )


def _blocks(message: object, *, quoted: bool) -> tuple[Block, ...]:
    """The text of a mail. A reply loses its quotation, which is in the mail it quotes; the first of a thread keeps it."""
    text = text_at(message, "text")
    if at(message, "html") is True:
        return fragment(text).blocks if text.strip() else ()
    own = _signed(_QUOTED.sub("", text) if quoted else _own(text))
    return bare(own) if own.strip() else ()


def _own(text: str) -> str:
    lines: list[str] = []
    for line in text.split("\n"):
        if line.startswith((">", "|>")):
            while lines and (not lines[-1].strip() or _WROTE.match(lines[-1])):
                if lines.pop().strip():
                    break
            continue
        if _WROTE.match(line) and line.startswith("--"):
            break  # everything below is the mail that was replied to
        lines.append(line)
    return "\n".join(lines)


def _signed(text: str) -> str:
    """The text before the signature."""
    at_end = text.rfind(f"\n{_SIGNATURE}\n")
    return text[:at_end] if at_end >= 0 and len(text) - at_end < 2_000 else text
