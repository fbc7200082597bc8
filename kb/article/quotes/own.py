"""A section that is about the cause alone: its reader wants all of it, the list that it announces, and the heads of a list with logs between."""

import re
from collections.abc import Sequence

from kb.article.blocks import plain
from kb.article.quotes.barred import CLEAR, POINTS_AWAY, announces_causes, bids, says_little, urges
from kb.article.quotes.statements import SECTIONS, QuoteTarget, ScoredSentence, Statements
from kb.article.quotes.stretch import HUGE
from kb.article.split.problems import failing
from kb.patterns import lazy

_MOST, _LONG = 10, 1_300
"""Sentences, and their characters, of what is quoted whole of a section about the cause alone."""
_MOST_HEADS = 6
"""Items of a list of which the heads are quoted."""
_SAYS_MORE = 8
"""Words without which another paragraph, or the failure before it, adds nothing to a cause."""
_BARE = 20
"""Words of a sentence that announces a list and says little else: it is left out where the quotation would begin with it."""
_LEAD = 2
"""Sentences of an introduction that are quoted with the list behind it."""
_READ = 1_000
"""Characters of a sentence that are looked at for words of failure."""
_END = 120
"""Characters at the end of a sentence in which it announces causes."""
SO = (
    "所以|因此|因而|从而|故|由此|于是|进而|此时|这(?:就|会|将)?(?:导致|造成|使得?)",
    "so|therefore|thus|hence|as a result|consequently|in (?:this|such) cases?|this (?:causes|leads|results|means|prevents|makes)",
)
"""How a sentence begins that concludes."""
CONCLUDES = lazy(rf"\W{{0,4}}(?:{SO[0]}|(?:{SO[1]})\b)", re.IGNORECASE)
WHEN = lazy(
    r"\W{0,4}(?:若|如果|一旦|假如|也就是|当[^，。]{1,60}时|但是?|然而|(?:(?:however|but|if|when|whenever|unless|once)\b))",
    re.IGNORECASE,
)
"""How a sentence begins that tells under which condition, or against what, it comes about."""
_COMES_ABOUT = lazy(
    r"会?(?:发生|出现)(?:这种|此|该)(?:情况|问题|错误)|(?<!when )(?<!if )\b(?:this|the (?:error|issue|problem)) (?:happens|occurs|appears)\b",
    re.IGNORECASE,
)
"""How a sentence says when it comes about: *当导入了备份时会发生这种情况*, *The issue occurs after an import.*"""
_CAUSES_BELOW = lazy(
    r"(?<!其他)(?<!其它)(?:原因|起因|诱因)[^，。；：:\n]{0,14}[:：]\W*\Z"
    r"|(?<!other )(?<!this )\b(?:causes?|reasons?)(?:\(s\))?"
    r"(?: (?:of|for|behind|why|that|are|is|were|was|may|might|can|could|includ(?:e|es|ing)|as|follow|below|here|in|which|and|or)\b[^.:\n]{0,60})?:\W*\Z",
    re.IGNORECASE,
)
"""How a sentence ends that announces causes: *Common underlying causes include:*, *具体原因可能是：*; not *for other reasons such as:*, nor what it *causes*: *this causes the following problems:*."""
_ELSEWHERE = frozenset(("more", "note", "mended", "else"))
"""Kinds of phrase by which a sentence of such a section says something else than why."""
_STEPS = frozenset(("screen", "step"))


def own_section(
    document: Statements, cause: Sequence[ScoredSentence], fix: Sequence[ScoredSentence]
) -> list[ScoredSentence]:
    """What a section that is about the cause alone says around the cause, up to code, a question, a pointer or what to do; nothing where that is long.

    Which of its sentences is *the* cause is seldom certain, and the items of a list are causes side by side.
    """
    if not cause or not document.parts[cause[0].section].labelled or not _is_own(document, cause[0]):
        return []
    beside = document.sentences_of(cause[0].section)
    if any(one.sentence.code or one not in beside for one in cause):
        return []
    if heads := _heads(beside, cause, fix):
        return heads
    first, last = cause[0].index, cause[-1].index
    if last - first >= len(cause):  # the first sentences of long items
        return []
    while first > 0 and _belongs(beside, first - 1, fix) and not _is_bare_failure(beside[first - 1]):
        first -= 1
    while last + 1 < len(beside) and _belongs(beside, last + 1, fix) and _continues(beside, last + 1):
        last += 1
    while last > cause[-1].index and _mends(beside[last]):
        last -= 1
    while first < cause[0].index and announces(beside[first]) and beside[first].sentence.words < _BARE:
        first += 1
    if cause[0].sentence.item and sum(not one.sentence.item for one in beside[first : cause[0].index]) > _LEAD:
        first = cause[0].index  # a long introduction tells of the failure
    whole = beside[first : last + 1]
    is_short = len(whole) <= _MOST and sum(len(one.sentence.text) for one in whole) <= _LONG
    is_short = is_short and sum(one.sentence.words for one in whole) <= 2 * HUGE
    return [] if _is_torn(beside, last) or not is_short else whole


def announces(one: ScoredSentence) -> bool:
    """Whether a sentence announces causes, in whatever words a section about them has for it."""
    is_lead = one.sentence.opens and _CAUSES_BELOW.search(plain(one.sentence.text)[-_END:]) is not None
    return announces_causes(one) or (is_lead and one.cue.fix < CLEAR)


def _is_listed(beside: Sequence[ScoredSentence], at: int) -> bool:
    """Whether a sentence announces a list of causes that follows it, or is of one."""
    first = at
    while first > 0 and beside[first].sentence.item:
        first -= 1
    is_list = first + 1 < len(beside) and beside[first + 1].sentence.item
    return is_list and not beside[first].sentence.item and announces(beside[first])


def closes(one: ScoredSentence) -> bool:
    """Whether a sentence says what comes of the one before it (*As a result, …*, *因此…*), and not what to do."""
    is_prose = not one.sentence.code and not one.sentence.opens and not one.cue.negated
    return is_prose and one.cue.fix == 0 and not urges(one) and CONCLUDES.match(one.sentence.text) is not None


def points_away(one: ScoredSentence) -> bool:
    """Whether a sentence points elsewhere, or says that another text says more."""
    return POINTS_AWAY.search(one.sentence.text) is not None or says_little(one)


def _heads(
    beside: Sequence[ScoredSentence], cause: Sequence[ScoredSentence], fix: Sequence[ScoredSentence]
) -> list[ScoredSentence]:
    """The first sentence of each item of a list of which logs stand between the items (*1. 磁盘已满。查看日志：…*), where each says what is wrong and the cause is among them."""
    items = [one for one in beside if one.sentence.item]
    firsts = [one for at, one in enumerate(items) if at == 0 or one.sentence.block != items[at - 1].sentence.block]
    heads = [one for one in firsts if not one.sentence.opens]
    is_apart = any(one.sentence.opens or one.sentence.code for one in beside[heads[0].index :]) if heads else False
    blocks = {one.sentence.block for one in heads}
    is_list = is_apart and 1 < len(heads) <= _MOST_HEADS and all(one.sentence.block in blocks for one in cause)
    wrong = sum(one.cue.cause > 0 or failing(one.sentence.text[:_READ]) > 0 for one in heads)
    says = 1 < wrong >= len(heads) - 1 and all(_STEPS.isdisjoint(one.cue.marks) for one in heads)
    return heads if is_list and says and not any(one.cue.negated or one in fix or bids(one) for one in heads) else []


def _is_own(document: Statements, one: ScoredSentence) -> bool:
    """Whether the section of a sentence is about causes and nothing else."""
    return set(document.parts[one.section].roles) <= SECTIONS[QuoteTarget.CAUSE]


def _belongs(beside: Sequence[ScoredSentence], at: int, fix: Sequence[ScoredSentence]) -> bool:
    """Whether a sentence says something of the cause; an item that opens a list of its own, or says where to click, is a step of an analysis."""
    one = beside[at]
    says = not one.sentence.code and not one.cue.negated and one not in fix
    if says and _is_listed(beside, at):
        return not one.sentence.item or (not one.sentence.opens and (one.cue.fix <= CLEAR or one.cue.cause > 0))
    is_marked = one.cue.cause < CLEAR and not _STEPS.isdisjoint(one.cue.marks)
    is_step = one.sentence.item and (one.sentence.opens or is_marked)
    aside = is_step or points_away(one) or not _ELSEWHERE.isdisjoint(one.cue.marks)
    return says and (not bids(one) or _tells_when(one)) and not aside


def _continues(beside: Sequence[ScoredSentence], at: int) -> bool:
    """Whether a sentence goes on with the cause: behind one that says so outright only in its paragraph; a list where it is announced as one of causes."""
    before, one = beside[at - 1], beside[at]
    if _is_listed(beside, at):
        return True
    if "then" in one.cue.marks and not closes(one):
        return False
    if one.sentence.block == before.sentence.block:
        return True
    if one.sentence.item and not before.sentence.item:
        return before.sentence.opens and before.cue.cause >= CLEAR
    is_more = before.cue.cause <= CLEAR and (one.cue.cause > 0 or one.sentence.words >= _SAYS_MORE)
    return one.sentence.item or is_more


def _is_torn(beside: Sequence[ScoredSentence], last: int) -> bool:
    """Whether a list goes on behind a sentence of it."""
    return beside[last].sentence.item and last + 1 < len(beside) and beside[last + 1].sentence.item


def _mends(one: ScoredSentence) -> bool:
    """Whether a last sentence announces what is left out, or speaks of what mends it and not of when it fails; not of an item, which is a cause like those before it."""
    is_fix = one.cue.fix > one.cue.cause and not one.sentence.item
    return one.sentence.opens or (is_fix and not _tells_when(one))


def _tells_when(one: ScoredSentence) -> bool:
    """Whether a sentence tells under which condition it comes about (*如果没有提供密码则报错*)."""
    words = one.sentence.text[:_READ]
    return (WHEN.match(words) is not None and failing(words) > 0) or _COMES_ABOUT.search(words) is not None


def _is_bare_failure(one: ScoredSentence) -> bool:
    """Whether a few words tell of the failure and not at all why (*The ledger failed at noon.*): an item may be both."""
    is_short = not one.sentence.item and one.sentence.words < _SAYS_MORE
    return is_short and not one.cue.cause and failing(one.sentence.text) > 0
