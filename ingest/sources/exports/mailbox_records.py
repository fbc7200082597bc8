"""Cuts a mailbox in mbox format into threads: a mail, and those that answer it."""

import hashlib
import io
import json
import re
from collections.abc import Iterator
from email import message_from_bytes
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message
from pathlib import Path

from ingest.quality import Reason
from ingest.sources.exports.gathered import gathered
from ingest.sources.exports.records import Record
from ingest.sources.exports.xml_records import made
from ingest.sources.formats import DocumentFormat
from ingest.sources.listing import MAX_DOCUMENT
from kb.article.decode import decode
from kb.tracker.mail import subject_of

_BEGINS = re.compile(rb"From \S.{0,300} \d\d:\d\d.{0,40} \d{4}.{0,10}\n\Z")
_ID = re.compile(r"<([^<>\s]{1,300})>")
_MOST_TEXT = 1 << 20
_CODECS = (LookupError, ValueError, MessageError)  # unknown charsets, broken words


def cut_mailbox(stream: io.BufferedReader, scratch: Path) -> Iterator[Record]:
    """Every thread, oldest mail first. A mail belongs to the thread of what it answers, else to that of its subject."""
    with gathered(scratch) as mails:
        threads = _Threads()
        for number, data in enumerate(_messages(stream)):
            if len(data) > MAX_DOCUMENT:
                yield Record(f"#mail-{number + 1}", reason=Reason.TOO_LARGE, detail=f"more than {MAX_DOCUMENT:,} bytes")
                continue
            try:
                mail = _read(data)
            except (RecursionError, *_CODECS) as error:
                yield Record(f"#mail-{number + 1}", reason=Reason.INVALID_RECORD, detail=f"not a mail: {error}")
                continue
            mails.add(threads.of(mail, number), number, json.dumps(mail).encode())
        mails.sort()
        for _, rows, left in mails.groups():
            messages = [json.loads(row) for row in rows]
            first = messages[0]["id"] or messages[0]["subject"]
            name = hashlib.sha256(first.encode("utf-8", "replace")).hexdigest()[:16]
            yield made(f"#{name}", {"messages": messages}, DocumentFormat.MBOX)
            if left:
                yield Record(f"#{name}/rest", reason=Reason.TOO_LARGE, detail=f"{left} mails beyond 8 MB")


def _messages(stream: io.BufferedReader) -> Iterator[bytes]:
    """Each mail without the line that opens it; of one that is too large, a little more than what is allowed."""
    held: list[bytes] = []
    size, blank, opened = 0, True, False
    while line := stream.readline(_MOST_TEXT):
        if blank and _BEGINS.match(line):
            if opened:
                yield b"".join(held)
            held, size, opened, blank = [], 0, True, False
            continue
        opened, blank = True, not line.strip()
        if size <= MAX_DOCUMENT:
            held.append(line[1:] if line.startswith((b">From ", b">>From ")) else line)
            size += len(line)
    if opened:
        yield b"".join(held)


class _Threads:
    """To which thread a mail belongs: the number of the first mail of it."""

    def __init__(self) -> None:
        self.by_id: dict[str, int] = {}
        self.by_subject: dict[str, int] = {}

    def of(self, mail: dict[str, object], number: int) -> int:
        """The thread of a mail, noted for those that follow."""
        subject = str(mail["subject"])
        plain = subject_of(subject)
        answered = [self.by_id[one] for one in mail.pop("answers") if one in self.by_id]  # type: ignore[attr-defined]
        if answered:
            thread = answered[0]
        elif plain != subject and plain in self.by_subject:
            thread = self.by_subject[plain]
        else:
            thread = number
            self.by_subject[plain] = number
        if mail["id"]:
            self.by_id[str(mail["id"])] = thread
        return thread


def _read(data: bytes) -> dict[str, object]:
    """What is kept of a mail. Raises what `email` raises for one that is none."""
    mail = message_from_bytes(data)
    headers = {name.lower(): str(value) for name, value in reversed(mail.items())}
    if not headers:
        raise ValueError("it has no header")
    answers = _ID.findall(f"{headers.get('in-reply-to', '')} {headers.get('references', '')}"[:100_000])
    text, html = _words(mail)
    return {
        "id": next(iter(_ID.findall(headers.get("message-id", "")[:1_000])), ""),
        "answers": answers,
        "from": _decoded(headers.get("from", "")),
        "date": headers.get("date", "")[:100],
        "subject": " ".join(_decoded(headers.get("subject", "")).split()),
        "url": headers.get("archived-at", "").strip(" <>")[:1_000],
        "text": text,
        "html": html,
    }


def _decoded(value: str) -> str:
    """A header as it is meant; as it stands where it cannot be decoded."""
    if "=?" not in value:
        return value[:2_000]
    try:
        return str(make_header(decode_header(value[:2_000])))
    except _CODECS:
        return value[:2_000]


def _words(mail: Message) -> tuple[str, bool]:
    """The text of a mail and of the logs attached to it; its page where it has nothing else, and True."""
    parts = [part for part in mail.walk() if not part.is_multipart()]
    plain = [_text(part) for part in parts if part.get_content_type() == "text/plain"]
    if any(text.strip() for text in plain):
        return "\n\n".join(plain)[:_MOST_TEXT], False
    pages = [_text(part) for part in parts if part.get_content_type() == "text/html"]
    return (pages[0][:_MOST_TEXT], True) if pages else ("", False)


def _text(part: Message) -> str:
    payload = part.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else b""
    charset = part.get_content_charset()
    if charset and charset not in {"us-ascii", "ascii"}:
        try:
            return data.decode(charset, "replace").replace("\r\n", "\n")
        except LookupError:
            pass
    return decode(data).text
