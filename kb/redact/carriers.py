"""Where secrets travel: headers, addresses, elements of XML."""

import re

from kb.patterns import lazy
from kb.redact.names import ACCOUNTS, KEY, SECRET_KEY, SUFFIX
from kb.redact.values import NAME_OF_ONE, NEVER, PATH, STAND_IN, has_digit, is_plausible, is_random
from kb.redact.words import PLACEHOLDER, end_of

_FIELD_OF_VALUE = r"""(?:\s{0,40}["']value["'][ ]?:[ ]?)?"""
"""``{"name": "Authorization", "value": "Bearer x"}``, as a browser exports headers"""
AUTHORIZATION = lazy(
    rf"""(?i:authorization)(?:\\?["']?+[ \t]{{0,3}}+[:=][ \t]{{0,3}}+|["'][ \t]{{0,2}},[ \t]{{0,3}}{_FIELD_OF_VALUE}|\r?\n[ ]{{1,40}}value:[ ]|[ \t](?="))(?:[fbru](?=\\?["']))?\\?["'\[]{{0,2}}+"""
    r"""(?:(?i:(?P<scheme>bearer|basic|token|negotiate|apikey|ntlm|ssws|geniekey|sharedkey|sharedkeylite|oss|cos|obs|aws|splunk|hmac|key))[ \t]{1,3}+|[A-Za-z][\w-]{1,20}[ \t]{1,3}+(?=[\w.~+/=:%-]{16}))?+"""
    r"""(?![A-Z0-9]{2,8}-HMAC-)(?P<secret>[\w.~+/=:%-]{4,512}+)"""
)
SESSION = lazy(
    r"""(?i:jsessionid|phpsessid|session[-_]?id|session(?==[\w.!~+/-]{20}))\\?["']?[ \t]{0,3}[=:][ \t]{0,3}\\?["']?(?P<secret>(?!0x)[\w.!:~+/-]{4,512}+)"""
)
BEARER = lazy(
    r"""(?<![A-Za-z0-9])(?i:bearer)(?:,?[ \t]{1,3}+(?:["'][ ]?[+.][ ]?["'])?+)(?P<secret>[\w.~+/=%-]{16,}+)"""
)
NEGOTIATE = lazy(r"""(?<![A-Za-z0-9])(?i:negotiate|ntlm)[ \t]{1,3}+(?P<secret>[A-Za-z0-9+/]{20,}+={0,2})""")
COOKIE_NAME = r"[\w!#$%&*+.^|~:\[\]-]{1,128}+"
"""The signs of a token of RFC 9110 without quotes, and what servers write beside them: ``remember-me[0]``, ``wp:id``"""
_COOKIE_VALUE = r"""(?:\\?"(?![+.])[^"\\\s<;,]++\\?"|"\w[^"\\\r\n<;]{0,512}+"(?=[;\s]|\Z)|'\w[^'\\\r\n<;]{0,512}+'(?=[;\s]|\Z)|(?:[^\s;"'\\<]|<(?![!/]|[A-Za-z][^<>;]{0,200}>))++(?:(?<=\{)\\?"[^{}\r\n<]{0,512}+\})?+)"""
"""A quoted value, one as it is, one that is JSON; behind ``"+`` a program goes on, and a tag is no part of it."""
_IN_HEADER = COOKIE_NAME.replace("[", "[/@", 1)
"""The same with signs that are paths in a command line."""
_BLANKS = rf"""(?:(?:[ ][^\s;"'\\<=]{{1,64}}+){{1,8}}+(?=;[ \t]?{_IN_HEADER}=))?+"""
"""More words of a value, where another cookie follows them."""
COOKIE = lazy(
    rf"""(?i:cookie)(?:\\?["']?+[ \t]{{0,3}}+(?::|(?P<set>=))[ \t]{{0,3}}+|["'][ \t]{{0,2}},[ \t]{{0,3}}{_FIELD_OF_VALUE})\[?\\?["']?+"""
    # parts that are empty or have no value may lead in a header, but not in a program
    rf"""(?P<secret>(?(set)|(?:(?:{_IN_HEADER})?;[ \t]{{0,3}}+){{0,8}}+){_IN_HEADER}={_COOKIE_VALUE}(?:(?:{_BLANKS}(?:;[ \t]?+){{1,40}}+|(?<=,)[ \t](?={_IN_HEADER}=)){_IN_HEADER}(?:={_COOKIE_VALUE}|=)?+)*+)"""
)
IN_ADDRESS = lazy(
    r"""://(?:/{1,2}+(?=[^\s/@:"'<>()\[\]]++:[^\s/@"'<>]++@))?+(?P<secret>(?:[^\s/@:"'<>()\[\]]++@(?=[^\s/@:"'<>]{1,80}:[^\s/@:"'<>]{1,80}@))?[^\s/@:"'<>()\[\]]*+:(?:[^\s/"'<>]{1,256}|[^\s/@"'<>]{257,}+|(?!\d{1,5}/)[^\s@:"'<>]{129,}+|(?!\d{1,5}/)[^\s"'<>]{1,128})|[A-Za-z0-9_-]{20,}+={0,2})(?=@(?!sha\d{3}:[0-9a-f]{32})[\w\[.$-])"""
)
"""``//bob:x@host``, also behind one slash or two more; ``docker://shop:1.19@sha256:…`` is an image"""
ORACLE = lazy(
    r"""(?i:jdbc:oracle:\w{2,8}:|\b(?:sqlplus|impdp|expdp|sqlldr|rman)[ \t]{1,3}(?:-\w{1,12}[ \t]{1,3}|target[ \t]{1,3}){0,4})["']?(?P<secret>[^\s/@:"'<>]++/[^\s/@"'<>]++)(?=@)"""
)
ORACLE_LITERAL = lazy(r"""connect\([ ]?["'][\w.]{1,40}/(?P<secret>[^\s"'@/<>]{3,}+)(?=@)""")
"""``connect("scott/x@host/orcl")``"""
IDENTIFIED = lazy(
    # IDENTIFIED BY 'x'   CONNECT TO a IDENTIFIED BY x USING 'tns'
    r"""(?i:\bidentified[ \t]{1,3}+(?:with[ \t]{1,3}+\S{1,64}+[ \t]{1,3}+)?+by[ \t]{1,3}+(?:password[ \t]{1,3}+)?+)(?P<mark>['"])?(?P<secret>(?(mark)[^'"\r\n<]++(?=['"])|[^\s'"<>;,()]{4,}+))"""
)
SQL_PASSWORD = lazy(
    r"""(?i:password)(?:[ \t]{1,3}(?:(?i:for)[ ]\S{1,100}[ ]?=[ ]?)?|[ \t]?\([ \t]?)'(?P<secret>[^'\r\n<]++)'"""
)
_CELL_TO_CELL = r"""(?:</\w{1,10}>){0,3}\s{0,20}</(?:dt|t[dh])>\s{0,64}+<(?:dd|td)(?:[ ][^<>]{0,100})?>\s{0,20}(?:<\w{1,10}(?:[ ][^<>]{0,60})?>\s{0,8}){0,3}"""
"""From the cell of a label to that of its value, whatever their text is dressed in: ``</b></td><td><code>``"""
_IS_CELL = lazy(r"</(?:dt|t[dh])>", re.IGNORECASE)
ELEMENT = lazy(
    rf"""(?i:(?P<key>{KEY}){SUFFIX}(?P<gap>(?:(?:</name)?>\s{{0,64}}+<[vV]alue>|</(?:key|[\w-]{{1,12}}-name)>\s{{0,64}}+<(?:string|[\w-]{{1,12}}-value)>|{_CELL_TO_CELL}|["'](?:[ \t]{{1,4}}[\w:.-]{{1,40}}=["'][^"'<>\n]{{0,80}}["']){{0,4}}[ \t]{{0,4}}+>\s{{0,64}}+<value>|["'][ \t]{{1,4}}+value=["']"""
    r"""|["']?(?:[ \t]{1,4}[\w:.-]{1,40}=["'][^"'<>\n]{0,80}["']){0,4}[ \t]{0,2}>(?:<!\[CDATA\[)?)\s{0,64}+))"""
    r"""(?P<secret>[^\s<>"'\]][^<>"'\r\n\]]*+)(?=\s{0,64}<|["'\]])"""
)
_OF_COOKIE = lazy(rf"""(?P<name>{_IN_HEADER})=\\?["']?(?P<value>[^;"'\\]*+)""")
_PREFERENCE = lazy(
    # lang=en; lang=zh-Hans-CN; theme=dark; tz=Europe/Berlin; country=de; region=eu-west-1; consent=yes; path=/
    r"(?:(?:lang|language|locale|i18n)=[a-z]{2,3}(?:[-_](?:Hans|Hant|Latn|Cyrl|Arab|Deva))?(?:[-_](?:[A-Za-z]{2}|\d{3}))?|theme=(?:dark|light|auto|system|default|high-contrast)|(?:tz|timezone)=(?:utc|gmt|[A-Z][A-Za-z]{2,11}(?:/|%2F)[A-Z][A-Za-z_]{2,20})"
    r"|(?:lang|language|locale)=(?:english|deutsch|german|french|spanish|italian|portuguese|dutch|polish|turkish|russian|chinese|japanese|korean)"
    r"|currency=[a-z]{3}|country=[a-z]{2,3}|region=(?:[a-z]{2,3}|emea|apac|amer|latam|[a-z]{2}-[a-z]{4,9}-\d)|consent=(?:yes|no|true|false|[01]|all|none|accepted|rejected|denied|granted|necessary)"
    r"|path=(?:/[a-z]{0,12}){1,3}|domain=[\w.-]{1,80}|samesite=(?:lax|strict|none)|(?:lang|language|locale|i18n|theme|tz|timezone|currency|country|region|consent)=)\Z",
    re.IGNORECASE,
)
"""Preferences with one of their few values: they open nothing."""
SIGNATURE = lazy(r"(?i:(?:(?<=[?&; ])sig|(?<=[?&;-])signature|(?<=[?&])sign)=(?P<secret>[\w%+/=-]{16,}+))")
HEX_SIGNATURE = lazy(r"(?i:(?<=[, ])signature=(?P<secret>[0-9a-f]{40,}+))")
FUNCTION_CODE = lazy(r"(?<=[?&])code=(?P<secret>[\w%+/=.-]{16,}+)")
DIGEST = lazy(r"""(?i:response=\\?"(?P<secret>[0-9a-f]{32,128}+)\\?")""")
# elastic:x@localhost:9200, root:x@tcp(10.0.0.1:3306)/db; not sip:1001@h:5060, 1@h1:9093,2@h2:9093, nginx:1.19@sha256:…
BARE_ADDRESS = lazy(
    r"(?<=[^\s/@:])(?P<secret>)@(?!https?:|sha\d)(?=(?:tcp|unix)\(|(?:[\w-]{1,63}+\.){0,6}+[\w-]{1,63}+:\d{2,5}+(?![\w.])|\d{1,3}(?:\.\d{1,3}){3}(?![\w.])|//[\w.-]{1,63}[:/]|\[[0-9a-fA-F:]{2,40}\]|[A-Za-z][\w.-]{1,80}+(?![\w:@.(-]))"
)
_IS_PLACE = lazy(r"@(?:\w{3,4}\(|//|[\w.-]{1,200}:\d|\d{1,3}(?:\.\d{1,3}){3}|\[)")
_HAS_PORT = lazy(r"@(?:tcp\(|//|[\w.-]{1,200}:\d)")
_PASSWORD = lazy(r"""[^\s:"'<>,;()|]{3,}+""")
_HOST_AND_PATH = lazy(r"[\w.-]{2,80}+/")
_LONGEST_WITH_AT = 128
"""Characters of a password that holds an ``@``; without one it may have any length."""
_USER = lazy(r"(?<![\w/@.:])(?P<user>[A-Za-z][\w.-]{0,40}+)\Z")
_NO_USERS = frozenset(
    (
        *("mailto", "sip", "sips", "xmpp", "jid", "acct", "ssh", "scp", "user", "username", "login", "from", "to"),
        *("email", "mail", "principal", "client", "host", "node", "name", "state", "level", "npm", "pkg", "docker"),
        *("id", "peer", "server", "address", "addr", "worker", "connect", "connected", "remote", "owner", "http"),
        *("https", "tcp", "error", "warn", "info", "debug", "shard", "zone", "region", "rack", "partition"),
        *("topic", "queue", "replica", "broker", "task", "pod", "container", "image", "tag", "version", "branch"),
        *("commit", "ref", "digest", "thread", "pid", "port", "line", "session", "request", "trace", "span", "uri"),
        *("url", "path", "file", "instance", "endpoint", "upstream", "leader", "follower", "localhost", "role"),
        *("job", "stage", "mqtt", "akka", "sha1", "sha256", "md5", "ip", "device", "volume", "key", "value"),
    )
)
"""Words that a number or a name follows, which is no password."""
_NAMED_USERS = frozenset({"user", "username", "login", "your-user", "your_username", "dbuser", "db_user"})
_NAMED_PASSWORDS = frozenset({"pass", "password", "passwd", "pwd", "secret", "your-password", "your_password"})
"""``user:password@host``: an address as documentation writes it down."""
_COUNTED = lazy(r"\d{1,5}\Z|v?\d{1,4}(?:\.\d{1,6}){1,4}\Z")
"""A port, a line or a version: ``h1:2181@``, ``nginx:1.19@``."""


_FORMAT = lazy(r"%[sdrv]\Z|\$[A-Z_]{2,40}\Z|\[[A-Z_ ]{3,20}\]\Z")
"""What a program puts a password in for: ``%s``, ``$DB_PASS``, ``[REDACTED]``."""
_IP = lazy(r"\d{1,3}(?:\.\d{1,3}){3}\Z")
_HOSTS = lazy(r"(?:[\w.-]{1,80}+:\d{1,5},){1,20}+[\w.-]{1,80}+:\d{1,5}(?:/|\Z)")
_STANDS_IN = lazy(r"\*{2,}\Z|\$?\{\{?[^{}]*\}?\}\Z|x{3,}\Z")


def is_element(match: re.Match[str]) -> bool:
    """``<password>x</password>``, ``<name>x.password</name><value>x</value>``: what stands before is the open tag."""
    value, key, gap = match["secret"], match["key"].lower(), match["gap"].strip()
    before = match.string[max(match.start() - 80, 0) : match.start()]
    if key.startswith("key") and (not SECRET_KEY.search(before) or PATH.match(value)):
        return False
    if gap == ">":
        # our own placeholder looks like an open tag: it is one only where its own end follows
        end = f"</{PLACEHOLDER[1:]}" if match.string.startswith(PLACEHOLDER, match.start() - 1) else "</"
        behind = match.string[match.end() : match.end() + 80].lstrip()
        if not behind.startswith(end):
            return False
    if _IS_CELL.search(gap):
        is_value = has_digit(value) and any(map(str.isalpha, value)) and " " not in value
        return is_value and not (NEVER.match(value) or STAND_IN.match(value) or NAME_OF_ONE.match(value))
    return _OPEN_TAG.search(before) is not None and not (NEVER.match(value.strip()) or STAND_IN.match(value))


_OPEN_TAG = lazy(
    r"""<(?:(?:name|key|dt|t[dh]|[\w-]{1,12}-name)>\s{0,8}|\w{1,20}(?:[ \t]{1,4}\w{1,20}=["'][^"'<>]{0,20}["']){0,2}[ \t]{1,4}(?:name|key)=["'])?[\w.:-]{0,60}\Z""",
    re.IGNORECASE,
)


_LEAST_BEHIND_WORD = 8
"""Characters: ``cookie: string; name=value`` declares something."""


def is_cookie(match: re.Match[str]) -> bool:
    """Whether any value is more than a preference: ``theme=dark; lang=en`` opens nothing; behind a word alone, which types have, too, one must be long."""
    first = match["secret"].partition(";")[0]
    least = 0 if not first or "=" in first else _LEAST_BEHIND_WORD
    return any(
        len(one["value"]) >= least and _PREFERENCE.match(f"{one['name']}={one['value']}") is None
        for one in _OF_COOKIE.finditer(match["secret"])
    )


def login_begins(match: re.Match[str]) -> int:
    """Where a name and a password begin that stand before a host without a scheme; -1 where there are none."""
    text, at = match.string, match.start()
    low = max(min(text.rfind("@", 0, at) + 1, at - _LONGEST_WITH_AT - 1), 0)  # so each character is looked at once
    mark = text.rfind("/" if text.startswith("@//", at) else ":", low, at)
    if mark < 0:
        return _login_of_slash(text, low, at)
    password = text[mark + 1 : at]
    if not _PASSWORD.fullmatch(password):
        return -1
    found = _USER.search(text[max(mark - 42, 0) : mark])
    if found is None or found["user"].count(".") > 1 or NEVER.match(password):
        return -1
    user = found["user"].lower()
    is_place = _IS_PLACE.match(text, at) is not None and user not in _NO_USERS
    if "/" in password:  # base 64; else a path
        return at - len(password) if is_place and is_random(password.replace("/", "")) else -1
    is_login = is_place and _is_password(match, password)
    is_account = user in ACCOUNTS and is_plausible(password) and _HOST_AND_PATH.match(text, at + 1) is None
    return at - len(password) if is_login or is_random(password) or is_account else -1


def _login_of_slash(text: str, low: int, at: int) -> int:
    """``root/x@10.0.0.1``: where the password of an account begins; an image, a principal or a path holds no such account and place."""
    mark = text.rfind("/", low, at)
    password = text[mark + 1 : at]
    if mark < 0 or _IS_PLACE.match(text, at) is None or not is_plausible(password):
        return -1
    found = _USER.search(text[max(mark - 42, 0) : mark])
    return mark + 1 if found is not None and found["user"].lower() in ACCOUNTS else -1


def _is_password(match: re.Match[str], password: str) -> bool:
    if STAND_IN.match(password) or _STANDS_IN.match(password) or _COUNTED.match(password):
        return False
    return not password.isalpha() or (password.islower() and _HAS_PORT.match(match.string, match.start()) is not None)


def is_digest(match: re.Match[str]) -> bool:
    """Whether the answer of Digest authentication stands beside its other parameters."""
    around = match.string[max(match.start() - 300, 0) : match.end() + 200].lower()
    return "nonce=" in around


def is_code(match: re.Match[str]) -> bool:
    """``?code=`` of OAuth or of a function: long, or made of digits and letters like nothing that is read."""
    value = match["secret"]
    if len(value) >= 40:
        return True
    is_hexadecimal = not value.strip("0123456789abcdef")
    is_random = not value.islower() and not value.isupper() and sum(c.isdigit() for c in value) >= 3
    return has_digit(value) and any(c.isalpha() for c in value) and (is_hexadecimal or is_random)


def is_credential(match: re.Match[str]) -> bool:
    """Whether what follows the header is a credential and not a word about it."""
    value = match["secret"]
    if match["scheme"]:
        return not NEVER.match(value) and not STAND_IN.match(value)
    return len(value) >= 12 and has_digit(value)


_CREDENTIAL = lazy(r"[\w.~+/=:%-]*+")
_SESSION = lazy(r"[\w.!:~+/-]*+")


def credential_ends(match: re.Match[str]) -> int:
    """Where a credential ends that is longer than what was looked at."""
    return end_of(_CREDENTIAL, match)


def session_ends(match: re.Match[str]) -> int:
    """Where the id of a session ends that is longer than what was looked at."""
    return end_of(_SESSION, match)


def is_session(match: re.Match[str]) -> bool:
    """A session of a browser; one of ZooKeeper or of a database is a number."""
    value = match["secret"]
    return not value.isdigit() and (has_digit(value) or len(value) >= 16) and not NEVER.match(value)


def is_long(match: re.Match[str]) -> bool:
    """Whether a part of an address before its ``@`` is a token, where no password stands in it."""
    value = match["secret"]
    if ":" in value:
        user, _, password = value.partition(":")
        is_place = _HOSTS.match(value) or (_IP.match(user) and _COUNTED.match(password))
        is_word = user.lower() in _NAMED_USERS and password.lower() in _NAMED_PASSWORDS
        return not (is_place or is_word or _STANDS_IN.match(password) or _FORMAT.match(password))
    inside = value.rstrip("0123456789")  # CoarseGrainedScheduler2 is a name
    return has_digit(inside) and any(c.isalpha() for c in inside)


def is_quoted_word(match: re.Match[str]) -> bool:
    """``IDENTIFIED BY 'x'``, and not the title of something that is identified by it."""
    value = match["secret"]
    if match["mark"] is None:
        before = match.string[max(match.start() - 200, 0) : match.start()].upper()
        is_account = any(word in before for word in ("CREATE ", "ALTER ", "GRANT ", "CONNECT TO "))
        return is_account and has_digit(value) and not NEVER.match(value) and not STAND_IN.match(value)
    return value.count(" ") < 2


def is_statement(match: re.Match[str]) -> bool:
    """``ALTER ROLE a PASSWORD 'x'``: whether it stands in a statement about accounts."""
    before = match.string[max(match.start() - 120, 0) : match.start()].rpartition("\n")[2].lower()
    value = match["secret"]
    is_account = any(word in before for word in ("create ", "alter ", "set ", "grant "))
    return is_account and not (NEVER.match(value) or STAND_IN.match(value))


def has_digit_or_symbol(match: re.Match[str]) -> bool:
    """Whether the value is no plain word."""
    return not match["secret"].isalpha() and not NEVER.match(match["secret"])
