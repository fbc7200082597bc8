"""Where secrets travel: headers, addresses, command lines, elements of XML."""

import re

from kb.redact.assignments import KEY, NEVER, SECRET_KEY, STAND_IN, has_digit
from kb.redact.words import PLACEHOLDER

AUTHORIZATION = re.compile(
    r"""(?i:authorization)\\?["']?+[ \t]{0,3}+[:=][ \t]{0,3}+\\?["'\[]?+(?i:(?P<scheme>bearer|basic|digest|token|negotiate|apikey)[ \t]{1,3}+)?+"""
    r"""(?P<secret>[\w.~+/=:%-]{4,4096}+)"""
)
BEARER = re.compile(r"""(?<!\w)(?i:bearer)[ \t]{1,3}+(?P<secret>[\w.~+/=%-]{16,4096}+)""")
COOKIE = re.compile(
    r"""(?i:cookie)\\?["']?+[ \t]{0,3}+[:=][ \t]{0,3}+\\?["']?+(?P<secret>[\w.$-]{1,128}+=[^\s;"'\\<]{1,4096}+(?:;[ \t]?+[\w.$-]{1,128}+(?:=[^\s;"'\\<]{0,4096}+)?+)*+)"""
)
IN_ADDRESS = re.compile(r"""://(?P<secret>[^\s/@:"'<>()\[\]]{0,128}+:[^\s/"'<>]{1,256})(?=@[\w\[.$-])""")
ORACLE = re.compile(r"""(?i:jdbc:oracle:\w{2,8}:)(?P<secret>[^\s/@:"'<>]{1,128}+/[^\s/@"'<>]{1,128}+)(?=@)""")
IDENTIFIED = re.compile(
    r"""(?i:\bidentified[ \t]{1,3}+(?:with[ \t]{1,3}+\S{1,64}+[ \t]{1,3}+)?+by[ \t]{1,3}+)['"](?P<secret>[^'"\r\n<]{1,256}+)['"]"""
)
OPTION = re.compile(
    r"""--(?i:password|passwd|pass|pwd|token|secret|api-?key|secret-?key|access-?key)[ \t]{1,3}+["']?+(?P<secret>[^\s"'<>$`|;&,)-][^\s"'<>|;&,)]{3,256}+)"""
)
COMMAND = re.compile(
    r"""\b(?:mysql(?:dump|admin|import)?|mariadb|sshpass|redis-cli|curl|wget)\b(?:[ \t]{1,4}+(?!-p|-a[ \t]|-u[ \t]{1,3}+\S{1,64}?:|--user[ =])[^\s'"]{1,128}+){0,12}+"""
    r"""[ \t]{1,4}+(?:-p[ \t]?+|-a[ \t]{1,3}+|-u[ \t]{1,3}+|--user[ =]{1,3}+)['"]?+(?P<secret>[^\s'"<>$-][^\s'"<>]{1,128}+)"""
)
ELEMENT = re.compile(
    rf"""(?i:(?P<key>{KEY})[\w.-]{{0,40}}+(?P<gap>(?:</name>\s{{0,64}}+<value>|["'][ \t]{{1,4}}+value=["']|>)\s{{0,64}}+))"""
    rf"""(?P<secret>[^\s<>"'][^<>"'\r\n]{{0,511}}+)(?=[<"'])"""
)
SIGNATURE = re.compile(r"(?i:(?<=[?&;])sig|(?<=[?&;-])signature)=(?P<secret>[\w%+/=-]{16,512}+)")


def is_element(match: re.Match[str]) -> bool:
    """``<password>x</password>``, ``<name>x.password</name><value>x</value>``: what stands before is the open tag."""
    value, key = match["secret"], match["key"].lower()
    before = match.string[max(match.start() - 80, 0) : match.start()]
    if key.startswith("key") and not SECRET_KEY.search(before):
        return False
    if match["gap"].strip() == ">":
        # our own placeholder looks like an open tag: it is one only where its own end follows
        end = f"</{PLACEHOLDER[1:]}" if match.string.startswith(PLACEHOLDER, match.start() - 1) else "</"
        if not match.string.startswith(end, match.end()):
            return False
    return _OPEN_TAG.search(before) is not None and not (NEVER.match(value.strip()) or STAND_IN.match(value))


_OPEN_TAG = re.compile(r"""<(?:name>\s{0,8}|\w{1,20}[ \t]{1,4}name=["'])?[\w.:-]{0,60}\Z""", re.IGNORECASE)


def is_credential(match: re.Match[str]) -> bool:
    """Whether what follows the header is a credential and not a word about it."""
    value = match["secret"]
    if match["scheme"]:
        return not NEVER.match(value)
    return len(value) >= 12 and has_digit(value)


def has_digit_or_symbol(match: re.Match[str]) -> bool:
    """Whether the value is no plain word."""
    return not match["secret"].isalpha() and not NEVER.match(match["secret"])
