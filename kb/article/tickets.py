"""Titles as trackers and their mails write them, without what is about the ticket: ``[PROJ-123] Re: Ledger stops (Resolved)`` → ``Ledger stops``."""

import re

from kb.patterns import lazy

_LONGEST = 400
_LEAST = 4
"""Letters of what is left of a title: a name, not a number alone."""
_ROUNDS = 6
_KEY = r"[A-Z][A-Z0-9_]{1,9}-[1-9]\d{0,5}"
"""What begins with 0 is the code of an error: *ORA-00942*."""
_STATE = r"RESOLVED|SOLVED|CLOSED|FIXED|REOPENED|Resolved|Solved|Closed|Fixed|Reopened|Duplicate|Won'?t [Ff]ix|已(?:解决|关闭|修复|完成)|已解決|已關閉"
"""States of a ticket; in small letters an error may say them: *read fails (closed)*."""
_REPLY = lazy(
    r"(?:re|aw|wg|sv|antw|fwd?|回复|回覆|答复|答覆|转发|轉發)[ ]?(?:\[\d{1,3}\])?[:：][ ]{0,4}(?-i:\[[a-z][a-z0-9/_. -]{1,60}\][ ]{1,4})?",
    re.IGNORECASE,
)
"""Marks of a reply, and the name of a list or a repository behind it."""
_MAILED = lazy(
    rf"\[jira\][ ]?(?:\[[\w ]{{3,20}}\][ ]?|[A-Z][a-z]{{2,20}}:[ ]?)?\({_KEY}\)[ ]{{0,4}}"  # Jira, to a list and in the cloud
    r"|\[(?:(?:bug|issue|ticket|case)[ ]?#?|#)[ ]?\d{2,16}\][ ]?(?:New:[ ]|\[[A-Z]{3,12}\][ ])?"  # Bugzilla, Launchpad, OTRS, Zammad
    rf"|\[[^\[\]\n]{{1,60}}[ ]#\d{{1,9}}\][ ]?(?:[(\[](?:{_STATE}|New|In Progress)[)\]][ ])?"  # Redmine, RT
    r"|\[(?!err)[^\[\]\n]{1,60}[ ]0\d{6}\]:?[ ]{1,4}"  # Mantis
    r"|【ID\d{6,20}】[ ]{0,4}",  # TAPD
    re.IGNORECASE,
)
"""How the subject of a mail from a tracker begins."""
_NUMBERED = lazy(
    r"(?:bug|issue|ticket|defect|incident|缺陷|工单|工單)(?:[ ]?\d{3,9}[ ]{0,2}[:：–—-]|[ ]?#[ ]?\d{1,9}[ ]{0,2}[:：–—-]?)[ ]{1,4}"  # Bugzilla, Azure, Redmine, 禅道
    r"|0\d{6}[:：][ ]{1,4}"  # Mantis
    r"|(?:INC|PRB|RITM|CHG|REQ|SCTASK)\d{7,10}[ ]{0,2}[:：–—-]?[ ]{1,4}",  # ServiceNow
    re.IGNORECASE,
)
_STATED_FIRST = lazy(rf"(?:\[(?:{_STATE})\]|【(?:{_STATE})】|（(?:{_STATE})）)[ :：-]{{0,4}}")
_HEADS = (_REPLY, _MAILED, _NUMBERED, _STATED_FIRST)
_STATED_LAST = lazy(
    rf"(?:(?<![ ]is)(?<![ ]are)(?<![ ]was)(?<![ ]were)(?<![ ]be)[ ]{{1,4}}(?:\((?:{_STATE})\)|\[(?:{_STATE}|closed|solved|resolved|duplicate|on hold)\])|[ ]{{0,4}}(?:【(?:{_STATE})】|（(?:{_STATE})）))\Z"
)
"""A state; *the index is [closed]* is what the error says."""
_REFERRING = lazy(
    r"(?<!error)(?<!code)[ ]{1,4}\((?:(?:issue|pr|pull request)[ ])?[#!]\d{1,7}\)\Z",
    re.IGNORECASE,
)
"""``… (#123)``, ``… (PR #12)``; a number without brackets may be the error's: *Query fails #2032*."""
_TAILS = (_STATED_LAST, _REFERRING)
_PAGES = (
    lazy(rf"\[{_KEY}\][ ](?P<title>\S.{{0,300}}?)[ ]-[ ][\w .]{{0,40}}jira\Z", re.IGNORECASE),
    lazy(
        r"(?P<title>\S.{0,300}?)[ ]\([#!]\d{1,7}\)[ ]·[ ](?:Issues|Merge requests|Work items)[ ]·[ ].{1,200}\Z"
    ),  # GitLab
    lazy(
        r"(?P<title>\S.{0,300}?)(?: by [\w-]{1,39})?\s·\s(?:[\w./ -]{1,100}\s·\s)?(?:Issue|Pull Request|Discussion) #\d.{0,200}\Z"
    ),  # GitHub
    lazy(r"Bug #\d{1,9} “(?P<title>.{1,300}?)” : Bugs : .{1,200}\Z"),  # Launchpad
    lazy(r"#\d{1,7} \((?P<title>.{1,300}?)\) – .{1,100}\Z"),  # Trac
    lazy(r"[\w ]{2,30} #\d{1,9}: (?P<title>\S.{0,300}?) - [^-\n]{1,80} - [^-\n]{0,40}Redmine\Z"),
    lazy(r"0\d{6}: (?P<title>\S.{0,300}?) - [^-\n]{0,40}MantisBT\Z"),
)
"""The titles of pages of trackers."""
_KEYED = lazy(rf"\[?(?P<key>{_KEY})\]?[ ]{{0,2}}[:：–—-]?[ ]{{1,4}}(?P<title>\S.*)\Z", re.DOTALL)


def without_ticket(title: str, text: str = "") -> str:
    """Return a title without keys, numbers and states of a ticket, marks of replies and the name of the tracker; as it is where it has none.

    A key such as ``PROJ-123`` may be the code of an error: it goes where ``text`` leads to a page of that key, or it stands in brackets before a reply or a state.
    """
    words = title[:_LONGEST].strip()
    page = next((found["title"] for pattern in _PAGES if (found := pattern.match(words))), None)
    left = _stripped(page or words)
    keyed = _KEYED.match(left)
    if keyed and (_leads_to(keyed["key"], text) or (words.startswith("[") and _is_of_ticket(words, keyed["title"]))):
        left = _stripped(keyed["title"])
    if left == words or sum(map(str.isalpha, left)) < _LEAST:
        return title
    return left + title[_LONGEST:]


def _stripped(words: str) -> str:
    for _ in range(_ROUNDS):
        shorter = words
        for head in _HEADS:
            found = head.match(shorter)
            shorter = shorter[found.end() :] if found else shorter
        for tail in _TAILS:
            shorter = tail.sub("", shorter)
        if shorter == words or sum(map(str.isalpha, shorter)) < _LEAST:
            break
        words = shorter
    return words.strip()


def _is_of_ticket(words: str, behind: str) -> bool:
    """Whether a title ends in a state, or its words behind a key begin as a reply."""
    return _STATED_LAST.search(words) is not None or _REPLY.match(behind) is not None


def _leads_to(key: str, text: str) -> bool:
    """Whether a text has the address of a page of a key, as Jira and YouTrack write it."""
    return re.search(rf"/(?:browse|issue)/{re.escape(key)}(?!\d)", text) is not None
