"""How the lines of a trace begin, whatever runtime printed them: frames, links and titles."""

import re
from functools import lru_cache

import re2

_FRAME_MARKS = (
    r"at [\w$@./<]|在 \w|File \\?[\"'&]|from [/\w]|Caused by|Traceback |\.{3} \d|#\d{1,3} |goroutine \d|created by |\d{1,4}: +[\w<_]"
    r"|\[<|\S{1,200}\+0x|[\w./$@-]{1,200}\.\w{1,5}:\d|[│╭╰]|[E>]   |Fatal Python error|(?:Current t|T)hread 0x|\| |\+ Exception"
    r"|in [\w(]|java\.lang\.Thread\.State|(?:Syntax|Execution) error |Cell In ?\[|-{2,6}> ?\d|_{4,}|\w{1,80}(?:Error|Exception) {2,}Traceback"
)
# .NET says "at" in twenty languages: any word behind an indentation, and a call
# a JSON list of frames, one on each line, has them in quotes
IN_TRACE = re.compile(rf"[ \t]*+\"?+(?:{_FRAME_MARKS})|[ \t]{{2,}}+\S{{1,12}} [\w.$<>`+]{{3,300}}[(\[]")
_ANY_MARK = re2.compile(
    (
        r"at [\w$@./<]+[.(]|在 \w|File \\?[\"'&]|from [/\w]|Caused by|Traceback|\.\.\. \d|#\d|goroutine \d|created by |\d: +[\w<_]|\[<"
        r"|\+0x|\.\w+:\d|[│╭╰]|[E>]   |Fatal Python error|hread 0x|\| |\+ Exception|  \S+ [\w.$<>`+]+[(\[]|in [\w(]+['`]|Thread\.State|Execution error |Syntax error |Cell In|-> ?\d|____"
    ).encode()
)
"""Whether any line nearby can be one of a trace, in one pass: most that name an error stand alone."""


@lru_cache(maxsize=8)
def any_in_trace(text: str) -> bool:
    """Whether any line of the text can be one of a trace: one pass, and seldom wrong in that direction."""
    return _ANY_MARK.search(text.encode("utf-8", "surrogatepass")) is not None
