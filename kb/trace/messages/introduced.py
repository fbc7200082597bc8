"""Where a program's words begin in a line that somebody begins: behind a colon, behind a verb that tells of an error, or as programs begin a sentence."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Any

import re2

from kb.patterns import lazy
from kb.trace.messages.form import widen
from kb.trace.messages.words import announces, end_of_words, is_human, is_personal, mentions_failure

_COLON = lazy(
    r"(?:[:：]|->|=>|(?<=提示|显示|报错|弹窗|弹出|[\u4e00-\u9fff]报) | [-–—](?= (?:[Ee]rror|ERROR|[Ff]atal|FATAL): ))[ \t]{0,4}(?=[\"'“`]?[A-Za-z\[(\u4e00-\u9fff])"
)
MOST = 4
"""Places of each kind in a line that are looked at."""
_REPORTED = lazy(
    r"(?<= )(?:(?:throws?|gives?|shows?|prints?|returns?|raises|reports?)(?: me| us)? (?:the |an )?error(?: message)? (?=[A-Z]\S* \S)|(?:complain(?:s|ed|ing)?|says?|said|tells? me|told me|claims?) that (?:it |they )?(?=\S+ \S)|(?:says|prints|complains|answers|keeps (?:saying|telling me)|(?:logs?|output|console) (?:has|have|shows?|contains?|is full of)) (?:(?!(?:I|It|He|She|They|We|The|This|That|You) )(?=[A-Z]\S* \S)|(?=(?:(?:permission|access) denied|no such|can(?:not|'t)|could not|unable to|failed to|invalid|unknown|connection) \S)|(?=[a-z][\w.-]{1,30}: \S+ \S)))"
)
"""How somebody reports a program's words without quoting them: *it complains that it can't handle RDB format version 9*."""
_FAILS_WITH = lazy(
    r"(?<= )(?:fail(?:s|ed|ing)?|die[sd]|crash(?:es|ed|ing)?|stop(?:s|ped)|exit(?:s|ed)|end(?:s|ed)(?: up)?|abort(?:s|ed)?|breaks|broke|(?:comes?|came) back|respond(?:s|ed)|answer(?:s|ed)) with (?!(?:an?|the|this|that|these|those|some|same|no(?! (?:such|space|route|matching))|my|our|its|every|all|any|one|two|exit|code|status|error|errors|exception|message|(?![45]\d\d [A-Z]\S* [A-Z])\d+)\b)(?!(?=[A-Z]\w{0,80}[a-z][A-Z])\w{1,160} [a-z])(?=\S+ \S)"
)
"""How somebody says how it ends before a program's words: *the pod dies with x509: certificate has expired*, and not *with a strange error*, nor *with ImagePullBackOff again*."""
_AND = r"(?!and\b|or\b|which\b|that\b)"
_OF_A_PROGRAM = lazy(
    rf"(?:{_AND}[^\s:]{{1,60}} ){{0,4}}{_AND}\S{{1,80}}(?<=:) \S|(?:{_AND}[\w/]{{1,30}} ){{0,2}}\w{{1,40}}::[a-z]"
    r"|[\"'“‘`*\[{(]|(?:HTTP (?:Error )?)?[45]\d\d [A-Z]|[A-Z][A-Z\d]*[_-][A-Z\d][A-Z_\d-]*\b|[A-Z]{4,}\d*\b|(?:HTTP|CODE) \d|[\w$.]{1,160}(?:Exception|Error)\b"
    rf"|(?i:can(?:not|'t)|could(?: not|n't)|unable to|failed to|no such|no (?:space|route|matching|module|valid|suitable)|not enough|(?:permission|access) denied|connection (?:refused|reset|closed|timed|lost|error|failed|aborted)|too (?:many|old|large|long|few|small)|out of memory|undefined (?:reference|symbol|method|variable)|end of file|disk full|broken pipe|segmentation fault|java heap space|address (?:already )?in use|exec format error)\b"
    r"|npm (?:ERR!|error) code E"
    r"|(?i:invalid|unknown|unexpected|unsupported|duplicate|missing|illegal) (?![^\n,.;:]{0,120}\band\b)\S"
    rf"|[A-Z]\S{{0,60}}(?: {_AND}\S{{1,60}}){{0,8}}? (?:denied|refused|reset|closed|timed out|[Tt]ime-?out|failed|[Ff]ailure|exceeded|expired|exited|killed|[Uu]navailable|unreachable|[Uu]nauthorized|[Ff]orbidden|dumped|fault|mismatch|[Nn]ot [Ff]ound|not (?:supported|allowed|permitted|available|ready|valid|open|exist|defined|implemented)|does(?:n't| not)|(?:is|are|was)(?:n't| not)|can(?:not|'t)|could not|unable|already|[Ee]rror|[Ee]xception|full|in use|required|violation|overflow|found)\b"
)
"""What is behind *with* where a program speaks: a name before a colon, a quotation, a status, a code, how programs begin, a capital with a verb of failure; *German text and fails* is the writer's."""
_ERROR_OF = lazy(
    r"(?<= )(?:gets?|got|getting|gives?|gave|giving|throws?|threw|shows?|sees?|seeing|saw|receive[sd]?|receiving|reports?|ha(?:s|ve|ving)|hit|fac(?:e|es|ing)|return(?:s|ed)?|encounter(?:s|ed|ing)?|into)(?: (?:me|us))? (?:an?|this|the|that|same|following)(?: (?:same|following|weird|strange|new))? (?:error|exception)(?: message)? (?!(?:when|if|in|on|at|while|after|from|that|is|was|for|with|and|but|or|because|since|again|every|during|as|about|messages?|codes?|below|like|saying|says?|said|which|only|now|too|here|even|though|although|how|of|it|I|i|we|by|until|unless|before|once|despite|without|related|regarding|under|using|over|to|so|whenever|any|please|what|why|can|could|does|has|appears|occurs|comes|log|logs|trace|stack|page|pages|then|also|whether|within|between|through|upon|per|there|everytime|sometimes|always|trying|running|out|up|my|the|this|an?)\b)(?=\S+ \S)"
)
"""How somebody calls it an error before a program's words: *I get this error ORA-00942: …*, and not *this error when …*."""
_ASKS = lazy(
    r"(?<![\w'])(?:what (?:does|causes?|triggers?|means?)|why (?:does|do|did|is|am|are|would)(?: [\w'-]{1,30}){1,3} (?:says?|gets?|getting|sees?|seeing|shows?|throws?|throwing|gives?|giving|prints?|returns?|reports?)"
    r"|how (?:do|can|should|would|could|did) (?:i|we|you|one) (?:fix|solve|resolve|debug|handle|troubleshoot|get rid of|deal with|get past)|how to (?:fix|solve|resolve|debug|troubleshoot|get rid of|deal with)"
    r"|(?:any|some)(?:one|body)(?: else)? (?:seen|seeing|sees|see|getting|gets|got|hitting|hit|having|had|explain|met|facing)|does any(?:one|body) know (?:what|why|about)"
    r"|(?:i|we|i'm|we're|i am|we are|keeps?|kept) (?:keeps? |now |still |just |always |sometimes )?(?:getting|gets?|got|seeing|sees?|saw|hitting|hits?|facing|ran into|run into|running into|receiving|receives?|received)"
    r"|stuck (?:on|with|at)|(?P<because>because of|due to)|^[ \t]{0,8}(?:(?:please )?help|hi|hello|hey|urgent)(?: (?:all|guys|team|everyone|there|folks))?[!,.:]|^[ \t]{0,8}(?:getting|seeing|hitting|facing|got|receiving)"
    r"|(?P<told>(?:now|still|suddenly|it|he|she|they|colleague|team|users?|customers?|clients?) (?:gets?|got|sees?|saw|hits?|runs? into|ran into|receives?|received)|(?:error|message|exception|reason|problem|issue|logs?|output|console)(?: message)? (?:is|was|says|said|reads|shows|has)|there(?:'s| is| was)|what (?:is|are|was)|what's))(?: (?:an?|the|this|that|these|lots? of|a lot of|many))?[ \t]{1,4}(?![\"'“‘`]|(?:(?:an?|the|this|that|these) )?(?-i:error|exception|problem|issue|message|warning|failure)s?\b(?!:))(?=\S+ \S)",
    re.IGNORECASE,
)
"""How somebody asks about an error, or tells of it, right before a program's words: *what does exec format error mean*, *stuck on x509: …*.

Manuals write so, too. ``told`` counts only in a person's line, or in a short one that is all that was pasted; ``because`` only in the latter."""
_WHENCE = lazy(
    r"^[ \t]{0,8}(?P<told>(?:(?:every|each) time|whenever|when|once|as soon as|after|since|until)(?: [^\s,:]{1,40}){2,12}[,:]|(?:[^\s,:]{1,40} ){2,12}[^\s,:]{1,40}, (?:logs?|errors?|output|console|stderr):)[ \t]{1,4}(?=\S+ \S)",
    re.IGNORECASE,
)
"""How somebody says when it comes, or what is where, right before a program's words: *since the deploy last night: no space left on device*."""
_COMPLAINS = lazy(
    r"(?<![\w'])(?:I|[Mm]y|[Oo]ur|[Ww]e)(?![\w'-])[^\n:]{0,60} (?:refuses|fails|stops|dies|crashes|aborts|breaks|hangs|exits|restarts|times out|errors out|goes down|won't|can't|doesn't)(?![\w'])"
)
"""How somebody says what goes wrong before a colon and the program's own words: *our server refuses the dump: Row size too large*."""
_LED = lazy(r"(?:(?:[Ee]rror|ERROR|[Ff]atal|FATAL) ?:|\[(?:ERROR|Error|FATAL)\]) \S+ \S")
"""A tool's own lead behind somebody's colon: *clone over https: error: RPC failed*."""
_MANY = 7  # words before a colon that nobody but a person writes there
_BEGINS = lazy(
    r"(?<=[a-z,;] )(?=(?:Failed (?:to|with)|Failure|Unable to|Could ?n[o']t|Cannot|Can't|No (?:such|route|space|matching|suitable|usable|module|available|valid)|Error (?:while|when|in|loading|creating|opening|connecting|code)|Invalid|Unknown|Unsupported|Unexpected|Unrecognized|Undefined|Connection|Permission denied|Access denied|Missing|Timeout|Timed out|Illegal|Insufficient|Too many|Out of memory|Internal [Ee]rror|Segmentation fault)(?![\w-]))"
    r"|(?<=\s)(?=Error:\(\d{1,7}, ?\d{1,5}\) )"
    r"|(?<=[a-z,;] )(?=(?P<coded>SQLSTATE\[|(?:ORA|TNS|PLS)-\d{4,5}: \S|(?:ERROR|Error) \d{4}(?: \(\w{5}\))?: \S|(?:ERROR|FATAL): {1,2}\S+ \S|#\d{4} - \S|E11000 \S|[A-Z]{5,14}(?<!WARNING) [A-Z][a-z]+ [a-z]+ ))"
)
"""How a program's sentence begins in the middle of somebody's, and a database's with its code: *now I get Failed to initialize NVML*."""
_TELLS = lazy(
    r"(?<= )(?:reports?|reported|throws?|threw|returns?|returned|gives?|gave|prints?|printed|gets?|getting|got|sees?|seeing|shows?|because of|due to|with) $"
)
"""A verb of telling before them: *now the client reports Connection refused*."""
_IN_GENERAL = lazy(r"(?<![\w'])[Yy]ou(?: (?:will|may|might|can|could|would|should))? \w+ $")
"""A manual speaks: *you get ORA-00942: … when the grant is missing*."""


def introduced_in(text: str, begin: int, end: int) -> dict[int, bool]:
    """Return where a program's words begin in a line that somebody begins, and for each place whether the writer asks about them."""
    return dict.fromkeys(_introduced(text, begin, end), False) | dict.fromkeys(_in_question(text, begin, end), True)


def _introduced(text: str, begin: int, end: int) -> Iterator[int]:
    """Yield the places behind a colon, behind a verb of telling, or where a sentence begins as programs begin one."""
    yield from _behind_colons(text, begin, end)
    patterns = []
    if _may_begin().search(text[max(begin - 1, 0) : end].encode("utf-8", "surrogatepass")) is not None:
        yield from _begun(text, begin, end)
        patterns.append(_REPORTED)
    if text.find(" with ", begin, end) >= 0:
        patterns.append(_FAILS_WITH)
    if any(text.find(word, begin, end) >= 0 for word in (" error ", " exception ", " message ")):
        patterns.append(_ERROR_OF)
    for pattern in patterns:
        for found in islice(pattern.finditer(text, begin, end), MOST):
            if pattern is _ERROR_OF or _OF_A_PROGRAM.match(text, found.end(), end):
                yield found.end()


def _in_question(text: str, begin: int, end: int) -> Iterator[int]:
    """Yield the places behind a question, or behind somebody's words that they met it."""
    if _may_ask().search(text[begin:end].encode("utf-8", "surrogatepass")) is None:
        return
    line = text[begin:end]
    is_all = line == text.strip() and line[-1:] not in ".。"
    is_person = (is_all and len(line) <= _SHORT) or is_personal(line)
    for pattern in (_ASKS, _WHENCE):
        for found in islice(pattern.finditer(line), MOST):
            groups = found.groupdict()
            is_weak = bool(groups["told"] or groups.get("because"))
            is_meant = not is_weak or (is_person if groups["told"] else is_all and len(line) <= _SHORT)
            if is_meant and (
                is_of_a_program(line, found.end()) or (is_all and not is_weak and _may_fail(line, found.end()))
            ):
                yield begin + found.end()


def _may_fail(line: str, at: int) -> bool:
    """Return whether the words behind a question may be a program's; their score decides whether they are."""
    words = line[at : end_of_words(line, at, len(line))]
    return len(words.split()) >= _FEWEST and mentions_failure(words) and not is_personal(words)


_FEWEST = 4  # words
_SHORT = 80
"""Characters of a line that is all that was pasted: nobody pastes a manual's sentence, with its full stop, to search for it."""


def is_of_a_program(line: str, at: int = 0) -> bool:
    """Return whether a line goes on at a place as programs begin their words."""
    return _OF_A_PROGRAM.match(line, at) is not None


def _behind_colons(text: str, begin: int, end: int) -> Iterator[int]:
    for found in islice(_COLON.finditer(text, begin, end), MOST):
        before = text[max(begin, found.start() - 80) : found.start()]
        if before[-1:] in ("'", '"') and ('{"' in before or "{'" in before):  # a field of an object
            continue
        is_led = " " in before.strip() and _LED.match(text, found.end(), end) is not None
        is_announced = announces(before) and (is_human(before) or (": " not in before and len(before.split()) >= _MANY))
        if is_led or is_announced or (is_personal(before) and _COMPLAINS.search(before)):
            yield found.end()


def _begun(text: str, begin: int, end: int) -> Iterator[int]:
    for found in islice(_BEGINS.finditer(text, begin, end), MOST):
        before = text[max(begin, found.start() - 80) : found.start()]
        is_reported = is_human(before) or _TELLS.search(before) or (found["coded"] is not None and announces(before))
        if is_reported and len(before.split()) > 1 and not _IN_GENERAL.search(before):
            yield found.start()


@cache
def _may_begin() -> Any:
    """Return an automaton that finds what either pattern finds, and a little more: most lines of a log hold none."""
    begins = _BEGINS.pattern.replace("(?<=", "(?:").replace("(?=", "(?:")  # they stand side by side
    return re2.compile(f"{widen(begins)}|{widen(_REPORTED.pattern)}".encode())


@cache
def _may_ask() -> Any:
    """Return an automaton that finds what either pattern finds, and a little more."""
    return re2.compile(f"(?i){widen(_ASKS.pattern)}|{widen(_WHENCE.pattern)}".encode())
