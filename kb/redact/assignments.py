"""``key = value`` in settings, addresses, JSON and code: which keys hold secrets, and when what follows is a value."""

import re

from kb.patterns import lazy
from kb.redact.columns import is_terminal
from kb.redact.names import KEY, SECRET_KEY, SUFFIX, is_of_access, is_strong
from kb.redact.values import DEFAULT, IDENTIFIER, PATH, has_digit, is_message, is_phrase, says_none
from kb.redact.words import INSIDE, LEFT, end_of, end_of_run

_OPEN = r"""[^"'\\\r\n<]{1,512}+"""
_ALONE_IN_BRACKETS = r"""\[(?=[^\s\[\]{}()<>,"'0-9]{0,80}+[0-9][^\s\[\]{}()<>,"']*+\])"""
"""``x-auth-token=[q7Rk2Z]``, ``password [q7Rk2Z]``: as Java prints headers and parameters; a digit in it, for words say more than a value"""
_GAP = (
    r"""(?:(?:\[\d{0,4}\])?+\\?["'`]?+(?:\]|:"?[\w\\]{1,100}"?(?::private)?\])?+[ \t]{0,40}+(?::[ \t]?[&\w<>']{1,20}[ \t]{1,3}=|(?:\#[ ])?=>|[?:+]?=|<<<|<-(?=[ \t]{0,4}["'])|(?:为|是|如下)?[:：]|为|是)[ \t]{0,12}+(?:0x[0-9a-fA-F]{1,16}+[ \t]{1,2}+(?=\\?["']))?+"""
    # ["password"]=>⏎  string(9) "x", as var_dump prints it
    r"""(?:(?:\r?\n[ \t]{0,80}+)?string(?:\(\d{1,9}\))?[ ](?=["']))?+"""
    # an anchor or a tag of YAML, the prefix of a literal, the call or the list that holds it
    rf"""(?:(?:!{{1,2}}|&)[\w/.-]{{1,40}}+[ \t]{{1,2}}+|(?:[bBrRuUfFLN@]{{1,2}}|new[ ]\w{{1,20}}+\(|Some\(\s{{0,80}}+|\[)(?=["'])|{_ALONE_IN_BRACKETS})?+"""
    rf"""|[ ]{_ALONE_IN_BRACKETS}"""
    r"""|\\?["']?[ \t]{0,2},[ \t]{0,4}(?:<<)?(?=\\?["'])|\\?["'];s:\d{1,9}:(?=\\?["'])|\([ \t]?(?=["'])|[ ]/d[ ]|[ \t]{1,2}is(?:[:：][ \t]{0,3}|[ \t]{1,2})|[ \t]{1,4}+(?=["']))"""
)
ASSIGNED = lazy(
    rf"""(?i:(?P<key>{KEY}){SUFFIX})(?:@entry)?+(?P<gap>{_GAP})"""
    # a value in quotes that are closed may hold anything, one in quotes left open ends at the first odd mark
    rf"""(?:(?P<double>")|(?P<single>')|(?P<quote>\\["'])|(?:(?<==[ ])|(?<=[: ][ ]))(?P<tick>`))?+(?P<secret>"""
    rf"""(?(double)(?:(?:[^"\\\r\n<]|\\[^\r\n]|{LEFT}){{1,512}}+(?=")|{_OPEN})"""
    rf"""|(?(single)(?:(?:[^'\\\r\n<]|\\[^\r\n]|{LEFT}){{1,512}}+(?=')|{_OPEN})"""
    rf"""|(?(quote)(?:[^"'\\\r\n<]|{LEFT}){{1,512}}+"""
    r"""|(?(tick)[^`$\s<]++(?=`)"""
    r"""|(?:(?<==)\{(?=\w{0,200}[^\w.}]|\w{41})[^{}\r\n<]++\}(?=;|\s|\Z)"""
    r"""|(?![=~]|!(?:=|\w+[ \t]))(?:\{\w{1,12}\})?+(?:[^\s\x1b"'`<>,;&|(){}\[\]，。；、）（：]|\([^\s()<>"']{0,512}+\)|(?<![\s=-])>(?=[\w!@#$%^*+.])){1,512}+))))))"""
)
_OPEN_REST = lazy(r"""[^"'\\\r\n<]*+""")
_QUOTE_REST = lazy(rf"""(?:[^"'\\\r\n<]{{1,4000}}+|{LEFT}){{1,1000}}+""")
_BARE_REST = lazy(r"""(?:[^\s\x1b"'`<>,;&|(){}\[\]，。；、）（：]{1,4000}+|(?<![\s=-])>(?=[\w!@#$%^*+.])){1,1000}+""")
_OTHER_TOKENS = ("publickey", "public", "public_", "public-", "jsonweb")
_CALL = r"(?:\((?:[^()]|\([^()]*+\))*+\))?+"
_NAME = lazy(rf"[A-Za-z_]\w*+{_CALL}(?:(?:\.|::|->)[A-Za-z_]\w*+{_CALL})*+\Z")
_OF_SECRETS = lazy(r"\.[\w.]*(?:pass|pwd|secret|token|key)", re.IGNORECASE)
_NAMES_ONE = lazy(r"(?:pass(?:word|wd)?|pwd|secret|token|cred(?:ential)?)s?\Z", re.IGNORECASE)
"""``connect(password=conn_password, …)``: a variable"""
_SETTER = lazy(
    r"(?:\b|_|(?<=[a-z]))(?:set|with|put|add|append|option|config|conf|define|header|prop\w*)\w{0,20}\([ \t]{0,2}\\?[\"'][\w.:-]{0,80}\Z",
    re.IGNORECASE,
)
_IN_PAIR = lazy(r"""(?:[\[{]|\),[ ]?|^[ \t]{0,40})\(["'][\w.-]{0,60}\Z""")
"""``OrderedDict([('user', 'bob'), ('password', 'x')])``: a name and its value in a list of pairs"""
_NAMES_A_SECRET = lazy(r"pass|pwd|secret|token|key|cred", re.IGNORECASE)
_EXPORTED = lazy(
    r"(?:\((?:setq|setf|set!|setenv|define|def|defvar|defconst|defparameter|defcustom)[ ]\"?'?|(?<![\w-])set[ ]{1,3}(?:-{1,2}[A-Za-z-]{1,10}[ ]{1,3}){1,3})[\w*./+-]{0,60}\Z"
)
"""``(setq api-token "x")``, ``set -gx API_TOKEN "x"`` of fish"""
_NAMES_WHERE = lazy(r"(?:[Ff][Rr][Oo][Mm][-_]|secretsmanager:[\w-]{0,30}:\d{0,12}:)\Z")
"""``from_secret: docker_password``, ``arn:aws:secretsmanager:eu-west-1:1234:secret:db``: the name of one"""
_REFERS = lazy(r"!(?:secret|env|ref|sub|getatt|importvalue|reference)[ ]", re.IGNORECASE)
"""``password: !secret wifi_password``: a tag of YAML that says where it lies"""
_OF_BOTH = lazy(r"(?:user|login|name)(?:_?and)?_?\Z", re.IGNORECASE)
_IS_NAME = lazy(
    r"(?:[a-z]\w{0,20}/)?[A-Z]{2,20}(?:_[A-Z]{2,20}){1,4}(?:_\d)?\Z|[\w-]{1,60}\.(?:pem|key|jks|p12|pfx|crt|pub|cer)\Z|\d{1,3}-\d{1,3}\Z|id_(?:rsa|dsa|ed25519|ecdsa)\Z|alias/"
)
"""``DB_PASSWORD``, ``server.pem``, ``8-64``, ``alias/app``: a variable, a file, a range, a key of a store."""
_EXPRESSION = lazy(
    r"[A-Za-z_]\w{0,40}+(?:(?:\.|::|->)[A-Za-z_]\w{0,40}+(?:\([^()]{0,40}+\))?+){1,8}+"
    r"(?:(?<=\))|(?<=\.[Pp]assword)|(?<=\.[Ss]ecret)|(?<=\.[Tt]oken)|(?<=\.pwd))\Z"
)
"""``z.string().min(8)``, ``form.value.password``: a program asks another for it."""
_BEGINS_EXPRESSION = lazy(
    r"(?:await|new|yield|shift|func|lambda)[ ][A-Za-z_@]|[A-Za-z_][\w.]{0,40}+\[\w{1,12}\][ \t]{0,4}+(?:[;,)\r\n]|\Z)"
)
"""``password = await ask()``, ``password = argv[2]``"""
_METHOD = lazy(r"(?:\.|->|::|[sS]et|[wW]ith)[A-Za-z_]{0,30}\Z")
_GETTER = lazy(r"(?:get|has|is|find|match|expect|next|parse|read|by)[A-Za-z_]{0,30}\Z", re.IGNORECASE)
_OF_PASS = ("_", ".", '"', "'")
_TECHNICAL = lazy(r"(?:sha|md|utf|base|aes|rsa|des)-?\d", re.IGNORECASE)
_CROSSED = r"""[,;&|"'`{}()\[\]]{1,2}+(?=[^\s,;&|"'`<>{}()\[\]])(?!["']?[\w.-]{1,40}+["']?[ \t]?[=:])[^\s\x1b"'`<>,;&|(){}\[\]，。；、）（：]++"""
_BEYOND = lazy(rf"(?:{_CROSSED})++[}})\]]{{0,2}}")
_IN_CONNECTION = lazy(r"(?:[ ][^\s;\"'=<>]{1,40}){1,4}(?=;[ ]?[A-Za-z])")
"""``Server=db;Password=a b;Encrypt=true``"""
_FIELD_ABOVE = lazy(r"=[^\s;=\"'<>]{1,60}+;[ ]?\Z")
"""``Server=db;Pwd=Web.Conf1g;``: no program assigns like that"""
_SETTING = lazy(r"[a-z]{2,20}(?:_[a-z]{2,20}){1,4}=")
"""``no valid secret: password_encryption=md5``"""
_GROUPS = lazy(r"(?:[ ][a-z]{4}){3}(?=[\"'\s]|\Z)")
"""``SMTP_PASS=abcd efgh ijkl mnop``: a password of an app, as it is shown"""
_WORDS = lazy(r"(?:[ ][^\s<>\"'#=:]{1,40}){1,8}+(?=[ \t]{0,8}(?:[\r\n]|\Z))")
"""``passphrase: correct h0rse battery``, to the end of its line"""
_OF_PHRASES = ("passphrase", "pass phrase")
_SIBLING = lazy(r"[ ]{0,40}[\w.-]{1,60}:(?:[ ]|\Z)")
"""A setting of YAML"""
_FIRST = lazy(r"""[ \t>#$-]{0,20}(?:export[ ]|set[ ]|-D|-e[ ])?["'`*]{0,2}[\w.-]{0,120}\Z""")
"""What stands before a key that begins its line."""


def is_set(match: re.Match[str]) -> bool:
    """Whether what follows the key is a value somebody set, and not prose, code or a placeholder."""
    value, key = match["secret"], match["key"].lower()
    if says_none(value) or PATH.match(value) or _IS_NAME.match(value):
        return False
    before = match.string[max(match.start() - 20, 0) : match.start()]
    if _is_other_key(match, key, before) or _is_of_list(match):
        return False
    strong = is_strong(key) or (key != "tokens" and is_of_access(before))
    return _is_value(match, strong=strong)


def value_ends(match: re.Match[str]) -> int:
    """Where a value ends, however long: a decision looks at its beginning, and only what is a secret is read on."""
    if mark := match["double"] or match["single"]:
        end = end_of_run(INSIDE[mark], match.string, match.start("secret"))
        is_closed = end > match.start("secret") and match.string.startswith(mark, end)
        return end if is_closed else end_of(_OPEN_REST, match)
    if match["quote"]:
        return end_of(_QUOTE_REST, match)
    if match["tick"]:
        return match.end("secret")
    end = end_of(_BARE_REST, match)
    if match.string[max(match.start() - 8, 0) : match.start()].rpartition(";")[1] and (
        blank := _IN_CONNECTION.match(match.string, end)
    ):
        return blank.end()
    if match["key"].lower().startswith(_OF_PHRASES) and (words := _WORDS.match(match.string, end)):
        return words.end()
    groups = _GROUPS.match(match.string, end) if end - match.start("secret") == 4 else None
    return groups.end() if groups else _beyond(match, end)


def _beyond(match: re.Match[str], end: int) -> int:
    """Where a bare value ends that goes on behind a mark: ``ab;cd9dd`` alone on its line, and not ``ab;user=x`` or ``f(ab)``."""
    text = match.string
    mark = text[end : end + 1]
    if not mark or mark not in ",;&|\"'`{}()[]" or "(" in match["gap"]:
        return end
    if mark == "(" and _NAME.match(match["secret"]):
        return end  # a call
    before = text[max(match.start() - 200, 0) : match.start()].rpartition("\n")[2]
    if not _FIRST.match(before):
        return (
            end  # the mark may divide or close what began before; and a line has one first key, so the time is linear
        )
    beyond = _BEYOND.match(text, end)
    if beyond is None or text[beyond.end() : beyond.end() + 1].strip(" \t\r\n"):
        return end
    return beyond.end() if has_digit(text[match.start("secret") : beyond.end()]) else end


def _goes_beyond(match: re.Match[str]) -> bool:
    bare = not (match["double"] or match["single"] or match["quote"] or match["tick"])
    return bare and _beyond(match, match.end("secret")) > match.end("secret")


_LONGEST_NAME = 16
"""Letters of a grammar's token are fewer."""


def _is_other_key(match: re.Match[str], key: str, before: str) -> bool:
    """A key that holds no secret, by what stands before it, or by a value that is where a secret lies."""
    value = match["secret"]
    if "@" in value and "://" in before:
        return True  # a part of an address
    if key.startswith("key"):
        return SECRET_KEY.search(before) is None or PATH.match(value) is not None
    if _is_reference(match, before):
        return True
    if match["key"] == "PWD" and before.endswith(("$", "${")):
        return True  # the shell's working directory: "$PWD":/data
    if key == "token":
        # of an assembly, a part of its name; of a grammar: "token": "ENTRIESREAD", s:5:"token";s:9:"T_STRING2"
        is_dumped = match["tick"] is not None or "s:" in match["gap"] or "string(" in match["gap"]
        return (
            before.lower().endswith(_OTHER_TOKENS)
            or (is_dumped and is_terminal(value))
            or (before[-1:] == '"' and value.isupper() and value.isalpha() and len(value) < _LONGEST_NAME)
        )
    is_part = before[-1:].isalpha() or before.lower().endswith(_OF_PASS)
    return key == "pass" and not is_part and not _is_login(match, value)


def _is_reference(match: re.Match[str], before: str) -> bool:
    """Whether what follows says where the secret lies."""
    if "!" in match["gap"] and _REFERS.search(match["gap"]):
        return True
    is_where = before[-1:] in {"-", "_", ":"}  # what `_NAMES_WHERE` ends with
    return is_where and _NAMES_WHERE.search(match.string, max(match.start() - 60, 0), match.start()) is not None


def _is_value(match: re.Match[str], *, strong: bool) -> bool:
    """Whether what follows looks like a value, for the way in which it is given."""
    value, gap = match["secret"], match["gap"]
    if gap[0] == "(" or "," in gap:
        return _is_given(match, value, strong=strong)
    if "is" in gap and not any(mark in gap for mark in ":=："):
        return has_digit(value) and len(value) >= 6 and not value.isdigit() and not _TECHNICAL.match(value)
    if match["double"] or match["single"] or match["quote"]:
        return _is_quoted_secret(match, strong=strong)
    if match["tick"]:
        return _is_raw(match, value, strong=strong)
    if "=" in gap:
        return _is_assigned_secret(match, value, strong=strong)
    is_secret = _is_phrase(match) or _is_secret_after_colon(match, value, strong=strong)
    return value.isascii() and value.strip(":") != "" and is_secret


def _is_raw(match: re.Match[str], value: str, *, strong: bool) -> bool:
    """A raw string of Go, a template of JavaScript; behind a colon a field of a struct, which a comma ends, and not what prose marks."""
    if "=" in match["gap"]:
        return has_digit(value) and (strong or len(value) >= 6)
    is_field = match.string[match.end() + 1 : match.end() + 2] == "," and len(value) >= 8
    return is_field and has_digit(value) and any(map(str.isalpha, value)) and IDENTIFIER.match(value) is None


def _is_assigned_secret(match: re.Match[str], value: str, *, strong: bool) -> bool:
    """After ``=``: whatever stands there, but no expression of a program, no count and no place."""
    gap = match["gap"]
    if " " in gap and _BEGINS_EXPRESSION.match(match.string, match.start("secret")):
        return False
    if _goes_beyond(match):
        return strong
    is_count = value.isdigit() and len(value) < 4  # `min_password=8`
    at_home = match["key"].lower() == "pwd" and value[0] in "/~"  # the shell's working directory
    sure = strong or (len(value) >= 6 and (has_digit(value) or len(value) >= 16))
    return sure and not is_count and not at_home and not _is_code(match, value, gap)


def _is_of_list(match: re.Match[str]) -> bool:
    """``namepass = ["cpu", "mem"]``: words of which several stand in a list."""
    text = match.string
    return "[" in match["gap"][1:] and not has_digit(match["secret"]) and text[match.end() + 1 : match.end() + 2] == ","


def _is_login(match: re.Match[str], value: str) -> bool:
    """``user=admin pass=foo123``, and not ``pass=12 fail=3``."""
    before = match.string[max(match.start() - 60, 0) : match.start()].rpartition("\n")[2].lower()
    if match["key"] == "PASS" and match["gap"][0] == ":":
        return False  # a test's result
    return any(c.isalpha() for c in value) and (has_digit(value) or any(who in before for who in ("user", "login")))


def _is_given(match: re.Match[str], value: str, *, strong: bool) -> bool:
    """``put("password", "x")``, ``setPassword("x")``, and not a list of names or a question for one."""
    if not (strong or (has_digit(value) and len(value) >= 6)):
        return False
    if _OF_BOTH.search(match.string, max(match.start() - 12, 0), match.start()) and "(" in match["gap"]:
        return False  # with_user_pass("bob", "x"): a name, and the secret behind it
    if " " in value and not (has_digit(value) and value.count(" ") < 4 and not is_message(value)):
        return False
    before = match.string[max(match.start() - 110, 0) : match.start()].rpartition("\n")[2]
    if "," in match["gap"]:
        return _is_in_pair(match, before) or _SETTER.search(before) is not None
    return _METHOD.search(before[-40:]) is not None and not _GETTER.search(before[-40:])


def _is_in_pair(match: re.Match[str], before: str) -> bool:
    """``{password, "x"}``, ``[('user', 'bob'), ('password', 'x')]``, and not ``("password", "password2")``: names."""
    value, behind = match["secret"], match.string[match.end() + 1 : match.end() + 4]
    if before.rstrip("\"'")[-1:] == "{" and behind.removeprefix(">>")[:1] == "}":
        return True
    return (
        behind[:1] == ")"
        and _IN_PAIR.search(before) is not None
        and has_digit(value)
        and not _NAMES_A_SECRET.search(value)
    )


def _is_secret_after_colon(match: re.Match[str], value: str, *, strong: bool) -> bool:
    """After a colon: a sentence may follow, so the value must look like one or stand alone."""
    is_question = value[-1] == "?" and value[:-1].isalpha()  # `password: changeme?`
    if (
        is_question
        or _SETTING.match(value)
        or _EXPRESSION.match(value)
        or (match["key"].lower() == "pwd" and PATH.match(value))
    ):
        return False
    if has_digit(value) and any(c.isalpha() for c in value):
        return len(value) >= (4 if strong else 8)
    is_verb = match["gap"].strip() in {"为", "是"}  # 插件caching_sha2_password是8.0
    if is_verb or _goes_beyond(match):
        return (value.isdigit() and len(value) >= 6) if is_verb else strong
    key, before = match["key"].lower(), match.string[max(match.start() - 1, 0) : match.start()]
    is_password = key.startswith(("pass", "pwd", "pswd", "pw", "密码", "密碼", "口令"))
    if is_password and value.isdigit():
        return len(value) >= 6 or (_alone_on_line(match) and len(value) >= 4)
    property_name = before in {".", "_", "-"} or len(key) > len("secret")
    if key[0] == "授":
        return len(value) == 16 or (len(value) >= 8 and _alone_on_line(match))  # of mail: sixteen letters
    named = is_password or (strong and property_name and len(value) >= 6) or _is_in_block(match)
    return named and (_alone_on_line(match) or (is_password and (_is_printed(match) or _is_default(match))))


def _is_phrase(match: re.Match[str]) -> bool:
    """``passphrase: correct horse battery``, first on its line."""
    words = _WORDS.match(match.string, match.end()) if match["key"].lower().startswith(_OF_PHRASES) else None
    before = match.string[max(match.start() - 200, 0) : match.start()].rpartition("\n")[2]
    if words is None or not _FIRST.match(before):
        return False
    return is_phrase(f"{match['secret']}{words[0]}")


def _is_in_block(match: re.Match[str]) -> bool:
    """``secret: my-own-words`` below other settings of the same indent, with more in it than a word."""
    text, value = match.string, match["secret"]
    begin = text.rfind("\n", max(match.start() - 60, 0), match.start()) + 1
    indent = text[begin : match.start()]
    if not begin or len(value) < (16 if value.isalpha() else 8) or indent.strip(" ") or not indent:
        return False
    above = text[max(begin - 200, 0) : begin - 1].rpartition("\n")[2]
    return _SIBLING.match(above) is not None and len(above) - len(above.lstrip(" ")) <= len(indent)


def _is_default(match: re.Match[str]) -> bool:
    """``{user: admin, password: changeit}``: a word that products come with, in a record."""
    behind = match.string[match.end() : match.end() + 1]
    return behind != "" and behind in "},;" and DEFAULT.match(match["secret"]) is not None


def _is_printed(match: re.Match[str]) -> bool:
    """``{User:root Password:plain Port:1}``, as Go prints a record."""
    before = match.string[max(match.start() - 200, 0) : match.start()].rpartition("\n")[2]
    behind = match.string[match.end() : match.end() + 1]
    return match["gap"] == ":" and behind in {" ", "}"} and before.rfind("{") > before.rfind("}")


def _is_quoted_secret(match: re.Match[str], *, strong: bool) -> bool:
    """Where the key is quoted too, as in JSON, or stands alone, this is data; else it may be a sentence."""
    value, gap = match["secret"], match["gap"]
    if not any(map(str.isalnum, value)) and not match.string.startswith(
        match.string[match.start("secret") - 1], match.end()
    ):
        return False  # `input("Password: ")`: the quote before it ends what began before the key
    is_data = gap[0] in "\"'\\" or "=" in gap
    if not gap.strip():
        return _is_exported(match, strong=strong) or (
            strong and (_is_defined(match) if " " not in value else _is_line(match))
        )
    if strong:
        is_phrase = (
            has_digit(value)
            and value.count(" ") < 4
            and match.string[match.end() + 1 : match.end() + 2] in {",", "}", ")"}
        )
        return " " not in value or ((is_data or is_phrase or _alone_on_line(match)) and not is_message(value))
    return " " not in value and len(value) >= 6 and (is_data or has_digit(value))


def _is_exported(match: re.Match[str], *, strong: bool) -> bool:
    """Whether a statement of Lisp or of fish gives the name its value."""
    value = match["secret"]
    before = match.string[max(match.start() - 90, 0) : match.start()].rpartition("\n")[2]
    return (strong or has_digit(value)) and len(value) >= 6 and _EXPORTED.search(before) is not None


def _is_defined(match: re.Match[str]) -> bool:
    """``#define WIFI_PASSWORD "x"``, ``storePassword 'x'``: a name and a literal, nothing between them."""
    before = match.string[max(match.start() - 60, 0) : match.start()].rpartition("\n")[2]
    if before.endswith(":"):
        return True  # {:password "x"}
    if not before.strip():
        return has_digit(match["secret"]) and match.string[match.end() + 1 : match.end() + 2] == ";"  # secret "x";
    return "#define" in before or (before[-1:].islower() and match["key"][0].isupper())


def _is_line(match: re.Match[str]) -> bool:
    """``passphrase "open sesame 42"``: nothing else stands on the line, and words alone would be a message."""
    value, text = match["secret"], match.string
    before = text[max(match.start() - 60, 0) : match.start()].rpartition("\n")[2]
    rest = text[match.end() + 1 : match.end() + 40].partition("\n")[0].strip(" \t\r;")
    return not before.strip() and not rest and has_digit(value) and not is_message(value)


def _is_code(match: re.Match[str], value: str, gap: str) -> bool:
    """``pwd = os.getcwd()``, ``token = self.next;``: a program, not a setting."""
    if not _NAME.match(value) or value.startswith("ENC("):
        return False
    after = match.string[match.end() : match.end() + 1]
    if after in {"(", "["} or value.endswith(")") or _OF_SECRETS.search(value):
        return True
    if after in {")", ","} and _NAMES_ONE.search(value):
        return True
    if _FIELD_ABOVE.search(match.string, max(match.start() - 80, 0), match.start()) and " " not in gap:
        return False
    return "." in value and (after in {";", ")", ","} or " " in gap)


def _alone_on_line(match: re.Match[str]) -> bool:
    """``password: hunter2`` as in a YAML file: one key before it, nothing after."""
    text, end = match.string, match.end()
    rest = text[end : end + 40].split("\n", 1)[0].strip(" \t\r\"'")
    before = text[max(match.start() - 60, 0) : match.start()].rpartition("\n")[2].strip(" \t-\"'")
    if rest[:1] == "(" and text.startswith("  ", end):
        return before.isupper() and before[-1:] == "_"  # DB_PASS:  x  (of the old host)
    return (not rest or rest[0] == "#") and " " not in before
