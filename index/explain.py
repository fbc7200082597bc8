"""The reasons for a match, in words, from the very numbers that ranked it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from index.answer import Evidence, EvidenceKind
from index.features import NAMES, Compared, values_of
from index.judge import chance
from index.phrases import phrase
from index.rank import KINDS, Model
from index.reading import Reading, Trace
from kb.incident import Incident
from kb.trace import Alignment, ExceptionChain, Frame, FramePair, align, frame_key

_LEAST = 0.05
"""Evidence that added less than this to the log-odds is not worth a line."""


@dataclass(frozen=True, slots=True)
class FeatureLine:
    """One number of the score."""

    name: str
    value: float
    weight: float
    contribution: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """What `kb explain` shows: the reading, the aligned traces, and each number of the score."""

    incident: Incident
    probability: float
    bias: float
    features: tuple[FeatureLine, ...]
    evidence: tuple[Evidence, ...]
    query_chain: ExceptionChain | None
    """The normalised trace of the query that agreed best, and that of the incident."""
    incident_chain: ExceptionChain | None
    alignment: Alignment | None


def evidence(
    reading: Reading, found: Compared, model: Model, incident_chains: Sequence[ExceptionChain]
) -> tuple[Evidence, ...]:
    """One piece per kind of agreement that counted, the weightiest first."""
    weights = _by_kind(model.contributions(found.features))
    pair = _pair(reading, found, incident_chains)
    pieces = [
        Evidence(
            kind, _summary(kind, reading, found, pair), weight, _query_at(kind, pair), _incident_at(kind, found, pair)
        )
        for kind, weight in weights.items()
        if weight >= _LEAST
    ]
    return tuple(sorted(pieces, key=lambda piece: -piece.weight))


def explanation(
    reading: Reading, found: Compared, model: Model, incident: Incident, incident_chains: Sequence[ExceptionChain]
) -> Explanation:
    """Everything about one comparison."""
    added = model.contributions(found.features)
    lines = tuple(
        FeatureLine(name, value, model.weights.get(name, 0.0), added[name])
        for name, value in zip(NAMES, values_of(found.features), strict=True)
    )
    pair = _pair(reading, found, incident_chains)
    return Explanation(
        incident=incident,
        probability=chance(reading, found, model),
        bias=model.bias,
        features=lines,
        evidence=evidence(reading, found, model, incident_chains),
        query_chain=pair.trace.normalised if pair else None,
        incident_chain=pair.theirs if pair else None,
        alignment=pair.alignment if pair else None,
    )


@dataclass(frozen=True, slots=True)
class _Pair:
    trace: Trace
    theirs: ExceptionChain
    alignment: Alignment

    @property
    def shared(self) -> list[FramePair]:
        """The frames that both have, those of the innermost exception first."""
        both = (pair for pair in self.alignment.frames if pair.is_match)
        return sorted(both, key=lambda pair: (-pair.exception_b, pair.frame_b or 0))


def _pair(reading: Reading, found: Compared, chains: Sequence[ExceptionChain]) -> _Pair | None:
    if found.trace is None or found.incident_chain is None:
        return None
    trace, theirs = reading.traces[found.trace], chains[found.incident_chain]
    return _Pair(trace, theirs, align(trace.normalised, theirs))


def _by_kind(contributions: Mapping[str, float]) -> dict[EvidenceKind, float]:
    totals: dict[EvidenceKind, float] = {}
    for name, added in contributions.items():
        totals[KINDS[name]] = totals.get(KINDS[name], 0.0) + added
    return totals


def _summary(kind: EvidenceKind, reading: Reading, found: Compared, pair: _Pair | None) -> str:
    lang = "zh" if reading.lang in ("zh", "mixed") else "en"
    match kind:
        case EvidenceKind.FINGERPRINT:
            level = next(n for n in ("exact", "root_cause", "loose") if getattr(found.features, n) > 0)
            return phrase(lang, f"print_{level}")
        case EvidenceKind.FRAMES if pair:
            shared = pair.shared
            top = frame_key(_frame(pair.trace.normalised, shared[0])) if shared else ""
            return phrase(lang, "frames", count=len(shared), top=top)
        case EvidenceKind.TRACE:
            return phrase(lang, "trace", percent=round(100 * found.features.everything))
        case EvidenceKind.MESSAGE if pair:
            return phrase(lang, "message", text=_short(pair.theirs.root.message or ""))
        case EvidenceKind.MEANING:
            return phrase(lang, "meaning", percent=round(100 * found.features.meaning))
        case _:
            return phrase(lang, "words", words=_spoken(found.spoken()))
    raise AssertionError(kind)


def _frame(chain: ExceptionChain, pair: FramePair) -> Frame:
    return chain.exceptions[pair.exception_a].stack.frames[pair.frame_a or 0]


def _spoken(words: Sequence[str]) -> str:
    """The words, without those that are the last part of a dotted name beside them."""
    plain = [word.removeprefix("c:") for word in words]
    inner = {word.rpartition(".")[2] for word in plain if "." in word}
    return ", ".join([word for word in plain if word not in inner][:6])


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 140 else f"{line[:139]}…"


def _query_at(kind: EvidenceKind, pair: _Pair | None) -> tuple[int, int] | None:
    return pair.trace.found.span if pair and kind not in (EvidenceKind.WORDS, EvidenceKind.MEANING) else None


def _incident_at(kind: EvidenceKind, found: Compared, pair: _Pair | None) -> str | None:
    """``trace 1, exception 3, frames 1-4``, counted from one."""
    if pair is None or found.incident_chain is None or kind in (EvidenceKind.WORDS, EvidenceKind.MEANING):
        return None
    place = f"trace {found.incident_chain + 1}"
    if kind is EvidenceKind.FRAMES and (shared := pair.shared):
        exception = shared[0].exception_b
        at = [p.frame_b + 1 for p in shared if p.exception_b == exception and p.frame_b is not None]
        return f"{place}, exception {exception + 1}, frames {min(at)}-{max(at)}"
    if kind is EvidenceKind.MESSAGE:
        root = next(i for i, e in enumerate(pair.theirs.exceptions) if e is pair.theirs.root)
        return f"{place}, exception {root + 1}"
    return place
