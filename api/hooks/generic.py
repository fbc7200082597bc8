"""Any JSON: an expression of the house (JMESPath) says where its text is."""

import jmespath
from jmespath.exceptions import JMESPathError
from jmespath.parser import ParsedResult

from api.chat.payload import load
from api.chat.platform import RefusedRequest
from api.hooks.alert import TEXT, Alert, digest, named

LONGEST = 1_000
"""Most characters of an expression."""


def compiled(expression: str) -> ParsedResult:
    """An expression that can be used; ValueError says what is wrong with it."""
    if len(expression) > LONGEST:
        raise ValueError(f"an expression has at most {LONGEST} characters")
    try:
        return jmespath.compile(expression)
    except JMESPathError as error:
        raise ValueError(f"it is no JMESPath: {str(error).splitlines()[0]}") from None


def read(body: bytes, expression: ParsedResult, group: str) -> tuple[Alert, ...]:
    """An alert for each text that the expression finds. Refused("unreadable") where it finds none."""
    told = load(body)
    try:
        found = expression.search(told)
    except (JMESPathError, RecursionError, ArithmeticError, TypeError, ValueError):
        raise RefusedRequest("unreadable") from None
    texts = [one for one in (found if isinstance(found, list) else [found]) if isinstance(one, str) and one.strip()]
    if not texts:
        raise RefusedRequest("unreadable")
    return tuple(Alert(digest("generic", one), named(one), _clean(one), group) for one in texts)


def _clean(text: str) -> str:
    return text[:TEXT].encode("utf-8", "replace").decode().replace("\x00", "\ufffd")
