"""What a text is about: one problem, or several that are answered one by one."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf

from index.answer import FineVerdict
from index.phrases import phrase
from index.ranking.groups import Ranked
from index.ranking.rank import RankModel, below_known
from index.ranking.sightings import fingerprint_digests
from index.reading import QueryTrace, Reading, distinct, restricted
from index.terms.sketch import ExceptionSketch
from kb.language import answer_language
from kb.trace import WITHOUT_TRACE, error_lines, parse
from kb.trace.stream import moved

MOST_PARTS = 8
"""Parts that are answered one by one: each costs as much as a search."""
MOST_LINES = 4
"""Error lines without frames that are answered one by one: a log may hold hundreds of one fault."""
MOST_BESIDE = 2
"""Error lines beside traces that are answered one by one."""
_MOST_IN_LINES = 60_000
"""Characters of a text whose lines beside traces are looked at: reading them takes as long as reading the text once more."""
_MOST_IN_BLOCKS, _MOST_GAPS, _MOST_BLOCKS = 20_000, 100, 12
"""Characters, empty lines and blocks of a text whose blocks are looked at one by one; a trace may go on over empty lines."""
NEAR = 4_000
"""Characters before and after a trace that are about it: as many as `index.reading` keeps of either end of a text."""

_BLANK = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+")
"""At least one empty line; full-width and hard blanks are blanks, too."""

Span = tuple[int, int]


def parts(reading: Reading) -> list[Reading]:
    """The parts of a text in their order, each as if it had been pasted alone; at most `MOST_PARTS`, none where there are fewer than two.

    A part is a trace with those that repeat it: the same errors in another order, a wrapper of it, a trace whose head is cut off behind it.
    Threads that only wait and error lines of no known form are not parts.
    """
    if len(reading.traces) < 2:
        return []
    groups: list[list[QueryTrace]] = []
    for trace in sorted((one for one in reading.traces if _is_fault(one)), key=lambda one: one.chain.span):
        own = [group for group in groups if any(_is_same(one, trace) for one in group)]
        groups = [group for group in groups if group not in own] + [[*(one for group in own for one in group), trace]]
    groups = [group for group in groups if any(one.chain.root.type or one.chain.root.message for one in group)]
    if len(groups) < 2:
        return []
    groups.sort(key=lambda group: group[0].chain.span)
    borders = _borders(reading.text, groups, _trace_spans(reading))
    return [restricted(reading, group, [borders[one.chain.span] for one in group]) for group in groups[:MOST_PARTS]]


def error_parts(reading: Reading) -> list[Reading]:
    """The error lines of a text without frames, each with the words around it, in their order; none where fewer than two say different things.

    One fault writes many of them, so which of these parts are problems is for the one who judges them. At most `MOST_LINES`, the most telling.
    """
    if reading.has_outer_frames:
        return []
    found = error_lines(reading.text, least=2)
    chosen: list[QueryTrace] = []
    for chain in found:
        (trace,) = distinct([chain])
        if len(chosen) < MOST_LINES and not any(_says_the_same(trace, other) for other in chosen):
            chosen.append(trace)
    if len(chosen) < 2:
        return []
    chosen.sort(key=lambda trace: trace.chain.span)
    borders = _borders(reading.text, [[trace] for trace in chosen], [chain.span for chain in found])
    return [restricted(reading, [trace], [borders[trace.chain.span]]) for trace in chosen]


def lines_beside(reading: Reading) -> list[Reading]:
    """Return the error lines beside the traces of a text, each as if it had been pasted alone; at most `MOST_BESIDE`, the most telling.

    Left out are those that say no more than a trace does, and those right above one, which announce it.
    """
    traces = [chain for chain in reading.chains if any(one.stack.frames for one in chain.exceptions)]
    if not traces or len(reading.text) > _MOST_IN_LINES:
        return []
    heads = sorted(chain.span[0] for chain in traces)
    chosen: list[QueryTrace] = []
    for chain in error_lines(reading.text, beside=traces):
        (trace,) = distinct([chain])
        at = bisect_left(heads, chain.span[1])
        is_head = at < len(heads) and not reading.text[_line_end(reading.text, chain.span[1]) : heads[at]].strip()
        if is_head or any(_says_the_same(trace, other) for other in (*reading.traces, *chosen)):
            continue
        chosen.append(trace)
        if len(chosen) == MOST_BESIDE:
            break
    spans = [
        (reading.text.rfind("\n", 0, one.chain.span[0]) + 1, _line_end(reading.text, one.chain.span[1]))
        for one in chosen
    ]
    return [restricted(reading, [trace], [span]) for trace, span in zip(chosen, spans, strict=True)]


def _line_end(text: str, at: int) -> int:
    """Return where the line around a place ends."""
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def block_parts(reading: Reading) -> list[Reading]:
    """Return the blocks between empty lines that show an error of their own, each as if it had been pasted alone; none where fewer than two do, at most `MOST_PARTS`.

    A trace that goes on over an empty line stays in one block. A long text, or one of many blocks, is a log and has none.
    """
    text, blocks = reading.text, list[Span]()
    if len(text) > _MOST_IN_BLOCKS:
        return []
    ends = [found.end() for found in _BLANK.finditer(text)]
    if len(ends) > _MOST_GAPS:
        return []
    within = [one.span for one in reading.chains]
    for begin, end in pairwise([0, *(at for at in ends if not any(a < at < b for a, b in within)), len(text)]):
        blocks += [(begin, end)] if text[begin:end].strip() else []
    if not 2 <= len(blocks) <= _MOST_BLOCKS:
        return []
    found: list[tuple[Span, tuple[QueryTrace, ...]]] = []
    for span in blocks:
        traces = distinct([moved(chain, span[0]) for chain in parse(text[slice(*span)])])
        if traces and not any(_says_the_same(traces[0], other[0]) for _, other in found):
            found.append((span, traces))
    if len(found) < 2:
        return []
    return [restricted(reading, traces, [span]) for span, traces in found[:MOST_PARTS]]


def _says_the_same(ours: QueryTrace, theirs: QueryTrace) -> bool:
    """Whether one of two errors says nothing that the other does not say, whatever their types; without a message, whether their types are equal."""
    few, many = sorted(({word for one in each.sketch for word in one.message} for each in (ours, theirs)), key=len)
    return few <= many if few else {one.simple for one in ours.sketch} == {one.simple for one in theirs.sketch}


def _is_fault(trace: QueryTrace) -> bool:
    return not trace.is_idle_thread and (trace.has_frames or trace.chain.runtime not in WITHOUT_TRACE)


def _is_same(ours: QueryTrace, theirs: QueryTrace) -> bool:
    """Whether two traces tell of one event: all errors of the shorter one are in the other, or one is the rest of the other."""
    if _is_headless(theirs) or _is_headless(ours):
        return ours.chain.runtime == theirs.chain.runtime
    few, many = sorted((ours.sketch, theirs.sketch), key=len)
    return all(any(_is_one(one, other) for other in many) for one in few)


def _is_headless(trace: QueryTrace) -> bool:
    """Whether it says nothing but frames: the rest of a trace that was cut in two."""
    return not any(one.simple or one.message for one in trace.sketch)


def _is_one(ours: ExceptionSketch, theirs: ExceptionSketch) -> bool:
    """Return whether two exceptions have the same message, or one extends the other; without a message, whether they were raised at the same place."""
    if ours.simple != theirs.simple:
        return False
    if not (ours.message and theirs.message):
        return (ours.message, ours.frames[:1]) == (theirs.message, theirs.frames[:1])
    few, many = sorted((set(ours.message), set(theirs.message)), key=len)
    return few <= many


def _borders(text: str, groups: Sequence[Sequence[QueryTrace]], others: Iterable[Span]) -> dict[Span, Span]:
    """Of the span of each trace, the stretch that is about it: up to halfway to its neighbours of any kind."""
    owners = {trace.chain.span: at for at, group in enumerate(groups) for trace in group}
    spans = sorted({*owners, *others})
    begins, ends = dict.fromkeys(spans, 0), dict.fromkeys(spans, len(text))
    for before, after in pairwise(spans):
        is_one = before in owners and owners.get(before) == owners.get(after)
        between = after[0] if is_one else _border(text, before[1], after[0])
        ends[before] = begins[after] = max(before[1], between)
    return {span: (max(begins[span], span[0] - NEAR), min(ends[span], span[1] + NEAR)) for span in owners}


def _trace_spans(reading: Reading) -> Iterable[Span]:
    """The spans of everything in the text that is a trace, repeats and threads as well."""
    return (chain.span for chain in reading.chains if any(one.stack.frames for one in chain.exceptions))


def _border(text: str, start: int, end: int) -> int:
    """Where the words of one trace end and those of the next begin: at the longest gap between lines, else above all of them.

    A line above a trace is what the log says of it; behind a trace and an empty line somebody goes on.
    """
    between = text[start:end]
    if not between.strip():
        return end
    first, last = start + len(between) - len(between.lstrip()), start + len(between.rstrip())
    blanks = list(_BLANK.finditer(text, first, last))
    if blanks:
        middle = (first + last) / 2
        return max(blanks, key=lambda one: (one.group().count("\n"), -abs(one.start() - middle))).end()
    is_above = text[start:first].count("\n") < 2 <= text[last:end].count("\n")
    return end if is_above else start


MATCHES = 3
"""Matches shown for each of several problems."""
_ORDER = {FineVerdict.KNOWN: 0, FineVerdict.PROBABLE: 1, FineVerdict.RELATED: 2, FineVerdict.UNKNOWN: 2}


@dataclass(frozen=True, slots=True)
class JudgedText:
    """A text or a part of one with what was found for it."""

    reading: Reading
    fine_verdict: FineVerdict
    groups: Sequence[Sequence[Ranked]]
    """The matches, best first, copies together."""
    causes: Sequence[Ranked] = ()
    """Incidents that show one error and differ in cause (`index.ranking.groups`)."""
    ahead: float = 0.0
    """How far the best match is ahead of the next other problem, as far as it counts."""

    @property
    def likely(self) -> float:
        """The probability of the best match; 0 when there is none."""
        return self.groups[0][0][0] if self.groups else 0.0

    @property
    def prints(self) -> dict[str, tuple[str, ...]]:
        """What a vote on a match is kept with."""
        return fingerprint_digests(self.reading)

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

    def rank_of(self, row: int) -> float:
        """Return how many matches stand before an incident: 0 for the first, n.5 for a copy of match n, infinite for no match."""
        for at, group in enumerate(self.groups):
            if any(found.row == row for _, found in group):
                return at if group[0][1].row == row else at + 0.5
        return inf

    def rows(self, least: float = 1.0) -> frozenset[int]:
        """The incidents of the best group, and of others that are at least so probable."""
        groups = [group for at, group in enumerate(self.groups) if not at or group[0][0] >= least]
        return frozenset(found.row for group in groups for _, found in group)


def problems(reading: Reading, judge: Callable[[Reading], JudgedText], model: RankModel) -> Sequence[JudgedText]:
    """Return the problems of a text, those that are known first, then the probable ones; at least one.

    Traces are judged one by one. Without two of them error lines are, too; of these only the likely ones count, since one fault writes many.
    Blocks between empty lines are judged in any case; of these the known ones count. Parts that come to the same incidents are one problem.

    Where this gives fewer than two problems, the text is judged as a whole, and a single known block makes it probable.
    Where the whole is not likely, its probable blocks are the problems. A known error line beside a trace is one more.
    """
    found = _apart(list(map(judge, parts(reading))), model)
    if not found:
        judged = list(map(judge, error_parts(reading)))
        found = _apart([one for one in judged if one.fine_verdict.is_likely], model)
    settled = [one for one in found if one.fine_verdict is FineVerdict.KNOWN]
    blocks = list(map(judge, [block for block in block_parts(reading) if not _is_judged(block, settled)]))
    known = _apart([one for one in blocks if one.fine_verdict is FineVerdict.KNOWN], model)
    several = _with_blocks(found, known, model)
    if len(several) < 2:
        whole = judge(reading)
        likely = _apart(
            [one for one in blocks if one.fine_verdict.is_likely and not whole.fine_verdict.is_likely], model
        )
        best = max([whole, *found, *(_below_known(one, model) for one in known)], key=lambda one: one.likely)
        several = likely if len(likely) > 1 else [best]
    lines = [line for line in lines_beside(reading) if not _is_judged(line, several)]  # it would only be judged again
    return _with_lines(several, list(map(judge, lines)), model)


def _with_lines(found: Sequence[JudgedText], lines: Sequence[JudgedText], model: RankModel) -> Sequence[JudgedText]:
    """Return the problems and the known lines beside traces, less those whose incident another problem already shows."""
    rows = frozenset[int]().union(*(one.rows() for one in found))
    known = [one for one in lines if one.fine_verdict is FineVerdict.KNOWN and not one.rows() & rows]
    return sorted([*found, *_apart(known, model)], key=lambda one: _ORDER[one.fine_verdict]) if known else found


def _with_blocks(found: Sequence[JudgedText], known: Sequence[JudgedText], model: RankModel) -> Sequence[JudgedText]:
    """Return the parts and the known blocks. A known block replaces a part with the same error that is not known, since a part is judged with the words around it."""
    are_known = ((one, one.fine_verdict is FineVerdict.KNOWN) for one in found)
    kept = [
        one for one, is_known in are_known if is_known or not any(_is_judged(block.reading, [one]) for block in known)
    ]
    return max(_apart([*kept, *known], model), found, key=len)


def _is_judged(block: Reading, found: Sequence[JudgedText]) -> bool:
    """Whether the first error of a block says the same as one that was judged."""
    return any(_says_the_same(block.traces[0], one.trace) for one in found if one.trace is not None)


def _below_known(block: JudgedText, model: RankModel) -> JudgedText:
    """Return a known block as a probable one: the text around it may say that it is something else."""
    (likely, first), *copies = block.groups[0]
    groups = [[(below_known(likely, model), first), *copies], *block.groups[1:]]
    return replace(block, fine_verdict=FineVerdict.PROBABLE, groups=groups, causes=())


def _apart(judged: Sequence[JudgedText], model: RankModel) -> list[JudgedText]:
    """Those that come to other incidents than all before them, the likely ones first; none where none is likely."""
    order = sorted(judged, key=lambda one: (_ORDER[one.fine_verdict], -one.likely, one.span))
    found: list[JudgedText] = []
    for one in order if order and order[0].fine_verdict.is_likely else ():
        rows = one.rows() if one.fine_verdict.is_likely else one.rows(model.related)
        if not any(other.rows() & rows for other in found):
            found.append(one)
    return found


def headline(lang: str, standing: FineVerdict, causes: int, title: str) -> str:
    """What the matches amount to, as a sentence; whoever mixes the languages reads Chinese."""
    lang = answer_language(lang)
    if causes:
        return phrase(lang, f"head_causes_{standing}", count=phrase(lang, f"count_{causes}"))
    return phrase(lang, f"head_{standing}", title=title)


def best_trace_note(reading: Reading, first: JudgedText, lang: str) -> tuple[str, ...]:
    """Return the note that says which of several traces the first match is about; none where no match is an answer."""
    if first.fine_verdict is FineVerdict.UNKNOWN:
        return ()
    if len(reading.traces) < 2 or not first.groups or first.groups[0][0][1].trace is None or first.trace is None:
        return ()
    chain = first.trace.chain
    line = reading.text.count("\n", 0, chain.span[0]) + 1
    kind = chain.exceptions[0].type or chain.thread or phrase(lang, "head_cut_off")
    return (phrase(lang, "note_best_trace", line=line, type=kind),)
