"""Chooses the line of a paste that tells what went wrong, and reads it as a chain without frames.

A paste without a trace is seen line by line. Each piece of a line that may be a program's own words is asked what it
shows: a form of a tool, a named exception, a database's or another runtime's error, a level of a log, an error's lead, a sentence
of failure. Each such candidate has a score; the highest one is the telling line, of equal ones the first. Prose that only
talks about errors has no candidate above `_LEAST`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kb.trace.finding.hunt import told_by
from kb.trace.messages.pieces import Level, Piece, Place, is_command, pieces
from kb.trace.messages.typed import Named, chain_of, named, runtime_of
from kb.trace.messages.words import is_personal, likeness, tells_failure
from kb.trace.model import ExceptionChain, RaisedException, Relation

_WITHOUT_TYPES = frozenset(("sql", "kernel", "native", "go", "rust"))
"""Runtimes whose errors are known by their words, not by the name of an exception."""
_LEAST = 46
"""Below this a line may be anybody's words."""
_LEAST_ALONE = 44
"""The same where the line is all that was pasted: most who paste one line paste an error."""
_SHORT = 24
"""Characters of a text that is a message whatever it says; a Chinese one counts twice."""
_FEW = 3
"""Words of such a text in a language with blanks: a name, a frame."""
_MOST_LINES = 400
_MOST_CHAINS = 4
_LONGEST_SENTENCE = 600

_LEAD = re.compile(
    r"\[?(?P<lead>(?:(?:fatal|internal|critical|build|runtime|compile|compilation|server|client|unexpected|system|sql|query) )?(?:error|exception|failure)|fatal|panic|emerg|crit|alert|abort|err"
    r"|错误(?:信息|消息|内容|提示|日志|原因|详情|描述)?|报错(?:信息|内容|如下|日志|提示)?|异常(?:信息|内容|日志|提示)?|提示(?:信息|错误)?|失败原因|出错信息)\]?"
    r"(?: ?[(\[]?(?P<code>[A-Z]{0,12}[-_]?\d{1,10})[)\]]?)?(?:[ \t]{0,4}(?:[:：!]|=>|->)[ \t]{0,8}|(?<=\])[ \t]{1,4})(?P<message>\S.*)",
    re.IGNORECASE,
)
_WARNING_LEAD = re.compile(
    r"\[?(?:warn(?:ing)?|deprecated|deprecation|caution|note|notice|info|警告|注意)\b\]?[ \t]{0,4}[:：]?", re.IGNORECASE
)
_CODE = re.compile(
    r"^[ \t]*(?:[{}()\[\];]|(?:import|from|export|const|let|var|public|private|protected|static|class|def|return|if|for|while|function|#include|package|@\w|async|await|try|catch|else|raise|throw|assert|print|echo|SELECT|INSERT|UPDATE|CREATE|DELETE|ALTER|set)\b)"
    r"|[;{}(,\\]$|^\S{1,60} ?=[^=]|^[\w.-]{1,60}: ?[\w./-]{0,60}$|=>|\)\.\w|^</?\w"
)
_LINK = re.compile(r"https?://|\]\(|^[*+-] ")
_LIST = re.compile(r"https?://\S+$|^[\w./-]{1,200}$")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_WORDS = re.compile(r"[A-Za-z\u4e00-\u9fff]{2,}")


@dataclass(frozen=True, slots=True)
class _Candidate:
    score: int
    begin: int
    end: int
    runtime: str
    raised: tuple[tuple[str | None, str | None], ...]
    """Types and messages, outermost first."""

    def chain(self) -> ExceptionChain:
        exceptions = tuple(
            RaisedException(name, message, relation=Relation.CAUSE if at else None, parent=at - 1 if at else None)
            for at, (name, message) in enumerate(self.raised)
        )
        return ExceptionChain(self.runtime, exceptions, span=(self.begin, self.end))


def telling(text: str, given: str, traces: Sequence[ExceptionChain] = ()) -> tuple[ExceptionChain, ...]:
    """The chains of the telling lines of a text, in text order; () where nobody shows an error.

    ``given`` is the same text before marks of quotations were blanked. Lines of ``traces``, which say nothing themselves, are passed over.
    """
    best: list[_Candidate] = []
    for piece in pieces(text, given, _lines(text)):
        if not any(begin < piece.end and piece.begin < end for begin, end in (one.span for one in traces)):
            best.extend(_candidates(text, piece))
    best.sort(key=lambda one: (-one.score, one.begin))
    least = _LEAST if "\n" in text.strip() else _LEAST_ALONE
    if not best or best[0].score < least:
        return () if traces else _short(text)
    chosen = [best[0]]
    for one in best[1:]:
        if len(chosen) >= _MOST_CHAINS or one.score < _OTHERS:
            break
        if all(_is_other(one, other) for other in chosen):
            chosen.append(one)
    return tuple(one.chain() for one in sorted(chosen, key=lambda one: one.begin))


_OTHERS = 80
"""From here on a candidate that is not the best is a problem of its own: it names an exception with its message."""


def _short(text: str) -> tuple[ExceptionChain, ...]:
    """A text of a few words as a message: nobody tells a story in them, and a keyword of an alert is searched for like an error."""
    body = text.strip()
    if len(body) > _LONGEST_SENTENCE or not any(c.isalnum() for c in body) or "\n" in body or is_personal(body) or _LINK.search(body):
        return ()
    chinese = len(_CHINESE.findall(body))
    if len(body) + chinese > _SHORT and (chinese or len(body.split()) > _FEW):
        return ()
    begin = text.find(body)
    return (ExceptionChain("text", (RaisedException(None, body),), span=(begin, begin + len(body))),)


def _is_other(one: _Candidate, other: _Candidate) -> bool:
    apart = one.end <= other.begin or one.begin >= other.end
    return apart and {name for name, _ in one.raised}.isdisjoint(name for name, _ in other.raised)


def _lines(text: str) -> list[tuple[int, int]]:
    lines: list[tuple[int, int]] = []
    at = 0
    while at <= len(text) and len(lines) < _MOST_LINES:
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        lines.append((at, end))
        at = end + 1
    return lines


def _candidates(text: str, piece: Piece) -> Iterator[_Candidate]:
    body = text[piece.begin : piece.end].strip()
    if len(body) < 3 or " " not in body and piece.place is not Place.LINE:
        return
    typed = list(_typed(text, piece))
    yield from typed
    begin = text.find(body, piece.begin)
    if piece.place is not Place.LINE or not is_command(body):
        known = _of_a_runtime(body, begin, piece.place)
        if known is not None:
            yield known
        lead = _LEAD.match(body)
        if lead is not None and not is_command(lead["message"]):
            yield from _led(lead, begin, piece)
        elif not typed and known is None:
            score = _sentence(body, piece)
            if score:
                yield _Candidate(score, begin, begin + len(body), "text", ((None, _bare(body)),))


def _typed(text: str, piece: Piece) -> Iterator[_Candidate]:
    for one in named(text, piece.begin, piece.end):
        score = _score(text, piece, one)
        if score:
            yield _Candidate(score, one.begin, one.end, runtime_of(one.type), tuple(chain_of(one)))


def _score(text: str, piece: Piece, one: Named) -> int:
    before = text[piece.begin : one.begin].strip()
    if one.message is None:
        is_set_off = not before and one.end >= len(text[: piece.end].rstrip(" \t\"'`”。.，,"))
        score = 56 if is_set_off and (piece.place is not Place.FOREIGN) else 0
    else:
        score = 80 + 4 * ("." in one.type or "::" in one.type)
    if score and piece.place in (Place.QUOTED, Place.FOREIGN):
        score += 1
    if one.type.endswith("Warning"):
        score -= 25
    if piece.level is Level.WARNING:
        score -= 12
    return score


def _of_a_runtime(body: str, begin: int, place: Place) -> _Candidate | None:
    """What a runtime that knows the words makes of them alone."""
    for runtime in told_by(body):
        found = runtime.named_in(body) if runtime.name in _WITHOUT_TYPES and runtime.starts(body) else None
        if found is not None and found.message is not None:
            at = max(body.find(found.message[:40]), 0)
            return _Candidate(76 + (place is not Place.LINE), begin + at, begin + len(body), runtime.name, ((found.type, found.message),))
    return None


def _led(lead: re.Match[str], begin: int, piece: Piece) -> Iterator[_Candidate]:
    message = lead["message"]
    score = 68
    if piece.place is Place.LINE and not piece.is_announced and is_personal(message):
        score -= 30
    if piece.level is Level.WARNING:
        score -= 20
    if len(_WORDS.findall(message)) < 2:
        score -= 12
    yield _Candidate(score, begin + lead.start("message"), begin + lead.end("message"), "text", ((lead["code"], _bare(message)),))


def _sentence(body: str, piece: Piece) -> int:
    """How likely the words are a program's that says what failed; 0 for no chance."""
    words = len(_WORDS.findall(body))
    if piece.level is Level.ERROR:
        return 62 if words > 1 else 0
    if len(body) > _LONGEST_SENTENCE or _CODE.search(body) or _LIST.search(body) or is_command(body):
        return 0
    if not tells_failure(body) or words < 2 + (piece.place is Place.QUOTED) or body[-1] in ":：":
        return 0
    score = 24 + likeness(body)
    score += {Place.LINE: 0, Place.QUOTED: 20, Place.INTRODUCED: 12, Place.FOREIGN: 10}[piece.place]
    if piece.level is Level.WARNING:
        score += 14
    elif piece.level is Level.UNNAMED:
        score += 20
    elif piece.level is Level.OTHER:
        score += 8
    elif piece.place is Place.LINE:
        score += 14 * piece.is_announced + 12 * piece.is_marked + 12 * piece.is_alone + 12 * piece.is_foreign
    if _WARNING_LEAD.match(body):
        score -= 8
    return score


def _bare(message: str) -> str:
    """A message without the marks of the quotation around it."""
    return message.strip().strip("`").rstrip("\"'”’」』") if message.count('"') % 2 else message.strip().strip("`")
