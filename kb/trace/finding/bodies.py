"""Answers of services: whether an object tells an error or that all is well, and which object within it does."""

import re
from collections.abc import Iterator, Mapping
from itertools import islice

from kb.trace.finding.fields import Leaf, Node
from kb.trace.finding.formats import (
    BODIES_OWN,
    BODIES_SAY,
    CODES,
    ERRORS_OWN,
    EVENTS_OWN,
    FAILED_STATUS,
    FAILED_WORDS,
    FINE,
    FLAGS,
    GATEWAYS,
    HOLDS_ANSWER,
    MESSAGES,
    NAMES_ERROR,
    NAMES_NO_REASON,
    NO_ERROR,
    SAYINGS,
    SAYS_FAILURE,
    SAYS_SUCCESS,
    STATUSES,
    SUCCEEDED,
    TYPES,
    USED_FOR_SUCCESS,
    WORDS,
    WRAPPERS,
    is_type,
)

Fields = dict[str, Node]
"""Every field of a record under its dotted path, as `fields.paths` makes them."""
_BAD = frozenset(word for level in ("fatal", "error", "warning") for word in WORDS[level] if len(word) > 1)
_MOST_WRAPPED = 3
"""Objects around an answer: ``{"response": {"data": {"code": …}}}``."""
_MOST_WRAPPERS = 20
"""Objects of a record that are looked at for an answer."""
_OF_PROBLEMS = frozenset(("detail", "instance", "status", "type"))
"""What stands beside the title of a problem: https://www.rfc-editor.org/rfc/rfc9457; pages, issues and films have a title, too."""
_OF_HTTP = frozenset(("status", "statuscode", "statustext", "httpstatus"))
_CARRIERS = ("data", "body", "response", "response.data")
"""Where clients such as axios keep the body of an answer beside its status."""
_JSON_RPC = frozenset(("jsonrpc", "result"))
"""Fields of JSON-RPC's answer to a call that succeeded."""
# e.g. 1001, E1203, T-7, isv.invalid-parameter
_CODE = re.compile(r"-?\d{1,12}\Z|[A-Z]{1,12}[-_.]?\d{1,8}\Z|[A-Za-z]\w{0,40}(?:\.[A-Za-z][\w-]{0,60}){1,4}\Z")
_NUMBERED = re.compile(r"E[A-Z]{0,4}[-_.]?\d{2,8}\Z")
_DONE = re.compile(r"(?:(?!E)[A-Z]{1,12}[-_.]?)?0+\Z|1\Z|20[0-8]\Z|226\Z|[12]0{4,5}\Z")
"""Numbers that tell success: none, true, those of HTTP, 10000 and 20000 of many gateways; ``S0000``."""
_CALLED_WELL = re.compile(r"[\w.]{1,80}:ok\Z")
"""``errMsg`` of a call of WeChat's mini programs: https://developers.weixin.qq.com/miniprogram/dev/api/."""
_ON_ITS_WAY = re.compile(r"(?:code|statuscode) (?:10[0-3]|30[0-8])\Z")
"""A field and its value: a status of HTTP that is neither a success nor a failure."""


def unwrap(fields: Fields) -> None:
    """Put the fields of objects such as ``context``, or of an error that is all of the record, beside those of the record."""
    for wrapper in (*WRAPPERS, *_sole(fields)):
        if isinstance(fields.get(wrapper.partition(".")[0]), Leaf | None):
            continue
        for path, node in within(fields, wrapper).items():
            fields.setdefault(path, node)


def within(fields: Mapping[str, Node], wrapper: str) -> Fields:
    """Return the fields of an object of the record."""
    return {path[len(wrapper) + 1 :]: node for path, node in fields.items() if path.startswith(f"{wrapper}.")}


def body_of(fields: Fields) -> Fields | None:
    """Return the fields of an answer that may tell an error, those of the object that tells it first; None where it tells success."""
    if fields.keys() >= _JSON_RPC:
        return None
    if tells_success(fields):  # a client prints what it got over HTTP, which may tell a failure itself
        carried = _carried(fields)
        is_carried = len(carried) < len(fields) and not tells_success(carried)
        held = (within(fields, wrapper) for wrapper in _CARRIERS if is_carried)
        return next((inner for inner in held if _is_answer(inner)), None)
    if _is_called_well(fields.get("errmsg")):  # the call went well, what it brought did not
        fields = {path: node for path, node in fields.items() if path != "errmsg"}
    sole = _sole(fields)
    wrappers = tuple(islice(_wrappers(fields), _MOST_WRAPPERS))
    for wrapper in sole or (one for one in wrappers if isinstance(fields[one], dict)):
        inner = within(fields, wrapper)
        if sole or _is_answer(inner):
            return _without_other_words(
                _described(inner) | {path: node for path, node in fields.items() if path not in inner}
            )
    if tells_failure(fields) and not _says(fields):
        inner = next(filter(None, (_words_in(fields, wrapper) for wrapper in wrappers)), {})
        fields = inner | {path: node for path, node in fields.items() if path not in inner}
    return _without_other_words(_described(fields))


def tells_done(fields: Fields) -> bool:
    """Return whether an answer tells that all is well by more than how it was carried."""
    return tells_success(fields) and tells_success(_carried(fields))


def _carried(fields: Fields) -> Fields:
    """Return the fields of an answer less those that tell how it was carried."""
    called = ("errmsg",) if _is_called_well(fields.get("errmsg")) else ()
    return {path: node for path, node in fields.items() if path not in _OF_HTTP and path not in called}


def _is_called_well(node: Node | None) -> bool:
    return isinstance(node, Leaf) and _CALLED_WELL.match(node.text) is not None


def _says(fields: Fields) -> bool:
    """Return whether an object has words; a title alone is none, of which a form has a field."""
    return any(first_text(name, fields.get(name)) is not None for name in BODIES_SAY if name != "title")


def _words_in(fields: Fields, wrapper: str) -> Fields:
    """Return the fields of an object that has words, or as an error's the first text that it lists or is; nothing for other objects."""
    inner = within(fields, wrapper)
    if _says(inner):
        return inner
    text = first_text("errors", fields[wrapper])
    return {"errors": text} if text is not None and _is_sentence(text) and text.text[0] != "<" else {}


def _without_other_words(fields: Fields) -> Fields:
    """Return the fields of an answer less words that are no error.

    These are an event's ``detail``, words of a gateway that give no reason beside others that do or tell of no failure, and the title of a page.
    """
    if text_of(fields.get("submsg")) is not None:
        fields = {path: node for path, node in fields.items() if path != "msg" or not _names_no_reason(node)}
    if not fields.keys().isdisjoint(EVENTS_OWN):
        fields = {path: node for path, node in fields.items() if not path.startswith("detail.")}
    if not (_is_failed(fields) or any(name in _OF_PROBLEMS or ERRORS_OWN.match(name) for name in fields)):
        fields = {path: node for path, node in fields.items() if path != "title"}
    words = (leaf.text for name in GATEWAYS if (leaf := text_of(fields.get(name))) is not None)
    if fields.keys().isdisjoint(GATEWAYS) or _is_failed(fields) or any(map(SAYS_FAILURE.search, words)):
        return fields
    return {path: node for path, node in fields.items() if path not in GATEWAYS}


def _names_no_reason(node: Node) -> bool:
    return isinstance(node, Leaf) and node.text.strip().lower() in NAMES_NO_REASON


def _described(fields: Fields) -> Fields:
    """Return the fields of an answer with its description as the error's, where a failure has no other words: Telegram's ``"ok": false``."""
    is_failure = tells_failure({path: node for path, node in fields.items() if path != "result"})
    if "description" not in fields or not is_failure or any(text_of(fields.get(one)) for one in SAYINGS):
        return fields
    return {"errordescription": fields["description"]} | fields


def _wrappers(fields: Fields) -> Iterator[str]:
    """Yield the paths of what may hold an answer, outer ones first; none where the record has words of its own."""
    if any(text_of(fields.get(name)) is not None for name in MESSAGES):
        return
    for path, node in fields.items():
        names = path.split(".")
        is_held = len(names) <= _MOST_WRAPPED and (not isinstance(node, Leaf) or node.is_text)
        if is_held and all(HOLDS_ANSWER.match(name) is not None for name in names):
            yield path


def _is_answer(inner: Fields) -> bool:
    """Return whether an object tells an error by its own fields: words, and a field of errors or a code that is no success."""
    if tells_success(inner):
        return False
    is_error = any(ERRORS_OWN.match(name) is not None and holds(node) for name, node in inner.items())
    return is_error or (any(text_of(inner.get(name)) is not None for name in SAYINGS) and _is_failed(inner))


def _is_failed(fields: Fields) -> bool:
    is_failed = tells_failure(fields) or any(_is_failed_code(name, fields.get(name)) for name in CODES)
    return is_failed or (any(_is_often_success(name, fields.get(name)) for name in CODES) and _is_contradicted(fields))


def _is_often_success(name: str, node: Node | None) -> bool:
    """Return whether a code is one that many services give for a success, and others for an error."""
    is_code = name in CODES and name not in _OF_HTTP
    return is_code and isinstance(node, Leaf) and USED_FOR_SUCCESS.match(node.value.strip()) is not None


def _is_contradicted(fields: Fields) -> bool:
    """Return whether the words beside such a code tell a failure, or a ``sub_code`` or ``sub_msg`` does."""
    parts = (node for name in ("subcode", "submsg") if isinstance(node := fields.get(name), Leaf) and holds(node))
    if any(_DONE.match(one := node.value.strip().lower()) is None and one not in FINE for node in parts):
        return True
    words = [leaf.value for name in SAYINGS if (leaf := text_of(fields.get(name))) is not None]
    return any(SAYS_FAILURE.search(one) is not None and SAYS_SUCCESS.search(one) is None for one in words)


def _is_failed_code(name: str, node: Node | None) -> bool:
    if not isinstance(node, Leaf):
        return False
    value = node.value.strip()
    if _DONE.match(value) is not None or _ON_ITS_WAY.match(f"{name} {value}") is not None:
        return False
    is_code = _CODE.match(value) is not None or (node.is_text and is_type(value, is_strict=True))
    return is_code and value.lower() not in FINE


def _sole(fields: Fields) -> tuple[str, ...]:
    """Return the name of the only object of a record, where it is clearly an error: most objects with a type or a message are none."""
    name = next(iter(fields), "")
    if name in BODIES_OWN or not all(path == name or path.startswith(f"{name}.") for path in fields):
        return ()
    inner = {path: node for path, node in within(fields, name).items() if "." not in path}
    says = any(text_of(inner.get(one)) is not None for one in MESSAGES)
    is_error = (
        any(ERRORS_OWN.match(key) is not None and holds(node) for key, node in inner.items())
        or any(is_type(leaf.value.strip(), is_strict=True) for one in TYPES if (leaf := text_of(inner.get(one))))
        or (says and (name == "detail" or NAMES_ERROR.match(name) is not None or tells_failure(inner)))
    )
    return (name,) if is_error else ()


def holds(node: Node) -> bool:
    """Return whether a field of an error holds one, and not that there was none: ``"error": null``, ``"errors": 0``."""
    return bool(node) if not isinstance(node, Leaf) else node.text.strip().lower() not in NO_ERROR


def tells_failure(inner: Fields) -> bool:
    """Return whether the fields of an object tell a failure: a level of warning or above, a status of 4xx or 5xx, no success."""
    leaves = {key: node for key, node in inner.items() if isinstance(node, Leaf)}
    levels = (leaves[key].value.lower() for key in ("level", "severity", "loglevel", "status", "type") if key in leaves)
    return (
        any(one in _BAD for one in levels)
        or any(FAILED_STATUS.match(leaves[key].text) is not None for key in STATUSES if key in leaves)
        or any(leaves[key].text.lower() in FAILED_WORDS for key in STATUSES if key in leaves)
        or any(leaves[key].text.lower() == "false" for key in FLAGS if key in leaves)
    )


def tells_success(fields: Fields) -> bool:
    """Return whether a status says that all is well, no field holds an error, and no other status tells a failure: ``"success": false, "code": 200``."""
    if tells_failure(fields) or any(_is_numbered(fields.get(name)) for name in CODES):
        return False
    if any(ERRORS_OWN.match(name) is not None and holds(node) for name, node in _own(fields)):
        return False
    leaves = [(name, one.text.strip().lower()) for name, one in fields.items() if isinstance(one, Leaf)]
    if any(name in ("error", "iserror", "haserror") and value == "false" for name, value in leaves):
        return True
    states = [(name, value) for name, value in leaves if name in STATUSES or name in FLAGS or name == "errmsg"]
    if any(_is_often_success(name, fields[name]) for name, _ in states) and _is_contradicted(fields):
        states = [(name, value) for name, value in states if not _is_often_success(name, fields[name])]
    return any(value in FINE or SUCCEEDED.match(f"{name} {value}") is not None for name, value in states)


def _is_numbered(node: Node | None) -> bool:
    """Return whether a code is an error's of a service's own, letters with a number, beside whatever status: ``"statusCode": 200, "code": "E1001"``."""
    return isinstance(node, Leaf) and _NUMBERED.match(node.value.strip()) is not None


def _own(fields: Fields) -> Iterator[tuple[str, Node]]:
    """Yield the names and values of the record's own fields and of those that a wrapper such as ``data`` holds; not the numbers and words of a success."""
    is_done = any(_is_done(fields.get(name)) for name in ("errno", "errcode", "errorcode"))
    is_done = is_done or _is_called_well(fields.get("errmsg"))
    for path, node in fields.items():
        outer, _, name = path.rpartition(".")
        if is_done and name.startswith("err") and name not in BODIES_OWN:
            continue
        if not outer or outer in WRAPPERS or HOLDS_ANSWER.match(outer) is not None:
            yield name, node


def _is_done(node: Node | None) -> bool:
    return isinstance(node, Leaf) and node.text.strip() != "" and not node.text.strip().strip("0")


def text_of(node: Node | None) -> Leaf | None:
    """Return the string that a field holds; None for other values and for blanks."""
    return node if isinstance(node, Leaf) and node.is_text and node.text.strip() else None


def first_text(name: str, node: Node | None) -> Leaf | None:
    """Return the first text of a field of errors that lists them: ``"errors": ["m"]``, ``"errors": {"mail": ["m"]}``."""
    if isinstance(node, dict):
        values = [one for one in node.values() if isinstance(one, list) or (name == "errors" and _is_sentence(one))]
        node = values[:1] if values and len(values) == len(node) else None
    if isinstance(node, list):
        found = node[0] if node else None
        return first_text(name, found) if isinstance(found, list) else text_of(found)
    return text_of(node)


def _is_sentence(node: Node) -> bool:
    leaf = text_of(node)
    return leaf is not None and (" " in leaf.text.strip() or not leaf.text.isascii())
