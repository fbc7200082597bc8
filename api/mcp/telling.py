"""What the tools found, in a few lines for a model to read; the whole is in the structured content beside it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from api.language import percent
from kb.article.announced import CHARACTERS, LINES, shortened
from kb.article.passages import ARTICLE
from kb.trace import WITHOUT_TRACE

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
_CAUSES = "This error has several known causes, told below one after the other. Find out which one it is before you apply a fix."
CUT = 3_000
"""Characters of one text that are told."""
_SHORT = 300
_FRAMES = 8
_REASONS = 3


def answer(found: Document) -> str:
    """The verdict, the best match and other causes of the same error whole, the others in a line each; then further problems likewise."""
    problems: Sequence[Document] = found.get("problems", ())
    lines = [f"The text is about {len(problems)} problems, told one after the other."] if len(problems) > 1 else []
    lines += [_head(found), *found["notes"], *_matched(found)]
    for number, problem in enumerate(problems[1:], 2):
        start, end = problem["span"]
        lines += [
            "",
            f"Problem {number}, characters {start} to {end} of the text. {_head(problem)}",
            *_matched(problem),
        ]
    return "\n".join(lines)


def _head(found: Document) -> str:
    """The verdict in words."""
    advice = _CAUSES if found.get("causes") else _ADVICE[found["verdict"]] if found["matches"] else _NOTHING
    return " ".join((f"{_VERDICTS[found['verdict']]}: {_line(found.get('headline', ''))}.", advice))


def _matched(found: Document) -> list[str]:
    """The matches of an answer or of one of its problems."""
    matches: Sequence[Document] = found["matches"]
    is_told = found["verdict"] != "unknown"
    whole = [
        one
        for at, one in enumerate(matches)
        if is_told and (not at or one["incident"]["id"] in found.get("causes", ()))
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
    sections = one.get("sections") or {}  # likewise
    for name, field in (("Root cause", "root_cause"), ("Fix", "fix")):
        stated = one.get(field)
        missing = f"(no {field.removeprefix('root_')} is stated in the article)" if sections else "(not stated yet)"
        yield f"{name}: {_cut(stated or missing)}"
        if field in sections:
            yield f"From the article:\n{sections[field]}"
        elif stated and field in announced:
            yield shortened(announced[field], LINES, CHARACTERS)
        if field == "root_cause" and (apart := one.get("distinguish")):
            yield f"How to tell it apart: {_cut(apart)}"
    if ARTICLE in sections:
        yield f"From the article:\n{sections[ARTICLE]}"


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
