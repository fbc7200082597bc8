"""Secrets as literals of code: compared with a name, its default, typed into a field, or the argument of a call.

``password.equals("x")``, ``os.getenv("DB_PASSWORD", "x")``, ``cy.get('#password').type('x')``, ``new PDO(dsn, 'root', 'x')``.
"""

import re

from kb.redact.assignments import KEY, NEVER, SECRET_KEY, STAND_IN, SUFFIX, has_digit
from kb.redact.words import SecretKind

_LITERAL = r"""[bBrRuUfFNL@]{0,2}\\?(?P<mark>["'`])(?P<secret>[^"'`\\\r\n<]{3,}+)\\?(?P=mark)"""
_METHODS = r"equals(?:ignorecase)?|contentequals|compareto|eq|matches|send_?keys|type|fill|set_?value|val|with|set"
COMPARED = re.compile(
    # password === 'x'   args.password != 'x'   env.DB_PASSWORD ?? "x"   user.getPassword().equals("x")   strcmp(password, "x")
    rf"""(?i:(?P<key>{KEY}){SUFFIX})(?:\(\))?["'`)\]]{{0,4}}(?P<gap>[ \t]{{0,3}}(?:={{2,3}}|!={{1,2}}|\|\||\?\?|\?:|or(?=[ ]))|(?:\.|->)(?i:{_METHODS})\(|,)"""
    rf"""[ \t]{{0,3}}{_LITERAL}"""
)
_CALLER = re.compile(
    r"(?:strn?cmp|hash_equals|compare\w*|equals|timing\w*|assert\w*|(?:get)?env|environ\.get|fetch|get(?:property|ordefault|string|value|secret|config)"
    r"|fill(?:_in)?|type|set\w*|input|option|flag\.\w+)\([^()\r\n]{0,80}\Z",
    re.IGNORECASE,
)
"""A call whose next argument is the value of a name, its default, or what the name is compared with."""
BESIDE = re.compile(
    rf"""["']\.(?i:equals(?:ignorecase)?)\([ ]?(?P<secret>)[\w.>$-]{{0,60}}?(?i:{KEY}){SUFFIX}(?![a-z])|(?i:assert_?equals?|is_equal|assertThat)\([ ]?["'](?P<expected>[^"'\r\n<]{{3,}}+)["'],[ ]?[\w.>$-]{{0,60}}?(?i:get)?(?i:{KEY}){SUFFIX}(?![a-z])"""
)
_QUOTED = r"""\\?["'][^"'\n]{0,200}+["']"""
_NAMED = r"""[\w.$\[\]>:-]{1,80}+"""
_ARGUMENT = rf"(?:{_QUOTED}|{_NAMED}(?:\(\))?|\{{[^{{}}\r\n]{{0,200}}+\}}),[ \t]{{0,3}}"
_FIRST = ("bcrypt.hash(", "bcrypt.hashsync(", "hashpw(", "password_hash(", "generate_password_hash(", "make_password(", "passwordencoder.encode(", "encoder.encode(", "hash_password(", "hashpassword(", "digest_password(", "secretkeyspec(", "hmac.new(", "fernet(", "aes.new(", "hmacshakeyfor(", "setsigningkey(", "hmac256(", "hmac384(", "hmac512(")  # fmt: skip
_SECOND = ("networkcredential(", ".basic(", "basic(", "jwt.verify(", "jwt.sign(", "jwt.encode(", "jwt.decode(", ".auth(", "withbasicauth(", "setbasicauth(", "basic_auth(", "basicawscredentials(", "usernamepassword(", "changeuserpassword(", "setuserpassword(", "createuser(", "passwordauthenticationtoken(", "wifi.begin(", "plaincredentials(", "login(", "createhmac(", "createcipheriv(", "createdecipheriv(", "cx_oracle.connect(", "oracledb.connect(", "authenticate(", "username_pw_set(", "addap(", "signwith(", "newstaticv4(", "newstaticcredentials(", "newstaticcredentialsprovider(", "basiccredentials.create(", "newdefaultcredentialprovider(")  # fmt: skip
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
_KIND = (
    rf"(?P<first>{'|'.join(map(re.escape, _FIRST))})|(?P<second>{'|'.join(map(re.escape, _SECOND))})"
    rf"|(?P<third>{'|'.join(map(re.escape, _THIRD))})|(?P<fourth>{'|'.join(map(re.escape, _FOURTH))})|(?P<fifth>{'|'.join(map(re.escape, _FIFTH))})"
)
CALLED = re.compile(
    rf"(?i:{_KIND})[ \t]?(?(second){_ARGUMENT}|(?(third)(?:{_ARGUMENT}){{2}}|(?(fourth)(?:{_ARGUMENT}){{3}}|(?(fifth)(?:{_ARGUMENT}){{4}}))))[ \t]{{0,3}}{_LITERAL}"
)
SALTED = re.compile(r"""(?i:crypt)\([ ]?'(?P<secret>[^'\r\n<]{3,}+)'(?=,[ ]?gen_salt\()""")
"""``crypt('x', gen_salt('bf'))``"""
BOT = re.compile(r"""(?i:bot|client)\.(?i:login|run|start)\([ ]?["'](?P<secret>[\w.-]{40,}+)["']""")
"""``bot.run("…")``"""
DEFAULT = re.compile(
    rf"""(?i:(?P<key>{KEY}){SUFFIX})["'](?P<gap>,[^()\r\n]{{0,100}}?\bdefault[ ]?[=:][ ]?){_LITERAL}"""
)
"""``add_argument("--password", default="x")``"""
LOADED = re.compile(rf"""\.load\([ ]?{_ARGUMENT}{_LITERAL}(?=\.toCharArray)""")
"""``keyStore.load(in, "x".toCharArray())``"""
OBJECT = re.compile(
    rf"""(?i:credentials?|auth(?:provider|entication|token)?|login|sp_addlogin)(?:\(|[ ](?='))[ ]?(?:{_QUOTED},[ \t]{{0,3}}){{1,3}}+{_LITERAL}[ ]?\)?"""
)
"""``PlainTextAuthProvider("bob", "x")``, ``Credentials("realm", "host", "bob", "x")``"""
USER_PASSWORD = re.compile(
    r"""(?i:userpwd|user[-_.]?info|auth(?:entication)?[-_.]pair)["']?[ \t]{0,3}[,=:][ \t]{0,3}["']?[^\s"':<>]{1,80}:(?P<secret>[^\s"'<>]{3,}+)"""
)
"""``CURLOPT_USERPWD, "bob:x"``, ``basic.auth.user.info=bob:x``"""
MADE = re.compile(
    rf"""(?i:(?P<key>{KEY}){SUFFIX})[^\S\r\n]{{0,3}}:?=[ \t]{{0,3}}(?:String::from|Some|Secret(?:String)?::(?:new|from)|Buffer\.from|\[\]byte|bytes|str|hash|md5|sha1|sha256|encode|encrypt|b64encode)\([ ]?{_LITERAL}"""
)
DEFINED = re.compile(
    r"""define\([ ]{0,3}(?P<mark>["'])\w{0,40}(?i:key|salt|password|secret|token)(?P=mark),[ ]{0,8}(?P<open>["'])(?P<secret>(?:(?!(?P=open))[^\r\n<]|<(?!secret>))++)(?P=open)""",
)
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


def is_made(match: re.Match[str]) -> bool:
    """Whether a value of a name that holds a secret is made out of the literal."""
    before = match.string[max(match.start() - 24, 0) : match.start()]
    return _is_literal(match["secret"]) and (
        not match["key"].lower().startswith("key") or SECRET_KEY.search(before) is not None
    )


def is_object(match: re.Match[str]) -> bool:
    """Whether the last literal holds a digit, as names of realms seldom do."""
    return _is_literal(match["secret"]) and has_digit(match["secret"])


def is_pair(match: re.Match[str]) -> bool:
    """Whether a name and a value stand there."""
    return not (NEVER.match(match["secret"]) or STAND_IN.match(match["secret"]))


def _is_literal(value: str) -> bool:
    return " " not in value.strip() and not NEVER.match(value) and not STAND_IN.match(value)


def literals(anchors: tuple[str, ...]) -> tuple[SecretKind, ...]:
    """The kinds of literals, of which ours stand at the anchors of names that hold secrets."""
    return (
        SecretKind("argument", anchors, COMPARED, is_compared, follows=" \t=!|?.,-\"'`()]"),
        SecretKind("argument", anchors, MADE, is_made, follows=" \t=:"),
        SecretKind(
            "argument",
            ('".equals', "'.equals", "assertequals(", "assert_equal"),
            BESIDE,
            is_beside,
            spans=literal_beside,
        ),
        SecretKind("argument", (*_FIRST, *_SECOND, *_THIRD, *_FOURTH, *_FIFTH), CALLED, is_called),
        SecretKind("argument", ("pass", "pwd", "secret", "token"), DEFAULT, is_compared, follows="\"'"),
        SecretKind("argument", ("bot.login(", "client.login(", "bot.run(", "client.run(", "bot.start("), BOT),
        SecretKind("argument", ("crypt('", "crypt( '"), SALTED),
        SecretKind("key_store", (".load(",), LOADED, is_pair),
        SecretKind(
            "argument",
            ("credentials(", "credential(", "authprovider(", "authentication(", "authtoken(", "sp_addlogin "),
            OBJECT,
            is_object,
        ),
        SecretKind("argument", ("userpwd", "user.info", "user-info", "user_info", "auth_pair"), USER_PASSWORD, is_pair),
        SecretKind("assignment", ("define(",), DEFINED, is_pair),
    )
