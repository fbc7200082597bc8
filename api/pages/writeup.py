"""A write-up as it stands in the box: what is wrong with it, what is understood of it, and what is known that may be the same."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from api.contract.problems import HttpProblem
from api.server.service import Service
from api.writing.incident_input import Written, parse_incident
from api.writing.suggestions import question_of
from index.answer import Answer, Verdict
from index.terms.sketch import leading
from kb.article.writeups.parts import parts_of
from kb.article.writeups.writeup import as_written
from kb.record import read_chains
from kb.redact import redact

EMPTY = "---\ntitle: \n---\n\n## Symptom\n\n\n\n## Trace\n\n```\n\n```\n\n## Root cause\n\n\n\n## How to tell it apart\n\n\n\n## Fix\n\n"
EMPTY_IN_CHINESE = (
    "---\ntitle: \n---\n\n## 现象\n\n\n\n## 堆栈\n\n```\n\n```\n\n## 根因\n\n\n\n## 如何区分\n\n\n\n## 解决\n\n"
)
_K = 3
_TRACES = 20
"""Traces whose root cause is told."""


@dataclass(frozen=True, slots=True)
class Wrong:
    """A mistake, and where it stands: line and column from 1; 0: nowhere in particular."""

    line: int
    column: int
    detail: str
    """In English; a `Translatable` where the page can say it in the reader's language."""


@dataclass(frozen=True, slots=True)
class TracePreview:
    """What is understood of a trace."""

    lines: int
    root: str | None
    """The innermost cause; None: no trace is read there."""


@dataclass(frozen=True, slots=True)
class Typed:
    """What somebody typed, secrets out."""

    text: str = ""
    note: str = ""
    incident_id: str | None = None
    """The id of the incident that is edited."""
    revision: int = 0
    """The number of the revision that it replaces."""
    was: str = ""
    """The status it had when the writer began; empty: not said."""
    draft: str = ""
    """The private draft that it is kept as; empty: none yet."""
    seen: int = 0
    """The version of the draft that the page was made of."""
    redactions: tuple[str, ...] = ()
    """The kind of each secret that was taken out."""

    def cleaned(self) -> "Typed":
        """Return it without secrets, so that none goes back and places of mistakes are those in the box."""
        clean, short = redact(self.text), redact(self.note)
        kinds = tuple(one.kind for one in (*clean.redactions, *short.redactions))
        return replace(self, text=clean.text, note=short.text, redactions=kinds)

    @property
    def parts(self) -> Mapping[str, str]:
        """Return what the fields of the form show."""
        return parts_of(self.text)


@dataclass(frozen=True, slots=True)
class WriteupPreview:
    """A write-up as it is understood, or its mistakes."""

    written: Written | None = None
    wrong: tuple[Wrong, ...] = ()
    traces: tuple[TracePreview, ...] = ()

    @property
    def missing(self) -> tuple[str, ...]:
        """Return the fields that a reader looks for and that are empty."""
        return tuple(
            name for name in ("root_cause", "fix") if self.written and not getattr(self.written.incident, name)
        )


def preview(typed: Typed) -> WriteupPreview:
    """Parse a write-up: return its mistakes, or what would be saved."""
    data = typed.text.encode("utf-8", "replace")
    try:
        written = parse_incident(data, markdown=True, note=typed.note, incident_id=typed.incident_id)
    except HttpProblem as problem:
        wrong = tuple(map(_wrong, problem.errors)) or (Wrong(0, 0, problem.detail),)
        shown = typed.parts["traces"]
        return WriteupPreview(wrong=wrong, traces=(_trace(shown),) if shown else ())
    return WriteupPreview(written, traces=tuple(_trace(one) for one in written.incident.traces[:_TRACES]))


def traces_of(typed: Typed) -> tuple[str, ...]:
    """Return the traces of a write-up, also of one that is not ready to be saved."""
    read = as_written(typed.text, "")
    shown = typed.parts["traces"]
    return read.traces if read else (shown,) if shown else ()


def _wrong(error: object) -> Wrong:
    assert isinstance(error, dict)
    return Wrong(int(error.get("line", 0)), int(error.get("column", 0)), error["detail"])


def _trace(text: str) -> TracePreview:
    chain = leading(read_chains((text,)))
    root = ": ".join(filter(None, (chain.root.type, chain.root.message))) if chain else None
    return TracePreview(text.count("\n") + 1, root)


async def known_like(service: Service, typed: Typed, lang: str) -> Answer | None:
    """What is known that may be the same, in a language; None when nothing is. Problem 503 when nothing can be searched now."""

    def question() -> str:
        parts = typed.parts
        return question_of(parts["title"], parts["symptom"], parts["root_cause"], [*filter(None, [parts["traces"]])])

    text = await service.run("parse", question)
    if not text:
        return None
    answer = await service.ask(lambda engine: engine.search(text, _K, without=typed.incident_id, lang=lang))
    return answer if answer.matches and answer.verdict is not Verdict.UNKNOWN else None
