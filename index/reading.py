"""What a pasted text says: secrets out, traces in, words apart. The query's side of everything that is compared."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from index import tokens
from index.entry import messages
from index.lines import lines_of
from index.phrases import phrase
from index.sketch import ChainSketch, sketch
from index.threads import is_idle_thread, most_telling
from kb.language import detect
from kb.redact import Redacted, redact
from kb.trace import WITHOUT_TRACE, ExceptionChain, Fingerprint, Level, fingerprints, normalize, parse

MAX_TEXT = 24_000_000
"""Characters that are parsed: a 20 MB paste whole. Parsing is linear; the door has a limit of its own."""

MAX_CHAINS = 24
"""Distinct traces that are searched by; a log with more repeats itself."""

_ONE_LINERS = frozenset({"sql", "kernel"})
"""Runtimes whose errors are whole in a line: that they have no frames is nothing to remark on."""

_PROSE_HEAD = 4_000
_PROSE_TAIL = 4_000
"""Of the text around the traces, the first and last characters are searched by: the middle of a log says little."""


@dataclass(frozen=True, slots=True)
class Trace:
    """One trace of the text, as found and as compared."""

    found: ExceptionChain
    normalised: ExceptionChain
    sketch: ChainSketch
    prints: tuple[Fingerprint, ...]

    @property
    def has_frames(self) -> bool:
        """Whether it shows where the root cause was raised: not in a header line, nor where the paste ends at it."""
        return bool(self.sketch[0].frames)

    @property
    def is_idle_thread(self) -> bool:
        """Whether it is a thread of a dump that raised nothing and is not blocked."""
        return is_idle_thread(self.found)


@dataclass(frozen=True)
class Reading:
    """What was understood of a text."""

    text: str
    """Without secrets; every offset counts in it."""
    lang: str
    chains: tuple[ExceptionChain, ...]
    traces: tuple[Trace, ...]
    """The distinct ones among ``chains``, faults before threads, else in text order, at most MAX_CHAINS."""
    prose: str
    """The text outside the traces, cut to head and tail."""
    units: tuple[tuple[str, str | None], ...]
    """Distinct words of prose and messages, each with its concept, in order."""
    terms: frozenset[str]
    """The same as the word index has them."""
    embedded: str
    notes: tuple[str, ...]

    @cached_property
    def has_frames(self) -> bool:
        """Whether any trace shows where its root cause was raised."""
        return any(trace.has_frames for trace in self.traces)

    @cached_property
    def has_outer_frames(self) -> bool:
        """Whether any trace shows frames at all, be it only those of a wrapper."""
        return any(exception.frames for trace in self.traces for exception in trace.sketch)

    @cached_property
    def threads(self) -> int:
        """How many of the traces are threads of a dump that raised nothing and are not blocked."""
        return sum(trace.is_idle_thread for trace in self.traces)

    @cached_property
    def only_names_exceptions(self) -> bool:
        """Whether exceptions are named without a single frame."""
        named = any(exception.type for trace in self.traces for exception in trace.found.exceptions)
        return named and not self.has_outer_frames


def read(text: str) -> Reading:
    """The reading of any text. Never raises; what was odd, cut off or left out becomes a note."""
    redacted = redact(text[:MAX_TEXT])
    lang = detect(redacted.text)
    notes: list[str] = []
    if len(text) > MAX_TEXT:
        notes.append(phrase(lang, "note_cut", kept=MAX_TEXT, all=len(text)))
    notes += _redaction_notes(redacted, lang)
    chains = parse(redacted.text)
    traces = _distinct(chains)
    notes += _trace_notes(redacted.text, chains, traces, lang)
    gaps = _gaps(redacted.text, chains)
    prose = _prose(gaps)
    if sum(map(len, gaps)) > _PROSE_HEAD + _PROSE_TAIL:
        notes.append(phrase(lang, "note_around", kept=_PROSE_HEAD))
    said = "\n".join(messages([trace.normalised for trace in traces]))
    named = " ".join(tokens.codes(redacted.text))
    whole = f"{prose}\n{said}\n{named}".strip()
    return Reading(
        text=redacted.text,
        lang=lang,
        chains=chains,
        traces=traces,
        prose=prose,
        units=tuple(dict.fromkeys(tokens.units(whole))),
        terms=frozenset(tokens.index_terms(whole)),
        embedded=whole,
        notes=tuple(notes),
    )


def _distinct(chains: Sequence[ExceptionChain]) -> tuple[Trace, ...]:
    """The first of each group of chains with one exact fingerprint."""
    seen: dict[str, Trace] = {}
    for at in most_telling(chains, len(chains)):
        if len(seen) >= MAX_CHAINS:
            break
        chain = chains[at]
        normalised = normalize(chain)
        prints = fingerprints(normalised)
        digest = prints[Level.EXACT].digest
        if digest not in seen:
            seen[digest] = Trace(
                chain,
                normalised,
                sketch(normalised, lines_of(chain, normalised)),
                tuple(prints[level] for level in Level),
            )
    return tuple(seen.values())


def _prose(gaps: Sequence[str]) -> str:
    """Head and tail of what stands outside the traces."""
    whole = "\n".join(gaps)
    if len(whole) > _PROSE_HEAD + _PROSE_TAIL:
        whole = f"{whole[:_PROSE_HEAD]}\n{whole[-_PROSE_TAIL:]}"
    return whole.strip()


def _gaps(text: str, chains: Sequence[ExceptionChain]) -> list[str]:
    """The text around the traces. A line that only names an exception (`kafka producer TimeoutException`) is no trace: its words count."""
    gaps: list[str] = []
    at = 0
    traces = (chain for chain in chains if any(e.message or e.stack.frames for e in chain.exceptions))
    for start, end in sorted(chain.span for chain in traces):
        if start > at:
            gaps.append(text[at:start])
        at = max(at, end)
    gaps.append(text[at:])
    return [gap for gap in gaps if gap.strip()]


def _redaction_notes(redacted: Redacted, lang: str) -> list[str]:
    kinds: dict[str, int] = {}
    for redaction in redacted.redactions:
        kinds[redaction.kind] = kinds.get(redaction.kind, 0) + 1
    counts = ", ".join(f"{kind} × {count}" for kind, count in sorted(kinds.items()))
    return [phrase(lang, "note_secrets", counts=counts)] if kinds else []


def _trace_notes(text: str, chains: Sequence[ExceptionChain], traces: Sequence[Trace], lang: str) -> list[str]:
    if not text.strip():
        return [phrase(lang, "note_empty")]
    if all(chain.runtime in WITHOUT_TRACE for chain in chains):
        return [phrase(lang, "note_no_trace")]
    notes = [note for chain in chains[:MAX_CHAINS] for note in chain.notes]
    if len(chains) > len(traces):
        notes.append(phrase(lang, "note_traces", all=len(chains), different=len(traces)))
    bare = not any(exception.frames for trace in traces for exception in trace.sketch)
    if bare and not all(trace.found.runtime in _ONE_LINERS for trace in traces):
        notes.append(phrase(lang, "note_no_frames"))
    return list(dict.fromkeys(notes))
