"""Where secrets travel: headers, addresses, elements of XML."""

import re

from kb.redact.assignments import KEY, NEVER, PATH, SECRET_KEY, STAND_IN, SUFFIX, has_digit
from kb.redact.words import PLACEHOLDER

AUTHORIZATION = re.compile(
    r"""(?i:authorization)(?:\\?["']?+[ \t]{0,3}+[:=][ \t]{0,3}+|["'][ \t]{0,2},[ \t]{0,3}|[ \t](?="))\\?["'\[]{0,2}+"""
    r"""(?:(?i:(?P<scheme>bearer|basic|token|negotiate|apikey|ntlm|ssws|geniekey|sharedkey|sharedkeylite|oss|cos|obs|aws|splunk|hmac|key))[ \t]{1,3}+)?+"""
    r"""(?![A-Z0-9]{2,8}-HMAC-)(?P<secret>[\w.~+/=:%-]{4,8192}+)"""
)
SESSION = re.compile(
    r"""(?i:jsessionid|phpsessid|session[-_]?id)\\?["']?[ \t]{0,3}[=:][ \t]{0,3}\\?["']?(?P<secret>(?!0x)[\w.!:~+/-]{4,512}+)"""
)
BEARER = re.compile(r"""(?<!\w)(?i:bearer)[ \t]{1,3}+(?P<secret>[\w.~+/=%-]{16,4096}+)""")
NEGOTIATE = re.compile(r"""(?<!\w)(?i:negotiate|ntlm)[ \t]{1,3}+(?P<secret>[A-Za-z0-9+/]{20,16384}+={0,2})""")
COOKIE = re.compile(
    r"""(?i:cookie)\\?["']?+[ \t]{0,3}+[:=][ \t]{0,3}+\[?\\?["']?+(?P<secret>[\w.$-]{1,128}+=[^\s;"'\\<]{1,4096}+(?:;[ \t]?+[\w.$-]{1,128}+(?:=[^\s;"'\\<]{0,4096}+)?+)*+)"""
)
IN_ADDRESS = re.compile(
    r"""://(?P<secret>[^\s/@:"'<>()\[\]]{0,128}+:(?:[^\s/"'<>]{1,256}|(?!\d{1,5}/)[^\s"'<>]{1,128})|[A-Za-z0-9_-]{20,256}+)(?=@[\w\[.$-])"""
)
ORACLE = re.compile(
    r"""(?i:jdbc:oracle:\w{2,8}:|\b(?:sqlplus|impdp|expdp|sqlldr|rman)[ \t]{1,3}(?:-\w{1,12}[ \t]{1,3}|target[ \t]{1,3}){0,4})["']?(?P<secret>[^\s/@:"'<>]{1,128}+/[^\s/@"'<>]{1,128}+)(?=@)"""
)
IDENTIFIED = re.compile(
    r"""(?i:\bidentified[ \t]{1,3}+(?:with[ \t]{1,3}+\S{1,64}+[ \t]{1,3}+)?+by[ \t]{1,3}+(?:password[ \t]{1,3}+)?+)['"](?P<secret>[^'"\r\n<]{1,256}+)['"]"""
)
SQL_PASSWORD = re.compile(r"""(?i:password)(?:[ \t]{1,3}|[ \t]?\([ \t]?)'(?P<secret>[^'\r\n<]{1,256}+)'""")
ELEMENT = re.compile(
    rf"""(?i:(?P<key>{KEY}){SUFFIX}(?P<gap>(?:</name>\s{{0,64}}+<value>|["'][ \t]{{1,4}}+value=["']"""
    r"""|["']?(?:[ \t]{1,4}[\w:.-]{1,40}=["'][^"'<>\n]{0,80}["']){0,4}[ \t]{0,2}>(?:<!\[CDATA\[)?)\s{0,64}+))"""
    r"""(?P<secret>[^\s<>"'\]][^<>"'\r\n\]]{0,511}+)(?=[<"'\]])"""
)
SIGNATURE = re.compile(r"(?i:(?:(?<=[?&; ])sig|(?<=[?&;-])signature|(?<=[?&])sign)=(?P<secret>[\w%+/=-]{16,1024}+))")
HEX_SIGNATURE = re.compile(r"(?i:(?<=[, ])signature=(?P<secret>[0-9a-f]{40,512}+))")
FUNCTION_CODE = re.compile(r"(?<=[?&])code=(?P<secret>[\w%+/=-]{40,512}+)")


_STANDS_IN = re.compile(r"\*{2,}\Z|\$?\{\{?[^{}]*\}?\}\Z|x{3,}\Z")


def is_element(match: re.Match[str]) -> bool:
    """``<password>x</password>``, ``<name>x.password</name><value>x</value>``: what stands before is the open tag."""
    value, key, gap = match["secret"], match["key"].lower(), match["gap"].strip()
    before = match.string[max(match.start() - 80, 0) : match.start()]
    if key.startswith("key") and (not SECRET_KEY.search(before) or PATH.match(value)):
        return False
    if gap == ">":
        # our own placeholder looks like an open tag: it is one only where its own end follows
        end = f"</{PLACEHOLDER[1:]}" if match.string.startswith(PLACEHOLDER, match.start() - 1) else "</"
        if not match.string.startswith(end, match.end()):
            return False
    return _OPEN_TAG.search(before) is not None and not (NEVER.match(value.strip()) or STAND_IN.match(value))


_OPEN_TAG = re.compile(
    r"""<(?:name>\s{0,8}|\w{1,20}(?:[ \t]{1,4}\w{1,20}=["'][^"'<>]{0,20}["']){0,2}[ \t]{1,4}(?:name|key)=["'])?[\w.:-]{0,60}\Z""",
    re.IGNORECASE,
)


def is_credential(match: re.Match[str]) -> bool:
    """Whether what follows the header is a credential and not a word about it."""
    value = match["secret"]
    if match["scheme"]:
        return not NEVER.match(value) and not STAND_IN.match(value)
    return len(value) >= 12 and has_digit(value)


def is_session(match: re.Match[str]) -> bool:
    """A session of a browser; one of ZooKeeper or of a database is a number."""
    value = match["secret"]
    return not value.isdigit() and (has_digit(value) or len(value) >= 16) and not NEVER.match(value)


def is_long(match: re.Match[str]) -> bool:
    """Whether a part of an address before its ``@`` is a token, where no password stands in it."""
    value = match["secret"]
    if ":" in value:
        return not _STANDS_IN.match(value.partition(":")[2])
    return has_digit(value) and any(c.isalpha() for c in value)


def is_quoted_word(match: re.Match[str]) -> bool:
    """``IDENTIFIED BY 'x'``, and not the title of something that is identified by it."""
    return match["secret"].count(" ") < 2


def is_statement(match: re.Match[str]) -> bool:
    """``ALTER ROLE a PASSWORD 'x'``: whether it stands in a statement about accounts."""
    before = match.string[max(match.start() - 120, 0) : match.start()].rpartition("\n")[2].lower()
    return any(word in before for word in ("create ", "alter ", "set ", "grant ")) and not NEVER.match(match["secret"])


def has_digit_or_symbol(match: re.Match[str]) -> bool:
    """Whether the value is no plain word."""
    return not match["secret"].isalpha() and not NEVER.match(match["secret"])
