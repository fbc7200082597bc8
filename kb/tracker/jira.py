"""Read a Jira issue as a `Ticket`, from any of its three exports: REST (JSON), search as XML, search as CSV.

REST: ``{"key", "fields": {…}}``, as Jira answers; texts in wiki markup or Atlassian Document Format.
XML: ``{"item": …}``, an element of the RSS document as `ingest.sources` writes elements: attributes under ``@name``, text
under ``#``, children as lists under their names; texts in HTML.
CSV: ``{"row": {header: [cell, …]}}``, since Jira repeats headers; texts in wiki markup.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import count
from urllib.parse import urlsplit

from kb.article.blocks import MOST_COLUMNS, Block, BlockKind
from kb.article.formats.shown import ShownBlock
from kb.article.formats.webpage import fragment
from kb.article.vocabulary import SectionRole, label_role
from kb.record import RecordError
from kb.tracker.fields import at, day_at, list_at, names_at, text_at
from kb.tracker.ticket import Post, Ticket, TicketPart, laid_out
from kb.tracker.wiki import wiki

_DEEPEST = 60
_KIND = {
    "blockquote": BlockKind.QUOTE,
    "listItem": BlockKind.ITEM,
    "taskItem": BlockKind.ITEM,
}
_WORDS = frozenset(("paragraph", "heading", "codeBlock", "taskItem", "decisionItem"))
"""Nodes that are one block."""
_MARKS = {"code": "`", "strong": "**"}


def adf(document: object) -> tuple[Block, ...]:
    """Return the blocks of a document in Atlassian Document Format; none for anything else."""
    return laid_out(_pieces(document, BlockKind.PARAGRAPH, count(1), 0))


def is_adf(value: object) -> bool:
    """Whether a value is a document of this format."""
    return isinstance(value, Mapping) and value.get("type") == "doc" and isinstance(value.get("content"), list)


def _pieces(node: object, kind: BlockKind, rows: Iterator[int], depth: int) -> Iterator[ShownBlock]:
    """The blocks below a node; ``rows`` numbers the rows of tables."""
    if not isinstance(node, Mapping) or depth > _DEEPEST:
        return
    name = text_at(node, "type")
    kind = _KIND.get(name, kind)
    if name == "tableRow":
        row = next(rows)
        for column, cell in enumerate(list_at(node, "content"), 1):
            text = "\n".join(_node_text(child, depth + 1).strip() for child in list_at(cell, "content")).strip()
            yield ShownBlock(BlockKind.TABLE, min(column, MOST_COLUMNS), text, row=row)
    elif name not in _WORDS:
        for child in list_at(node, "content"):
            yield from _pieces(child, kind, rows, depth + 1)
    elif name == "codeBlock":
        yield ShownBlock(BlockKind.CODE, 0, "".join(text_at(child, "text") for child in list_at(node, "content")))
    elif name == "heading":
        level = at(node, "attrs", "level")
        rank = level if isinstance(level, int) and 1 <= level <= 6 else 1
        yield ShownBlock(BlockKind.HEADING, rank, _node_text(node, depth).strip())
    else:
        yield ShownBlock(kind, 0, _node_text(node, depth).strip())


def _node_text(node: object, depth: int) -> str:
    """The text below a node, with the marks of Markdown."""
    if not isinstance(node, Mapping) or depth > _DEEPEST:
        return ""
    name = text_at(node, "type")
    if name == "text":
        text = text_at(node, "text")
        for mark in list_at(node, "marks"):
            sign = _MARKS.get(text_at(mark, "type"), "")
            text = f"{sign}{text}{sign}" if text.strip() else text
        return text
    if name == "hardBreak":
        return "\n"
    if name in {"mention", "emoji", "date", "status", "inlineCard"}:
        return text_at(node, "attrs", "text") or text_at(node, "attrs", "url")
    return "".join(_node_text(child, depth + 1) for child in list_at(node, "content"))


_OWN = frozenset(
    (
        SectionRole.SYMPTOM,
        SectionRole.REPRODUCTION,
        SectionRole.ROOT_CAUSE,
        SectionRole.FIX,
        SectionRole.WORKAROUND,
        SectionRole.DISTINGUISH,
        SectionRole.PREVENTION,
        SectionRole.ANALYSIS,
    )
)
"""Roles of fields that houses add to their tracker and that are sections of a write-up."""
_COMMENT = re.compile(r"(?P<when>[^;\n]{4,40});(?P<author>[^;\n]{0,120});", re.ASCII)
_NAMED = re.compile(r"Custom field \((.{1,200})\)\Z")


def is_jira(record: Mapping[str, object]) -> bool:
    """Whether a JSON object is an issue as Jira writes it."""
    return isinstance(record.get("fields"), Mapping) and isinstance(record.get("key"), str)


def jira(record: Mapping[str, object]) -> Ticket:
    """The issue of a record. Raises `RecordError` when it has no summary."""
    if "item" in record:
        ticket = _from_xml(record["item"])
    elif "row" in record:
        ticket = _from_row(record["row"])
    else:
        ticket = _from_rest(record)
    if not ticket.title.strip():
        raise RecordError("summary", "is missing", cure="export the issue with its summary and description")
    return ticket


def _text(value: object) -> tuple[Block, ...]:
    if is_adf(value):
        return adf(value)
    return wiki(value) if isinstance(value, str) and value.strip() else ()


def _posts(record: object) -> Iterator[Post]:
    fields = at(record, "fields")
    yield Post(TicketPart.DESCRIPTION, _text(at(fields, "description")))
    yield Post(TicketPart.ENVIRONMENT, _text(at(fields, "environment")))
    names = at(record, "names")
    for field, name in names.items() if isinstance(names, Mapping) else ():
        if isinstance(name, str) and label_role(name) in _OWN and str(field).startswith("customfield_"):
            yield Post(name, _text(at(fields, str(field))))
    for comment in list_at(fields, "comment", "comments"):
        author = text_at(comment, "author", "displayName") or text_at(comment, "author", "name")
        yield Post(TicketPart.DISCUSSION, _text(at(comment, "body")), author)


def _from_rest(record: Mapping[str, object]) -> Ticket:
    fields = at(record, "fields")
    key = text_at(record, "key")
    duplicates = [
        text_at(link, side, "key")
        for link in list_at(fields, "issuelinks")
        if _is_duplicate(text_at(link, "type", "name"))
        for side in ("inwardIssue", "outwardIssue")
    ]
    host = urlsplit(text_at(record, "self")[:2_000])
    return Ticket(
        title=text_at(fields, "summary"),
        posts=tuple(_posts(record)),
        key=key,
        url=f"{host.scheme}://{host.netloc}/browse/{key}" if host.netloc else "",
        created=day_at(fields, "created"),
        component=", ".join(names_at(fields, "components")),
        versions=names_at(fields, "versions"),
        tags=names_at(fields, "labels"),
        extra=_extra(
            key,
            names_at(fields, "fixVersions"),
            duplicates,
            [text_at(fields, field, "name") for field in ("issuetype", "status", "resolution")],
        ),
    )


def _extra(key: str, fixed: tuple[str, ...], duplicates: list[str], state: list[str]) -> dict[str, object]:
    """``state``: type, status and resolution."""
    names = ("issue_type", "tracker_status", "resolution")
    others = list(dict.fromkeys(one for one in duplicates if one and one != key))
    return {"key": key, "fix_versions": list(fixed), "duplicates": others, **dict(zip(names, state, strict=True))}


def _is_duplicate(link: str) -> bool:
    return "duplicate" in link.lower()


def _children(element: object, *path: str) -> list[object]:
    """Return the elements under a path of names, of every branch."""
    found = [element]
    for name in path:
        found = [child for one in found for child in list_at(one, name)]
    return found


def _words(element: object, *path: str) -> tuple[str, ...]:
    every = (text_at(one, "#").strip() for one in _children(element, *path))
    return tuple(dict.fromkeys(one for one in every if one))


def _first(element: object, name: str) -> str:
    return next(iter(_words(element, name)), "")


def _page(html: str) -> tuple[Block, ...]:
    return fragment(html).blocks if html.strip() else ()


def _from_xml(item: object) -> Ticket:
    key = _first(item, "key")
    posts = [
        Post(TicketPart.DESCRIPTION, _page(_first(item, "description"))),
        Post(TicketPart.ENVIRONMENT, _page(_first(item, "environment"))),
    ]
    for field in _children(item, "customfields", "customfield"):
        name = _first(field, "customfieldname")
        if label_role(name) in _OWN:
            posts.append(Post(name, _page("\n".join(_words(field, "customfieldvalues", "customfieldvalue")))))
    posts += [
        Post(TicketPart.DISCUSSION, _page(text_at(comment, "#")), text_at(comment, "@author"))
        for comment in _children(item, "comments", "comment")
    ]
    duplicates: list[str] = []
    for link in _children(item, "issuelinks", "issuelinktype"):
        if _is_duplicate(_first(link, "name")):
            for side in ("inwardlinks", "outwardlinks"):
                duplicates += _words(link, side, "issuelink", "issuekey")
    title = _first(item, "summary") or re.sub(r"\A\[[A-Z][A-Z0-9_]{0,40}-\d{1,12}\]\s*", "", _first(item, "title"))
    return Ticket(
        title=title,
        posts=tuple(posts),
        key=key,
        url=_first(item, "link"),
        created=day_at({"#": _first(item, "created")}, "#"),
        component=", ".join(_words(item, "component")),
        versions=_words(item, "version"),
        tags=_words(item, "labels", "label"),
        extra=_extra(
            key, _words(item, "fixVersion"), duplicates, [_first(item, one) for one in ("type", "status", "resolution")]
        ),
    )


def _cells(row: object, *headers: str) -> tuple[str, ...]:
    """The filled cells below the first of the headers that has any; Jira renamed some of its columns."""
    for header in headers:
        cells = [cell for cell in list_at(row, header) if isinstance(cell, str) and cell.strip()]
        if cells:
            return tuple(dict.fromkeys(cells))
    return ()


def _from_row(row: object) -> Ticket:
    def one(*headers: str) -> str:
        return next(iter(_cells(row, *headers)), "").strip()

    posts = [
        Post(TicketPart.DESCRIPTION, _text(one("Description"))),
        Post(TicketPart.ENVIRONMENT, _text(one("Environment"))),
    ]
    headers = [header for header in row if isinstance(header, str)] if isinstance(row, Mapping) else []
    for header in headers:
        named = _NAMED.match(header)
        if named and label_role(named[1]) in _OWN:
            posts.append(Post(named[1], _text("\n\n".join(_cells(row, header)))))
    for cell in _cells(row, "Comment", "Comments"):
        about = _COMMENT.match(cell)
        text = cell[about.end() :] if about else cell
        posts.append(Post(TicketPart.DISCUSSION, _text(text), about["author"] if about else ""))
    key = one("Issue key", "Key")
    linked = [cell for header in headers if "duplicate" in header.lower() for cell in _cells(row, header)]
    return Ticket(
        title=one("Summary"),
        posts=tuple(posts),
        key=key,
        url=one("URL", "Link"),
        created=day_at({"#": one("Created")}, "#"),
        component=", ".join(_cells(row, "Component/s", "Components", "Component")),
        versions=_cells(row, "Affects Version/s", "Affects versions", "Affects Version"),
        tags=_cells(row, "Labels", "Label"),
        extra=_extra(
            key,
            _cells(row, "Fix Version/s", "Fix versions", "Fix Version"),
            linked,
            [one("Issue Type", "Type"), one("Status"), one("Resolution")],
        ),
    )
