"""What the tools found, in a few lines for a model to read; the whole is in the structured content beside it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from api.language import percent
from kb.article.announced import CHARACTERS, LINES, shortened
from kb.trace import WITHOUT_TRACE

Document = Mapping[str, Any]
_VERDICTS = {
    "known": "KNOWN: this is a known incident.",
    "related": "RELATED ONLY: nothing known is clearly this problem. What follows is near it, and may not fit.",
    "unknown": "UNKNOWN: no known incident fits. What follows is merely nearest; do not present it as the answer.",
}
CUT = 3_000
"""Characters of one text that are told."""
_SHORT = 300
_FRAMES = 8
_REASONS = 3


def answer(found: Document) -> str:
    """The verdict, the best match whole, the others in a line each."""
    matches: Sequence[Document] = found["matches"]
    lines = [_VERDICTS[found["verdict"]], *found["notes"]]
    whole, rest = (matches[:1], matches[1:]) if found["verdict"] != "unknown" else ((), matches)
    for match in whole:
        lines += ["", *_best(match)]
    if rest:
        lines += ["", "Others:" if whole else "Nearest:"]
        lines += [
            f"- {_line(one['incident']['title'])} (id {one['incident']['id']}), {percent(one['probability'])}"
            for one in rest
        ]
    return "\n".join(lines)


def _best(match: Document) -> Iterator[str]:
    one = match["incident"]
    yield f"{_line(one['title'])}"
    yield f"id {one['id']}, probability {percent(match['probability'])}, component {one['component'] or 'not stated'}"
    yield from _sections(one)
    if reasons := [_line(piece["summary"]) for piece in match["evidence"][:_REASONS]]:
        yield f"Why: {'; '.join(reasons)}"
    if one["url"]:
        yield f"Source: {_line(one['url'])}"
    if also := [f"{_line(other['title'])} (id {other['id']})" for other in match.get("also", ())]:
        yield f"Also told by: {'; '.join(also)}"


def incident(found: Document) -> str:
    """A write-up, each of its parts as far as it is short."""
    component = found.get("component") or "not stated"
    facts = (
        f"id {found['id']}",
        f"status {found['status']}",
        f"revision {found['revision']}",
        f"component {component}",
    )
    lines = [_line(found["title"]), ", ".join(facts)]
    if symptom := found.get("symptom"):
        lines.append(f"Symptom: {_cut(symptom)}")
    lines += _sections(found)
    lines += [f"Trace:\n{_cut(trace)}" for trace in found.get("traces", ())[:1]]
    if url := found.get("url"):
        lines.append(f"Source: {_line(url)}")
    return "\n".join(lines)


def _sections(one: Document) -> Iterator[str]:
    announced = one.get("announced") or {}  # a service of an older version tells none
    for name, field in (("Root cause", "root_cause"), ("Fix", "fix")):
        stated = one.get(field)
        yield f"{name}: {_cut(stated or '(the write-up does not state it)')}"
        if stated and field in announced:
            yield shortened(announced[field], LINES, CHARACTERS)


def reading(found: Document) -> str:
    """The traces of a text: their exceptions and first frames."""
    lines = [f"{len(found['chains'])} found." if found["chains"] else "No trace."]
    for number, chain in enumerate(found["chains"][:5], 1):
        lines.append(
            "\nMessage without a trace:"
            if chain["runtime"] in WITHOUT_TRACE
            else f"\nTrace {number}: {chain['runtime']}"
        )
        for raised in chain["exceptions"]:
            kind = f"{raised['relation']}: " if raised["relation"] else ""
            said = [_line(part) for part in (raised["type"], raised["message"]) if part]
            lines.append(kind + (": ".join(said) or "(cut off)"))
            lines += [f"  {_line(frame['raw'])}" for frame in raised["frames"][:_FRAMES]]
            more = len(raised["frames"]) - _FRAMES
            lines += [f"  … {more} more frames"] * (more > 0)
    if hidden := sorted({one["kind"] for one in found["redactions"]}):
        lines.append(f"\nSecrets taken out: {', '.join(hidden)}")
    return _cut("\n".join([*lines, *found["notes"]]))


def draft(found: Document) -> str:
    """The write-up, and whether it was saved."""
    saved = found["saved"]
    kept = f"Saved as a draft: id {saved['id']}, revision {saved['revision']}." if saved else "Not saved."
    hidden = sorted({one["kind"] for one in found["redactions"]})
    notes = [*found["notes"], *([f"Secrets taken out: {', '.join(hidden)}"] if hidden else [])]
    return "\n".join([kept, *notes, "", _cut(found["markdown"])])


def _line(text: str) -> str:
    said = " ".join(text.split())
    return said if len(said) <= _SHORT else f"{said[:_SHORT]}…"


def _cut(text: str) -> str:
    return text if len(text) <= CUT else f"{text[:CUT]}\n… (longer: the structured content has the whole)"
