"""The quality gate: what becomes an incident, and in which words the rest is refused."""

from collections.abc import Callable
from enum import StrEnum

import re2

from kb.incident import Incident, fields_of


class Reason(StrEnum):
    """Why a document is not in the knowledge base."""

    UNREADABLE = "unreadable"
    """The file could not be opened."""
    UNSUPPORTED = "unsupported"
    """A kind of file that holds no article: a picture, code, settings."""
    TOO_LARGE = "too_large"
    UNSAFE = "unsafe"
    """A member of an archive whose name leads out of it, that is nested too deep, or that unpacks to far too much."""
    BINARY = "binary"
    """Not text in any encoding."""
    EMPTY = "empty"
    INVALID_RECORD = "invalid_record"
    """A line of a JSON-lines file, or a record of an export, that tells of no incident."""
    DECLINED = "declined"
    """Its front matter says `incident: false`: a guide or an index among write-ups."""
    MANUAL = "manual"
    TUTORIAL = "tutorial"
    QUESTION = "question"
    CHANGES = "changes"
    LINKS = "links"
    """What states no problem (`kb.article.declining`): declined unless ``--keep-all`` is given."""
    NO_PROBLEM = "no_problem"
    """No trace, no cause with its fix, and no word of failure."""
    FAILED = "failed"
    """Reading it raised an error: a fault in dejastack, worth a report."""


# Words that say something went wrong. One is enough: the gate keeps out what is clearly about something else
# (release notes, meeting minutes), ranking does the rest. Whole words in English, so that "terror" is none.
_FAILURE = re2.compile(
    r"(?i)\b(?:errors?|exceptions?|fail(?:s|ed|ing|ures?)?|faults?|crash\w*|cannot|can't|could not|couldn't|unable to|not found|"
    r"refused|denied|rejected|time(?:d)?[ -]?outs?|invalid|missing|unexpected|panic\w*|abort\w*|broken|corrupt\w*|bugs?|"
    r"issues?|problems?|troubleshoot\w*|stuck|hangs?|hung|deadlocks?|leaks?|oom|out of memory|outage|unavailable|"
    r"doesn't work|does not work|not working|killed|stacktrace|traceback|fatal|giv(?:es|en|ing) up|gave up)\b"
    r"|错误|異常|异常|报错|報錯|失败|失敗|超时|超時|无法|無法|不能|拒绝|拒絕|崩溃|崩潰|故障|问题|問題|卡死|卡住|死锁|死鎖|泄漏|泄露|"
    r"溢出|丢失|丟失|宕机|中断|不可用|找不到|不生效|出错|出錯|排查|缺失|不足|异常退出|挂掉"
)


def describes_problem(incident: Incident, document: Callable[[], str] = str) -> bool:
    """Whether there is anything to recognise or to mend in it: a trace, a cause with its fix, or a word of failure.

    A fix alone may be any advice ("add sugar"). Then a word of failure anywhere in the text that ``document`` gives, code
    included, makes it one: an error is often shown in a code block only.
    """
    cause, fix = incident.root_cause or "", incident.fix or ""
    if incident.chains or (cause and fix):
        return True
    prose = (getattr(incident, field.name) or "" for field in fields_of(type(incident)) if field.is_prose)
    texts = (incident.title, *prose, *incident.traces)
    return any(map(_tells_failure, texts)) or bool((cause or fix) and _tells_failure(document()))


def _tells_failure(text: str) -> bool:
    return bool(_FAILURE.search(text.encode("utf-8", "replace").decode()))  # re2 takes no lone surrogate
