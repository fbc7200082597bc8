"""Where the article of a page is: by the marks of site generators, else by where the words are that are no links."""

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from kb.article.vocabulary import chrome

_ENOUGH = 120
"""Characters an element must show to be taken for the article."""
_TEXT_HOLDERS = frozenset(("p", "pre", "ul", "ol", "dl", "blockquote", "figure", "li", "code"))
"""Elements that are part of an article, never the whole of it."""
_CONTAINERS = "div, section, ul, ol, dl, table, aside, p, header, ins"
"""Elements that may surround or follow an article."""
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SEPARATOR = re.compile(r"[^a-zA-Z]+")


def main_body(body: LexborNode) -> LexborNode:
    """The element that holds the article. What surrounds it, or stands in it and is no part of it, is removed from the tree."""
    for node in body.css(", ".join(chrome().drop)):
        if node.parent is not None:
            node.decompose()
    root = _marked(body)
    if root is None:
        _remove_furniture(body)
        root = _densest(body)
    _remove_furniture(root)
    return root


def _size(node: LexborNode) -> int:
    """Characters an element shows."""
    return len(node.text(strip=True))


def _marked(body: LexborNode) -> LexborNode | None:
    """The element that a site generator marks as the article."""
    whole = _size(body)
    for selector in chrome().root:
        found = [node for node in body.css(selector) if node.mem_id != body.mem_id]
        sizes = [(size, node) for node in found if (size := _size(node)) >= _ENOUGH]
        if not sizes:
            continue
        size, longest = max(sizes, key=lambda one: one[0])
        if size * 2 > whole or (len(sizes) == 1 and size * 10 > whole):
            return longest
    return None


def _densest(body: LexborNode) -> LexborNode:
    """The smallest element that holds most of the words outside of links."""
    node, words = body, _words(body)
    while words >= _ENOUGH:
        inner = [(_words(child), child) for child in _elements(node) if child.tag not in _TEXT_HOLDERS]
        most, child = max(inner, key=lambda one: one[0], default=(0, node))
        if most * 10 < words * 7:
            break
        node, words = child, most
    return node


def _elements(node: LexborNode) -> Iterator[LexborNode]:
    return (child for child in node.iter() if child.tag and child.tag[0] not in "-!")


def _words(node: LexborNode) -> int:
    """Characters an element shows outside of links."""
    return max(_size(node) - sum(map(_size, node.css("a"))), 0)


def _remove_furniture(root: LexborNode) -> None:
    """Takes out what is named after furniture, and lists of nothing but links."""
    whole = _size(root)
    for node in root.css(_CONTAINERS):
        if node.parent is None or node.mem_id == root.mem_id:
            continue
        named = _is_named(node)
        if not named and node.tag in {"p", "header", "table", "ins"}:
            continue
        if (named and _size(node) * 3 <= whole) or (not named and _is_index(node, whole)):
            node.decompose()


def _is_named(node: LexborNode) -> bool:
    """Whether its class or id says that it is furniture: ``post-comments``, ``relatedPosts``."""
    classes = node.attributes.get("class")
    if not classes:
        return False
    words = _SEPARATOR.split(_CAMEL.sub(" ", classes[:400]).lower())
    return not chrome().name.isdisjoint(words)


def _is_index(node: LexborNode, whole: int) -> bool:
    """Whether an element is a list of links: at least five, and hardly a word beside them."""
    if node.tag not in {"ul", "ol", "div", "section", "aside"}:
        return False
    links = node.css("a")
    if len(links) < 5:
        return False
    size = _size(node)
    return size * 3 <= whole and sum(map(_size, links)) * 10 >= size * 9
