"""A saved page of a forum → its posts, each under the heading that a tracker's tickets have for it (`kb.tracker.ticket.TicketPart`)."""

from collections.abc import Iterator
from dataclasses import replace

from selectolax.lexbor import LexborNode

from kb.article.blocks import BlockKind
from kb.article.formats.mainbody import marked, without_furniture
from kb.article.formats.pageblocks import pieces
from kb.article.formats.shown import ShownBlock
from kb.article.vocabulary import chrome

_MOST = 2_000
"""Elements looked at: a page of a forum shows some tens of posts."""
_DEEPEST = 6


def thread(body: LexborNode) -> list[ShownBlock]:
    """The pieces of a thread; none for a page that holds less than two posts. What surrounds them is left out.

    What was said before the solution stays with the question: under a heading of its own it draws the cause to it.
    """
    posts = _posts(body)
    if not posts or _are_comments(posts, body):
        return []
    replies = {node.mem_id for node in body.css(", ".join(chrome().reply))}
    solved = next((ids for selector in chrome().solved if (ids := {one.mem_id for one in body.css(selector)})), set())
    found: list[ShownBlock] = []
    ahead = any(post.mem_id in solved for post in posts)
    for at, post in enumerate(posts):
        if post.mem_id in solved:
            ahead = False
            found.append(ShownBlock(BlockKind.HEADING, 1, "Answer"))
        elif at == 0 and post.mem_id not in replies:
            found.append(ShownBlock(BlockKind.HEADING, 1, "Description"))
        elif not ahead:
            found.append(ShownBlock(BlockKind.HEADING, 1, "Discussion"))
        found += _below(post)
    return found


def _posts(body: LexborNode) -> list[LexborNode]:
    """The posts by the first selector of a forum that finds two, in document order, none within another."""
    if body.css_first(", ".join(chrome().post)) is None:
        return []
    for selector in chrome().post:
        found = {node.mem_id: node for node in body.css(selector)[:_MOST]}
        outermost = (node for node in found.values() if not any(one.mem_id in found for one in _around(node, body)))
        posts = [node for node in outermost if node.text(strip=True)]
        if len(posts) >= 2:
            return posts
    return []


def _are_comments(posts: list[LexborNode], body: LexborNode) -> bool:
    """Whether the page marks an article that stands apart from all of them."""
    article = marked(body)
    if article is None:
        return False
    above = {one.mem_id for one in (article, *_around(article, body))}
    return not any(
        post.mem_id in above or any(one.mem_id == article.mem_id for one in _around(post, body)) for post in posts
    )


def _around(node: LexborNode, body: LexborNode) -> Iterator[LexborNode]:
    """The elements around an element, up to the body."""
    outer = node.parent
    while outer is not None and outer.mem_id != body.mem_id:
        yield outer
        outer = outer.parent


def _below(post: LexborNode) -> Iterator[ShownBlock]:
    """The pieces of a post, its headings one level down."""
    for piece in pieces(without_furniture(post)):
        yield replace(piece, level=min(piece.level + 1, _DEEPEST)) if piece.level else piece
