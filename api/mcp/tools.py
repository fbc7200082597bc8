"""The four tools: one or two requests to the routes each. The answer is what the route returns, and a summary for a model to read."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from mcp.types import Tool, ToolAnnotations
from pydantic import BaseModel, ConfigDict, Field

from api.contract.requests import In, ParseIn, SearchIn
from api.contract.responses import AnswerOut, IncidentOut, Out, ParseOut
from api.mcp.routes_client import Routes
from api.render.language import percent
from api.writing.answers import DraftOut
from api.writing.incident_input import validated
from api.writing.shapes import DraftIn, Id
from kb.article.quotes.announced import CHARACTERS, LINES, shortened
from kb.article.quotes.passages import ARTICLE
from kb.client import INCIDENTS, address
from kb.trace import WITHOUT_TRACE


class GetIn(In):
    """The id of the incident."""

    id: Annotated[Id, Field(description="As search_incidents gives it.")]


class DraftAndSaveIn(DraftIn):
    """A paste that a write-up is to begin with, what is known of it already, and whether it is to be kept."""

    model_config = ConfigDict(extra="forbid", strict=True)

    save: bool = Field(
        default=False, description="Keep it as a draft, which curators see and no search finds. Takes the role curator."
    )


class SavedAs(Out):
    """Where the draft is."""

    id: str
    revision: int
    status: Literal["draft"]


class DraftAndSavedOut(DraftOut):
    """A write-up to begin with."""

    saved: SavedAs | None = Field(description="null: nothing was saved.")


def schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON schema of a model without titles and examples: agents read it in every conversation."""
    bare = _bare(model.model_json_schema())
    bare.pop("examples", None)
    return dict(bare)


def _bare(schema: Any) -> Any:
    """A schema without the titles that pydantic makes of names; a property that is called ``title`` is no text."""
    if isinstance(schema, dict):
        return {key: _bare(value) for key, value in schema.items() if not (key == "title" and isinstance(value, str))}
    return [_bare(one) for one in schema] if isinstance(schema, list) else schema


Document = Mapping[str, Any]
_VERDICTS = {
    "known": "KNOWN",
    "related": "RELATED, not certain",
    "unknown": "UNKNOWN",
}
_ADVICE = {
    "known": "This is a known incident.",
    "related": "What follows may not fit: check it against the trace before you rely on it.",
    "unknown": "What follows is merely nearest; do not present it as the answer.",
}
_NOTHING = "Nothing in the knowledge base is near it."
_CAUSES = "This error has several known causes, listed below one after the other. Find out which one it is before you apply a fix."
CUT = 3_000
"""Most characters of one text in a summary."""
_SHORT = 300
_FRAMES = 8
_REASONS = 3


def answer_text(answer: Document) -> str:
    """Return the verdict, the best match and other causes in full, and the other matches in a line each; then further problems in the same way."""
    problems: Sequence[Document] = answer.get("problems", ())
    lines = [f"The text is about {len(problems)} problems, listed one after the other."] if len(problems) > 1 else []
    lines += [_head(answer), *answer["notes"], *_matched(answer)]
    for number, problem in enumerate(problems[1:], 2):
        start, end = problem["span"]
        lines += [
            "",
            f"Problem {number}, characters {start} to {end} of the text. {_head(problem)}",
            *_matched(problem),
        ]
    return "\n".join(lines)


def _head(answer: Document) -> str:
    """The verdict in words."""
    advice = _CAUSES if answer.get("causes") else _ADVICE[answer["verdict"]] if answer["matches"] else _NOTHING
    return " ".join((f"{_VERDICTS[answer['verdict']]}: {_line(answer.get('headline', ''))}.", advice))


def _matched(answer: Document) -> list[str]:
    """The matches of an answer or of one of its problems."""
    matches: Sequence[Document] = answer["matches"]
    is_known_or_related = answer["verdict"] != "unknown"
    whole = [
        one
        for at, one in enumerate(matches)
        if is_known_or_related and (not at or one["incident"]["id"] in answer.get("causes", ()))
    ]
    rest, lines = [one for one in matches if one not in whole], []
    for match in whole:
        lines += ["", *_best(match)]
    if rest:
        lines += ["", "Others:" if whole else "Nearest:"]
        lines += [
            f"- {_line(one['incident']['title'])} (id {one['incident']['id']}), {percent(one['probability'])}"
            for one in rest
        ]
    return lines


def _best(match: Document) -> Iterator[str]:
    one = match["incident"]
    yield f"{_line(one['title'])}"
    yield f"id {one['id']}, probability {percent(match['probability'])}, component {one['component'] or 'not stated'}"
    if owner := one.get("owner"):
        yield f"Owner: {_line(owner)}"
    yield from _sections(one)
    if reasons := [_line(piece["summary"]) for piece in match["evidence"][:_REASONS]]:
        yield f"Why: {'; '.join(reasons)}"
    if one["url"]:
        yield f"Source: {_line(one['url'])}"
    if also := [f"{_line(other['title'])} (id {other['id']})" for other in match.get("also", ())]:
        yield f"Also told by: {'; '.join(also)}"


def incident_text(record: Document) -> str:
    """A write-up, each of its parts as far as it is short."""
    component = record.get("component") or "not stated"
    facts = (
        f"id {record['id']}",
        f"status {record['status']}",
        f"revision {record['revision']}",
        f"component {component}",
    )
    lines = [_line(record["title"]), ", ".join(facts)]
    if owner := record.get("owner"):
        lines.append(f"Owner: {_line(owner)}")
    if symptom := record.get("symptom"):
        lines.append(f"Symptom: {_cut(symptom)}")
    lines += _sections(record)
    lines += [f"Trace:\n{_cut(trace)}" for trace in record.get("traces", ())[:1]]
    if url := record.get("url"):
        lines.append(f"Source: {_line(url)}")
    return "\n".join(lines)


def _sections(one: Document) -> Iterator[str]:
    announced = one.get("announced") or {}  # a service of an older version tells none
    sections = one.get("sections") or {}  # likewise
    for name, field in (("Root cause", "root_cause"), ("Fix", "fix")):
        stated = one.get(field)
        missing = (
            f"(no sentence was recognised as the {field.removeprefix('root_')}; the passages may tell it)"
            if sections
            else "(not stated yet)"
        )
        yield f"{name}: {_cut(stated or missing)}"
        if field in sections:
            yield f"From the article:\n{sections[field]}"
        elif stated and field in announced:
            yield shortened(announced[field], LINES, CHARACTERS)
        if field == "root_cause" and (apart := one.get("distinguish")):
            yield f"How to tell it apart: {_cut(apart)}"
    if ARTICLE in sections:
        yield f"From the article:\n{sections[ARTICLE]}"


def parse_text(reading: Document) -> str:
    """The traces of a text: their exceptions and first frames."""
    lines = [f"{len(reading['chains'])} found." if reading["chains"] else "No trace."]
    for number, chain in enumerate(reading["chains"][:5], 1):
        lines.append(
            "\nMessage without a trace:"
            if chain["runtime"] in WITHOUT_TRACE
            else f"\nTrace {number}: {chain['runtime']}"
        )
        for raised in chain["exceptions"]:
            kind = f"{raised['relation']}: " if raised["relation"] else ""
            words = [_line(part) for part in (raised["type"], raised["message"]) if part]
            lines.append(kind + (": ".join(words) or "(cut off)"))
            lines += [f"  {_line(frame['raw'])}" for frame in raised["frames"][:_FRAMES]]
            more = len(raised["frames"]) - _FRAMES
            lines += [f"  … {more} more frames"] * (more > 0)
    if hidden := sorted({one["kind"] for one in reading["redactions"]}):
        lines.append(f"\nSecrets taken out: {', '.join(hidden)}")
    return _cut("\n".join([*lines, *reading["notes"]]))


def draft_text(draft: Document) -> str:
    """The write-up, and whether it was saved."""
    saved = draft["saved"]
    kept = f"Saved as a draft: id {saved['id']}, revision {saved['revision']}." if saved else "Not saved."
    hidden = sorted({one["kind"] for one in draft["redactions"]})
    notes = [*draft["notes"], *([f"Secrets taken out: {', '.join(hidden)}"] if hidden else [])]
    return "\n".join([kept, *notes, "", _cut(draft["markdown"])])


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHORT else f"{line[:_SHORT]}…"


def _cut(text: str) -> str:
    return text if len(text) <= CUT else f"{text[:CUT]}\n… (longer: the structured content has the whole)"


Arguments = Mapping[str, Any]
NOTE = "drafted by an agent"
"""The note in the history of a draft that was saved here."""


@dataclass(frozen=True, slots=True)
class KbTool:
    """One tool: its description, and what it does."""

    title: str
    description: str
    input: type[BaseModel]
    output: type[BaseModel]
    call: Callable[[Routes, Arguments], Awaitable[dict[str, Any]]]
    summarise: Callable[[Mapping[str, Any]], str]
    writes: bool = False

    def listing(self, name: str) -> Tool:
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
            input_schema=schema(self.input),
            output_schema=schema(self.output),
            annotations=hints,
        )


async def _search(routes: Routes, arguments: Arguments) -> dict[str, Any]:
    answer: dict[str, Any] = await routes.ask("POST", "/v1/search", body=arguments)
    return answer


async def _get(routes: Routes, arguments: Arguments) -> dict[str, Any]:
    record: dict[str, Any] = await routes.ask("GET", address(validated(GetIn, arguments).id))
    return record


async def _parse(routes: Routes, arguments: Arguments) -> dict[str, Any]:
    reading: dict[str, Any] = await routes.ask("POST", "/v1/parse", body=arguments)
    return reading


async def _draft(routes: Routes, arguments: Arguments) -> dict[str, Any]:
    wanted = validated(DraftAndSaveIn, arguments)
    words = wanted.model_dump(exclude_none=True, exclude={"save"})
    drafted: dict[str, Any] = await routes.ask("POST", f"{INCIDENTS}/draft", body=words)
    if not wanted.save:
        return drafted | {"saved": None}
    record = drafted["incident"] | {"status": "draft", "note": NOTE}
    saved = await routes.ask("POST", INCIDENTS, body=record)
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
        answer_text,
    ),
    "get_incident": KbTool(
        "Read an incident",
        "One incident whole: symptom, root cause, fix, traces, versions, tags, source.",
        GetIn,
        IncidentOut,
        _get,
        incident_text,
    ),
    "parse_trace": KbTool(
        "Read a stack trace",
        "Every stack trace in a text, of any runtime: exceptions with their causes, frames, message templates and "
        "fingerprints. Secrets are taken out. Searches nothing.",
        ParseIn,
        ParseOut,
        _parse,
        parse_text,
    ),
    "draft_incident": KbTool(
        "Draft an incident",
        "A write-up in Markdown of a problem that no incident covers, from its stack trace and from what is known by now "
        "(title, root cause, fix). With `save: true` it is kept as a draft for a curator; search first, and save only what "
        "was found to be true.",
        DraftAndSaveIn,
        DraftAndSavedOut,
        _draft,
        draft_text,
        writes=True,
    ),
}
