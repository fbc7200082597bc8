"""A cause as a whole: all of its list, all that its paragraph goes on to explain, each of the causes that a page numbers."""

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile

from kb.article.blocks import plain
from kb.article.quotes.barred import ANSWER, CLEAR, bids, explains
from kb.article.quotes.cues import cues_of
from kb.article.quotes.own import CONCLUDES, SO, WHEN, announces, closes, own_section, points_away
from kb.article.quotes.statements import SECTIONS, QuoteTarget, ScoredSentence, Statements
from kb.article.quotes.stretch import HUGE, MOST
from kb.article.split.problems import failing, heading
from kb.article.vocabulary import SectionRole
from kb.patterns import lazy

_MOST_ITEMS = 6
"""Sentences of a list of causes that is quoted whole."""
_SHORT_SECTION = 100
"""Words of a section about the cause that is quoted whole."""
_READ = 1_000
"""Characters of a sentence that are looked at for words of failure."""
_BEFORE = 2
"""Sentences before a cause that an answer begins with."""
_REFERS = lazy(
    rf"\W{{0,4}}(?:{SO[0]}|该|此|它|这(?!是|里|样|边|种?情况)|但是?|不过|而(?!且)|也|其次|(?:{SO[1]}|this|these|those|it|they|however|but|also|secondly)\b(?! (?:is|happens|occurs|could|can|may|might|error|issue|problem|message|was|arises|usually|often|turned|turns|seems)))",
    re.IGNORECASE,
)
"""How a sentence begins that goes on from the one before it: *However, …*, *This user …*; not *This is because …*."""
_ASIDE = frozenset(("screen", "more", "note", "mended", "version", "else", "check", "then"))
"""Kinds of phrase by which a sentence behind a cause says something else than why."""
_CONDITION = lazy(
    r"\W{0,4}(?:(?:when|if|once|whenever|because|since)\b(?P<en>[^,.]{8,200}),|(?:若|如果|一旦|当|由于|因为)(?P<zh>[^，。]{3,80})[，,])",
    re.IGNORECASE,
)
"""How a sentence begins that tells what is wrong."""
_NUMBERED = lazy(
    r"\W*(?:(?:可能|常见)?的?原因|(?:possible |probable |likely )?(?:cause|reason))\s?#?(?P<number>\d{1,2}|[一二三四五六七八九十])\b\W*",
    re.IGNORECASE,
)
"""*可能原因 2*, *Cause 2*: of several causes one."""
_ONE_OF = lazy(r"[\w ]{2}(?:\d{1,2}|[一二三四五六七八九十])\W*\Z")
"""*处理步骤2*, *Solution 1*: of one of several causes."""
_NUMERALS = "一二三四五六七八九十"
_OWN = (SectionRole.ROOT_CAUSE,)


def whole_cause(document: Statements, quoted: Mapping[QuoteTarget, list[ScoredSentence]]) -> list[ScoredSentence]:
    """The cause that was chosen, and what of its list, its paragraph, its page belongs to it."""
    cause, fix = quoted.values()
    if series := _numbered(document, cause, fix):
        return series
    listed = _whole_list(document, cause, fix)
    whole = _whole_answer(document, _whole_section(document, listed, fix), fix)
    explained = _with_reasons(document, _with_premise(document, whole, fix), fix)
    own = own_section(document, explained, fix)
    return own or explained


def listed_causes(document: Statements, fix: Sequence[ScoredSentence]) -> list[ScoredSentence]:
    """The short list of causes that a sentence announces (*以下情况都会造成下单失败：*), the first of a document; none where there is none."""
    for at, part in enumerate(document.parts):
        if not SECTIONS[QuoteTarget.FIX].isdisjoint(part.roles) and not ANSWER.fullmatch(part.title):
            continue
        for one in document.sentences_of(at):
            if announces(one) and (whole := _whole_list(document, [one], fix)) != [one]:
                return whole
    return []


def tells_when(document: Statements, title: str, fix: Sequence[ScoredSentence]) -> list[ScoredSentence]:
    """The first sentence that tells what is wrong when the error of the title comes (*When the page exceeds the limit, `E-100` is reported*); none where it bids."""
    about = heading(title)
    if not about.fails and not about.asks:
        return []
    for one in document.view(QuoteTarget.CAUSE):
        found = None if one.sentence.code or one.cue.negated or one in fix else _CONDITION.match(one.sentence.text)
        if found is None or one.cue.fix >= (1 if one.sentence.opens else CLEAR) or bids(one) or points_away(one):
            continue
        if cues_of(found["en"] or found["zh"]).cause and failing(one.sentence.text[found.end() : _READ]):
            return [one]
    return []


def _numbered(
    document: Statements, cause: Sequence[ScoredSentence], fix: Sequence[ScoredSentence]
) -> list[ScoredSentence]:
    """What each of several numbered causes (*可能原因 1*, *可能原因 2*) says, where the cause is one of them, and no fix of its own (*处理步骤 2*) is."""
    is_paired = bool(fix) and _ONE_OF.search(plain(document.parts[fix[0].section].title)) is not None
    run = _run_of(document, cause[0].section) if cause and not is_paired else []
    firsts = [_first_of(document, at) for at in run]
    whole = [one for some in firsts for one in some]
    is_short = len(whole) <= _MOST_ITEMS and sum(one.sentence.words for one in whole) <= HUGE
    says = all(not one.sentence.code and not one.cue.negated and one not in fix for one in whole)
    return whole if len(run) > 1 and is_short and says and all(firsts) else []


def _run_of(document: Statements, section: int) -> list[int]:
    """The sections about causes with rising numbers that one section is among; none where it has no number."""
    run: list[int] = []
    before = 0
    for at, part in enumerate(document.parts):
        about = not SECTIONS[QuoteTarget.CAUSE].isdisjoint(part.roles)
        number = number_of(part.title) if about else 0
        if not number:
            continue
        if number <= before:
            if section in run:
                return run
            run = []
        run.append(at)
        before = number
    return run if section in run else []


def number_of(title: str) -> int:
    """The number of a label that names one of several causes (*Cause 2*, *可能原因二*); 0 for any other."""
    found = _NUMBERED.fullmatch(plain(title))
    if found is None:
        return 0
    return int(found["number"]) if found["number"].isdecimal() else _NUMERALS.index(found["number"]) + 1


def _first_of(document: Statements, section: int) -> list[ScoredSentence]:
    """The first sentence of a section, or the list that it announces."""
    beside = document.sentences_of(section)
    if not beside or not beside[0].sentence.opens:
        return beside[:1]
    return [*takewhile(lambda one: one.sentence.item and one.section == section, beside[1:])]


def _whole_list(
    document: Statements, cause: list[ScoredSentence], fix: Sequence[ScoredSentence]
) -> list[ScoredSentence]:
    """The cause; all items of a short list of causes, where it announces them or is one of them: each may be the reader's."""
    first = _first_item(document, cause)
    if first is None:
        return cause
    beside = document.sentences_of(cause[0].section)
    last = first
    while last + 1 < len(beside) and beside[last + 1].sentence.item and "else" not in beside[last + 1].cue.marks:
        last += 1
    for whole in (items := beside[first : last + 1], _heads(items)):
        is_short = len(whole) <= _MOST_ITEMS and sum(one.sentence.words for one in whole) <= HUGE
        if is_short and not any(one.cue.negated or one in fix or one.sentence.opens for one in whole):
            return whole
    return cause


def _heads(items: Sequence[ScoredSentence]) -> list[ScoredSentence]:
    """The first sentence of each item of a list, not its letter (*a.*): what else an item says is how to find out, and what to do."""
    found = [one for one in items if one.sentence.words > 1]
    return [one for at, one in enumerate(found) if at == 0 or one.sentence.block != found[at - 1].sentence.block]


def _first_item(document: Statements, cause: Sequence[ScoredSentence]) -> int | None:
    """Where the list begins that a cause announces, or is an item of; None where it does neither."""
    if not cause:
        return None
    beside = document.sentences_of(cause[0].section)
    first, below = cause[0].index, cause[-1].index + 1
    if announces(cause[-1]) and below < len(beside) and beside[below].sentence.item:
        return below
    if not cause[0].sentence.item or SectionRole.POSSIBLE_CAUSE not in _roles(document, cause[0]):
        return None
    while first > 0 and beside[first - 1].sentence.item:
        first -= 1
    return first


def _whole_section(
    document: Statements, cause: list[ScoredSentence], fix: Sequence[ScoredSentence]
) -> list[ScoredSentence]:
    """The cause; all of its short section, or what stands before it there, where that is about nothing else: one by one its sentences say what leads to the failure."""
    if not cause or not document.parts[cause[0].section].labelled or _roles(document, cause[0]) != _OWN:
        return cause
    beside = document.sentences_of(cause[0].section)
    last = cause[-1].index + 1
    for end in (last if cause[-1].sentence.opens else len(beside), last):
        is_short = end <= MOST and sum(one.sentence.words for one in beside[:end]) <= _SHORT_SECTION
        others = [one for one in beside[:end] if one not in cause]
        if is_short and all(explains(one) and one not in fix and not points_away(one) for one in others):
            return beside[:end]
    return cause


def _whole_answer(
    document: Statements, cause: list[ScoredSentence], fix: Sequence[ScoredSentence]
) -> list[ScoredSentence]:
    """The cause with what its paragraph says before it, where an answer, or what stands below the name of the failure, begins with that paragraph."""
    if not cause or not 0 < cause[0].index <= _BEFORE or cause[0].sentence.code or cause[0].sentence.item:
        return cause
    before = document.sentences_of(cause[0].section)[: cause[0].index]
    is_one = all(one.sentence.block == cause[0].sentence.block for one in before)
    is_short = sum(one.sentence.words for one in [*before, *cause]) <= _SHORT_SECTION
    says = all(one not in fix and _leads(one) for one in before)
    return [*before, *cause] if is_one and is_short and says else cause


def _leads(one: ScoredSentence) -> bool:
    """Whether a sentence before a cause says what leads to it: no failure but one that it concludes (*As a result, …*), nothing to do."""
    is_prose = not one.sentence.code and not one.sentence.opens and not one.cue.negated
    fails = _is_failure(one) and not (CONCLUDES.match(one.sentence.text) and one.cue.fix == 0)
    return is_prose and not fails and not bids(one) and not points_away(one)


def _is_failure(one: ScoredSentence) -> bool:
    """Whether a sentence tells of the failure and not clearly why."""
    return one.cue.cause < CLEAR and failing(one.sentence.text) > 0


def _with_premise(
    document: Statements, cause: list[ScoredSentence], fix: Sequence[ScoredSentence]
) -> list[ScoredSentence]:
    """The cause; where it concludes (*所以…*, *Therefore …*), with the sentence before it of its paragraph, which says from what."""
    whole = list(cause)
    while whole and whole[0].index and len(whole) < len(cause) + _BEFORE and _REFERS.match(whole[0].sentence.text):
        before = document.sentences_of(whole[0].section)[whole[0].index - 1]
        is_near = before.sentence.block == whole[0].sentence.block and before not in fix
        is_short = before.sentence.words + sum(one.sentence.words for one in whole) <= HUGE
        if not is_near or not is_short or not explains(before) or points_away(before):
            break
        whole = [before, *whole]
    return whole


def _with_reasons(
    document: Statements, cause: list[ScoredSentence], fix: Sequence[ScoredSentence]
) -> list[ScoredSentence]:
    """The cause, and what its paragraph, or its section where it is about nothing else, goes on to explain (*Previously, it was `True`*).

    Sentences that by themselves tell of no cause belong to it where one behind them does.
    """
    if not cause or cause[-1].sentence.code or cause[-1].sentence.opens:
        return cause  # what it announces is shown in its own form
    if cause[-1] not in document.sentences_of(cause[-1].section):
        return cause  # half of a sentence: the other half stands behind it
    last, opening = cause[-1], fix[0] if fix else None
    is_own = document.parts[last.section].labelled and _roles(document, last) == _OWN
    left = HUGE - sum(one.sentence.words for one in cause)
    whole, kept = list(cause), len(cause)
    beside = document.sentences_of(last.section)
    ahead = [one for one in beside if one.sentence.block == last.sentence.block]
    for one in beside[last.index + 1 :]:
        if one is opening and one.sentence.block == last.sentence.block:
            return whole  # what stands between the cause and the fix
        left -= one.sentence.words
        is_near = one.sentence.block == last.sentence.block or (is_own and not last.sentence.item)
        in_paragraph = one.sentence.block == last.sentence.block
        is_between = opening in ahead and one.cue.fix < CLEAR and _leads(one)
        ends = in_paragraph and (is_between or closes(one) or _follows(one))
        if one in fix or left < 0 or len(whole) >= MOST or not is_near or not (ends or _adds(one, is_own=is_own)):
            break
        whole.append(one)
        leans = one.cue.cause >= CLEAR or sum(side[0] - side[1] for side in (one.telling, one.leaning)) > 0
        kept = len(whole) if is_own or ends or (one.cue.cause and leans) else kept
    return whole[:kept]


def _follows(one: ScoredSentence) -> bool:
    """Whether a sentence of the paragraph goes on to tell when it comes about (*If the two differ, …*, *但是…*), and not what to do."""
    is_prose = not one.sentence.code and not one.sentence.opens and not one.cue.negated and not one.sentence.item
    aside = points_away(one) or not _ASIDE.isdisjoint(one.cue.marks)
    return (
        is_prose and not bids(one) and not aside and one.cue.fix < CLEAR and WHEN.match(one.sentence.text) is not None
    )


def _adds(one: ScoredSentence, *, is_own: bool) -> bool:
    """Whether a sentence behind a cause says more of why, and not what to do or where to click."""
    is_sure = is_own or one.cue.cause >= CLEAR
    bids = one.cue.fix > (one.cue.cause if is_sure else 0) or points_away(one)
    return explains(one) and not bids and not _ASIDE.intersection(one.cue.marks)


def _roles(document: Statements, one: ScoredSentence) -> tuple[SectionRole, ...]:
    return document.parts[one.section].roles
