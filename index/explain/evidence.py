"""The reasons for a match, in words, from the very numbers that ranked it: the messages and frames that were counted."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from index.answer import Against, Evidence, EvidenceKind
from index.explain.case import MatchCase, against, short
from index.explain.spans import Span, merged
from index.explain.together import MessagePair
from index.phrases import phrase
from index.ranking.features import NAMES
from index.ranking.rank import KINDS, bound, moved
from index.terms.sketch import own_frames
from kb.incident import Incident
from kb.trace import Alignment, ExceptionChain, Fingerprint, Level, align, fingerprints

_LEAST = 0.05
"""Evidence that added less than this to the log-odds is not worth a line."""
_ALIKE = 0.2
"""Messages less alike than this are no reason for anything."""
_NAMED = 6
"""Words that are named."""


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
    calibration: float
    """What the sum turned out to be worth beyond itself: bias, features and this are the log-odds of the probability."""
    features: tuple[FeatureLine, ...]
    evidence: tuple[Evidence, ...]
    query_chain: ExceptionChain | None
    """The normalised trace of the query that agreed best, and that of the incident."""
    incident_chain: ExceptionChain | None
    alignment: Alignment | None
    against: tuple[Against, ...] = ()


def evidence(case: MatchCase) -> tuple[Evidence, ...]:
    """One piece per kind of agreement that counted, the weightiest first."""
    pieces = [
        replace(piece, weight=weight)
        for kind, weight in _by_kind(case.model.contributions(case.compared.features)).items()
        if weight >= _LEAST and (piece := _piece(kind, case))
    ]
    pieces += _reader_evidence(case)
    return tuple(sorted(pieces, key=lambda piece: -piece.weight))


def explanation(case: MatchCase, likely: float, ahead: float = 0.0) -> Explanation:
    """Everything about one comparison, which came to that probability; ``ahead`` is its lead over the next other problem."""
    added = case.model.contributions(case.compared.features)
    lines = tuple(
        FeatureLine(name, value, added[name] / value if value else 0.0, added[name])
        for name, value in zip(NAMES, case.compared.features, strict=True)
    )
    if seen := case.compared.seen:
        lines += (
            FeatureLine(
                "readers", seen.share, bound(case.model, is_denied=seen.share < 0), moved(case.compared, case.model)
            ),
        )
    pair, total = case.pair, case.model.log_odds(case.compared.features)
    return Explanation(
        incident=case.incident,
        probability=likely,
        bias=case.model.base(case.compared.features),
        calibration=case.model.calibration(total, ahead) - total,
        features=lines,
        evidence=evidence(case),
        query_chain=pair.ours.normalised if pair else None,
        incident_chain=pair.theirs if pair else None,
        alignment=align(pair.ours.normalised, pair.theirs) if pair else None,
        against=against(case),
    )


def _reader_evidence(case: MatchCase) -> list[Evidence]:
    """That readers confirmed the incident for such a text. What they denied stands in `kb explain`, among the numbers."""
    seen, added = case.compared.seen, moved(case.compared, case.model)
    if seen is None or added < _LEAST:
        return []
    summary = phrase(case.lang, f"readers_{seen.level}", count=seen.count, percent=round(100 * seen.alike))
    return [Evidence(EvidenceKind.READERS, summary, added)]


def _by_kind(contributions: Mapping[str, float]) -> dict[EvidenceKind, float]:
    totals: dict[EvidenceKind, float] = {}
    for name, added in contributions.items():
        if kind := KINDS.get(name):  # `silent` is no agreement
            totals[kind] = totals.get(kind, 0.0) + added
    return totals


def _piece(kind: EvidenceKind, case: MatchCase) -> Evidence | None:  # noqa: PLR0911 - one for each kind
    """What agrees, without its weight; None where there is nothing to show."""
    match kind:
        case EvidenceKind.FINGERPRINT:
            return _fingerprint(case)
        case EvidenceKind.FRAMES:
            return _frames(case)
        case EvidenceKind.TRACE:
            agreeing = merged((*case.message_spans, *case.frame_spans))
            percent = round(100 * case.compared.features.everything)
            place = f"trace {case.pair.chain + 1}" if case.pair else None
            return _about(kind, phrase(case.lang, "trace", percent=percent), agreeing, place)
        case EvidenceKind.MESSAGE:
            return _message(case)
        case EvidenceKind.WORDS:
            return _words(case)
        case EvidenceKind.MEANING:
            return _about(kind, phrase(case.lang, "meaning", percent=round(100 * case.compared.features.meaning)))
        case EvidenceKind.READERS:
            return None  # no feature: `_said_by_readers`


def _about(kind: EvidenceKind, summary: str, spans: Sequence[Span] = (), incident_at: str | None = None) -> Evidence:
    whole = (spans[0][0], spans[-1][1]) if spans else None
    return Evidence(kind, summary, 0.0, whole, incident_at, tuple(spans))


def _fingerprint(case: MatchCase) -> Evidence:
    """The strictest level at which the text has a fingerprint of the incident."""
    level = next(level for level in Level if getattr(case.compared.features, level.value) > 0)
    traces = case.reading.traces
    chain = _chain_of(case, level, (one for trace in traces for one in trace.prints))
    name = f"print_{level.value}"
    if chain is None:
        chain = _chain_of(case, level, (trace.stated for trace in traces if trace.stated))
        name = name if chain is None else "print_stated"
    is_pair = case.pair is not None and case.pair.chain == chain
    spans = merged((*case.message_spans, *case.frame_spans)) if is_pair else ()
    place = None if chain is None else f"trace {chain + 1}"
    return _about(EvidenceKind.FINGERPRINT, phrase(case.lang, name), spans, place)


def _chain_of(case: MatchCase, level: Level, prints: Iterable[Fingerprint]) -> int | None:
    """The first chain of the incident with one of these fingerprints."""
    if len(case.chains) == 1 and (level is not Level.ROOT_CAUSE or own_frames(case.chains[0].root)):
        return 0  # a stated one is of that level, and equals none of a root with frames
    digests = {one.digest for one in prints if one.level is level}
    return next((at for at, one in enumerate(case.chains) if fingerprints(one)[level].digest in digests), None)


def _frames(case: MatchCase) -> Evidence | None:
    if case.pair is None or not case.pair.frames:
        return None
    frames, spans = case.pair.frames, case.frame_spans
    name = "frames" if len(frames) > 1 else "frames_one"
    summary = phrase(case.lang, name, count=len(frames), top=frames[0].key)
    if spans and len(spans) != len(frames):
        summary = phrase(case.lang, "frames_places", frames=summary, places=len(spans))
    exception = frames[0].exception
    at = [one.frame + 1 for one in frames if one.exception == exception]
    shown = f"frames {min(at)}-{max(at)}" if len(at) > 1 else f"frame {at[0]}"
    return _about(
        EvidenceKind.FRAMES, summary, spans, f"trace {case.pair.chain + 1}, exception {exception + 1}, {shown}"
    )


def _message(case: MatchCase) -> Evidence | None:
    """The messages that agree; else how far they are alike, or how much of the message the write-up has, whichever counted more."""
    pair = case.pair
    best = pair.messages[0] if pair and pair.messages else None
    if pair and best and best.agrees:
        ours = case.message_text(pair.trace, pair.our_exceptions[best.ours].message or "")
        summary = phrase(case.lang, "message_agree", ours=ours)
        return _about(EvidenceKind.MESSAGE, summary, case.message_spans, _message_at(case, best))
    added, quoted = case.model.contributions(case.compared.features), case.quoted
    if added["quoted"] >= added["message"] + added["root_message"]:
        percent = round(100 * quoted.share)
        ours = case.message_text(quoted.trace, quoted.message)
        summary = phrase(case.lang, "message_quoted", percent=percent, ours=ours)
        found = _about(EvidenceKind.MESSAGE, summary, case.places.messages(quoted.trace).get(quoted.message, ()))
        return replace(found, query_spans=()) if quoted.share >= _ALIKE else None
    if pair is None or best is None or best.share < _ALIKE:
        return None
    message = pair.our_exceptions[best.ours].message or ""
    theirs = short(pair.their_exceptions[best.theirs].message or "")
    percent, ours = round(100 * best.share), case.message_text(pair.trace, message)
    summary = phrase(case.lang, "message_alike", percent=percent, ours=ours, theirs=theirs)
    spans = case.places.messages(pair.trace).get(message, ())
    return replace(_about(EvidenceKind.MESSAGE, summary, spans, _message_at(case, best)), query_spans=())


def _message_at(case: MatchCase, best: MessagePair) -> str | None:
    if case.pair is None:
        return None
    theirs = case.pair.their_exceptions[best.theirs]
    place = next(at for at, one in enumerate(case.pair.theirs.exceptions) if one is theirs)
    return f"trace {case.pair.chain + 1}, exception {place + 1}"


def _words(case: MatchCase) -> Evidence | None:
    """The words of the text that the incident has, as the text writes them; ``A ≈ B`` where the incident writes them otherwise."""
    named = dict(_named(case))
    inner = {name.rpartition(".")[2] for name in named if "." in name}
    shown = [name for name in named if name not in inner][:_NAMED]
    if not shown:
        return None
    spans = merged([named[name] for name in shown])
    return _about(EvidenceKind.WORDS, phrase(case.lang, "words", words=", ".join(shown)), spans)


def _named(case: MatchCase) -> Iterator[tuple[str, Span]]:
    for one in case.compared.shared_words():
        place = case.places.word(one.word)
        if place is None:
            continue
        ours = case.places.text(place)
        is_concept = one.word.startswith("c:")
        if one.has_word and not is_concept:
            yield ours, place
        elif theirs := case.form((one.word if is_concept else one.concept or "").removeprefix("c:")):
            yield (ours if ours.casefold() == theirs.casefold() else f"{ours} ≈ {theirs}"), place
