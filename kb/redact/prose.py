"""Secrets in sentences: ``the password for root is x``, ``changed it from x to y``, ``x is the password``, ``log in with a:x``.

Prose speaks of passwords without telling them, so a value must look like nothing else that is written there.
"""

import re
from collections.abc import Iterator

from kb.patterns import lazy
from kb.redact.names import ABROAD, ABROAD_ANCHORS, ACCOUNTS, KEY, OPENED, SUFFIX, VAGUE
from kb.redact.values import (
    NEVER,
    PLACED,
    STAND_IN,
    STATE,
    TECHNICAL,
    has_digit,
    is_mixed,
    is_no_name,
    is_random,
    is_written,
)
from kb.redact.words import SecretKind

_VALUE = r"""[^\s\x1b"'`<>|，。；、）】」』”’（([{*]"""
_ASCII = r"""(?![-=]>)[!#-&+-;=?-_a-~]"""
_OPENING = r"""[*_`~"'“‘「『【]{0,3}+"""
QUALIFIED = lazy(
    # the password for admin is x   password of the replica user: x   PASSWORD elastic = x
    rf"""(?i:(?P<key>{KEY}){SUFFIX})(?:[ ](?:for|of|on|at|to|in))?(?:[ ][\w.@'-]{{1,30}}+){{1,6}}?(?:[ ]?[:=：]|[ ](?:(?:is|was)(?:[ ](?:now|still))?|è|é|ist|lautet|es|est))[ ]{{1,3}}{_OPENING}(?P<secret>{_VALUE}(?:{_VALUE}|>){{5,}}+)"""
)
QUALIFIED_ABROAD = lazy(
    # la contraseña de root es x   das Passwort für root lautet x   пароль от базы: x
    rf"""(?i:(?P<key>{ABROAD})(?P<opened>{OPENED})?+)(?:[ ][\w.@'’-]{{1,30}}+){{0,6}}?(?:[ ]\([^()\r\n]{{1,40}}+\))?(?:[ ]?[:=：]|[ ](?:ist|lautet|war|est|es|era|é|è|är|is|jest|to|[–—-]))[ ]{{1,3}}{_OPENING}(?P<secret>{_VALUE}{{6,}}+)"""
)
MOVED = lazy(
    # the password from x to y   密码从x改成y
    rf"""(?i:(?P<key>{KEY}){SUFFIX})(?:(?:[ ](?:was|is|has[ ]been|had[ ]been))?(?:[ ](?:changed|moved|updated|rotated|switched|reset))?[ ]from[ ]|[ ]?(?:从|由|從)[ ]?){_OPENING}(?P<old>{_ASCII}{{4,}}+)["'`*”」]{{0,3}}[ ]?(?:to[ ]|->|→|(?:改|换|換|变|變|更新|修改)?(?:成|为|為|到)了?[ ]?){_OPENING}(?P<secret>{_ASCII}{{4,}}+)"""
)
CHANGED_IT = lazy(
    r"(?i:changed|set|updated|rotated|switched)[ ]it[ ]to[ ](?P<open>[*_`~\"'“‘]{0,3}+)(?P<secret>[^\s\x1b\"'`<>|，。；、）”’*]{6,}+)"
)
"""``the password was x and I changed it to y``"""
_SPOKEN_OF = lazy(r"(?i:pass(?:word|phrase|code|wd)?|pwd|secret|token|api[ -]?key|credentials?)s?(?![a-z])")
NAMED_BEHIND = lazy(r"(?<= )(?i:pass(?:word|phrase|wd)?|pwd)(?![\w-])(?P<secret>)")
_BEFORE = lazy(
    # "x" as the password   x is our root password   x, that's the db password
    r"""(?:\A|[\s"'`“「*])(?P<secret>[^\s"'`“”「」<>()*,，]{6,64})["'`”」*]{0,3},?[ ](?:still[ ]works[ ]|works[ ])?(?:(?:is|as|was|that['’]s|that[ ]is|it['’]s)[ ](?:the|our|my|a|your|its|his|her)|as)[ ](?:[\w.-]{1,24}[ ]){0,2}\Z"""
)
_BETWEEN = (" is ", " as ", " was ", " that", " it")
ANNOUNCED = lazy(
    # use the following password to proceed:⏎⏎x   Password:⏎```⏎x⏎```
    rf"""(?i:(?P<key>{KEY}){SUFFIX})(?P<words>[^\r\n:：]{{0,120}}+)[:：][ \t*_]{{0,4}}\r?\n(?:[ \t]{{0,8}}\r?\n)?(?P<fence>[ \t]{{0,8}}(?:```|~~~)\w{{0,12}}[ \t]{{0,4}}\r?\n)?[ \t]{{0,12}}(?P<secret>[^\s<]{{6,}}+)[ \t]{{0,8}}(?=\r?\n|\Z)"""
)
NEW_VALUE = lazy(r"(?i:new value:)[ ](?P<secret>[!-~]{12,}+)")
"""What a tool that resets a password prints: ``New value: x``"""
LOGGED_IN = lazy(
    r"""(?i:log(?:ged)?[ -]?in|sign(?:ed)?[ -]?in|authenticate)[ ](?i:with|as|using)[ ](?:[a-z]{1,12}[ ]){0,2}[`"'“*]{0,2}[\w.@-]{1,40}[`"'”*]{0,2}[ ]?[/:][ ]?[`"'“*]{0,2}(?P<secret>[^\s"'`<>|，。；、）”*]{4,}+)"""
)
BRACKETED = lazy(r"[（(][ ]?(?i:密码|密碼|口令|password|passwd|pwd|pw)[ ]?[)）](?P<secret>)")
_BEFORE_BRACKET = lazy(r"(?:\A|[\s:：/，,])(?P<secret>[!#-&*-.0-9;=?-_a-~]{6,64})[ ]?\Z")
"""``root x（密码）``"""
CHANGED_TO = lazy(
    r"(?:(?:改|重置)(?:成|为|為)了?|(?:现在|現在|应该|應該)是)[ ：:]?(?P<secret>[!#-&*-.0-9;=?-_a-~]{6,64}+)"
)
"""``默认密码是 x，改成了 y``"""
BOTH = lazy(r"[ ]/[ ][`\"'“*]{0,2}(?P<secret>[!#-&*-.0-;=?-_a-~]{6,64}+)")
"""``vpn: bob / x``, where x can be nothing else"""
LONG = lazy(
    rf"""(?i:secret|token|[ ]key(?=[ ](?:is|was)))(?:[ ][\w.@'-]{{1,30}}+){{0,6}}?[ ](?:is|was)(?:[ ]now)?[ ]{_OPENING}(?P<secret>[A-Za-z0-9+/_-]{{20,}}+)"""
)
"""``the secret that we share is x``, ``our staging key is x``: twenty characters that only a generator makes"""
BESIDE = lazy(
    r"(?i:password|passwd|passphrase|pwd|密码|口令)[,，][ ]?(?P<secret>[!#-&*+\-.0-9;=?-_a-~]{7,64}+)(?=[,，])"
)
"""``his password, x, no longer works``"""
WITH_LOGIN = lazy(r"(?:登录|登陆|登入)(?P<secret>)")
_LOGIN_BEFORE = lazy(
    r"(?:用|以)[ ]?[`「“\"]?(?:(?P<known>root|admin|administrator|guest|test|user|sa|nacos|postgres|oracle|elastic)|[\w.@-]{1,40})[`」”\"]?[ ]?[/:：+][ ]?[`「“\"]?(?P<secret>[!-~]{4,64}?)[`」”\"]?[ ]?(?:来|去)?\Z"
)
PAIR = lazy(
    r"(?:(?<![\w/.-])|(?<=\\[nrt]))(?i:root|admin|administrator|sa|postgres|oracle)[ ]/[ ][`\"'“*]{0,2}(?P<secret>[^\s\"'`<>|，。；、）”*/]{6,}+)"
)
"""``root / x``"""
SHARED_FILE = lazy(
    r"(?:提取|访问|存取|分享|分享提取)[码碼][ ]?(?:[:：是为])?[ ]?(?P<secret>[A-Za-z0-9]{4,8})(?![A-Za-z0-9])"
)
"""The code of a shared folder."""


def is_qualified(match: re.Match[str]) -> bool:
    """Whether the value behind the words looks like a password."""
    value = match["secret"].rstrip(".,;!?*_~")
    return _is_password(value) and STATE.match(value) is None


def is_qualified_abroad(match: re.Match[str]) -> bool:
    """The same in another language: behind a word that means other things, too, no name of anything."""
    value = match["secret"].rstrip(".,;!?*_~")
    if STATE.match(value) or not _is_password(value):
        return False
    if match["key"].lower() not in VAGUE or match["opened"] or is_no_name(value):
        return True
    words = match.string[match.end("key") : match.start("secret")].lower().split()
    return not ACCOUNTS.isdisjoint(words)  # `la clave de root es verano24`


def moved(match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """The old and the new value, where both look like passwords."""
    for name in ("old", "secret"):
        value = match[name].rstrip(".,;")
        if len(value) >= 6 and is_mixed(value) and _is_value(value):
            yield match.span(name)


def is_changed(match: re.Match[str]) -> bool:
    """Whether the sentence speaks of a password, and the value looks like one."""
    begin = max(match.start() - 200, 0)
    before = match.string[begin : match.start()].rpartition("\n")[2]
    return _SPOKEN_OF.search(before) is not None and _is_password(match["secret"].rstrip(".,;!?"))


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


def bracketed(match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """The value before the brackets that name it."""
    begin = max(match.start() - 80, 0)
    found = _BEFORE_BRACKET.search(match.string[begin : match.start()])
    if found is not None and _is_password(found["secret"]) and not TECHNICAL.match(found["secret"]):
        yield begin + found.start("secret"), begin + found.end("secret")


def is_changed_to(match: re.Match[str]) -> bool:
    """Whether the sentence speaks of a password, and the value looks like one."""
    before = match.string[max(match.start() - 60, 0) : match.start()].rpartition("\n")[2]
    is_spoken_of = any(word in before.lower() for word in ("密码", "密碼", "口令", "password", "token", "pwd"))
    return is_spoken_of and _is_password(match["secret"].rstrip(".,;"))


_ADDRESS = lazy(r"@[\w-]{1,40}\.[A-Za-z]{2}|://")


def is_strong(match: re.Match[str]) -> bool:
    """Whether it holds a letter, a digit and a sign as passwords do, and is no address."""
    value = match["secret"].rstrip(".,;")
    has_sign = any(c in "@#$%^&*!" for c in value[1:])
    return has_sign and _is_password(value) and has_digit(value) and not _ADDRESS.search(value)


def is_long(match: re.Match[str]) -> bool:
    """Whether it is made of both cases and digits, and of no words."""
    value = match["secret"]
    is_random = not value.islower() and not value.isupper() and sum(map(str.isdigit, value)) >= 3
    before = match.string[max(match.start() - 10, 0) : match.start()].lower()
    return (
        is_random
        and not before.endswith(("public", "host", "foreign", "primary"))
        and value.count("-") + value.count("/") < 3
    )


def is_announced(match: re.Match[str]) -> bool:
    """Whether the line below holds a value and nothing else."""
    value, key = match["secret"], match["key"].lower()
    if key.startswith("key") or not _is_value(value) or not is_mixed(value):
        return False
    if match["fence"] and not match["words"].strip(" *_`"):
        return not TECHNICAL.match(value) or key.startswith(("pass", "pwd"))
    if key.startswith(("pass", "pwd")) and is_random(value):
        return True
    return len(value) >= 12 and not TECHNICAL.match(value) and value.isalnum()


def is_generated(match: re.Match[str]) -> bool:
    """Whether only a generator makes such a value."""
    return is_random(match["secret"])


def is_login(match: re.Match[str]) -> bool:
    """Whether a password follows the name."""
    return _is_password(match["secret"].rstrip(".,;"))


def is_of_pair(match: re.Match[str]) -> bool:
    """The same behind ``root / ``, where a second role may stand."""
    return is_login(match) and not TECHNICAL.match(match["secret"].rstrip(".,;"))


def with_login(match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """The password of ``用 root/x 登录``."""
    at = match.start()
    begin = max(match.string.rfind(verb, max(at - 120, 0), at) for verb in "用以")
    found = _LOGIN_BEFORE.match(match.string[begin:at]) if begin >= 0 else None
    if found is not None and _is_password(found["secret"]) and (found["known"] or not TECHNICAL.match(found["secret"])):
        yield begin + found.start("secret"), begin + found.end("secret")


def is_code_of_folder(match: re.Match[str]) -> bool:
    """Whether it is no word."""
    return has_digit(match["secret"]) or not match["secret"].isalpha()


def _is_password(value: str) -> bool:
    return len(value) >= 6 and is_mixed(value) and _is_value(value) and not PLACED.match(value)


def _is_value(value: str) -> bool:
    return is_written(value) and not value.isdigit() and not (NEVER.match(value) or STAND_IN.match(value))


_NAMES = ("pass", "pwd", "pw on ", "pw of ", "pw for ", "密码", "密碼", "口令")


def sentences() -> tuple[SecretKind, ...]:
    """The kinds of sentences."""
    return (
        SecretKind("label", _NAMES, QUALIFIED, is_qualified, follows=" "),
        SecretKind("label", ABROAD_ANCHORS, QUALIFIED_ABROAD, is_qualified_abroad),
        SecretKind("sentence", ("new value:",), NEW_VALUE, is_generated),
        SecretKind("label", (*_NAMES, "secret", "token"), MOVED, spans=moved, follows=" 从由從"),
        SecretKind("sentence", ("changed it to ", "set it to ", "updated it to ", "rotated it to ", "switched it to "), CHANGED_IT, is_changed),
        SecretKind("label", ("pass", "pwd"), NAMED_BEHIND, spans=named_behind),
        SecretKind("label", (*_NAMES, "token", "secret"), ANNOUNCED, is_announced, follows=" :：*_"),
        SecretKind("sentence", ("log in ", "login ", "logged in ", "sign in ", "signed in ", "authenticate "), LOGGED_IN, is_login),
        SecretKind("sentence", ("root / ", "admin / ", "administrator / ", "sa / ", "postgres / ", "oracle / "), PAIR, is_of_pair),
        SecretKind("sentence", ("（密", "(密", "（口令", "(口令", "(password", "(passwd", "(pwd", "(pw)"), BRACKETED, spans=bracketed),
        SecretKind("sentence", ("改成", "改为", "改為", "重置成", "重置为", "现在是", "現在是", "应该是", "應該是"), CHANGED_TO, is_changed_to),
        SecretKind("sentence", (" / ",), BOTH, is_strong),
        SecretKind("sentence", ("secret", "token"), LONG, is_long, follows=" "),
        SecretKind("sentence", (" key is ", " key was "), LONG, is_long),
        SecretKind("sentence", ("password,", "passwd,", "passphrase,", "pwd,", "密码，", "密码,", "口令，"), BESIDE, is_strong),
        SecretKind("sentence", ("登录", "登陆", "登入"), WITH_LOGIN, spans=with_login),
        SecretKind("sentence", ("提取码", "提取碼", "访问码", "存取碼", "分享码"), SHARED_FILE, is_code_of_folder),
    )  # fmt: skip
