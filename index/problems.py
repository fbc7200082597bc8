"""What a text is about: one problem, or several that are answered one by one."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from index.answer import FineVerdict
from index.groups import Ranked
from index.parts import error_parts, parts
from index.phrases import phrase
from index.rank import RankModel
from index.reading import QueryTrace, Reading
from kb.language import answer_language

MATCHES = 3
"""Of each of several problems as many matches are told."""
_ORDER = {FineVerdict.KNOWN: 0, FineVerdict.PROBABLE: 1, FineVerdict.RELATED: 2, FineVerdict.UNKNOWN: 2}


@dataclass(frozen=True, slots=True)
class JudgedText:
    """A text or a part of one with what was found for it."""

    reading: Reading
    fine_verdict: FineVerdict
    groups: Sequence[Sequence[Ranked]]
    """The matches, best first, copies together."""
    causes: Sequence[Ranked] = ()
    """Incidents that show one error and differ in cause (`index.causes`)."""

    @property
    def likely(self) -> float:
        """The probability of the best match; 0 when there is none."""
        return self.groups[0][0][0] if self.groups else 0.0

    @property
    def trace(self) -> QueryTrace | None:
        """The trace that the best match is about, else the first one; None where there is none."""
        traces = self.reading.traces
        best = self.groups[0][0][1].trace if self.groups else None
        return traces[best or 0] if traces else None

    @property
    def span(self) -> tuple[int, int]:
        """Where it stands in the text."""
        trace = self.trace
        return trace.chain.span if trace else (0, len(self.reading.text))

    def rows(self, least: float = 1.0) -> frozenset[int]:
        """The incidents of the best group, and of others that are at least so probable."""
        told = [group for at, group in enumerate(self.groups) if not at or group[0][0] >= least]
        return frozenset(found.row for group in told for _, found in group)


def problems(reading: Reading, judge: Callable[[Reading], JudgedText], model: RankModel) -> list[JudgedText]:
    """The problems of a text, those that are known first, then the probable ones; at least one.

    Parts are judged one by one; those that come to the same incidents are one problem. Of error lines without frames only those
    count that are known or probable by themselves, since one fault writes many of them. Where no part is likely by itself, or all
    are one, the text is judged as a whole.
    """
    found = _apart(map(judge, parts(reading)), model)
    if not found:
        found = _apart((one for one in map(judge, error_parts(reading)) if one.fine_verdict.is_likely), model)
    if len(found) > 1:
        return found
    whole = judge(reading)
    return [whole if not found or whole.likely >= found[0].likely else found[0]]


def _apart(judged: Iterable[JudgedText], model: RankModel) -> list[JudgedText]:
    """Those that come to other incidents than all before them, the likely ones first; none where none is likely."""
    order = sorted(judged, key=lambda one: (_ORDER[one.fine_verdict], -one.likely, one.span))
    found: list[JudgedText] = []
    for one in order if order and order[0].fine_verdict.is_likely else ():
        told = one.rows() if one.fine_verdict.is_likely else one.rows(model.related)
        if not any(other.rows() & told for other in found):
            found.append(one)
    return found


def headline(lang: str, standing: FineVerdict, causes: int, title: str) -> str:
    """What the matches amount to, as a sentence; whoever mixes the languages reads Chinese."""
    lang = answer_language(lang)
    if causes:
        return phrase(lang, f"head_causes_{standing}", count=phrase(lang, f"count_{causes}"))
    return phrase(lang, f"head_{standing}", title=title)


def best_trace_note(reading: Reading, first: JudgedText, lang: str) -> tuple[str, ...]:
    """Which of several traces the first match is about."""
    if len(reading.traces) < 2 or not first.groups or first.groups[0][0][1].trace is None or first.trace is None:
        return ()
    chain = first.trace.chain
    line = reading.text.count("\n", 0, chain.span[0]) + 1
    kind = chain.exceptions[0].type or chain.thread or phrase(lang, "head_cut_off")
    return (phrase(lang, "note_best_trace", line=line, type=kind),)
