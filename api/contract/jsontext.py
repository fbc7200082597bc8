"""JSON as every door writes it: UTF-8, readable Chinese, and no text that it cannot carry."""

import json
from typing import Any

from starlette.responses import JSONResponse


def dump(document: Any, *, indent: int | None = None) -> bytes:
    """One JSON document. A lone surrogate becomes its JSON escape, which is just what ``backslashreplace`` writes."""
    separators = None if indent else (",", ":")
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators)
    return text.encode("utf-8", "backslashreplace")


class WireResponse(JSONResponse):
    """A JSON response that no user text can break."""

    def render(self, content: Any) -> bytes:
        """The body."""
        return dump(content)
