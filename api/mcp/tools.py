"""The four tools: each is one request to a route, or two; what comes back is what the route says."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mcp.types import Tool, ToolAnnotations
from pydantic import BaseModel

from api.incoming import ParseIn, SearchIn
from api.mcp import telling
from api.mcp.asking import Routes
from api.mcp.shapes import DraftAndSavedOut, DraftAndSaveIn, GetIn, schema
from api.schemas import AnswerOut, IncidentOut, ParseOut
from api.writing.taken import shaped
from kb.client import INCIDENTS, address

Arguments = Mapping[str, Any]
NOTE = "drafted by an agent"
"""What the history says of a draft that was saved here."""


@dataclass(frozen=True, slots=True)
class KbTool:
    """One tool: what is said of it, and what it does."""

    title: str
    description: str
    takes: type[BaseModel]
    gives: type[BaseModel]
    call: Callable[[Routes, Arguments], Awaitable[dict[str, Any]]]
    tell: Callable[[Mapping[str, Any]], str]
    writes: bool = False

    def described(self, name: str) -> Tool:
        """The tool as it is listed."""
        hints = ToolAnnotations(
            title=self.title,
            read_only_hint=not self.writes,
            destructive_hint=False,
            idempotent_hint=True,  # the same draft is saved once: its id is made of what it says
            open_world_hint=False,
        )
        return Tool(
            name=name,
            title=self.title,
            description=self.description,
            input_schema=schema(self.takes),
            output_schema=schema(self.gives),
            annotations=hints,
        )


async def _search(routes: Routes, said: Arguments) -> dict[str, Any]:
    found: dict[str, Any] = await routes.ask("POST", "/v1/search", said=said)
    return found


async def _get(routes: Routes, said: Arguments) -> dict[str, Any]:
    found: dict[str, Any] = await routes.ask("GET", address(shaped(GetIn, said).id))
    return found


async def _parse(routes: Routes, said: Arguments) -> dict[str, Any]:
    found: dict[str, Any] = await routes.ask("POST", "/v1/parse", said=said)
    return found


async def _draft(routes: Routes, said: Arguments) -> dict[str, Any]:
    wanted = shaped(DraftAndSaveIn, said)
    words = wanted.model_dump(exclude_none=True, exclude={"save"})
    drafted: dict[str, Any] = await routes.ask("POST", f"{INCIDENTS}/draft", said=words)
    if not wanted.save:
        return drafted | {"saved": None}
    record = drafted["incident"] | {"status": "draft", "note": NOTE}
    saved = await routes.ask("POST", INCIDENTS, said=record)
    place = {name: saved[name] for name in ("id", "revision", "status")}
    return drafted | {"notes": [*drafted["notes"], *saved["notes"]], "saved": place}


TOOLS: Mapping[str, KbTool] = {
    "search_incidents": KbTool(
        "Search known incidents",
        "Whether a problem is known. Give the stack trace, log excerpt or error as it is, with its surroundings, or a "
        "question, in Chinese or English. Returns a verdict (known, related, unknown) and the closest incidents with their "
        "root cause, fix, probability and the evidence. Only `known` is an answer; where `causes` names several incidents, one error "
        "has as many causes: tell them apart by `distinguish`. A log with several problems has an answer for each in `problems`. `explain: false` leaves the evidence out.",
        SearchIn,
        AnswerOut,
        _search,
        telling.answer,
    ),
    "get_incident": KbTool(
        "Read an incident",
        "One incident whole: symptom, root cause, fix, traces, versions, tags, source.",
        GetIn,
        IncidentOut,
        _get,
        telling.incident,
    ),
    "parse_trace": KbTool(
        "Read a stack trace",
        "Every stack trace in a text, of any runtime: exceptions with their causes, frames, message templates and "
        "fingerprints. Secrets are taken out. Searches nothing.",
        ParseIn,
        ParseOut,
        _parse,
        telling.reading,
    ),
    "draft_incident": KbTool(
        "Draft an incident",
        "A write-up in Markdown of a problem that no incident tells of, from its stack trace and from what is known by now "
        "(title, root cause, fix). With `save: true` it is kept as a draft for a curator; search first, and save only what "
        "was found to be true.",
        DraftAndSaveIn,
        DraftAndSavedOut,
        _draft,
        telling.draft,
        writes=True,
    ),
}
