"""Read a GitHub issue, pull request or discussion as a `Ticket`, from ``gh … --json``, REST or GraphQL."""

import re
from collections.abc import Iterator, Mapping

from kb.article.blocks import Block
from kb.article.formats.markdown import markdown
from kb.record import RecordError
from kb.tracker.fields import at, day_at, list_at, names_at, text_at
from kb.tracker.ticket import Post, Ticket, TicketPart

_PLACE = re.compile(r"https?://[^/\s]{1,200}/([\w.-]{1,100}/[\w.-]{1,100})/(?:issues|pull|discussions)/(\d{1,12})")
_API = re.compile(r"https?://[^/\s]{1,200}/(?:api/v\d/)?repos/([\w.-]{1,100}/[\w.-]{1,100})(?:/|\Z)")
_DUPLICATE = re.compile(r"\bduplicate of\s{1,4}(?:https?://\S{1,300}?/(?=\d))?#?(\d{1,9})\b", re.IGNORECASE)


_COMPONENT = re.compile(r"(?:component|comp|area|module|subsystem)\s{0,2}[:/]\s{0,2}(\S.{0,80})", re.IGNORECASE)
"""How projects spell a component as a label: ``area/scheduler``, ``component: web``."""


def is_github(record: Mapping[str, object]) -> bool:
    """Whether a JSON object is an issue, pull request or discussion as GitHub writes it."""
    url = _url(record)
    named = "number" in record or _PLACE.match(url) is not None or _API.match(url) is not None
    return isinstance(record.get("title"), str) and "body" in record and named


def github(record: Mapping[str, object]) -> Ticket:
    """The issue, pull request or discussion of a record. Raises `RecordError` when it has no title."""
    title = text_at(record, "title")
    if not title.strip():
        raise RecordError(
            "title",
            "is missing",
            cure="export issues whole: title, body, comments, labels, number, url, state, createdAt",
        )
    url = _url(record)
    repository, _ = _place(record)
    return Ticket(
        title=title,
        posts=tuple(_posts(record)),
        key=github_key(record) if repository else "",
        url=url if _PLACE.match(url) else "",
        created=day_at(record, "createdAt") or day_at(record, "created_at"),
        component=_component(names_at(record, "labels")) or repository.rpartition("/")[2],
        tags=names_at(record, "labels"),
        extra={
            "key": github_key(record),
            "issue_type": _kind(record, url),
            "tracker_status": text_at(record, "state").lower() or ("closed" if record.get("closed") is True else ""),
            "resolution": (text_at(record, "stateReason") or text_at(record, "state_reason")).lower(),
            "milestone": text_at(record, "milestone", "title"),
            "duplicates": [f"{repository}#{one}" for one in _duplicates(record)],
        },
    )


def github_key(record: Mapping[str, object]) -> str:
    """``owner/name#number``, without the repository where the record does not name it; empty without a number."""
    repository, number = _place(record)
    return f"{repository}#{number}" if repository and number else number


def _url(record: Mapping[str, object]) -> str:
    return (text_at(record, "html_url") or text_at(record, "url"))[:500]


def _place(record: Mapping[str, object]) -> tuple[str, str]:
    """Repository and number."""
    number = text_at(record, "number")[:12]
    if place := _PLACE.match(_url(record)):
        return place[1], number or place[2]
    api = _API.match((text_at(record, "repository_url") or text_at(record, "url"))[:500])
    return api[1] if api else text_at(record, "repository", "nameWithOwner")[:200], number


def _component(labels: tuple[str, ...]) -> str:
    found = (_COMPONENT.fullmatch(label) for label in labels)
    return ", ".join(one[1] for one in found if one)


def _kind(record: Mapping[str, object], url: str) -> str:
    if "/pull/" in url or "pull_request" in record:
        return "pull request"
    return "discussion" if "/discussions/" in url or "answer" in record else "issue"


def _author(post: object) -> str:
    return text_at(post, "author", "login") or text_at(post, "user", "login")


def _body(post: object) -> tuple[Block, ...]:
    text = text_at(post, "body").replace("\r\n", "\n")
    return markdown(text) if text.strip() else ()


def _posts(record: Mapping[str, object]) -> Iterator[Post]:
    yield Post(TicketPart.DESCRIPTION, _body(record))
    answer = at(record, "answer")
    if isinstance(answer, Mapping):
        yield Post(TicketPart.ANSWER, _body(answer), _author(answer))
    answered = text_at(answer, "id") or text_at(answer, "body")
    for comment in _comments(record):
        if answered and answered in {text_at(comment, "id"), text_at(comment, "body")}:
            continue
        part = TicketPart.ANSWER if at(comment, "isAnswer") is True else TicketPart.DISCUSSION
        yield Post(part, _body(comment), _robot_or(comment))


def _robot_or(comment: object) -> str:
    """The author; a robot by GitHub's own account gets a name that says so."""
    robot = at(comment, "author", "is_bot") is True or text_at(comment, "user", "type") == "Bot"
    return f"{_author(comment)} bot" if robot else _author(comment)


def _comments(record: Mapping[str, object]) -> Iterator[object]:
    """Comments, replies below them, and the words of reviews, each list in its order."""
    for comment in list_at(record, "comments"):
        yield comment
        yield from list_at(comment, "replies")
    yield from list_at(record, "reviews")


def _duplicates(record: Mapping[str, object]) -> list[str]:
    """Return the issues that a comment marks as duplicates, in the words that GitHub itself recognises."""
    texts = [text_at(record, "body"), *(text_at(comment, "body") for comment in _comments(record))]
    return list(dict.fromkeys(found[1] for text in texts if (found := _DUPLICATE.search(text))))
