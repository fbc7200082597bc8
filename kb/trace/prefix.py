"""What loggers print in front of a message: one pattern for every common layout."""

import re

# Tokens that stand before a trace line in a log: times, levels, [threads], containers |, logger names with : or -
LOG_PREFIX = re.compile(
    r"(?:[ \t]*+(?:"
    r"[>|*#│┃¦•·]|//"
    r"|<?\d{1,4}+[-/.年]\d{1,2}+(?:[-/.月]\d{1,4}+日?)?[T ]?(?:\d{1,2}:\d{2}(?::\d{2})?(?:[.,:]\d{1,9}+)?)?(?:Z|[+-]\d{2}:?\d{2})?"
    r"|\d{1,2}:\d{2}:\d{2}(?:[.,:]\d{1,9}+)?(?:[ \t]++[A-Za-z][\w.-]{0,80}+(?=[ \t]++[\w./-]{1,60}+(?:\[\d{1,9}\])?:))?(?:[ \t][AP]M(?=[ \t\]]))?"
    r"|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}+ +\d{1,2}"
    r"|(?:\[[^\[\]]{0,160}+\]|\((?:[^()]{0,80}+)\)|<[^<>]{0,80}+>)"
    r"|(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|SEVERE|CRITICAL|NOTICE|Error|Warn|Info|error|warn|info|stderr|stdout)\b:?"
    r"|[EWIDFV]/[\w.$-]{1,60}+"
    r"|[EWIDFV](?=[ \t]++[\w.$-]{1,60}+[ \t]*+:)"
    r"|[\w.$/-]{1,120}+(?:\[[^\[\]]{0,60}+\])?(?=[ \t]*+(?:[:|>]|-{1,4}>?[ \t]))"
    r"|\d{1,10}+(?=[ \t]|$)"
    r"|-{1,4}>?|[:：,;]|={2,3}>?"
    r")){1,16}+[ \t]*+"
)


_ROUTINE = re.compile(
    r"(?<![A-Za-z])(?:TRACE|DEBUG|INFO|NOTICE|Debug|Info|debug|info)(?![A-Za-z])|^[ \t]*[IDV](?:/|\d{4} )"
)


def is_routine(line: str) -> bool:
    """Whether a log wrote the line and says that nothing is wrong: level information, or finer (``2026-01-02 10:00:00 INFO …``)."""
    found = LOG_PREFIX.match(line[:400])
    return found is not None and _ROUTINE.search(found[0]) is not None


def is_prefix(text: str) -> bool:
    """Whether a log could have put this before a line."""
    body = text.strip()
    if not body:
        return True
    found = LOG_PREFIX.match(text[:400])
    return found is not None and not text[found.end() :].strip()
