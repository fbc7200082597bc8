"""Finds every trace in any text, in one pass.

Only lines that hold a runtime's needle are looked at; from such a line on, a runtime reads its trace or declines.
A text without any trace may show its error in a line: `kb.trace.messages` chooses it and makes a chain without frames of it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice

from kb.trace.finding.envelopes import (
    FAR_BELOW,
    FIRST_LINES,
    LINES_BELOW,
    MOST_LINES,
    envelopes_at,
    window,
    without_entities,
)
from kb.trace.finding.mapped_text import LONGEST_PASTE, MappedText, Unwrapper, without_indentation
from kb.trace.finding.needles import NeedleScanner, matching_runtimes
from kb.trace.lines import Lines, clean, end_in, uncoloured
from kb.trace.messages.telling import as_shown, logged_errors, telling
from kb.trace.model import WITHOUT_TRACE, ExceptionChain
from kb.trace.runtimes import RUNTIMES
from kb.trace.runtimes.base import Runtime, TraceReading
from kb.translatable import Translatable

_DEEPEST = 4
"""Envelopes within envelopes: joined lines in a JSON record in a container's line of a cluster's log."""
MOST_TRACES = 10_000
"""Traces read of one text; the last one carries a note if there are more."""
_SAYS_LITTLE = re.compile(
    r"exit status \d{1,3}$|failed to run custom build command for `[^`\n]{1,200}`|process didn't exit successfully: "
)
"""What tells only that a program failed: Go's panic, whose cause is above; Cargo's report of a build script, whose own words are below ``--- stderr``."""
_LONGEST_REMEMBERED = 400  # characters of a line
_PEEKED = 2  # lines below a head in which a frame may tell whose it is
MOST_IN_VAIN = 24
"""Guesses weighed in vain within `VAIN_NEAR` characters; the next lines are read without guesses, for each reads some twenty lines anew. Of
10,385 real texts none weighs more than 11 so near to each other, and none more than 9 before one that pays (2026-12-01)."""
VAIN_NEAR = 10_000
_EMBEDDED = tuple((runtime, needle) for runtime in RUNTIMES for needle in runtime.embedded)
_ESCAPED_OBJECT = re.compile(r"\{\s{0,40}&(?:amp;)?(?:quot|#34|#x22);")
"""JSON as the source of a page holds it: ``{&quot;msg&quot;:…``."""
_PLAIN = Unwrapper(lambda _line, _at: None)


def parse(text: str) -> tuple[ExceptionChain, ...]:
    """Return every trace in the text, in its order, with its span; of a text without one the errors it shows; () where it shows none."""
    plain = clean(text)
    indented = without_indentation(plain, text) if plain[:1].isspace() else None
    if indented is None:
        return _parsed(text, plain)
    opened, given = indented
    found = tuple(_led_back(chain, opened, plain) for chain in _parsed(given, opened.text))
    as_given = _parsed(text, plain)  # its runtime may have indented every line itself: a paste of nothing but frames
    return as_given if _frames(as_given) > _frames(found) else found


def _frames(chains: Iterable[ExceptionChain]) -> int:
    return sum(len(one.stack.frames) for chain in chains for one in chain.exceptions)


def _led_back(chain: ExceptionChain, opened: MappedText, plain: str) -> ExceptionChain:
    """Return a chain with its place in the text that was indented; a trace begins with its line."""
    begin, end = opened.original_span(chain.span)
    line = plain.rfind("\n", 0, begin) + 1
    is_whole = chain.runtime not in WITHOUT_TRACE and not plain[line:begin].strip()
    return replace(chain, span=(line if is_whole else begin, end))


def _parsed(text: str, plain: str) -> tuple[ExceptionChain, ...]:
    chains = tuple(in_text(chain, text, plain) for chain in islice(traces(plain), MOST_TRACES))
    if len(chains) == MOST_TRACES:
        note = Translatable("only the first {} traces of the text were read", MOST_TRACES)
        chains = (*chains[:-1], replace(chains[-1], notes=(*chains[-1].notes, note)))
    return chains if any(map(is_telling, chains)) else completed(text, plain, chains)


def error_lines(text: str, least: int = 1, beside: Sequence[ExceptionChain] = ()) -> tuple[ExceptionChain, ...]:
    """Return the errors that the lines of a log show, each as if its line had been pasted alone, best first; the best of very many. `parse` takes the most telling alone.

    () where there are fewer than ``least``: each of them is read again, which takes longer than to find them. ``beside`` are traces
    that were found in the text: then the lines outside of them, warnings as well.
    """
    plain = clean(text)
    found = logged_errors(plain, text, tuple(sorted(chain.span for chain in beside)))
    return tuple(_of_line(text, in_text(chain, text, plain)) for chain in found) if len(found) >= least else ()


def _of_line(text: str, chain: ExceptionChain) -> ExceptionChain:
    """Return what the line of a chain shows by itself: a code before the message may look like the name of a logger in the middle of a log."""
    begin, end = text.rfind("\n", 0, chain.span[0]) + 1, text.find("\n", chain.span[1])
    alone = parse(text[begin : end if end >= 0 else len(text)])
    if not alone:
        return chain
    first, last = alone[0].span
    return replace(alone[0], span=(begin + first, begin + last))


def completed(text: str, plain: str, chains: Sequence[ExceptionChain]) -> tuple[ExceptionChain, ...]:
    """Traces that tell nothing themselves, with the errors that their text shows beside them; ``plain`` is the text, cleaned."""
    is_page = "&" in plain and len(plain) <= LONGEST_PASTE and _ESCAPED_OBJECT.search(plain) is not None
    if not is_page or any(map(has_frames, chains)):
        return _completed(text, plain, chains)
    opened = without_entities(plain)
    found = tuple(islice(traces(opened.text), MOST_TRACES))
    found = found if any(map(is_telling, found)) else _completed(opened.text, opened.text, found)
    return tuple(in_text(_opened_in(one, opened), text, plain) for one in found)


def _opened_in(chain: ExceptionChain, opened: MappedText) -> ExceptionChain:
    """Return a chain of a text that was opened with its place in the text that was given, and what was hidden in it."""
    return replace(chain, span=opened.original_span(chain.span), notes=(*chain.notes, *opened.hidden_in(chain.span)))


def _completed(text: str, plain: str, chains: Sequence[ExceptionChain]) -> tuple[ExceptionChain, ...]:
    if chains and not any(
        map(has_frames, chains)
    ):  # a class, and its message in the line below: `Exception: X`, `Message: m`
        messages = _messages(text, plain, ())
        is_named = {chain.root.type for chain in messages} >= {chain.root.type for chain in chains}
        if any(map(is_telling, messages)) and (is_named or all(_is_inside(one, messages) for one in chains)):
            return messages
    return (*chains, *_messages(text, plain, chains))


def _is_inside(chain: ExceptionChain, messages: Sequence[ExceptionChain]) -> bool:
    """Return whether a chain that names a class alone stands within what another one was read of: a field of an answer."""
    begin, end = chain.span
    return not chain.root.message and any(
        one.root.type and one.span[0] < begin and end < one.span[1] for one in messages
    )


def has_frames(chain: ExceptionChain) -> bool:
    """Whether any exception of a chain has a frame."""
    return any(raised.stack.frames for raised in chain.exceptions)


def is_telling(chain: ExceptionChain) -> bool:
    """Whether a chain tells what went wrong: by a message, or by a type and where it was raised."""
    return any(
        (raised.message and not _SAYS_LITTLE.match(raised.message)) or (raised.type and raised.stack.frames)
        for raised in chain.exceptions
    )


def _messages(text: str, plain: str, chains: Sequence[ExceptionChain]) -> tuple[ExceptionChain, ...]:
    return tuple(in_text(chain, text, plain) for chain in telling(plain, text, chains))


def in_text(chain: ExceptionChain, text: str, plain: str) -> ExceptionChain:
    """Return the chain with the place of its end in the text that was cleaned: a line without its colours ends earlier."""
    end = end_in(text, plain, chain.span[1])
    return chain if end == chain.span[1] else replace(chain, span=(chain.span[0], end))


def traces(text: str, depth: int = 0) -> Iterator[ExceptionChain]:
    """Yield the traces of a text; ``depth`` envelopes were taken off it."""
    for found in readings(text, depth=depth):
        yield from found.chains


@dataclass(frozen=True, slots=True)
class ReadMessage:
    """What was made of a telling line."""

    chains: tuple[ExceptionChain, ...]
    """() where it was declined."""
    begin: int
    """Where in the text the line begins."""
    behind: int
    """Where the search goes on."""
    floor: int
    """What is before is read and looked at no more."""
    is_open: bool
    """Whether the end of the text was seen: it may be read otherwise when more follows."""


@dataclass(frozen=True, slots=True)
class _Vain:
    """What was tried in vain on the lines before."""

    weighed: list[int]
    """Where guesses were weighed that did not pay, in their order."""
    opened: dict[object, int] = field(default_factory=dict)
    """For each kind of envelope, up to which place lines were opened; within another envelope one place for all kinds."""

    def is_enough(self, begin: int) -> bool:
        """Whether no more guesses are weighed at a place."""
        return len(self.weighed) >= MOST_IN_VAIN and self.weighed[-MOST_IN_VAIN] > begin - VAIN_NEAR


def readings(
    text: str, start: int = 0, floor: int = 0, depth: int = 0, weighed: list[int] | None = None
) -> Iterator[ReadMessage]:
    """Yield what is made of the telling lines from ``start`` on; declined ones are yielded only where more text could change that.

    What is before ``floor`` belongs to traces read before. ``weighed`` holds where guesses were weighed in vain, and takes further ones.
    """
    hunt = NeedleScanner(text)
    near_end = -1
    vain = _Vain([] if weighed is None else weighed)
    while (found := hunt.after(start)) is not None:
        near_end = _last_lines(text) if near_end < 0 else near_end
        begin = text.rfind("\n", start, found) + 1 or start
        end = text.find("\n", found)
        end = len(text) if end < 0 else end
        chains, behind, is_open = _opened(text, begin, end, floor, depth, vain)
        is_open |= end >= near_end
        if chains:
            line_end = (
                behind if behind == end + 1 else 0
            )  # what is left of a record that was read is no line above others
            start, floor = behind, max(floor, line_end, *(chain.span[1] for chain in chains))
            yield ReadMessage(tuple(chains), begin, start, floor, is_open)
            continue
        lines = Lines.of(text, begin, floor)
        reading = _best_reading(lines, text[begin:end])
        is_open |= lines.is_at_end
        if reading is None:
            start = behind
            if is_open:
                yield ReadMessage((), begin, start, floor, is_open)
            continue
        chains = _chains(text, reading)
        floor = start = max(lines.start(reading.next_line), end + 1)
        yield ReadMessage(tuple(chains), begin, start, floor, is_open)


def _chains(text: str, reading: TraceReading) -> list[ExceptionChain]:
    if reading.chain is None:
        return []
    return [as_shown(reading.chain, text), *_embedded(text, reading.chain), *reading.others]


def _last_lines(text: str) -> int:
    """Return where the last lines begin: as many as are looked at below a telling line, at most, to see what it is in."""
    place = len(text)
    for _ in range(FAR_BELOW + 1):
        place = max(text.rfind("\n", 0, place), 0)
    return place


def _opened(
    text: str, begin: int, end: int, floor: int, depth: int, vain: _Vain
) -> tuple[list[ExceptionChain], int, bool]:
    """Return what the lines around a telling one hold where they are in an envelope; where to go on; and whether the end was seen.

    Before the place up to which a kind of envelope was opened in vain it is not opened again: else each line would open all lines behind it,
    at each depth. A guess within a guess that is being weighed is declined: for one line some twenty would each be weighed, with twenty lines each.
    """
    behind, is_open = end + 1, any(begin < place > len(text) for place in vain.opened.values())
    barred = {kind for kind, place in vain.opened.items() if begin < place}
    guesses = depth < _DEEPEST - 1 and not vain.is_enough(begin)
    for taker in envelopes_at(text, begin, end, floor, with_guesses=guesses) if depth < _DEEPEST else ():
        kind = None if depth else taker.take.__code__
        if kind in barred:
            continue
        if taker.is_guess and not _pays(taker, text, begin, floor):
            vain.weighed.append(begin)
            continue
        chains, behind = _in_windows(taker, text, begin, floor, depth)
        is_open |= behind > len(text)
        if chains:
            return chains, behind, is_open
        vain.opened[kind] = max(vain.opened.get(kind, 0), behind)
    return [], behind, is_open


def _pays(taker: Unwrapper, text: str, begin: int, floor: int) -> bool:
    """Whether more is read of the next lines without what they are guessed to be in."""
    sources = window(taker, text, begin, floor, LINES_BELOW + 1).sources
    opened = _worth(sources, _DEEPEST - 1)
    is_mixed = len(sources) > 1
    if not opened[0] and not is_mixed:
        return False
    plain = _worth(window(_PLAIN, text, begin, floor, LINES_BELOW + 1).sources, _DEEPEST)
    # two processes in turns: read as one, they have as many frames
    return opened[0] >= plain[0] and opened != plain if is_mixed else opened > plain


def _worth(sources: Iterable[MappedText], depth: int) -> tuple[int, int, int]:
    """Return how much was read: frames, types, and messages that did not swallow what is none."""
    raised = [one for source in sources for chain in traces(source.text, depth) for one in chain.exceptions]
    return (
        sum(len(one.stack.frames) for one in raised),
        sum(one.type is not None for one in raised),
        -sum(len(one.message or "") for one in raised),
    )


def _in_windows(taker: Unwrapper, text: str, begin: int, floor: int, depth: int) -> tuple[list[ExceptionChain], int]:
    """Return the traces of the opened lines, and where to go on behind them."""
    count = FIRST_LINES
    while True:
        opened = window(taker, text, begin, floor, count)
        chains = [
            _opened_in(chain, source)
            for source in (source.without_secrets() for source in opened.sources)
            for chain in traces(uncoloured(source.text), depth + 1)
        ]
        if len(opened.sources) > 1:
            chains.sort(key=lambda chain: chain.span)
        if taker.is_whole:
            return chains, text.find("\n", begin) + 1 or len(text) + 1
        if opened.is_last:
            return chains, len(text) + 1
        resume = text.rfind("\n", 0, _whole_until(chains, opened.tail)) + 1
        if resume > begin:
            return [chain for chain in chains if chain.span[1] <= resume], resume
        if count >= MOST_LINES:
            return chains, max([opened.tail, begin + 1, *(chain.span[1] for chain in chains)])
        count *= 2  # not faster: so that twice the text is twice the work


def _whole_until(chains: list[ExceptionChain], place: int) -> int:
    """Return the last place, at most ``place``, that no chain reaches over: from there on they are read again in the next window."""
    for chain in sorted(chains, key=lambda chain: chain.span, reverse=True):
        if chain.span[0] < place < chain.span[1]:
            place = chain.span[0]
    return place


def _best_reading(lines: Lines, line: str) -> TraceReading | None:
    """Return what the runtimes that know the line make of it: the reading with most frames; of equal ones the first.

    ``TypeError: x`` is a head in several runtimes, and only the frames below it tell in which.
    """
    likely = _known_below(lines)
    known = likely.reader.read(lines) if likely is not None and likely.reader.starts(line) else None
    if known is not None and _frames_of(known):
        return known
    readings = [
        reading
        for runtime in tuple(matching_runtimes(line)) or RUNTIMES  # the set gives up where it needs too much memory
        if runtime.reader.starts(line)
        and (reading := known if runtime is likely else runtime.reader.read(lines)) is not None
    ]
    best = max(readings, key=_frames_of, default=None)
    # a message right above frames is their head, whoever else knows its words: the frame's own reader looks back for it
    is_left = best is not None and best.next_line == 1 and not _frames_of(best) and _looks_back(lines.get(1))
    return None if is_left else best


def _looks_back(below: str | None) -> bool:
    return below is not None and any(runtime.looks_back(below) for runtime in RUNTIMES if runtime.looks_back)


def _known_below(lines: Lines) -> Runtime | None:
    """Return the runtime that knows one of the next lines: it is spared the others' reading through its whole trace."""
    for at in range(1, _PEEKED + 1):
        below = lines.get(at)
        if below is None:
            return None
        found = _starting(below) if len(below) <= _LONGEST_REMEMBERED else _starting.__wrapped__(below)
        if found is not None:
            return found
    return None


@lru_cache(maxsize=16_384)
def _starting(line: str) -> Runtime | None:
    """Return the first runtime that knows a line: two thirds of the lines below heads were met before."""
    return next((runtime for runtime in matching_runtimes(line) if runtime.reader.starts(line)), None)


def _frames_of(reading: TraceReading) -> int:
    chains = [reading.chain, *reading.others] if reading.chain is not None else []
    return sum(len(e.stack.frames) for chain in chains for e in chain.exceptions)


def _embedded(text: str, chain: ExceptionChain) -> Iterator[ExceptionChain]:
    """Traces of other runtimes inside the messages of this one: PySpark's Python traceback in a Java exception."""
    begin, end = chain.span
    for runtime, needle in _EMBEDDED:
        at = text.find(needle, begin, end) if runtime.name != chain.runtime else -1
        reading = runtime.reader.read(Lines.of(text, _line_start(text, at), begin, end)) if at >= 0 else None
        if reading is not None and reading.chain is not None:
            yield reading.chain


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1
