"""The words by which a program's line about a fault is told from what a person writes, in English and Chinese."""

import re

import re2

from kb.trace.messages.widen import widen

FAILURE = re.compile(
    r"(?i)(?<![a-z])(?:errors?|fail(?:s|ed|ure|ing)?|exceptions?|fatal|panic(?:ked)?|crash(?:ed)?|abort(?:ed|ing)?|denied|refused|reject(?:ed)?|rejects|forbidden"
    r"|unauthorized|unauthenticated|timed[ -]out|time-?out|expired|invalid|illegal|incorrect|unknown(?!-linux)|unexpected|unsupported|unrecognized|undefined|undeclared|unresolved|unreachable"
    r"|unavailable|unhealthy|unable|unset|unusable|uninitialized|incompatible|inconsistent|corrupt(?:ed)?|damaged|malformed|missing|mismatch(?:es|ed)?|conflict(?:s|ing)?|duplicate"
    r"|exceed(?:s|ed|ing)?|exhausted|insufficient|overflow|deadlock|killed|terminated|oom|closed|exit(?:ed|s)? (?:with|code|status)|unsatisfied|untrusted|unterminated|unbalanced|stale|bad|lost|leak(?:ed)?|dropped|disabled"
    r"|cannot|can't|can not|couldn't|could not|won't|would not|didn't|did not|doesn't|does not|isn't|is not|are not|aren't|wasn't|was not|has no|have no|must(?: not)? (?:be|have)|must|should be"
    r"|not (?:found|supported|available|allowed|permitted|exist|installed|defined|implemented|set|valid|recognized|authorized|enough|open|connected|responding|possible|a)"
    r"|no (?:such|more|space|route|matching|valid|suitable|usable|module|default|available|longer|provider|implementation|candidate|match|response|host|connection)|nothing to|none of|no [\w./'\"-]{1,40} (?:entry|found|available|provided|specified|configured|defined|matche[sd])|already (?:exists|in use|been|registered|running|started)"
    r"|too (?:many|large|long|old|big|small|short|few|deep)|out of|only supports?|requires?|required|deprecated|removed|broken|wrong|stuck|violat(?:es|ed|ion)|without)(?![a-z])"
    r"|失败|错误|异常|无法|不能|不支持|不存在|不可用|不允许|不合法|不匹配|不一致|不正确|不足|未找到|未定义|未知|找不到|没有权限|没有找到|缺少|缺失|超时|超过|超出|拒绝|无效|非法|已过期|过期|溢出|冲突|重复|被占用|中断|崩溃|已存在|已损坏|损坏|耗尽|禁止"
)
"""Words with which programs say that something did not work."""

_MAY_TELL = re2.compile(("(?i)" + widen(FAILURE.pattern.removeprefix("(?i)"))).encode())

PERSON = re.compile(
    r"(?i)(?<![\w'])(?:I|I'm|I've|I'd|I'll|me|my|mine|we|we're|we've|our|ours|us|he|she|anybody|anyone|somebody|someone|everybody|hello|hi|hey|thanks|thank|please help"
    r"|sorry|sadly|strange|maybe|perhaps|guess|think|seems|looks like|same (?:here|trouble|problem|issue)|tried|trying|am|yesterday|today|suddenly|what (?:is|should|could|would|can)|how (?:do|to|can|should)|why)(?![\w'])"
    r"|我|你|您|咱|大家|请问|请教|求助|怎么|如何|什么|为啥|为什么|吗|呢|谢谢|一下|是不是|有没有|之后就|每次|希望|感觉|应该|可能|发现|尝试|试了|今天|昨天|本人|楼主|各位|这个问题|解决办法|解决方法|原因是|导致"
)
"""Words with which people speak of themselves, to each other, or tell a story."""

ANNOUNCES = re.compile(
    r"(?i)(?:errors?|exceptions?|messages?|says?|said|saying|prints?|printed|shows?|showed|shown|logs?|logged|output|outputs|result|results|results in|answers?|answered|reports?|reported|throws?|threw|raises?|fails?|failed"
    r"|failing|crash(?:es|ed)?|gets?|got|gives?|gave|returns?|returned|complains?|refuses|stops?|ends|breaks|with|this|that|following|below|follows|namely|is|see|sees|trace|console|response)"
    r"[^\w\n]{0,12}$|(?:报错|错误|异常|提示|日志|显示|如下|输出|返回|写着|出现|变成|这样|信息|结果|报|抛出|提醒|失败|原因|打印|内容)[^\w\n]{0,12}$"
)
"""How a sentence ends behind which the words of a program are quoted."""

SYSTEM = re.compile(
    r"(?i)[:：(] ?\(?(?:No such file or directory|Permission denied|Operation not permitted|Connection (?:refused|reset by peer|timed out|aborted|closed)|Cannot allocate memory|No space left on device|Device or resource busy"
    r"|Address already in use|Cannot assign requested address|Network is unreachable|No route to host|Host is (?:down|unreachable)|Broken pipe|Too many open files(?: in system)?|Read-only file system|File exists|Not a directory|Is a directory"
    r"|Invalid argument|Input/output error|Bad file descriptor|Bad address|Resource temporarily unavailable|Exec format error|Text file busy|Directory not empty|File name too long|Function not implemented|Protocol (?:error|not available)"
    r"|Name or service not known|Temporary failure in name resolution|nodename nor servname provided, or not known|Operation timed out|Operation not supported|Illegal seek|Stale file handle|Disk quota exceeded|context deadline exceeded|i/o timeout|unexpected EOF"
    r"|EOF|broken pipe|no such host|certificate has expired|unauthorized|command not found|not found|access denied|timeout|timed out)\)?[.)\]\"'”]{0,3}$"
)
"""What a C library or Go says behind a colon: `strerror(3)`, `gai_strerror(3)`, and the like."""

_STARTS = re.compile(
    r"(?i)^(?:fail(?:ed|ure)|can(?:no|')?t|can not|could(?: not|n't)|unable to|no (?!one|matter|longer|way|idea)|not |un(?:supported|known|expected|recognized|resolved|defined|able|caught|handled)|invalid|illegal|missing|too many|denied|access denied"
    r"|permission|incompatible|incorrect|duplicate|bad |illegal|out of|error|exception|timed? ?out|connection|refus|abort|require|insufficient|deadlock|lost |corrupt|wrong|mismatch|conflict|undefined|无法|不能|未|找不到|没有|缺少|无效|非法|连接|不支持|超时|拒绝)"
)
_NARRATES = re.compile(
    r"^(?:(?:The|This|These|Those|It|If|When|While|In|On|At|After|Before|Since|Because|There|So|But|And|Also|Some|One|Another|For|With|As|Once|Then|Now|Here|Both|All|Most|Many|Every|Each|A|An|To|By|From|Or|Of|Using|Note|See|Use|Set|Make|Check|Ensure|Install|Run|Add|Try)(?![A-Za-z])"
    r"|如果|当|由于|因为|因此|所以|但是|但|而|其中|通过|使用|对于|在|需要|可以|然后|首先|最后|注意|解决|检查|修改|配置|设置|建议|例如|比如|这|该|此|一般|通常|有时|常见|主要|本|以|为了|用于|表示|说明)"
)
_STRUCTURE = re.compile(
    r"\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'|`[^`\n]{1,200}`|‘[^’\n]{1,200}’|\[[^\]\n]{0,200}\]|[\w.-]{0,80}/[\w./-]{2,200}|\w_\w|\w\.\w|\d|[a-z][A-Z]|[A-Z]{3,}|="
)
_TELLS_ON = re.compile(
    r"(?i)(?<![\w'])(?:still|just|though|although|actually|anyway|works?|worked|(?:, ?)(?:so|but|and|because|since|while|when|then)|because|whereas|for me|at all|again|both|every time|each time|usually|sometimes|often|typically|normally|generally|is (?:raised|thrown|reported|returned|displayed|shown|caused)|(?:may|might|can) be)(?![\w'])|但是|然后|于是|结果|已经|之后|还是"
)
"""Words that tie what happened together."""
_STOP = re.compile(r"[.!;。！；][\s\"”]+\S|[。；，]")


_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_LONG = 160
"""Characters of a sentence that a program seldom prints without a colon."""
QUESTION = re.compile(r"[?？](?:[\s\"'”’)）]|$)")


def tells_failure(text: str) -> bool:
    """Whether a text says that something went wrong."""
    if _MAY_TELL.search(text.encode("utf-8", "surrogatepass")) is None:  # an automaton passes over most lines of a log
        return False
    return FAILURE.search(text) is not None


def is_personal(text: str) -> bool:
    """Whether a text is what a person writes: it speaks of somebody, tells a story or asks."""
    return PERSON.search(text) is not None or QUESTION.search(text) is not None


def is_human(text: str) -> bool:
    """Whether the beginning of a sentence is a person's: it is personal, narrates or is Chinese."""
    return is_personal(text) or _NARRATES.search(text.lstrip()) is not None or _CHINESE.search(text) is not None


SIGNS = {
    "system": SYSTEM,
    "starts": _STARTS,
    "structure": _STRUCTURE,
    "colon": re.compile(r": |："),
    "open-end": re.compile(r"[^.。!！?？，,]$"),
    "narrates": _NARRATES,
    "stops": _STOP,
    "long": re.compile(rf"^[^:]{{{_LONG},}}$"),
    "person": PERSON,
    "question": QUESTION,
    "tells-on": _TELLS_ON,
    "quoted-name": re.compile(r"['\"`‘“][\w.:/$-]{1,200}['\"`’”]"),
    "number": re.compile(r"\d\d"),
    "links": re.compile(r"\*\*|\]\(|https?:"),
    "few": re.compile(r"^\S+(?: \S+){0,2}$"),
    "particles": re.compile(
        r"(?:[的了在是会就都把被让后时中这那要也还对从到给并和与][^的了在是会就都把被让后时中这那要也还对从到给并和与\n]{0,40}){3}"
    ),
}
"""What the form of a sentence says of who wrote it; what each weighs is learned."""


_SCRIPT = re.compile(r"[，。；、！？,;（(]?[ \t]{0,4}[\u4e00-\u9fff]")
_BORDER = re.compile(r"[.!?] {1,2}(?=[A-Z`'\"])|[。！？；]")
_NEAR = 120  # characters of the next sentence that tell whose it is


def said_until(text: str, begin: int, end: int) -> int:
    """Where the words of a program end that begin at a place within somebody's sentence; ``end`` where they go on to there.

    They end at the other script where they are Latin in a Chinese sentence, and before a sentence that a person goes on with.
    """
    words = text[begin:end]
    if _CHINESE.search(words[:12]) is None:
        other = _SCRIPT.search(words)
        if other is not None and len(words[: other.start()].split()) > 1:
            words = words[: other.start()]
    for border in _BORDER.finditer(words):
        rest = words[border.end() : border.end() + _NEAR]
        if is_personal(rest) or _TELLS_ON.search(rest):
            words = words[: border.start() + 1]
            break
    return begin + len(words.rstrip())


SUPPOSES = re.compile(r"(?:如果|若|假如|倘若|要是)|(?:If|Whenever|In case) ")
"""How a sentence begins that tells what to do when an error comes, and shows none."""
_IS_CODE = re.compile(
    r"[ \t]{0,40}(?:raise\b|throw\b|assert\b|except\b|catch\b|\}? ?catch ?\(|@\w+\(|print\(|return\b|(?:\w{1,40}\.){0,3}(?:log|logger|logging|console|LOG|_logger)\.\w{1,20}\()"
    r"|[^\n]{0,400}\bthrow new \w|[^\n]{0,400}%[sd]['\"],"
)


def is_code(line: str) -> bool:
    """Whether a line is source that raises, catches or logs an error: it shows what may come, not what came."""
    return _IS_CODE.match(line) is not None


def is_mixed(text: str) -> bool:
    """Whether Latin words stand in a Chinese sentence."""
    return _CHINESE.search(text) is not None and _LATIN_WORDS.search(text) is not None


_LATIN_WORDS = re.compile(r"[A-Za-z][\w'.-]{0,60} [\w'(][^\u4e00-\u9fff]{6}")
