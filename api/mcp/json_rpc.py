"""Check JSON-RPC messages before the SDK sees them: repair texts cut in the middle of a character, and answer what is no message."""

import json
import re
from typing import Any

from pydantic_core import from_json

PARSE_ERROR, INVALID_REQUEST = -32700, -32600
"""JSON-RPC 2.0, 5.1."""
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
"""One escape of JSON (RFC 8259, 7): two halves that belong together, a half alone, or any other."""
_LONGEST_ID = _LONGEST_METHOD = 200


def without_lone_surrogates(data: bytes) -> bytes:
    r"""Replace every lone surrogate (``"\ud83d"``) in JSON by U+FFFD, as in every other request.

    Programs write them that cut a text in the middle of a character, and no strict reader reads them.
    """
    if b"\\ud" not in data and b"\\uD" not in data:
        return data
    repaired, at = bytearray(), 0
    for escape in _ESCAPE.finditer(data):  # one by one: other threads get their turn
        if escape["half"]:
            repaired += data[at : escape.start()] + rb"\ufffd"
            at = escape.end()
    repaired += data[at:]
    return bytes(repaired)


def checked(data: bytes) -> tuple[bytes, dict[str, Any] | None]:
    """Return the repaired body, and an error when it is no message."""
    body = without_lone_surrogates(data)
    return body, refusal(body)


def refusal(data: bytes) -> dict[str, Any] | None:
    """Return the error for what is no message, or None for a message. The SDK would echo values that were sent, or stay silent over a pipe."""
    message: Any
    try:
        message = from_json(data)
    except ValueError:
        code, problem = (
            PARSE_ERROR,
            "This is no JSON that can be read: send UTF-8, fewer than 200 levels, and finite numbers.",
        )
        message = _leniently(data)
    else:
        if _is_message(message):
            return None
        code = INVALID_REQUEST
        problem = (
            "This is no message of JSON-RPC 2.0: send one object with `jsonrpc`, `method` and `params`, and no batch."
        )
    number = message.get("id") if isinstance(message, dict) else None
    is_id = isinstance(number, int | str) and not isinstance(number, bool) and len(str(number)) <= _LONGEST_ID
    return {"jsonrpc": "2.0", "id": number if is_id else None, "error": {"code": code, "message": problem}}


def parse_error(detail: str) -> dict[str, Any]:
    """Return the answer to a message that was refused before its end was read, so that nobody knows its id."""
    return {"jsonrpc": "2.0", "id": None, "error": {"code": PARSE_ERROR, "message": detail}}


def _is_message(message: Any) -> bool:
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return False
    number = message.get("id", 0)
    if isinstance(number, bool) or not isinstance(number, int | str):
        return False
    if "method" not in message:
        return "id" in message and (isinstance(message.get("result"), dict) or isinstance(message.get("error"), dict))
    method = message["method"]  # the SDK repeats one that it does not know
    return isinstance(method, str) and len(method) <= _LONGEST_METHOD and isinstance(message.get("params", {}), dict)


def _leniently(data: bytes) -> Any:
    """Parse with Python's more lenient reader to find the id, so that the sender does not wait for ever."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None
