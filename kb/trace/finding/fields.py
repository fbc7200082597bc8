"""The fields of a record: JSON as a tree with places, and pairs ``key=value``. Both read on where the text is cut off or broken."""

import json
import re
from dataclasses import dataclass
from typing import TypeAlias

LONGEST = 1_000_000
"""Characters that are read of a record."""
_DEEPEST = 16
"""Objects within objects that are kept; what lies deeper is passed over."""
_MOST_TOKENS = 100_000
"""Tokens that are read of a record: about 0.1 s."""
_MOST_PATHS = 2_000
_LONGEST_KEY = 80


@dataclass(frozen=True, slots=True)
class Leaf:
    """A value that is no object and no list."""

    text: str
    """As it is in the record: the escapes of a string are not decoded."""
    begin: int
    """Where it begins in the record, behind the quotation mark of a string."""
    is_text: bool
    """Whether it is a string; else a number, true, false, null."""

    @property
    def end(self) -> int:
        """Where it ends in the record."""
        return self.begin + len(self.text)

    @property
    def value(self) -> str:
        """The string, decoded; other values as they are."""
        return decoded(self.text) if self.is_text else self.text


Node: TypeAlias = Leaf | dict[str, "Node"] | list["Node"]
Tree: TypeAlias = dict[str, Node]

_OBJECT = re.compile(r"\{[ \t\r\n]*+(?P<quote>[\"'])")
_MARK = r"(?P<mark>[{}\[\],:])|(?P<bare>[^\s\"'{}\[\],:]++)"
_TOKEN = re.compile(r'"(?P<text>[^"\\]*+(?:\\.[^"\\]*+)*+)(?:"|\\?\Z)|' + _MARK, re.DOTALL)
_PYTHON_TOKEN = re.compile(
    r"(?P<quote>[\"'])(?P<text>(?:(?!(?P=quote))[^\\]|\\.)*+)(?:(?P=quote)|\\?\Z)|" + _MARK, re.DOTALL
)
"""The same for a dictionary that Python printed: ``{'level': 'error', 'message': "can't connect"}``."""


_SHOWN = re.compile(
    r"[ \t]*+\{[ \t\r\n]*+(?:code|err\w{0,20}|status\w{0,10}|msg|message|success|ret\w{0,10}|result\w{0,10}) ?: ?(?=[\"'\d\[{tfn-])"
)
"""How JavaScript shows an object: ``{ code: 500, msg: 'Internal error' }``, ``{errMsg: "request:fail"}``."""


def shown_object_in(text: str) -> int:
    """Return where an object begins that JavaScript shows and a text begins with, by a key of an answer; -1 for none."""
    found = _SHOWN.match(text)
    return text.index("{") if found is not None and text.rstrip().endswith("}") else -1


def object_in(text: str, stop: int = 4_000) -> int:
    """Return where the first JSON object with a field begins, at most ``stop`` characters behind the start; -1 for none."""
    found = _OBJECT.search(text, 0, min(len(text), stop))
    return found.start() if found is not None else -1


def json_tree(text: str, start: int) -> tuple[Tree, int]:
    """Return the object that begins at ``start``, and where it ends. Keys are as `plain_key` makes them; of equal ones the first counts."""
    quoted = _OBJECT.match(text, start)
    token = _TOKEN if quoted is not None and quoted["quote"] == '"' else _PYTHON_TOKEN
    grown = _Growing(has_bare_keys=quoted is None)
    for number, found in enumerate(token.finditer(text, start, min(len(text), start + LONGEST))):
        if number > _MOST_TOKENS or grown.is_done:
            break
        mark, bare = found["mark"], found["bare"]
        if bare is not None:
            if bare.startswith("=>"):  # as Ruby and Fluent Bit print an object
                grown.separate(":")
            if bare != "=>":
                grown.value(bare.removeprefix("=>"), found.end() - len(bare.removeprefix("=>")), is_text=False)
        elif mark is None:
            grown.value(found["text"], found.start("text"), is_text=True)
        elif mark in "{[":
            grown.open({} if mark == "{" else [])
        elif mark in "}]":
            grown.close()
            if grown.is_done:
                return grown.root, found.end()
        else:
            grown.separate(mark)
    return grown.root, len(text)


class _Growing:
    """A tree while its tokens are read. What is at a wrong place is dropped."""

    def __init__(self, *, has_bare_keys: bool = False) -> None:
        self.root: Tree = {}
        self._has_bare_keys = has_bare_keys
        self.is_done = False
        self._path: list[Tree | list[Node]] = []
        self._keys: list[str | None] = []
        self._pending: str | None = None
        self._is_behind_colon = False
        self._below = 0  # how many levels under the deepest that is kept

    def value(self, text: str, begin: int, *, is_text: bool) -> None:
        """A string or a bare word: a key or a value."""
        if self._below or not self._path:
            return
        if isinstance(self._path[-1], dict) and not self._is_behind_colon:
            self._pending = plain_key(text) if is_text or self._has_bare_keys else None
            return
        self._put(Leaf(text, begin, is_text))

    def open(self, node: Tree | list[Node]) -> None:
        """An object or a list begins."""
        if self._below or len(self._path) >= _DEEPEST:
            self._below += 1
            return
        if not self._path and isinstance(node, dict):
            self.root = node
        elif self._path:
            self._put(node)
        self._path.append(node)
        self._pending, self._is_behind_colon = None, False

    def close(self) -> None:
        """An object or a list ends; which of them is not compared."""
        if self._below:
            self._below -= 1
            return
        if self._path:
            self._path.pop()
        self._pending, self._is_behind_colon = None, False
        self.is_done = not self._path

    def separate(self, mark: str) -> None:
        """A colon or a comma."""
        if not self._below:
            self._is_behind_colon = mark == ":"

    def _put(self, node: Node) -> None:
        at = self._path[-1]
        if isinstance(at, list):
            at.append(node)
        elif self._pending:
            at.setdefault(self._pending, node)
        self._pending, self._is_behind_colon = None, False


def plain_key(key: str) -> str:
    """Return a field's name as the tables have it: ``stack_trace``, ``stackTrace`` and ``StackTrace`` are one; '' for one too long."""
    return key.lower().replace("_", "").replace("-", "") if len(key) <= _LONGEST_KEY else ""


def paths(tree: Tree) -> dict[str, Node]:
    """Return every field under its dotted path, the outer ones first. Of a list of objects, the first stands for the list.

    A list of ``{"key": ..., "value": ...}`` is an object (OpenTelemetry's attributes).
    """
    found: dict[str, Node] = {}
    level: list[tuple[str, Node]] = list(tree.items())
    while level and len(found) < _MOST_PATHS:
        inner: list[tuple[str, Node]] = []
        for path, node in level:
            found.setdefault(path, node)
            if len(path) > _LONGEST_KEY * 4:
                continue
            if not isinstance(node, Leaf):
                inner += [(f"{path}.{key}", one) for key, one in _as_object(node).items()]
        level = inner
    return found


def _as_object(node: Tree | list[Node]) -> Tree:
    if isinstance(node, dict):
        return node
    return _of_pairs(node) or next((one for one in node[:_MOST_PATHS] if isinstance(one, dict)), {})


def _of_pairs(nodes: list[Node]) -> Tree:
    made: Tree = {}
    for node in nodes[:_MOST_PATHS]:
        key = node.get("key") if isinstance(node, dict) else None
        if isinstance(node, dict) and isinstance(key, Leaf) and "value" in node:
            made.setdefault(plain_key(key.value), node["value"])
    return made


_KEY = r"[A-Za-z_@][\w.@/-]{0,79}+"
_PAIR = re.compile(
    rf"(?<![^\s,;|])(?P<key>{_KEY})(?: {{3,5}})?="  # 3 to 5 blanks: a colour was taken off there
    r"(?:\"(?P<double>[^\"\\]*+(?:\\.[^\"\\]*+)*+)(?:\"|\\?\Z)|'(?P<single>[^'\\]*+(?:\\.[^'\\]*+)*+)(?:'|\\?\Z)|(?P<list>\[[^\]\n]{0,300}+\])"
    rf"|(?P<bare>(?:[^\s\"',;|]++|[,;|](?!{_KEY}=))*+))(?=[\s,;|]|\Z)"
)
"""``level=error msg="payment failed" order=42``, also with commas between. A bare value ends before the next key, so no text is read twice."""
_BLANK = re.compile(r"[\s,;|]*+")
_LONG_KEYS = frozenset(("msg", "message", "err", "error", "event"))
"""Keys whose values some write without quotation marks: ``msg=payment failed level=error``."""
_MOST_PAIRS = 200


def pairs(line: str) -> tuple[Tree, int, int]:
    """Return the pairs ``key=value`` at the end of a line, where they begin, and how many there are."""
    runs: list[tuple[str, Leaf]] = []
    start = behind = 0
    for number, found in enumerate(_PAIR.finditer(line, 0, min(len(line), LONGEST))):
        if number > _MOST_PAIRS:
            break
        gap = line[behind : found.start()] if runs else ""
        if runs and _BLANK.fullmatch(gap) is None:
            key, leaf = runs[-1]
            if key in _LONG_KEYS and "=" not in gap:
                runs[-1] = key, Leaf((leaf.text + gap).rstrip(), leaf.begin, is_text=True)
            else:
                runs = []
        start = start if runs else found.start()
        kind = found.lastgroup or "bare"
        runs.append((plain_key(found["key"]), Leaf(found[kind], found.start(kind), is_text=True)))
        behind = found.end()
    rest = line[behind:].strip()
    if runs and rest and runs[-1][0] in _LONG_KEYS and "=" not in rest:
        key, leaf = runs[-1]
        runs[-1] = key, Leaf(line[leaf.begin :].rstrip(), leaf.begin, is_text=True)
    elif rest and len(runs) <= _MOST_PAIRS:
        return {}, 0, 0
    tree: Tree = {}
    for key, leaf in runs:
        tree.setdefault(key, leaf)
    return tree, start, len(runs)


def decoded(text: str) -> str:
    """Return the characters of a JSON string; what is no good escape stays as it is. Line breaks that were escaped twice are breaks, too."""
    if "\\" not in text:
        return text
    try:
        plain = str(json.loads(f'"{text}"', strict=False))
    except ValueError:
        plain = _ESCAPE.sub(lambda found: _ESCAPES.get(found[0], found[0]), text)
    if "\n" not in plain and "\\n" in plain and _ESCAPED_TWICE.search(plain) is not None:
        plain = plain.replace("\\r", "").replace("\\n", "\n").replace("\\t", "\t")
    return plain.encode("utf-8", "replace").decode() if not plain.isascii() else plain


_ESCAPES = {"\\n": "\n", "\\r": "\r", "\\t": "\t", '\\"': '"', "\\'": "'", "\\\\": "\\", "\\/": "/"}
_ESCAPE = re.compile(r"\\.", re.DOTALL)
_ESCAPED_TWICE = re.compile(r"\\n(?:\\t|[ \t]|Caused by|File |Traceback|#\d)")
"""A trace's line behind an escaped break; ``C:\\new`` is a path."""
