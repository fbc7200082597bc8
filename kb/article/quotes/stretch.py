"""The stretch of sentences that is quoted: the one with the highest expected F1, where the choice is certain enough."""

import re
from collections.abc import Collection, Sequence
from math import exp, log

from kb.article.quotes.barred import CLEAR, POINTS_AWAY, bids, denies, says_little
from kb.article.quotes.features import absence
from kb.article.quotes.statements import QuoteTarget, ScoredSentence, Statements
from kb.article.quotes.weights import RoleModel, TargetScores, score
from kb.article.split.problems import heading
from kb.article.vocabulary import bare
from kb.patterns import lazy

MOST = 4
"""Sentences of a quotation."""
_TWO = 0.1
"""How often the next sentence belongs to what is quoted: as often as in the marked articles, where 0.1 to 0.3 do equally well."""
_SHARPER = 2.0
"""The probabilities are raised to this power: those of an article that did not teach are flatter than they should be."""
_UNLIKELY = 0.02
"""A stretch does not begin with a sentence less probable than this."""
_BARE = 12
"""Words that announce code and say little themselves."""
_SHORT_CODE = 6
"""Lines of code that can be read in passing."""
_BESIDE = 0.4
"""A sentence of the same paragraph that is at least so probable as the likeliest belongs to a cause that no heading announces."""
_AS_LIKELY = 0.5
"""Another sentence that is at least so probable is quoted, too: which of the two is the cause cannot be told, and a reader can."""
_MORAL = lazy(
    r"慎用|谨慎|小心|下次|今后|教训|学到|\b(?:be careful|lessons?|next time|in (?:the )?future)\b", re.IGNORECASE
)
"""What an author learned of it: *看来以后要慎用*, *Be careful next time.*"""
_SUPPOSED = lazy(
    r"\b(?:i|we|somebody|someone|people) (?:\w{2,10} )?(?:thought|suspected|assumed|believed|guessed)\b|以为|怀疑|猜测",
    re.IGNORECASE,
)
"""How an author tells of a cause that was only supposed."""
_THE_SAME = lazy(
    r"\b(?:this|the) (?:problem|issue|error|exception|failure)\b|[这该此本上]个?(?:问题|错误|报错|异常|故障|现象)",
    re.IGNORECASE,
)
"""What a sentence calls the error that the page is about."""
_LATIN, _HAN = lazy(r"[a-z_][a-z\d_.-]{2,60}[a-z\d_]"), lazy(r"[\u4e00-\u9fff]{2,200}")
_ACRONYM = lazy(r"\b(?:[A-Z]{2,5}|[A-Z][A-Z\d]{1,6})\b")
_COMMON = frozenset((
    "about", "after", "again", "also", "because", "been", "before", "being", "between", "both", "cannot", "cause", "caused", "causes", "could", "does", "doesn", "during", "each", "error", "errors", "every",
    "exception", "failed", "fails", "failure", "from", "given", "have", "into", "issue", "just", "like", "made", "make", "makes", "many", "more", "most", "much", "need", "needs", "only", "other",
    "over", "problem", "problems", "reason", "same", "should", "since", "some", "still", "such", "than", "that", "their", "them", "then", "there", "these", "they", "thing", "this", "those", "through",
    "time", "until", "used", "uses", "using", "very", "want", "were", "what", "when", "where", "which", "while", "will", "with", "without", "would", "your",
))  # fmt: skip
"""Words that any two sentences about a failure may share."""
_COMMON_HAN = frozenset((
    "因为", "由于", "导致", "所以", "原因", "问题", "这个", "我们", "可以", "需要", "没有", "出现", "错误", "报错", "异常", "发生", "造成", "引起",
    "使用", "进行", "时候", "如果", "就是", "不是", "一个", "可能", "已经", "然后", "其实", "是因", "这样", "情况", "解决",
))  # fmt: skip
_CERTAIN, _SHARE = -0.75, 2.0
"""How certain a choice must be where no heading announces the target: its score beyond *nothing is stated*, and `_SHARE` times the log-odds that it is this sentence.

It leaves 7 of 17 wrong causes and 2 of 20 right ones unquoted, 6 of 12 wrong fixes and 1 of 7 right ones (112 incidents without a heading, one reader, 2026-11-27).
"""
FEW = 8
"""Sentences of a short answer: the sentence that is quoted is shown with all others."""
_SINGLE = 10.0
"""Log-odds of the only sentence there is."""
HUGE = 150
"""Words of a long block of code, when its length is compared."""


def stretch(
    document: Statements, side: TargetScores, scores: Sequence[float], target: QuoteTarget, model: RoleModel
) -> list[ScoredSentence]:
    """The likeliest sentences, and short code that they announce; none where no heading announces them and they are not certain."""
    view = list(side.view)
    shares = _shares([value if at in side.able else None for at, value in enumerate(scores)])
    first, last = _likeliest(view, shares)
    is_announced = document.labelled(target)
    if len(view) > FEW and not is_announced:
        beyond = side.scores[first] - score(model.absence, absence(document, target))
        if beyond + _SHARE * _log_odds(scores, side.able, first) < _CERTAIN:
            return []
    if target is QuoteTarget.CAUSE and not is_announced:
        first, last = _with_those_beside(view, scores, side.able, (first, last))
    if last + 1 < len(view) and _is_bare(view[first : last + 1], view[last + 1]):
        last += 1
    return view[first : last + 1]


def _shares(scores: list[float | None]) -> list[float]:
    """The probability of each sentence to begin what an expert would quote; 0 for those that cannot."""
    top = max(one for one in scores if one is not None)
    powers = [0.0 if one is None else exp(_SHARPER * (one - top)) for one in scores]
    whole = sum(powers)
    return [one / whole for one in powers]


def as_likely(
    document: Statements, side: TargetScores, scores: Sequence[float], cause: Sequence[ScoredSentence], title: str
) -> ScoredSentence | None:
    """The sentence beside a quoted cause that is nearly as probable, has a word of a cause, and speaks of the same; None where there is none, or a heading announces the cause."""
    best = max((scores[at] for at in side.able if side.view[at] in cause), default=None)
    if best is None or document.labelled(QuoteTarget.CAUSE):
        return None
    least, section = best + log(_AS_LIKELY), cause[0].section
    near = (at for at in sorted(side.able) if scores[at] >= least and side.view[at] not in cause)
    words = _words("\n".join((title, *(one.sentence.text for one in cause))))
    able = [
        at
        for at in near
        if _may_be_cause(one := side.view[at])
        and _is_about(one, words)
        and _of_one_problem(document, section, one.section)
    ]
    return side.view[max(able, key=scores.__getitem__)] if able else None


def _of_one_problem(document: Statements, section: int, other: int) -> bool:
    """Whether two sections are of one case, and none that is headed by a question or a failure begins between them."""
    first, last = sorted((section, other))
    between = (part for part in document.parts[first + 1 : last + 1] if part.title and not part.roles)
    headed = any(title.asks or (title.fails and not title.again) for title in (heading(part.title) for part in between))
    return not headed and document.case_of(section) == document.case_of(other)


def _may_be_cause(one: ScoredSentence) -> bool:
    """Whether a sentence has a word of a cause and denies none, and bids nothing, points nowhere, draws no moral."""
    says = not one.sentence.code and not one.sentence.opens and one.cue.cause > 0 and one.cue.fix < CLEAR
    aside = bids(one) or says_little(one) or POINTS_AWAY.search(one.sentence.text) or _MORAL.search(one.sentence.text)
    return says and not aside and not denies(one) and not _SUPPOSED.search(one.sentence.text)


def _is_about(one: ScoredSentence, words: set[str]) -> bool:
    """Whether a sentence speaks of the error, or shares a telling word with the title or the cause."""
    of_error = one.named > 0 or _THE_SAME.search(one.sentence.text) is not None
    return of_error or not words.isdisjoint(_words(one.sentence.text))


def _words(text: str) -> set[str]:
    """The words of a sentence that tell what it speaks of: longer Latin ones without their plural, abbreviations, pairs of Han characters."""
    plain = bare(text)
    latin = {one.removesuffix("s") for one in _LATIN.findall(plain) if one not in _COMMON}
    han = {run[at : at + 2] for run in _HAN.findall(plain) for at in range(len(run) - 1)}
    return latin | set(_ACRONYM.findall(text)) | (han - _COMMON_HAN)


def _with_those_beside(
    view: list[ScoredSentence], scores: Sequence[float], able: Collection[int], stretch: tuple[int, int]
) -> tuple[int, int]:
    """A stretch with the sentences of its paragraph beside it that are nearly as probable as its likeliest."""
    first, last = stretch
    best = max((at for at in range(first, last + 1) if at in able), key=scores.__getitem__)
    place, least = view[best].sentence.place, scores[best] + log(_BESIDE)
    while last - first + 1 < MOST:
        near = [at for at in (first - 1, last + 1) if at in able and scores[at] >= least]
        near = [at for at in near if view[at].sentence.place == place and not view[at].sentence.code]
        near = [at for at in near if not denies(view[at])]
        if not near:
            break
        at = max(near, key=scores.__getitem__)
        first, last = min(first, at), max(last, at)
    return first, last


def _log_odds(scores: Sequence[float], able: Collection[int], first: int) -> float:
    """The log-odds of a sentence among those that may be quoted."""
    others = sum(exp(scores[at] - scores[first]) for at in able if at != first)
    return -log(others) if others > exp(-_SINGLE) else _SINGLE


def _likeliest(view: list[ScoredSentence], shares: list[float]) -> tuple[int, int]:
    """The first and the last sentence of the stretch whose expected F1 with what an expert would quote is highest.

    An expert quotes one sentence, or as often as `_TWO` says the next one too.
    """
    sizes = [min(max(one.sentence.words, 1), HUGE) for one in view]
    best = (-1.0, 0, 0)
    for first in range(len(view)):
        if shares[first] < _UNLIKELY:
            continue
        for last in range(first, min(first + MOST, len(view))):
            if view[last].section != view[first].section:
                break
            gain = _expected(view, shares, sizes, (first, last))
            if gain > best[0]:
                best = (gain, first, last)
    return best[1:]


def _expected(view: list[ScoredSentence], shares: list[float], sizes: list[int], stretch: tuple[int, int]) -> float:
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


def _is_bare(quotation: list[ScoredSentence], after: ScoredSentence) -> bool:
    """Whether the quotation ends in a few words that announce a few lines of code: without them they say nothing."""
    short = after.sentence.code and after.sentence.lines <= _SHORT_CODE and after.section == quotation[-1].section
    return quotation[-1].sentence.opens and quotation[-1].sentence.words < _BARE and short
