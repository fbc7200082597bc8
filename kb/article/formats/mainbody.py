"""Where the article of a page is: by the marks of site generators, else by where the words are that are no links."""

from collections import Counter
from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from kb.article.vocabulary import chrome, label_role
from kb.patterns import lazy

_ENOUGH = 120
"""Characters an element must show to be taken for the article."""
_TEXT_HOLDERS = frozenset(("p", "pre", "ul", "ol", "dl", "blockquote", "figure", "li", "code"))
"""Elements that are part of an article, never the whole of it."""
_CONTAINERS = "div, section, ul, ol, dl, table, aside, p, header, ins"
"""Elements that may surround or follow an article."""
_LISTS = frozenset(("ul", "ol", "div", "section", "aside"))
"""Elements that may be a list of links."""
_NEAR = 10
"""Elements between a list and its links."""
_DEEPEST = 25
"""Elements around the article that are looked into."""
_LOOKS = 20
"""How often the characters of a page are looked at: elements nested for ever would cost the square of it."""
_CAMEL = lazy(r"(?<=[a-z])(?=[A-Z])")
_SEPARATOR = lazy(r"[\W\d_]+")


def drop(body: LexborNode) -> None:
    """Takes out of the tree what is no part of any article."""
    for node in body.css("aside"):
        if node.parent is not None and not _is_note(node):
            node.decompose()
    for node in body.css(", ".join(chrome().drop)):
        if node.parent is not None:
            node.decompose()
    whole = length_of(body)
    left = _LOOKS * whole
    for node in body.css("form"):  # which servers write around all of a page, too
        size = length_of(node)
        left -= size
        if left < 0:
            break
        if size * 2 < whole:
            node.decompose()


def main_body(body: LexborNode) -> LexborNode:
    """The element that holds the article. What surrounds it, or stands in it and is no part of it, is removed from the tree."""
    return without_furniture(marked(body) or _densest(without_furniture(body)))


def length_of(node: LexborNode) -> int:
    """Characters an element shows."""
    return len(node.text(strip=True))


def marked(body: LexborNode) -> LexborNode | None:
    """The element that a site generator marks as the article."""
    whole = length_of(body)
    for selector in chrome().root:
        found = [node for node in body.css(selector) if node.mem_id != body.mem_id]
        sizes = [(size, node) for node in found if (size := length_of(node)) >= _ENOUGH]
        if not sizes:
            continue
        size, longest = max(sizes, key=lambda one: one[0])
        if size * 2 > whole or (len(sizes) == 1 and size * 10 > whole):
            return longest
    return None


def _densest(body: LexborNode) -> LexborNode:
    """The smallest element that holds most of the words outside of links."""
    node, words = body, _words(body)
    for _ in range(_DEEPEST):
        inner = [(_words(child), child) for child in _elements(node) if child.tag not in _TEXT_HOLDERS]
        most, child = max(inner, key=lambda one: one[0], default=(0, node))
        if most * 10 < words * 7 or most < _ENOUGH:
            break
        node, words = child, most
    return node


def _elements(node: LexborNode) -> Iterator[LexborNode]:
    return (child for child in node.iter() if child.tag and child.tag[0] not in "-!")


def _words(node: LexborNode) -> int:
    """Characters an element shows outside of links."""
    return max(length_of(node) - sum(map(length_of, node.css("a"))), 0)


def without_furniture(root: LexborNode) -> LexborNode:
    """The element, out of which what is named after furniture is taken, and lists of nothing but links."""
    whole = length_of(root)
    links = _links_within(root)
    left = _LOOKS * whole + 100_000
    for node in root.css(_CONTAINERS):
        if (
            node.parent is None
            or node.mem_id == root.mem_id
            or (not (named := _is_named(node)) and node.mem_id not in links)
        ):
            continue
        size = length_of(node)
        left -= size
        if left < 0:
            break
        if size * 3 <= whole and (named or links[node.mem_id] * 10 >= size * 9):
            node.decompose()
    return root


def _is_named(node: LexborNode) -> bool:
    """Whether its class says that it is furniture: ``post-comments``, ``relatedPosts``."""
    return not chrome().name.isdisjoint(_words_of(node.attributes.get("class")))


def _is_note(node: LexborNode) -> bool:
    """Whether an ``aside`` is a note within the article, by its class or its label: a tip, a warning, a solution."""
    label = node.attributes.get("aria-label") or ""
    words = (*_words_of(node.attributes.get("class")), *_words_of(label))
    return not chrome().note.isdisjoint(words) or label_role(label) is not None


def _words_of(names: str | None) -> list[str]:
    return _SEPARATOR.split(_CAMEL.sub(" ", names[:400]).lower()) if names else []


def _links_within(root: LexborNode) -> dict[int, int]:
    """Of every list and division with at least five links in it, not far below: the characters of these links."""
    sizes: Counter[int] = Counter()
    counts: Counter[int] = Counter()
    for link in root.css("a"):
        size = length_of(link)
        node = link.parent
        for _ in range(_NEAR):
            if node is None or node.mem_id == root.mem_id:
                break
            if node.tag in _LISTS:
                sizes[node.mem_id] += size
                counts[node.mem_id] += 1
            node = node.parent
    return {node: size for node, size in sizes.items() if counts[node] >= 5}
