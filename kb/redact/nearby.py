"""Values that only a generator or a careful person makes, a few words behind a label, whatever stands between them.

The rules of settings, code and prose know what joins a label and its value. This one knows neither a format nor a sentence:
it asks how a word is made. ``ID: app / PW for it - dipPr141Gg!``, ``Access Token (staging) Xk9mQp2ZzWq7``.
"""

import re
from collections.abc import Iterator

from kb.patterns import lazy
from kb.redact.names import ABROAD, ABROAD_ANCHORS, ACCOUNTS, KEY, SECRET_KEY, SUFFIX, VAGUE
from kb.redact.values import NEVER, PLACED, STAND_IN, STATE, has_digit, is_plausible, is_random
from kb.redact.words import SecretKind, end_of_run

NEARBY = "near_label"
"""Name of the kind, which gives way to every other that is found in the same place."""
_FAR = 72
"""Characters behind a label in which its value may stand."""
BESIDE = lazy(
    rf"(?i:(?P<key>{KEY}|(?P<abroad>{ABROAD})){SUFFIX})(?![A-Za-z0-9])(?P<secret>)(?=[^0-9\n]{{0,{_FAR - 1}}}+[0-9])"
)
_MOST_WORDS = 7
_SHORTEST = 4
"""Characters of a value; a shorter word says only where the next one leads."""
_WORD = lazy(r"[!#-%*+\-./0-9:=?@A-Z^_a-z~]{1,200}+")
_OPENED = ":=-/>#*_~.;+"
_CLOSED = ".,;:?*_~-"
_LEADS_ELSEWHERE = frozenset(
    (
        *("from", "version", "id", "uuid", "trace", "span", "hash", "digest", "fingerprint", "commit", "revision", "sha256", "sha1", "md5", "checksum", "file", "path"),
        *("line", "host", "node", "pod", "user", "username", "for", "by", "on", "in", "field", "at", "of", "job", "request", "session", "class", "type", "issue", "build", "serial"),
        *("etag", "ref", "label", "name", "named", "principal", "peer", "device", "queue", "topic", "bucket", "key", "index", "table", "column", "algorithm", "cipher", "using"),
    )
)  # fmt: skip
"""Words behind which a random name is that of something else."""
_LOGIN = lazy(r"[A-Za-z][\w.@-]{0,40}[/:](?P<value>[^/:=]{6,128})\Z")
_DIGIT = lazy(r"[0-9]")
_STRONG = ("pass", "pwd", "pswd", "pw", "psk", "密", "口", "秘", "私", "金", "通", "权", "權", "令", "授")


def beside(match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """The value behind the label, if there is one."""
    text, at = match.string, match.end()
    line = text.find("\n", at, at + _FAR)
    end = line if line >= 0 else min(at + _FAR, len(text))
    again = text.find(match["key"], at, end)
    if again > at and text[again - 1].isspace():
        end = again  # it is looked at from there
    if _DIGIT.search(text, at, end) is None:
        return
    key = match["key"].lower()
    if key.startswith("key") and SECRET_KEY.search(text, max(match.start() - 24, 0), match.start()) is None:
        return
    is_password = key.startswith(_STRONG) or match["abroad"] is not None
    last = ""
    count = 0
    for word in _WORD.finditer(text, at, end):
        if len(word[0]) < _SHORTEST:
            last = word[0].lower() if word[0].isalpha() else last
            continue
        count += 1
        if count > _MOST_WORDS:
            return
        begin, stop = _trimmed(word)
        value = text[begin:stop]
        login = _LOGIN.match(value)
        if login is not None and is_password and is_random(login["value"]):
            yield begin + login.start("value"), stop
            return
        if last not in _LEADS_ELSEWHERE and is_random(value) and (is_password or len(value) >= 12):
            yield begin, _whole_end(text, stop, end)
            return
        if last in ACCOUNTS and is_password and is_plausible(value) and STATE.match(value) is None:
            yield begin, stop
            return
        last = value.lower()


def _trimmed(word: re.Match[str]) -> tuple[int, int]:
    found = word[0]
    begin = word.start() + len(found) - len(found.lstrip(_OPENED))
    return begin, max(begin, word.end() - (len(found) - len(found.rstrip(_CLOSED))))


def _whole_end(text: str, stop: int, end: int) -> int:
    """Where a value ends that reaches the end of what was looked at."""
    return stop if stop < end else end_of_run(_WORD, text, stop)


PAIR = lazy(
    r"(?i:log(?:ged)?[ -]?in|logon|sign(?:ed)?[ -]?in|cred(?:ential)?s?|zugangsdaten|anmeldedaten|identifiants?|логин|ログイン|로그인|登[录陆入錄]|账密|[账帳帐][号號户]密?[码碼]?)(?P<between>[^\r\n]{0,30}?)(?<![\w./:@-])"
    r"(?P<name>[A-Za-z][\w-]{0,30})[`\"'”*]{0,2}(?P<joint>[ ]?[/:+，,|][ ]?|@|[ ](?:and|with|密码|密碼)[ ])[`\"'“*]{0,2}(?P<secret>[!#-&*+\-.0-9;=?@A-Z^_a-z~]{4,}+)"
)
"""``login: root / x``, ``登录 grafana（admin/x）``"""
PAIR_BEFORE = lazy(
    r"(?i:root|admin|administrator|guest)/(?P<secret>[!#-&*+\-.0-9;=?@A-Z^_a-z~]{4,}+)(?=[`\"'”*]{0,2}(?:[ ](?:is|are|for|works?|as)[ ]|[ ]?(?:登[录陆入錄]|就能|即可|可以|是)))"
)
"""``admin/x is the default login``"""
AT_HOST = lazy(
    rf"(?:{'|'.join(sorted(ACCOUNTS))})[ /,，:：|]{{1,3}}[`\"'“*]{{0,2}}(?P<secret>[!#-&*+\-.0-9;=?@A-Z^_a-z~]{{8,64}}+)"
)
"""``10.0.0.5 root x``: a machine, an account, and what is made like nothing but a password."""
_MACHINE = lazy(r"\d{1,3}(?:\.\d{1,3}){3}|(?i:ssh|host|server|login)\b|服务器|主机|登[录陆入錄]")


def is_at_host(match: re.Match[str]) -> bool:
    """Whether a machine stands before the account, and a password behind it."""
    before = match.string[max(match.start() - 48, 0) : match.start()].rpartition("\n")[2]
    return is_random(match["secret"].rstrip(_CLOSED)) and _MACHINE.search(before) is not None


def is_pair(match: re.Match[str]) -> bool:
    """Whether a name that people log in with stands before something that looks like a password."""
    value = match["secret"].rstrip(_CLOSED)
    is_known = match["name"].lower() in ACCOUNTS if "name" in match.re.groupindex else True
    if not is_known and match["joint"] not in {"/", ":", " / "}:
        return False
    if len(value) < 4 or not has_digit(value) or not any(map(str.isalpha, value)):
        return False
    return is_random(value) or (is_known and not (PLACED.match(value) or NEVER.match(value) or STAND_IN.match(value)))


def pair_ends(match: re.Match[str]) -> int:
    """Where the password ends, without the mark of the sentence."""
    return match.start("secret") + len(match["secret"].rstrip(_CLOSED))


_LOGINS = (
    "login",
    "log in",
    "log-in",
    "logged in",
    "logon",
    "signin",
    "sign in",
    "signed in",
    "creds",
    "credentials",
    "登录",
    "登陆",
    "登入",
    "登錄",
    "zugangsdaten",
    "anmeldedaten",
    "identifiant",
    "credenciales",
    "credenciais",
    "credenziali",
    "логин",
    "ログイン",
    "로그인",
    "账密",
    "账号",
    "账户",
    "帐号",
    "帐户",
    "帳號",
)


def nearby(anchors: tuple[str, ...]) -> tuple[SecretKind, ...]:
    """The kinds, of which the first stands at the anchors of names that hold secrets."""
    return (
        SecretKind(NEARBY, anchors, BESIDE, spans=beside, follows=" \t:=：-–—>/|,，(（)）*_`\"'#]的是为為改变變更重设設置发發给給成被已了统統一用换換填写寫输輸入现現在应應该該就还還仍均可默初"),
        SecretKind(NEARBY, tuple(name for name in ABROAD_ANCHORS if name not in VAGUE), BESIDE, spans=beside),
        SecretKind(NEARBY, _LOGINS, PAIR, is_pair, ends=pair_ends),
        SecretKind(NEARBY, tuple(f"{name}{joint}" for name in ("root", "admin", "administrator") for joint in " /:：,，|"), AT_HOST, is_at_host, ends=pair_ends),
        SecretKind(NEARBY, ("root/", "admin/", "administrator/", "guest/"), PAIR_BEFORE, is_pair, ends=pair_ends),
    )  # fmt: skip
