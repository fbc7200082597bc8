"""Chooses the line of a paste that tells what went wrong, and reads it as a chain without frames.

A paste without a trace is seen line by line. Each piece of a line that may be a program's own words (`pieces`) is asked what it
shows (`candidates`). The candidate with the highest score is the telling one, of equal ones the first. Prose that only talks
about errors has no candidate of `sentence.LEAST`.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, islice

from kb.trace.messages.candidates import (
    EXCEPTION,
    Asked,
    Candidate,
    candidates,
    is_about_javascript,
    of_documents,
)
from kb.trace.messages.pieces import lines_of, pieces
from kb.trace.messages.sentence import LEAST
from kb.trace.messages.typed import DEFINES, chain_of
from kb.trace.messages.words import SUPPOSES, is_personal, said_until
from kb.trace.model import ExceptionChain, RaisedException, Relation
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
_MOST_CANDIDATES = 2_000
"""Candidates of a text that are weighed: more stand only in a text that was made for it."""
_LEAST_BESIDE = 66
"""The score that a line needs beside a trace without words: a lead, a form or an exception. What a log calls an error may be a line of the trace."""
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_LINK = re.compile(r"https?://|\]\(|^[*+-] ")


def telling(text: str, given: str, traces: Sequence[ExceptionChain] = ()) -> tuple[ExceptionChain, ...]:
    """The chains of the telling lines of a text, in text order; () where nobody shows an error.

    ``given`` is the same text before marks of quotations were blanked. Lines of ``traces``, which say nothing themselves, are passed over.
    """
    if not traces and (alone := _named_alone(text)):
        return alone
    base = _begin(text)
    spans = [(begin - base, end - base) for begin, end in (one.span for one in traces)]
    found = _found(text[base:], given[base:], spans)
    if not found or found[0].score < (_LEAST_BESIDE if traces else LEAST):
        return () if traces else _short(text)
    return tuple(_chain(one, base) for one in sorted(_apart(found), key=lambda one: one.begin))


def _found(text: str, given: str, spans: Sequence[tuple[int, int]]) -> list[Candidate]:
    """The candidates of a stretch outside of some spans, best first; of equal ones the first stays first."""
    if any(begin <= 0 and not text[end:].strip() for begin, end in spans):  # nothing but a trace
        return []
    lines = lines_of(text)
    asked = Asked(text, lines, is_javascript=is_about_javascript(text))
    outside = pieces(text, given, lines, spans)
    every = chain(of_documents(text, lines), (one for piece in outside for one in candidates(asked, piece)))
    found = list(islice(every, _MOST_CANDIDATES))
    if spans:  # beside a trace a single word says nothing new
        found = [one for one in found if " " in (one.raised[-1][1] or "")]
    return sorted(found, key=lambda one: -one.score)


def _begin(text: str) -> int:
    """Where the last `LONGEST` characters begin, at a line if there is one."""
    least = max(len(text) - LONGEST, 0)
    return max(text.find("\n", least) + 1, least) if least else 0


def _apart(found: Sequence[Candidate]) -> list[Candidate]:
    """The best one, and others that name another exception with its message: problems of their own."""
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
    exceptions = (RaisedException(name, message), *_causes(candidate.raised[1:], 1))
    return ExceptionChain(candidate.runtime, exceptions, span=(base + candidate.begin, base + candidate.end))


def _named_alone(text: str) -> tuple[ExceptionChain, ...]:
    """The exception, or the frame, that a text of one line names as a runtime prints it."""
    body = text.strip() if len(text) < 2 * _LONGEST_ALONE else ""
    if not body or "\n" in body or len(body) > _LONGEST_ALONE:
        return ()
    begin = text.find(body)
    for runtime in RUNTIMES if not SUPPOSES.match(body) else ():
        found = runtime.named_in(body)
        if found is not None and DEFINES.match(found.message or ""):
            return ()
        if found is not None:
            message = found.message and found.message[: said_until(found.message, 0, len(found.message))]
            found = replace(found, message=message)
            inner = chain_of(found.type, found.message)[1:] if not found.wrapped_type else []
            exceptions = (found, *_causes(inner, 1))
            return (ExceptionChain(runtime.name, exceptions, span=(begin, begin + len(body))),)
    return ()


def _causes(raised: Sequence[tuple[str | None, str | None]], first: int) -> tuple[RaisedException, ...]:
    """Exceptions that are each the cause of the one before, the first of them at a place in its chain."""
    return tuple(
        RaisedException(name, message, relation=Relation.CAUSE, parent=at - 1)
        for at, (name, message) in enumerate(raised, first)
    )


def _short(text: str) -> tuple[ExceptionChain, ...]:
    """A text of a few words as a message: nobody tells a story in them, and a keyword of an alert is searched for like an error."""
    body = text.strip() if len(text) < 2 * _LONGEST_ALONE else ""
    if len(body) > _LONGEST_ALONE or "\n" in body or not any(c.isalnum() for c in body):
        return ()
    if is_personal(body) or _LINK.search(body) or body[:1] in "{[<":
        return ()
    chinese = len(_CHINESE.findall(body))
    if len(body) + chinese > _SHORT and (chinese or len(body.split()) > _FEW):
        return ()
    begin = text.find(body)
    return (ExceptionChain("text", (RaisedException(None, body),), span=(begin, begin + len(body))),)
