"""The cause and the fix a write-up states: a short stretch of its own words, or nothing. Never generated.

How probable each sentence is, and whether nothing is stated, is told by a linear model over the features of
`kb.article.features`; the stretch with the highest expected F1 is quoted. `kb roles train` learns them; index/training/roles/README.md is their card.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile
from math import exp

from kb.article.blocks import Block
from kb.article.features import Row, absence, rows
from kb.article.sections import Section
from kb.article.sentences import Sentence, joined
from kb.article.statements import Statements, Target, Told
from kb.article.together import Side, together
from kb.article.weights import Model, Models, bundled, score
from kb.incident import Place

_MOST = 4
"""Sentences of a quotation."""
_TWO = 0.1
"""How often the next sentence belongs to what is quoted: as often as in the marked articles, where 0.1 to 0.3 do equally well."""
_SHARPER = 2.0
"""The probabilities are taken to this power: those of an article that did not teach are flatter than they should be."""
_HUGE = 150
"""Words of a long block of code, when its length is compared."""
_UNLIKELY = 0.02
"""A stretch does not begin with a sentence less probable than this."""
_SURE = 0.85
"""By how much *nothing is stated* must outscore the best sentence: a reader can judge a quotation, but not a silence."""
_SAYING = 3
"""Words without which a sentence states nothing, where no heading says what it is: *Looks good.* is no cause."""
_VERDICT = 8
"""Words of a sentence that says of the one before that it did not help, and nothing else."""
_CLEAR = 2
"""The weight of a cue by which a sentence very likely states a cause."""
_BARE = 12
"""Words that announce code and say little themselves."""
_SHORT_CODE = 6
"""Lines of code that can be read in passing."""


@dataclass(frozen=True, slots=True)
class Quote:
    """Sentences of one section, quoted."""

    sentences: tuple[Sentence, ...]
    heading: str | None
    """The heading or label of the section."""
    blocks: tuple[Block, ...] = ()
    """Of its section: the one its last sentence stands in, and those behind that."""

    @property
    def text(self) -> str:
        """The quotation, verbatim but for the marks of lists and emphasis that a cut leaves open."""
        return joined(self.sentences)

    def places(self, text: str) -> tuple[Place, ...]:
        """Where it stands in the text of its document; sentences that follow each other are one place."""
        spans: list[tuple[int, int]] = []
        for one in self.sentences:
            start, end = _found(text, one, spans[-1][1] if spans else 0)
            if spans and not text[spans[-1][1] : start].strip() and start >= spans[-1][1]:
                spans[-1] = (spans[-1][0], end)
            else:
                spans.append((start, end))
        return tuple(Place(start, end, text.count("\n", 0, start) + 1, self.heading) for start, end in spans)


def _found(text: str, one: Sentence, after: int) -> tuple[int, int]:
    """The offsets of a sentence; those of its block where the block does not hold it letter by letter (tags, quote marks)."""
    first, last = one.place
    for begin in (max(first, after), first):
        start = text.find(one.text, begin, last)
        if start >= 0:
            return start, start + len(one.text)
    block = text[first:last]
    return first + len(block) - len(block.lstrip()), first + len(block.rstrip())


@dataclass(frozen=True, slots=True)
class Stated:
    """What a write-up states of one incident; None where it states none."""

    cause: Quote | None
    fix: Quote | None


def stated(
    parts: tuple[Section, ...], title: str, is_trace: Callable[[str], bool], is_anchor: Callable[[str], bool]
) -> Stated:
    """The cause and the fix that the sections of one incident state, whose trace ``is_anchor`` knows the lines of.

    The workaround stands for a fix where there is none, and code where the section holds nothing else.
    """
    document = Statements(parts, is_trace, is_anchor)
    found = {target: rows(document, title, target) for target in Target}
    cause, fix = (_quote(document, taken) for taken in quoted(document, found, bundled()).values())
    return Stated(cause, _beside(cause, fix))


def _beside(cause: Quote | None, fix: Quote | None) -> Quote | None:
    """The fix without the sentences at its begin that are quoted as the cause, when others follow."""
    if cause is None or fix is None:
        return fix
    rest = tuple(dropwhile(cause.sentences.__contains__, fix.sentences))
    return replace(fix, sentences=rest) if rest else fix


def _quote(document: Statements, taken: Sequence[Told]) -> Quote | None:
    if not taken:
        return None
    section, last = document.parts[taken[0].section], taken[-1].sentence
    return Quote(tuple(one.sentence for one in taken), section.title or None, section.blocks[last.block :])


def quoted(document: Statements, found: Mapping[Target, list[Row]], models: Models) -> dict[Target, list[Told]]:
    """The sentences to quote for each target, which follow each other in one section; none where silence is clearly likelier.

    Whether anything is stated is told by the target's own model, which sentence states it by both together.
    """
    sides = {target: side_of(document, found[target], target, models.of[target]) for target in Target}
    cause, fix = (side.best for side in sides.values())
    sure = 0.0 if cause is fix else _SURE  # one sentence may state both, but then it must say so by itself
    scores = dict(zip(Target, together(sides[Target.CAUSE], sides[Target.FIX], models.relations), strict=True))
    return {
        target: _stretch(side, scores[target]) if _is_stated(document, side, target, models.of[target], sure) else []
        for target, side in sides.items()
    }


def side_of(document: Statements, found: list[Row], target: Target, model: Model) -> Side:
    """The sentences that may state a target.

    A sentence that asks, or says that nothing is known, is never the first, nor is a step of which the next sentence says that it
    was in vain; a section whose whole heading is about the target states something with any other.
    """
    view = document.view(target)
    scores = [score(model.weights[state], features) for state, features in found]
    heard = document.labelled(target)
    able = {at for at, one in enumerate(view) if not one.cue.negated and (heard or one.sentence.words >= _SAYING)}
    never = _in_vain(view) if target is Target.FIX else _mended(view)
    return Side(view, scores, frozenset(able - never))


def _mended(view: Sequence[Told]) -> set[int]:
    """The sentences that say that it is fixed, or where, and of a cause nothing clear."""
    return {at for at, one in enumerate(view) if "mended" in one.cue.marks and one.cue.cause < _CLEAR}


def _in_vain(view: Sequence[Told]) -> set[int]:
    """The sentences, and the code, behind which a short one says that it did not help."""
    found: set[int] = set()
    for at, one in enumerate(view):
        before = at - 1
        if "vain" not in one.cue.marks or one.sentence.words > _VERDICT:
            continue
        while before >= 0 and view[before].section == one.section:
            found.add(before)
            if not view[before].sentence.code:
                break
            before -= 1
    return found


def _is_stated(document: Statements, side: Side, target: Target, model: Model, sure: float) -> bool:
    """Whether the target is stated at all."""
    if not side.able or document.labelled(target):
        return bool(side.able)
    nothing = score(model.absence, absence(document, target))
    best = max(side.scores[at] for at in side.able)
    return nothing - best <= (0.0 if document.put_off(target) else sure)


def _stretch(side: Side, scores: Sequence[float]) -> list[Told]:
    """The likeliest sentences, and short code that they announce."""
    view = list(side.view)
    shares = _shares([value if at in side.able else None for at, value in enumerate(scores)])
    first, last = _likeliest(view, shares)
    if last + 1 < len(view) and _is_bare(view[first : last + 1], view[last + 1]):
        last += 1
    return view[first : last + 1]


def _shares(scores: list[float | None]) -> list[float]:
    """The probability of each sentence to begin what an expert would quote; 0 for those that cannot."""
    top = max(one for one in scores if one is not None)
    powers = [0.0 if one is None else exp(_SHARPER * (one - top)) for one in scores]
    whole = sum(powers)
    return [one / whole for one in powers]


def _likeliest(view: list[Told], shares: list[float]) -> tuple[int, int]:
    """The first and the last sentence of the stretch whose expected F1 with what an expert would quote is highest.

    An expert quotes one sentence, or as often as `_TWO` says the next one too.
    """
    sizes = [min(max(one.sentence.words, 1), _HUGE) for one in view]
    best = (-1.0, 0, 0)
    for first in range(len(view)):
        if shares[first] < _UNLIKELY:
            continue
        for last in range(first, min(first + _MOST, len(view))):
            if view[last].section != view[first].section:
                break
            gain = _expected(view, shares, sizes, (first, last))
            if gain > best[0]:
                best = (gain, first, last)
    return best[1:]


def _expected(view: list[Told], shares: list[float], sizes: list[int], stretch: tuple[int, int]) -> float:
    """The expected F1, by words, of a stretch."""
    first, last = stretch
    whole = sum(sizes[first : last + 1])
    gain = 0.0
    for begin in range(max(first - 1, 0), last + 1):
        inside = begin >= first
        pair = begin + 1 < len(view) and view[begin + 1].section == view[begin].section
        if inside:
            alone = 2 * sizes[begin] / (whole + sizes[begin])
            gain += shares[begin] * alone * (1 - _TWO if pair else 1)
        if pair:
            shared = (sizes[begin] if inside else 0) + (sizes[begin + 1] if begin < last else 0)
            gain += shares[begin] * _TWO * 2 * shared / (whole + sizes[begin] + sizes[begin + 1])
    return gain


def _is_bare(taken: list[Told], after: Told) -> bool:
    """Whether the quotation ends in a few words that announce a few lines of code: without them they say nothing."""
    short = after.sentence.code and after.sentence.lines <= _SHORT_CODE and after.section == taken[-1].section
    return taken[-1].sentence.opens and taken[-1].sentence.words < _BARE and short
