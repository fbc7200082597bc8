"""Secrets as literals of code: compared with a name, its default, typed into a field, or the argument of a call.

``password.equals("x")``, ``os.getenv("DB_PASSWORD", "x")``, ``cy.get('#password').type('x')``, ``new PDO(dsn, 'root', 'x')``.
"""

import re
from collections.abc import Iterator
from itertools import islice

from kb.patterns import lazy
from kb.redact.names import KEY, SECRET_KEY, SUFFIX
from kb.redact.values import IDENTIFIER, NEVER, PLACED, STAND_IN, has_digit, is_random
from kb.redact.words import SecretKind, end_of_run

_LITERAL = r"""(?:(?:Some|Secret(?:String)?::new|String::from|Buffer\.from|Optional\.of)\()?[bBrRuUfFNL@]{0,2}\\?(?P<mark>["'`])(?P<secret>[^"'`\\\r\n<]{3,}+)\\?(?P=mark)"""
_METHODS = r"equals(?:ignorecase)?|contentequals|compareto|eq|matches|send_?keys|type|fill|set_?value|val|with|set"
COMPARED = lazy(
    # password === 'x'   args.password != 'x'   env.DB_PASSWORD ?? "x"   user.getPassword().equals("x")   strcmp(password, "x")
    rf"""(?i:(?P<key>{KEY}){SUFFIX})(?:\(\))?["'`)\]]{{0,4}}(?P<gap>[ \t]{{0,3}}(?:={{2,3}}|!={{1,2}}|\|\||\?\?|\?:|or(?=[ ])|\{{)|(?:\.|->)(?i:{_METHODS})\(|,)"""
    rf"""[ \t]{{0,3}}{_LITERAL}"""
)
_CALLER = lazy(
    r"(?:values?[ ]?|strn?cmp|hash_equals|compare\w*|equals|timing\w*|assert\w*|(?:get)?env|environ\.get|fetch|get(?:property|ordefault|string|value|secret|config)"
    r"|fill(?:_in)?|type|set\w*|input|option|flag\.\w+)\([^()\r\n]{0,80}\Z",
    re.IGNORECASE,
)
"""A call whose next argument is the value of a name, its default, or what the name is compared with."""
BESIDE = lazy(
    rf"""["']\.(?i:equals(?:ignorecase)?)\([ ]?(?P<secret>)[\w.>$-]{{0,60}}?(?i:{KEY}){SUFFIX}(?!_?[a-zI])|(?i:assert_?equals?|is_equal|assertThat)\([ ]?["'](?P<expected>[^"'\r\n<]{{3,}}+)["'],[ ]?[\w.>$-]{{0,60}}?(?i:get)?(?i:{KEY}){SUFFIX}(?!_?[a-zI])"""
)
_QUOTED = r"""\\?["'][^"'\n]{0,200}+["']"""
_NAMED = r"""[\w.$\[\]>:-]{1,80}+"""
_ARGUMENT = rf"(?:{_QUOTED}|{_NAMED}(?:\(\))?|\{{[^{{}}\r\n]{{0,200}}+\}}),[ \t]{{0,3}}"
_FIRST = ("bcrypt.hash(", "bcrypt.hashsync(", "hashpw(", "password_hash(", "generate_password_hash(", "make_password(", "passwordencoder.encode(", "encoder.encode(", "hash_password(", "hashpassword(", "digest_password(", "secretkeyspec(", "hmac.new(", "fernet(", "aes.new(", "hmacshakeyfor(", "setsigningkey(", "hmac256(", "hmac384(", "hmac512(")  # fmt: skip
_SECOND = ("networkcredential(", "authenticationheadervalue(", ".basic(", "basic(", "jwt.verify(", "jwt.sign(", "jwt.encode(", "jwt.decode(", ".auth(", "withbasicauth(", "setbasicauth(", "basic_auth(", "basicawscredentials(", "usernamepassword(", "changeuserpassword(", "setuserpassword(", "createuser(", "passwordauthenticationtoken(", "wifi.begin(", "plaincredentials(", "login(", "createhmac(", "createcipheriv(", "createdecipheriv(", "cx_oracle.connect(", "oracledb.connect(", "authenticate(", "username_pw_set(", "addap(", "signwith(", "newstaticv4(", "newstaticcredentials(", "newstaticcredentialsprovider(", "basiccredentials.create(", "newdefaultcredentialprovider(")  # fmt: skip
_THIRD = (
    "new sequelize(",
    "new pdo(",
    "dbi->connect(",
    "createpool(",
    "new mysqli(",
    "oci_connect(",
    "pg_connect(",
    "dbconnect(",
    "minio.new(",
    "minioclient(",
)
_FIFTH = ("jedispool(",)
_FOURTH = ("mysql_real_connect(",)
_ACCOUNTS = ("root", "admin", "sa", "scott", "postgres", "guest", "user", "username", "app", "test", "default")
_KIND = (
    rf"(?P<first>{'|'.join(map(re.escape, _FIRST))})|(?P<second>{'|'.join(map(re.escape, _SECOND))})"
    rf"|(?P<third>{'|'.join(map(re.escape, _THIRD))})|(?P<fourth>{'|'.join(map(re.escape, _FOURTH))})|(?P<fifth>{'|'.join(map(re.escape, _FIFTH))})"
)
CALLED = lazy(
    rf"(?i:{_KIND})[ \t]?(?(second){_ARGUMENT}|(?(third)(?:{_ARGUMENT}){{2}}|(?(fourth)(?:{_ARGUMENT}){{3}}|(?(fifth)(?:{_ARGUMENT}){{4}}))))[ \t]{{0,3}}{_LITERAL}"
)
SALTED = lazy(r"""(?i:crypt)\([ ]?'(?P<secret>[^'\r\n<]{3,}+)'(?=,[ ]?gen_salt\()""")
"""``crypt('x', gen_salt('bf'))``"""
BEHIND_ACCOUNT = lazy(rf"""\\?(?P<quote>["'])(?i:{"|".join(_ACCOUNTS)})\\?(?P=quote),[ ]{{0,3}}{_LITERAL}""")
"""``newInstance(url, 'root', 'x')``, in whatever call"""
ADDED = lazy(
    rf"""(?i:sp_addlogin|sp_password|sp_addlinkedsrvlogin)[ ](?:[\w@]{{1,20}}[ ]?=[ ]?)?(?:{_QUOTED}|NULL),[ ]{{0,3}}N?{_LITERAL}"""
)
"""``sp_addlogin 'bob', 'x'``"""
BOT = lazy(r"""(?i:bot|client)\.(?i:login|run|start)\([ ]?["'](?P<secret>[\w.-]{40,}+)["']""")
"""``bot.run("…")``"""
DEFAULT = lazy(rf"""(?i:(?P<key>{KEY}){SUFFIX})["'](?P<gap>,[^()\r\n]{{0,100}}?\bdefault[ ]?[=:][ ]?){_LITERAL}""")
"""``add_argument("--password", default="x")``"""
LOADED = lazy(rf"""\.load\([ ]?{_ARGUMENT}{_LITERAL}(?=\.toCharArray)""")
"""``keyStore.load(in, "x".toCharArray())``"""
OBJECT = lazy(
    rf"""(?i:credentials?|auth(?:provider|entication|token)?|login)\([ ]?(?:{_QUOTED},[ \t]{{0,3}}){{1,3}}+{_LITERAL}[ ]?\)?"""
)
"""``PlainTextAuthProvider("bob", "x")``, ``Credentials("realm", "host", "bob", "x")``"""
USER_PASSWORD = lazy(
    r"""(?i:userpwd|user[-_.]?info|auth(?:entication)?[-_.]pair)["']?[ \t]{0,3}[,=:][ \t]{0,3}["']?[^\s"':<>]{1,80}:(?P<secret>[^\s"'<>]{3,}+)"""
)
"""``CURLOPT_USERPWD, "bob:x"``, ``basic.auth.user.info=bob:x``"""
MADE = lazy(
    rf"""(?i:(?P<key>{KEY}){SUFFIX})[^\S\r\n]{{0,3}}:?=[ \t]{{0,3}}(?:[\w.:]{{1,40}}\()?(?P<call>\[\]byte|[\w.:>-]{{1,60}}+)\([ ]?{_LITERAL}"""
)
"""``let pw = String::from("x")``, whatever makes a value of it"""
_MAKER = lazy(
    r"(?:from|some|new|byte|str|hash|md5|sha\d*|encode|encrypt|b64\w*|of|secret\w*)(?:_\w+)?\Z", re.IGNORECASE
)
_ASKS = lazy(
    r"(?:get|env|read|load|find|look|open|file|path|input|prompt|ask|query|select|fetch|field|column|require|import|transl|print|log|err|raise|except|format|match|regex|compile|test|param|header|cookie|attr|prop|config|setting|var|key|label|message)\w*\Z",
    re.IGNORECASE,
)
"""A call whose literal is a name, a path or a sentence."""
AS_BYTES = lazy(
    r"""(?i:getbytes|buffer\.from|stringtobytes|\.encode|bytes)\([ ]?[bu]?(?P<mark>["'])(?P<secret>[^"'\\\r\n<]{6,}+)(?P=mark)"""
)
"""``new SymmetricSecurityKey(Encoding.UTF8.GetBytes("x"))``"""
_OF_A_KEY = lazy(r"key|secret|hmac|sign|passw|token|cipher|crypt", re.IGNORECASE)
GIVEN = lazy(r"""[A-Za-z_.]{4,16}\((?P<secret>[^()\r\n<]*+)\)""")
"""``authenticate(client, "bob", "x")``, ``Credentials.of("bob", "x")``: a name and a password, in whatever order of arguments"""
_LOGS_IN = (
    *("auth.create(", "auth.of(", "credentials.create(", "credentials.of("),
    *(
        "auth(",
        "authenticate(",
        "authentication(",
        "authorize(",
        "login(",
        "log_in(",
        "loginasync(",
        "login_user(",
        "signin(",
    ),
    *(
        "sign_in(",
        "logon(",
        "credential(",
        "credentials(",
        "password(",
        "pass(",
        "passwd(",
        "token(",
        "secret(",
        "connect(",
        "connectasync(",
        "connection(",
        "remote(",
    ),
    *("mysql(", "postgresql(", "create_user(", "create_superuser(", "createuser(", "adduser(", "add_user("),
)
_MOST_ARGUMENTS, _LONGEST_NAME = 64, 80
_TEXTS = lazy(r"""(?P<mark>["'])(?P<text>[^"'\r\n<]{4,}+)(?P=mark)""")
_IS_ID = lazy(r"[iI][dD][ ]?[:=][ ]?\Z")
"""``usernamePassword(credentialsId: '29f63271-…')``"""
PLANNED = lazy(r"""" -> "(?P<secret>[^"\r\n<]{2,}+)\"""")
"""``password = "x" -> "y"``: what a plan changes"""
QUOTED_BY_WORD = lazy(r"""(?:=>?|[>,])[ ]{0,3}qq?(?P<open>[{(\[|!])(?P<secret>[^\s{}()\[\]|!<]{3,}+)(?=[})\]|!])""")
"""``$password = q{x}`` of Perl"""
_QUOTES_BY_WORD = tuple(
    f"{sign}{word}{mark}" for sign in ("=", "= ", ">", "> ", ",", ", ") for word in ("q", "qq") for mark in "{([|!"
)
_NAME_BEFORE = lazy(rf"""[\w.$@%>"'{{\[-]{{0,60}}?(?i:(?P<key>{KEY}){SUFFIX})["'\]}}]{{0,3}}\Z""")
DEFINED = lazy(
    r"""define\([ ]{0,3}(?P<mark>["'])\w{0,40}(?i:key|salt|password|secret|token)(?P=mark),[ ]{0,20}(?P<open>["'])(?P<secret>)"""
)
_IN_DEFINED = {
    "'": lazy(r"(?:[^'\r\n<]{1,4000}+|<(?!secret>)){1,1000}+"),
    '"': lazy(r'(?:[^"\r\n<]{1,4000}+|<(?!secret>)){1,1000}+'),
}
"""The keys and salts of WordPress hold every sign."""


def is_compared(match: re.Match[str]) -> bool:
    """Whether the name is a secret's, and the literal no word that programs compare with."""
    value, key = match["secret"], match["key"].lower()
    before = match.string[max(match.start() - 90, 0) : match.start()]
    if not _is_literal(value) or (match["gap"] == "," and not _CALLER.search(before)):
        return False
    if key.startswith("key"):
        return SECRET_KEY.search(before) is not None and has_digit(value)
    if key.startswith(("token", "credential", "secret")):
        return has_digit(value) and len(value) >= (12 if key.startswith("token") and "=" in match["gap"] else 6)
    return key != "pass" or has_digit(value)


def is_beside(match: re.Match[str]) -> bool:
    """Whether the literal that is compared with a name of a secret is a value."""
    begin, end = next(iter(literal_beside(match)), (0, 0))
    return end > begin and _is_literal(match.string[begin:end])


def literal_beside(match: re.Match[str]) -> tuple[tuple[int, int], ...]:
    """Where the literal stands that a name of a secret is compared with."""
    if match["expected"] is not None:
        return (match.span("expected"),)
    text, at = match.string, match.start()
    begin = text.rfind(text[at], 0, at) + 1
    return ((begin, at),) if begin and at - begin >= 3 and "\n" not in text[begin:at] else ()


def is_called(match: re.Match[str]) -> bool:
    """Whether the argument is a value; of calls that others share the name of, only where it holds a digit."""
    value = match["secret"]
    is_shared = match.string[match.start() : match.start() + 7].lower() in {"login(", ".basic", "basic(", "authent"}
    return _is_literal(value) and (has_digit(value) or not is_shared)


def is_behind(match: re.Match[str]) -> bool:
    """Whether the literal behind an account looks like a password."""
    value = match["secret"]
    is_name = "default" in match.string[match.start() : match.start() + 9] and IDENTIFIER.match(value)
    return len(value) >= 5 and has_digit(value) and _is_literal(value) and not (PLACED.match(value) or is_name)


def is_of_key(match: re.Match[str]) -> bool:
    """Whether the bytes are a key's, by what stands before them in their line."""
    before = match.string[max(match.start() - 120, 0) : match.start()].rpartition("\n")[2]
    return has_digit(match["secret"]) and _is_literal(match["secret"]) and _OF_A_KEY.search(before) is not None


def given(match: re.Match[str]) -> tuple[tuple[int, int], ...]:
    """The last literal of a call that logs in, where it looks like a password and like nothing else that is given."""
    literals = list(islice(_TEXTS.finditer(match.string, *match.span("secret")), _MOST_ARGUMENTS))
    if not literals or match["secret"].lstrip()[:1] == "#":
        return ()
    keys = tuple(one.span("text") for one in literals if len(one["text"]) >= 20 and is_random(one["text"]))
    if len(keys) > 1:
        return keys
    for last in reversed(literals):
        value = last["text"]
        is_one = len(value) >= 6 and has_digit(value) and any(map(str.isalpha, value)) and _is_literal(value)
        is_place = bool(IDENTIFIER.match(value) or PLACED.match(value))
        is_place = (
            is_place
            or _IS_ID.search(match.string, max(match.start("secret"), last.start() - 8), last.start()) is not None
        )
        is_place = is_place or "://" in value or "@" in value.strip("@!")[1:] or value.count(".") > 1
        if is_one and not is_place and (len(literals) > 1 or is_random(value)):
            return (last.span("text"),)
    return ()


def is_made(match: re.Match[str]) -> bool:
    """Whether a value of a name that holds a secret is made out of the literal."""
    before = match.string[max(match.start() - 24, 0) : match.start()]
    last = re.split(r"\W+", match["call"])[-1]
    if match.string[match.end() : match.end() + 3].lstrip()[:1] == "+":
        return False  # `token = md5('app' + key + time)`: a part of what is hashed
    if not _MAKER.search(last) and (_ASKS.search(match["call"]) or not has_digit(match["secret"])):
        return False
    return _is_literal(match["secret"]) and (
        not match["key"].lower().startswith("key") or SECRET_KEY.search(before) is not None
    )


def is_of_name(match: re.Match[str]) -> bool:
    """Whether the name before is a secret's."""
    before = match.string[max(match.start() - 300, 0) : match.start()].rpartition("\n")[2]
    assigned, _, _ = before.rpartition(' "')  # of what a plan replaces
    name = (assigned or before).rstrip(" \t=:>,").rpartition(" ")[2][-_LONGEST_NAME:]
    found = _NAME_BEFORE.match(name)
    if found is None or not _is_literal(match["secret"]):
        return False
    key = found["key"].lower()
    if key.startswith("key"):
        return SECRET_KEY.search(name, 0, found.start("key")) is not None
    return not key.startswith(("token", "credential")) or has_digit(match["secret"])


def is_object(match: re.Match[str]) -> bool:
    """Whether the last literal holds a digit, as names of realms seldom do."""
    return _is_literal(match["secret"]) and has_digit(match["secret"])


def is_pair(match: re.Match[str]) -> bool:
    """Whether a name and a value stand there."""
    return not (NEVER.match(match["secret"]) or STAND_IN.match(match["secret"]))


def defined(match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """The value of a constant that is named like a secret."""
    begin, text = match.end(), match.string
    end = end_of_run(_IN_DEFINED[match["open"]], text, begin)
    value = text[begin:end]
    if value and text.startswith(match["open"], end) and not (NEVER.match(value) or STAND_IN.match(value)):
        yield begin, end


def _is_literal(value: str) -> bool:
    return " " not in value.strip() and not NEVER.match(value) and not STAND_IN.match(value)


_ASSIGNS = frozenset(f"={chr(c)}" for c in range(128)) - {"=="}
"""``password=x``, and no comparison"""


def literals(anchors: tuple[str, ...]) -> tuple[SecretKind, ...]:
    """The kinds of literals, of which ours stand at the anchors of names that hold secrets."""
    return (
        SecretKind("argument", anchors, COMPARED, is_compared, follows=" \t=!|?.,-\"'`()]{", unless=_ASSIGNS),
        SecretKind("argument", anchors, MADE, is_made, follows=" \t=:", unless=frozenset({"=<", ":<"}), needs="("),
        SecretKind(
            "argument",
            ('".equals', "'.equals", "assertequals(", "assert_equal"),
            BESIDE,
            is_beside,
            spans=literal_beside,
        ),
        SecretKind("argument", (*_FIRST, *_SECOND, *_THIRD, *_FOURTH, *_FIFTH), CALLED, is_called),
        SecretKind("argument", ("pass", "pwd", "secret", "token"), DEFAULT, is_compared, follows="\"'"),
        SecretKind(
            "argument", ("getbytes(", "buffer.from(", "stringtobytes(", ".encode(", "bytes("), AS_BYTES, is_of_key
        ),
        SecretKind("argument", _LOGS_IN, GIVEN, spans=given),
        SecretKind("argument", ("bot.login(", "client.login(", "bot.run(", "client.run(", "bot.start("), BOT),
        SecretKind("argument", ("crypt('", "crypt( '"), SALTED),
        SecretKind(
            "argument", tuple(f"{mark}{name}{mark}," for name in _ACCOUNTS for mark in "\"'"), BEHIND_ACCOUNT, is_behind
        ),
        SecretKind("argument", ("sp_addlogin ", "sp_password "), ADDED, is_pair),
        SecretKind("key_store", (".load(",), LOADED, is_pair),
        SecretKind(
            "argument",
            ("credentials(", "credential(", "authprovider(", "authentication(", "authtoken("),
            OBJECT,
            is_object,
        ),
        SecretKind("argument", ("userpwd", "user.info", "user-info", "user_info", "auth_pair"), USER_PASSWORD, is_pair),
        SecretKind("argument", ('" -> "',), PLANNED, is_of_name),
        SecretKind("assignment", _QUOTES_BY_WORD, QUOTED_BY_WORD, is_of_name),
        SecretKind("assignment", ("define(",), DEFINED, spans=defined),
    )
