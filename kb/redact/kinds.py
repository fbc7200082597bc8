"""Every kind of secret: by which words it is noticed, and what is taken away."""

import re

from kb.redact.arguments import OF_LOGINS, OF_SECRETS, is_of_logins, is_of_secrets
from kb.redact.assignments import ASSIGNED, is_set
from kb.redact.carriers import (
    AUTHORIZATION,
    BEARER,
    COMMAND,
    COOKIE,
    ELEMENT,
    IDENTIFIED,
    IN_ADDRESS,
    OPTION,
    ORACLE,
    SIGNATURE,
    has_digit_or_symbol,
    is_credential,
    is_element,
)
from kb.redact.shapes import KEY_BLOCK, SHAPES, WEBHOOK
from kb.redact.words import Kind

_KEY_ANCHORS = (
    *("pass", "pwd", "secret", "key", "token", "credential", "jsessionid"),
    *("phpsessid", "session", "密码", "口令", "密钥", "秘钥", "令牌"),
)

_CALLED = ("):", "function]:", ")：", "）:", "）：", "function]：")

KINDS: tuple[Kind, ...] = (
    Kind("private_key", ("-----begin ",), KEY_BLOCK),
    Kind("authorization", ("authorization",), AUTHORIZATION, is_credential),
    Kind("bearer", ("bearer",), BEARER, has_digit_or_symbol),
    Kind("cookie", ("cookie",), COOKIE),
    Kind("address", ("://", "：//"), IN_ADDRESS),
    Kind("address", ("jdbc:oracle:",), ORACLE),
    Kind("webhook", ("hooks.slack.com/", "/bot/v2/hook/", "/webhook/send?", "/robot/send?"), WEBHOOK),
    Kind(
        "assignment",
        _KEY_ANCHORS,
        ASSIGNED,
        is_set,
    ),
    Kind("assignment", ("identified",), IDENTIFIED),
    Kind("element", ("pass", "pwd", "secret", "key", "token", "credential"), ELEMENT, is_element),
    Kind("argument", _CALLED, OF_SECRETS, is_of_secrets),
    Kind("argument", _CALLED, OF_LOGINS, is_of_logins),
    Kind("signature", ("sig=", "signature="), SIGNATURE),
    Kind("option", ("--pass", "--pwd", "--token", "--secret", "--api", "--access"), OPTION, has_digit_or_symbol),
    Kind("option", ("mysql", "mariadb", "sshpass", "redis-cli", "curl", "wget"), COMMAND, has_digit_or_symbol),
    *(
        Kind(name, hints, re.compile(rf"(?<![A-Za-z0-9_-])(?P<secret>{shape})(?![\w-])"))
        for name, hints, shape in SHAPES
    ),
)
"""Every kind of secret that is looked for."""

PUNCTUATED = frozenset({"address", "argument", "authorization", "cookie"})
"""Names of kinds that are looked for behind a Chinese keyboard's punctuation, too; the others know its colon."""
