"""Secrets right behind their label, as people write them: emphasis, cells, the next line, a verb or a blank instead of a colon, labels of other languages.

A label says that a secret may follow, not that it does: the less a gap says, the more the value must look like a secret.
"""

import re

from kb.patterns import lazy
from kb.redact.names import ABROAD, ABROAD_ANCHORS, KEY, OPENED, SECRET_KEY, SUFFIX, VAGUE
from kb.redact.values import (
    NAME_OF_ONE,
    NEVER,
    PLACED,
    STAND_IN,
    STATE,
    TECHNICAL,
    WORD_AND_YEAR,
    has_digit,
    is_mixed,
    is_plausible,
    is_random,
    is_written,
)
from kb.redact.words import SecretKind, end_of, end_of_run

_CHANGED = (
    r"(?:已经?|被|都|均|就|还|還|仍|现在|現在|目前|统一|統一|一律|[默预預][认設设]|应该?|應該)?"
    r"(?:(?:修?改|设置?|設定?|重[置设設]|更新|换|換|变|變|配置?|填写?|填寫|写|寫|输入?|輸入|用)(?:成|为|為|是|到)?了?|[是为為])"
    r"|统一|統一|一律|[默预預][认設设]"
)
"""``密码是``, ``密码已经改成了``, ``密码统一为``: an adverb, a verb and what joins them to a value."""
_VALUE = r"""(?P<secret>(?<=`)[^`<>\r\n]{4,200}+(?=`)|[^\s\x1b"'`<>|，。；、）】」』”’（([{\u3041-\u30fa\u4e00-\u9fff\uac00-\ud7a3]{1,256}+)"""
_REST = lazy(r"""[^\s\x1b"'`<>|，。；、）】」』”’（([{\u3041-\u30fa\u4e00-\u9fff\uac00-\ud7a3]*+""")
_LINE = lazy(r"[^\n]*+")
_CLOSING = lazy(r"""<<[-~]?["']?(?P<word>\w{1,20})|(?P<mark>\"{3}|'{3})""")
_LONGEST_TEXT = 100_000
"""Characters in which the end of a text of several lines is looked for."""
_BREAK = lazy(r"[ \t\r]*+\n")
_OPENING = r"""(?:\{(?:code|noformat)[^{}\r\n]{0,30}\}\s{0,4})?[*_`~"'“‘「『【（(]{0,3}+"""
LABELLED = lazy(
    rf"""(?i:(?P<key>{KEY}|(?P<abroad>{ABROAD})){SUFFIX}(?(abroad)(?P<opened>{OPENED})?+))(?:"""
    # Password:⏎x   Password::⏎  x   password: >-⏎  x   password=\⏎  x   ### Password⏎`x`
    r"""(?P<line>["'*_`~]{0,3}[ \t]{0,3}(?:::?|[=：])?[*_`~]{0,3}[ \t]{0,3}(?:[>|][-+]?|\\|\"\"\"|'''|<<[-~]?["']?\w{1,20}["']?)?[ \t]{0,3}(?:\#[^\r\n]{0,80})?\r?\n(?:[ \t]{0,8}\r?\n)?(?P<indent>[ \t]{0,40})(?:[-:][ \t]{1,3})?)"""
    # **Password**: x   `password`: `x`   密码（生产）：x   Auth Token - x   password -> x
    r"""|(?P<label>[*_`~"”’]{0,4}(?:[ \t]?(?:[（(][^()（）\r\n]{1,24}[)）]|\[[^\[\]\r\n]{1,24}\]))?[ \t]{0,3}(?:::(?=[ \t])|[:=：]|-{1,2}>|→|】[:：]?|[-–—/](?=[ \t]))[*_`~]{0,4}[ \t]{0,4})"""
    # password(x)   密码（x）
    r"""|(?P<inside>[ \t]?[（(](?=[^\s()（）"'`]{6,}+[)）]))"""
    r"""|(?P<cell>[*_`~]{0,3}[ \t]{0,20}\|{1,2}[ \t]{0,20}|</t[hd]>\s{0,20}<td>)"""
    r"""|(?P<verb>[*_`~"”]{0,3}(?:[ \t](?:of|for)[ \t][\w.@`-]{1,40}+)?+(?:[ \t](?:(?:was[ \t]|is[ \t]|has[ \t]been[ \t])?(?:now[ \t])?(?:changed[ \t]to|set[ \t]to|reset[ \t]to)|to|(?:is|was)(?:[ \t](?:now|still|just|simply))?|ist|lautet|war|es|est|é|è|är|jest)|['’]s)[ \t]"""
    rf"""|(?:は|는|은|이)[ \t]?|[*_`"”]{{0,2}}[ \t]?(?:{_CHANGED})[ \t：:]{{0,3}})"""
    rf"""|(?P<blank>[ \t]{{1,2}}(?![ \t])|(?=[【「『“])))(?:{_OPENING}{_VALUE})"""
)
GLUED = lazy(r"(?:密码|密碼|口令)(?P<secret>[!#$%&+./0-9?@A-Z^_a-z~-]{6,256}+)(?![\u4e00-\u9fff])")
"""``密码x``, with nothing between them"""
_JOINED = lazy(r"(?:\b(?:and|with|plus)|[,，/&+]|和|及|与)[ ]?(?:(?:the|a|its|this)[ ])?\Z", re.IGNORECASE)
"""``root and password x``: what stands before has a name, so what follows is no sentence about passwords."""
_BESIDE_LOGIN = lazy(
    r"(?:\b(?:user(?:[ ]?name)?|login|account)[ :]{1,2}[\w.@`-]{1,40}(?:[ ](?:and|with)|,)|(?:账[号户]|帐[号户]|用户名?)[ :：]?[\w.@`-]{1,40}[ ]?[,，和/]?"
    r"|\b(?:benutzer(?:name)?|usuario|utilisateur|identifiant|utente|usuário|логин|пользователь|ユーザー名?|사용자)[ :]{1,2}[\w.@`-]{1,40}(?:,|[ ](?:und|et|y|e|и))?)[ ]?(?:the[ ])?\Z",
    re.IGNORECASE,
)
"""``user bob and password x``: a name stands before the label."""
_LOGIN = r"(?:用户名?|账[号户]|帐[号户]|user(?:[ _]?name)?|login|account)[ \t]?(?:[/&+]|和|及|与)?[ \t]?\Z"
LOGINS = lazy(
    r"""(?i:/[ ]?(?:password|passwd|pass|pwd)|密码|creds|credentials)[ \t]?(?:(?:分别)?(?:[:=：是为]|are|is)[ \t]{0,3}|(?<=[sS][ ])(?=[\w.@-]{1,40}[/:]))"""
    r"""[`"'“]?[\w.@-]{1,40}+[`"'”]?[ \t]?(?:[/:,，、和][ \t]?|[ \t])["'`“]?(?P<secret>[^\s"'`<>|，。；、）”]{3,256}+)"""
)
_LOGIN_ABOVE = lazy(
    r"(?:user(?:[ ]?name)?|login|account|用户名?|[账帐]号)[ \t:：]{0,3}\r?\n[^\s]{1,60}[ \t]{0,3}\r?\n[ \t]{0,8}\Z",
    re.IGNORECASE,
)
"""A name that was copied out of a form with its label, in lines of their own."""
_BEFORE_LOGIN = lazy(_LOGIN, re.IGNORECASE)
_PASSWORDS = ("pass", "pwd", "pswd", "pw", "psk", "密码", "密碼", "口令")
_HEADED = lazy(
    r"[ \t]{0,12}(?P<head>h[1-6]\.|[#>*-]{0,6})[ \t]{0,3}[\"'*_`~]{0,3}(?:[\w.-]{1,20}[ \t]){0,2}[\w.-]{0,60}\Z"
)
_LINE_ENDS = lazy(r"[ \t\"'`*_~,;|]{0,8}(?:\s{0,4}\{(?:code|noformat)\})?(?:</?\w{1,10}>){0,6}[ \t]{0,8}(?:\r|\n|\Z)")
_COMMAND = lazy(r"[a-z][\w./-]{0,30}+ ")
"""``secret: `openssl rand -base64 32` ``: what makes one."""
_LOOKED_AT = 256
"""Characters of a value that decide."""
_PROMPT = frozenset("#$%>:{[(")


def is_labelled(match: re.Match[str]) -> bool:
    """Whether the value is one, for the gap that it stands behind."""
    if match["label"] and match["label"].strip() in _OF_SETTINGS and not _is_marked_setting(match):
        return False  # it is decided elsewhere
    key, value = match["key"].lower(), match["secret"].rstrip(".,;:!?*_~")
    if (
        len(value) < 4
        or not is_written(value)
        or NEVER.match(value)
        or STAND_IN.match(value)
        or NAME_OF_ONE.match(value)
    ):
        return False
    if not _is_label(match, key) or (value.count(" ") and _COMMAND.match(value)):
        return False
    is_password = key.startswith(_PASSWORDS) or not key.isascii() or key in ABROAD_ANCHORS
    if match["line"]:
        return _is_on_next_line(match, value, is_password=is_password)
    if match["label"]:
        return _is_behind_label(match, value, is_password=is_password)
    return _is_in_prose(match, value, is_password=is_password)


def _is_marked_setting(match: re.Match[str]) -> bool:
    """Whether a setting is written as people mark values, or in a language that settings are not written in."""
    is_marked = match.string[match.start("secret") - 1] in "`*_~「『【"
    return is_marked or match["key"].lower() in ABROAD_ANCHORS


def _is_behind_label(match: re.Match[str], value: str, *, is_password: bool) -> bool:
    if (key := match["key"].lower()) in ABROAD_ANCHORS:
        is_name = TECHNICAL.match(value) is not None and (key == "clave" or value.islower())
        is_name = is_name and WORD_AND_YEAR.match(value) is None
        return not (key in VAGUE and is_name and not match["opened"]) and (
            ("=" in match["label"] and not match["opened"]) or is_mixed(value)
        )
    if is_mixed(value):
        return not TECHNICAL.match(value) or _ends_line(match)
    return is_password and (_ends_line(match) or match.string[match.start("secret") - 1] == "`")


def _is_in_prose(match: re.Match[str], value: str, *, is_password: bool) -> bool:
    """A cell, or a word behind a verb or a blank: it must look like nothing else that is written there."""
    is_marked = match.string[match.start("secret") - 1] in "`*「"
    if match["verb"] and match["abroad"] and STATE.match(value):
        return False
    is_random = is_mixed(value) and not TECHNICAL.match(value)
    before = match.string[max(match.start() - 70, 0) : match.start()] if match["blank"] else ""
    if (
        match["verb"]
        or match["inside"]
        or (match["cell"] and is_password)
        or _BESIDE_LOGIN.search(before)
        or _JOINED.search(before)
    ):
        is_random = is_mixed(value) and not PLACED.match(value)
    if match["cell"]:
        is_property = match.string[max(match.start() - 1, 0) : match.start()] in {".", "_", "-"}
        return (is_marked and is_password) or ((is_random or (is_property and is_mixed(value))) and _ends_cell(match))
    if match["blank"] is not None and match["key"].isascii() and not is_password:
        word = match.string[max(match.start() - 40, 0) : match.start()].rpartition(" ")[2]
        return _is_long_random(value) and not word.startswith("-")  # an option, which is decided elsewhere
    if is_marked or match["blank"] == "":
        return is_mixed(value)
    return len(value) >= 6 and is_random


def _is_long_random(value: str) -> bool:
    """Twenty characters and more of both cases and digits, as keys have them and no word and no digest."""
    return len(value) >= 20 and value.isalnum() and has_digit(value) and not value.islower() and not value.isupper()


def value_ends(match: re.Match[str]) -> int:
    """Where a value ends: behind what was looked at, or before the emphasis that it stands in."""
    value, begin = match["secret"], match.start("secret")
    if len(value) == _LOOKED_AT:
        return end_of(_REST, match)
    mark = match.string[begin - 1]
    return begin + len(value.rstrip(f".,;:{mark}") if mark in "*_~" and mark in value else value)


def labelled_ends(match: re.Match[str]) -> int:
    """Where a value ends, of several lines where the last of them does: those of a block of YAML are as far in as its first, other texts have a mark at their end."""
    line = match["line"] or ""
    closing = _CLOSING.search(line)
    if closing is not None:
        mark = closing["mark"] or f"\n{closing['word']}"
        end = match.string.find(mark, match.end(), match.end() + _LONGEST_TEXT)
        return match.start() + len(match.string[match.start() : end].rstrip()) if end >= 0 else value_ends(match)
    if not match["indent"] or not any(mark in line for mark in "|>"):
        return value_ends(match)
    text, end = match.string, end_of(_LINE, match)
    while (at := end_of_run(_BREAK, text, end)) > end and text.startswith(match["indent"], at):
        end = end_of_run(_LINE, text, at)
    return end


def _is_label(match: re.Match[str], key: str) -> bool:
    """Whether the word before is the name of a secret: no foreign key, no token of a parser."""
    value = match["secret"]
    before = match.string[max(match.start() - 24, 0) : match.start()]
    if key.startswith("key"):
        return SECRET_KEY.search(before) is not None
    if key == "token" and before.lower().endswith("publickey"):
        return False  # of an assembly, a part of its name
    if key.startswith(("token", "credential")):
        is_in_sentence = match["verb"] is not None or match["blank"] is not None
        return _is_long_random(value) or (len(value) >= 12 and has_digit(value) and not is_in_sentence)
    if key == "pass" and (match["blank"] is not None or match["verb"] is not None or match["key"] == "PASS"):
        return False
    return not (key.startswith("secret") and match["blank"] is not None) or _is_long_random(value)


def _is_on_next_line(match: re.Match[str], value: str, *, is_password: bool) -> bool:
    before = match.string[max(match.start() - 80, 0) : match.start()].rpartition("\n")[2]
    headed = _HEADED.match(before)
    if headed is None or not _ends_line(match) or value[-1] in _PROMPT or match["secret"][-1] in _PROMPT:
        return False
    has_mark = any(mark in match["line"] for mark in ":=：")
    if not has_mark and not headed["head"].startswith(("#", "h")):
        is_beside_login = _LOGIN_ABOVE.search(match.string[max(match.start() - 120, 0) : match.start()]) is not None
        return is_password and (is_plausible(value) or is_random(value) or (is_beside_login and is_mixed(value)))
    is_inside = len(match["indent"]) > len(before) - len(before.lstrip())
    if is_inside and has_mark and is_password:
        return "/" not in value or has_digit(value)
    return (len(value) >= 6 and is_mixed(value) and not TECHNICAL.match(value)) or (is_inside and is_mixed(value))


def _ends_line(match: re.Match[str]) -> bool:
    """Whether nothing but marks follows the value. One that is longer than what was looked at is no word of prose, wherever it ends."""
    return len(match["secret"]) >= _LOOKED_AT or _LINE_ENDS.match(match.string, match.end()) is not None


def _ends_cell(match: re.Match[str]) -> bool:
    rest = match.string[match.end() : match.end() + 24].lstrip("`*_~ \t")
    return len(match["secret"]) >= _LOOKED_AT or not rest or rest[0] in "|<\r\n"


def is_login(match: re.Match[str]) -> bool:
    """``用户名/密码：admin / x``: whether a name and a secret are announced, and both follow."""
    value = match["secret"].rstrip(".,;")
    head = match.string[match.start() : match.start() + 4].lower()
    if NEVER.match(value) or STAND_IN.match(value) or not value.isascii():
        return False
    if not head.startswith("cred"):
        before = match.string[max(match.start() - 16, 0) : match.start()]
        if _BEFORE_LOGIN.search(before) is None:
            return False
    is_marked = match.string[match.start("secret") - 1] == "`"
    return is_mixed(value) and (is_marked or not PLACED.match(value)) and len(value) >= 4


ACCOUNT = lazy(r"[账帐][号户][:：][ ]?[\w.@-]{2,40}[ ]?/[ ]?(?P<secret>[!-.0-;=?-~]{6,}+)")
"""``测试账号：bob/x``"""


def is_account(match: re.Match[str]) -> bool:
    """Whether a password stands behind the name."""
    value = match["secret"].rstrip(".,;")
    return is_mixed(value) and not (TECHNICAL.match(value) or STAND_IN.match(value) or NEVER.match(value))


def is_glued(match: re.Match[str]) -> bool:
    """Whether it is a password and no name of an algorithm or a host."""
    value = match["secret"].rstrip(".?")
    return is_mixed(value) and not value.isdigit() and not (TECHNICAL.match(value) or STAND_IN.match(value))


_OF_LOGINS = ("/password", "/ password", "/passwd", "/pass", "/pwd", "密码", "creds", "credentials")


_FOLLOWS = "均现現目应應配填写寫输輸经經\"'*_`~ \t:=：-–—→|<(（\r\n\\”’)【】「『“已被都改修统一设設重更换換变變就还還仍默预預是为為用'’"


_OF_SETTINGS = frozenset(":=：")
_SETTINGS = frozenset(
    f"{mark}{chr(c)}" for mark in _OF_SETTINGS for c in range(128) if chr(c).isalnum() or chr(c) == "<"
)
"""What stands behind the name in a setting without blanks, whose value no mark sets off."""


def labels(anchors: tuple[str, ...]) -> tuple[SecretKind, ...]:
    """The kinds of labels, of which ours stand at the anchors of names that hold secrets."""
    return (
        SecretKind("label", anchors, LABELLED, is_labelled, ends=labelled_ends, follows=_FOLLOWS, unless=_SETTINGS),
        SecretKind("label", ABROAD_ANCHORS, LABELLED, is_labelled, ends=labelled_ends),
        SecretKind("label", ("密码", "密碼", "口令"), GLUED, is_glued, ends=value_ends),
        SecretKind("sentence", ("账号：", "账号:", "帐号：", "帐号:", "账户：", "账户:"), ACCOUNT, is_account),
        SecretKind("label", _OF_LOGINS, LOGINS, is_login, ends=value_ends),
    )
