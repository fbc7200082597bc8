"""Addresses that hold the id of an incident, which may hold a slash: as ``%2F`` anywhere, or as it is where no word of ours follows."""

import re
from collections import defaultdict
from typing import Any, ClassVar
from urllib.parse import quote, unquote

from fastapi import HTTPException
from starlette.routing import Match
from starlette.types import Receive, Scope, Send

from api.contract.bodies import BodyRoute
from kb.client.calls import DOORS, INCIDENTS, address

__all__ = ["INCIDENTS", "IncidentRoute", "address", "page_of", "segment"]

_SLASH = "\udc2f"
"""Stands for a quoted slash while a path is matched; no text that was sent holds it."""
_AN_ID = "/{incident_id:path}"


def segment(text: str) -> str:
    """A text as one segment of a path: the slash of an id, too, is quoted."""
    return quote(text, safe="", errors="replace")


def page_of(incident_id: str, room: str = "") -> str:
    """The path of an incident's page, or of a room of it."""
    return f"/incidents/{segment(incident_id)}{room}"


class IncidentRoute(BodyRoute):
    """A route whose ``{incident_id:path}`` is matched before its quoted slashes are read; 405 names all methods of the address."""

    _methods: ClassVar[dict[str, set[str]]] = defaultdict(set)
    _words: ClassVar[dict[str, bool]] = {}
    """What the routes below `/v1/incidents` have behind an id, and whether a name may follow that: `history` and `history/{number}`."""

    def __init__(self, path: str, *args: Any, **options: Any) -> None:
        super().__init__(path, *args, **options)
        self._methods[path] |= self.methods or set()
        if path.startswith(below := f"{INCIDENTS}{_AN_ID}/"):
            word, _, name = path.removeprefix(below).partition("/")
            self._words[word] = self._words.get(word, False) or name != ""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Whether the route takes the request: wholly, or by its address alone."""
        if scope["type"] != "http":
            return Match.NONE, {}
        raw = scope.get("raw_path") or quote(scope["path"]).encode("ascii")
        quoted = raw.partition(b"?")[0].decode("latin-1")
        if self.path.endswith(_AN_ID) and self._is_ours(quoted):
            return Match.NONE, {}
        path = _SLASH.join(unquote(part) for part in re.split("%2[fF]", quoted))
        match, child = super().matches({**scope, "path": path})
        for name, value in child.get("path_params", {}).items():
            if isinstance(value, str):
                child["path_params"][name] = value.replace(_SLASH, "/")
        return match, child

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer; 405 for a method that the address does not take."""
        if scope["method"] not in (self.methods or ()):
            raise HTTPException(405, headers={"Allow": ", ".join(sorted(self._methods[self.path]))})
        await super().handle(scope, receive, send)

    @classmethod
    def _is_ours(cls, path: str) -> bool:
        """Whether a path, as it was sent, is that of another route than an incident's."""
        rest = path.removeprefix(f"{INCIDENTS}/")
        above, _, last = rest.rpartition("/")
        before, _, word = above.rpartition("/")
        is_word = above != "" and last in cls._words
        return rest in DOORS or is_word or (before != "" and last != "" and cls._words.get(word, False))
