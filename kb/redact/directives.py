"""Secrets in lines of settings that a blank divides: routers, proxies, mail, Dockerfiles, logins of brokers."""

import re
from collections.abc import Iterator

from kb.patterns import lazy
from kb.redact.names import KEY, SECRET_KEY, SUFFIX
from kb.redact.values import IDENTIFIER, NEVER, PATH, STAND_IN, has_digit
from kb.redact.words import SecretKind, end_of

_VALUE = r"""["']?+(?P<secret>(?<=["'])[^"'<>\r\n]{4,}+(?=["'])|[^\s"'<>;]{4,}+)"""
ROUTER = lazy(
    r"(?i:enable[ ](?:secret|password)|(?:secret|password)(?=[ ][057][ ])|snmp-server[ ]community|(?:tacacs|radius)-server[ ](?:host[ ]\S{1,60}[ ])?key|key-string|pre-shared-(?:secret|key)|plain-?text-password(?:-value)?|encrypted-password|isakmp[ ]key|neighbor[ ]\S{1,60}[ ]password)"
    rf"[ ](?:\d[ ])?{_VALUE}"
)
"""``enable secret 0 x``, ``snmp-server community x RO``"""
DRESSED = lazy(
    rf"(?i:password|passwd|secret|community(?:[ ](?:read|write))?|key|psk)[ ](?i:(?:irreversible-)?cipher|simple|plain(?:-?text)?|encrypted|hash|sha\d{{1,3}}|enc)[ ]{_VALUE}"
)
"""``password cipher x``, ``set password ENC x``: a word tells how the value is written down"""
OF_USER = lazy(
    r"(?<![^\n\t >#])(?i:username|local-user|client|radius|tacacs|aaa)[ ][^\r\n]{0,80}?[ ](?i:secret|key)[ ](?:\d[ ])?(?P<secret>[^\s\"'<>]{6,}+)[ \t]{0,4}(?=[\r\n]|\Z)"
)
"""``username admin privilege 15 secret x``"""
LISTED = lazy(
    r"chpasswd(?:[^\r\n]{0,60}\r?\n){1,4}?(?P<secret>)(?P<lines>(?:[ \t]{0,12}(?:-[ ])?[a-z_][\w-]{0,31}:[^\s<:][^\s:]{3,}[ \t]{0,4}(?:\r?\n|\Z)){1,50})"
)
"""``chpasswd:`` of cloud-init, or what is fed to it, a name and a password in each line"""
_LISTED = lazy(r":(?P<value>[^\s:<]{4,})")
SCHEME = lazy(
    r"\{(?i:plain|clear(?:text)?|crypt|noop|cram-md5|plain-md5|pbkdf2|bcrypt|xor|aes)\}(?P<secret>(?!\{)[^\s\"'<>:]{4,1024}+)"
)
"""``{PLAIN}x``"""
TUNNEL = lazy(r":[ ](?i:psk|eap|xauth)[ ]\"(?P<secret>[^\"\r\n<]{4,}+)\"")
"""``10.0.0.1 : PSK "x"``"""
MAILER = lazy(r"\]:(?:25|465|587|2525)[ \t]{1,8}[^\s:<>]{1,80}:(?P<secret>[^\s<>]{3,}+)")
"""``[smtp.example.org]:587 name:x``"""
STATIC = lazy(r"\bstatic:[\w.@-]{1,64}:(?P<secret>[^\s<>]{3,256}+)")
"""``smtp_sasl_password_maps = static:bob:x``"""
_WORD = lazy(r"[^\s<>]*+")
_RUNS = lazy(
    r"""(?:\b(?:npm|pnpm|yarn)(?:[ ]run)?[ ]|["']\w[\w:.-]{0,60}(?<!maps)(?<!map)(?<!passwords)["'][ ]?:[ ]?["'])\Z"""
)
"""``npm run static:assets:build``, ``"build": "static:assets:build"``"""
_KEY_ENDS = lazy(r"""[\w:.-]{1,80}["'][ ]?:""")
"""``"static:assets:build": "webpack"``: the name of a script"""
OF_CLUSTER = lazy(r"""(?i:client-key-data)["']?:[ ]?["']?(?P<secret>[A-Za-z0-9+/=]{40,}+)""")
"""``client-key-data: x`` of a kubeconfig"""
INSTALLER = lazy(r"(?:root|bind)pw[ ](?:--\w{1,12}[ ])?(?P<secret>[^\s\"'<>\\]{4,}+)")
"""``rootpw x``"""
STATISTICS = lazy(r"(?i:stats[ ]auth|auth[-_]basic|user-auth)[ ]{1,4}[\w.@-]{1,40}:(?P<secret>[^\s<>]{3,}+)")
"""``stats auth admin:x``"""
USER_OF_BROKER = lazy(r"user_(?P<user>[\w.-]{1,40})=\\?[\"'](?P<secret>[^\"'\\\r\n<]{3,}+)")
"""``user_alice="x"`` of a login module; ``user_super`` is ZooKeeper's own."""
RULE_OF_USER = lazy(r"(?i:setuser)[ ][\w.-]{1,40}(?:[ ][^\s>]{1,64}){0,6}[ ]>(?P<secret>[^\s<>]{3,}+)")
"""``ACL SETUSER app on >x``"""


ON_RULE = lazy(r"[ ]on[ ](?:[^\s>]{1,64}[ ]){0,6}?>(?P<secret>[^\s<>]{3,}+)")
"""``user app on >x`` of an access list of Redis"""
MASKED = lazy(r"add-mask::(?P<secret>[^\"'\r\n<]{3,}+)")
"""What a job asks its log to hide."""
NAME_AND_PASSWORD = lazy(
    r"(?i:_auth|-auth|\.digest|\bdigest(?=:)|\blogin(?==))[ =:][\"']?[\w.@-]{1,40}[/:](?P<secret>[^\s\"'<>/:][^\s\"'<>:]{2,}+)(?=[\s\"':]|\Z)"
)
"""``NEO4J_AUTH=neo4j/x``, ``-auth admin:x``"""

WIRELESS = lazy(
    r"""(?i:ssid|wi-?fi|wlan)(?:(?:(?!(?i:ssid|wi-?fi|wlan))[^\r\n]){0,60}?[ ,;"'])?(?i:key)["']?(?:[ ]?[=:：][ ]{0,2}|[ ]is[ ])["'`]?(?P<secret>[^\s"'`<>,;]{5,}+)"""
)
"""``ssid=lab key=x``"""
COMMUNITY = lazy(
    r"""(?i:community)(?:[-_ ](?i:string|name))?["']?[ \t]{0,4}(?:=|:)[ \t]{0,4}["']?(?P<secret>(?!(?i:public|private)\b)[\w!@#$%^*.-]{5,64}+)(?=["'\s,;]|\Z)"""
)
"""``community = x`` of SNMP"""
OF_CLIENT = lazy(
    r"""_(?i:auth|authentication|authorization)=["']?(?=[^\s"'<>$:/]{5})"""
    r"""(?P<secret>(?:[^\s"'<>$:/_]++|_(?!(?i:auth(?:entication|orization)?)=))++)(?=["'\s]|:(?:\s|\Z)|_(?i:auth)|\Z)"""
)
"""``REDISCLI_AUTH=x``, up to where the next one begins, so that a text of nothing else takes linear time"""

GOSSIP = lazy(r"""(?i:encrypt)["']?[ ]{0,4}[:=][ ]{0,4}["'](?P<secret>[A-Za-z0-9+/]{22,88}={0,2})["']""")
"""``encrypt = "…=="``: the key that the members of a cluster share"""
NUMBER = lazy(
    r"""(?<![A-Za-z])(?i:pin|otp|totp)(?:[ _-]?(?i:code))?(?:["'][ ]?:[ ]?["']?|[ ]{0,2}[:=][ ]{0,2}["']?|[ ](?i:is)[ ])(?P<secret>\d{4,8})(?![\w.:-])"""
    r"""|(?:验证|驗證|校验|動態|动态)[码碼](?:[:：是为為=]|[ ](?=\d{6}))[ ]{0,2}(?P<number>\d{4,8})(?![\w.:-])"""
)
"""``PIN is 482917``, ``"otp":"482917"``, ``验证码：482917``"""


_BREAK = r"(?:\r?\n|(?:\\r)?\\n)"
FIELD = lazy(
    rf"""form-data;[ ]?name=\\?["']?[\w.\[-]{{0,60}}?(?i:(?P<key>{KEY}){SUFFIX})\]?\\?["']?[ \t]{{0,4}}{_BREAK}(?:[A-Za-z-]{{1,40}}:[^\r\n\\]{{0,200}}{_BREAK}){{0,4}}{_BREAK}(?!--)(?P<secret>(?:[^\r\n<\\]|\\(?!r\\n|n)){{1,512}}+)"""
)
"""A field of a form that was sent in parts: ``Content-Disposition: form-data; name="password"``, an empty line, the value"""
_REST_OF_LINE = lazy(r"(?:[^\r\n<\\]{1,4000}+|\\(?!r\\n|n)){1,1000}+")
PRINTED = lazy(
    rf"""(?:\((?i:gdb|lldb|pdb|ipdb)\)[ ](?:print|po|pp|p)|>>>|In[ ]\[\d{{1,5}}\]:|irb\([^()\r\n]{{1,40}}\)[\d:*]{{0,12}}>)[ ](?:(?:print|puts|pp|p)[ (])?[\w.>\[\]("'-]{{0,60}}?(?i:(?P<key>{KEY}){SUFFIX})["'\])]{{0,4}}[ ]{{0,3}}\r?\n"""
    r"""(?:Out\[\d{1,5}\]:[ ]|=>[ ])?(?:\([^()\r\n]{1,60}\)[ ])?(?:\$\w{1,6}[ ]=[ ])?(?:0x[0-9a-f]{1,16}[ ])?(?:b?(?P<quote>["']{1,2}))?(?P<secret>(?(quote)[^"'\r\n<]{3,}+(?=["'])|[^\s"'<]{6,}+(?=[ \t]{0,4}(?:[\r\n]|\Z))))"""
)
"""``(gdb) p password`` and ``$1 = 0x4005f4 "x"`` in the next line: what a debugger or a console prints; ``In [3]: password`` and ``Out[3]: 'x'``"""


_PRINTS_ONE = lazy(r"[ ](?:print\((?:[A-Za-z_]\w{0,30}\.){0,4}\w{0,30}\)|(?:puts|pp?)[ ][\w.]{1,60})[ ]{0,3}\r?\Z")
"""``print(cfg.password)``: what follows is what it holds, and no word about it"""


def is_field(match: re.Match[str]) -> bool:
    """Whether the field is a secret's, and what stands there is a value."""
    value, key = match["secret"], match["key"].lower()
    is_foreign = key.startswith("key") and SECRET_KEY.search(match.string[match.start() : match.start("key")]) is None
    return not (is_foreign or NEVER.match(value) or STAND_IN.match(value))


def is_printed(match: re.Match[str]) -> bool:
    """Return whether a console printed a secret; without quotes the value must look like a password."""
    value, is_quoted = match["secret"], match["quote"] is not None
    key = match["key"].lower()
    if (key == "token" and not has_digit(value)) or (key == "pwd" and PATH.match(value)):
        return False  # a word of a text, the directory that a shell is in
    is_print_call = key.startswith(("pass", "pwd")) and _PRINTS_ONE.search(match[0].partition("\n")[0]) is not None
    return is_field(match) and (
        is_quoted or is_no_others_name(match) or (is_print_call and any(map(str.isalpha, value)))
    )


def field_ends(match: re.Match[str]) -> int:
    """Where the line of a value ends."""
    return end_of(_REST_OF_LINE, match)


def number(match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Where the digits stand."""
    yield match.span("secret" if match["secret"] else "number")


def listed(match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """The passwords of a list of users."""
    for one in _LISTED.finditer(match.string, *match.span("lines")):
        if not (NEVER.match(one["value"]) or STAND_IN.match(one["value"])):
            yield one.span("value")


def is_set(match: re.Match[str]) -> bool:
    """Whether it is a value and no word that stands for one."""
    return not (NEVER.match(match["secret"]) or STAND_IN.match(match["secret"]))


def is_mixed_set(match: re.Match[str]) -> bool:
    """The same, where prose may begin alike: it holds a digit."""
    return is_set(match) and has_digit(match["secret"])


def is_no_others_name(match: re.Match[str]) -> bool:
    """Return whether a value is a password where names of other things stand, too."""
    return is_mixed_set(match) and not IDENTIFIER.match(match["secret"])


def is_of_map(match: re.Match[str]) -> bool:
    """Return whether it is an entry of a table of passwords; behind what runs scripts it must be no name: ``npm run static:assets:build``."""
    before = match.string[max(match.start() - 80, 0) : match.start()].rpartition("\n")[2].lower()
    is_script = _RUNS.search(before) is not None or _KEY_ENDS.search(match["secret"]) is not None
    return is_set(match) and (is_no_others_name(match) or not is_script)


def entry_ends(match: re.Match[str]) -> int:
    """Where an entry ends that is longer than what was looked at, or before the quote that it stands in."""
    quote = match.string[match.start() - 1] if match.start() else ""
    end = match.string.find(quote, match.start("secret"), match.end()) if quote in {'"', "'"} else -1
    return end if end > match.start("secret") else end_of(_WORD, match)


def is_of_module(match: re.Match[str]) -> bool:
    """Whether a login module stands before it."""
    return match["user"] == "super" or "LoginModule" in match.string[max(match.start() - 600, 0) : match.start()]


DIRECTIVES: tuple[SecretKind, ...] = (
    SecretKind(
        "setting",
        ("enable secret ", "enable password ", "secret 0 ", "secret 5 ", "password 0 ", "password 7 ", "snmp-server community", "tacacs-server ", "radius-server ", "key-string ", "pre-shared-", "plain-text-password", "plaintext-password", "encrypted-password ", "isakmp key ", "neighbor "),
        ROUTER,
        is_mixed_set,
    ),
    SecretKind("setting", ("pass", "secret", "psk"), DRESSED, is_mixed_set, follows=" "),
    SecretKind("setting", ("community",), DRESSED, is_mixed_set),
    SecretKind("element", ("form-data;",), FIELD, is_field, ends=field_ends),
    SecretKind("element", ("(gdb) p", "(lldb) p", "(pdb) p", "(ipdb) p", ">>> ", "in [", "irb("), PRINTED, is_printed),
    SecretKind("setting", ("chpasswd",), LISTED, spans=listed),
    SecretKind("setting", ("username ", "local-user ", "radius ", "tacacs "), OF_USER, is_no_others_name),
    SecretKind("setting", ("{plain", "{clear", "{crypt}", "{noop}", "{cram", "{pbkdf2}", "{bcrypt}", "{xor}", "{aes}"), SCHEME, is_set),
    SecretKind("option", (': psk "', ': eap "', ': xauth "'), TUNNEL),
    SecretKind("setting", ("]:25", "]:465", "]:587"), MAILER, is_set),
    SecretKind("setting", ("static:",), STATIC, is_of_map, ends=entry_ends),
    SecretKind("credential", ("client-key-data",), OF_CLUSTER),
    SecretKind("setting", ("rootpw ", "bindpw "), INSTALLER, is_mixed_set),
    SecretKind("setting", ("stats auth ", "auth_basic ", "user-auth "), STATISTICS, is_set),
    SecretKind("setting", ("add-mask::",), MASKED, is_set),
    SecretKind("setting", ("_auth=", "-auth ", "-auth=", ".digest=", "digest:", "login="), NAME_AND_PASSWORD, is_mixed_set),
    SecretKind("setting", ("ssid", "wifi", "wi-fi", "wlan"), WIRELESS, is_mixed_set),
    SecretKind("setting", ("community",), COMMUNITY, is_no_others_name),
    SecretKind("setting", ("_auth=", "_authentication=", "_authorization="), OF_CLIENT, is_mixed_set),
    SecretKind("setting", ("user_",), USER_OF_BROKER, is_of_module),
    SecretKind("setting", ("setuser ",), RULE_OF_USER, is_set),
    SecretKind("setting", (" on >", " on ~", " on +"), ON_RULE, is_mixed_set),
    SecretKind("setting", ("encrypt =", "encrypt=", "encrypt:", 'encrypt"'), GOSSIP, is_mixed_set),
    SecretKind("setting", ("pin is ", "pin:", "pin=", "pin =", 'pin"', "otp is ", "otp:", "otp=", "otp =", 'otp"', "pin code", "pin_code", "otp_code", "otpcode", "验证码", "驗證碼", "校验码", "动态码", "動態碼"), NUMBER, spans=number),
)  # fmt: skip
