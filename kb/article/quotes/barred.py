"""Which sentences can state no cause, and which no fix, whatever the model says of their words.

What is certain is a rule: a step that was in vain mends nothing, and telling the reader to look is no cause.
"""

import re
from collections.abc import Sequence

from kb.article.blocks import plain
from kb.article.quotes.statements import SECTIONS, QuoteTarget, ScoredSentence, Statements
from kb.article.split.problems import failing, heading
from kb.article.vocabulary import SectionRole, bare

CLEAR = 2
"""The weight of a cue by which a sentence very likely states its target."""
_VERDICT = 8
"""Words of a sentence that says of the one before that it did not help, and nothing else."""
_LEAD = 24
"""Words of a sentence that does nothing but announce causes."""
_READ = 1_000
"""Characters of a sentence that are looked at for words of failure."""
_TELLING = 6
"""Words without which the first sentence of an answer gives no reason."""
_ERROR = re.compile(
    r"\W{0,4}(?:(?:caused by|exception|error)\b[^\n]{0,40}?:\s*)?(?:[A-Za-z_$][\w$]{0,60}\.){1,8}[\w$]{0,60}(?:Exception|Error)\b\s*:",
    re.IGNORECASE,
)
"""A sentence that is the error itself: ``java.io.IOException: disk full``."""
_WHY = re.compile(
    r"(?i:\bwhy\b|\bwhat causes\b|\bwhat is the (?:cause|reason)\b)|为什么|为何|为啥|什么原因|怎么回事|原因是什么|原因有哪些"
)
_BIDS = re.compile(
    r"\W{0,4}(?:请|建议|首先|确认|检查|查看|运行|执行|使用|设置|修改|登录|打开|安装|升级|单击|点击|进入"
    r"|(?:please|first|run|set|use|add|change|remove|ensure|increase|install|update|upgrade|configure|restart|try|see|this|click|go|navigate|log|open|contact)\b)",
    re.IGNORECASE,
)
"""How a sentence begins that bids the reader to do something, or goes on with one before."""
_SOLVED = re.compile(
    r"(?:至此|到此|最后|最终|于是|这样|然后|终于|[，,。.！!~ ]|这个|该|此|小|上述|以上|问题|报错|错误|故障|就|便|得以|得到|已经|已|完美|成功|顺利|解决|搞定|完毕|了"
    r"|\b(?:and|so|then|that|this|it|the|problem|issue|error|is|was|has been|now|finally|got|solved|resolved|fixed|gone|works?|again)\b)++",
    re.IGNORECASE,
)
"""*至此，这个小问题解决。*, *And the problem is solved.*"""
_SHORT = 80
_AIMLESS = frozenset(("looks", "more", "lead"))
_ANSWERS = frozenset((SectionRole.FIX, SectionRole.ANALYSIS, SectionRole.ROOT_CAUSE))


def barred(document: Statements, view: Sequence[ScoredSentence], target: QuoteTarget) -> set[int]:
    """The sentences of a view with which a quotation of the target never begins."""
    if target is QuoteTarget.FIX:
        never = _in_vain(view) | _needless(view) | _solved(view) | _reasons(view) | _meanings(document, view)
    else:
        never = _mended(view) | _looks(view) | _leads(view) | _errors(view) | _elsewhere(document, view)
    return never | _hollow(document, view)


def answers_why(document: Statements, title: str, fix: Sequence[ScoredSentence]) -> ScoredSentence | None:
    """The first sentence of the answer to a title that asks why, where it gives a reason; None where it does something else, or the fix begins with it."""
    is_why = _WHY.search(title[:300]) is not None
    if not is_why and not heading(title).asks:
        return None
    for at, part in enumerate(document.parts):
        if part.roles and part.roles[0] not in _ANSWERS:
            continue
        for one in document.sentences_of(at):
            if one.cue.negated or _is_question(one, title):
                continue
            return one if _gives_a_reason(one, is_why=is_why) and one not in fix else None
    return None


def _gives_a_reason(one: ScoredSentence, *, is_why: bool) -> bool:
    """Whether a first sentence gives a reason: to *why* any that bids nothing, to *what to do* one whose words say what the error means."""
    says = not one.sentence.code and one.sentence.words >= _TELLING and not one.sentence.opens
    bids = one.cue.fix >= CLEAR or not _AIMLESS.isdisjoint(one.cue.marks) or _BIDS.match(plain(one.sentence.text))
    means = is_why or "tells" in one.cue.marks or (one.cue.cause > 0 and not one.cue.fix)
    return says and means and (not bids or one.cue.cause >= CLEAR)


def _is_question(one: ScoredSentence, title: str) -> bool:
    """Whether a sentence asks what the title asks."""
    return one.sentence.end in {"?", "？"} or bare(one.sentence.text) in bare(title)


def _solved(view: Sequence[ScoredSentence]) -> set[int]:
    """The sentences that say that it is solved, and not how."""
    return {at for at, one in enumerate(view) if _SOLVED.fullmatch(plain(one.sentence.text[:_SHORT]))}


def _looks(view: Sequence[ScoredSentence]) -> set[int]:
    """The sentences that tell the reader to look, and not what is found."""
    return {at for at, one in enumerate(view) if "looks" in one.cue.marks and one.cue.cause < CLEAR}


def _leads(view: Sequence[ScoredSentence]) -> set[int]:
    """The sentences that only say that several causes follow, and announce none."""
    return {
        at
        for at, one in enumerate(view)
        if "lead" in one.cue.marks and not one.sentence.opens and _is_lead(one) and not one.sentence.item
    }


def _is_lead(one: ScoredSentence) -> bool:
    return one.sentence.words < _LEAD


def _errors(view: Sequence[ScoredSentence]) -> set[int]:
    """The sentences that are the error itself."""
    return {at for at, one in enumerate(view) if not one.sentence.code and _ERROR.match(plain(one.sentence.text))}


def _elsewhere(document: Statements, view: Sequence[ScoredSentence]) -> set[int]:
    """The sentences whose section says that they are none: steps below a fix, a failure told as a symptom, code outside a section about the cause."""
    found: set[int] = set()
    for at, one in enumerate(view):
        part = document.parts[one.section]
        role = part.roles[0] if part.roles else None
        if not SECTIONS[QuoteTarget.CAUSE].isdisjoint(part.roles) or one.cue.cause >= CLEAR:
            continue
        is_step = role in SECTIONS[QuoteTarget.FIX] and part.labelled and one.sentence.item and one.cue.fix > 0
        is_told = role is SectionRole.SYMPTOM and part.labelled and failing(one.sentence.text[:_READ]) > 0
        if one.sentence.code or is_step or is_told:
            found.add(at)
    return found


def _reasons(view: Sequence[ScoredSentence]) -> set[int]:
    """The items of a list that is announced as one of causes, but for those that say what to do."""
    found: set[int] = set()
    is_list = False
    for at, one in enumerate(view):
        beside = at > 0 and view[at - 1].section == one.section
        is_list = beside and one.sentence.item and (is_list or _announces_causes(view[at - 1]))
        if is_list and one.cue.fix < CLEAR and "do" not in one.cue.marks:
            found.add(at)
    return found


def _announces_causes(one: ScoredSentence) -> bool:
    return one.sentence.opens and "lead" in one.cue.marks and one.cue.fix < CLEAR and not one.sentence.item


def _meanings(document: Statements, view: Sequence[ScoredSentence]) -> set[int]:
    """The sentences that say what an error means and not what to do, but for those of a section about the fix."""
    return {
        at
        for at, one in enumerate(view)
        if "tells" in one.cue.marks
        and one.cue.fix < CLEAR
        and SECTIONS[QuoteTarget.FIX].isdisjoint(document.parts[one.section].roles)
    }


def _hollow(document: Statements, view: Sequence[ScoredSentence]) -> set[int]:
    """The sentences that end in a colon with nothing below: the next section begins, and its heading opens no way or step."""
    found: set[int] = set()
    for at, one in enumerate(view):
        below = one.section + 1
        if one.sentence.opens and one is document.sentences_of(one.section)[-1]:
            blocks = document.parts[one.section].blocks[one.sentence.block + 1 :]
            leads_on = below < len(document.parts) and heading(document.parts[below].title).walks
            if not leads_on and not any(block.text.strip() for block in blocks):
                found.add(at)
    return found


def _needless(view: Sequence[ScoredSentence]) -> set[int]:
    """The sentences that say that nothing is to be changed."""
    return {at for at, one in enumerate(view) if "needless" in one.cue.marks}


def _mended(view: Sequence[ScoredSentence]) -> set[int]:
    """The sentences that say that it is fixed, or where, and of a cause nothing clear."""
    return {at for at, one in enumerate(view) if "mended" in one.cue.marks and one.cue.cause < CLEAR}


def _in_vain(view: Sequence[ScoredSentence]) -> set[int]:
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
