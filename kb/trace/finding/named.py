"""What one text names of an error, and what stands before a record: types, messages, levels."""

import re

from kb.trace.finding.formats import WORDS
from kb.trace.prefix import LOG_PREFIX

_LONGEST_PREFIX = 2_000
_LONGEST_MESSAGE = 2_000
_NAME = r"[A-Za-z_$][\w$]{0,150}+(?:(?:\.|::|\\{1,2}|/)[A-Za-z_$][\w$]{0,150}+){0,12}+"
_CLASS = re.compile(
    r"(?:Error|Exception|Failure|Fault|Timeout|Exit|Interrupt|Throwable|Violation|Warning|Refused|NotFound|Denied|Invalid)\d{0,3}\Z"
)
_CODE = re.compile(
    r"[A-Z][A-Z0-9]{0,30}(?:_[A-Z0-9]{1,30}){1,8}+\Z|E[A-Z]{3,20}\Z"
)  # E_PAY, PERMISSION_DENIED, ECONNREFUSED
_WHOLE_NAME = re.compile(_NAME + r"\Z")
_OBJECT = re.compile(  # Monolog and Laravel: [object] (App\PayError(code: 7): not paid at /srv/Pay.php:17)
    r"\[object\] \((?P<type>[\w\\]{1,300}+)\(code: [^()\n]{0,40}+\): (?P<message>[^\n]{0,2000}?) at [^\s:]{1,400}:\d{1,7}\)"
)
_INSPECTED = re.compile(
    r"#<(?P<type>\w{1,100}(?:::\w{1,100}){0,10}+)(?::? (?P<message>.{0,2000}+))?", re.DOTALL
)  # Ruby: #<PayError: not paid>
_LISTED = re.compile(
    r'\["(?P<type>[\w:]{1,300}+)", ?"(?P<message>[^"\n]{0,2000}+)"\]'
)  # ActiveSupport: ["PayError", "not paid"]
_REPR = re.compile(
    rf"(?P<type>{_NAME})\((?P<quote>[\"'])(?P<message>.{{0,2000}}?)(?P=quote),?\)\Z"
)  # Python: PayError('not paid')
_TYPED = re.compile(
    rf"(?:Uncaught |Unhandled |Exception in thread \"[^\"\n]{{1,200}}\" )?(?P<type>{_NAME})(?: \[[\w-]{{1,40}}\])?(?:: ?(?P<message>[^\n]{{0,2000}}+)|[ \t]*+(?:\n|\Z))"
)
_RAISED = re.compile(
    r"(?:[^\n]{1,500}?:\d{1,7}:in [^\n:]{1,200}: )?(?P<message>[^\n]{1,2000}?) \((?P<type>[A-Z]\w{0,100}(?:::\w{1,100}){0,8})\)(?:\n|\Z)"
)
_PYTHON = "Traceback (most recent call last)"

_WORD = "|".join(sorted({word for words in WORDS.values() for word in words if len(word) > 1}, key=len, reverse=True))
_LEVEL = re.compile(rf"(?:^|(?<=[\s\[<(.|]))(?P<word>{_WORD.upper()}|(?:{_WORD})(?=\s{{0,8}}[\]>:]))(?=[\s\]>:|\[]|$)")
"""A level among a log's own words: in capitals, or with a bracket or a colon behind it."""
_LEVELS = {word: level for level, words in WORDS.items() for word in words}


def is_type(text: str, *, is_strict: bool = False) -> bool:
    """Whether a text is the name of an error's class, or a code such as ``ECONNREFUSED``; if strict, one that ends like an error's."""
    if len(text) > 300 or (is_strict and _CLASS.search(text) is None):
        return False
    return _CODE.match(text) is not None or (_WHOLE_NAME.match(text) is not None and _looks_raised(text))


def _looks_raised(name: str) -> bool:
    """Whether a name is one of an error: by its end, or by a package and a class behind it."""
    last = re.split(r"[.:/\\$]", name)[-1]
    return _CLASS.search(name) is not None or (last[:1].isupper() and last != name and "/" not in name)


def error_named(text: str, *, is_stack: bool = False) -> tuple[str | None, str | None]:
    """Type and message of an error that was written as one text; without a type, all of the text is the message."""
    body = text.strip()
    if _PYTHON in body[:200] and "\n" in body:
        body = next((line for line in reversed(body[-4_000:].split("\n")) if line[:1].strip()), body)
    for pattern in (_OBJECT, _INSPECTED, _LISTED, _REPR, _TYPED, _RAISED):
        found = pattern.match(body[:4_000])
        if found is not None and (pattern in (_OBJECT, _INSPECTED, _LISTED) or _looks_raised(found["type"])):
            message = (
                (found["message"] or "").partition("   at ")[0].strip()
            )  # .NET's console writes a trace in one line
            return found["type"], (message.removesuffix(">") if pattern is _INSPECTED else message) or None
    if is_stack:
        return None, None
    return (body, None) if is_type(body) else (None, body.partition("\n")[0][:_LONGEST_MESSAGE].strip() or None)


def level_in(prefix: str) -> str | None:
    """The level that a log's own words before a message name; None for none."""
    found = _LEVEL.search(prefix[-_LONGEST_PREFIX:])
    return _LEVELS[found["word"].lower()] if found is not None else None


def message_in_prefix(prefix: str) -> tuple[int, int] | None:
    """Where the message stands in what is before a record's fields; None if all of it is the log's own words."""
    start = max(len(prefix) - _LONGEST_PREFIX, 0)
    end = len(prefix.rstrip())
    tab = prefix.rfind("\t", start, end)
    if tab >= 0:  # zap separates with tabs, the message last
        start = tab + 1
    else:
        level = _LEVEL.search(prefix, start)
        for begin in (start, level.end() if level is not None else start):  # logrus: ERRO[0000] payment failed
            found = LOG_PREFIX.match(prefix, max(start, begin))
            start = found.end() if found is not None else max(start, begin)
    start += len(prefix[start:end]) - len(prefix[start:end].lstrip())
    return (start, end) if start < end and any(c.isalpha() for c in prefix[start:end]) else None
