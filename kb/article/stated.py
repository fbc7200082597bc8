"""The cause and the fix a write-up states: a short stretch of its own words, or nothing. Never generated."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from kb.article.blocks import Block, Kind, plain
from kb.article.sections import Section
from kb.article.vocabulary import Cue, Role, cues_of

_HAN = re.compile(r"[\u3400-\u9fff]")
_STOP = re.compile(r"[。！？；!?]+[”\"’』」）)]?|\.(?=\s+[\"'(\[*`]?[A-Z0-9\u4e00-\u9fff]|\s*\Z)[\"')]?|\n")
_WORDS = re.compile(r"[\u3400-\u9fff]|[A-Za-z0-9]+")
_ADDRESS = re.compile(r"https?://[^\s)>\]]{1,2000}")
_LINK = re.compile(r"[\s*]*!?\[[^\[\]\n]{0,300}\]\([^()\n]{0,1000}\)[\s*.。]*\Z")
_MACHINE = re.compile(r"\s*(?:at\s+[\w.$]+\(|[{}<>$#|]|Caused by:|\.\.\. \d+)")
_LONG = 30
"""Words (Han characters) after which no further sentence is taken."""
_SHORT = 30
"""A stretch this short may go on in the next block."""
_MOST = 500
"""Sentences of one section that are looked at."""
_SHORT_CODE = 6
"""Lines of a code block that belongs to the sentence before it."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a block, or a whole block of code."""

    text: str
    block: int
    """Which block of the section it stands in."""
    code: bool
    item: bool
    """An item of a list: the items belong together."""
    cue: Cue


_NONE = Cue(0, 0, negated=False)


def split_sentences(text: str) -> Iterator[str]:
    """The sentences of a text, verbatim. A line end ends a sentence where the line is Chinese or closes with a stop."""
    start = line = 0
    for stop in _STOP.finditer(text):
        if stop.group() == "\n":
            before = text[max(start, line) : stop.start()].rstrip()
            line = stop.end()
            following = text[stop.end() : stop.end() + 2]
            if before and not (before[-1] in ".:;：。；" or _HAN.search(before) or following[:1] in "-*•"):
                continue
        piece = text[start : stop.end()].strip()
        if piece:
            yield piece
        start = stop.end()
    if tail := text[start:].strip():
        yield tail


def sentences(blocks: Iterable[Block], is_trace: Callable[[str], bool]) -> list[Sentence]:
    """Every sentence of the blocks, in order; lines of traces left out."""
    found: list[Sentence] = []
    for at, block in enumerate(blocks):
        if block.kind is Kind.CODE:
            code = block.text.strip("\n")
            if code.strip() and not any(is_trace(line) for line in code.splitlines()[:400]):
                found.append(Sentence(code, at, code=True, item=False, cue=_NONE))
            continue
        for text in split_sentences(block.text):
            shown = plain(text).strip()
            if _LINK.match(text):
                continue
            if _WORDS.search(shown) and not is_trace(text) and not _MACHINE.match(shown) and not _is_link(shown):
                found.append(Sentence(text, at, code=False, item=block.kind is Kind.ITEM, cue=cues_of(text[:600])))
    return found


def _is_link(shown: str) -> bool:
    """Little more than an address: a reference, not a statement."""
    rest = _ADDRESS.sub("", shown)
    return rest != shown and len(_WORDS.findall(rest)) <= 12


def _size(text: str) -> int:
    return len(_WORDS.findall(plain(text)))


def stated(
    parts: tuple[Section, ...], is_trace: Callable[[str], bool], is_anchor: Callable[[str], bool]
) -> tuple[str | None, str | None]:
    """The cause and the fix of the problem whose trace ``is_anchor`` knows the lines of. From the section that is about it, else from the sentence that says that it is it.

    The workaround stands for a fix where there is none, and code where the section holds nothing else.
    """
    read = [_Read(part, is_trace) for part in parts]
    anchor = next((at for at, part in enumerate(parts) if _last_trace(part, is_anchor) >= 0), 0)
    return _stated_by(read, _CAUSE, anchor), _stated_by(read, _FIX, anchor)


class _Read:
    """A section, its sentences split and weighed only when somebody asks: most sections are never asked."""

    def __init__(self, section: Section, is_trace: Callable[[str], bool]) -> None:
        self.section = section
        self.last_trace = _last_trace(section, is_trace)
        """The last block that shows a line of a trace; -1 for none."""
        self._is_trace = is_trace
        self._sentences: list[Sentence] | None = None

    @property
    def sentences(self) -> list[Sentence]:
        if self._sentences is None:
            self._sentences = sentences(self.section.blocks, self._is_trace)[:_MOST]
        return self._sentences


def _last_trace(part: Section, is_trace: Callable[[str], bool]) -> int:
    shows = (at for at, block in enumerate(part.blocks) if any(map(is_trace, block.text.split("\n"))))
    return max(shows, default=-1)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What is looked for, and where."""

    roles: tuple[Role, ...]
    """The sections that are about it, best first."""
    elsewhere: tuple[Role | None, ...]
    """The sections whose sentences may state it in passing, best first."""
    weight: Callable[[Cue], int]
    lead: int
    """By how much a later sentence must outweigh the first of its section to be quoted instead."""
    most: int
    """Sentences taken at most of a section that is about it."""
    passing: int
    """Sentences taken at most elsewhere."""
    code: bool
    """Code alone can state it."""


_CAUSE = _Wanted(
    roles=(Role.ROOT_CAUSE, Role.POSSIBLE_CAUSE),
    elsewhere=(Role.ANALYSIS, None, Role.OTHER, Role.FIX, Role.WORKAROUND, Role.TRACE, Role.BACKGROUND, Role.SYMPTOM),
    weight=lambda cue: 0 if cue.negated else cue.cause,
    lead=2,
    most=2,
    passing=1,
    code=False,
)
_FIX = _Wanted(
    roles=(Role.FIX, Role.WORKAROUND),
    elsewhere=(
        None,
        Role.OTHER,
        Role.ROOT_CAUSE,
        Role.ANALYSIS,
        Role.PREVENTION,
        Role.POSSIBLE_CAUSE,
        Role.TRACE,
        Role.BACKGROUND,
        Role.FIX,
        Role.SYMPTOM,
    ),
    weight=lambda cue: 0 if cue.negated else cue.fix,
    lead=3,
    most=3,
    passing=2,
    code=True,
)


def _stated_by(read: list[_Read], wanted: _Wanted, anchor: int) -> str | None:
    for role in wanted.roles:
        about = [at for at, one in enumerate(read) if role in one.section.roles]
        about.sort(key=lambda at: (not read[at].section.labelled, len(read[at].section.roles), at < anchor))
        for at in about:
            found = _lead(read[at].sentences, wanted, pure=len(read[at].section.roles) == 1)
            if found:
                return _with_next(found, read[at : at + 2], wanted)
    return _in_passing(read, wanted, anchor)


def _with_next(taken: list[Sentence], read: list[_Read], wanted: _Wanted) -> str:
    """Short labels in a row (``起因：… 主要原因：…``) state one thing together."""
    text = _text(taken)
    if len(read) < 2 or not all(one.section.labelled for one in read) or wanted.roles[0] not in read[1].section.roles:
        return text
    if _size(text) > _SHORT or len(taken) < len(read[0].sentences):
        return text
    more = _text(_lead(read[1].sentences, wanted, pure=True))
    return f"{text}\n{more}" if more and _size(text) + _size(more) <= 3 * _LONG else text


def _lead(found: list[Sentence], wanted: _Wanted, *, pure: bool) -> list[Sentence]:
    """The stretch of a section an expert would quote: it begins at the first sentence that counts, and is short."""
    words = [one for one in found if not one.code and not one.cue.negated]
    if not words:
        code = [one for one in found if one.code]
        return code[:1] if wanted.code and pure else []
    head = words[: 12 if pure else 60]
    weights = [wanted.weight(one.cue) for one in head]
    best = max(weights)
    if not pure and best < 2:
        return []
    begin = weights.index(best) if not pure or best - weights[0] >= wanted.lead else 0
    return _with_code(_stretch(words[begin:], wanted.most), found)


def _stretch(words: list[Sentence], most: int) -> list[Sentence]:
    """The first sentence, and those after it that belong to it, as long as it all stays short."""
    taken = words[:1]
    size = _size(words[0].text)
    for one in words[1:]:
        open_ended = plain(taken[-1].text).rstrip().endswith((":", "："))
        size += _size(one.text)
        listed = one.item and taken[-1].item
        if (len(taken) >= most and not listed) or size > (2 * _LONG if listed or open_ended else _LONG):
            break
        if one.block != taken[-1].block and not (
            one.block == taken[-1].block + 1 and (open_ended or listed or size <= _SHORT)
        ):
            break
        taken.append(one)
    return taken


def _with_code(taken: list[Sentence], found: list[Sentence]) -> list[Sentence]:
    """The code that the last sentence announces, when it is short enough to read in passing."""
    last = taken[-1]
    if not plain(last.text).rstrip().endswith((":", "：")):
        return taken
    code = next((one for one in found if one.code and one.block == last.block + 1), None)
    if code is not None and len(code.text.splitlines()) <= _SHORT_CODE:
        return [*taken, code]
    return taken[:-1] if len(taken) > 1 else taken  # what it announces is not quoted


def _in_passing(read: list[_Read], wanted: _Wanted, anchor: int) -> str | None:
    """The sentence that states it in a section about something else: outright anywhere, or very likely after the trace."""
    best: tuple[int, list[Sentence]] | None = None
    for at, part in enumerate(read):
        role = part.section.roles[0] if part.section.roles else None
        if role not in wanted.elsewhere:
            continue
        words = [one for one in part.sentences if not one.code]
        for i, one in enumerate(words):
            weight = wanted.weight(one.cue)
            after = at > anchor or (at == anchor and one.block > part.last_trace)
            if weight < (2 if after and role is not Role.SYMPTOM else 3):
                continue
            far = 8 if at < anchor else min(at - anchor, 6)
            rank = 2 * far + wanted.elsewhere.index(role) - 10 * weight
            if best is None or rank < best[0]:
                best = (rank, _with_code(_stretch(words[i:], wanted.passing), part.sentences))
    return _text(best[1]) if best else None


def _text(taken: list[Sentence]) -> str:
    """The sentences as one text, verbatim but for the emphasis that a cut leaves open."""
    text = ""
    before: Sentence | None = None
    for one in taken:
        joint = (
            ""
            if before is None
            else "\n"
            if before.block != one.block or before.code or one.code
            else _joint(before.text)
        )
        text += joint + (one.text)
        before = one
    text = text.strip()
    for mark in ("**", "__"):
        if text.count(mark) % 2 and (text.startswith(mark) or text.endswith(mark)):
            text = text.removeprefix(mark) if text.startswith(mark) else text.removesuffix(mark)
    return text.strip()


def _joint(before: str) -> str:
    return "" if _HAN.search(before[-2:]) or before[-1:] in "。！？；" else " "
