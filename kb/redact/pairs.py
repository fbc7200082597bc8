"""A name in one field and its value in another: ``- name: DB_PASSWORD``, ``value: x``; and Secrets of Kubernetes, all of whose data is secret."""

import re
from collections.abc import Iterator

from kb.patterns import lazy
from kb.redact.names import KEY, SECRET_KEY, SUFFIX
from kb.redact.values import NEVER, STAND_IN, has_digit, is_random, is_shuffled

DEFAULTED = lazy(
    rf"""variable[ ]"[\w.-]{{0,60}}?(?i:(?P<key>{KEY}){SUFFIX})"[ ]?\{{[^{{}}<]{{0,400}}?\bdefault[ \t]{{0,8}}=[ \t]{{0,4}}"(?P<secret>[^"\r\n<]{{2,}}+)\""""
)
"""``variable "db_password" { default = "x" }``"""
REPLIED = lazy(
    rf"""(?i:(?P<key>{KEY}|requirepass|masterauth){SUFFIX})"\r?\n[ \t]{{0,12}}\d{{1,4}}\)[ ]{{1,4}}"(?P<secret>[^"\r\n<]{{2,}}+)\""""
)
"""``1) "requirepass"``, ``2) "x"`` on the next line: a reply of Redis."""
PAIRED = lazy(
    rf"""(?i:(?P<key>{KEY}){SUFFIX})["']?[ \t]{{0,8}}+(?:[,;]?|:[ \t]{{0,4}}\{{)\s{{0,80}}+["']?(?i:(?:parameter)?value)["']?[ \t]{{0,4}}+[:=][ \t]{{0,4}}+"""
    r"""(?:"(?P<double>(?:[^"\\\r\n<]++|\\[^\r\n])++)(?=")|'(?P<single>[^'\r\n<]++)(?=')|(?P<bare>[^\s"'<>,;(){}\[\]]++))(?P<secret>)"""
)
_NAMED = lazy(r"""(?i:name|key)["']?[ \t]{0,4}[:=][ \t]{0,4}["']?[\w.:/-]{0,80}\Z""")


def value_begins(match: re.Match[str]) -> int:
    """Where the value of the pair begins."""
    return (
        match.start("double") if match["double"] else match.start("single") if match["single"] else match.start("bare")
    )


def is_defaulted(match: re.Match[str]) -> bool:
    """Whether the variable holds a secret, and its default is a value."""
    value, key = match["secret"], match["key"].lower()
    before = match.string[max(match.start("key") - 24, 0) : match.start("key")]
    return not (NEVER.match(value) or STAND_IN.match(value)) and _is_secret(key, value, before)


def is_replied(match: re.Match[str]) -> bool:
    """Whether the name is a secret's, and what stands in the next line is a value."""
    value, key = match["secret"], match["key"].lower()
    before = match.string[max(match.start() - 24, 0) : match.start()]
    return not (NEVER.match(value) or STAND_IN.match(value)) and _is_secret(key, value, before)


def is_paired(match: re.Match[str]) -> bool:
    """Whether the key is what a field called name or key holds, and the value is one."""
    before = match.string[max(match.start() - 120, 0) : match.start()]
    value, key = match["double"] or match["single"] or match["bare"], match["key"].lower()
    is_inside = "{" in match.string[match.end("key") : value_begins(match)]
    if (_NAMED.search(before) is None and not is_inside) or NEVER.match(value) or STAND_IN.match(value):
        return False
    return _is_secret(key, value, before)


def _is_secret(key: str, value: str, before: str) -> bool:
    if key.startswith("key"):
        return SECRET_KEY.search(before) is not None
    return key != "token" or (has_digit(value) and len(value) >= 6) or len(value) >= 16


TURNED = lazy(
    r"""value["'][ \t]{0,4}:[ \t]{0,4}"(?P<secret>(?:[^"\\\r\n<]|\\[^\r\n]){1,512})"\s{0,2},\s{0,40}["'](?:name|key)["'][ \t]{0,4}:[ \t]{0,4}["']"""
    rf"""(?P<before>[\w.-]{{0,60}}?)(?i:(?P<key>{KEY}){SUFFIX})["']""",
    re.IGNORECASE,
)
"""``{"value":"x","name":"DB_PASSWORD"}``"""


def is_turned(match: re.Match[str]) -> bool:
    """Whether the name behind the value is a secret's."""
    value = match["secret"]
    return not (NEVER.match(value) or STAND_IN.match(value)) and _is_secret(
        match["key"].lower(), value, match["before"]
    )


_AROUND = 20_000
"""Characters around the kind of a manifest that are looked at."""
SECRET_MANIFEST = lazy(
    r"""(?:kind: ["']?secret["']?[ \t]{0,4}(?=\r?\n|\Z)|kind["'][ ]?:[ ]?["']secret["'])(?P<secret>)""", re.IGNORECASE
)
_LINE = lazy(
    r"^(?P<indent>[ -]{0,12})(?:string)?data:[ \t]{0,4}\r?\n(?P<data>(?:(?P=indent)[ \t][^\n]*(?:\n|\Z))+)",
    re.IGNORECASE | re.MULTILINE,
)
_ENTRY = lazy(
    r"""(?m:^)[ \t]{1,24}["']?[\w.-]{1,100}["']?:[ \t]{1,4}(?:[|>][-+]?\r?\n[ \t]{0,24})?["']?(?P<value>[^\s"'<{|>][^\r\n"'<]*)"""
)
_OBJECT = lazy(r"""["'](?:string)?data["'][ ]?:\s{0,4}\{(?P<data>[^{}]{0,20000})\}""", re.IGNORECASE)
_MEMBER = lazy(r"""["'][\w.-]{1,100}["']\s{0,4}:\s{0,4}["'](?P<value>[^"'<\r\n]++)""")


def manifest_secrets(match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """The values below ``data`` and ``stringData`` of a Secret; what else stands near it belongs to another kind."""
    text, at = match.string, match.start()
    if text[match.start() + 4] in "\"'":
        begin, end = _object(text, at)
        blocks, entries = _OBJECT.finditer(text, begin, end), _MEMBER
    else:
        begin, end = _document(text, at)
        blocks, entries = _LINE.finditer(text, begin, end), _ENTRY
    for block in blocks:
        for entry in entries.finditer(text, *block.span("data")):
            if not STAND_IN.match(entry["value"]):
                yield entry.span("value")


def _document(text: str, at: int) -> tuple[int, int]:
    """The lines of YAML around a place up to the next kind on each side, or the mark between two documents."""
    low, high = max(at - _AROUND, 0), min(at + _AROUND, len(text))
    begin = max(text.rfind("\n---", low, at), text.rfind("kind:", low, at), text.rfind("\nitems:", low, at), low)
    ends = [
        place
        for mark in ("\n---", "kind:", "\n- apiVersion", "\n  - apiVersion")
        if (place := text.find(mark, at + 5, high)) >= 0
    ]
    begin = text.find("\n", begin, at) if begin > low else begin
    return max(begin, low), min(ends, default=high)


def _object(text: str, at: int) -> tuple[int, int]:
    """The text of JSON around a place up to the next kind on each side."""
    low, high = max(at - _AROUND, 0), min(at + _AROUND, len(text))
    before, behind = text.rfind('"kind"', low, max(at - 1, low)), text.find('"kind"', at + 5, high)
    return max(before, low), behind if behind >= 0 else high


GROUP = lazy(
    r"""(?i:passwords|secrets|tokens|credentials|auth[-_]?users|(?P<users>users))["']?[ ]?(?::[ \t]{0,4}\r?\n(?P<lines>(?:[ \t]{1,40}[^\r\n]{1,400}\r?\n?){1,50})|[:=]?[ ]?\{(?P<inside>[^{}<]{1,2000})\})(?P<secret>)"""
)
"""``tokens { master = "x" }``, ``passwords:`` with a name and a value in each line below."""
_MEMBER_OF_GROUP = lazy(
    r"""["']?[\w.@-]{1,60}["']?[ ]?[:=]>?[ ]{0,4}["']?(?P<value>[^\s"'<>,;{}\[\]]{6,}+)["']?[ \t]*+(?=[,;\r\n}]|\Z)"""
)


def secrets_of_group(match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """The values of a group that is named after secrets; of users, only those that look like passwords."""
    text, (begin, end) = match.string, match.span("inside" if match["inside"] else "lines")
    line = text.rfind("\n", max(match.start() - 80, 0), match.start()) + 1
    head = text[line : match.start()]
    indent = len(head) - len(head.lstrip(" \t-"))
    if match["lines"] and (head.strip(" \t-\"'") or match.start() - line > 79):
        return
    for member in _MEMBER_OF_GROUP.finditer(text, begin, end):
        value = member["value"]
        start = text.rfind("\n", begin - 1, member.start()) + 1
        if match["lines"] and member.start() - start <= indent:
            return
        is_mixed = has_digit(value) and any(map(str.isalpha, value))
        is_password = not value.islower() and not value.isupper()
        if is_mixed and (is_password or match["users"] is None) and not (STAND_IN.match(value) or _PLACE.search(value)):
            yield member.span("value")


_PLACE = lazy(r"[/:]|\.[a-z]{2,5}\Z|\A\d+[a-z]{1,3}\Z")
"""A path, an address, a file, a time: ``./db.txt``, ``30s``"""
LONG_KEY = lazy(
    r"""(?i:key|salt|login|appid)["']?[ ]{0,3}(?::|=>?|:=)[ ]{0,3}["']?(?P<secret>[A-Za-z0-9+/_-]{17,}+={0,2})(?![\w.:/-])"""
)
_PUBLIC = lazy(
    r"(?:primary|foreign|public|partition|part|routing|cache|sort|group|row|object|map|unique|redis|lock|shard|idempotency|dedup\w*|index|lookup|message|msg|event|host"
    r"|trace|span|job|task|file|s3|hash|range|join|natural|surrogate|business|registry|i18n|item|record|entity|build|image|layer|content|range|bucket|site|known|pub|raw)[-_. ]?\Z",
    re.IGNORECASE,
)
"""Words before ``key`` that make it no secret, however random its value looks."""

_HEXADECIMAL = "0123456789abcdef"
_ABOVE = lazy(
    r"(?:encrypt\w{0,8}|crypto|cipher|signing|jwt|hmac|aes|secrets?|auth)[\"']?[ ]?[:={]{1,2}[ \t]{0,4}\{?\s{1,40}[\"'-]?[ ]?\Z",
    re.IGNORECASE,
)
"""``encryption:`` in the line above a ``key:``"""


def is_long_key(match: re.Match[str]) -> bool:
    """Whether a key with a name of its own has a value that only a generator makes: no id, no name, no word."""
    value = match["secret"].rstrip("=")
    before = match.string[max(match.start() - 24, 0) : match.start()]
    if before.endswith(("routing_", "routing-")) and len(value) == 32 and not value.strip(_HEXADECIMAL):
        return True  # of PagerDuty; a broker's is a name
    is_named = before[-1:].isalnum() or before[-1:] in {"_", "-", "."} or match[0][:5].lower() in {"appid", "login"}
    is_named = is_named or (len(value) >= 28 and is_random(value)) or (len(value) >= 32 and match["secret"][-1] == "=")
    if value.startswith(("LS0tLS1", "0x")):
        return False  # a block of a key, or a certificate; a key of a row
    if not (is_named or _ABOVE.search(match.string[max(match.start() - 100, 0) : match.start()])) or _PUBLIC.search(
        before
    ):
        return False
    is_hexadecimal = len(value) in {32, 40, 48, 64, 128} and not value.strip(_HEXADECIMAL)
    is_generated = (
        len(value) >= 24 and not value.islower() and not value.isupper() and sum(map(str.isdigit, value)) >= 3
    )
    is_generated |= value.isalnum() and is_shuffled(value)
    return (is_hexadecimal or is_generated) and "-" not in value and has_digit(value) and any(map(str.isalpha, value))
