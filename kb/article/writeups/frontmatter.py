"""The head of a document → a mapping and the text after it. Broken heads are read line by line.

YAML between ``---`` lines (Jekyll, Hexo, Hugo), TOML between ``+++`` lines or a JSON object (Hugo), ``Title: …`` lines (Pelican).
"""

import json
import re
import tomllib
from collections.abc import Mapping
from datetime import date, datetime

import yaml

from kb.patterns import lazy

_FENCED = lazy(r"\s{0,64}+(?P<mark>---|\+\+\+)[ \t]*+\n")
_OPENLESS = lazy(
    r"\s{0,64}+(?:[A-Za-z][\w-]{0,40}+:(?:[ \t][^\n]*+)?+\n|[ \t]*+-[ \t][^\n]*+\n|[ \t]*+\n){1,40}?---[ \t]*+\n"
)
_PELICAN = lazy(
    r"\s{0,64}+title[ \t]*+:[^\n]{1,400}+\n(?:(?:date|modified|category|tags|keywords|slug|authors?|summary|status|lang|url)[ \t]*+:[^\n]{0,2000}+\n){1,20}+[ \t]*+\n",
    re.IGNORECASE,
)
_FIELD = lazy(r"([A-Za-z][\w.-]{0,40}+)[ \t]*+[:=][ \t]*+(.*)")
_ITEM = lazy(r"[ \t]*+-[ \t]++(.*)")
_DAY = lazy(r"(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})")
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
HEAD_LIMIT = 16_384
"""Characters of a head that are read; longer ones are no head."""

Meta = Mapping[str, object]


def split(text: str) -> tuple[Meta, int]:
    """The mapping of the head (empty when there is none) and the offset where the body begins."""
    opening = _FENCED.match(text)
    if opening:
        mark = opening["mark"]
        closing = re.compile(rf"^{re.escape(mark)}[ \t]*+$", re.MULTILINE).search(
            text, opening.end(), opening.end() + HEAD_LIMIT
        )
        if closing is None:
            return {}, 0
        head = text[opening.end() : closing.start()]
        if not _FIELD.search(head):
            return {}, 0
        return (_toml(head) if mark == "+++" else _yaml(head)), closing.end()
    lost = _OPENLESS.match(text, 0, HEAD_LIMIT)
    if lost and len(_FIELD.findall(lost.group())) >= 2:
        return _yaml(lost.group().rstrip().removesuffix("---")), lost.end()
    if text[:1] == "{":
        return _json(text)
    lines = _PELICAN.match(text)
    return (_by_line(lines.group()), lines.end()) if lines else ({}, 0)


def lines_of(head: str, name: str) -> tuple[int, int] | None:
    """Where the lines of a key and its value begin and end in a head of YAML, without its marks; None: it has none."""
    try:
        root = None if _has_alias(head) else yaml.compose(head, Loader=_LOADER)
    except (yaml.YAMLError, ValueError, RecursionError):
        root = None
    if not isinstance(root, yaml.MappingNode) or root.flow_style:
        key = rf"^{name}[ \t]*+:[^\n]*+\n(?:[ \t]++[^\n]*+\n|-[ \t][^\n]*+\n)*+"
        place = re.search(key, head, re.MULTILINE | re.IGNORECASE)
        return place and place.span()
    pairs = [(key, value) for key, value in root.value if isinstance(key.value, str) and key.value.lower() == name]
    if not pairs:
        return None
    key, value = pairs[-1]  # of several, the last one counts
    end = head.find("\n", max(_end(value), key.end_mark.index) - 1) + 1
    return head.rfind("\n", 0, key.start_mark.index) + 1, end or len(head)


def _end(node: yaml.Node) -> int:
    """Where a value ends. The mark of a block would be where the next key begins, behind all that stands between."""
    if not isinstance(node, yaml.CollectionNode) or node.flow_style or not node.value:
        return int(node.end_mark.index)
    last = node.value[-1]
    return _end(last[1] if isinstance(last, tuple) else last)


def _has_alias(head: str) -> bool:
    return "*" in head and any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(head, Loader=_LOADER))


def _json(text: str) -> tuple[Meta, int]:
    try:
        value, end = json.JSONDecoder().raw_decode(text[:HEAD_LIMIT])
    except (ValueError, RecursionError):
        return {}, 0
    if "title" not in value or text[end : end + 1] not in {"", "\n"}:
        return {}, 0
    return {key.lower(): inner for key, inner in value.items()}, end


def _yaml(head: str) -> Meta:
    try:
        if _has_alias(head):
            return _by_line(head)  # aliases of aliases, merged, grow without end
        value = yaml.load(head, Loader=_LOADER)  # noqa: S506  both are safe loaders
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError, AttributeError):
        return _by_line(head)
    if not isinstance(value, dict):
        return _by_line(head)
    return {key.lower(): inner for key, inner in value.items() if isinstance(key, str)}


def _toml(head: str) -> Meta:
    try:
        return {key.lower(): value for key, value in tomllib.loads(head).items()}
    except (ValueError, RecursionError):  # broken, or a number of too many digits
        return _by_line(head)


def _by_line(head: str) -> Meta:
    found: dict[str, object] = {}
    key = ""
    for line in head.splitlines():
        if field := _FIELD.match(line):
            key, value = field[1].lower(), _unquoted(field[2])
            if value[:1] == "[" and value[-1:] == "]":
                found[key] = [_unquoted(one) for one in value[1:-1].split(",") if one.strip()]
            else:
                found[key] = value or None
        elif key and (item := _ITEM.match(line)):
            known = found.get(key)
            found[key] = [*(known if isinstance(known, list) else []), _unquoted(item[1])]
    return found


def _unquoted(value: str) -> str:
    value = value.strip()
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "'\"":
        return value[1:-1].strip()
    return value


def text_of(meta: Meta, *keys: str) -> str | None:
    """The first of the keys that holds a text or a number, on one line."""
    for key in keys:
        value = meta.get(key)
        if not isinstance(value, bool) and (text := _one_line(value)):
            return text
    return None


def _one_line(value: object) -> str:
    """A text or a number on one line; empty for anything else, and for a number too long to be written in decimals."""
    if not isinstance(value, str | int | float):
        return ""
    try:
        return " ".join(str(value).split())
    except ValueError:
        return ""


def list_of(meta: Meta, *keys: str) -> tuple[str, ...]:
    """The texts under the first of the keys that has any; a single text is split at commas."""
    for key in keys:
        value = meta.get(key)
        if isinstance(value, str):
            value = re.split(r"[,，;；]", value)
        texts = map(_one_line, value) if isinstance(value, list | tuple) else ()
        if found := tuple(dict.fromkeys(text for text in texts if text)):
            return found
    return ()


def day_of(value: object) -> str | None:
    """The date in a value, as ISO 8601, or None."""
    if isinstance(value, datetime):
        return value.date().isoformat()
    if isinstance(value, date):
        return value.isoformat()
    found = _DAY.search(value) if isinstance(value, str) else None
    if found is None:
        return None
    try:
        return date(*map(int, found.groups())).isoformat()
    except ValueError:
        return None
