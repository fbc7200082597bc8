"""Files of credentials: .netrc, .pgpass, docker's and npm's, Redis's and Spark's settings, pairs of a cloud's keys."""

import base64
import binascii
import re

from kb.patterns import lazy
from kb.redact.names import KEY, SECRET_KEY
from kb.redact.values import NEVER, STAND_IN, has_digit

NETRC = lazy(r"(?i:login)\s{1,20}\S{1,100}\s{1,20}(?i:password)\s{1,20}(?P<secret>[^\s<]++)")
PGPASS = lazy(
    r":(?:54\d\d|6432|\*):[\w.*-]{1,64}:[\w.*@-]{1,64}:(?P<secret>(?:[^\s:\\<]|\\.)(?:[^\s:\\<]++|\\.)++)(?=\s|\Z)"
)
DOCKER_AUTH = lazy(
    r"""(?i:auth)["']?[ \t]{0,3}[:=][ \t]{0,3}["']?(?P<secret>[A-Za-z0-9+/_-]{8,}+={0,2})(?=["'\s,}]|\Z)"""
)
SERVER_SETTING = lazy(
    r"""(?i:requirepass|masterauth|primaryauth|sentinel-pass|auth-pass[ ][\w.-]{1,60})[ \t]{1,4}(?:to[ ])?["']?(?P<secret>[^\s"'<$]{2,}+)(?![ ](?:is|was|as|has|not|for|and|or)[ ])"""
)
SPACED = lazy(rf"(?i:(?P<key>{KEY}))[ \t]{{1,20}}+(?P<secret>[^\s<=:][^\s<]{{3,}}+)[ \t]{{0,8}}(?=[\r\n]|\Z)")
CLOUD_PAIR = lazy(
    r"""(?<![A-Za-z0-9.])(?i:ak|sk)["']?[ \t]{0,3}[:=：][ \t]{0,3}["']?(?P<secret>[A-Za-z0-9+/]{16,}+={0,2})(?![\w.-])"""
)
KEY_PAIR = lazy(
    r"""(?<![A-Za-z0-9])(?:(?:AKIA|ASIA)[A-Z0-9]{16}|LTAI[A-Za-z0-9]{12,24}|AKID[A-Za-z0-9]{32})(?![A-Za-z0-9])["'`*]{0,3}[ \t]{0,4}(?:[/:,;|，：、&+]|and|和)?\s{0,4}["'`*]{0,3}"""
    r"""(?P<secret>[A-Za-z0-9/+]{30,40}+)(?![A-Za-z0-9/+=])"""
)
"""The secret behind an id of AWS (40 characters), Aliyun (30) or Tencent (32)."""
BASIC = lazy(r"(?<![A-Za-z0-9])(?i:basic)[ ]{1,3}(?P<secret>[A-Za-z0-9+/]{8,}+={0,2})(?![\w.-])")

_DOTTED = lazy(r"(?:^|\n)[ \t]{0,8}[\w-]{1,40}(?:\.[\w-]{1,40}){0,10}\.[\w-]{0,40}\Z")


_UPSTREAM = lazy(r"(?:proxy|fastcgi|uwsgi|scgi|grpc|memcached)_\Z")
"""``proxy_pass http://backend``"""
_DIRECTIVE = lazy(
    r"(?:^|\n)[ \t]{0,12}(?:(?:ENV|ARG|set|setenv|setx|export)[ ]{1,3}[\w-]{0,60}|set[ ]{1,3}(?P<exported>(?:-{1,2}[A-Za-z-]{1,10}[ ]{1,3}){1,3})[\w-]{0,60}|(?:user(?:name)?[ ][\w.-]{1,40}[ ])?[A-Za-z][\w-]{0,40}[_-])\Z"
)


def is_netrc(match: re.Match[str]) -> bool:
    """Whether a machine is named before the login."""
    before = match.string[max(match.start() - 300, 0) : match.start()].rstrip()
    words = before.split()[-2:]
    return bool(words) and (words[-1] == "default" or words[0] == "machine")


def is_basic(match: re.Match[str]) -> bool:
    """``"auth": "dXNlcjpwYXNz"``: whether it is a name and a password in base64, or as long as a token."""
    value = match["secret"]
    if (
        match.re.pattern != BASIC.pattern
        and len(value) >= 24
        and has_digit(value)
        and not value.islower()
        and not value.isupper()
    ):
        return True
    try:
        return ":" in base64.b64decode(value + "=" * (-len(value) % 4), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return False


def is_spaced(match: re.Match[str]) -> bool:
    """``spark.ssl.keyStorePassword  x``: a dotted name that begins its line, and a single word behind it."""
    value, key = match["secret"], match["key"].lower()
    before = match.string[max(match.start() - 200, 0) : match.start()]
    if (
        (_DOTTED.search(before) is None and not _is_directive(before, value))
        or NEVER.match(value)
        or STAND_IN.match(value)
        or (key == "pass" and _UPSTREAM.search(before))
    ):
        return False
    return not key.startswith("key") or SECRET_KEY.search(before[-20:]) is not None


def _is_directive(before: str, value: str) -> bool:
    """``ENV DB_PASSWORD x``, ``set -gx DB_PASSWORD x``, ``auth_pass x``: a joined name begins its line, and the value is no word."""
    found = _DIRECTIVE.search(before)
    if found is None or (found["exported"] and value[0] in "\"'"):
        return False
    return found["exported"] is not None or (has_digit(value) and not value.isdigit())


def is_mixed_key(match: re.Match[str]) -> bool:
    """Whether it holds letters and digits."""
    value = match["secret"]
    return has_digit(value) and any(c.isalpha() for c in value)
