"""Arguments of calls as PHP prints them in a frame: ``#0 /a.php(1): PDO->__construct('mysql:host=db', 'root', 'x')``.

Only those of calls that are given secrets, by their names; other arguments help whoever reads the trace. What logs in keeps
its first argument of several, where it goes to; what works on a secret keeps none.
"""

import re

from kb.patterns import lazy

_ARGUMENT = r"(?:'[^'\n]*+'|\w{1,40}+\([^()\n']{0,100}+\)|[^'(),\n])"
_CALL = r"(?:\)|function\]): ?(?P<name>[\w\\>:$-]{1,200}+)\("
OF_SECRETS = lazy(rf"{_CALL}(?P<secret>(?:{_ARGUMENT}|,)++)(?=\))")
OF_LOGINS = lazy(rf"{_CALL}(?:(?:{_ARGUMENT})++, ?(?=[^\n)]))?+(?P<secret>(?:{_ARGUMENT}|,)++)(?=\))")

_NAME_OF_SECRETS = lazy(
    r"pass(?!e|a|i)|pwd|secret|token|credential|crypt|hmac|hash\Z|(?:>|:|_|\b)(?:verify|sign)\Z|api_?key", re.IGNORECASE
)
_NAME_OF_LOGINS = lazy(
    r"(?:connect|login|logon|auth|authenticate|attempt|bind|imap_open|(?:pdo|sqli|connection|client|redis|amqp|ldap|ftp|smtp|mailer|auth\w{0,20})->__construct)\Z",
    re.IGNORECASE,
)
_FRAME = lazy(r"#\d{1,4}[ \t]{1,4}[^\n#]{1,400}\Z")
_LONGEST = 420


def is_of_secrets(match: re.Match[str]) -> bool:
    """Whether a frame's call works on secrets."""
    return _NAME_OF_SECRETS.search(match["name"]) is not None and _is_in_frame(match)


def is_of_logins(match: re.Match[str]) -> bool:
    """Whether a frame's call opens a connection or logs in."""
    return _NAME_OF_LOGINS.search(match["name"]) is not None and _is_in_frame(match)


def _is_in_frame(match: re.Match[str]) -> bool:
    begin = max(match.string.rfind("\n", 0, match.start()) + 1, match.start() - _LONGEST)
    before = match.string[begin : match.start()]
    at = before.rfind("#")
    return "'" in match["secret"] and at >= 0 and _FRAME.match(before, at) is not None
