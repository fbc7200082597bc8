"""``key = value`` in settings, addresses, JSON and code: which keys hold secrets, and when what follows is a value."""

import re

KEY = (
    r"passwords?|passwd|passphrase|pwd|secret(?:[-_.]?access)?(?:[-_.]?key)?|key(?:[-_.]?(?:id|secret))?|token|credentials?|(?<![A-Za-z])pass"
    r"|jsessionid|phpsessid|session[-_]?id|密码|口令|密钥|秘钥|令牌"
)
_OPEN = r"""[^"'\\\r\n<]{1,512}+"""
ASSIGNED = re.compile(
    rf"""(?i:(?P<key>{KEY}))(?:@entry)?+(?P<gap>\\?["'`]?+[ \t]{{0,3}}+(?:=>|:=|=|:|：)[ \t]{{0,4}}+(?:0x[0-9a-fA-F]{{1,16}}+[ \t]{{1,2}}+(?=\\?["']))?+)"""
    # a value in quotes that are closed may hold anything, one in quotes left open ends at the first odd mark
    rf"""(?:(?P<double>")|(?P<single>')|(?P<quote>\\["']))?+(?P<secret>"""
    rf"""(?(double)(?:(?:[^"\\\r\n<]|\\[^\r\n]|<(?!secret>)){{1,512}}+(?=")|{_OPEN})"""
    rf"""|(?(single)(?:(?:[^'\\\r\n<]|\\[^\r\n]|<(?!secret>)){{1,512}}+(?=')|{_OPEN})"""
    rf"""|(?(quote){_OPEN}"""
    rf"""|(?![=~!])(?:\{{\w{{1,12}}\}})?+[^\s\x1b"'`<>,;&|(){{}}\[\]，。；、）（：]{{1,512}}+))))"""
)
SECRET_KEY = re.compile(r"(?:access|api|account|private|auth|signing|encryption|master)[-_.]?\Z", re.IGNORECASE)
"""What must stand before ``key``: a foreign key is no secret."""
_SECRET_TOKEN = re.compile(r"(?:access|auth|api|bearer|refresh|security|session)[-_.]?\Z", re.IGNORECASE)
"""What stands before ``token`` when it is no token of a parser."""
_STRONG = re.compile(r"pass|pwd|key|secret|密|秘|口令", re.IGNORECASE)
"""Keys whose value is a secret however plain it looks. ``token`` is not one: parsers speak of tokens, too."""
NEVER = re.compile(
    r"(?:null|none|nil|undefined|true|false|yes|no|on|off|empty|required|missing|invalid|expired|wrong"
    r"|incorrect|unknown|default|masked|hidden|redacted|string|str|int|integer|bool|boolean|object"
    r"|varchar|text|char|optional|password|passwd|pwd|secret|token)[.!?。]*\Z",
    re.IGNORECASE,
)
"""Words that stand where a value would, and are none."""
STAND_IN = re.compile(r"[$#%@*]|x{3,}+\Z|X{3,}+\Z|\.{2,}+|[-_?]++\Z|\\")
_NAME = re.compile(r"[A-Za-z_]\w*+(?:(?:\.|::|->)[A-Za-z_]\w*+)*+\Z")


def is_set(match: re.Match[str]) -> bool:
    """Whether what follows the key is a value somebody set, and not prose, code or a placeholder."""
    value, gap, key = match["secret"], match["gap"], match["key"].lower()
    if NEVER.match(value) or STAND_IN.match(value):
        return False
    if key.startswith("key") and not SECRET_KEY.search(match.string[max(match.start() - 12, 0) : match.start()]):
        return False
    strong = _STRONG.search(key) is not None
    if key == "token" and _SECRET_TOKEN.search(match.string[max(match.start() - 12, 0) : match.start()]):
        strong = True
    if key == "pass" and not _is_login(match, value):
        return False
    if match["double"] or match["single"] or match["quote"]:
        return _is_quoted_secret(value, strong=strong, of_object=gap[0] in "\"'\\" or "=" in gap)
    if "=" in gap:
        at_home = key == "pwd" and value[0] in "/~"  # the shell's working directory
        sure = strong or (len(value) >= 6 and (has_digit(value) or len(value) >= 16))
        return sure and not at_home and not _is_code(match, value, gap)
    return value.isascii() and _is_told_secret(match, value, strong=strong)


def _is_login(match: re.Match[str], value: str) -> bool:
    """``user=admin pass=foo123``, and not ``pass=12 fail=3``."""
    before = match.string[max(match.start() - 60, 0) : match.start()].rpartition("\n")[2].lower()
    return any(c.isalpha() for c in value) and (has_digit(value) or any(who in before for who in ("user", "login")))


def _is_told_secret(match: re.Match[str], value: str, *, strong: bool) -> bool:
    """After a colon: a sentence may follow, so the value must look like one or stand alone."""
    if has_digit(value) and any(c.isalpha() for c in value):
        return len(value) >= (4 if strong else 8)
    key, before = match["key"].lower(), match.string[max(match.start() - 1, 0) : match.start()]
    property_name = before in {".", "_", "-"} or len(key) > len("secret")
    named = key.startswith(("pass", "pwd")) or (strong and property_name and len(value) >= 6)
    return named and _alone_on_line(match)


def _is_quoted_secret(value: str, *, strong: bool, of_object: bool) -> bool:
    """``of_object``: the key is quoted too, as in JSON, so this is data and not a sentence."""
    if strong:
        return of_object or " " not in value
    return " " not in value and len(value) >= 6 and (of_object or has_digit(value))


def has_digit(value: str) -> bool:
    """Whether it holds a digit."""
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
