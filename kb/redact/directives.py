"""Secrets in lines of settings that a blank divides: routers, proxies, mail, Dockerfiles, logins of brokers."""

import re
from collections.abc import Iterator

from kb.redact.assignments import NEVER, STAND_IN, has_digit
from kb.redact.words import SecretKind

_VALUE = r"""["']?+(?P<secret>(?<=["'])[^"'<>\r\n]{4,}+(?=["'])|[^\s"'<>;]{4,}+)"""
ROUTER = re.compile(
    r"(?i:enable[ ](?:secret|password)|(?:secret|password)(?=[ ][057][ ])|snmp-server[ ]community|(?:tacacs|radius)-server[ ](?:host[ ]\S{1,60}[ ])?key|key-string|isakmp[ ]key|neighbor[ ]\S{1,60}[ ]password)"
    rf"[ ](?:\d[ ])?{_VALUE}"
)
"""``enable secret 0 x``, ``snmp-server community x RO``"""
TUNNEL = re.compile(r":[ ](?i:psk|eap|xauth)[ ]\"(?P<secret>[^\"\r\n<]{4,}+)\"")
"""``10.0.0.1 : PSK "x"``"""
MAILER = re.compile(r"\]:(?:25|465|587|2525)[ \t]{1,8}[^\s:<>]{1,80}:(?P<secret>[^\s<>]{3,}+)")
"""``[smtp.example.org]:587 name:x``"""
INSTALLER = re.compile(r"(?:root|bind)pw[ ](?:--\w{1,12}[ ])?(?P<secret>[^\s\"'<>\\]{4,}+)")
"""``rootpw x``"""
STATISTICS = re.compile(r"(?i:stats[ ]auth|auth[-_]basic|user-auth)[ ]{1,4}[\w.@-]{1,40}:(?P<secret>[^\s<>]{3,}+)")
"""``stats auth admin:x``"""
USER_OF_BROKER = re.compile(r"user_[\w.-]{1,40}=\\?[\"'](?P<secret>[^\"'\\\r\n<]{3,}+)")
"""``user_alice="x"`` of a login module"""
RULE_OF_USER = re.compile(r"(?i:setuser)[ ][\w.-]{1,40}(?:[ ][^\s>]{1,64}){0,6}[ ]>(?P<secret>[^\s<>]{3,}+)")
"""``ACL SETUSER app on >x``"""


MASKED = re.compile(r"add-mask::(?P<secret>[^\"'\r\n<]{3,}+)")
"""What a job asks its log to hide."""
NAME_AND_PASSWORD = re.compile(
    r"(?i:_auth|-auth|\.digest)[ =][\"']?[\w.@-]{1,40}[/:](?P<secret>[^\s\"'<>/][^\s\"'<>]{2,}+)(?=[\s\"']|\Z)"
)
"""``NEO4J_AUTH=neo4j/x``, ``-auth admin:x``"""

GOSSIP = re.compile(r"""(?i:encrypt)["']?[ ]{0,4}[:=][ ]{0,4}["'](?P<secret>[A-Za-z0-9+/]{22,88}={0,2})["']""")
"""``encrypt = "…=="``: the key that the members of a cluster share"""
NUMBER = re.compile(
    r"""(?<![A-Za-z])(?i:pin|otp|totp)(?:[ _-]?(?i:code))?(?:["'][ ]?:[ ]?["']?|[ ]{0,2}[:=][ ]{0,2}["']?|[ ](?i:is)[ ])(?P<secret>\d{4,8})(?![\w.:-])"""
    r"""|(?:验证|驗證|校验|動態|动态)[码碼](?:[:：是为為=]|[ ](?=\d{6}))[ ]{0,2}(?P<number>\d{4,8})(?![\w.:-])"""
)
"""``PIN is 482917``, ``"otp":"482917"``, ``验证码：482917``"""


def number(match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Where the digits stand."""
    yield match.span("secret" if match["secret"] else "number")


def is_set(match: re.Match[str]) -> bool:
    """Whether it is a value and no word that stands for one."""
    return not (NEVER.match(match["secret"]) or STAND_IN.match(match["secret"]))


def is_mixed_set(match: re.Match[str]) -> bool:
    """The same, where prose may begin alike: it holds a digit."""
    return is_set(match) and has_digit(match["secret"])


def is_of_module(match: re.Match[str]) -> bool:
    """Whether a login module stands before it."""
    return "LoginModule" in match.string[max(match.start() - 600, 0) : match.start()]


DIRECTIVES: tuple[SecretKind, ...] = (
    SecretKind(
        "setting",
        ("enable secret ", "enable password ", "secret 0 ", "secret 5 ", "password 0 ", "password 7 ", "snmp-server community", "tacacs-server ", "radius-server ", "key-string ", "isakmp key ", "neighbor "),
        ROUTER,
        is_mixed_set,
    ),
    SecretKind("option", (': psk "', ': eap "', ': xauth "'), TUNNEL),
    SecretKind("setting", ("]:25", "]:465", "]:587"), MAILER, is_set),
    SecretKind("setting", ("rootpw ", "bindpw "), INSTALLER, is_mixed_set),
    SecretKind("setting", ("stats auth ", "auth_basic ", "user-auth "), STATISTICS, is_set),
    SecretKind("setting", ("add-mask::",), MASKED, is_set),
    SecretKind("setting", ("_auth=", "-auth ", "-auth=", ".digest="), NAME_AND_PASSWORD, is_mixed_set),
    SecretKind("setting", ("user_",), USER_OF_BROKER, is_of_module),
    SecretKind("setting", ("setuser ",), RULE_OF_USER, is_set),
    SecretKind("setting", ("encrypt =", "encrypt=", "encrypt:", 'encrypt"'), GOSSIP, is_mixed_set),
    SecretKind("setting", ("pin is ", "pin:", "pin=", "pin =", 'pin"', "otp is ", "otp:", "otp=", "otp =", 'otp"', "pin code", "pin_code", "otp_code", "otpcode", "验证码", "驗證碼", "校验码", "动态码", "動態碼"), NUMBER, spans=number),
)  # fmt: skip
