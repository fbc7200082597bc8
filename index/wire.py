"""Answers and readings as JSON-ready dictionaries: the one wire form of HTTP, command line and Spark."""

from collections.abc import Mapping, Sequence

from index.answer import Against, Answer, Evidence, Match, Problem, Query
from index.local_rules import judged
from index.stages import is_over
from index.terms.sketch import leading
from kb.incident import Incident, fields_of
from kb.language import detect
from kb.redact import redact
from kb.trace import ExceptionChain, parse
from kb.trace.wire import chain_to_dict
from kb.translations import languages


def answer_to_dict(answer: Answer) -> dict[str, object]:
    """The wire form of an answer (`POST /v1/search`, `kb search --json`, `kb match`)."""
    return {
        "query": _query(answer.query),
        "verdict": answer.verdict.value,
        "headline": answer.headline,
        "causes": list(answer.causes),
        "matches": [_match(match) for match in answer.matches],
        "problems": [_problem(problem) for problem in answer.problems],
        "notes": list(answer.notes),
        "snapshot_id": answer.snapshot_id,
        "took_ms": round(answer.took_ms, 3),
    }


def parse_to_dict(text: str) -> dict[str, object]:
    """What is understood of a text (`POST /v1/parse`, `kb parse --json`): secrets out first, then every trace."""
    redacted = redact(text, is_over)
    chains = [judged(chain) for chain in parse(redacted.text)]
    return {
        "chains": [chain_to_dict(chain) for chain in chains],
        "redactions": [{"kind": r.kind, "start": r.start, "end": r.end} for r in redacted.redactions],
        "lang": detect(redacted.text),
        "notes": _parse_notes(chains),
    }


def incident_to_dict(incident: Incident) -> dict[str, object]:
    """The short form of an incident inside an answer."""
    fields = {field.name: getattr(incident, field.name) for field in fields_of(type(incident)) if field.in_answer}
    return {
        "id": incident.id,
        "title": incident.title,
        "lang": incident.lang,
        "languages": sorted(languages(incident)),
        **{name: dict(value) if isinstance(value, Mapping) else value for name, value in fields.items()},
        "url": incident.source.url,
        "status": incident.status.value,
    }


def _parse_notes(chains: Sequence[ExceptionChain]) -> list[str]:
    if not chains:
        return ["no stack trace found"]
    return list(dict.fromkeys(note for chain in chains for note in chain.notes))


def _query(query: Query) -> dict[str, object]:
    first = leading(query.chains)
    return {
        "runtime": first.runtime if first else None,
        "exceptions": [
            {"type": e.type, "message": e.message, "template": named}
            for e, named in zip(first.exceptions if first else (), query.templates, strict=True)
        ],
        "lang": query.lang,
    }


def _problem(problem: Problem) -> dict[str, object]:
    return {
        "span": list(problem.span),
        "verdict": problem.verdict.value,
        "headline": problem.headline,
        "causes": list(problem.causes),
        "matches": [_match(match) for match in problem.matches],
    }


def _match(match: Match) -> dict[str, object]:
    return {
        "incident": incident_to_dict(match.incident),
        "probability": round(match.probability, 4),
        "evidence": [_evidence(piece) for piece in match.evidence],
        "also": [{"id": other.id, "title": other.title} for other in match.also],
        "against": [_against(one) for one in match.against],
    }


def _evidence(piece: Evidence) -> dict[str, object]:
    return {
        "kind": piece.kind.value,
        "summary": piece.summary,
        "weight": round(piece.weight, 4),
        "query_at": list(piece.query_at) if piece.query_at else None,
        "incident_at": piece.incident_at,
        "query_spans": [list(span) for span in piece.query_spans],
    }


def _against(one: Against) -> dict[str, object]:
    return {"kind": one.kind.value, "summary": one.summary, "weight": round(one.weight, 4)}
