"""The cause and the fix a write-up states: a short stretch of its own words, or nothing. Never generated.

How probable each sentence is, and whether nothing is stated, is estimated by a linear model over the features of
`kb.article.quotes.features`; the stretch with the highest expected F1 is quoted. `kb roles train` learns them; index/training/roles/README.md is their card.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, takewhile

from kb.article.blocks import Block
from kb.article.quotes.barred import (
    CLEAR,
    answers_why,
    asks_whether,
    barred,
    bids,
    explains,
    is_no_cause,
    leads_to,
    urges,
)
from kb.article.quotes.cues import cues_of
from kb.article.quotes.explanation import explanation
from kb.article.quotes.features import LONG, Row, absence, rows
from kb.article.quotes.quote import Quote
from kb.article.quotes.rounds import of_one_round, side_by_side
from kb.article.quotes.statements import SECTIONS, QuoteTarget, ScoredSentence, Statements
from kb.article.quotes.stretch import FEW, as_likely, stretch
from kb.article.quotes.weights import RoleModel, RoleModels, TargetScores, bundled, score, together
from kb.article.quotes.whole import listed_causes, number_of, tells_when, whole_cause
from kb.article.sections import Section
from kb.article.sentences import joined, size
from kb.article.split.problems import asks_why, failing, heading
from kb.patterns import lazy

_SURE = 0.85
"""By how much *nothing is stated* must outscore the best sentence: a reader can judge a quotation, but not a silence."""
_SAYING = 3
"""Words without which a sentence states nothing, where no heading says what it is: *Looks good.* is no cause."""
_FIELDS = {QuoteTarget.CAUSE: "root_cause", QuoteTarget.FIX: "fix"}
_CLAUSE = lazy(r"[，；;]|, ")
_BIDDEN = lazy(
    r"(?:所以|因此|故|so )?(?:您|你|用户)?(?:需要|需|可以?|请|建议|应|必须|只需|要|(?:you|please|we)\b)", re.IGNORECASE
)
"""How a clause begins that says what to do about the one before."""
_UNDER = lazy(
    r"\W{0,4}(?:(?:因此|所以|另外|此外)\W)?(?:如|若|当|对于|为了?|在|要|检查|查看|确认|请|(?:if|when|for|to|in|once|check|first)\b)|.{0,40}(?:时|后|之前|的话)\Z",
    re.IGNORECASE,
)
"""A clause that says when or what for, and not why."""
_ABLE = lazy(r"可以?|能够|即|设置|修改|\bcan\b", re.IGNORECASE)
"""What a sentence says that tells what mends: *设置为 512，可以降低冲突*."""
_MOST_CLAUSES = 12
"""Clauses of a sentence that are looked at."""


@dataclass(frozen=True, slots=True)
class Stated:
    """What a write-up states of one incident; None where it states none."""

    cause: Quote | None
    fix: Quote | None
    likeliest: tuple[int, ...] = ()
    """Where the blocks begin of the sentences that most likely state what is not quoted: the cause, the fix; none in a short text."""
    explained: tuple[Block, ...] = ()
    """What explains the failure where no cause is quoted, or beside the one that is."""
    beside: Mapping[str, tuple[Block, ...]] = field(default_factory=dict)
    """Where a page has several causes with a fix each: the beginnings of all causes, and of all fixes, by the name of the field."""


def stated(
    parts: tuple[Section, ...], title: str, is_trace: Callable[[str], bool], is_anchor: Callable[[str], bool]
) -> Stated:
    """The cause and the fix that the sections of one incident state, whose trace ``is_anchor`` knows the lines of.

    The workaround stands for a fix where there is none, and code where the section holds nothing else.
    """
    document = Statements(parts, is_trace, is_anchor)
    models = bundled()
    sides = sides_of(document, {target: rows(document, title, target) for target in QuoteTarget}, models)
    selected = _chosen(document, sides, models)
    if asks_whether(title) and not document.labelled(QuoteTarget.CAUSE):
        selected[QuoteTarget.CAUSE] = []
        fix = _quote(document, selected[QuoteTarget.FIX])
        return Stated(None, fix, _likeliest_of(document, sides, selected))
    if selected[QuoteTarget.CAUSE] and is_no_cause(document, selected[QuoteTarget.CAUSE][0]):
        selected[QuoteTarget.CAUSE] = []
    chosen, mends = selected.values()
    if not chosen and mends and _says_why(mends[0]):
        selected = {QuoteTarget.CAUSE: mends[:1], QuoteTarget.FIX: _run(mends[1:])}
        chosen, mends = selected.values()
    if not chosen and mends and (halves := _halves(mends[:1], of_fix=True, is_why=asks_why(title))):
        selected = {QuoteTarget.CAUSE: [halves[0]], QuoteTarget.FIX: [halves[1], *mends[1:]]}
        chosen, mends = selected.values()
    if not chosen and (reasons := _leading_reasons(document, mends)):
        selected = {QuoteTarget.CAUSE: reasons, QuoteTarget.FIX: mends[len(reasons) :]}
        chosen, mends = selected.values()
    if (before := leads_to(document, title, chosen, mends)) and (not chosen or chosen[0] in before):
        selected[QuoteTarget.CAUSE] = before
    elif (
        not chosen and len(document.view(QuoteTarget.CAUSE)) <= LONG and (first := answers_why(document, title, mends))
    ):
        selected[QuoteTarget.CAUSE] = [first]
    if not selected[QuoteTarget.CAUSE] and len(document.view(QuoteTarget.CAUSE)) <= LONG:
        selected[QuoteTarget.CAUSE] = listed_causes(document, mends) or tells_when(document, title, mends)
    selected[QuoteTarget.CAUSE] = _in_doubt(
        document, title, sides, whole_cause(document, selected), selected[QuoteTarget.FIX]
    )
    return _as_shown(document, title, sides, _parted(selected))


def _as_shown(
    document: Statements,
    title: str,
    sides: Mapping[QuoteTarget, TargetScores],
    selected: Mapping[QuoteTarget, list[ScoredSentence]],
) -> Stated:
    """What was chosen as quotations, and what is shown beside them."""
    beside = {_FIELDS[target]: blocks for target, blocks in side_by_side(document, selected).items()}
    selected = of_one_round(document, selected)
    cause, fix = (_quote(document, one) for one in selected.values())
    scores = [] if cause else _together(sides, bundled())[QuoteTarget.CAUSE]
    explained = explanation(document, title, sides[QuoteTarget.CAUSE], scores, selected)
    return Stated(cause, fix, _likeliest_of(document, sides, selected), explained, beside)


def _says_why(one: ScoredSentence) -> bool:
    """Whether a sentence that was chosen as the fix says outright why, and bids less (*The reason is that `tls` was not set*)."""
    return one.cue.cause > CLEAR and one.cue.cause > one.cue.fix + 1 and not one.sentence.opens


def _parted(selected: dict[QuoteTarget, list[ScoredSentence]]) -> dict[QuoteTarget, list[ScoredSentence]]:
    """The same; sentences with which a fix begins right behind the cause, in its paragraph, and which bid nothing, are of the cause."""
    cause, fix = selected.values()
    first = list(takewhile(lambda one: _goes_on(one) and not one.sentence.item, fix)) if cause else []
    is_next = bool(first) and first[0].section == cause[-1].section and first[0].index == cause[-1].index + 1
    is_next = is_next and first[0].sentence.block == cause[-1].sentence.block
    if not is_next or not any(one.cue.fix for one in fix[len(first) :]):
        return selected
    return {QuoteTarget.CAUSE: [*cause, *first], QuoteTarget.FIX: fix[len(first) :]}


def _goes_on(one: ScoredSentence) -> bool:
    """Whether a sentence tells what comes about, and nothing to do."""
    is_prose = not one.sentence.code and not one.sentence.opens and not one.cue.negated
    fails = one.cue.fix < CLEAR and failing(one.sentence.text) > 0 and not _ABLE.search(one.sentence.text)
    return is_prose and (one.cue.fix == 0 or fails) and not bids(one) and not urges(one)


def _leading_reasons(document: Statements, fix: Sequence[ScoredSentence]) -> list[ScoredSentence]:
    """The sentences with which a fix begins that say why, and nothing to do, where those behind them do; none outside the words of an answer."""
    first = list(takewhile(lambda one: one.cue.fix == 0 and not one.sentence.item and explains(one), fix))
    is_why = any(one.cue.cause for one in first) or (
        bool(first) and not heading(document.parts[first[0].section].title).walks
    )
    return first if is_why and any(one.cue.fix for one in fix[len(first) :]) else []


def _in_doubt(
    document: Statements,
    title: str,
    sides: Mapping[QuoteTarget, TargetScores],
    cause: list[ScoredSentence],
    fix: Sequence[ScoredSentence],
) -> list[ScoredSentence]:
    """The cause, and the sentence that is nearly as likely to be it and speaks of the same: in the order of their section, or behind it where it stands in another."""
    scores = _together(sides, bundled())[QuoteTarget.CAUSE] if cause else []
    parts = [_joined_text([other]) for other in cause]
    one = as_likely(document, sides[QuoteTarget.CAUSE], scores, cause, title) if cause else None
    if one is None or one in fix or any(_joined_text([one]) in part or part in _joined_text([one]) for part in parts):
        return cause
    return [one, *cause] if one.section == cause[0].section and one.index < cause[0].index else [*cause, one]


def _together(sides: Mapping[QuoteTarget, TargetScores], models: RoleModels) -> dict[QuoteTarget, list[float]]:
    """The scores of the sentences of each target, with what the other one tells of them."""
    both = together(sides[QuoteTarget.CAUSE], sides[QuoteTarget.FIX], models.relations)
    return dict(zip(QuoteTarget, both, strict=True))


def _likeliest_of(
    document: Statements,
    sides: Mapping[QuoteTarget, TargetScores],
    selected: Mapping[QuoteTarget, Sequence[ScoredSentence]],
) -> tuple[int, ...]:
    missing = [target for target in QuoteTarget if not selected[target] and len(document.view(target)) > FEW]
    if not missing:
        return ()
    scores = _together(sides, bundled())
    places = []
    for target in missing:
        best = max(sorted(sides[target].able), key=scores[target].__getitem__, default=None)
        if best is not None:
            places.append(sides[target].view[best].sentence.place[0])
    return tuple(places)


def _quote(document: Statements, sentences: Sequence[ScoredSentence]) -> Quote | None:
    if not sentences:
        return None
    section, last = document.parts[sentences[0].section], sentences[-1]
    numbers = [number_of(document.parts[one.section].title) for one in sentences]
    apart = len({one.section for one in sentences}) > 1 and all(numbers)
    return Quote(
        tuple(one.sentence for one in sentences),
        section.title or None,
        document.parts[last.section].blocks[last.sentence.block :],
        tuple(f"{number}." for number in numbers) if apart else (),
    )


def sides_of(
    document: Statements, found: Mapping[QuoteTarget, list[Row]], models: RoleModels
) -> dict[QuoteTarget, TargetScores]:
    """The sentences that may state each target."""
    return {target: side_of(document, found[target], target, models.of[target]) for target in QuoteTarget}


def quoted(
    document: Statements, found: Mapping[QuoteTarget, list[Row]], models: RoleModels
) -> dict[QuoteTarget, list[ScoredSentence]]:
    """The sentences to quote for each target, which follow each other in one section; none where silence is clearly likelier.

    The target's own model says whether anything is stated, both together which sentence states it.
    """
    return _chosen(document, sides_of(document, found, models), models)


def _chosen(
    document: Statements, sides: dict[QuoteTarget, TargetScores], models: RoleModels
) -> dict[QuoteTarget, list[ScoredSentence]]:
    selected = _of_one_case(document, sides, models, _stretches(document, sides, models))
    lost = _lost(document, *selected.values())
    if lost is None:
        return selected
    target, shared = lost
    halves = _halves(shared)
    if halves is not None and all(len(one) == 1 for one in selected.values()):
        return {one: [half] for one, half in zip(QuoteTarget, halves, strict=True)}
    rest = _run([one for one in selected[target] if one not in shared])
    if rest and not all(one.sentence.code or one.cue.negated for one in rest):
        return selected | {target: rest}
    side = sides[target]
    able = frozenset(
        at
        for at in side.able
        if side.view[at] not in shared and (document.labelled(target) or _is_clear(side.view[at], target))
    )
    again = _stretches(document, sides | {target: replace(side, able=able)}, models)[target] if able else []
    others = selected | {target: _run([one for one in again if one not in shared])}
    return others if _lost(document, *others.values()) is None else selected | {target: []}


def _of_one_case(
    document: Statements,
    sides: Mapping[QuoteTarget, TargetScores],
    models: RoleModels,
    selected: dict[QuoteTarget, list[ScoredSentence]],
) -> dict[QuoteTarget, list[ScoredSentence]]:
    """The same; a cause of another case (*情况二*) than the fix is left for one of the fix's own."""
    cause, fix = selected.values()
    if not cause or not fix:
        return selected
    case = document.case_of(fix[0].section)
    if None in {case, document.case_of(cause[0].section)} or case == document.case_of(cause[0].section):
        return selected
    side = sides[QuoteTarget.CAUSE]
    able = frozenset(at for at in side.able if document.case_of(side.view[at].section) == case)
    if not able:
        return selected | {QuoteTarget.CAUSE: []}
    again = _stretches(document, {**sides, QuoteTarget.CAUSE: replace(side, able=able)}, models)
    return selected | {QuoteTarget.CAUSE: again[QuoteTarget.CAUSE]}


def _is_clear(one: ScoredSentence, target: QuoteTarget) -> bool:
    """Whether the wording of a sentence very likely states the target, and not the other one."""
    own, other = (one.cue.cause, one.cue.fix) if target is QuoteTarget.CAUSE else (one.cue.fix, one.cue.cause)
    return own >= CLEAR and own > other


def _halves(
    shared: Sequence[ScoredSentence], *, of_fix: bool = False, is_why: bool = False
) -> tuple[ScoredSentence, ScoredSentence] | None:
    """The cause and the fix of one sentence that states both, one behind the other: *the disk is full, just extend it*.

    Of one that was chosen for both one half must be clear; of one that is ``of_fix`` the first, or it says what does not work (where the title
    asks why: anything) and the second bids: *you need to …*, *需要…*.
    """
    if len(shared) != 1 or shared[0].sentence.code:
        return None
    one = shared[0]
    text = one.sentence.text
    for found in islice(_CLAUSE.finditer(text), _MOST_CLAUSES):
        before, after = text[: found.start()], text[found.end() :].strip()
        first, second = cues_of(before), cues_of(after)
        if min(size(before), size(after)) < _SAYING or first.fix > first.cause:
            continue
        is_clear = max(first.cause, 0 if of_fix else second.fix) >= CLEAR
        is_bidden = of_fix and second.fix > 0 and _BIDDEN.match(after) and not _UNDER.match(before)
        is_clear = is_clear or bool(is_bidden and (is_why or first.cause or failing(before)))
        if second.fix > second.cause and is_clear:
            return _cut(one, before), _cut(one, after)
    return None


def _cut(one: ScoredSentence, text: str) -> ScoredSentence:
    return replace(one, sentence=replace(one.sentence, text=text))


def _stretches(
    document: Statements, sides: Mapping[QuoteTarget, TargetScores], models: RoleModels
) -> dict[QuoteTarget, list[ScoredSentence]]:
    """The sentences to quote for each target; one may be quoted for both."""
    cause, fix = (side.best for side in sides.values())
    sure = 0.0 if cause is fix else _SURE  # one sentence may state both, but then it must say so by itself
    scores = _together(sides, models)
    return {
        target: stretch(document, side, scores[target], target, models.of[target])
        if _is_stated(document, side, target, models.of[target], sure)
        else []
        for target, side in sides.items()
    }


def _lost(
    document: Statements, cause: list[ScoredSentence], fix: list[ScoredSentence]
) -> tuple[QuoteTarget, list[ScoredSentence]] | None:
    """The target that must do without sentences quoted for both, and those; None where cause and fix say different things."""
    shared = [one for one in cause if one in fix]
    if not shared:
        one, other = (_joined_text(sentences) for sentences in (cause, fix))
        if not one or not other or (one not in other and other not in one):
            return None
        shared = fix if other in one else cause  # stated twice, in two places
        if not _is_fix(document, shared):
            return QuoteTarget.FIX, fix
        return QuoteTarget.CAUSE, cause
    return (QuoteTarget.CAUSE if _is_fix(document, shared) else QuoteTarget.FIX), shared


def _joined_text(sentences: Sequence[ScoredSentence]) -> str:
    return " ".join(joined([one.sentence for one in sentences]).split())


def _run(sentences: list[ScoredSentence]) -> list[ScoredSentence]:
    """The first of them that follow each other."""
    return [one for at, one in enumerate(sentences) if one.index == sentences[0].index + at]


def _is_fix(document: Statements, sentences: Sequence[ScoredSentence]) -> bool:
    """Whether sentences say what to do, not why: by the role of their section, else by their cues, else by their words."""
    cause, fix = (max(getattr(one.cue, target) for one in sentences) for target in QuoteTarget)
    roles = set(document.parts[sentences[0].section].roles)
    is_cause, is_fix = (not SECTIONS[target].isdisjoint(roles) for target in QuoteTarget)
    if is_cause and not is_fix:
        return bool(fix >= CLEAR and not cause)
    if is_fix and not is_cause and (fix or cause or sentences[0].sentence.code):  # an answer may begin with the cause
        return bool((fix and cause - fix < CLEAR) or sentences[0].sentence.code)
    if cause != fix or sentences[-1].sentence.opens:  # what is announced is to be done
        return bool(fix >= cause)
    return sum(one.telling[1] - one.telling[0] + one.leaning[1] - one.leaning[0] for one in sentences) > 0


def side_of(document: Statements, found: list[Row], target: QuoteTarget, model: RoleModel) -> TargetScores:
    """The sentences that may state a target.

    A sentence that asks, or says that nothing is known, is never the first, nor is a step of which the next sentence says that it
    was in vain; a section whose whole heading is about the target states something with any other.
    """
    view = document.view(target)
    scores = [score(model.weights[state], features) for state, features in found]
    heard = document.labelled(target)
    able = {at for at, one in enumerate(view) if not one.cue.negated and (heard or one.sentence.words >= _SAYING)}
    return TargetScores(view, scores, frozenset(able - barred(document, view, target)))


def _is_stated(document: Statements, side: TargetScores, target: QuoteTarget, model: RoleModel, sure: float) -> bool:
    """Whether the target is stated at all."""
    if not side.able or document.labelled(target):
        return bool(side.able)
    nothing = score(model.absence, absence(document, target))
    best = max(side.scores[at] for at in side.able)
    return nothing - best <= (0.0 if document.is_postponed(target) else sure)
