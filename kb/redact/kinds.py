"""Every kind of secret: by which words it is noticed, and what is taken away."""

from kb.redact.arguments import OF_LOGINS, OF_SECRETS, is_of_logins, is_of_secrets
from kb.redact.assignments import ASSIGNED, is_set
from kb.redact.carriers import (
    AUTHORIZATION,
    BEARER,
    COOKIE,
    ELEMENT,
    FUNCTION_CODE,
    HEX_SIGNATURE,
    IDENTIFIED,
    IN_ADDRESS,
    NEGOTIATE,
    ORACLE,
    SESSION,
    SIGNATURE,
    SQL_PASSWORD,
    has_digit_or_symbol,
    is_credential,
    is_element,
    is_long,
    is_quoted_word,
    is_session,
    is_statement,
)
from kb.redact.commands import COMMANDS, OPTION, is_option
from kb.redact.credentials import (
    CLOUD_PAIR,
    DOCKER_AUTH,
    NETRC,
    PGPASS,
    SERVER_SETTING,
    SPACED,
    is_basic,
    is_mixed,
    is_netrc,
    is_spaced,
)
from kb.redact.people import PEOPLE_KINDS
from kb.redact.shapes import (
    AZURE,
    ENCODED_KEY,
    KEY_BLOCK,
    MAILCHIMP,
    PUTTY_LINES,
    SSH2_BLOCK,
    TELEGRAM,
    WEB_KEY,
    WEBHOOK,
    azure_begins,
    mailchimp_begins,
    telegram_begins,
    tokens,
)
from kb.redact.words import Kind

_KEY_ANCHORS = (
    *(
        "pass",
        "pwd",
        "pswd",
        "secret",
        "key",
        "token",
        "credential",
    ),
    *("bindpw", "bind_pw", "bind-pw", "rootpw", "userpw", "adminpw"),
    *("密码", "口令", "密钥", "秘钥", "私钥", "令牌", "授权码"),
)
_PLAIN_KEYS = ("pass", "pwd", "pswd", "secret", "key", "token", "credential")
_CALLED = ("):", "function]:", ")：", "）:", "）：", "function]：")
_ORACLE = ("jdbc:oracle:", "sqlplus ", "impdp ", "expdp ", "sqlldr ", "rman ")

KINDS: tuple[Kind, ...] = (
    Kind("private_key", ("-----begin ",), KEY_BLOCK),
    Kind("private_key", ("---- begin ssh2",), SSH2_BLOCK),
    Kind("private_key", ("private-lines:",), PUTTY_LINES),
    Kind("private_key", ('"d":', '"d" :', '"d\\"'), WEB_KEY),
    Kind("credential", ("ls0tls1crudjti",), ENCODED_KEY),
    Kind("authorization", ("authorization",), AUTHORIZATION, is_credential),
    Kind("bearer", ("bearer",), BEARER, has_digit_or_symbol),
    Kind("negotiate", ("negotiate ", "ntlm "), NEGOTIATE, is_mixed),
    Kind("cookie", ("cookie",), COOKIE),
    Kind("address", ("://", "：//"), IN_ADDRESS, is_long),
    Kind("address", _ORACLE, ORACLE),
    Kind(
        "webhook",
        ("hooks.slack.com/", "/bot/", "/webhook/send?", "/robot/send?", "discord", "webhook.office", "sctapi."),
        WEBHOOK,
    ),
    Kind("assignment", _KEY_ANCHORS, ASSIGNED, is_set),
    Kind("assignment", ("jsessionid", "phpsessid", "sessionid", "session_id", "session-id"), SESSION, is_session),
    Kind("assignment", ("identified",), IDENTIFIED, is_quoted_word),
    Kind("assignment", ("password '", "password('", "password ('"), SQL_PASSWORD, is_statement),
    Kind("element", _PLAIN_KEYS, ELEMENT, is_element),
    Kind("argument", _CALLED, OF_SECRETS, is_of_secrets),
    Kind("argument", _CALLED, OF_LOGINS, is_of_logins),
    Kind("signature", ("sig=", "signature=", "sign="), SIGNATURE),
    Kind("signature", ("signature=",), HEX_SIGNATURE),
    Kind("signature", ("code=",), FUNCTION_CODE),
    Kind("option", ("pass", "pwd", "token", "secret", "api-key", "api_key", "apikey", "access-key", "access_key", "account-key", "storepass", "keypass"), OPTION, is_option),
    Kind("credential", ("login ", "login\t"), NETRC, is_netrc),
    Kind("credential", (":5432:", ":5433:", ":5434:", ":6432:", ":*:"), PGPASS),
    Kind("credential", ('auth"', "auth'", "auth\\", "auth:", "auth=", "auth ="), DOCKER_AUTH, is_basic),
    Kind("credential", ("ak=", "ak:", 'ak"', "ak'", "ak\\", "ak =", "sk=", "sk:", 'sk"', "sk'", "sk\\", "sk ="), CLOUD_PAIR, is_mixed),
    Kind("assignment", ("requirepass", "masterauth"), SERVER_SETTING),
    Kind("assignment", _PLAIN_KEYS, SPACED, is_spaced),
    Kind("telegram_token", (":aa",), TELEGRAM, begins=telegram_begins),
    Kind("azure_secret", ("q~",), AZURE, begins=azure_begins),
    Kind("service_token", tuple(f"-us{digit}" for digit in "123456789"), MAILCHIMP, begins=mailchimp_begins),
    *COMMANDS,
    *tokens(),
    *PEOPLE_KINDS,
)  # fmt: skip
"""Every kind of secret that is looked for."""

PUNCTUATED = frozenset({"address", "argument", "authorization", "cookie"})
"""Names of kinds that are looked for behind a Chinese keyboard's punctuation, too; the others know its colon."""
