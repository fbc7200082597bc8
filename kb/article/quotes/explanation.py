"""What an incident says by way of explanation, where no sentence is quoted as its cause: shown in the cause's place, not quoted."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from kb.article.blocks import Block, BlockKind, plain
from kb.article.quotes.barred import CLEAR, bids, says_little, urges
from kb.article.quotes.statements import SECTIONS, QuoteTarget, ScoredSentence, Statements
from kb.article.quotes.weights import TargetScores
from kb.article.sentences import joined
from kb.article.split.problems import failing, heading
from kb.article.vocabulary import bare
from kb.patterns import lazy
from kb.trace import parse
from kb.trace.messages.words import mentions_failure

_LENGTH = 500
"""Characters of an explanation beside its likeliest sentence: as much as is read in half a minute beside a fix."""
_CODED = lazy(r"[;{}]\s*\Z|\A\s*(?:import|package|from|@)\s?\w")
"""What a line of code that nothing marks has."""
_TELLING = 6
"""Words without which a sentence explains nothing."""
_BESIDE = 2
"""Sentences before and behind the likeliest one that are shown."""
_MOST_BEFORE = 3
"""Sentences before a fix or an error that are shown."""
_SHORT_CODE = 6
"""Lines of code that are shown in a section about the cause."""
_READ = 1_000
"""Characters of a sentence that are looked at."""
_WHY = lazy(
    r"因为|由于|导致|引起|造成|所致|否则|\b(?:because|due to|caused by|causing|resulting in|as a result|so that|otherwise)\b",
    re.IGNORECASE,
)
"""How a sentence says why something is as it is."""
_REASON = lazy(
    r"(?:因为|由于)(?P<zh>[^。；，]{1,120})|\bbecause (?P<en>[^.;]{1,200})|\b(?:prevent|avoid)(?:s|ing)? [\w ]{0,40}\b(?:errors?|failures?|problems?|issues?) caused by\b",
    re.IGNORECASE,
)
"""How a sentence that says what to do says why it failed: *… to prevent errors caused by a full disk*; not what for, as *so that* does."""
_RISK = lazy(
    r"无法(?:回滚|撤销|恢复|撤回|还原)|不可逆|会丢失|\b(?:(?:cannot|can't|can not|could not) be (?:rolled back|undone|reverted|restored|recovered|reversed)|irreversible|(?:will|may|might|would|could) (?:be )?(?:lost|los[es]|deleted|overwritten|removed|interrupt\w*|restart\w*))\b",
    re.IGNORECASE,
)
"""What a step itself may do: why one takes a backup, and not why it failed."""
_LOGGED = lazy(r"\b(?:WARN(?:ING)?|ERROR|INFO|DEBUG|FATAL)\b|\b[\w.$]{1,120}(?:Exception|Error): |\d{1,2}:\d\d:\d\d")
"""What a line of a log has: a level, an exception with its message, a time of day."""
_LIMIT = lazy(
    r"不支持|仅支持|只支持|不兼容|\b(?:not (?:yet )?supported|(?:is|are) unsupported|only supports?|does not support|incompatible)\b",
    re.IGNORECASE,
)
"""What a heading says that is itself the reason: *不支持动态采样*, *Only supports ASCII paths*."""


def explanation(
    document: Statements,
    title: str,
    side: TargetScores,
    scores: Sequence[float],
    quoted: Mapping[QuoteTarget, Sequence[ScoredSentence]],
) -> tuple[Block, ...]:
    """Return what explains the failure, as blocks in their order; empty where nothing does.

    It is the section about the cause; else the paragraph that most likely states it, with those beside it that explain; else what
    the fix says of why; else a title that is itself the reason.
    Beside a quoted cause it is what the same section goes on to explain.
    """
    cause, fix = quoted[QuoteTarget.CAUSE], quoted[QuoteTarget.FIX]
    if cause:
        beside = document.sentences_of(cause[0].section)
        around = _around(document, cause[0], fix) if cause[0] in beside else []
        return _blocks(document, [*around, *_mechanism(document, cause, fix)])
    for at, part in enumerate(document.parts):
        if part.roles and part.roles[0] in SECTIONS[QuoteTarget.CAUSE] and _says(document.sentences_of(at)):
            return tuple(block for block in part.blocks if not _is_long_code(block))
    mends = bare(joined([one.sentence for one in fix]))
    able = [
        at for at in sorted(side.able) if _states_why(side.view[at]) and bare(side.view[at].sentence.text) not in mends
    ]
    if able:
        best = side.view[max(able, key=scores.__getitem__)]
        return _blocks(document, _around(document, best, fix))
    if reasons := [one for one in fix if not one.sentence.code and _gives_reason(one.sentence.text[:_READ])]:
        return _blocks(document, reasons[:1])
    return _of_title(title)


def _gives_reason(words: str) -> bool:
    """Whether an instruction also gives the reason of a failure: a clause behind *because* with a word of failure, and not the risk of the step."""
    for found in _REASON.finditer(words):
        clause = found["zh"] or found["en"]
        if clause is None or (mentions_failure(clause) and not _RISK.search(clause)):
            return True
    return False


def _states_why(one: ScoredSentence) -> bool:
    """Whether a sentence has a clear word of a cause."""
    return _explains(one) and one.cue.cause >= CLEAR


def _mechanism(
    document: Statements, cause: Sequence[ScoredSentence], fix: Sequence[ScoredSentence]
) -> list[ScoredSentence]:
    """What the section of a fix says of why before it says what to do, where the cause stands in another one."""
    if not fix or fix[0].section == cause[0].section:
        return []
    before = document.sentences_of(fix[0].section)[: fix[0].index]
    return [one for one in before if _explains(one) and (one.cue.cause or _WHY.search(one.sentence.text))][
        :_MOST_BEFORE
    ]


def _of_title(title: str) -> tuple[Block, ...]:
    """A title that is itself the reason, in bold; none where it asks or names an exception."""
    words = title.partition(" — ")[0].strip()
    about = heading(words)
    if about.asks or about.specific or _LOGGED.search(words) or not _LIMIT.search(words):
        return ()
    if any(chain.root.type or chain.runtime != "text" for chain in parse(words)):
        return ()  # a program's message
    return (Block(BlockKind.PARAGRAPH, f"**{plain(words)}**", 0, 0),)


def _is_long_code(block: Block) -> bool:
    return block.kind is BlockKind.CODE and block.text.count("\n") >= _SHORT_CODE


def _says(beside: Sequence[ScoredSentence]) -> bool:
    return any(not one.cue.negated and one.sentence.words >= _TELLING for one in beside)


def _explains(one: ScoredSentence) -> bool:
    """Whether a sentence is plain words that describe how something is, and not what to do, what was shown, where to read on."""
    return _is_statement(one) and not one.sentence.opens


def _is_statement(one: ScoredSentence) -> bool:
    words = one.sentence.text[:_READ]
    says = not one.sentence.code and not one.cue.negated and one.sentence.words >= _TELLING and not says_little(one)
    says = says and not _LOGGED.search(words) and not _CODED.search(words)
    is_failure = not one.cue.cause and not _WHY.search(words) and failing(words) > 0
    is_urged = bids(one) or (not one.cue.cause and (one.cue.fix >= CLEAR or urges(one)))
    return says and not is_failure and not is_urged


def _around(document: Statements, one: ScoredSentence, fix: Sequence[ScoredSentence]) -> list[ScoredSentence]:
    """A sentence, and those of its section beside it that explain, as many as can be read in passing."""
    beside = document.sentences_of(one.section)
    first = last = min(one.index, len(beside) - 1)
    left = _LENGTH - len(one.sentence.text)
    for step in (-1, 1):
        at = first if step < 0 else last
        while 0 <= at + step < len(beside) and abs(at - one.index) < _BESIDE:
            other = beside[at + step]
            left -= len(other.sentence.text)
            if other in fix or left < 0 or not _explains(other):
                break
            at += step
        first, last = (at, last) if step < 0 else (first, at)
    return [*beside[first : last + 1]]


def _blocks(document: Statements, some: Iterable[ScoredSentence]) -> tuple[Block, ...]:
    """Sentences as the blocks they stand in, without what else these say."""
    found = []
    for (section, at), run in groupby(some, key=lambda one: (one.section, one.sentence.block)):
        block = document.parts[section].blocks[at]
        found.append(replace(block, text=joined([one.sentence for one in run])))
    return tuple(found)
