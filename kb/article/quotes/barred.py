"""Which sentences can state no cause, and which no fix, whatever the model says of their words.

What is certain is a rule: a step that was in vain mends nothing, and telling the reader to look is no cause.
"""

import re
from collections.abc import Sequence

from kb.article.blocks import plain
from kb.article.quotes.statements import SECTIONS, QuoteTarget, ScoredSentence, Statements
from kb.article.split.problems import asks_why, failing, heading
from kb.article.vocabulary import SectionRole, bare
from kb.patterns import lazy

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
_REASONS, _READABLE = 3, 100
"""Most sentences of an answer, and their words, that say why before it says what to do."""
_INDICATES = lazy(
    r"(?:通常|一般|往往|多半)\W?(?:表明|表示|说明|意味着|是因为|是由于|由)\W{0,3}[:：]\W*\Z|\b(?:typically|usually|generally|often) (?:indicates?|means?|due to|caused by|because of)\W{0,3}:\W*\Z",
    re.IGNORECASE,
)
"""What stands before the colon of a list of causes: *Pods in this state typically indicate:*, *通常表明：*"""
_ERROR = lazy(
    r"\W{0,4}(?:(?:caused by|exception|error)\b[^\n]{0,40}?:\s*)?(?:[A-Za-z_$][\w$]{0,60}\.){1,8}[\w$]{0,60}(?:Exception|Error)\b\s*:",
    re.IGNORECASE,
)
"""A sentence that is the error itself: ``java.io.IOException: disk full``."""
_WHETHER = lazy(
    r"吗\s?[?？]?\Z|是否[^，。]{0,60}[?？]\Z|\A(?:can|could|is|are|does|do|will|should) [^.:]{0,200}\?\Z", re.IGNORECASE
)
_DO = lazy(r"怎么办|(?:怎么|如何)(?:处理|解决)|需要检查|\bwhat (?:should|can|do|if)\b", re.IGNORECASE)
_BIDS = lazy(
    r"\W{0,4}(?:请|建议|首先|确认|检查|查看|运行|执行|使用|设置|修改|登录|打开|安装|升级|单击|点击|进入"
    r"|(?:please|first|run|set|use|add|change|remove|ensure|increase|install|update|upgrade|configure|restart|try|see|this|click|go|navigate|log|open|contact)\b)",
    re.IGNORECASE,
)
"""How a sentence begins that bids the reader to do something, or goes on with one before."""
_STEP = lazy(
    r"\W{0,4}(?:请|建议|检查|查看|单击|点击|登录|打开|寻找|验证|确认|确保|避免|尝试"
    r"|(?:运行|执行|设置|修改|安装|升级|进入|删除|移除|修复|新建|重新|重启|添加|增加|关闭|启动|清理|下载|配置|替换|调整|优化|更新|改用)"
    r"(?!的|失败(?!的)|错误|异常|未|有误|中断|超时(?!时间)|存在(?!性)|不(?:当|正确|对|成功|合理|一致|匹配|足|完整|生效|了|上|起来|到)"
    r"|[过较太][大小高低多少长短](?!的)|[后时][^，。\n]{0,20}(?:失败|报错|错误|异常|出错|无法|不能|没有|被))"
    r"|(?:please|fix|delete|create|find|copy|replace|disable|enable|verify|check|avoid|confirm|make sure|to (?:fix|solve|resolve)|run|set|use|add|change|remove|ensure|increase|install|update|upgrade|configure|restart|try|click|go|navigate|open|contact)\b)",
    re.IGNORECASE,
)
"""How a step of a fix begins; *配置的端口已被占用*, *启动失败* and *升级后报错* are none."""
_SOLVED = lazy(
    r"(?:至此|到此|最后|最终|于是|这样|然后|终于|[，,。.！!~ ]|这个|该|此|小|上述|以上|问题|报错|错误|故障|就|便|得以|得到|已经|已|完美|成功|顺利|解决|搞定|完毕|了"
    r"|\b(?:and|so|then|that|this|it|the|problem|issue|error|is|was|has been|now|finally|got|solved|resolved|fixed|gone|works?|again)\b)++",
    re.IGNORECASE,
)
"""*至此，这个小问题解决。*, *And the problem is solved.*"""
_URGES = lazy(
    r"建议|请(?!求)|[您你]?可以?(?:通过|使用|尝试|参考|采用|选择|考虑|先)|应[该当]?(?:先|将|把)|只[要需]|需要?您|需要?先|即可|改[为成]|方法|办法|方案|解决|步骤|尝试|为了避免"
    r"|\b(?:you (?:need|have|must|should|may|can|could)|needs? to|we (?:recommend|suggest|advise)|recommend(?:ed)?|suggested|advised|please|workarounds?|solutions?|resolve[sd]?|solve[sd]?|fix(?:e[sd])?|mitigated?|try|to avoid|instead)\b",
    re.IGNORECASE,
)
"""What a sentence says that tells the reader to do something, and not what was done: *you can …*, *建议…*"""
_SHORT = 80
_SHOWS = lazy(
    r"(?:异常|报错|错误|日志|堆栈)[^，。：:\n]{0,8}如下|如下[^，。：:\n]{0,8}(?:异常|报错|错误|日志|堆栈)|(?:打印|抛出|报出|出现)[^，。：:\n]{0,12}(?:异常|错误|报错|日志)"
    r"|\b(?:following|below)\b[^.:\n]{0,30}\b(?:error|exception|log|message|trace)|\b(?:error|exception|log|message|trace)s?\b[^.:\n]{0,40}\b(?:follow|following|follows|below)\b",
    re.IGNORECASE,
)
"""How a sentence announces the error that stands below it: *在控制台打印异常如下：*, *The following error is printed:*"""
_POINTS = lazy(
    r"(?:原因|缘由)[^，。\n]{0,6}(?:参考|参见|参阅|详见|请见|请看)|(?:cause|reason)s?\b[^,.\n]{0,40}\b(?:see|refer to)\b|\b(?:see|refer to)\b[^.\n]{0,60}\b(?:cause|reason)",
    re.IGNORECASE,
)
"""Where the cause can be read, and not what it is: *报错原因请参考官网*"""
_THIS = lazy(
    r"(?:原因|缘由|问题|答案)[^，。：:\n]{0,6}(?:是|在)(?:这个|这里|这样|这儿)\W{0,2}\Z|就是(?:这个|上面的?|上述)(?:错误|原因|问题|情况)\W{0,2}\Z|\b(?:reason|cause|culprit|problem) (?:is|was) this\W{0,2}\Z",
    re.IGNORECASE,
)
"""That the cause is what stands elsewhere: *但是原因肯定是这个*"""
_ABOUT = lazy(
    r"\W{0,4}(?:本文|本篇|本文章|this (?:article|document|page|post|topic|guide|section|blog(?: post)?) (?:will )?(?:provides?|describes?|explains?|discuss(?:es)?|covers?|offers?|contains?|talks?|gives?|introduces?|shows?))",
    re.IGNORECASE,
)
"""What a page says of itself: *本文修复了…*, *This article explains …*"""
_MET = lazy(
    r"(?:最近|今天|昨天|近日|线上|项目中?|有用户|客户(?!端)|我们?)[^，。]{0,12}(?:遇到|碰到|收到|反馈|反映)|(?:遇到|碰到)(?:了|过)?(?:这|一)个?(?:问题|错误|异常)|却发现|接下来(?:就|再)?(?:看|来|介绍|说)|[时后]，(?:我|我们)?(?:发现|遇到|碰到)[^。]{0,60}(?:失败|报错|异常|错误)"
    r"|\b(?:i|we|users?) (?:recently )?(?:encounter(?:ed)?|ran into|run into|hit|faced?|came across|got|get) (?:the|an?|this) [^.]{0,40}(?:error|exception|issue|problem)\b",
    re.IGNORECASE,
)
"""How a story begins that tells of the failure: *最近线上遇到一个问题*, *We ran into an error*"""
_CAPTION = lazy(r"\W{0,4}(?:图|表|figure|fig\.|table)\s{0,2}\d{1,3}\b", re.IGNORECASE)
"""*图 1 服务状态*"""
_CLASSIFIES = lazy(
    r"\W{0,4}[\w.$]{1,120}(?:Exception|Error)\W{0,3}\s?(?:是|属于|就是)(?:一个|一种)?[^，。\n]{0,20}(?:异常|错误)"
    r"|\W{0,4}(?:an? |the )?[\w.$]{1,120}(?:Exception|Error)\W{0,3} is (?:an?|the) [^,.\n]{0,40}(?:exception|error)\b"
)
"""What kind of error one is, as a manual says it: *ArrayStoreException 是一个数组存储异常*, *`KeyError` is a lookup error*"""
_IN_MESSAGE = lazy(
    r"(?:错误|报错|异常)\s?(?:信息|消息|日志|message)\s?[中里]?(?:会|将|还)?包[含括]|(?:详细|具体)的?(?:错误|报错|异常)信息|\berror (?:message|log)s? (?:will |should |may )?(?:includes?|contains?)\b",
    re.IGNORECASE,
)
"""That the message tells more: *错误信息中包含…*, *The error message includes …*"""
_NOT_THERE = lazy(
    r"\b(?:problem|issue|error|this|it) (?:does|did) not (?:seem to |appear to )?(?:occur|happen|appear)\b",
    re.IGNORECASE,
)
"""Where all is well: *This problem does not seem to occur when using NGINX.*"""
_SAYS_NONE = (_CAPTION.match, _CLASSIFIES.match, _POINTS.search, _THIS.search, _NOT_THERE.search)
_SAYS_LITTLE = (_ABOUT.match, _IN_MESSAGE.search)
"""Likewise, where no cue of weight 2 or 3 says that it is the cause."""
_DENIED = lazy(
    r"\b(?:(?:is|was|were|are|been|it['’]s) not|(?:is|was|were|are)n['’]t) (?:(?:actually|really|in fact|directly) )?(?:because|due to|caused|the (?:root |real |actual )?(?:cause|reason|culprit))\b|\bnot because\b"
    r"|\b(?:turn(?:s|ed) out|prove[sdn]{1,2}) (?:to be )?(?:not|wrong|false|untrue|unrelated|otherwise)\b|\bruled out\b|\bnothing to do with\b|\bbut it (?:(?:was|is) not|(?:was|is)n['’]t)\b"
    r"|(?:不|并非|而非)是?(?:因为|由于)|(?:不是|并非)[^，。；]{1,30}(?:导致|引起|造成|的?原因)|排除(?:了|掉)|[与和跟][^，。；]{1,20}(?:无关|没有?关系)|[误原]以为",
    re.IGNORECASE,
)
"""How a sentence denies a cause: *It was not because the disk was full.*, *并不是因为磁盘满了。*"""
_BUT = lazy(
    r"\b(?:but|rather)\b[^.]{0,40}\b(?:because|due to|caused by)\b|\b(?:because|due to|caused by)\b[^.]{0,200} not (?:because|due|caused)\b|而是",
    re.IGNORECASE,
)
"""How the same sentence says the real one: *not because of the disk but because of the pool*."""
POINTS_AWAY = lazy(
    r"\b(?:whether|(?:figures?|tables?|screenshots?) (?:\d|below|above)|includes? information|described in|let(?:.s| us) look|following (?:steps|example)|we (?:found|saw|looked|noticed|checked|observed|tried))\b|是否|我们?(?:发现|看到|查看)|下面|接下来|[如见]图|[图表]\s?\d|截图",
    re.IGNORECASE,
)
"""What a sentence beside a cause says that tells the reader to look, or how the author did: *Figure 2 shows …*, *check whether …*."""
ANSWER = lazy(r"\W*(?:a|answer|答|回答|解答)\W*", re.IGNORECASE)
_AIMLESS = frozenset(("looks", "more"))
_COMMA = lazy(r"[，、]|, ")
_ANSWERS = frozenset((SectionRole.FIX, SectionRole.ANALYSIS, SectionRole.ROOT_CAUSE))


def barred(document: Statements, view: Sequence[ScoredSentence], target: QuoteTarget) -> set[int]:
    """The sentences of a view with which a quotation of the target never begins."""
    if target is QuoteTarget.FIX:
        never = _in_vain(view) | _needless(view) | _solved(view) | _reasons(view) | _meanings(view)
        never |= {at for at, one in enumerate(view) if "lead" in one.cue.marks and announces_causes(one)}
        never |= {at for at, one in enumerate(view) if _NOT_THERE.search(one.sentence.text[:_READ])}
    else:
        never = (
            _mended(view) | _looks(view) | _leads(view) | _errors(view) | _displays(view) | _elsewhere(document, view)
        )
        about = SECTIONS[QuoteTarget.CAUSE]
        never |= {
            at for at, one in enumerate(view) if denies(one) and about.isdisjoint(document.parts[one.section].roles)
        }
    return never | _hollow(document, view)


def is_no_cause(document: Statements, one: ScoredSentence) -> bool:
    """Whether a sentence that was chosen as the cause is a step of the fix, outside a section about the cause.

    Asked of what was chosen, not before: where the cause may be decides where the fix is looked for.
    """
    if one.cue.cause or not SECTIONS[QuoteTarget.CAUSE].isdisjoint(document.parts[one.section].roles):
        return False
    return one.cue.fix > 0 and (
        _STEP.match(plain(one.sentence.text)) is not None or (one.sentence.opens and one.cue.fix >= CLEAR)
    )


def asks_whether(title: str) -> bool:
    """Whether a title asks what *yes* or *no* answers (*…是否支持…？*, *…会报错吗？*), and not why or what to do: what follows is no cause."""
    words = title.partition(" — ")[0][:300].rstrip()
    return _WHETHER.search(words) is not None and not asks_why(words) and _DO.search(words) is None


def answers_why(document: Statements, title: str, fix: Sequence[ScoredSentence]) -> ScoredSentence | None:
    """The first sentence of the answer to a title that asks why, where it gives a reason; None where it does something else, or the fix begins with it."""
    is_why = asks_why(title)
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


def leads_to(
    document: Statements, title: str, cause: Sequence[ScoredSentence], fix: Sequence[ScoredSentence]
) -> list[ScoredSentence]:
    """The sentences of an answer before *To solve this, …*, which say why; none where they bid, ask, or only repeat the failure.

    Below a title that names a failure, where there is no cause, the fix need not say outright that it is one; where neither the title asks nor *A:* answers, one of them must say why.
    """
    about = heading(title)
    if not fix or fix[0].cue.fix < CLEAR:
        return []
    before = document.sentences_of(fix[0].section)[: fix[0].index]
    is_outright = about.asks and fix[0].cue.fix > CLEAR
    is_answer = about.asks or ANSWER.fullmatch(document.parts[fix[0].section].title) is not None
    is_implied = about.fails and not cause and (is_answer or any(one.cue.cause for one in before))
    if not (is_outright or is_implied):
        return []
    is_short = 0 < len(before) <= _REASONS and sum(one.sentence.words for one in before) <= _READABLE
    says = all(explains(one, title) and (is_outright or not POINTS_AWAY.search(one.sentence.text)) for one in before)
    return before if is_short and says else []


def explains(one: ScoredSentence, title: str = "") -> bool:
    """Whether a sentence is plain words that bid nothing, ask nothing and announce nothing, and more than the failure again."""
    is_prose = not one.sentence.code and not one.sentence.opens and not one.cue.negated
    bids = one.cue.fix >= CLEAR or _is_aimless(one) or _STEP.match(plain(one.sentence.text))
    says = one.cue.cause > 0 or not failing(one.sentence.text[:_READ])
    return is_prose and says and not bids and not (title and _is_question(one, title))


def urges(one: ScoredSentence) -> bool:
    """Whether the words of a sentence speak to a reader who is to do something."""
    return _URGES.search(plain(one.sentence.text[:_READ])) is not None


def bids(one: ScoredSentence) -> bool:
    """Whether a sentence of a section about the cause tells the reader to do something: there *was restarted* and *when you use the pool* do not."""
    is_urged = one.cue.fix > one.cue.cause and (one.cue.fix > CLEAR or urges(one))
    return is_urged or _is_aimless(one) or _STEP.match(plain(one.sentence.text)) is not None


def _gives_a_reason(one: ScoredSentence, *, is_why: bool) -> bool:
    """Whether a first sentence gives a reason: to *why* any that bids nothing, to *what to do* one whose words say what the error means."""
    says = not one.sentence.code and one.sentence.words >= _TELLING and not one.sentence.opens
    bids = one.cue.fix >= CLEAR or _is_aimless(one) or _BIDS.match(plain(one.sentence.text))
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
    return {at for at, one in enumerate(view) if one.cue.cause < CLEAR and _tells_to_look(one)}


def _tells_to_look(one: ScoredSentence) -> bool:
    is_click = one.sentence.item and {"screen", "step"} <= set(one.cue.marks)
    is_check = one.sentence.item and "step" in one.cue.marks and "是否" in one.sentence.text[:_READ]
    return "looks" in one.cue.marks or is_click or is_check


def _displays(view: Sequence[ScoredSentence]) -> set[int]:
    """The sentences that announce the error, the error below, and what names a figure, points elsewhere, or says of which kind an exception is."""
    found: set[int] = set()
    for at, one in enumerate(view):
        words = plain(one.sentence.text[:_READ])
        is_announced = one.sentence.opens and one.cue.cause < CLEAR and _SHOWS.search(words) is not None
        is_shown = one.sentence.code and at - 1 in found and view[at - 1].sentence.opens
        is_met = one.cue.cause < CLEAR and _MET.search(words) is not None
        says_none = is_announced or is_met or says_little(one) or any(kind(words) for kind in _SAYS_NONE)
        if is_shown or (says_none and not one.sentence.code):
            found.add(at)
    return found


def says_little(one: ScoredSentence) -> bool:
    """Whether a sentence without a clear cue tells what the page is about, or that the message says more."""
    words = plain(one.sentence.text[:_READ])
    return one.cue.cause < CLEAR and any(kind(words) for kind in _SAYS_LITTLE)


def denies(one: ScoredSentence) -> bool:
    """Whether a sentence says what the cause is not, and not what it is."""
    words = one.sentence.text[:_READ]
    return not one.sentence.code and _DENIED.search(words) is not None and _BUT.search(words) is None


def _leads(view: Sequence[ScoredSentence]) -> set[int]:
    """The sentences that only say that several causes follow, and announce none."""
    return {
        at
        for at, one in enumerate(view)
        if "lead" in one.cue.marks and not one.sentence.opens and _is_lead(one) and not one.sentence.item
    }


def _is_aimless(one: ScoredSentence) -> bool:
    """Whether a sentence tells the reader to look or to read on, or that several causes follow and none of them (*Common causes include A, B, and C*)."""
    lists = len(_COMMA.findall(one.sentence.text[:_READ])) > 1
    return not _AIMLESS.isdisjoint(one.cue.marks) or ("lead" in one.cue.marks and not lists)


def _is_lead(one: ScoredSentence) -> bool:
    return one.sentence.words < _LEAD


def _errors(view: Sequence[ScoredSentence]) -> set[int]:
    """The sentences that are the error itself, and what its message goes on with."""
    found: set[int] = set()
    for at, one in enumerate(view):
        goes_on = at - 1 in found and one.sentence.place == view[at - 1].sentence.place and one.cue.cause < CLEAR
        if not one.sentence.code and (goes_on or _ERROR.match(plain(one.sentence.text))):
            found.add(at)
    return found


def _elsewhere(document: Statements, view: Sequence[ScoredSentence]) -> set[int]:
    """The sentences whose section says that they are none: steps below a fix, a failure labelled as the symptom, code outside a section about the cause."""
    found: set[int] = set()
    for at, one in enumerate(view):
        part = document.parts[one.section]
        role = part.roles[0] if part.roles else None
        if not SECTIONS[QuoteTarget.CAUSE].isdisjoint(part.roles) or one.cue.cause >= CLEAR:
            continue
        bids_so = one.cue.fix > 0 or _STEP.match(plain(one.sentence.text)) is not None
        is_step = role in SECTIONS[QuoteTarget.FIX] and part.labelled and one.sentence.item and bids_so
        is_symptom = role is SectionRole.SYMPTOM and part.labelled and failing(one.sentence.text[:_READ]) > 0
        if one.sentence.code or is_step or is_symptom:
            found.add(at)
    return found


def _reasons(view: Sequence[ScoredSentence]) -> set[int]:
    """The items of a list that is announced as one of causes, but for those that say what to do."""
    found: set[int] = set()
    is_list = False
    for at, one in enumerate(view):
        beside = at > 0 and view[at - 1].section == one.section
        is_list = beside and one.sentence.item and (is_list or announces_causes(view[at - 1]))
        if is_list and one.cue.fix < CLEAR and "do" not in one.cue.marks:
            found.add(at)
    return found


def announces_causes(one: ScoredSentence) -> bool:
    """Whether a sentence does nothing but announce causes: *The possible causes are:*, *原因如下：*, *This state typically indicates:*."""
    is_short = one.cue.cause > CLEAR and one.sentence.words <= _VERDICT
    says = (
        "lead" in one.cue.marks
        or is_short
        or (one.sentence.opens and _INDICATES.search(one.sentence.text[-_SHORT:]) is not None)
    )
    return one.sentence.opens and says and one.cue.fix < CLEAR


def _meanings(view: Sequence[ScoredSentence]) -> set[int]:
    """The sentences that say what an error means and not what to do."""
    return {at for at, one in enumerate(view) if "tells" in one.cue.marks and one.cue.fix < CLEAR}


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
