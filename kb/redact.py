"""Secrets out of text: passwords, tokens, keys and cookies become ``<secret>`` before anything is stored or logged.

A table of kinds. Each kind has anchors, lower-case literals, and one pattern that is tried only where an anchor stands;
its group ``secret`` is what is taken away. One pass of a re2 set tells which anchors a text holds, `str.find` where they
stand. The repeats of a pattern are possessive or bounded, so the time is linear in the text.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import re2

PLACEHOLDER = "<secret>"


@dataclass(frozen=True, slots=True)
class Redaction:
    """One secret that was taken away: its kind, and where it stood in the original text."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets, and what was taken out, in text order."""

    text: str
    redactions: tuple[Redaction, ...] = ()


def redact(text: str) -> Redacted:
    """Replace every secret by ``<secret>``. Linear in the text; a redacted text comes back unchanged."""
    table, present = _anchors()
    hits = present.Match(text.encode("utf-8", "replace"))
    if not hits:
        return Redacted(text)
    lowered = text.replace("\u0130", "i").lower()  # the one letter whose lower case is longer
    found = [one for kind, anchor in (table[at] for at in hits) for one in _find(kind, anchor, text, lowered)]
    return _without(text, sorted(found, key=lambda one: (one.start, -one.end))) if found else Redacted(text)


def _without(text: str, found: list[Redaction]) -> Redacted:
    kept: list[Redaction] = []
    for one in found:
        if kept and one.start < kept[-1].end:
            if one.end > kept[-1].end:
                kept[-1] = Redaction(kept[-1].kind, kept[-1].start, one.end)
            continue
        kept.append(one)
    parts: list[str] = []
    at = 0
    for one in kept:
        parts += (text[at : one.start], PLACEHOLDER)
        at = one.end
    parts.append(text[at:])
    return Redacted("".join(parts), tuple(kept))


@dataclass(frozen=True, slots=True)
class _Kind:
    name: str
    anchors: tuple[str, ...]
    pattern: re.Pattern[str]
    accepts: Callable[[re.Match[str]], bool] | None = None


@lru_cache(maxsize=1)
def _anchors() -> tuple[tuple[tuple[_Kind, str], ...], Any]:
    """Every anchor with its kind, and a set that tells in one pass which of them occur in some UTF-8 bytes."""
    table = tuple((kind, anchor) for kind in KINDS for anchor in kind.anchors)
    present = re2.Set.SearchSet()
    for _, anchor in table:
        present.Add("(?i)" + re2.escape(anchor))
    present.Compile()
    return table, present


def _find(kind: _Kind, anchor: str, text: str, lowered: str) -> Iterator[Redaction]:
    at, end = lowered.find(anchor), 0
    while at >= 0:
        match = kind.pattern.match(text, at) if at >= end else None
        if match and (kind.accepts is None or kind.accepts(match)):
            start, end = match.span("secret")
            yield Redaction(kind.name, start, end)
        at = lowered.find(anchor, at + 1)


# ── key = value ────────────────────────────────────────────────────────────────────────────────────────────────────
_KEY = (
    r"passwords?|passwd|passphrase|pwd|secret(?:[-_.]?access)?(?:[-_.]?key)?|key(?:[-_.]?(?:id|secret))?|token|credentials?|(?<![A-Za-z])pass"
    r"|jsessionid|phpsessid|session[-_]?id|密码|口令|密钥|秘钥|令牌"
)
_ASSIGNED = re.compile(
    rf"""(?i:(?P<key>{_KEY}))(?P<gap>\\?["'`]?+[ \t]{{0,3}}+(?:=>|:=|=|:|：)[ \t]{{0,4}}+)"""
    rf"""(?P<quote>\\?["'])?+(?P<secret>(?(quote)[^"'\\\r\n<]{{1,512}}+|"""
    rf"""(?![=~!])(?:\{{\w{{1,12}}\}})?+[^\s"'`<>,;&|(){{}}\[\]，。；、）（：]{{1,512}}+))"""
)
_SECRET_KEY = re.compile(r"(?:access|api|account|private|auth|signing|encryption|master)[-_.]?\Z", re.IGNORECASE)
"""What must stand before ``key``: a foreign key is no secret."""
_SECRET_TOKEN = re.compile(r"(?:access|auth|api|bearer|refresh|security|session)[-_.]?\Z", re.IGNORECASE)
"""What stands before ``token`` when it is no token of a parser."""
_STRONG = re.compile(r"pass|pwd|key|secret|密|秘|口令", re.IGNORECASE)
"""Keys whose value is a secret however plain it looks. ``token`` is not one: parsers speak of tokens, too."""
_NEVER = re.compile(
    r"(?:null|none|nil|undefined|true|false|yes|no|on|off|empty|required|missing|invalid|expired|wrong"
    r"|incorrect|unknown|default|masked|hidden|redacted|string|str|int|integer|bool|boolean|object"
    r"|varchar|text|char|optional|password|passwd|pwd|secret|token)[.!?。]*\Z",
    re.IGNORECASE,
)
"""Words that stand where a value would, and are none."""
_STAND_IN = re.compile(r"[$#%@*]|x{3,}+\Z|X{3,}+\Z|\.{2,}+|[-_?]++\Z|\\")
_NAME = re.compile(r"[A-Za-z_]\w*+(?:(?:\.|::|->)[A-Za-z_]\w*+)*+\Z")


def _is_set(match: re.Match[str]) -> bool:
    """Whether what follows the key is a value somebody set, and not prose, code or a placeholder."""
    value, gap, key = match["secret"], match["gap"], match["key"].lower()
    if _NEVER.match(value) or _STAND_IN.match(value):
        return False
    if key.startswith("key") and not _SECRET_KEY.search(match.string[max(match.start() - 12, 0) : match.start()]):
        return False
    strong = _STRONG.search(key) is not None
    if key == "token" and _SECRET_TOKEN.search(match.string[max(match.start() - 12, 0) : match.start()]):
        strong = True
    if key == "pass" and not _is_login(match, value):
        return False
    if match["quote"]:
        return _is_quoted_secret(value, strong=strong, of_object=gap[0] in "\"'\\" or "=" in gap)
    if "=" in gap:
        at_home = key == "pwd" and value[0] in "/~"  # the shell's working directory
        sure = strong or (len(value) >= 6 and (_has_digit(value) or len(value) >= 16))
        return sure and not at_home and not _is_code(match, value, gap)
    return value.isascii() and _is_told_secret(match, value, strong=strong)


def _is_login(match: re.Match[str], value: str) -> bool:
    """``user=admin pass=foo123``, and not ``pass=12 fail=3``."""
    before = match.string[max(match.start() - 60, 0) : match.start()].rpartition("\n")[2].lower()
    return any(c.isalpha() for c in value) and (_has_digit(value) or any(who in before for who in ("user", "login")))


def _is_told_secret(match: re.Match[str], value: str, *, strong: bool) -> bool:
    """After a colon: a sentence may follow, so the value must look like one or stand alone."""
    if _has_digit(value) and any(c.isalpha() for c in value):
        return len(value) >= (4 if strong else 8)
    key, before = match["key"].lower(), match.string[max(match.start() - 1, 0) : match.start()]
    property_name = before in {".", "_", "-"} or len(key) > len("secret")
    named = key.startswith(("pass", "pwd")) or (strong and property_name and len(value) >= 6)
    return named and _alone_on_line(match)


def _is_quoted_secret(value: str, *, strong: bool, of_object: bool) -> bool:
    """``of_object``: the key is quoted too, as in JSON, so this is data and not a sentence."""
    if strong:
        return of_object or " " not in value
    return " " not in value and len(value) >= 6 and (of_object or _has_digit(value))


def _has_digit(value: str) -> bool:
    return any(c in "0123456789" for c in value)


def _is_code(match: re.Match[str], value: str, gap: str) -> bool:
    """``pwd = os.getcwd()``, ``token = self.next;``: a program, not a setting."""
    if not _NAME.match(value):
        return False
    after = match.string[match.end() : match.end() + 1]
    return after == "(" or ("." in value and (after in {";", ")", ","} or " " in gap))


def _alone_on_line(match: re.Match[str]) -> bool:
    """``password: hunter2`` as in a YAML file: one key before it, nothing after."""
    text, end = match.string, match.end()
    rest = text[end : end + 40].split("\n", 1)[0].strip()
    before = text[max(match.start() - 60, 0) : match.start()].rpartition("\n")[2].strip(" \t-")
    return (not rest or rest[0] == "#") and " " not in before


# ── headers, addresses, command lines ──────────────────────────────────────────────────────────────────────────────
_AUTHORIZATION = re.compile(
    r"""(?i:authorization)\\?["']?+[ \t]{0,3}+[:=][ \t]{0,3}+\\?["'\[]?+(?i:(?P<scheme>bearer|basic|digest|token|negotiate|apikey)[ \t]{1,3}+)?+"""
    r"""(?P<secret>[\w.~+/=:%-]{4,4096}+)"""
)
_BEARER = re.compile(r"""(?<!\w)(?i:bearer)[ \t]{1,3}+(?P<secret>[\w.~+/=%-]{16,4096}+)""")
_COOKIE = re.compile(
    r"""(?i:cookie)\\?["']?+[ \t]{0,3}+[:=][ \t]{0,3}+\\?["']?+(?P<secret>[\w.$-]{1,128}+=[^\s;"'\\<]{1,4096}+(?:;[ \t]?+[\w.$-]{1,128}+(?:=[^\s;"'\\<]{0,4096}+)?+)*+)"""
)
_IN_ADDRESS = re.compile(r"""://(?P<secret>[^\s/@:"'<>()\[\]]{0,128}+:[^\s/"'<>]{1,256})(?=@[\w\[.$-])""")
_ORACLE = re.compile(r"""(?i:jdbc:oracle:\w{2,8}:)(?P<secret>[^\s/@:"'<>]{1,128}+/[^\s/@"'<>]{1,128}+)(?=@)""")
_IDENTIFIED = re.compile(
    r"""(?i:\bidentified[ \t]{1,3}+(?:with[ \t]{1,3}+\S{1,64}+[ \t]{1,3}+)?+by[ \t]{1,3}+)['"](?P<secret>[^'"\r\n<]{1,256}+)['"]"""
)
_OPTION = re.compile(
    r"""--(?i:password|passwd|pass|pwd|token|secret|api-?key|secret-?key|access-?key)[ \t]{1,3}+["']?+(?P<secret>[^\s"'<>$`|;&,)-][^\s"'<>|;&,)]{3,256}+)"""
)
_COMMAND = re.compile(
    r"""\b(?:mysql(?:dump|admin|import)?|mariadb|sshpass|redis-cli|curl|wget)\b(?:[ \t]{1,4}+(?!-p|-a[ \t]|-u[ \t]{1,3}+\S{1,64}?:|--user[ =])[^\s'"]{1,128}+){0,12}+"""
    r"""[ \t]{1,4}+(?:-p[ \t]?+|-a[ \t]{1,3}+|-u[ \t]{1,3}+|--user[ =]{1,3}+)['"]?+(?P<secret>[^\s'"<>$-][^\s'"<>]{1,128}+)"""
)
_ELEMENT = re.compile(
    rf"""(?i:(?P<key>{_KEY})[\w.-]{{0,40}}+(?P<gap>(?:</name>\s{{0,64}}+<value>|["'][ \t]{{1,4}}+value=["']|>)\s{{0,64}}+))"""
    rf"""(?P<secret>[^\s<>"'][^<>"'\r\n]{{0,511}}+)(?=[<"'])"""
)
_SIGNATURE = re.compile(r"(?i:(?<=[?&;])sig|(?<=[?&;-])signature)=(?P<secret>[\w%+/=-]{16,512}+)")


def _is_element(match: re.Match[str]) -> bool:
    """``<password>x</password>``, ``<name>x.password</name><value>x</value>``: what stands before is the open tag."""
    value, key = match["secret"], match["key"].lower()
    before = match.string[max(match.start() - 80, 0) : match.start()]
    if key.startswith("key") and not _SECRET_KEY.search(before):
        return False
    if match["gap"].strip() == ">":
        # our own placeholder looks like an open tag: it is one only where its own end follows
        end = f"</{PLACEHOLDER[1:]}" if match.string.startswith(PLACEHOLDER, match.start() - 1) else "</"
        if not match.string.startswith(end, match.end()):
            return False
    return _OPEN_TAG.search(before) is not None and not (_NEVER.match(value.strip()) or _STAND_IN.match(value))


_OPEN_TAG = re.compile(r"""<(?:name>\s{0,8}|\w{1,20}[ \t]{1,4}name=["'])?[\w.:-]{0,60}\Z""", re.IGNORECASE)


def _is_credential(match: re.Match[str]) -> bool:
    value = match["secret"]
    if match["scheme"]:
        return not _NEVER.match(value)
    return len(value) >= 12 and _has_digit(value)


def _has_digit_or_symbol(match: re.Match[str]) -> bool:
    return not match["secret"].isalpha() and not _NEVER.match(match["secret"])


# ── tokens known by their shape ────────────────────────────────────────────────────────────────────────────────────
_SHAPES = (
    ("aws_access_key", ("akia", "asia", "aroa", "aida"), r"(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{16}"),
    ("aliyun_access_key", ("ltai",), r"LTAI[A-Za-z0-9]{12,24}"),
    ("tencent_secret_id", ("akid",), r"AKID[A-Za-z0-9]{32}"),
    (
        "github_token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        r"(?:gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_\w{22,255})",
    ),
    ("gitlab_token", ("glpat-",), r"glpat-[\w-]{16,128}"),
    ("slack_token", ("xox", "xapp-"), r"(?:xox[abeoprs]|xapp)-[\w-]{10,255}"),
    ("google_key", ("aiza", "ya29."), r"(?:AIza[\w-]{30,64}|ya29\.[\w-]{20,2048})"),
    ("openai_key", ("sk-",), r"sk-[\w-]{20,255}"),
    ("stripe_key", ("sk_live_", "sk_test_", "rk_live_", "rk_test_"), r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,128}"),
    (
        "registry_token",
        ("npm_", "pypi-", "hf_", "dop_v1_"),
        r"(?:npm_[A-Za-z0-9]{36}|pypi-[\w-]{50,512}|hf_[A-Za-z0-9]{30,64}|dop_v1_[a-f0-9]{64})",
    ),
    ("sendgrid_key", ("sg.",), r"SG\.[\w-]{16,64}\.[\w-]{16,128}"),
    ("jwt", ("eyj",), r"eyJ[\w-]{5,8192}+\.[\w-]{2,8192}+(?:\.[\w-]{0,8192}+)?+"),
)
_WEBHOOK = re.compile(
    r"""(?:hooks\.slack\.com/(?:services|workflows)/|/bot/v2/hook/|/webhook/send\?key=|/robot/send\?access_token=)(?P<secret>[\w/-]{16,256}+)"""
)
_KEY_BLOCK = re.compile(
    r"(?P<secret>-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:[^-]*+(?:-(?!-)[^-]*+)*+-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|(?:(?:\s|\\[nr])*+[A-Za-z0-9+/=]{24,}+)*+))"
)

_KEY_ANCHORS = (
    *("pass", "pwd", "secret", "key", "token", "credential", "jsessionid"),
    *("phpsessid", "session", "密码", "口令", "密钥", "秘钥", "令牌"),
)

KINDS: tuple[_Kind, ...] = (
    _Kind("private_key", ("-----begin ",), _KEY_BLOCK),
    _Kind("authorization", ("authorization",), _AUTHORIZATION, _is_credential),
    _Kind("bearer", ("bearer",), _BEARER, _has_digit_or_symbol),
    _Kind("cookie", ("cookie",), _COOKIE),
    _Kind("address", ("://",), _IN_ADDRESS),
    _Kind("address", ("jdbc:oracle:",), _ORACLE),
    _Kind("webhook", ("hooks.slack.com/", "/bot/v2/hook/", "/webhook/send?", "/robot/send?"), _WEBHOOK),
    _Kind(
        "assignment",
        _KEY_ANCHORS,
        _ASSIGNED,
        _is_set,
    ),
    _Kind("assignment", ("identified",), _IDENTIFIED),
    _Kind("element", ("pass", "pwd", "secret", "key", "token", "credential"), _ELEMENT, _is_element),
    _Kind("signature", ("sig=", "signature="), _SIGNATURE),
    _Kind("option", ("--pass", "--pwd", "--token", "--secret", "--api", "--access"), _OPTION, _has_digit_or_symbol),
    _Kind("option", ("mysql", "mariadb", "sshpass", "redis-cli", "curl", "wget"), _COMMAND, _has_digit_or_symbol),
    *(
        _Kind(name, hints, re.compile(rf"(?<![A-Za-z0-9_-])(?P<secret>{shape})(?![\w-])"))
        for name, hints, shape in _SHAPES
    ),
)
"""Every kind of secret that is looked for."""
