"""``key = value`` in settings, addresses, JSON and code: which keys hold secrets, and when what follows is a value."""

import re

from kb.redact.words import STANDING

KEY = (
    r"passwords?|passwd|passphrase|passcode|pswd|pwd|secret(?:[-_.]?access)?(?:[-_.]?key)?|key(?:[-_.]?(?:id|secret))?|token|credentials?"
    r"|(?<![A-Za-z])pass|(?:(?<=bind)|(?<=root)|(?<=user)|(?<=admin))pass|(?:bind|root|user|admin)[-_]?pw|密码|口令|密钥|秘钥|私钥|令牌|授权码"
)
SUFFIX = (
    r"(?:[-_.]?(?:value|string|text|plain|prod|dev|test|staging|old|new|confirm(?:ation)?|repeat|primary|secondary|hash|enc(?:rypted|oded)?|base64|\d{1,2})"
    r"|\.[\w.-]{1,80}\.windows\.net)?+"
)
_LEFT = rf"<(?!(?:{STANDING})>)"
_OPEN = r"""[^"'\\\r\n<]{1,512}+"""
_GAP = (
    r"""(?:\\?["'`]?+\]?[ \t]{0,3}+(?::[ \t]?[&\w<>']{1,20}[ \t]{1,3}=|=>|:=|=|(?:为|是)?[:：]|为|是)[ \t]{0,4}+(?:0x[0-9a-fA-F]{1,16}+[ \t]{1,2}+(?=\\?["']))?+"""
    r"""|\\?["'][ \t]{0,2},[ \t]{0,4}(?=\\?["'])|\([ \t]?(?=["'])|[ \t]{1,2}is[ \t]{1,2})"""
)
ASSIGNED = re.compile(
    rf"""(?i:(?P<key>{KEY}){SUFFIX})(?:@entry)?+(?P<gap>{_GAP})"""
    # a value in quotes that are closed may hold anything, one in quotes left open ends at the first odd mark
    rf"""(?:(?P<double>")|(?P<single>')|(?P<quote>\\["']))?+(?P<secret>"""
    rf"""(?(double)(?:(?:[^"\\\r\n<]|\\[^\r\n]|{_LEFT}){{1,512}}+(?=")|{_OPEN})"""
    rf"""|(?(single)(?:(?:[^'\\\r\n<]|\\[^\r\n]|{_LEFT}){{1,512}}+(?=')|{_OPEN})"""
    rf"""|(?(quote){_OPEN}"""
    r"""|(?:(?<==)\{(?=\w{0,200}[^\w.}])[^{}\r\n<]{1,256}+\}(?=;|\s|\Z)"""
    r"""|(?![=~!])(?:\{\w{1,12}\})?+(?:[^\s\x1b"'`<>,;&|(){}\[\]，。；、）（：]|\([^\s()<>"']{0,20}\)){1,512}+)))))"""
)
SECRET_KEY = re.compile(
    r"(?:access|api|account|private|auth|signing|encrypt(?:ion)?|crypto|master|subscription|functions|shared|storage|consumer|ssh"
    r"|licen[cs]e|hmac|jwt|admin|deploy|webhook|integration|service[-_]?role|(?<![A-Za-z])app)[-_.]?\Z",
    re.IGNORECASE,
)
"""What must stand before ``key``: a foreign key is no secret."""
_SECRET_TOKEN = re.compile(r"(?:access|auth|api|bearer|refresh|security|session|private)[-_.]?\Z", re.IGNORECASE)
"""What stands before ``token`` when it is no token of a parser."""
_STRONG = re.compile(r"pass|pswd|pw|key|secret|密|秘|口令|私钥|授权码", re.IGNORECASE)
"""Keys whose value is a secret however plain it looks. ``token`` is not one: parsers speak of tokens, too."""
NEVER = re.compile(
    r"(?:null|none|nil|undefined|true|false|yes|no|on|off|empty|required|missing|invalid|expired|wrong|protected"
    r"|incorrect|unknown|default|bearer ?|basic ?|masked|hidden|redacted|string|str|int|integer|bool|boolean|object"
    r"|varchar|text|char|optional|option|password|passwd|pwd|secret|token)[.!?。]*\Z",
    re.IGNORECASE,
)
"""Words that stand where a value would, and are none."""
STAND_IN = re.compile(
    r"[$#%@*]|-[A-Za-z]\Z|\[[A-Za-z _-]{1,40}\]|:[A-Za-z]|\?\Z|\{\{|x{3,}+\Z|X{3,}+\Z|\.{2,}+|[-_?]++\Z|\\"
)
_NAME = re.compile(r"[A-Za-z_]\w*+(?:(?:\.|::|->)[A-Za-z_]\w*+)*+(?:\([^()]*\))?\Z")
_OF_SECRETS = re.compile(r"\.[\w.]*(?:pass|pwd|secret|token|key)", re.IGNORECASE)
_SETTER = re.compile(
    r"(?:\b|_|(?<=[a-z]))(?:set|with|put|add|append|option|config|conf|define|header|prop\w*)\w{0,20}\([ \t]{0,2}\\?[\"'][\w.:-]{0,80}\Z",
    re.IGNORECASE,
)
_METHOD = re.compile(r"(?:\.|->|::|[sS]et|[wW]ith)[A-Za-z_]{0,30}\Z")
_GETTER = re.compile(r"(?:get|has|is|find|match|expect|next|parse|read|by)[A-Za-z_]{0,30}\Z", re.IGNORECASE)
_OF_PASS = ("_", ".", '"', "'", "bind", "root", "user", "admin")
_TECHNICAL = re.compile(r"(?:sha|md|utf|base|aes|rsa|des)-?\d", re.IGNORECASE)
PATH = re.compile(r"(?:~|\.{1,2})?(?:/[a-z0-9_.-]+){2,}\Z")
_SENTENCE = re.compile(r"[A-Za-z][a-z']+(?: [a-z']{1,20}){2,}[.!?]?\Z")


def is_set(match: re.Match[str]) -> bool:
    """Whether what follows the key is a value somebody set, and not prose, code or a placeholder."""
    value, key = match["secret"], match["key"].lower()
    if NEVER.match(value) or STAND_IN.match(value):
        return False
    before = match.string[max(match.start() - 20, 0) : match.start()]
    if _is_other_key(match, key, before):
        return False
    strong = _STRONG.search(key) is not None or (key == "token" and _SECRET_TOKEN.search(before) is not None)
    return _is_value(match, strong=strong)


def _is_other_key(match: re.Match[str], key: str, before: str) -> bool:
    """A key that holds no secret, by what stands before it, or by a value that is where a secret lies."""
    value = match["secret"]
    if "@" in value and "://" in before:
        return True  # a part of an address
    if key.startswith("key"):
        return SECRET_KEY.search(before) is None or PATH.match(value) is not None
    if key == "token":
        return before.lower().endswith("publickey")  # of an assembly, a part of its name
    return key == "pass" and not before.lower().endswith(_OF_PASS) and not _is_login(match, value)


def _is_value(match: re.Match[str], *, strong: bool) -> bool:
    """Whether what follows looks like a value, for the way in which it is given."""
    value, gap, key = match["secret"], match["gap"], match["key"].lower()
    if gap[0] == "(" or "," in gap:
        return _is_given(match, value, strong=strong)
    if "is" in gap and not any(mark in gap for mark in ":=："):
        return has_digit(value) and len(value) >= 6 and not value.isdigit() and not _TECHNICAL.match(value)
    if match["double"] or match["single"] or match["quote"]:
        return _is_quoted_secret(match, strong=strong)
    if "=" in gap:
        at_home = key == "pwd" and value[0] in "/~"  # the shell's working directory
        sure = strong or (len(value) >= 6 and (has_digit(value) or len(value) >= 16))
        return sure and not at_home and not _is_code(match, value, gap)
    return value.isascii() and _is_told_secret(match, value, strong=strong)


def _is_login(match: re.Match[str], value: str) -> bool:
    """``user=admin pass=foo123``, and not ``pass=12 fail=3``."""
    before = match.string[max(match.start() - 60, 0) : match.start()].rpartition("\n")[2].lower()
    return any(c.isalpha() for c in value) and (has_digit(value) or any(who in before for who in ("user", "login")))


def _is_given(match: re.Match[str], value: str, *, strong: bool) -> bool:
    """``put("password", "x")``, ``setPassword("x")``, and not a list of names or a question for one."""
    if " " in value or not (strong or (has_digit(value) and len(value) >= 6)):
        return False
    before = match.string[max(match.start() - 110, 0) : match.start()].rpartition("\n")[2]
    if "," in match["gap"]:
        return _SETTER.search(before) is not None
    return _METHOD.search(before[-40:]) is not None and not _GETTER.search(before[-40:])


def _is_told_secret(match: re.Match[str], value: str, *, strong: bool) -> bool:
    """After a colon: a sentence may follow, so the value must look like one or stand alone."""
    if has_digit(value) and any(c.isalpha() for c in value):
        return len(value) >= (4 if strong else 8)
    key, before = match["key"].lower(), match.string[max(match.start() - 1, 0) : match.start()]
    is_password = key.startswith(("pass", "pwd", "pswd", "密码", "口令"))
    if is_password and value.isdigit():
        return len(value) >= 6 or (_alone_on_line(match) and len(value) >= 4)
    property_name = before in {".", "_", "-"} or len(key) > len("secret")
    named = is_password or (strong and property_name and len(value) >= 6)
    return named and _alone_on_line(match)


def _is_quoted_secret(match: re.Match[str], *, strong: bool) -> bool:
    """Where the key is quoted too, as in JSON, or stands alone, this is data; else it may be a sentence."""
    value, gap = match["secret"], match["gap"]
    is_data = gap[0] in "\"'\\" or "=" in gap
    if strong:
        return " " not in value or ((is_data or _alone_on_line(match)) and not _SENTENCE.match(value))
    return " " not in value and len(value) >= 6 and (is_data or has_digit(value))


def has_digit(value: str) -> bool:
    """Whether it holds a digit."""
    return any(c in "0123456789" for c in value)


def _is_code(match: re.Match[str], value: str, gap: str) -> bool:
    """``pwd = os.getcwd()``, ``token = self.next;``: a program, not a setting."""
    if not _NAME.match(value):
        return False
    after = match.string[match.end() : match.end() + 1]
    if after in {"(", "["} or value.endswith(")") or _OF_SECRETS.search(value):
        return True
    return "." in value and (after in {";", ")", ","} or " " in gap)


def _alone_on_line(match: re.Match[str]) -> bool:
    """``password: hunter2`` as in a YAML file: one key before it, nothing after."""
    text, end = match.string, match.end()
    rest = text[end : end + 40].split("\n", 1)[0].strip(" \t\r\"'")
    before = text[max(match.start() - 60, 0) : match.start()].rpartition("\n")[2].strip(" \t-\"'")
    return (not rest or rest[0] == "#") and " " not in before
