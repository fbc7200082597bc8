"""Read a question of a Stack Exchange dump with its answers as a `Ticket`.

``{"question": row, "answers": [row, …]}``: rows of ``Posts.xml`` as objects of their attributes.
https://meta.stackexchange.com/questions/2677/database-schema-documentation-for-the-public-data-dump-and-sede
"""

import re
from collections.abc import Mapping

from kb.article.blocks import Block
from kb.article.formats.webpage import fragment
from kb.record import RecordError
from kb.tracker.fields import at, day_at, list_at, text_at
from kb.tracker.ticket import Post, Ticket, TicketPart

_SITE = re.compile(
    r"(?:\A|/)((?:[a-z0-9-]{1,40}\.){0,3}stackexchange\.com|(?:[a-z]{2}\.)?stackoverflow\.com|superuser\.com|serverfault\.com"
    r"|askubuntu\.com|mathoverflow\.net|stackapps\.com)[/.!]",
    re.IGNORECASE,
)
_TAG = re.compile(r"[^<>|]{1,60}")


def stackexchange(record: Mapping[str, object], name: str) -> Ticket:
    """Read the question of a record; ``name`` may name the site by a folder or archive.

    Raises `RecordError` when the question has no title.
    """
    question = at(record, "question")
    title = text_at(question, "Title")
    if not title.strip():
        raise RecordError("Title", "is missing", cure="give a dump whose questions have titles")
    site = _SITE.search(name[:1_000])
    number = text_at(question, "Id")
    accepted = text_at(question, "AcceptedAnswerId")
    answers = [row for row in list_at(record, "answers") if _body(row)]
    posts = [Post(TicketPart.DESCRIPTION, _body(question))]
    for row in answers:
        # What nobody accepted and nobody voted for is an opinion.
        chosen = text_at(row, "Id") == accepted or (not accepted and row is answers[0] and _score(row) > 0)
        posts.append(Post(TicketPart.ANSWER if chosen else TicketPart.DISCUSSION, _body(row)))
    return Ticket(
        title=title,
        posts=tuple(posts),
        key=f"{site[1].lower()} {number}" if site and number else "",
        url=f"https://{site[1].lower()}/q/{number}" if site and number else "",
        created=day_at(question, "CreationDate"),
        tags=tuple(dict.fromkeys(_TAG.findall(text_at(question, "Tags")[:2_000]))),
        licence=text_at(question, "ContentLicense") or None,
        extra={
            "key": number,
            "issue_type": "question",
            "tracker_status": "closed" if text_at(question, "ClosedDate") else "answered" if accepted else "",
        },
    )


def _body(row: object) -> tuple[Block, ...]:
    html = text_at(row, "Body")
    return fragment(html).blocks if html.strip() else ()


def _score(row: object) -> int:
    try:
        return int(text_at(row, "Score")[:12] or 0)
    except ValueError:
        return 0
