"""What a pasted text says: secrets out, traces in, words apart. The query's side of everything that is compared."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TypedDict

from index.answer import Query
from index.entry import messages
from index.local_rules import judged
from index.phrases import phrase
from index.stages import is_over
from index.terms import tokens
from index.terms.sketch import ChainSketch, is_idle_thread, leading, lines_of, most_telling, sketch, with_values
from kb.entities.components import table_of
from kb.language import answer_language, detect
from kb.patterns import lazy
from kb.redact import Redaction, redact
from kb.redact.blocks import redacted_blocks
from kb.trace import (
    WITHOUT_TRACE,
    ExceptionChain,
    Fingerprint,
    Level,
    StackTrace,
    fingerprints,
    normalize,
    parse,
    parse_stream,
    template,
)
from kb.trace.in_force import rules_in_force
from kb.trace.lines import is_routine
from kb.trace.runtimes import runtime_named
from kb.trace.stream import LIMITS, StreamLimits
from kb.trace.wire import chain_to_dict

MAX_TEXT = 32 << 20
"""Characters that are read, in linear time. By default no door takes more bytes than that, so no text is copied to be cut."""

MAX_CHAINS = 24
"""Distinct traces that are searched by; a log with more repeats itself."""

_PROSE_HEAD = 4_000
_PROSE_TAIL = 4_000
"""Of the text around the traces, the first and last characters are searched by: the middle of a log says little."""
_LOOKED_AT = 20_000
"""Characters of a text in which components are looked for."""
_BLOCK = 1 << 18
"""Characters of lines that are held at once."""
_BREAKS = "\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
_LINE = lazy(rf"(?P<line>[^{_BREAKS}]*+)(?:\r\n|[{_BREAKS}])|(?P<rest>[^{_BREAKS}]++)")
_WORD = lazy(r"\S")


@dataclass(frozen=True, slots=True)
class QueryTrace:
    """One trace of the text, as found and as compared."""

    chain: ExceptionChain
    normalised: ExceptionChain
    sketch: ChainSketch
    prints: tuple[Fingerprint, ...]
    stated: Fingerprint | None = None
    """Where it shows frames and a message, the fingerprint of its root cause without frames: that of a write-up which quotes the error line alone."""

    @property
    def without_frames(self) -> "QueryTrace":
        """Its root cause without frames."""
        return replace(self, sketch=(replace(self.sketch[0], frames=(), lines=()),), stated=None)

    @property
    def all_prints(self) -> tuple[Fingerprint, ...]:
        """What incidents are looked up by."""
        return self.prints if self.stated is None else (*self.prints, self.stated)

    @property
    def has_frames(self) -> bool:
        """Whether it shows where the root cause was raised: not in a header line, nor where the paste ends at it."""
        return bool(self.sketch[0].frames)

    @property
    def is_idle_thread(self) -> bool:
        """Whether it is a thread of a dump that raised nothing and is not blocked."""
        return is_idle_thread(self.chain)


@dataclass(frozen=True)
class Reading:
    """What was understood of a text."""

    text: str
    """Without secrets; every offset counts in it."""
    lang: str
    chains: tuple[ExceptionChain, ...]
    traces: tuple[QueryTrace, ...]
    """The distinct ones among ``chains``, faults before threads, else in text order, at most MAX_CHAINS."""
    prose: str
    """The text outside the traces, cut to head and tail."""
    units: tuple[tuple[str, str | None], ...]
    """Distinct words of prose and messages, each with its concept, in order."""
    terms: frozenset[str]
    """All words of the text, of traces as well, as the word index has them."""
    phrases: frozenset[str]
    """The pairs of neighbouring words of the text."""
    embedded: str
    notes: tuple[str, ...]
    redactions: Sequence[Redaction]
    """The secrets that were redacted."""

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
    def components(self) -> frozenset[str]:
        """The components that the text names, as the rules in force know them."""
        return frozenset(table_of(rules_in_force().components).named_in(self.text[:_LOOKED_AT]))

    @property
    def query(self) -> Query:
        """The part of an answer that shows what was understood."""
        first = leading(self.chains)
        messages = [one.message for one in (first.exceptions if first else ())]
        return Query(self.chains, self.lang, tuple(message and template(message) for message in messages))


def read(text: str, reader: str | None = None) -> Reading:
    """The reading of any text, with notes in the language of the reader (None: of the text). Raises only where nobody waits any more (`waiting`); what was odd, cut off or left out becomes a note."""
    redacted = redact(text[:MAX_TEXT], is_over)
    lang = detect(redacted.text)
    answer_lang = reader or answer_language(lang)
    notes: list[str] = []
    if len(text) > MAX_TEXT:
        notes.append(phrase(answer_lang, "note_cut", kept=MAX_TEXT, all=len(text)))
    notes += redaction_notes(redacted.redactions, answer_lang)
    chains = parse(redacted.text)
    traces = distinct(chains)
    notes += _trace_notes(redacted.text, chains, traces, answer_lang)
    around = gaps(redacted.text, chains)
    if sum(end - start for start, end in around) > _PROSE_HEAD + _PROSE_TAIL:
        notes.append(phrase(answer_lang, "note_around", kept=_PROSE_HEAD))
    words = _words(redacted.text, _prose(redacted.text, around, chains), traces)
    return Reading(redacted.text, lang, chains, traces, **words, notes=tuple(notes), redactions=redacted.redactions)


def restricted(reading: Reading, traces: Sequence[QueryTrace], spans: Sequence[tuple[int, int]]) -> Reading:
    """The reading as if nothing but ``spans`` had been pasted, with these traces in it. Offsets count in the whole text still."""
    pieces = [reading.text[start:end] for start, end in spans]
    shown = "\n".join(pieces)
    found = tuple(sorted((trace.chain for trace in traces), key=lambda chain: chain.span))
    within = [[chain for chain in found if start <= chain.span[0] < end] for start, end in spans]
    around = [gap for here, span in zip(within, spans, strict=True) for gap in gaps(reading.text, here, *span)]
    words = _words(shown, _prose(reading.text, around, found), traces)
    return Reading(reading.text, detect(shown), found, tuple(traces), **words, notes=(), redactions=reading.redactions)


def distinct(chains: Sequence[ExceptionChain]) -> tuple[QueryTrace, ...]:
    """The first of each group of chains with one exact fingerprint."""
    seen: dict[str, QueryTrace] = {}
    for at in most_telling(chains, len(chains)):
        if len(seen) >= MAX_CHAINS:
            break
        chain = chains[at]
        normalised = with_values(chain, normalize(chain))
        prints = fingerprints(normalised)
        digest = prints[Level.EXACT].digest
        if digest not in seen:
            seen[digest] = QueryTrace(
                chain,
                normalised,
                sketch(normalised, lines_of(chain, normalised)),
                tuple(prints[level] for level in Level),
                _stated(normalised),
            )
    return tuple(seen.values())


def _stated(chain: ExceptionChain) -> Fingerprint | None:
    """The fingerprint of the root cause without its frames; None where it shows none or says nothing."""
    root = chain.root
    if not (root.stack.frames and root.message):
        return None
    alone = replace(root, stack=StackTrace(), relation=None, parent=None, elided=0)
    return fingerprints(replace(chain, exceptions=(alone,)))[Level.ROOT_CAUSE]


class _Words(TypedDict):
    """What a reading has of words, by the names of its fields."""

    prose: str
    units: tuple[tuple[str, str | None], ...]
    terms: frozenset[str]
    phrases: frozenset[str]
    embedded: str


def _words(text: str, prose: str, traces: Sequence[QueryTrace]) -> _Words:
    """The words of a text with these traces and this prose in it."""
    spoken = "\n".join(messages([trace.normalised for trace in traces]))
    whole = f"{prose}\n{spoken}\n{' '.join(tokens.codes(text))}".strip()
    whole_cut, shown_cut = tokens.cut(whole), tokens.cut(_cut(text))
    return {
        "prose": prose,
        "units": tuple(dict.fromkeys(whole_cut.units)),
        "terms": frozenset(whole_cut.index_terms) | frozenset(shown_cut.index_terms),
        "phrases": frozenset(shown_cut.phrases),
        "embedded": whole,
    }


def _prose(text: str, around: Sequence[tuple[int, int]], chains: Sequence[ExceptionChain]) -> str:
    """Head and tail of what stands outside the traces; beside an error without the lines of a log that say nothing is wrong."""
    head, held, size = "", list[str](), 0
    for line in _lines(text, around):
        if chains and is_routine(line):
            continue
        held.append(line)
        size += len(line) + 1
        if size > _BLOCK:
            block = "\n".join(held)
            head = head or block[:_PROSE_HEAD]
            held, size = [block[-_PROSE_TAIL:]], _PROSE_TAIL
    block = "\n".join(held)
    return (f"{head}\n{block[-_PROSE_TAIL:]}" if head else _cut(block)).strip()


def _lines(text: str, around: Sequence[tuple[int, int]]) -> Iterator[str]:
    """The lines of these parts, as `str.splitlines` has them, a line feed between two parts; one by one: all at once take four times the text."""
    for number, (start, end) in enumerate(around, 1):
        for found in _LINE.finditer(text, start, end):
            yield found["line"] if found["rest"] is None else found["rest"]
        if number < len(around) and text[end - 1] in _BREAKS.replace(
            "\r", ""
        ):  # behind \r the line feed is of the same break
            yield ""


def _cut(text: str) -> str:
    """Head and tail of a text."""
    return text if len(text) <= _PROSE_HEAD + _PROSE_TAIL else f"{text[:_PROSE_HEAD]}\n{text[-_PROSE_TAIL:]}"


def gaps(
    text: str, chains: Sequence[ExceptionChain], begin: int = 0, finish: int | None = None
) -> list[tuple[int, int]]:
    """What stands around the traces, from ``begin`` to ``finish``. A line that only names an exception (`kafka producer TimeoutException`) is no trace: its words count."""
    found: list[tuple[int, int]] = []
    at = begin
    traces = (one for one in chains if any(e.message or e.stack.frames for e in one.exceptions))
    for start, end in sorted(one.span for one in traces):
        found.append((at, start))
        at = max(at, end)
    found.append((at, len(text) if finish is None else finish))
    return [span for span in found if span[0] < span[1] and _WORD.search(text, *span)]  # a slice would copy it


def redaction_notes(redactions: Sequence[Redaction], lang: str) -> list[str]:
    """Return the notes about redacted secrets: how many of each kind."""
    kinds: dict[str, int] = {}
    for redaction in redactions:
        kinds[redaction.kind] = kinds.get(redaction.kind, 0) + 1
    counts = ", ".join(f"{kind} × {count}" for kind, count in sorted(kinds.items()))
    return [phrase(lang, "note_secrets", counts=counts)] if kinds else []


def _trace_notes(text: str, chains: Sequence[ExceptionChain], traces: Sequence[QueryTrace], lang: str) -> list[str]:
    if not text or text.isspace():
        return [phrase(lang, "note_empty")]
    if all(chain.runtime in WITHOUT_TRACE for chain in chains):
        return [phrase(lang, "note_no_trace")]
    notes = [note for chain in chains[:MAX_CHAINS] for note in chain.notes]
    if len(chains) > len(traces):
        notes.append(phrase(lang, "note_traces", all=len(chains), different=len(traces)))
    bare = not any(exception.frames for trace in traces for exception in trace.sketch)
    if bare and not all(_is_one_liner(trace.chain) for trace in traces):
        notes.append(phrase(lang, "note_no_frames"))
    return list(dict.fromkeys(notes))


def _is_one_liner(chain: ExceptionChain) -> bool:
    """Return whether the runtime prints an error whole in one line: then it has no frames to miss."""
    runtime = runtime_named(chain.runtime)
    return runtime is not None and runtime.is_one_liner


_MOST_REDACTIONS = 10_000
_SAMPLE = 100_000  # characters that tell the language


class LongReading:
    """Reads a text given in blocks. Notes and redactions are complete once all chains were consumed.

    ``limits`` bound what is held; ``most_redactions`` are listed with their places, further ones are only counted.
    """

    def __init__(
        self, blocks: Iterable[str], limits: StreamLimits = LIMITS, most_redactions: int = _MOST_REDACTIONS
    ) -> None:
        self._blocks, self._limits, self._most = iter(blocks), limits, most_redactions
        self._notes: dict[str, None] = {}
        self._redactions: list[Redaction] = []
        self._count = 0
        self._lang = "en"
        self._any = False

    def chains(self) -> Iterator[dict[str, object]]:
        """The traces in their wire form, each as soon as it is complete; there is no limit on their number."""
        first = next(self._blocks, "")
        self._lang = detect(first[:_SAMPLE])
        hidden = redacted_blocks(chain([first], self._blocks), self._redacted)
        for found in parse_stream(hidden, self._limits):
            self._any = True
            self._notes.update(dict.fromkeys(found.notes))
            yield chain_to_dict(judged(found))

    def rest(self) -> dict[str, object]:
        """``redactions``, ``lang`` and ``notes`` of the wire form."""
        notes = list(self._notes) if self._any else ["no stack trace found"]
        if self._count > self._most:
            notes.append(f"only the first {self._most:,} of {self._count:,} redactions are listed")
        listed = [{"kind": one.kind, "start": one.start, "end": one.end} for one in self._redactions]
        return {"redactions": listed, "lang": self._lang, "notes": notes}

    def _redacted(self, one: Redaction) -> None:
        self._count += 1
        if self._count <= self._most:
            self._redactions.append(one)
