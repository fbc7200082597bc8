"""Secrets in sentences: ``the password for root is x``, ``changed it from x to y``, ``x is the password``, ``log in with a:x``.

Prose speaks of passwords without telling them, so a value must look like nothing else that is written there.
"""

import re
from collections.abc import Iterator

from kb.redact.assignments import KEY, NEVER, STAND_IN, SUFFIX, has_digit
from kb.redact.labels import TECHNICAL, is_mixed
from kb.redact.words import SecretKind

_VALUE = r"""[^\s\x1b"'`<>|，。；、）】」』”’（([{*]"""
_ASCII = r"""(?![-=]>)[!#-&+-;=?-_a-~]"""
_OPENING = r"""[*_`~"'“‘「『【]{0,3}+"""
QUALIFIED = re.compile(
    # the password for admin is x   password of the replica user: x   PASSWORD elastic = x
    rf"""(?i:(?P<key>{KEY}){SUFFIX})(?:[ ](?:for|of|on|at|to|in))?(?:[ ][\w.@'-]{{1,30}}+){{1,4}}?(?:[ ]?[:=：]|[ ](?:is|was)(?:[ ](?:now|still))?)[ ]{{1,3}}{_OPENING}(?P<secret>{_VALUE}{{6,}}+)"""
)
MOVED = re.compile(
    # the password from x to y   密码从x改成y
    rf"""(?i:(?P<key>{KEY}){SUFFIX})(?:[ ]from[ ]|[ ]?(?:从|由|從)[ ]?){_OPENING}(?P<old>{_ASCII}{{4,}}+)["'`*”」]{{0,3}}[ ]?(?:to[ ]|->|→|(?:改|换|換|变|變|更新|修改)?(?:成|为|為|到)了?[ ]?){_OPENING}(?P<secret>{_ASCII}{{4,}}+)"""
)
NAMED_BEHIND = re.compile(r"(?<= )(?i:pass(?:word|phrase|wd)?|pwd)(?![\w-])(?P<secret>)")
_BEFORE = re.compile(
    # "x" as the password   x is our root password   x, that's the db password
    r"""(?:\A|[\s"'`“「*])(?P<secret>[^\s"'`“”「」<>()*,，]{6,64})["'`”」*]{0,3},?[ ](?:still[ ]works[ ]|works[ ])?(?:(?:is|as|was|that['’]s|that[ ]is|it['’]s)[ ](?:the|our|my|a|your|its|his|her)|as)[ ](?:[\w.-]{1,24}[ ]){0,2}\Z"""
)
_BETWEEN = (" is ", " as ", " was ", " that", " it")
ANNOUNCED = re.compile(
    # use the following password to proceed:⏎⏎x   Password:⏎```⏎x⏎```
    rf"""(?i:(?P<key>{KEY}){SUFFIX})(?P<words>[^\r\n:：]{{0,60}}+)[:：][ \t*_]{{0,4}}\r?\n(?:[ \t]{{0,8}}\r?\n)?(?P<fence>[ \t]{{0,8}}(?:```|~~~)\w{{0,12}}[ \t]{{0,4}}\r?\n)?[ \t]{{0,12}}(?P<secret>[^\s<]{{6,}}+)[ \t]{{0,8}}(?=\r?\n|\Z)"""
)
LOGGED_IN = re.compile(
    r"""(?i:log(?:ged)?[ -]?in|sign(?:ed)?[ -]?in|authenticate)[ ](?i:with|as|using)[ ](?:[a-z]{1,12}[ ]){0,2}[`"'“*]{0,2}[\w.@-]{1,40}[`"'”*]{0,2}[ ]?[/:][ ]?[`"'“*]{0,2}(?P<secret>[^\s"'`<>|，。；、）”*]{4,}+)"""
)
WITH_LOGIN = re.compile(r"(?:登录|登陆|登入)(?P<secret>)")
_LOGIN_BEFORE = re.compile(
    r"(?:用|以)[ ]?[`「“\"]?[\w.@-]{1,40}[`」”\"]?[ ]?[/:：+][ ]?[`「“\"]?(?P<secret>[!-~]{4,64}?)[`」”\"]?[ ]?(?:来|去)?\Z"
)
PAIR = re.compile(
    r"(?:(?<![\w/.-])|(?<=\\[nrt]))(?i:root|admin|administrator|sa|postgres|oracle)[ ]/[ ][`\"'“*]{0,2}(?P<secret>[^\s\"'`<>|，。；、）”*/]{6,}+)"
)
"""``root / x``"""
SHARED_FILE = re.compile(
    r"(?:提取|访问|存取|分享|分享提取)[码碼][ ]?(?:[:：是为])?[ ]?(?P<secret>[A-Za-z0-9]{4,8})(?![A-Za-z0-9])"
)
"""The code of a shared folder."""


def is_qualified(match: re.Match[str]) -> bool:
    """Whether the value behind the words looks like a password."""
    return _is_password(match["secret"].rstrip(".,;!?*_~"))


def moved(match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """The old and the new value, where both look like passwords."""
    for name in ("old", "secret"):
        value = match[name].rstrip(".,;")
        if len(value) >= 6 and is_mixed(value) and _is_value(value):
            yield match.span(name)


def named_behind(match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """The value that stands before its name."""
    text, at = match.string, match.start()
    if not any(word in text[max(at - 60, 0) : at] for word in _BETWEEN):
        return
    begin = max(at - 160, 0)
    found = _BEFORE.search(text[begin:at].rpartition("\n")[2])
    if found is not None and _is_password(found["secret"]):
        begin = at - (len(found.string) - found.start("secret"))
        yield begin, begin + len(found["secret"])


def is_announced(match: re.Match[str]) -> bool:
    """Whether the line below holds a value and nothing else."""
    value, key = match["secret"], match["key"].lower()
    if key.startswith("key") or not _is_value(value) or not is_mixed(value):
        return False
    if match["fence"] and not match["words"].strip(" *_`"):
        return not TECHNICAL.match(value) or key.startswith(("pass", "pwd"))
    return len(value) >= 12 and not TECHNICAL.match(value) and value.isalnum()


def is_login(match: re.Match[str]) -> bool:
    """Whether a password follows the name."""
    return _is_password(match["secret"].rstrip(".,;"))


def with_login(match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """The password of ``用 root/x 登录``."""
    at = match.start()
    begin = max(match.string.rfind(verb, max(at - 120, 0), at) for verb in "用以")
    found = _LOGIN_BEFORE.match(match.string[begin:at]) if begin >= 0 else None
    if found is not None and _is_password(found["secret"]):
        yield begin + found.start("secret"), begin + found.end("secret")


def is_code_of_folder(match: re.Match[str]) -> bool:
    """Whether it is no word."""
    return has_digit(match["secret"]) or not match["secret"].isalpha()


def _is_password(value: str) -> bool:
    return len(value) >= 6 and is_mixed(value) and _is_value(value) and not TECHNICAL.match(value)


def _is_value(value: str) -> bool:
    return value.isascii() and not value.isdigit() and not (NEVER.match(value) or STAND_IN.match(value))


_NAMES = ("pass", "pwd", "密码", "密碼", "口令")


def sentences() -> tuple[SecretKind, ...]:
    """The kinds of sentences."""
    return (
        SecretKind("label", _NAMES, QUALIFIED, is_qualified, follows=" "),
        SecretKind("label", _NAMES, MOVED, spans=moved, follows=" 从由從"),
        SecretKind("label", ("pass", "pwd"), NAMED_BEHIND, spans=named_behind),
        SecretKind("label", (*_NAMES, "token", "secret"), ANNOUNCED, is_announced, follows=" :：*_"),
        SecretKind("sentence", ("log in ", "login ", "logged in ", "sign in ", "signed in ", "authenticate "), LOGGED_IN, is_login),
        SecretKind("sentence", ("root / ", "admin / ", "administrator / ", "sa / ", "postgres / ", "oracle / "), PAIR, is_login),
        SecretKind("sentence", ("登录", "登陆", "登入"), WITH_LOGIN, spans=with_login),
        SecretKind("sentence", ("提取码", "提取碼", "访问码", "存取碼", "分享码"), SHARED_FILE, is_code_of_folder),
    )  # fmt: skip
