"""Chooses the line of a paste that tells what went wrong, and reads it as a chain without frames.

A paste without a trace is seen line by line. Each piece of a line that may be a program's own words (`pieces`) is asked what it
shows (`candidates`). The candidate with the highest score is the telling one, of equal ones the first. Prose that only talks
about errors has no candidate of `sentence.LEAST`.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain, islice

from kb.patterns import lazy
from kb.trace.finding.fields import object_in
from kb.trace.lines import holds_time
from kb.trace.messages.candidate import EXCEPTION, OF_LOGGED_ERROR, Candidate, TextStretch
from kb.trace.messages.candidates import candidates, of_documents
from kb.trace.messages.debug_values import apart
from kb.trace.messages.pieces import pieces
from kb.trace.messages.programs import cause_below
from kb.trace.messages.sentence import LEAST
from kb.trace.messages.text_lines import lines_of
from kb.trace.messages.typed import DEFINES, chain_of, end_of_string
from kb.trace.messages.words import EXPLAINS, SUPPOSES, end_of_words, is_code, is_personal, unquoted
from kb.trace.messages.yaml import parser_error_below
from kb.trace.model import ExceptionChain, RaisedException, Relation
from kb.trace.page_breaks import broken_at, is_page
from kb.trace.runtimes import RUNTIMES

LONGEST = 32_768
"""Characters of a text that are looked at: of a longer one the last ones, where a log says why it ended."""
_SHORT = 24
"""Characters of a text that is a message whatever it says; a Chinese one counts twice."""
_FEW = 3
"""Words of such a text in a language with blanks: a name, a frame."""
_LONGEST_ALONE = 1_000
"""Characters of a line that is all of a text and is read as a runtime's own; longer ones are prose."""
_MOST_CHAINS = 4
_MOST_LOGGED = 32
"""Lines of a log that are reported as its errors."""
_LONGEST_PREFIX = 200
_NEAR = 400
_AROUND = 4
"""Lines on each side of a message, and their characters, that tell whether a page broke it: a longer line was not."""
_MOST_BROKEN = 8
"""Lines of one message that a page's width broke."""
_MOST_CANDIDATES = 2_000
"""Candidates of a text that are weighed: more stand only in a text that was made for it."""
_LEAST_BESIDE = 66
"""The score that a line needs beside a trace without words: a lead, a form or an exception. What a log calls an error may be a line of the trace."""
_OF_WARNING = 44
"""The score from which on a line beside traces may be a problem of its own: a record that says what failed, as a warning, too."""
_SHOWN = 6
"""Points less that suffice for a sentence which somebody shows, where nothing else is one."""
_OF_REASON = LEAST + 4
"""The score from which on a sentence says why a program ended: lower ones may be anybody's."""
_OF_SURE_REASON = LEAST + 12
"""The same where a program's own form says how it ended: *Error: Gradle task assembleDebug failed with exit code 1*."""
_AS_SURE = 0.5
"""Points between sentences of failure that tell nothing: the program printed the first one first."""
_ENDS = lazy(
    r"(?i)\bexit(?:ed|s)?(?: with)?(?: a)?(?: non-?zero)? {1,2}(?:status|code)\b|\bexitCode: -?\d|\bstatus \d{1,3}$"
)
"""How a program tells that another one ended, and not why."""
_BLANK = lazy(r"\s*")
_CHINESE = lazy(r"[\u4e00-\u9fff]")
_LINK = lazy(r"https?://|\]\(|^[*+-] |\*\*|``")
"""What pages are written with: links, lists, emphasis, literals."""


def telling(text: str, given: str, traces: Sequence[ExceptionChain] = ()) -> tuple[ExceptionChain, ...]:
    """Return the chains of the telling lines of a text, in text order; () where nobody shows an error.

    ``given`` is the same text before marks of quotations were blanked. Lines of ``traces``, which say nothing themselves, are passed over.
    """
    if not traces and (alone := _named_alone(text)):
        return alone
    base = _begin(text)
    spans = tuple((begin - base, end - base) for begin, end in (one.span for one in traces))
    stretch = text[base:]
    has_frames = any(raised.stack.frames for one in traces for raised in one.exceptions)
    begins = sorted(
        one.span[0] - base for one in traces if any(raised.type or raised.message for raised in one.exceptions)
    )
    found = [one for one in _candidates(stretch, given[base:], spans) if not _is_head(one, stretch, begins)]
    least = _LEAST_BESIDE if has_frames else LEAST
    if has_frames and not begins and found and _is_above(found[0], stretch, min(spans)[0]):
        least = OF_LOGGED_ERROR
    found = found if found and found[0].score >= least else [one for one in found if one.is_shown]
    if not found or found[0].score < least - _SHOWN * (found[0].is_shown and not traces):
        return () if traces else _short(text)
    found = _earlier(_beyond_endings(found), stretch)
    shown = (_rejoined(one, stretch) for one in _apart(found))
    return tuple(_chain(one, base) for one in sorted(shown, key=lambda one: one.begin))


def _rejoined(one: Candidate, text: str) -> Candidate:
    """Return a candidate with the lines below it that a page's width broke off its last message."""
    name, message = one.raised[-1]
    if not message or text[one.end - len(message) : one.end] != message:
        return one
    more, end = broken_off(text, one.end)
    if not more:
        return one
    words = message + more
    return replace(one, end=end, raised=(*one.raised[:-1], *chain_of(name, words)))


def broken_off(text: str, end: int) -> tuple[str, int]:
    """Return what a page's width broke off the words that end at a place, and where it ends; nothing where they do not end with their line, or end there.

    And the lines below that a YAML parser's error has.
    """
    stop = text.find("\n", end)
    if stop < 0 or text[end:stop].strip():
        return "", end
    if (behind := parser_error_below(text, end)) > end:
        return text[end:behind].rstrip(), behind
    above = text[max(text.rfind("\n", 0, end) + 1, end - _LONGEST_PREFIX) : end]
    if not is_page(
        text[max(end - _NEAR, 0) : end].split("\n")[-_AROUND:] + text[end : end + _NEAR].split("\n")[:_AROUND]
    ):
        return "", end
    more, begin = "", end
    for _ in range(_MOST_BROKEN):
        stop = text.find("\n", begin + 1)
        below = text[begin + 1 : stop if stop >= 0 else len(text)].rstrip()
        between = broken_at(above, below)
        if between is None or is_code(below) or is_personal(below.partition(". ")[0]):
            break
        above, more, begin, end = below, f"{more}{between}{below}", begin + 1 + len(below), begin + 1 + len(below)
    shown = more[: end_of_words(more, 0, len(more))] if more else ""
    return shown, end - (len(more) - len(shown))


def _beyond_endings(found: list[Candidate]) -> list[Candidate]:
    """Return the candidates without log lines that only say how a program ended, where a sentence says why."""
    is_sure = found[0].score >= _LEAST_BESIDE
    if not _is_ending(found[0]) or (is_sure and found[0].raised[-1][0]):
        return found
    least = _OF_SURE_REASON if is_sure else _OF_REASON
    return [one for one in found if one.score > least and not _is_ending(one)] or found


def _earlier(found: list[Candidate], text: str) -> list[Candidate]:
    """Return the candidates, in front the first sentence of the best one's paragraph that is as sure and ends with its line."""
    best = found[0]
    if best.score >= OF_LOGGED_ERROR or best.raised[-1][0]:
        return found
    begin, line = text.rfind("\n\n", 0, best.begin) + 1, text.rfind("\n", 0, best.begin)
    near = (one for one in found if begin <= one.begin and one.end <= line and one.score > best.score - _AS_SURE)
    whole = (one for one in near if not one.raised[-1][0] and text[one.end : one.end + 1] == "\n")
    first = min(whole, key=lambda one: one.begin, default=best)
    return found if first is best else [first, *(one for one in found if one is not first)]


def _is_ending(one: Candidate) -> bool:
    """Return whether a candidate only says how a program ended."""
    return _ENDS.search(one.raised[-1][1] or "") is not None


def _is_above(one: Candidate, text: str, place: int) -> bool:
    """Return whether an error stands above frames of no class that no log printed, and behind no time: it is their own."""
    line, frame = text.rfind("\n", 0, one.begin) + 1, text.rfind("\n", 0, place) + 1
    return one.begin < place and text[frame : frame + 1] in (" ", "\t") and not holds_time(text[line : one.begin])


def _is_head(one: Candidate, text: str, begins: Sequence[int]) -> bool:
    """Return whether a weak candidate is a log record's own line above its trace: ``ERROR call failed``, then the exception. ``begins``: where traces begin, in order."""
    if one.score >= _LEAST_BESIDE:
        return False
    words = _BLANK.match(text, one.end)
    at = bisect_left(begins, one.end)
    return words is not None and at < len(begins) and begins[at] <= words.end()


def best_of_lines(text: str) -> list[Candidate]:
    """Return the best candidate of each line that shows an error, in text order: of a block of code or a log, not of somebody's prose.

    Only the last `LONGEST` characters of a text are read. Line ends and colours must have been cleaned (`kb.trace.lines.clean`).
    """
    base = _begin(text)
    of_line: dict[int, Candidate] = {}
    for one in _candidates(text[base:], text[base:], ()):
        if one.score >= LEAST:
            of_line.setdefault(text.rfind("\n", 0, base + one.begin), one)
    apart = (replace(one, begin=base + one.begin, end=base + one.end) for one in of_line.values())
    return sorted(apart, key=lambda one: one.begin)


def logged_errors(text: str, given: str, beside: Sequence[tuple[int, int]] = ()) -> tuple[ExceptionChain, ...]:
    """Return the errors that lines of a text show, the most telling of each line, best first; sentences that only may be errors are none.

    ``beside`` are the spans of traces: then lines outside of them, warnings as well.
    """
    base = _begin(text)
    stretch = text[base:]
    spans = tuple((max(begin - base, 0), end - base) for begin, end in beside if end > base)
    least = _OF_WARNING if spans else OF_LOGGED_ERROR
    found: dict[int, Candidate] = {}
    for one in _candidates(stretch, given[base:], spans):
        if one.score < least or len(found) >= _MOST_LOGGED:
            break
        found.setdefault(stretch.rfind("\n", 0, one.begin), one)
    return tuple(_chain(one, base) for one in found.values())


@lru_cache(maxsize=64)
def _candidates(text: str, given: str, spans: tuple[tuple[int, int], ...]) -> tuple[Candidate, ...]:
    """Return the candidates of a stretch outside of some spans, best first; of equal ones the first stays first, before those that only say how a program ended.

    The last ones are kept: a text is asked for its telling line, and then for all its error lines; an article asks of each of its blocks the one before the other.
    """
    if any(begin <= 0 and not text[end:].strip() for begin, end in spans):  # nothing but a trace
        return ()
    lines = lines_of(text)
    stretch = TextStretch(text, lines)
    outside = pieces(text, given, lines, spans)
    every = chain(of_documents(stretch), (one for piece in outside for one in candidates(stretch, piece)))
    found = list(islice(every, _MOST_CANDIDATES))
    if spans:  # beside a trace a single word says nothing new
        found = [one for one in found if " " in (one.raised[-1][1] or "")]
    return tuple(sorted(found, key=lambda one: (-one.score, one.score > _LEAST_BESIDE and _is_ending(one))))


def _begin(text: str) -> int:
    """Return where the last `LONGEST` characters begin, at a line if there is one."""
    least = max(len(text) - LONGEST, 0)
    return max(text.find("\n", least) + 1, least) if least else 0


def _apart(found: Sequence[Candidate]) -> list[Candidate]:
    """Return the best one, and others that name another exception with its message: problems of their own."""
    chosen = [found[0]]
    for one in found[1:]:
        if len(chosen) >= _MOST_CHAINS or one.score < EXCEPTION:
            break
        if all(_is_other(one, other) for other in chosen):
            chosen.append(one)
    return chosen


def _is_other(one: Candidate, other: Candidate) -> bool:
    is_apart = one.end <= other.begin or one.begin >= other.end
    return is_apart and {name for name, _ in one.raised}.isdisjoint(name for name, _ in other.raised)


def _chain(candidate: Candidate, base: int) -> ExceptionChain:
    name, message = candidate.raised[0]
    exceptions = (RaisedException(name, message), *causes(candidate.raised[1:], 1))
    return ExceptionChain(candidate.runtime, exceptions, span=(base + candidate.begin, base + candidate.end))


def _named_alone(text: str) -> tuple[ExceptionChain, ...]:
    """Return the exception, or the frame, that a text of one line names as a runtime prints it."""
    body = text.strip() if len(text) < 2 * _LONGEST_ALONE else ""
    if not body or "\n" in body or len(body) > _LONGEST_ALONE:
        return ()
    begin = text.find(body)
    for runtime in RUNTIMES if not SUPPOSES.match(body) else ():
        found = runtime.reader.named_in(body)
        if found is not None and (DEFINES.match(found.message or "") or _is_shown_elsewhere(body, found)):
            return ()
        if found is not None:
            return (as_shown(ExceptionChain(runtime.name, (found,), span=(begin, begin + len(body))), text),)
    return ()


def _is_shown_elsewhere(body: str, found: RaisedException) -> bool:
    """Return whether the exception stands in a JSON record, whose fields tell where its message ends, or only in an explanation of a call."""
    at = body.find(found.type or found.message or "")
    return object_in(body, at) >= 0 or (not found.message and EXPLAINS.search(body, 0, at) is not None)


def _short(text: str) -> tuple[ExceptionChain, ...]:
    """Return a text of a few words as a message: nobody tells a story in them, and a keyword of an alert is searched for like an error."""
    body = text.strip() if len(text) < 2 * _LONGEST_ALONE else ""
    if len(body) > _LONGEST_ALONE or "\n" in body or not any(c.isalnum() for c in body):
        return ()
    if is_personal(body) or _LINK.search(body) or body[:1] in "{[<" or body[-1] in ":：" or object_in(body) >= 0:
        return ()
    chinese = len(_CHINESE.findall(body))
    if len(body) + chinese > _SHORT and (chinese or len(body.split()) > _FEW):
        return ()
    words = unquoted(body)
    begin = text.find(words)
    return (ExceptionChain("text", (RaisedException(None, words),), span=(begin, begin + len(words))),)


def as_shown(chain: ExceptionChain, text: str) -> ExceptionChain:
    """Return an error without frames that a runtime read of a line, with its message up to where the writer of the text goes on, and with the exceptions that the message names as causes.

    A chain with frames, with several exceptions or with a message of several lines is left as it is, since a program printed it so; a value in its root's message is its cause.
    """
    raised = chain.exceptions[0]
    message = raised.message
    below = cause_below(text, chain.span[1]) if (raised.type or "").endswith("Py4JJavaError") else None
    if below is not None and len(chain.exceptions) == 1:
        return replace(chain, exceptions=(raised, *causes(below[0], 1)), span=(chain.span[0], below[1]))
    if len(chain.exceptions) > 1 or not message or "\n" in message or raised.wrapped_type or raised.stack.frames:
        return _with_value(chain)
    least = max(chain.span[0] - _LONGEST_PREFIX, 0)
    before = text[max(text.rfind("\n", least, chain.span[0]) + 1, least) : chain.span[0]]
    is_logged = holds_time(before)  # a line of a log, which nobody goes on with
    may_hold = ": " in message or "(" in message or "[" in message
    begin = text.find(message, *chain.span) if may_hold or not is_logged else -1
    if begin < 0:
        return chain
    named = text.find(raised.type, chain.span[0], begin) if raised.type else -1
    stop = begin + len(message)
    stop = stop if named < 0 else end_of_string(text, named, stop)
    message = text[begin:stop]
    end = stop if is_logged else end_of_words(text, begin, stop)
    message = text[begin:end]
    more, behind = broken_off(text, chain.span[1]) if end == stop == chain.span[1] and not is_logged else ("", end)
    message += more
    held = chain_of(raised.type, message) if may_hold else []
    (kind, outer), inner = (held[0], held[1:]) if held else ((raised.type, message), [])
    if end == stop and outer == raised.message and not inner:
        return chain
    span = (chain.span[0], behind if end < stop or more else chain.span[1])
    return replace(chain, exceptions=(replace(raised, type=kind, message=outer), *causes(inner, 1)), span=span)


def _with_value(chain: ExceptionChain) -> ExceptionChain:
    """Return a chain with the error that its root shows as a value, which has all frames of the root as if it said ``... n more``."""
    if not any(one.message and "{" in one.message for one in chain.exceptions):
        return chain
    root = chain.root
    held = apart(root.message or "")
    if held is None:
        return chain
    before, value = held
    at = next(number for number, one in enumerate(chain.exceptions) if one is root)
    cause = RaisedException(value.type, value.message, root.stack, Relation.CAUSE, at, len(root.stack.frames))
    own: tuple[RaisedException, ...] = (replace(root, message=before), cause)
    if before is None and root.type is None:  # nothing but the value
        own = (replace(root, type=value.type, message=value.message),)
    return replace(chain, exceptions=(*chain.exceptions[:at], own[0], *chain.exceptions[at + 1 :], *own[1:]))


def causes(raised: Sequence[tuple[str | None, str | None]], first: int) -> tuple[RaisedException, ...]:
    """Exceptions that are each the cause of the one before, the first of them at a place in its chain."""
    return tuple(
        RaisedException(name, message, relation=Relation.CAUSE, parent=at - 1)
        for at, (name, message) in enumerate(raised, first)
    )
