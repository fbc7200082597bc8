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
    """The object that ``body`` holds. Refused("unreadable") when it holds none: no JSON, no UTF-8, too deep, a number of thousands of digits."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        raise RefusedRequest("unreadable") from None
    if not isinstance(document, dict):
        raise RefusedRequest("unreadable")
    return document


def text(of: Json, key: str) -> str:
    """A text; what databases and UTF-8 cannot carry becomes U+FFFD."""
    value = of.get(key)
    return _BROKEN.sub("\ufffd", value) if isinstance(value, str) else ""


def name(of: Json, key: str) -> str:
    """An id that may stand in an address (``C024BE91L``, ``1355517523.000005``, ``om_dc13264520392913``); '' when it is none."""
    value = of.get(key)
    return value if isinstance(value, str) and _NAME.fullmatch(value) else ""


def part(of: Json, key: str) -> Json:
    """An object within."""
    value = of.get(key)
    return value if isinstance(value, dict) else {}


def parts(of: Json, key: str) -> list[Json]:
    """The objects of a list within."""
    value = of.get(key)
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def whole(of: Json, key: str) -> int | None:
    """A whole number, also one that is written as a text (``"1609073151345"``); None when it is none."""
    value = of.get(key)
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 20:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**19 else None


def is_blank(typed: str) -> bool:
    """Whether there is no letter and no figure in it: a mention alone, a question mark."""
    return _SIGN.search(typed) is None
