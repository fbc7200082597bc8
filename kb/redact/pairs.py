"""A name in one field and its value in another: ``- name: DB_PASSWORD``, ``value: x``; and keys that a generator made."""

import re
from collections.abc import Iterator

from kb.patterns import lazy
from kb.redact.names import KEY, SECRET_KEY, SUFFIX
from kb.redact.values import NEVER, STAND_IN, has_digit, is_random, is_shuffled
from kb.redact.words import INSIDE, end_of_run

DEFAULTED = lazy(
    rf"""variable[ ]"[\w.-]{{0,60}}?(?i:(?P<key>{KEY}){SUFFIX})"[ ]?\{{[^{{}}<]{{0,400}}?\bdefault[ \t]{{0,8}}=[ \t]{{0,4}}"(?P<secret>[^"\r\n<]{{2,}}+)\""""
)
"""``variable "db_password" { default = "x" }``"""
REPLIED = lazy(
    rf"""(?i:(?P<key>{KEY}|requirepass|masterauth){SUFFIX})"\r?\n[ \t]{{0,12}}\d{{1,4}}\)[ ]{{1,4}}"(?P<secret>[^"\r\n<]{{2,}}+)\""""
)
"""``1) "requirepass"``, ``2) "x"`` on the next line: a reply of Redis."""
_COMMENTS = r"""(?:#[^\r\n]{0,400}+\s{1,80}+){0,4}+"""
_FIELDS = r"""(?:["']?(?!(?i:name|key|(?:parameter)?value)\b)\w[\w-]{0,30}+["']?[ \t]{0,4}:[ \t]{0,4}(?:"[^"\r\n]{0,200}+"|'[^'\r\n]{0,200}+'|[^\r\n"',{}\[\]]{0,200}+)(?:,\s{0,80}+|\s{1,80}+)){0,3}+"""
PAIRED = lazy(
    # what joins the two: a comma, a brace, a line's end, a comment, other fields such as a type
    rf"""(?i:(?P<key>{KEY}){SUFFIX})["']?[ \t]{{0,8}}+(?:[,;]?|(?P<inside>:[ \t]{{0,4}}(?:\{{|(?=\r?\n[ \t]))))\s{{0,80}}+{_COMMENTS}{_FIELDS}"""
    r"""["']?(?i:(?:parameter)?value)["']?[ \t]{0,4}+[:=][ \t]{0,4}+(?:[>|][-+]?\d?[ \t]{0,4}\r?\n[ \t]{0,40}+)?+"""
    r"""(?P<mark>["'])?(?P<secret>)"""
)
"""``- name: DB_PASSWORD`` and ``value: x`` in the next line, ``{"key": "DB_PASSWORD", "type": "text", "value": "x"}``"""
_NAMED = lazy(r"""(?i:name|key)["']?[ \t]{0,4}[:=][ \t]{0,4}["']?[\w.:/-]{0,80}\Z""")


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


def paired(match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """The value, if the key is what a field called name or key holds."""
    text, begin = match.string, match.end()
    end = end_of_run(INSIDE[match["mark"]] if match["mark"] else _BARE, text, begin)
    before, value = text[max(match.start() - 120, 0) : match.start()], text[begin:end]
    is_closed = match["mark"] is None or text.startswith(match["mark"], end)
    if not value or not is_closed or NEVER.match(value) or STAND_IN.match(value):
        return
    is_named = match["inside"] is not None or _NAMED.search(before) is not None
    if is_named and _is_secret(match["key"].lower(), value, before):
        yield begin, end


def _is_secret(key: str, value: str, before: str) -> bool:
    if key.startswith("key"):
        return SECRET_KEY.search(before) is not None
    return key != "token" or (has_digit(value) and len(value) >= 6) or len(value) >= 16


TURNED = lazy(r"""(?:- )?(?i:value)["']?[ \t]{0,4}:[ \t]{0,4}(?P<mark>["'])?(?P<secret>)""")
"""``{"value":"x","name":"DB_PASSWORD"}``, and the same in lines"""
_BARE = lazy(r"""[^\s"'<>,;(){}\[\]]*+""")
_NAME_BEHIND = lazy(
    r"""(?:["'][ \t]{0,4},\s{0,40}["']|["']?[ \t]{0,8}\r?\n[ \t]{1,40})(?:name|key)["']?[ \t]{0,4}:[ \t]{0,4}["']?"""
    rf"""(?P<before>[\w.-]{{0,60}}?)(?i:(?P<key>{KEY}){SUFFIX})(?:["']|[ \t]{{0,8}}(?:[\r\n]|\Z))""",
    re.IGNORECASE,
)


def turned(match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """The value, if a secret's name stands behind it."""
    text, begin = match.string, match.end()
    end = end_of_run(INSIDE[match["mark"]] if match["mark"] else _BARE, text, begin)
    name = _NAME_BEHIND.match(text, end)
    value = text[begin:end]
    if name is None or not value or NEVER.match(value) or STAND_IN.match(value):
        return
    if _is_secret(name["key"].lower(), value, name["before"]):
        yield begin, end


STORED = lazy(r"""(?i:val(?:ue)?[ ]{0,3}=[ ]{0,3}N?)'(?P<secret>)""")
"""``UPDATE settings SET value = 'x' WHERE name = 'smtp_password'``"""
_WHERE = lazy(r"(?<=\s)where(?=\s)", re.IGNORECASE)
_CONDITION = lazy(r"""(?:name|key|\bk)[`"\]]?[ ]?=[ ]?N?'(?P<name>[^'\s]{2,80})'""", re.IGNORECASE)
_NAME_ENDS = lazy(rf"(?i:(?P<key>{KEY}){SUFFIX})\Z")
_LONGEST_CONDITION = 200


def stored(match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """The value that a statement stores below the name of a secret."""
    text, begin = match.string, match.end()
    end = end_of_run(INSIDE["'"], text, begin)
    value, rest = text[begin:end], text[end : end + _LONGEST_CONDITION].partition("\n\n")[0].partition(";")[0]
    where = _WHERE.search(rest)
    condition = _CONDITION.search(rest, where.end()) if where is not None else None
    name = _NAME_ENDS.search(condition["name"]) if condition is not None else None
    if name is None or not value or NEVER.match(value) or STAND_IN.match(value):
        return
    if _is_secret(name["key"].lower(), value, name.string[: name.start()]):
        yield begin, end


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
