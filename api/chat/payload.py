"""Read JSON of platforms defensively: a part that is missing or has another type counts as empty."""

import json
import re
from collections.abc import Mapping
from typing import Any

from api.chat.platform import RefusedRequest

Json = Mapping[str, Any]
_BROKEN = re.compile("[\x00\ud800-\udfff]")
_NAME = re.compile(r"[A-Za-z0-9._:-]{1,100}")
_SIGN = re.compile(r"\w")


def load(body: bytes | str) -> Json:
    """Return the JSON object in ``body``. RefusedRequest("unreadable") for anything else: no JSON, no UTF-8, too deep, a number of thousands of digits."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        raise RefusedRequest("unreadable") from None
    if not isinstance(document, dict):
        raise RefusedRequest("unreadable")
    return document


def text(of: Json, key: str) -> str:
    """Return a string; NUL and lone surrogates become U+FFFD."""
    value = of.get(key)
    return _BROKEN.sub("\ufffd", value) if isinstance(value, str) else ""


def name(of: Json, key: str) -> str:
    """Return an id that is safe in a URL (``C024BE91L``, ``1355517523.000005``, ``om_dc13264520392913``), or ''."""
    value = of.get(key)
    return value if isinstance(value, str) and _NAME.fullmatch(value) else ""


def part(of: Json, key: str) -> Json:
    """Return a nested object."""
    value = of.get(key)
    return value if isinstance(value, dict) else {}


def parts(of: Json, key: str) -> list[Json]:
    """Return the objects of a nested list."""
    value = of.get(key)
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def integer(of: Json, key: str) -> int | None:
    """Return an integer, also one written as a string (``"1609073151345"``), or None."""
    value = of.get(key)
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 20:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**19 else None


def is_blank(typed: str) -> bool:
    """Whether a text has no letter and no digit: a bare mention, a question mark."""
    return _SIGN.search(typed) is None
